/* Sentences that explain why a run is slow, from its counters and its source-line profile, the most
 * expensive cause first. */
#pragma once

#include "verdict.h"

/* Fill v->why from v->counters and v->lines. */
void explain_verdict(verdict *v, arena *a);
