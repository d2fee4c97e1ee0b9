# Bars of what bandwidth.gp and ladder.gp have read: GBS of each row, in the unit unit_is, written as
# digits_are says; without a title the picture is called bars_are.
bars = 0
do for [i = 1:rows] {
    bars = bars + (X[i] eq "-" && GBS[i] > 0)
}
drawn(i) = GBS[i] > 0 && (bars == 0 || X[i] eq "-")

# One line of the picture a variant; measured and modelled lie under each other in it.
lines = 0
array LABEL[most]
array LINE[most]
do for [i = 1:rows] {
    label_is = X[i] eq "-" ? NAME[i] : NAME[i] . "  " . X[i]
    LINE[i] = 0
    do for [j = 1:lines] {
        if (LABEL[j] eq label_is && drawn(i)) {
            LINE[i] = j
        }
    }
    if (LINE[i] == 0 && drawn(i)) {
        lines = lines + 1
        LABEL[lines] = label_is
        LINE[i] = lines
    }
}
if (lines == 0) {
    print sprintf("%s has times but no bandwidths: plot it as a sweep with y=ms", record)
    exit status 1
}

left = 0
top = 0
do for [i = 1:rows] {
    if (LINE[i] > 0 && GBS[i] > top) {
        top = GBS[i]
    }
}
do for [i = 1:lines] {
    left = strlen(LABEL[i]) > left ? strlen(LABEL[i]) : left
}
do for [s = 1:2] {
    if (COPY[s] > top) {
        top = COPY[s]
    }
}
both = has_measured && has_modelled
copy_best = COPY[1] > 0 ? COPY[1] : COPY[2]
figure(gbs, copy) = copy > 0 ? sprintf("%.0f  (%.0f %%)", gbs, 100 * gbs / copy) : sprintf(digits_are, gbs)
heading = title_is eq "" ? bars_are : title_is
# The text of a tick is a format to gnuplot.
tick(s) = (t = "", sum [k = 1:strlen(s)] (t = t . (s[k:k] eq "%" ? "%%" : s[k:k]), 0), t)

