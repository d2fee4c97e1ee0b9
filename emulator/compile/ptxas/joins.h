/* Reconvergence points: the basic blocks at which lanes wait for other lanes of their warp. */
#pragma once

#include "../../core/code.h"

/* A reconvergence point. ptxas sets up a convergence barrier where lanes diverge, and lanes wait at
 * the block where their paths reconverge. They do not wait for lanes that cannot reach the block
 * any more. */
typedef struct compile_reconvergence {
    uint32_t first, count; /* first basic block, and number of basic blocks, of the range whose
                              lanes may still reach this point */
    const uint64_t *from;  /* a bit for each block of the range: its lanes may reach this point */
} compile_reconvergence;

typedef struct compile_reconvergence_points {
    const uint32_t *block; /* [insn_count + 1]: the basic block of each instruction */
    const compile_reconvergence *
        *at;         /* [blocks] reconvergence point at each basic block; NULL: none */
    uint32_t blocks; /* number of basic blocks */
} compile_reconvergence_points;

static inline bool compile_reconvergence_waits_for(const compile_reconvergence *j, uint32_t block)
{
    const uint32_t k = block - j->first;
    return k < j->count && j->from[k / 64] >> (k % 64) & 1;
}
