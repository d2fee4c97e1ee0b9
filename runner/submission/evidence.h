/* Builds a record, in the format of a lab's record, from the tables that warpbook-judge wrote:
 * which checks are right, and how long the measured launches took. */
#pragma once

#include "../base/table.h"

/* Input of evidence_record: the judge's tables (`what kernel index ns sentence`) and the two
 * records. */
typedef struct evidence {
    const table *judged;    /* what the judge found in the submission's run */
    const table *reference; /* what the judge found in the reference's run */
    const table *record;    /* the record that the reference wrote */
    const table *claims;    /* the record that the submission wrote, or NULL */
    bool unfinished; /* the submission's run or the judge was stopped: launches may be missing */
} evidence;

/* Row of the first measured launch among the judged launches. On the emulator LAB_MEASURE runs each
 * variant once, so the reference's last launches of a kernel are its measured launches. -1: the
 * reference's record does not fit its launches. */
long evidence_first_measured_row(const table *reference, const table *record);

/* The record of the trial, as text of a table; to be freed. *WRONG, in A: what a kernel did wrong
 * although the submission's record passes; else NULL. *POLICY, in A: the judge's row `policy`, or
 * that launches are missing although the record passes; else NULL. */
char *evidence_record(const evidence *e, arena *a, const char **wrong, const char **policy);
