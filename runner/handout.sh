#!/usr/bin/env bash
# handout.sh DIR: a student's copy of the workbook in DIR, which is made, or is there and empty.
#
# Left out are the solutions, the wrong versions, hidden rows of rubrics, what the judge
# compares, the tests and tools that need them, and what is for instructors. A rubric has the points of its hidden rows in one row.
# Where the workbook is a git repository, only what git tracks goes in, and the labs as HEAD has
# them, for the one who hands out may have worked in them. 1: it cannot be made, 2: usage.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)

fail() {
    echo "handout: $2" >&2
    exit "$1"
}

[ $# = 1 ] && [ -n "$1" ] || fail 2 "say where to: make handout DIR=~/warpbook-students"
to=$1
if [ -e "$to" ] || [ -L "$to" ]; then
    [ -d "$to" ] || fail 1 "$to is no directory: name one that is new or empty."
    [ -z "$(ls -A "$to")" ] || fail 1 "$to is not empty: name a directory that is new or empty."
fi
mkdir -p "$to" || exit 1
to=$(cd "$to" && pwd) || exit 1
cd "$root" || exit 1
case $to/ in
"$root"/*) rmdir "$to" && fail 1 "$to lies inside the workbook: name a directory outside." ;;
esac

tracked=no
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$root" ] && tracked=yes

files() {
    if [ $tracked = yes ]; then
        git ls-files
    else
        find . -type f -printf '%P\n' | grep -vE '^(build/|\.git/|\.warpbook/|warpbook$)|\.o$'
    fi
}

# Tests and tools that need the solutions. The runner's have a small workbook of
# their own, with its own solutions; unit tests and recorded figures need none.
needing=$(files | grep -E '^(tests|make)/' | grep -vE '^tests/(runner|unit|hardware/[a-z]+/h200)/' |
    tr '\n' '\0' | xargs -0 grep -liE 'solution' 2>/dev/null)

withheld() {
    case $1 in
    tests/runner/*) return 1 ;;
    */solution.cu | */break-solution.cu | solutions/* | tests/book/wrong/* | tests/book/right/* | tests/book/breaks/* | tests/book/course/* | tests/book/walkthroughs/* | */judge.tsv) return 0 ;;
    docs/example-missing-barrier.html | docs/prairielearn/* | tests/browser/*) return 0 ;; # with solutions
    INSTRUCTORS.md | Containerfile | .devcontainer/* | paper/*) return 0 ;;
    runner/handout.sh | make/handout.mk | tests/house/run-handout) return 0 ;;
    esac
    [[ $'\n'$needing$'\n' == *$'\n'"$1"$'\n'* ]]
}

# lab FILE: its text as the students shall find it
lab() {
    local kept=.warpbook/pristine/${1#chapters/}
    kept=${kept/%\/break.cu/\/break\/lab.cu}
    if [ $tracked = yes ]; then
        git show "HEAD:$1" 2>/dev/null && return 0
    elif [ -f "$kept" ]; then
        cat "$kept"
        return
    fi
    cat "$1"
}

given=()
while IFS= read -r file; do
    if [ ! -f "$file" ] || withheld "$file"; then continue; fi
    given+=("$file")
done < <(files)
[ ${#given[@]} -gt 0 ] || fail 1 "there is nothing to hand out in $root."
printf '%s\0' "${given[@]}" | tar -c --null -T - | tar -x -C "$to" || fail 1 "$to cannot be written."

for file in README.md docs/COMMANDS.md; do
    awk '/^## /{ theirs = /^## For those who mark/ } !theirs && !/INSTRUCTORS\.md|example-missing-barrier/' "$file" >"$to/$file" ||
        fail 1 "$to/$file cannot be written."
done

# public FILE: a rubric without its hidden rows
public() {
    awk -F'\t' -v OFS='\t' '$8 == "hidden" { rest += $1; next } { print $1, $2, $3, $4, $5, $6, $7 }
        END { if (rest) print rest, "hidden", "-", "-", "-", "-", "rows that are not shown" }' "$1"
}

for file in "${given[@]}"; do
    case $file in
    tests/*) continue ;;
    */rubric.tsv | */rubric.[1-9].tsv)
        public "$file" >"$to/$file" || fail 1 "$to/$file cannot be written."
        continue
        ;;
    */answers.tsv | */reasons.tsv) # the program reads it, and nobody by accident: runner/book/quiz.c
        tr '!-~' 'P-~!-O' <"$file" >"$to/$file" || fail 1 "$to/$file cannot be written."
        continue
        ;;
    */lab.cu | */break.cu) ;;
    *) continue ;;
    esac
    lab "$file" >"$to/$file" || fail 1 "$to/$file cannot be written."
    solution=${file%lab.cu}solution.cu
    [[ $file != */break.cu ]] || solution=${file%.cu}-solution.cu
    [ -f "$solution" ] || solution=solutions/${solution#labs/}
    if cmp -s "$to/$file" "$solution"; then
        find "$to" -mindepth 1 -delete
        fail 1 "$file is the solution: ./warpbook reset brings the lab back."
    fi
    cmp -s "$to/$file" "$file" || echo "handout: $file as it was, without what was done in it."
done
[ $tracked = no ] || git ls-files --others --exclude-standard -- chapters labs common | sed -E 's,^((chapters|labs)/[^/]*)/.*,\1,' | sort -u |
    while IFS= read -r file; do echo "handout: $file is not in git, so it is left out: git add it first."; done
echo "handout: ${#given[@]} files in $to; there, make run opens the workbook and make test tests it."
