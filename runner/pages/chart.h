/* Pictures on a student's page, as SVG within the page: no script, nothing from elsewhere. */
#ifndef WARPBOOK_CHART_H
#define WARPBOOK_CHART_H

#include "../class/marks.h"

/* The bandwidths that were measured or modelled, a bar each, with the device's own copy as a dashed
 * line. The same as one sentence is the picture's text alternative. Nothing where there is no
 * bandwidth, or where only hidden rows look at them. */
void chart_bandwidths(sb *out, const mark *m);

/* What was swept (three values of x or more) as curves: GB/s over x, which is logarithmic. */
void chart_curves(sb *out, const mark *m);

/* --- for both --- */

/* Whether NAME is a curve, and so no bars. */
bool chart_is_curve(const mark *m, const char *name);
/* Whether only hidden rows of the rubric look at NAME. */
bool chart_is_hidden(const mark *m, const char *name);
/* "measured" or "modelled". */
const char *chart_source(const mark *m);

#endif
