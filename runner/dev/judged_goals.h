/* Judges the goals of a run, and the choice of an exercise to break a kernel, from the files of a
 * run, for tests of the course. */
#pragma once

#include "../judge/desk.h"

/* Print a line for each goal of a run of chapter NAME, which left the files RECORD and COUNTERS:
 * kernel, metric, value (- if unknown), relation, limit, met or missed, sentence; with tabs
 * between. Returns an exit code. */
int print_judged_goals(session *d, const char *name, const char *record, const char *counters);

/* Judge a run of the exercise of a chapter. WORDS: the chapter; the run's record, counters, reports
 * and output, files; its exit status. Prints "found: ..." or a verdict's name and its reason. */
int print_judged_choice(session *d, char **words);
