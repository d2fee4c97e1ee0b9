/* Pictures on a student's page, as SVG within the page: no script, nothing from elsewhere. */
#ifndef WARPBOOK_CHART_H
#define WARPBOOK_CHART_H

#include "../class/marks.h"

/* The bandwidths that were measured or modelled, a bar each, with the device's own copy as a dashed
 * line. The same as one sentence is the picture's text alternative. Nothing where there is no
 * bandwidth, or where only hidden rows look at them. */
void chart_bandwidths(sb *out, const mark *m);

#endif
