/* Find where the basic blocks of a function begin. */
#include "traits.h"

#include <stdlib.h>

bool *ptx_find_block_starts(const ptx_func *f, bool (*ends)(ptx_op op))
{
    bool *leader = calloc(f->insn_count + 1u, sizeof *leader);
    if (!leader)
        return NULL;
    leader[0] = true;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const uint32_t to = ptx_branch_target(in);
        if (to != PTX_NO_TARGET)
            leader[to] = true;
        for (uint32_t n = 0; n < in->target_count; n++)
            leader[in->targets[n]] = true;
        if (ends(in->op))
            leader[k + 1] = true;
    }
    return leader;
}
