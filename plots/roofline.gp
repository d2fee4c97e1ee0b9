# Kernels under their two roofs. Of a variant with a sweep value, that value is flops per byte, so that its
# GFLOP/s are GB/s times x. The slanted roof is the device's own copy, the flat one the variant named peak.
load home . "/read.gp"

array PEAK[2]
PEAK[1] = NaN
PEAK[2] = NaN
points = 0
series = 0
array SERIES[most]
array OF[most]
x_least = NaN
x_most = NaN
y_least = NaN
y_most = NaN
do for [i = 1:rows] {
    OF[i] = 0
    flops = X[i] eq "-" ? NaN : real_of(X[i]) * GBS[i]
    if (flops > 0) {
        if (NAME[i] eq "peak") {
            PEAK[MODELLED[i] + 1] = flops
        } else {
            do for [j = 1:series] {
                OF[i] = SERIES[j] eq NAME[i] ? j : OF[i]
            }
            if (OF[i] == 0) {
                series = series + 1
                SERIES[series] = NAME[i]
                OF[i] = series
            }
            points = points + 1
            x_least = x_least < real_of(X[i]) ? x_least : real_of(X[i])
            x_most = x_most > real_of(X[i]) ? x_most : real_of(X[i])
            y_least = y_least < flops ? y_least : flops
        }
    }
}
roofs = 0
do for [s = 1:2] {
    if (PEAK[s] > 0 && COPY[s] > 0) {
        roofs = roofs + 1
        y_most = y_most > PEAK[s] ? y_most : PEAK[s]
        x_most = x_most > PEAK[s] / COPY[s] ? x_most : PEAK[s] / COPY[s]
    }
}
if (points == 0 || roofs == 0) {
    print sprintf("%s has no roofs: it needs the device's own copy, a variant named peak, and others with flops per byte", record)
    exit status 1
}

roof(x, s) = COPY[s] > 0 && PEAK[s] > 0 ? (COPY[s] * x < PEAK[s] ? COPY[s] * x : PEAK[s]) : NaN
source_is(s) = s == 2 ? modelled_is : measured_is
both = has_measured && has_modelled
first = has_measured ? 1 : 2
slope_is(s) = sprintf("memory: %.0f GB/s, the device's own copy", COPY[s])
flat_is(s) = sprintf("arithmetic: %.1f TFLOP/s", PEAK[s] / 1000)
ridge_is(s) = sprintf("they meet at %.1f flops per byte", PEAK[s] / COPY[s])
heading = (title_is eq "" ? "Roofline" : title_is) . (both ? "" : dumb ? ", " : "   -   ") . (both ? "" : source_is(first))

set logscale xy 10
set xrange [x_least / 1.6:x_most * 1.6]
set yrange [y_least / 2:y_most * 2]
set ytics ()
do for [e = floor(log10(y_least / 2)):ceil(log10(y_most * 2))] {
    set ytics add (sprintf("%g", 10.0 ** e) 10.0 ** e)
}
set xtics ()
do for [e = floor(log10(x_least / 1.6)):ceil(log10(x_most * 1.6))] {
    set xtics add (sprintf("%g", 10.0 ** e) 10.0 ** e)
}
set samples 200
set ylabel "GFLOP/s"
is(i, j, modelled) = i <= rows && OF[i] == j && MODELLED[i] == modelled
px(i, j, modelled) = is(i, j, modelled) ? real_of(X[i]) : NaN
py(i, j, modelled) = is(i, j, modelled) ? real_of(X[i]) * GBS[i] : NaN

if (dumb) {
    set title heading
    set xlabel "flops per byte (log)   | " . (width >= 76 ? ridge_is(first) : sprintf("ridge %.1f", PEAK[first] / COPY[first]))
    set key bmargin center horizontal width 3
    set lmargin 15
    set ylabel "GFLOP/s\n(log)" offset -3
    drawn(n, j) = is(n, j, first - 1)
    across(n, m) = (width - 18) * abs(log(real_of(X[n]) / real_of(X[m]))) / log(2.56 * x_most / x_least)
    down(n, m) = (height - 9) * abs(log(X[n] * GBS[n] / (X[m] * GBS[m]))) / log(4 * y_most / y_least)
    letters = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
    load home . "/hidden.gp"
    plot roof(x, first) with dots title "roofs", \
        for [j = 1:series] NAME using (px(int($1), j, first - 1)):(py(int($1), j, first - 1)) \
            with points title SERIES[j] . under(j)
} else {
    legend = (series + 1) / 2 + 2
    set xlabel "flops per byte, logarithmic"
    set ylabel "GFLOP/s, logarithmic"
    load home . "/heading.gp"
    set key width -6
    set rmargin 4
    do for [s = 1:2] {
        if (PEAK[s] > 0 && COPY[s] > 0) {
            set arrow from PEAK[s] / COPY[s], graph 0 to PEAK[s] / COPY[s], PEAK[s] nohead back \
                linecolor rgb "#999999" linewidth 1 dashtype 3
        }
    }
    # A measured point is filled, a modelled one hollow, as in a sweep.
    plot for [s = 1:2] roof(x, s) with lines linecolor rgb COLOUR[7] linewidth 2 dashtype s \
            title (PEAK[s] > 0 && COPY[s] > 0 ? slope_is(s) . (s == 2 ? ", modelled" . (dashes ? " (dashed)" : "") : "") : ""), \
        for [s = 1:2] NaN with lines linecolor rgb COLOUR[7] linewidth 2 dashtype s \
            title (PEAK[s] > 0 && COPY[s] > 0 ? flat_is(s) . ", " . ridge_is(s) : ""), \
        for [j = 1:series] for [s = 1:2] NAME using (px(int($1), j, s - 1)):(py(int($1), j, s - 1)) with points \
            linecolor rgb colour(j) linewidth 2 pointtype 2 * ((j - 1) % 5) + (s == 2 ? 4 : 5) pointsize 1.5 \
            title (s == first ? SERIES[j] : "")
}
