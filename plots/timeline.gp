# What ran when, a line a stream: the rows `span` of a record (name, x: stream, n: start in ns, ms).
set encoding utf8
set datafile separator "\t"
load home . "/style.gp"

most = 400
spans = 0
kinds = 0
array WHAT[most]
array STREAM[most]
array START[most]
array LENGTH[most]
array KIND[most]
array KINDS[most]
dropped = 0
source_is = ""
find(name) = (found = 0, sum [i = 1:kinds] (KINDS[i] eq name ? (found = i) : 0), found)
store(name, stream, start, length, source, on) = (found = find(name), \
    found == 0 ? (kinds = kinds + 1, KINDS[kinds] = name, found = kinds) : 0, spans = spans + 1, \
    WHAT[spans] = name, STREAM[spans] = stream, START[spans] = start / 1e6, LENGTH[spans] = length, \
    KIND[spans] = found, source_is = source . ": " . on, 1)
take(kind, name, stream, start, length, source, on) = kind ne "span" ? 0 : \
    spans == most ? (dropped = dropped + 1, 0) : \
    store(name, int(real_of(stream)), real_of(start), real_of(length), source, on)
plain(device) = strlen(device) > 11 && device[strlen(device) - 10:] eq " (warpbook)" ? \
    device[:strlen(device) - 11] : device

stats record using (take(strcol(1), strcol(2), strcol(3), strcol(4), strcol(6), strcol(9), plain(strcol(10)))) nooutput
if (spans == 0) {
    print sprintf("%s has no spans: nothing in it says when it ran", record)
    exit status 1
}

# Streams in order of their number, 0 the default stream at the top; times from the first start.
first_ms = START[1]
last_ms = 0
streams = 0
array ROW[most]
do for [i = 1:spans] {
    first_ms = START[i] < first_ms ? START[i] : first_ms
}
do for [i = 1:spans] {
    START[i] = START[i] - first_ms
    last_ms = START[i] + LENGTH[i] > last_ms ? START[i] + LENGTH[i] : last_ms
    ROW[i] = 1
    do for [j = 1:spans] {
        first_of_its = STREAM[j] < STREAM[i]
        do for [k = 1:j - 1] {
            first_of_its = first_of_its && STREAM[k] != STREAM[j]
        }
        ROW[i] = ROW[i] + (first_of_its ? 1 : 0)
    }
    streams = ROW[i] > streams ? ROW[i] : streams
}
# Two parts: rounds whose spans follow each other, up to the first round with spans that overlap.
touch = 0.001 * last_ms # spans that only meet
array ORDER[most]
array OVERLAPS[most]
do for [i = 1:spans] {
    place_is = 1
    OVERLAPS[i] = 0
    do for [j = 1:spans] {
        place_is = place_is + (START[j] < START[i] || (START[j] == START[i] && j < i))
        OVERLAPS[i] = OVERLAPS[i] || (j != i && START[j] + touch < START[i] + LENGTH[i] && START[i] + touch < START[j] + LENGTH[j])
    }
    ORDER[place_is] = i
}
serial = 0
do for [i = 1:spans] {
    serial = serial == i - 1 && !OVERLAPS[ORDER[i]] ? i : serial
}
if (serial > 0 && serial < spans) {
    opening = WHAT[ORDER[1]]
    whole = WHAT[ORDER[serial + 1]] eq opening ? serial : 0
    do for [i = 2:serial] {
        whole = whole < serial && WHAT[ORDER[i]] eq opening ? i - 1 : whole
    }
    do for [i = serial:1:-1] {
        whole = whole == i && WHAT[ORDER[i]] eq opening ? i - 1 : whole
    }
    serial = whole
}
parts = serial > 0 && serial < spans ? 2 : 1
if (parts == 2) {
    turn_ms = START[ORDER[serial + 1]]
    serial_is = sprintf("one after another: %.3g ms", START[ORDER[serial]] + LENGTH[ORDER[serial]])
    overlapping_is = sprintf("overlapping: %.3g ms", last_ms - turn_ms)
}
heading = (title_is eq "" ? "Streams" : title_is) . (dumb ? ", " : "   -   ") . source_is . \
    (dropped > 0 ? sprintf(" (%d more spans not drawn)", dropped) : "")

set xrange [0:last_ms > 0 ? last_ms * 1.02 : 1]
set xlabel "ms"
set ytics () scale 0
do for [i = 1:spans] {
    set ytics add (sprintf("stream %d", STREAM[i]) ROW[i])
}
set yrange [streams + 0.6:0.4]

