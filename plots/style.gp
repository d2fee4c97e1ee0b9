# Loaded by every script here: the terminal, and one look for all pictures. Colours are Okabe and
# Ito's, which the colour-blind tell apart; what is modelled is hatched or hollow, never filled.

# A text as a number. gnuplot takes one without a point for a whole number: 1e+06 would be none.
exponent(s) = strstrt(s, "e") + strstrt(s, "E")
real_of(s) = real(exponent(s) > 1 && strstrt(s, ".") == 0 ? s[:exponent(s) - 1] . "." . s[exponent(s):] : s)

dumb = kind eq "dumb"
cairo = strstrt(GPVAL_TERMINALS, "pngcairo") > 0
# Text has no dashes, and gd, which draws sixels and PNG without cairo, makes them solid.
dashes = kind eq "svg" || (cairo && !dumb && kind ne "sixel" && kind ne "pbm")

array COLOUR[7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444"]
colour(i) = COLOUR[(int(i) - 1) % 7 + 1]

if (kind eq "pbm") {
    set terminal pbm monochrome size width, height
} else { if (dumb) {
    set terminal dumb size width, height noenhanced mono
    set tics scale 0
} else {
    if (kind eq "svg") {
        set terminal svg size width, height font "Helvetica,13" noenhanced background rgb "white"
    } else {
        if (kind eq "sixel") {
            set terminal sixelgd size width, height noenhanced background rgb "white"
            # Else gnuplot 6 puts the picture into the corner of the terminal.
            if (GPVAL_VERSION >= 6) { set terminal sixelgd scroll }
        } else {
            if (cairo) {
                set terminal pngcairo size width, height font "Sans,11" noenhanced background rgb "white"
            } else {
                set terminal png size width, height noenhanced
            }
        }
    }
    set border 3 linecolor rgb "#666666" linewidth 1
    set tics nomirror out scale 0.5 textcolor rgb "#333333"
    set grid linecolor rgb "#dddddd" linetype 1 linewidth 1
    set xlabel textcolor rgb "#333333"
    set ylabel textcolor rgb "#333333"
    set title textcolor rgb "#111111"
}}
if (out ne "") {
    set output out
}
