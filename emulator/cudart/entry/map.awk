# A library's version map from its calls.def: awk -v version=NAME -f calls.awk -f map.awk calls.def...
function heading(subject) { }
function row(kind, symbol, second)
{
    if (symbol in listed) return
    listed[symbol]
    print "        " symbol ";"
    if (second) print "        " second ";"
}
BEGIN { print version (version ? " " : "") "{\n    global:" }
END { print "    local:\n        *;\n};" }
