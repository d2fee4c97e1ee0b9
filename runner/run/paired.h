/* Times of a lab and of the book's solution, run in turn on a GPU: a clock that drifts changes both
 * runs of a pair, so the median of the pairs' ratios says more than the ratio of two times. */
#pragma once

#include "../base/table.h"

enum {
    PAIRED_ROUNDS = 5,      /* how often both are run, unless one run is clear */
    MAX_PAIRED_ROUNDS = 15, /* at most, if rounds disagree on which side of the limit a row is */
    MAX_PAIRED_ROWS = 64,   /* timed rows of a record that are compared, at most */
};

/* For each timed row of the lab's record: its times in times the solution's. */
typedef struct paired_times {
    double times[MAX_PAIRED_ROWS][MAX_PAIRED_ROUNDS];
    size_t counts[MAX_PAIRED_ROWS]; /* entries used in each row of `times` */
    int rounds;                     /* rounds that were added */
} paired_times;

/* Whether one run of the solution is enough, as it is in most cases: no timed row of RECORD took
 * more than 1.1 times as long as in SOLUTION, which was not disturbed either. P holds this one
 * comparison then. */
bool paired_is_clear(paired_times *p, const table *record, const table *solution);
/* Add a round: RECORD is the record whose rows are compared, SOLUTION and LAB are the records that
 * both wrote in this round. True: another round follows, because other work on the GPU may be why a
 * row took longer than MAX_TIMES_REFERENCE allows. */
bool paired_add_round(paired_times *p, const table *record, const table *solution,
                      const table *lab);
/* Add a row of RECORD to OUT as a row KIND with the time MS and the bandwidth that this gives.
 * MORE, which may be NULL: what else is changed (table_append_row). */
void append_timed_row(sb *out, const table *record, size_t row, const char *kind, double ms,
                      const char *const *more);
/* For each row of RECORD that all rounds have timed, a row `reference` with the time that the
 * solution would have taken alongside it, as lines of a record; "" if there is none. To be freed.
 */
char *paired_reference_rows(paired_times *p, const table *record);
