# The table of device figures for emulator/TABLES.md: awk -f table.awk cycles.def profile.def profiles/*.profile
function add(name, unit, meaning)
{
    order[++fields] = name
    units[name] = unit
    meanings[name] = meaning
}
# What stands between quotes in a row of a .def file: quoted[1], quoted[2] ...
function quotes(text,   n)
{
    n = 0
    delete quoted
    while (match(text, /"[^"]*"/)) {
        quoted[++n] = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
    }
    return n
}
FNR == 1 {
    profile = FILENAME ~ /\.profile$/
    if (profile) {
        device = FILENAME
        sub(/.*\//, "", device)
        sub(/\.profile$/, "", device)
        devices[++count] = device
    }
}
/^(FIELD_U|FIELD_F|CLASS|CYCLES)\(/ {
    split($0, part, /[(,]/)
    n = quotes($0)
    if (part[1] == "CLASS") {
        late[++cycles] = "latency_" part[2]
        said["latency_" part[2]] = quoted[1] ": until the result can be used"
        late[++cycles] = "pace_" part[2]
        said["pace_" part[2]] = quoted[1] ": from one to the next of a scheduler"
    } else if (part[1] == "CYCLES") {
        late[++cycles] = part[2]
        said[part[2]] = quoted[1]
    } else {
        add(part[2], n > 1 ? quoted[1] : "", quoted[n])
    }
}
profile && /^[a-z]/ {
    sub(/#.*/, "")
    value[$1, device] = $2
}
END {
    for (i = 1; i <= cycles; i++) add(late[i], "cycles", said[late[i]])
    line = "| field | unit | meaning |"
    rule = "| --- | --- | --- |"
    for (d = 1; d <= count; d++) {
        line = line " " devices[d] " |"
        rule = rule " --- |"
    }
    print ""
    print line
    print rule
    for (i = 1; i <= fields; i++) {
        f = order[i]
        line = "| `" f "` | " units[f] " | " meanings[f] " |"
        for (d = 1; d <= count; d++) line = line " " value[f, devices[d]] " |"
        print line
    }
    print ""
}
