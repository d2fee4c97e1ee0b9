# A request to memory, or two side by side: which lane uses which bank, sector or address. The table
# is what runner/show/diagram.c writes: panel, kind, row, column, text.
set encoding utf8
set datafile separator "\t"
load home . "/style.gp"

panels = 0
array SPACE[2]
array TITLE[2]
array HEADING[2]
array SOURCE[2]
array WHO[2]
array SENTENCE[2]
array TOTAL[2]
array AXIS[2]
array SUM[2]
array ROWS[2]
do for [p = 1:2] {
    SPACE[p] = ""; TITLE[p] = ""; HEADING[p] = ""; SOURCE[p] = ""; WHO[p] = ""
    SENTENCE[p] = ""; TOTAL[p] = ""; AXIS[p] = ""; SUM[p] = ""; ROWS[p] = 0
}
text_of(s) = s eq "-" ? "" : s
take(p, what, row, text) = (panels = p > panels ? p : panels, ROWS[p] = row + 1 > ROWS[p] ? row + 1 : ROWS[p], \
    what eq "space" ? (SPACE[p] = text) : what eq "title" ? (TITLE[p] = text_of(text)) : \
    what eq "heading" ? (HEADING[p] = text) : what eq "source" ? (SOURCE[p] = text) : \
    what eq "who" ? (WHO[p] = text) : what eq "sentence" ? (SENTENCE[p] = text) : \
    what eq "total" ? (TOTAL[p] = text) : what eq "axis" ? (AXIS[p] = text) : \
    what eq "sum" ? (SUM[p] = text) : 0, 1)
stats record using (strcol(1) eq "panel" ? 0 : take(int(real(strcol(1))), strcol(2), int(real(strcol(3))), strcol(5))) nooutput
if (panels == 0) {
    print sprintf("%s has no request", record)
    exit status 1
}

unset border
unset tics
unset key
unset grid
cut(s, n) = strlen(s) > n ? s[:n - 3] . "..." : s
# Lines of at most N characters: a sentence breaks after a full stop or a colon where it is too long.
break_at(s, n) = (at = 0, sum [k = 1:strlen(s)] (k <= n && s[k:k] eq " " ? (at = k) : 0), at)
first_part(s, n) = strlen(s) <= n ? s : s[:break_at(s, n) - 1]
second_part(s, n) = strlen(s) <= n ? "" : cut(s[break_at(s, n) + 1:], n)

high = 1.0 / height
deep = (ROWS[1] > ROWS[2] ? ROWS[1] : ROWS[2])
letters = "0123456789abcdefghijklmnopqrstuv"
cell_text(s) = s eq "*" ? "*" : strstrt(letters, s) > 0 ? sprintf("%d", strstrt(letters, s) - 1) : s
chars = int(width / panels / 7.4) - 4
gap(p, c) = SPACE[p] eq "global" ? 0.35 * int(c / 8) : 0
is(p, what) = strcol(1) eq sprintf("%d", p) && strcol(2) eq what
at_x(p, what) = is(p, what) ? column(4) + gap(p, column(4)) : NaN
at_y(p, what) = is(p, what) ? column(3) : NaN

