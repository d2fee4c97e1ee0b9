# Draws one picture after the other for runner/pages/chart.c, which starts gnuplot with the directory of the
# scripts as argument and sends its commands: height, the block $record, and the script to load.
home = ARG1
record = "$record"
kind = "svg"
width = 780
out = ""
title_is = ""
x_is = ""
y_is = ""
marks_are = ""
set print "-"
load "/dev/stdin"
