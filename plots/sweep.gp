# GB/s, or ms with y=ms, against the sweep value x; one line a variant. An axis is logarithmic where
# its values span more than a factor of 8, or the device's copy lies so far above them; its label says
# so. Of curves that coincide the legend says so.
load home . "/read.gp"

ms = y_is eq "ms"
of_row(i) = ms ? MS[i] : GBS[i]

# A series is a variant of one source. Its rows keep their order in the record.
series = 0
array SERIES[most]
array OF[most]
array HOLLOW[most]
x_least = NaN
x_most = NaN
y_least = NaN
y_most = NaN
do for [i = 1:rows] {
    OF[i] = 0
    if (X[i] ne "-" && of_row(i) > 0) {
        do for [j = 1:series] {
            if (SERIES[j] eq NAME[i] && HOLLOW[j] == MODELLED[i]) {
                OF[i] = j
            }
        }
        if (OF[i] == 0) {
            series = series + 1
            SERIES[series] = NAME[i]
            HOLLOW[series] = MODELLED[i]
            OF[i] = series
        }
        x = real_of(X[i])
        x_least = x_least < x ? x_least : x
        x_most = x_most > x ? x_most : x
        y_least = y_least < of_row(i) ? y_least : of_row(i)
        y_most = y_most > of_row(i) ? y_most : of_row(i)
    }
}
if (series == 0) {
    print sprintf("%s has no sweep: its measurements have no x", record)
    exit status 1
}

# One colour a variant, whichever its source.
array TINT[most]
tints = 0
do for [j = 1:series] {
    TINT[j] = 0
    do for [k = 1:j - 1] {
        if (SERIES[k] eq SERIES[j]) {
            TINT[j] = TINT[k]
        }
    }
    if (TINT[j] == 0) {
        tints = tints + 1
        TINT[j] = tints
    }
}

log_x = x_least > 0 && x_most / x_least > 8
log_y = y_most / y_least > 8
copies = ms ? 0 : (COPY[1] > 0) + (COPY[2] > 0)
both = has_measured && has_modelled
# Modelled curves are dashed, and their points hollow; text has neither.
dashed = dumb ? "" : dashes ? " (dashed)" : " (hollow)"
modelled_is = modelled_is . dashed
# Where all is of one source, the heading says so once.
heading = (title_is eq "" ? (ms ? "Time" : "Effective bandwidth") : title_is) . \
    (both ? "" : dumb ? ", " : "   -   ") . (both ? "" : has_modelled ? modelled_is : measured_is)
# The first earlier series that has all points of series J within 1 %; 0: none has.
array ON[most]
do for [j = 1:series] {
    ON[j] = 0
    do for [k = 1:j - 1] {
        points = 0
        near = 0
        others = 0
        do for [n = 1:rows] {
            if (OF[n] == j) {
                points = points + 1
                do for [m = 1:rows] {
                    if (OF[m] == k && X[m] eq X[n]) {
                        near = near + (abs(of_row(m) - of_row(n)) <= 0.01 * of_row(n))
                    }
                }
            }
            others = others + (OF[n] == k)
        }
        if (ON[j] == 0 && points > 1 && near == points && others == points) {
            ON[j] = k
        }
    }
}
plain_name(j) = SERIES[j] . (both ? HOLLOW[j] ? ", modelled" . dashed : ", measured" : "")
name(j) = plain_name(j) . (ON[j] ? ", same as " . SERIES[ON[j]] : "")
copy_is(s) = sprintf("the device's own copy: %.0f GB/s%s", COPY[s], both ? s == 2 ? ", modelled" : ", measured" : "")
y_copy = NaN
do for [s = 1:2] {
    if (copies && COPY[s] > 0) {
        y_copy = COPY[s]
        # A copy far above would press the curves flat.
        log_y = log_y || COPY[s] / y_most > 8
        y_most = COPY[s] > y_most ? COPY[s] : y_most
    }
}

logarithmic(label, is) = label . (is ? dumb ? " (log)" : ", logarithmic" : "")
x_words = logarithmic(x_is eq "" ? "x" : x_is, log_x)
set xlabel x_words
# A terminal draws no label that is wider than its margin: there it takes two lines.
set ylabel (ms ? "ms" : "GB/s") . (!log_y ? "" : dumb ? "\n(log)" : ", logarithmic")
if (log_x) {
    set logscale x 2
    set xrange [x_least / 1.15:x_most * 1.15]
    set format x x_most < 100000 ? "%.0f" : "2^{%L}"
} else {
    margin = x_most > x_least ? (x_most - x_least) * 0.04 : 1
    set xrange [x_least - margin:x_most + margin]
}
# Ticks where there are values, as long as these are few.
ticks = 0
array TICK[most]
do for [i = 1:rows] {
    if (OF[i] > 0) {
        seen = 0
        do for [t = 1:ticks] {
            seen = seen || TICK[t] eq X[i]
        }
        if (!seen) {
            ticks = ticks + 1
            TICK[ticks] = X[i]
        }
    }
}
# 65536 as 64 Ki: what follows the number is the power of 1024. Where x is in KB, 4096 is 4 MB.
kb = strstrt(x_is, "KB") > 0
short(x) = kb ? (x >= 2**20 && x % 2**20 == 0 ? sprintf("%d GB", x / 2**20) : \
        x >= 2**10 && x % 2**10 == 0 ? sprintf("%d MB", x / 2**10) : sprintf("%g KB", x)) : \
    x >= 2**30 && x % 2**30 == 0 ? sprintf("%dGi", x / 2**30) : \
    x >= 2**20 && x % 2**20 == 0 ? sprintf("%dMi", x / 2**20) : \
    x >= 2**14 && x % 2**10 == 0 ? sprintf("%dKi", x / 2**10) : sprintf("%g", x)
