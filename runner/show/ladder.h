/* An assignment's ladder: steps of the book's chapters towards a roof, and where a run stands. */
#pragma once

#include "../judge/verdict.h"

/* Append to TEXT the steps of C's ladder.tsv with their percent of the roof, and V's own percent
 * among them. Appends nothing if there is no such list, or if V has no percent. */
void report_ladder(sb *text, const chapter *c, const verdict *v);
