/* Reconvergence points: at which basic blocks lanes wait for which other lanes. */
#ifndef WARPBOOK_JOINS_H
#define WARPBOOK_JOINS_H

#include "../core/code.h"

/* ptxas sets up a convergence barrier where paths separate that reconverge later, and lanes wait at
 * the block where they do. Lanes that cannot reach the block any more are not waited for. */
typedef struct sm_join {
    uint32_t first, count; /* the range of blocks from which lanes may still come */
    const uint64_t *from;  /* a bit for each block of the range */
} sm_join;

typedef struct sm_joins {
    const uint32_t *block; /* [insn_count + 1]: the basic block of each instruction */
    const sm_join **at;    /* [blocks]; NULL: lanes do not wait there */
    uint32_t blocks;
} sm_joins;

static inline bool sm_join_waits_for(const sm_join *j, uint32_t block)
{
    const uint32_t k = block - j->first;
    return k < j->count && j->from[k / 64] >> (k % 64) & 1;
}

#endif
