/* Sentences that explain why a run is slow, from its counters and its source-line profile, the most
 * expensive cause first. */
#ifndef WARPBOOK_WHY_H
#define WARPBOOK_WHY_H

#include "verdict.h"

/* Fill v->why from v->counters and v->lines. */
void explain_verdict(verdict *v, arena *a);

#endif
