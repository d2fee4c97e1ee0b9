#include "ptx.h"

#include <stdlib.h>

bool *ptx_leaders(const ptx_func *f, bool (*ends)(ptx_op op))
{
    bool *leader = calloc(f->insn_count + 1u, sizeof *leader);
    if (!leader) {
        return NULL;
    }
    leader[0] = true;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (in->op == PTX_OP_bra && in->operand_count && in->opd[0].count &&
            in->opd[0].v[0].kind == PTX_VAL_LABEL) {
            leader[in->opd[0].v[0].target] = true;
        }
        for (uint32_t n = 0; n < in->target_count; n++) {
            leader[in->targets[n]] = true;
        }
        if (ends(in->op)) {
            leader[k + 1] = true;
        }
    }
    return leader;
}
