/* Assigns address memos: finds loads and stores of a basic block that share an address register, so
 * that later accesses can reuse the distances between lanes that the first access found
 * (sm_address_memo in core/warp.h). */
#include "../../ptx/traits.h"
#include "../build.h"

void compile_forget_address_memos(compile_build *b, uint32_t reg)
{
    for (uint32_t k = 0; k < SM_ADDRESS_MEMOS; k++)
        if (reg == PTX_NO_REGISTER || b->memo[k].reg == reg)
            b->memo[k].reg = PTX_NO_REGISTER;
}

uint32_t compile_address_memo_of(compile_build *b, const ptx_insn *in, const sm_insn *i)
{
    uint32_t memo = 0;
    const bool load = ptx_is_per_lane_load(in), store = ptx_is_per_lane_store(in);
    if ((load || store) && !b->plain && in->guard == PTX_NO_REGISTER &&
        (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_SHARED)) {
        const ptx_value *at = &in->opd[store ? 0 : 1].v[0];
        const struct compile_memo_key key = {at->reg, i->mode, i->vec, in->op, in->space};
        uint32_t free = SM_ADDRESS_MEMOS;
        for (uint32_t k = 0; at->kind == PTX_VAL_REG && k < SM_ADDRESS_MEMOS && !memo; k++) {
            const struct compile_memo_key *m = &b->memo[k];
            if (m->reg == key.reg && m->mode == key.mode && m->vec == key.vec && m->op == key.op &&
                m->space == key.space)
                memo = (k + 1) | SM_MEMO_KNOWN;
            else if (m->reg == PTX_NO_REGISTER && free == SM_ADDRESS_MEMOS)
                free = k;
        }
        if (at->kind == PTX_VAL_REG && !memo && free < SM_ADDRESS_MEMOS) {
            b->memo[free] = key;
            memo = free + 1;
        }
    }
    PTX_EACH_WRITTEN(r, in)
        compile_forget_address_memos(b, r.reg);
    return memo;
}
