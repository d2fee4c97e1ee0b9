# For the suites of the libraries, sourced from the repository's root with the suite's own folder of work: what
# one library's exports, programs and missing calls have in common with another's.
# shellcheck shell=bash disable=SC2034,SC2086,SC2154
here=$PWD/tests/api/libraries
. tests/lib/build.sh
. tests/lib/toolkit.sh
. tests/lib/tap.sh
toolkit_required "$0"
warpbook=$(realpath "$warpbook") lib=$(realpath "$build/emulator")
cd "$TMPDIR" || exit 2

# exports FILE: what it exports of $library's names.
exports() { nm -D --defined-only "$1" | sed -n "s/.* [TW] \($library[^@]*\).*/\1/p" | sed 's/@.*//' | LC_ALL=C sort; }

# names LIBRARY LEAST HEADER OTHER NUMBER ...: libLIBRARY.so of each NUMBER exports the names of its table, which are at least
# LEAST and all that the toolkit's HEADER has (but for OTHER, a pattern) and NVIDIA's own file. Ends the suite without HEADER.
names() {
    local least=$2 header=$toolkit/include/$3 other=$4 number
    library=$1
    shift 4
    sed '/^#/d; s/ /\n/g' "$OLDPWD/emulator/libraries/$library/names.txt" | sed "s/^/$library/" | LC_ALL=C sort >names
    for number; do
        exports "$lib/lib$library.so.$number" | diff names - >why && [ "$(wc -l <names)" -ge "$least" ] &&
            readelf -d "$lib/lib$library.so.$number" | grep -q "SONAME.*lib$library.so.$number\]"
        tap "lib$library.so.$number has the names of the table"
    done
    if [ ! -f "$header" ]; then
        skip "programs" "the toolkit has no ${header##*/}"
        finish
    fi
    sed -n 's/^#include "\(.*\)"$/\1/p' "$header" | sed "s:^:$toolkit/include/:" | xargs -r ls 2>/dev/null | xargs cat "$header" |
        grep -oE "\b$library[A-Z][A-Za-z0-9_]* *\(" | tr -d ' (' | grep -vE "$other" | cat - \
        <([ ! -f "$toolkit_lib/lib$library.so" ] || exports "$toolkit_lib/lib$library.so") | LC_ALL=C sort -u | LC_ALL=C comm -13 names - >why
    [ ! -s why ]
    tap "which are those of the toolkit's header and library"
}

# program NAME EXPECTED-STDERR FLAG ...: built with FLAG and given $arguments, it says nothing else and ends with 0.
program() {
    local name=$1 expected=$2
    shift 2
    "$nvcc" -std=c++17 -arch=compute_75 -I"$here/../runtime" "$here/$name.cu" "$@" -o "$name" >log 2>&1 &&
        timeout 300 "$warpbook" exec "./$name" ${arguments:-} >"$name.out" 2>"$name.err" && diff "$name.err" <(printf '%s' "$expected") >>log
    ok $? "$name, built with ${*//$lib/...}" <(cat log "$name.out" "$name.err")
}
# lacks CALL ...: what the library says of them; $status is what they return.
lacks() { printf "warpbook: %s is not among the calls that this lib$library has: it returns ${library^^}_STATUS_${status:-NOT_SUPPORTED}\n" "$@"; }

# tools PROGRAM SILENT KERNEL ...: what others of warpbook's tools make of such programs. PROGRAM (with arguments) launches
# each KERNEL, and its run is recorded; SILENT's kernels make no mistakes, and it says nothing but lines with $says.
tools() {
    local program=$1 silent=$2
    shift 2
    timeout 60 "$warpbook" exec --sanitize --profile --json ./$program >profile.json 2>/dev/null &&
        jq -e '[.kernels[].name] | contains($ARGS.positional)' profile.json --args "$@" >why
    tap "counters and clock see the kernels"
    timeout 120 "$warpbook" exec --sanitize --error-exitcode 9 ./$silent >out 2>why && sed -i "${says:+/$says/d}" why && [ ! -s why ]
    tap "no kernel of ${silent%% *} makes a mistake that --sanitize finds"
    timeout 60 "$warpbook" exec --record r.rec ./$program >out 2>why && timeout 60 "$warpbook" replay r.rec >why 2>&1 && grep -q 'all as recorded' why
    tap "a run is recorded and repeated without the program"
    finish
}
