/* Which blocks and warps of a launch had how much to do: what sums over all of them do not say. The
 * modelled clock takes shares of it, no absolute times. Sums and the longest block do not depend on
 * which host thread ran which block. */
#ifndef WARPBOOK_WORK_H
#define WARPBOOK_WORK_H

#include <stdint.h>

/* What a warp does, as far as the text of the kernel tells without running it: a row a field. */
enum {
    WORK_ISSUE,    /* cycles of a scheduler */
    WORK_CHAIN,    /* cycles of results that need one another, of loads within the SM among them */
    WORK_ROUNDS,   /* times that it waits for global memory */
    WORK_REQUESTS, /* to global memory */
    WORK_FIELDS
};

/* Cycles that a round counts for where two warps are compared. */
#define WORK_ROUND_CYCLES 500

/* Of issue and requests: the sum over the block's warps. Of chain and rounds: those of the warp
 * that takes longest. */
typedef struct block_work {
    float of[WORK_FIELDS];
} block_work;

#define WORK_BLOCKS_MOST (UINT64_C(1) << 18) /* blocks that are kept one by one */

typedef struct launch_work {
    uint64_t blocks, warps;
    uint64_t waiting;          /* warps that wait for global memory at all */
    uint64_t all[WORK_FIELDS]; /* over all warps */
    uint64_t chain, rounds;    /* over all blocks, of the warp of each that takes longest */
    block_work longest;        /* the block whose longest warp takes longest */
    block_work *block;         /* [blocks], in the order in which they begin; NULL: too many */
} launch_work;

#endif
