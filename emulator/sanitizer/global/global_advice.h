/* What a report says of a race on global memory besides the two accesses. */
#pragma once

#include "global_report.h"
#include "unfenced.h"

/* Parts of a report: what follows from the race, what would order it, and the usual correction. */
typedef struct san_race_advice {
    const char *consequence; /* what may go wrong */
    const char *would_order; /* what would order the accesses */
    const char *correction;  /* usual correction */
    uint32_t chapter;        /* chapter of the workbook that teaches this error */
} san_race_advice;

/* The advice for a race between A and B. ONE_LINE: both accesses are in one source line.
 * SEVERAL_WARPS: the block has more than one warp. */
san_race_advice san_advice_for_race(const san_racing_access *a, const san_racing_access *b,
                                    bool one_line, bool several_warps);

/* The texts of the advice for a race that fences would prevent. */
typedef struct san_fence_text {
    char consequence[400], correction[480];
} san_fence_text;

/* The advice for such a race in grid G. BLOCKS: the threads are in different blocks. The advice
 * refers to TEXT. */
san_race_advice san_advice_for_missing_fence(const sm_grid *g, const san_missing_fence *m,
                                             bool blocks, san_fence_text *text);
