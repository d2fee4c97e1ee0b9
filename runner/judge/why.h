/* Why-lines: what the counters and the source-line profile of a run say about its speed, a sentence
 * each, the costliest first. */
#ifndef WARPBOOK_WHY_H
#define WARPBOOK_WHY_H

#include "verdict.h"

/* Fills v->why from v->counters and v->lines. */
void why_lines(verdict *v, arena *a);

#endif
