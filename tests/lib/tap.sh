# shellcheck shell=bash
# Results as TAP, for suites in bash. Sourced. $why is a file, which a suite may name itself: its first lines
# follow a result that failed.
count=0 bad=0
why=${TMPDIR:-/tmp}/why

# ok STATUS NAME [FILE]: a result; FILE instead of $why.
ok() {
    count=$((count + 1))
    [ "$1" != 0 ] || { echo "ok $count - $2" && return; }
    bad=1
    echo "not ok $count - $2"
    [ ! -s "${3:-$why}" ] || head -n 30 "${3:-$why}" | cut -c1-300 | sed 's/^/# /'
    return 1
}

# tap NAME: the result of the command before.
tap() { ok $? "$1"; }

# result PROBLEM NAME: a text that says what is wrong, or nothing.
result() {
    count=$((count + 1))
    [ -n "$1" ] || { echo "ok $count - $2" && return; }
    bad=1
    echo "# ${1//$'\n'/$'\n'# }"
    echo "not ok $count - $2"
    return 1
}

# skip NAME REASON: of this machine, such as another processor. A tool that is missing is a failure.
skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# finish: the plan, and the end of the suite.
finish() {
    echo "1..$count"
    exit $bad
}
