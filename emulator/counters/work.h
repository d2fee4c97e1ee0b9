/* The distribution of a launch's work over its blocks and warps, which the counters' sums do not
 * show. The modelled clock uses only ratios of these values, not absolute times. Sums and the
 * longest block do not depend on which host thread ran which block. */
#pragma once

#include <stdint.h>

/* Kinds of work of a warp, computed from the code of the basic blocks that the warp executes. */
enum {
    WORK_ISSUE,    /* issue cycles of a scheduler */
    WORK_CHAIN,    /* cycles of dependency chains, including loads within the SM */
    WORK_ROUNDS,   /* number of waits for global memory */
    WORK_REQUESTS, /* number of requests to global memory */
    WORK_FIELDS    /* number of kinds of work */
};

#define WORK_CYCLES_PER_WAIT 500 /* estimated cycles of a wait for global memory */

/* The work of a block. WORK_ISSUE and WORK_REQUESTS are sums over the warps of the block;
 * WORK_CHAIN and WORK_ROUNDS are of the warp that takes longest. */
typedef struct block_work {
    float of[WORK_FIELDS]; /* amount of each kind of work */
} block_work;

#define WORK_MAX_BLOCKS \
    (UINT64_C(1) << 18) /* of larger grids the work of each block is not recorded */

/* The work of a launch: sums over all warps, and each block. */
typedef struct launch_work {
    uint64_t blocks, warps;    /* number of blocks; number of warps */
    uint64_t waiting;          /* warps that wait for global memory at least once */
    uint64_t all[WORK_FIELDS]; /* sums over all warps */
    uint64_t chain, rounds; /* WORK_CHAIN and WORK_ROUNDS of the longest warp of each block, summed
                               over all blocks */
    block_work longest;     /* the block that takes the longest time */
    uint64_t longest_block; /* its index in the grid: of equal blocks the first */
    uint32_t longest_warp;  /* the warp that takes longest in it */
    block_work
        *block; /* [blocks] work of each block, by its index in the grid; NULL: too many blocks */
} launch_work;
