# shellcheck shell=bash
# The form of a chapter or an assignment, as text: nothing is built. form_of DIR taps all of it.

outside() { awk '/\/\/ TODO [0-9]/ { print; skip = 1; next } /\/\/ END TODO/ { skip = 0 } !skip' "$1"; }

same_outside_regions() { diff <(outside "$1/lab.cu") <(outside "$(solution_of "$1")") >"$why"; }

# At most three regions in order, each closed, with its size and what to do. Before them, once, the block for
# functions of the student's own, which is empty.
regions() {
    awk '
        /\/\/ TODO [0-9]/ {
            n++
            if ($3 + 0 != n || open || !/\/\/ TODO [0-9] \(about [0-9]+ lines?\): ./) wrong = FNR
            open = 1
        }
        /^\/\/ HELPERS/ {
            blocks++
            if (n || !/^\/\/ HELPERS: ./ || (getline after) != 1 || after != "// END HELPERS") wrong = FNR
        }
        /\/\/ END TODO/ { if (!open || $4 + 0 != n) wrong = FNR; open = 0 }
        END {
            if (wrong) print FILENAME ":" wrong ": a TODO out of order or without its form"
            if (blocks != 1) print FILENAME ": " blocks + 0 " blocks for helper functions"
            if (n < 1 || n > 3 || open) print FILENAME ": " n " regions"
        }' "$1/lab.cu" | silent
}

readable_size() {
    local lines
    lines=$(grep -c '[^[:space:]]' "$1/lab.cu")
    echo "$1/lab.cu has $lines lines that are not blank" | why
    [ "$lines" -ge 50 ] && [ "$lines" -le 150 ] &&
        [ "$(awk '/\/\/ TODO 1/ { print FNR }' "$1/lab.cu")" -le 30 ]
}

narrow() {
    awk 'length > 100 { print FILENAME ":" FNR ": longer than 100 columns" }' \
        "$1/lab.cu" "$(solution_of "$1")" 2>&1 | silent
}