tick_text(x) = short(int(x) == x ? int(x) : x)
if (ticks <= 12) {
    # Where two would overlap, the one further right stays. A letter of an image is 8 points wide.
    columns = dumb ? width - 14 : (width - 100) / 8.0
    span = log_x ? log(x_most / x_least) : x_most - x_least
    place(x) = span > 0 ? columns * (log_x ? log(x / x_least) : x - x_least) / span : 0
    array KEPT[most]
    set xtics ()
    do for [t = ticks:1:-1] {
        x = real_of(TICK[t])
        KEPT[t] = 1
        do for [k = t + 1:ticks] {
            far = abs(place(x) - place(real_of(TICK[k])))
            KEPT[t] = KEPT[t] && (!KEPT[k] || far > (strlen(tick_text(x)) + strlen(tick_text(real_of(TICK[k])))) / 2.0 + 1)
        }
        if (KEPT[t]) {
            set xtics add (tick_text(x) x)
        }
    }
}
if (log_y) {
    set logscale y 10
    set yrange [y_least / 1.3:y_most * 1.5]
    if (y_most / y_least < 200) {
        # Few decades: figures between them too.
        set ytics ()
        do for [e = floor(log10(y_least / 1.3)):ceil(log10(y_most * 1.5))] {
            do for [t in "1 2 5"] {
                set ytics add (sprintf(dumb ? " %g" : "%g", t * 10.0 ** e) t * 10.0 ** e)
            }
        }
    }
} else {
    set yrange [0:y_most * 1.12]
}

of(n, j) = n <= rows && OF[n] == j
px(n, j) = of(n, j) ? real_of(X[n]) : NaN
py(n, j) = of(n, j) ? of_row(n) : NaN

if (kind eq "pbm") {
    # The curves alone, on all of the picture: plots/draw makes braille of it.
    unset border
    unset tics
    unset key
    unset xlabel
    unset ylabel
    set lmargin 0
    set rmargin 0
    set tmargin 0
    set bmargin 0
    plot for [j = 1:series] NAME using (px(int($1), j)):(py(int($1), j)) smooth unique with lines linecolor rgb "black" linetype 1 notitle
} else { if (dumb) {
    set title heading
    drawn(n, j) = OF[n] == j
    across(n, m) = ticks < 2 ? 0 : (width - 14) * (log_x ? abs(log(real_of(X[n]) / real_of(X[m]))) / log(x_most / x_least) : \
        abs(real_of(X[n]) - real_of(X[m])) / (x_most - x_least))
    down(n, m) = (height - 8) * (log_y ? abs(log(of_row(n) / of_row(m))) / log(2 * y_most / y_least) : \
        abs(of_row(n) - of_row(m)) / (1.12 * y_most))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    load home . "/hidden.gp"
    set key bmargin center horizontal width 3
    # A label that is too long would not be drawn at all.
    below = x_words
    long = y_copy > 0 ? sprintf("   ... the device's own copy: %.0f GB/s", y_copy) : ""
    brief = y_copy > 0 ? sprintf("  ... copy: %.0f GB/s", y_copy) : ""
    set xlabel below . (strlen(below . long) < width - 12 ? long : strlen(below . brief) < width - 12 ? brief : "")
    plot y_copy with dots notitle, for [j = 1:series] NAME using (px(int($1), j)):(py(int($1), j)) smooth unique \
        with linespoints linetype j pointtype j title plain_name(j) . under(j)
} else {
    coincide = 0
    do for [j = 1:series] {
        coincide = coincide || ON[j]
    }
    legend = series + copies <= 3 || (coincide && series + copies <= 6) ? series + copies : (series + copies + 1) / 2
    load home . "/heading.gp"
    set rmargin 4
    plot for [j = 1:series] NAME using (px(int($1), j)):(py(int($1), j)) smooth unique with linespoints \
            linecolor rgb colour(TINT[j]) linewidth 2 dashtype HOLLOW[j] + 1 \
            pointtype 2 * ((TINT[j] - 1) % 5) + (HOLLOW[j] ? 4 : 5) pointsize 1.2 title name(j), \
        for [s = 1:2] (copies && COPY[s] > 0 ? COPY[s] : NaN) with lines linecolor rgb COLOUR[7] \
            linewidth 1.5 dashtype 3 title (copies && COPY[s] > 0 ? copy_is(s) : "")
}}
