# Compares a record of cycles that the emulator has made (third file) with an H200's (second file), row
# by row, by the list of rows that are known to be off (first file; tests/hardware/clocks/known-clocks.tsv):
#
#   awk -F '\t' -v program=NAME -v kept=FILE -f compare-clocks.awk KNOWN RECORDED MODELLED
#
# A row is right within 15 %, or within 2 cycles, or, of times in ns, within the 32 ns by which
# %globaltimer grows. One that is off must be listed with the ratio of
# modelled to recorded cycles that it has; one that is listed must still be off. FILE gets the listed
# rows that are still off, with the ratios that they have. Prints what is wrong as comments, then
# one line that says how many rows are right. Exit status: 0 if nothing is wrong.

function complain(text) {
    print "# " program ": " text
    wrong++
}

function by_size(list, count,    a, b, v) {
    for (a = 2; a <= count; a++) {
        v = list[a]
        for (b = a - 1; b > 0 && list[b] > v; b--)
            list[b + 1] = list[b]
        list[b + 1] = v
    }
}

FNR == 1 { file++; next }
file == 1 {
    if ($1 != program)
        next
    if (($2, $3) in listed)
        complain("known-clocks.tsv lists " $2 " at " $3 " twice")
    listed[$2, $3] = $4
    within[$2, $3] = $5
    why[$2, $3] = $6
    next
}
file == 2 {
    key = $1 SUBSEP $2 SUBSEP $3
    recorded[key, ++seen[key]] = $4
    expected++
    next
}
{
    key = $1 SUBSEP $2 SUBSEP $3
    if (!((key, ++met[key]) in recorded)) {
        complain("no record of " $1 " at " $2)
        next
    }
    compare($1, $2, recorded[key, met[key]], $4)
}

function compare(name, x, r, m,    off, ratio) {
    rows++
    off = m > r ? m - r : r - m
    error[rows] = r > 0 ? 100 * off / r : 100
    sum += error[rows]
    ratio = r > 0 ? m / r : m
    if (off <= 0.15 * r || off <= (name ~ /_ns$/ ? 32 : 2)) {
        good++
        if ((name, x) in listed) {
            complain(name " at " x " is right: no longer needed in known-clocks.tsv")
            delete listed[name, x]
        }
        return
    }
    if (!((name, x) in listed)) {
        complain(sprintf("%s at %s: %d cycles recorded, %d modelled", name, x, r, m))
        return
    }
    off = ratio - listed[name, x]
    if ((off > 0 ? off : -off) > within[name, x] / 100 * listed[name, x])
        complain(sprintf("%s at %s: modelled/recorded is %.3g, and %s in known-clocks.tsv", name, x, ratio,
                         listed[name, x]))
    printf "%s\t%s\t%s\t%.3g\t%s\t%s\n", program, name, x, ratio, within[name, x], why[name, x] >kept
    delete listed[name, x]
    known++
}

END {
    for (row in listed) {
        split(row, part, SUBSEP)
        complain("known-clocks.tsv lists " part[1] " at " part[2] ", which is no row")
    }
    if (rows < expected)
        complain(expected - rows " rows of the record are not modelled")
    by_size(error, rows)
    printf "%s: %d of %d rows within 15 %%, %d listed; mean absolute error %.1f %%, median %.1f %%\n",
           program, good, rows, known, rows ? sum / rows : 0, rows ? error[int((rows + 1) / 2)] : 0
    exit wrong > 0
}
