# The table of instructions for emulator/TABLES.md, from mods.def, sets.def and ops.def in that order.
function words(list, spell,    n, part, i, out, w) {
    while (match(list, /\$[a-zL_0-9]+/)) {
        w = substr(list, RSTART + 1, RLENGTH - 1)
        list = substr(list, 1, RSTART - 1) set[w] substr(list, RSTART + RLENGTH)
    }
    if (spell) gsub(/[!|&~]/, " ", list)
    n = split(list, part, " ")
    for (i = 1; i <= n; i++) {
        w = part[i]
        if (spell) {
            sub(/:.*/, "", w)
            w = "." ((w in spelling) ? spelling[w] : w)
            if (index(" " out " ", " " w " ")) continue
        }
        out = out (out == "" ? "" : " ") w
    }
    return out == "" ? "" : "`" out "`"
}
/^SET\(/ {
    name = $0; sub(/^SET\(/, "", name); sub(/,.*/, "", name)
    split($0, quoted, "\"")
    set[name] = quoted[2]
    next
}
/^MOD\(/ {
    name = $0; sub(/^MOD\(/, "", name); sub(/,.*/, "", name)
    split($0, quoted, "\"")
    spelling[name] = quoted[2]
    next
}
FILENAME ~ /ops.def$/ && /^\/\* .*, 9\.7.*\*\/$/ {
    title = $0; gsub(/^\/\* | \*\/$/, "", title)
    printf "\n**%s%s**\n\n", toupper(substr(title, 1, 1)), substr(title, 2)
    print "| instruction | types | modifiers and spaces | runs | PTX ISA |"
    print "| --- | --- | --- | --- | --- |"
}
/^OP\(/ {
    name = $0; sub(/^OP\(/, "", name); sub(/,.*/, "", name)
    gsub(/__/, "\001", name); gsub(/_/, ".", name); gsub(/\001/, "_", name)
    split($0, quoted, "\"")
    split(quoted[1], column, / *, */)
    handler = column[9]
    printf "| %s | %s | %s | %s | %s |\n", name, words(quoted[6], 0), words(quoted[8], 1),
        handler == "none" ? "no" : "yes", quoted[2]
    rows++
    runs += handler != "none"
}
END {
    printf "\n%d of %d instructions run.\n", runs, rows
}