# A constant that is the student's to choose is refused by the compiler where it is 0. CHOICE, 0 until one is made, is
# lab_choose's to judge.
bounded_constants() {
    local line name constants
    grep -q "^enum.*yours to choose" "$1/lab.cu" || return 0
    constants=$(grep '^enum\|^static_assert' "$1/lab.cu" | grep -v 'CHOICE = ')
    g++ -std=c++17 -fsyntax-only -x c++ - <<<"$constants" 2>&1 | why
    while IFS= read -r line; do
        for name in $(grep -oE '[A-Z_]+ = [0-9]+[,} ]' <<<"${line%%\}*} " | cut -d' ' -f1); do
            [[ ! $line =~ (is|are)\ yours || ${line#*\}} == *"$name"* ]] || continue
            ! sed "s/\b$name = [0-9]*/$name = 0/" <<<"$constants" | g++ -std=c++17 -fsyntax-only -x c++ - 2>/dev/null ||
                echo "$1/lab.cu: $name may be 0"
        done
    done < <(grep 'yours to choose' <<<"$constants") >>"$why"
    ! [ -s "$why" ]
}

# Code and drawings as they are shown on the smallest screen, 80 columns with margins.
fits_a_screen() {
    awk '/^    / && length > 80 { print FILENAME ":" FNR ": more than 76 columns wide: " $0 }
        /^```/ { fence = !fence; next }
        fence && length > 76 { print FILENAME ":" FNR ": more than 76 columns wide: " $0 }' \
        "$1/README.md" | silent
}

sections() {
    diff <(grep '^## ' "$1/README.md") - >"$why" < <(
        cat <<'EOF'
## What you will learn
## The idea
## Predict
## Your task
## What to look at
## On hardware
## Hints
## Further questions
EOF
        [[ $1 == labs/* ]] || echo "## Check yourself"
    )
}

# Five questions, and answers that the lesson, the records of a GPU and the wrong versions bear out;
# run-course holds the others to a run.
questions() { [[ $1 == labs/* ]] || tests/book/course/judge-answers "$1" 2>&1 | silent; }

# A chapter begins with a question.
asks_first() {
    [[ $1 == labs/* ]] || awk '
        /^## The idea$/ { idea = 1; next }
        idea && /^$/ && asked != "" { exit }
        idea { asked = asked $0 }
        END { if (asked !~ /\?/) print FILENAME ": the first paragraph of the idea asks nothing" }' \
        "$1/README.md" | silent
}

hints() {
    diff <(grep -oE '// TODO [0-9]' "$1/lab.cu" | sed 's,// ,,') \
        <(sed -n 's/^### \(TODO [0-9]\)$/\1/p' "$1/README.md") >"$why" || return 1
    awk '
        function close_list() { if (todo && n < 3) print FILENAME ": " todo " has " n + 0 " hints" }
        /^#/ { close_list(); todo = "" }
        /^### TODO/ { todo = $2 " " $3; n = 0 }
        todo && /^[0-9]+\. / { if ($1 + 0 != ++n) print FILENAME ":" FNR ": hints out of order" }
        END { close_list() }' "$1/README.md" | silent
}

# The last hint to a TODO holds no statement.
last_hints() {
    awk '
        function judge(   code, n, k) {
            n = split(last, code, "`")
            for (k = 2; k <= n; k += 2)
                if (code[k] ~ /;/) print FILENAME ": " todo ": the last hint is code: " code[k]
            last = ""
        }
        /^#/ { judge(); todo = "" }
        /^### TODO/ { todo = $2 " " $3 }
        todo && /^[0-9]+\. / { last = "" }
        todo { last = last " " $0 }' "$1/README.md" | silent
}

# Predictions name a kernel of the lab and a metric that there is; pictures a script that there is.
comments() {
    local kernel metric script
    {
        grep -q '^<!-- predict ' "$1/README.md" || echo "no prediction"
        grep -q '^<!-- plot ' "$1/README.md" || echo "no picture"
        sed -n 's/^<!-- predict kernel=\([^ ]*\) metric=\([^ ]*\)\( answers="[^"]*"\)\{0,1\} -->$/\1 \2/p' "$1/README.md" |
            while read -r kernel metric; do
                grep -qE "__global__ void $kernel\(" "$1/lab.cu" || echo "no kernel $kernel"
                grep -q "METRIC($metric," runner/book/metrics.def || echo "no metric $metric"
            done
        sed -n 's/^<!-- plot \([^ ]*\).* -->$/\1/p' "$1/README.md" | while read -r script; do
            [ -f "plots/$script.gp" ] || echo "no plots/$script.gp"
        done
    } | silent
}

# Each prediction has the book's reason, a sentence, in reasons.tsv: the same kernels and metrics in the same order.
reasons() {
    {
        diff <(sed -n 's/^<!-- predict kernel=\([^ ]*\) metric=\([^ ]*\).*/\1 \2/p' "$1/README.md") \
            <(tail -n +2 "$1/reasons.tsv" | cut -f1,2 | tr '\t' ' ')
        head -1 "$1/reasons.tsv" | grep -qx $'kernel\tmetric\tbecause' || echo "$1/reasons.tsv: header"
        tail -n +2 "$1/reasons.tsv" | awk -F'\t' 'NF != 3 || $3 !~ /^.+\.$/ { print "not a sentence: " $0 }'
    } 2>&1 | silent
}

links() {
    local file=$1 target place=.
    [[ $file != */* ]] || place=${file%/*}
    grep -oE '\]\([^)#]+' "$file" | sed 's/^](//' | grep -vE '^[a-z]+:' | sort -u | while read -r target; do
        [ -e "$place/$target" ] || echo "$file: $target is not there"
    done | silent
}

# The first use of a word of the glossary is a link to it.
glossary_links() { tests/book/course/link-words --check "$1" 2>&1 | silent; }

# Before each table a sentence says what a row of it is.
tables_told() {
    awk '
        /^```/ { fence = !fence }
        fence { next }
        /^<!--/ { comment = 1 }
        comment { comment = !/-->$/; next }
        !/^\|/ { table = 0 }
        table || !NF { next }
        /^\|/ {
            if (before !~ /[.:)]$/) print FILENAME ":" FNR ": no sentence before this table"
            table = 1
            before = ""
            next
        }
        { before = $0 }' "$1" | silent
}

# Paths of the repository that a text names in code are there.
paths() {
    grep -oE '`(chapters|tests|common|plots|labs)/[A-Za-z0-9_./-]+`' "$1" | tr -d '`' |
        while read -r path; do [ -e "$path" ] || echo "$1: $path is not there"; done | silent
}

# What stands in a lesson's lists of figures.
figure_lists() { sed -nE "/^ *<!-- figures$/,/^ *-->/ { /<!--|-->/! s/^ +//; /<!--|-->/! p }" "$1"; }

# Every figure is that of its record, and every mark one that fill-figures reads.
figures() {
    local record of
    {
        tests/book/course/fill-figures --check "$1"
        grep -nE "<!-- /?figure" "$1" | grep -vE "^[0-9]+:[[:space:]]*<!-- figures$" |
            sed "s,^,$1: not a figure's form: ,"
        figure_lists "$1" | grep -v " = " | sort -u |
            while read -r record; do
                # A chapter or an assignment that is yet to be recorded has dashes.
                of=$(basename "$record" .tsv)
                [ -f "$record" ] || [ -d "chapters/$of" ] || [ -d "labs/${of#labs-}" ] ||
                    echo "$1: no record $record"
            done
    } | silent
}

# Every picture of an access is what its table gives; run-course holds the tables to runs.
pictures() { tests/book/course/fill-pictures --check "$1" 2>&1 | silent; }

wrong_versions() {
    local n
    n=$(find "tests/book/wrong/$(called "$1")" -name '*.todo' 2>/dev/null | wc -l)
    echo "tests/book/wrong/$(called "$1") has $n" | why
    [ "$n" -ge 5 ]
}

# An assignment has one rubric, or one for each program that it leaves the choice of.
rubrics_of() { ls "$1"/rubric.tsv "$1"/rubric.[1-9].tsv 2>/dev/null; }

# A row of a rubric is a check, a goal or a variant of the lab, with the same limit; they sum to 100. Each goal
# of the lab has points in a rubric.
# What is compared alternates on a GPU: its variants stand in one LAB_ROUNDS.
rubric() {
    local file
    [[ $1 == labs/* ]] || return 0
    echo "$1 has no rubric" | why
    [ -n "$(rubrics_of "$1")" ] || return 1
    {
        for file in $(rubrics_of "$1"); do points_of "$1" "$file"; done
        goals_without_points "$1"
    } 2>&1 | silent
}

goals_without_points() {
    local goals
    mapfile -t goals < <(rubrics_of "$1")
    awk -F'\t' '
        FILENAME ~ /rubric/ { if ($2 == "cost") { limit = $6; sub(/.*\.\./, "", limit); paid["\"" $3 "\", \"cost\", \"at_most\", " limit ","] } if ($2 == "goal") paid["\"" $3 "\", \"" $4 "\", \"" $5 "\", " $6 ","]; next }
        match($0, /LAB_GOAL\("[^"]*", "[^"]*", "[^"]*", [^,]*,/) {
            goal = substr($0, RSTART + 9, RLENGTH - 9)
            if (!(goal in paid)) print "no points for the goal " goal
        }' "${goals[@]}" "$1/lab.cu"
}

# points_of DIR RUBRIC: what is wrong with it.
points_of() {
    awk -F'\t' '
        FILENAME ~ /lab\.cu$/ {
            column = match($0, /[^ ]/)
            if (/LAB_ROUNDS \{/) begun = column
            if (begun == column && substr($0, column) == "}") begun = 0
            gsub(/[ ]+/, " ")
            lab = lab $0
            if (begun) rounds = rounds $0
            next
        }
        FNR == 1 {
            if ($0 != "points\tkind\tname\tmetric\trelation\tlimit\tsentence") print "header: " $0
            next
        }
        { sum += $1 }
        NF != 7 || $7 == "" || $1 + 0 <= 0 { print "row " FNR ": not seven fields, or no points" }
        $2 == "check" && index(lab, "LAB_CHECK(\"" $3 "\"") { next }
        $2 == "check" && index(lab, "LAB_CHECK_AT(\"" $3 "\"") { next }
        $2 == "check" && index(lab, "LAB_CHECK_UP_TO(\"" $3 "\"") { next }
        $2 == "bandwidth" && index(rounds, "LAB_MEASURE(\"" $3 "\"") && $4 == "percent" { next }
        $2 == "ratio" && index(rounds, "LAB_MEASURE(\"" $3 "\"") && index(rounds, "LAB_MEASURE(\"" $4 "\"") { next }
        $2 == "cost" && index(lab, "LAB_MEASURE(\"" $3 "\"") { next }
        $2 == "lines" && index(lab, "void " $3 "(") { next }
        $2 == "goal" && index(lab, "LAB_GOAL(\"" $3 "\", \"" $4 "\", \"" $5 "\", " $6 ",") { next }
        { print "row " FNR ": the lab has no " ($2 ~ /bandwidth|ratio/ ? "LAB_ROUNDS with the " : "") $2 " " $3 " " $4 " " $5 " " $6 }
        END { if (sum != 100) print sum + 0 " points, not 100" }' \
        "$1/lab.cu" "$2"
}

all_there() {
    local file
    for file in "$1/README.md" "$1/lab.cu" "$(solution_of "$1")"; do
        [ -s "$file" ] || echo "$file is not there"
    done | silent
}

links_and_paths() { links "$1" && paths "$1"; }

form_of() {
    local d=$1 c
    c=$(called "$d")
    check "$c: lesson, lab and solution are there" all_there "$d" || return 1
    check "$c: lab and solution differ in TODO regions only" same_outside_regions "$d"
    check "$c: one to three TODO regions, each with its size" regions "$d"
    check "$c: a short lab, the first TODO on the first screen" readable_size "$d"
    check "$c: at most 100 columns" narrow "$d"
    check "$c: drawings that fit 80 columns" fits_a_screen "$d"
    check "$c: the lesson's sections in order" sections "$d"
    check "$c: begins with a question" asks_first "$d"
    check "$c: five questions, and answers with their sources" questions "$d"
    check "$c: three hints or more for each TODO" hints "$d"
    check "$c: last hints in words" last_hints "$d"
    check "$c: predictions and pictures name what there is" comments "$d"
    check "$c: each prediction has a reason" reasons "$d"
    check "$c: links and paths lead somewhere" links_and_paths "$d/README.md"
    check "$c: quoted figures are in a record" figures "$d/README.md"
    check "$c: words of the glossary are links where they first stand" glossary_links "$d/README.md"
    check "$c: a sentence before each table" tables_told "$d/README.md"
    check "$c: pictures of accesses are those of their table" pictures "$d/README.md"
    check "$c: points for what the lab records, 100 of them" rubric "$d"
    check "$c: constants to choose are bounded" bounded_constants "$d"
    check "$c: five wrong versions or more" wrong_versions "$d"
    return 0
}

