/* SVG charts of bandwidths in a student's HTML page, without scripts or external files. */
#pragma once

#include "../class/marks.h"

/* Append a bar chart of the measured or modelled bandwidths, with the device-to-device copy as a
 * dashed line. One sentence with the values is the chart's text alternative. Appends nothing if
 * there is no bandwidth, or if only hidden rubric rows use them. */
void chart_bandwidths(sb *out, const mark *m);

/* Append the variants swept over three or more values of x as curves: GB/s over a logarithmic x
 * axis. A sentence names the curves that the graded run did not measure. */
void chart_curves(sb *out, const mark *m);

/* --- used by both the bar chart and the curves --- */

enum { MAX_CHART_CURVES = 4 }; /* curves in one chart, at most */
/* The names that are drawn as curves, not as bars; they belong to M. Returns their number. */
size_t chart_curve_names(const mark *m, const char *names[MAX_CHART_CURVES]);
/* Return true if only hidden rows of the rubric use variant NAME. */
bool chart_is_variant_hidden(const mark *m, const char *name);
/* How the bandwidths were obtained: "measured" or "modelled". */
const char *chart_source(const mark *m);
