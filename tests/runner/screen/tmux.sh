# shellcheck shell=bash disable=SC2034,SC2120,SC2154
# Sourced by the suites of screens, after house.sh: the program in tmux, driven by keystrokes and compared
# with golden text. With --update the pictures are written anew: look at the difference before you keep it.
golden=$repository/tests/runner/screen/golden
update=${1:-}
folder=$PWD # that the program is started in
socket=warpbook-test-$$
export LC_ALL=C.UTF-8
unset TMUX
trap 'tm kill-server 2>/dev/null; rm -rf "$work"' EXIT

tm() { tmux -u -L "$socket" -f /dev/null "$@"; }
grab() { tm capture-pane -p -t w "$@"; }

words='' # of the command line, where it is not the screen that is looked at
# The workbook opens where it was left: most pictures begin at the first lesson instead. The last screen may
# still be storing its place.
forget_place() {
    local state=$house/.warpbook/state.json
    [ ! -e "$work/lock" ] || flock -w 10 "$work/lock" true
    [ ! -e "$state" ] || { jq 'del(.place)' "$state" >"$state.new" && mv "$state.new" "$state"; }
}
# reopen [-x COLUMNS] [-y ROWS] [NAME=VALUE...]: a new screen; its end is told by the line "ended N"
open() {
    tm kill-session -t w 2>/dev/null
    forget_place
    reopen "$@"
}
reopen() {
    local x=80 y=24 i
    while [ $# -gt 0 ]; do
        case $1 in
        -x) x=$2 && shift 2 ;;
        -y) y=$2 && shift 2 ;;
        *) break ;;
        esac
    done
    tm kill-session -t w 2>/dev/null
    cat >"$work/session" <<END
trap : INT
stty -a | tr ' ' '\n' | grep -E '^-?(echo|icanon|isig|opost)' >$work/stty-before
exec 8>$work/lock
flock 8
env $* "$warpbook" $words
rc=\$?
exec 8>&-
stty -a | tr ' ' '\n' | grep -E '^-?(echo|icanon|isig|opost)' >$work/stty-after
echo "ended \$rc"
exec sleep 1000
END
    # A server that is just ending with its last session takes no new one.
    for ((i = 0; i < 40; i++)); do
        tm new-session -d -c "$folder" -x "$x" -y "$y" -s w "sh $work/session" 2>/dev/null && break
        sleep 0.05
    done
}
keys() { tm send-keys -t w "$@"; }

# appears TEXT: wait until the screen shows it, 20 s at most
appears() {
    local i
    for ((i = 0; i < 400; i++)); do
        grab >"$work/out"
        grep -qF -- "$1" "$work/out" && return 0
        sleep 0.05
    done
    return 1
}
# wait_for TEXT: what must appear before the next keys; a failure if it does not
wait_for() {
    appears "$1" && return
    ok 1 "waits for: $1"
    return 1
}
# shows NAME TEXT: the screen comes to show it
shows() {
    appears "$2"
    ok $? "$1"
}
# picture NAME TEXT: once TEXT is there, the screen is the golden one
picture() {
    if ! appears "$2"; then
        ok 1 "$1"
        return
    fi
    # A screen may still be being drawn when its mark appears.
    local i
    if [ "$update" = --update ]; then
        for ((i = 0; i < 20; i++)); do
            sleep 0.3
            grab >"$golden/$1.txt"
            cmp -s "$work/out" "$golden/$1.txt" && break
            cp "$golden/$1.txt" "$work/out"
        done
    fi
    for ((i = 0; i < 40; i++)); do
        grab >"$work/out"
        cmp -s "$work/out" "$golden/$1.txt" && break
        sleep 0.05
    done
    diff -u "$golden/$1.txt" "$work/out" >"$work/diff"
    local same=$?
    [ $same = 0 ] || cp "$work/diff" "$work/out"
    ok $same "picture $1"
}

# Pictures of gnuplot differ from version to version; tests/runner/run-cli draws with it.
plain_pictures() {
    cat >"$house/plots/draw" <<'END'
#!/bin/sh
if [ "$3" = dumb ]; then
    printf '\n  %s: %s, %s\n\n' "$1" "$5" "$(grep -c '^measure' "$2") variants"
    printf '   copy       |:::::::::::::::: 1678\n   copy_twice |:::::::: 839\n\n'
else
    echo picture >"$3"
fi
END
}

