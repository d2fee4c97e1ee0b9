/* How the work of a launch is distributed over its blocks and warps, which sums over all of them do
 * not show. The modelled clock uses only ratios of these figures, not absolute times. Sums and the
 * longest block do not depend on which host thread ran which block. */
#ifndef WARPBOOK_WORK_H
#define WARPBOOK_WORK_H

#include <stdint.h>

/* The work of a warp as known from the code without running it. */
enum {
    WORK_ISSUE,    /* issue cycles of a scheduler */
    WORK_CHAIN,    /* cycles of dependency chains, including loads within the SM */
    WORK_ROUNDS,   /* waits for global memory */
    WORK_REQUESTS, /* requests to global memory */
    WORK_FIELDS
};

/* Cycles that one wait counts when two warps are compared. */
#define WORK_ROUND_CYCLES 500

/* The work of a block. Issue and requests: summed over its warps. Chain and rounds: those of the
 * warp that takes longest. */
typedef struct block_work {
    float of[WORK_FIELDS];
} block_work;

#define WORK_BLOCKS_MOST                                                    \
    (UINT64_C(1) << 18) /* grids with more blocks are not recorded block by \
                         * block */

typedef struct launch_work {
    uint64_t blocks, warps;
    uint64_t waiting;          /* warps that wait for global memory at least once */
    uint64_t all[WORK_FIELDS]; /* sums over all warps */
    uint64_t chain, rounds;    /* sums over all blocks, of each block's longest warp */
    block_work longest;        /* the block that takes the longest time */
    block_work *block;         /* [blocks], in the order of launch; NULL: too many blocks */
} launch_work;

#endif