unset key
if (dumb) {
    # Bars are text, so that measured and modelled differ: # and :, or full and light blocks. Each has a row of its own: the
    # picture is as high as they need, with a row between them where there is room.
    each = 1 + both
    gap = lines * (each + 1) <= height - 7
    inside_rows = lines * (each + gap) - gap
    full = marks_are eq "blocks" ? "█" : "#"
    light = marks_are eq "blocks" ? "░" : ":"
    four(mark) = mark . mark . mark . mark . " "
    source_is = (has_measured ? four(full) . measured_is : "") . (both ? "  " : "") . \
        (has_modelled ? four(light) . modelled_is : "")
    # One line above, or two, or three, as they fit.
    array ABOVE[3]
    above = 1
    ABOVE[1] = heading . ", " . source_is
    if (strlen(ABOVE[1]) + 1 > width) {
        above = 2
        ABOVE[1] = heading
        ABOVE[2] = source_is
    }
    if (above == 2 && both && strlen(source_is) + 1 > width) {
        above = 3
        ABOVE[2] = four(full) . measured_is
        ABOVE[3] = four(light) . modelled_is
    }
    high = inside_rows + 6 + above
    set terminal dumb size width, high noenhanced mono
    do for [i = 1:above] {
        set label 100 + i ABOVE[i] at character 1, high - 1 - i left
    }
    left = left > 2 * width / 5 ? int(2 * width / 5) : left
    set lmargin left + 2
    set rmargin 2
    set tmargin 1 + above
    set bmargin 3
    # The longest bar leaves room for its figure.
    inside = width - (left + 2) - 4
    longest = 0
    do for [i = 1:rows] {
        if (LINE[i] > 0) {
            figure_long = strlen(figure(GBS[i], COPY[MODELLED[i] + 1])) + 3
            longest = figure_long > longest ? figure_long : longest
        }
    }
    longest = longest > 2 * inside / 3 ? 2 * inside / 3 : longest
    right = top * inside / (inside - longest + 0.0)
    step = right / inside
    set xrange [0:right]
    tic = 10 ** floor(log10(right))
    do for [t in "0.1 0.2 0.5 1 2 5"] {
        if (right / (tic * t) <= inside / 6.5) {
            set xtics tic * t
            break
        }
    }
    set yrange [inside_rows + 1:0]
    row(i) = (i - 1) * (each + gap) + 1
    set ytics () norangelimit
    set xlabel unit_is . (copy_best > 0 ? sprintf("   | the device's own copy: %.0f GB/s", copy_best) : "")
    # Too long a label loses its middle: variants of one kernel differ at their ends.
    tail = left * 3 / 5
    cut(s) = s[1:left - tail - 2] . ".." . s[strlen(s) - tail + 1:]
    do for [i = 1:lines] {
        set ytics add (tick(strlen(LABEL[i]) > left ? cut(LABEL[i]) : LABEL[i]) row(i))
    }
    if (copy_best > 0) {
        set arrow from copy_best, inside_rows + 0.6 to copy_best, 0.6 nohead back
    }
    bar(n, mark) = (s = "", sum [k = 1:n] (s = s . mark, 0), s)
    do for [i = 1:rows] {
        if (LINE[i] > 0) {
            at_y = row(LINE[i]) + (both && MODELLED[i])
            n = int(GBS[i] / step + 0.5)
            set label bar(n < 1 ? 1 : n, MODELLED[i] ? light : full) . " " . \
                figure(GBS[i], COPY[MODELLED[i] + 1]) at 0, at_y left front offset 1, 0
        }
    }
    plot NaN
} else {
    half = both ? 0.19 : 0.34
    shift = both ? 0.21 : 0
    set xlabel unit_is . (copy_best > 0 ? "  (share of the device's own copy)" : "")
    # The longest bar leaves room for its figure, 115 points.
    inside = width - 8.0 * left - 60
    set xrange [0:top * (inside > 300 ? inside / (inside - 115) : 1.6)]
    set yrange [lines + 0.65:0.35]
    set ytics () scale 0
    set grid noytics
    set lmargin left * (kind eq "svg" ? 1.05 : 1.0) + 3
    set rmargin 3
    legend = has_measured + has_modelled + (COPY[1] > 0) + (COPY[2] > 0)
    load home . "/heading.gp"
    do for [i = 1:lines] {
        set ytics add (tick(LABEL[i]) i)
    }
    do for [s = 1:2] {
        if (COPY[s] > 0) {
            set arrow from COPY[s], graph 0 to COPY[s], graph 1 nohead back \
                linecolor rgb COLOUR[2] linewidth 1.8 dashtype s
        }
    }
    # A cell of one array becomes a bar: $1 is its index.
    bar(i, modelled) = i <= rows && LINE[i] > 0 && MODELLED[i] == modelled ? GBS[i] : NaN
    y(i) = i <= rows ? LINE[i] + (MODELLED[i] ? shift : -shift) : NaN
    text(i) = i <= rows && LINE[i] > 0 ? figure(GBS[i], COPY[MODELLED[i] + 1]) : ""
    any(i) = i <= rows && LINE[i] > 0 ? GBS[i] : NaN
    # Figures are whole: the copy's line passes behind them.
    set style textbox opaque noborder margins 0.3, 0.1
    copy_line(s) = sprintf("the device's own copy, %s: %.0f GB/s", s == 2 ? "modelled" : "measured", COPY[s])
    at(n) = int(n)
    plot GBS using (bar(at($1), 0) / 2):(y(at($1))):(0):(bar(at($1), 0)):(y(at($1)) - half):(y(at($1)) + half) \
            with boxxyerror linecolor rgb COLOUR[1] fillstyle solid 1 \
            title (has_measured ? measured_is : ""), \
        GBS using (bar(at($1), 1) / 2):(y(at($1))):(0):(bar(at($1), 1)):(y(at($1)) - half):(y(at($1)) + half) \
            with boxxyerror linecolor rgb COLOUR[1] fillstyle pattern 4 border rgb COLOUR[1] \
            title (has_modelled ? modelled_is : ""), \
        GBS using (any(at($1))):(y(at($1))):(text(at($1))) \
            with labels left boxed offset 0.7, 0 textcolor rgb "#222222" notitle, \
        NaN with lines linecolor rgb COLOUR[2] linewidth 1.8 dashtype 1 title (COPY[1] > 0 ? copy_line(1) : ""), \
        NaN with lines linecolor rgb COLOUR[2] linewidth 1.8 dashtype 2 title (COPY[2] > 0 ? copy_line(2) : "")
}
