# shellcheck shell=bash disable=SC2154
# What the suites of the course share: where they are, and TAP.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cd "$root" || exit 1
export LC_ALL=${LC_ALL:-C.UTF-8}
work=$build/course
. tests/lib/tap.sh
why=$work/why.$$ # why a check failed: its first lines are shown

# tap DESCRIPTION: the result of the command before; what is in $why is said once.
tap() {
    ok $? "$1"
    local rc=$?
    : >"$why"
    return $rc
}

# check DESCRIPTION COMMAND...: the result of the command. With CHECKS, an ERE, in the environment only those whose
# description it matches run.
check() {
    local description=$1
    shift
    [[ $description =~ ${CHECKS:-} ]] || return 0
    "$@"
    tap "$description"
}

why() { cat >"$why"; }

# silent: what is piped into it is why the check failed; nothing, and it passed.
silent() {
    why
    ! [ -s "$why" ]
}

# retold FILE: the results in it, as if they were this suite's next.
retold() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^(not )?ok\ [0-9]+\ (.*) ]]; then
            count=$((count + 1))
            [ -z "${BASH_REMATCH[1]}" ] || bad=1
            line="${BASH_REMATCH[1]}ok $count ${BASH_REMATCH[2]}"
        fi
        echo "$line"
    done <"$1"
}

mkdir -p "$work"
: >"$why"
trap 'rm -f "$why"' EXIT

# shelf NAME ...: the directories of chapters and labs whose path holds one of the names; without a
# name, all. Sets "shelf".
shelf() {
    local d name
    shelf=()
    for d in chapters/*/ labs/*/; do
        [ -d "$d" ] || continue
        d=${d%/}
        [ $# = 0 ] && shelf+=("$d")
        for name; do
            [[ $d == *"$name"* ]] && shelf+=("$d") && break
        done
    done
}

# A chapter's solution lies beside its lab, an assignment's in solutions/. "called" is what both
# have in tests/book/wrong and among built programs: NN-topic, or labs-NN-topic.
solution_of() { [[ $1 == labs/* ]] && echo "solutions/${1#labs/}/solution.cu" || echo "$1/solution.cu"; }
called() { [[ $1 == labs/* ]] && echo "labs-${1#labs/}" || basename "$1"; }