if (dumb) {
    # A span is text as wide as it lasts, of a mark that says what it is: >>to device>>>, or just >>.
    kernels = 0
    array MARK[kinds]
    marks = "#=%@+*~o"
    do for [k = 1:kinds] {
        kernels = kernels + !(KINDS[k] eq "to device" || KINDS[k] eq "to host")
        MARK[k] = KINDS[k] eq "to device" ? ">" : KINDS[k] eq "to host" ? "<" : \
            marks[(kernels - 1) % 8 + 1:(kernels - 1) % 8 + 1]
    }
    # Each stream has a row, with one between them where there is room; the marks stand below.
    array BELOW[kinds + 1]
    below = 1
    BELOW[1] = ""
    do for [k = 1:kinds] {
        entry = MARK[k] . MARK[k] . " " . KINDS[k] . "   "
        if (BELOW[below] ne "" && strlen(BELOW[below] . entry) > width - 2) {
            below = below + 1
            BELOW[below] = ""
        }
        BELOW[below] = BELOW[below] . entry
    }
    gap = 2 * streams <= height - 8 - below
    inside_rows = streams * (1 + gap) - gap
    high = inside_rows + 7 + below + (parts == 2)
    set terminal dumb size width, high noenhanced mono
    set tmargin 2
    set bmargin 3 + below
    set yrange [inside_rows + 1:0]
    row(i) = (i - 1) * (1 + gap) + 1
    set ytics ()
    do for [i = 1:spans] {
        set ytics add (sprintf("stream %d", STREAM[i]) row(ROW[i]))
    }
    do for [i = 1:below] {
        set label 1000 + i BELOW[i] at character 2, below - i left
    }
    set label 1000 heading at character 1, high - 2 left
    if (parts == 2) {
        set label 999 serial_is . "  |  " . overlapping_is at character 1, high - 3 left
        set tmargin 3
    }
    left = 11
    set lmargin left
    set rmargin 3
    inside = width - left - 5
    repeat(n, mark) = (s = "", n > 0 ? sum [k = 1:n] (s = s . mark, 0) : 0, s)
    span_text(name, n, mark) = strlen(name) + 2 > n ? repeat(n < 1 ? 1 : n, mark) : \
        mark . name . repeat(n - 1 - strlen(name), mark)
    do for [i = 1:spans] {
        set label span_text(WHAT[i], int(LENGTH[i] / (last_ms * 1.02) * inside + 0.5), MARK[KIND[i]]) \
            at START[i], row(ROW[i]) left offset 1, 0
    }
    unset key
    plot NaN
} else {
    legend = kinds <= 7 ? (kinds + 2) / 3 : 0
    load home . "/heading.gp"
    set key horizontal maxcols 3 maxrows auto
    if (legend == 0) {
        unset key
    }
    set style textbox opaque noborder
    set lmargin 11
    set rmargin 3
    set grid noytics
    if (parts == 2) {
        set label 901 serial_is at 0, graph 1 left offset 0.5, -0.8 front textcolor rgb "#333333"
        set label 902 overlapping_is at turn_ms, graph 1 left offset 0.5, -0.8 front textcolor rgb "#333333"
        set arrow from turn_ms, graph 0 to turn_ms, graph 1 nohead back linecolor rgb "#666666" dashtype 3
        set yrange [streams + 0.6:0.0]
    }
    modelled = source_is[1:8] eq "modelled"
    mine(i, k) = i <= spans && KIND[i] == k
    # A name is written where it fits: 7 pixels a letter.
    wide(i) = LENGTH[i] / (last_ms * 1.02) * (width - 130)
    named(i) = i <= spans && wide(i) > 7 * strlen(WHAT[i])
    plot for [k = 1:kinds] WHAT using (mine(int($1), k) ? START[$1] : NaN):(mine(int($1), k) ? ROW[$1] : NaN): \
            (mine(int($1), k) ? START[$1] : NaN):(mine(int($1), k) ? START[$1] + LENGTH[$1] : NaN): \
            (mine(int($1), k) ? ROW[$1] - 0.32 : NaN):(mine(int($1), k) ? ROW[$1] + 0.32 : NaN) \
            with boxxyerror linecolor rgb colour(k) fillstyle pattern modelled ? 4 : 3 border rgb colour(k) \
            title (legend ? KINDS[k] : ""), \
        WHAT using (named(int($1)) ? START[$1] + LENGTH[$1] / 2 : NaN):(named(int($1)) ? ROW[$1] : NaN): \
            (named(int($1)) ? WHAT[$1] : "") \
            with labels center boxed textcolor rgb "#111111" notitle
}
