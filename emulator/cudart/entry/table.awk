# The tables of calls for emulator/TABLES.md, from a calls.def: what is refused, by subject. CODE is what the
# refused calls return: awk -v code=CODE -f calls.awk -f table.awk calls.def
function heading(text) { subject = text }
function refuse(symbol)
{
    if (!(subject in list)) order[++subjects] = subject
    list[subject] = list[subject] " `" symbol "`"
    refused++
}
function row(kind, symbol, second)
{
    if (kind == "LINK") return
    total += second ? 2 : 1
    if (kind != "STUB") return
    refuse(symbol)
    if (second) refuse(second)
}
END {
    print ""
    printf "%d of the %d symbols that NVIDIA's library exports do what they say. The others return\n", total - refused, total
    print code " and print one line with their name:"
    print ""
    print "| subject | calls |"
    print "| --- | --- |"
    for (i = 1; i <= subjects; i++) printf "| %s |%s |\n", order[i], list[order[i]]
    print ""
}
