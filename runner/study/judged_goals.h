/* Judges the goals of a run from its files, for tests of the course. */
#ifndef WARPBOOK_JUDGED_GOALS_H
#define WARPBOOK_JUDGED_GOALS_H

#include "../judge/desk.h"

/* Print a line for each goal of a run of chapter NAME, which left the files RECORD and COUNTERS:
 * kernel, metric, value (- if unknown), relation, limit, met or missed, sentence; with tabs
 * between. Returns an exit code. */
int print_judged_goals(session *d, const char *name, const char *record, const char *counters);

#endif
