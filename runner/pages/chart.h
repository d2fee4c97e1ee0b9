/* Charts of bandwidths in a student's HTML page, drawn by gnuplot with the workbook's scripts. */
#pragma once

#include "../base/coprocess.h"
#include "../base/installation.h"
#include "../class/marks.h"

typedef struct charts {
    const char *scripts; /* the directory plots/ */
    coprocess *gnuplot;  /* draws the charts of all pages; NULL: it is not running */
    char *why;           /* why the last missing chart could not be drawn; NULL: none is missing */
} charts;

void charts_open(charts *c, installation *h);
void charts_close(charts *c);

/* Append the measured or modelled bandwidths as bars; the variants that were swept over three or
 * more values of x as curves; a sentence that names the curves that the graded run did not measure.
 * Variants that only hidden rows of the rubric use are left out. The values are each picture's text
 * alternative; without gnuplot they are shown instead. */
void charts_append(charts *c, sb *out, const mark *m);

/* How the bandwidths were obtained: "measured" or "modelled". */
const char *chart_source(const mark *m);
