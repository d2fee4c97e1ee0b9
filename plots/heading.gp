# Loaded by every script here, for images: `heading` above all, the key of `legend` lines under it.
line_high = 17.0 / height
set label 100 heading at screen 0.02, 1 - 1.3 * line_high left front font ",15" textcolor rgb "#111111"
set key at screen 0.015, 1 - 2.75 * line_high top left Left reverse vertical samplen 2.2 spacing 1.15 \
    textcolor rgb "#333333" maxrows legend width 2
set tmargin at screen 1 - (3.4 + 1.1 * legend) * line_high
