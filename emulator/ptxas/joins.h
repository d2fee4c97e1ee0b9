/* Where lanes that have parted meet again: at which basic blocks they wait for which others. */
#ifndef WARPBOOK_JOINS_H
#define WARPBOOK_JOINS_H

#include "../core/code.h"

/* The device's assembler sets up a barrier where ways part that come together again, and its lanes
 * wait at the block where they do. A lane that cannot come there any more is not waited for. */
typedef struct sm_join {
    uint32_t first, count; /* the blocks from which lanes may still come are among these */
    const uint64_t *from;  /* a bit for each of them */
} sm_join;

typedef struct sm_joins {
    const uint32_t *block; /* [insn_count + 1] of the function: the basic block of an instruction */
    const sm_join **at;    /* [blocks]; NULL: nobody waits there */
    uint32_t blocks;
} sm_joins;

static inline bool sm_join_waits_for(const sm_join *j, uint32_t block)
{
    const uint32_t k = block - j->first;
    return k < j->count && j->from[k / 64] >> (k % 64) & 1;
}

#endif
