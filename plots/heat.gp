# How often each piece of an array is fetched: 64 pieces a row, by address. The table is what
# runner/show/heat.c writes: kind, piece, heat.
set encoding utf8
set datafile separator "\t"
load home . "/style.gp"

columns = 64
heading = ""
sentence = ""
piece_bytes = 0
last = 0
most = 1
text_of(s) = s eq "-" ? "" : s
take(what, text, value) = what eq "title" ? (heading = text, piece_bytes = real_of(value), 1) : \
    what eq "sentence" ? (sentence = text, 1) : what ne "piece" ? 0 : \
    (last = int(real_of(text)) > last ? int(real_of(text)) : last, most = real_of(value) > most ? real_of(value) : most, 1)
stats record using (take(strcol(1), strcol(2), strcol(3))) nooutput
if (heading eq "") {
    print sprintf("%s has no array", record)
    exit status 1
}
rows = last / columns + 1
high = 1.0 / height
bytes(b) = b >= 1048576 && b == 1048576 * int(b / 1048576) ? sprintf("%d MB", b / 1048576) : \
    b >= 10240 ? sprintf("%.0f KB", b / 1024.0) : sprintf("%.0f B", b)

unset border
unset grid
unset key
set label heading at screen 14.0 / width, 1 - 20 * high left font ",15" textcolor rgb "#111111"
set label sentence at screen 14.0 / width, 1 - 46 * high left font ",12" textcolor rgb "#333333"
set lmargin at screen 86.0 / width
set rmargin at screen 1 - 110.0 / width
set tmargin at screen 1 - 68 * high
set bmargin at screen 54 * high
set xrange [-0.5:columns - 0.5]
set yrange [rows - 0.5:-0.5]
set xtics 0, 16 scale 0
set xlabel sprintf("piece of %s in its row; a row is %s", bytes(piece_bytes), bytes(columns * piece_bytes)) offset 0, 0.4
set ytics () scale 0
step = rows > 16 ? rows / 16 + 1 : 1
do for [r = 0:rows - 1:step] {
    set ytics add (bytes(r * columns * piece_bytes) r)
}
# Up to 8 times: what a stride costs at most; more is as bad.
top = most > 8 ? most : most > 1 ? 8 : 2
set cbrange [1:top]
if (top > 16) {
    set logscale cb 2
}
set palette defined (0 "#dcecf7", 0.3 "#56B4E9", 0.6 "#E69F00", 1 "#B03A00")
set cblabel "requests of a sector" offset 0.6, 0
set colorbox user origin screen 1 - 92.0 / width, screen 54 * high size screen 16.0 / width, screen 1 - 122 * high
x_of(n) = n - columns * (int(n) / columns)
is_piece(v) = strcol(1) eq "piece" ? v : NaN
number(k) = strcol(1) eq "piece" ? int(real_of(strcol(2))) : 0
plot record using (is_piece(x_of(number(2)))):(is_piece(number(2) / columns)):(0.5):(0.5): \
    (strcol(1) eq "piece" ? real_of(strcol(3)) : NaN) with boxxyerror fillcolor palette fillstyle solid noborder