set multiplot
do for [p = 1:panels] {
    left = (p - 1.0) / panels
    unset label
    set lmargin at screen left + 8.0 / width
    set rmargin at screen left + 1.0 / panels - 14.0 / width
    set tmargin at screen 1 - 108 * high
    set bmargin at screen 92 * high
    set xrange [-3.4:31.7 + gap(p, 31)]
    set yrange [deep - 1.4:-0.6]
    tx = left + 14.0 / width
    if (TITLE[p] ne "") {
        set label TITLE[p] at screen left + 1.0 / panels - 20.0 / width, 1 - 20 * high right font ",14" textcolor rgb "#D55E00"
    }
    set label cut(HEADING[p], chars) at screen tx, 1 - 20 * high left font ",14" textcolor rgb "#111111"
    set label cut(SOURCE[p], int(chars * 0.95)) at screen tx, 1 - 46 * high left font "Monospace,11" textcolor rgb "#333333"
    set label cut(WHO[p], chars) at screen tx, 1 - 70 * high left textcolor rgb "#555555"
    set label first_part(SENTENCE[p], int(chars * 0.9)) at screen tx, 74 * high left font ",13" textcolor rgb "#111111"
    set label second_part(SENTENCE[p], int(chars * 0.9)) at screen tx, 55 * high left font ",13" textcolor rgb "#111111"
    set label AXIS[p] at first -0.9, -1 right textcolor rgb "#777777"
    do for [c = 0:28:4] {
        set label sprintf("%d", c) at first c + gap(p, c), -1 center textcolor rgb "#777777"
    }
    set label SUM[p] at first -0.9, ROWS[p] - 2 right textcolor rgb "#777777"
    plot record using (at_x(p, "none")):(at_y(p, "none")):(0.44):(0.42) with boxxyerror \
            linecolor rgb "#e4e4e4" fillstyle empty border, \
        record using (at_x(p, "unused")):(at_y(p, "unused")):(0.44):(0.42) with boxxyerror \
            linecolor rgb "#999999" fillstyle pattern 4 border rgb "#999999", \
        record using (at_x(p, "lane")):(at_y(p, "lane")):(0.44):(0.42) with boxxyerror \
            linecolor rgb COLOUR[1] fillstyle solid border, \
        record using (at_x(p, "many")):(at_y(p, "many")):(0.44):(0.42) with boxxyerror \
            linecolor rgb COLOUR[3] fillstyle solid border, \
        record using (at_x(p, "extra")):(at_y(p, "extra")):(0.44):(0.42) with boxxyerror \
            linecolor rgb COLOUR[2] fillstyle solid border, \
        for [what in "lane many extra"] record using (at_x(p, what)):(at_y(p, what)):(cell_text(strcol(5))) \
            with labels center font ",9" textcolor rgb "white", \
        record using (at_x(p, "load")):(at_y(p, "load")):(strcol(5)) with labels center font ",10" textcolor rgb "#333333", \
        record using (at_x(p, "busy")):(at_y(p, "busy")):(strcol(5)) with labels center font ",11" textcolor rgb COLOUR[2], \
        record using (is(p, "label") ? -0.9 : NaN):(at_y(p, "label")):(strcol(5)) with labels right font ",10" textcolor rgb "#777777", \
        for [what in "rest group"] record using (is(p, what) ? -0.4 : NaN):(at_y(p, what)):(strcol(5)) \
            with labels left textcolor rgb "#777777"
}

# What the colours mean, below all.
unset label
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:width]
set yrange [0:height]
array KEYS[5] = ["the lane that uses the word", "several lanes, served at once", \
    SPACE[1] eq "global" ? "in the sector, not used" : "in a bank that is used already: one pass more", "", \
    SPACE[1] eq "const" ? "left: the address, in bytes" : "left: first byte of the row"]
array KEY_COLOUR[4] = [COLOUR[1], COLOUR[3], COLOUR[2], ""]
if (SPACE[1] eq "const") {
    KEYS[1] = "the lane that reads the address"
}
entries = SPACE[1] eq "const" || SPACE[1] eq "other" ? 1 : 3
# What does not fit beside the others goes to the next line.
array KEY_X[5]
array KEY_LINE[5]
key_x = 16
key_line = 0
do for [k = 1:5] {
    room = k == 5 ? 7.2 * strlen(KEYS[k]) : 26 + 7.2 * strlen(KEYS[k])
    if (k <= entries || k == 5) {
        if (key_x > 16 && key_x + room > width) {
            key_x = 16
            key_line = key_line + 1
        }
        KEY_X[k] = key_x
        KEY_LINE[k] = key_line
        key_x = key_x + room + 34
    }
}
key_y(k) = 22 + 10 * key_line - 20 * KEY_LINE[k]
do for [k = 1:entries] {
    hatched = k == 3 && SPACE[1] eq "global"
    if (hatched) {
        set object k rectangle from KEY_X[k], key_y(k) - 8 to KEY_X[k] + 18, key_y(k) + 8 fillstyle pattern 4 fillcolor rgb "#999999"
    } else {
        set object k rectangle from KEY_X[k], key_y(k) - 8 to KEY_X[k] + 18, key_y(k) + 8 fillstyle solid fillcolor rgb KEY_COLOUR[k]
    }
    set label KEYS[k] at KEY_X[k] + 26, key_y(k) left font ",11" textcolor rgb "#333333"
}
set label KEYS[5] at KEY_X[5], key_y(5) left font ",11" textcolor rgb "#777777"
plot NaN notitle
unset multiplot
