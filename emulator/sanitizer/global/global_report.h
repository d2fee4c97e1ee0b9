/* Reports of races on global memory: one for each source line. */
#pragma once

#include "shadow.h"

typedef struct san_races san_races; /* races found in one launch */

/* One of the two accesses of a race: the record of its instruction, and the lane. */
typedef struct san_racing_access {
    san_record record; /* the access */
    uint32_t lane;     /* lane that made it */
} san_racing_access;

san_races *san_races_new(void); /* NULL: the host is out of memory */
/* Add a race between SECOND and FIRST on BYTES bytes at ADDRESS; W is a warp of the launch.
 * NOTE: both accesses store the same value. */
void san_report_global_race(san_races *r, const sm_warp *w, const san_racing_access *second,
                            const san_racing_access *first, uint64_t address, uint32_t bytes,
                            bool note);
/* Return the reports of R as a malloc'd list, or NULL; releases R. */
sm_report *san_take_race_reports(san_races *r);
