# For suites of planted mistakes. A case is a word that the program takes as its argument; its lines
# bear "BUG case kind" where it is to be named, and "SEE case kind" on the other side. Cases whose
# names begin with "fine_" are right. To be sourced in the root, after own-tmpdir.sh.
. tests/lib/toolkit.sh
lib=$build/emulator
. tests/lib/tap.sh
why=$TMPDIR/err
build() { # build SOURCE: into $TMPDIR/bugs, optimised as $level says, with the flags of a line "// flags: ..."
    source=$1
    local flags
    read -ra flags < <(sed -n 's|^// flags: ||p' "$1")
    "$nvcc" -std=c++17 "${level:--O3}" -lineinfo -Xcompiler -g1 -cudart shared -arch=sm_90 "${flags[@]}" -o "$TMPDIR/bugs" "$1" 2>"$TMPDIR/err"
    ok $? "$1 builds"
}
run() { # run CASE...: the program's status. Looks for $kinds
    rm -f "$TMPDIR/reports"
    WARPBOOK_SANITIZE=${kinds:-all} WARPBOOK_REPORTS=$TMPDIR/reports LD_LIBRARY_PATH=$lib \
        timeout 60 ${WARPBOOK_TEST_UNDER:-} "$TMPDIR/bugs" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
    local rc=$?
    [ ! -e "$TMPDIR/reports" ] || cat "$TMPDIR/reports" >>"$TMPDIR/all-reports"
    return $rc
}
# The lines "LINE KIND" that are marked WORD for CASE.
marked() { awk -v word="$1" -v name="$2" '{ for (k = 1; k + 2 <= NF; k++) if ($k == word && $(k + 1) == name) print FNR, $(k + 2) }' "$source"; }
# planted OTHERS [KIND]: each case (of KIND) has one report of its kind at its line, with the other side that is
# marked, in the text too; and none of another kind but for those of the extended regular
# expression OTHERS, which follow from the mistake.
planted() {
    local name line kind other file
    file=$(basename "$source")
    for name in $(awk -v only="${2:-}" '/ BUG / { for (k = 1; k < NF; k++) if ($k == "BUG" && (!only || $(k + 2) == only)) print $(k + 1) }' "$source" | sort -u); do
        run "$name"
        read -r line kind < <(marked BUG "$name")
        other=$(marked SEE "$name" | cut -d' ' -f1)
        [ "$(grep -cE "^\{\"kind\":\"$kind\",.*\"file\":\"$file\",\"line\":$line,${other:+.*\"other\":\{\"file\":\"$file\",\"line\":$other,}" "$TMPDIR/reports")" = 1 ] &&
            grep -qE "^warpbook: $file:$line: $kind(:| on )" "$TMPDIR/err"
        ok $? "$name: $kind at line $line${other:+, and line $other}"
        ! grep -vqE "^\{\"kind\":\"($kind|$1)\"" "$TMPDIR/reports"
        ok $? "$name: nothing else is told"
    done
}
# stopped: each case of kind "fault" has one report, of its line and of the call that allocated or freed the
# memory, if that is marked. Such a report names no kind in its text.
stopped() {
    local name line other file did
    file=$(basename "$source")
    for name in $(awk '/ BUG / { for (k = 1; k < NF; k++) if ($k == "BUG" && $(k + 2) == "fault") print $(k + 1) }' "$source"); do
        run "$name"
        line=$(marked BUG "$name" | cut -d' ' -f1) other=$(marked SEE "$name" | cut -d' ' -f1)
        did="^warpbook: $file:$other: the memory was (freed|allocated) here"
        [ "$(wc -l <"$TMPDIR/reports")" = 1 ] && grep -qE "^warpbook: $file:$line: thread " "$TMPDIR/err" &&
            grep -qE "^\{\"kind\":\"fault\",.*\"file\":\"$file\",\"line\":$line,${other:+.*\"other\":\{\"file\":\"$file\",\"line\":$other,}" "$TMPDIR/reports" &&
            { [ -z "$other" ] || grep -qE "$did" "$TMPDIR/err"; }
        ok $? "$name: stopped at line $line${other:+, and line $other}"
    done
}
# says CASE ERE: the report on CASE has a text that matches ERE.
says() {
    run "$1"
    grep -qE "$2" "$TMPDIR/err"
    ok $? "$1: says $2"
}
# What fixes a mistake is a sentence, in each report of all runs so far, and in its text too.
fixes_are_sentences() {
    [ "$(grep -oE '"fix":"[^"]*"' "$TMPDIR/all-reports" | tee "$TMPDIR/fixes" | wc -l)" -gt 0 ] &&
        ! grep -vE '^"fix":"[A-Z].*\."$' "$TMPDIR/fixes" >"$TMPDIR/err" &&
        ! grep -oE '\\n[a-z][^\"]*\(chapter [0-9]+\)' "$TMPDIR/all-reports" >"$TMPDIR/err"
    ok $? "what fixes a mistake begins with a capital and ends with a full stop"
}
# Right programs are told nothing, all in one process.
fine_together() {
    local names
    mapfile -t names < <(grep -oE 'void fine_[a-z_]+' "$source" | awk '{ print $2 }')
    run "${names[@]}"
    [ ! -s "$TMPDIR/err" ] && [ ! -e "$TMPDIR/reports" ] && [ ! -s "$TMPDIR/out" ]
    ok $? "${#names[@]} right programs of $source: nothing is told"
}
# Right programs are told nothing.
fine() {
    local name
    for name in $(grep -oE 'void fine_[a-z_]+' "$source" | awk '{ print $2 }'); do
        run "$name"
        [ ! -s "$TMPDIR/err" ] && [ ! -e "$TMPDIR/reports" ]
        ok $? "$name: nothing is told"
    done
}
