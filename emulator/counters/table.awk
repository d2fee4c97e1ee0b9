# The table of counters for emulator/TABLES.md: awk -f table.awk counters.def
BEGIN { print "\n| group | counter | meaning |\n| --- | --- | --- |" }
/^(BLOCK_)?COUNTER\(/ {
    split($0, quoted, "\"")
    split(quoted[5], rest, /, */)
    print "| " rest[2] " | `" quoted[2] "` | " quoted[4] " |"
}
END { print "" }
