/* Makes a record like a lab's from what warpbook-judge wrote: which checks are right, and how long
 * the measured launches took. */
#ifndef WARPBOOK_EVIDENCE_H
#define WARPBOOK_EVIDENCE_H

#include "../base/table.h"

/* A run of the judge: its table (`what kernel index ns sentence`). */
typedef struct evidence {
    const table *judged;    /* what the judge found in the submission's run */
    const table *reference; /* what the judge found in the reference's run */
    const table *record;    /* the record that the reference wrote */
    const table *claims;    /* the record that the submission wrote, or NULL */
} evidence;

/* The first measured launch among those that are judged: on the emulator LAB_MEASURE runs each
 * variant once, and the reference's last launches of a kernel are those. -1: the reference's record
 * and its launches do not fit. */
long evidence_first_measured(const table *reference, const table *record);

/* The record of the trial, as text of a table; to be freed. *WRONG, in A: what a kernel did wrong
 * although the submission's record passes; else NULL. *POLICY, in A: a row `policy`, or launches
 * that are missing though the record passes; else NULL. */
char *evidence_record(const evidence *e, arena *a, const char **wrong, const char **policy);

#endif
