/* Folds copies: finds registers that hold only a copy of a parameter, special register, immediate
 * or address. Instructions that read such a register use the slot of the source; the copying
 * instruction is counted but has no code. */
#include "fold.h"

#include "../../ptx/traits.h"
#include "../ptxas/liveness.h"

#include <stdlib.h>

static uint32_t declared_bytes(const ptx_func *f, const ptx_value *v)
{
    return v->kind == PTX_VAL_REG ? ptx_type_bytes(f->regs[v->reg].type) : 0;
}

const ptx_param *compile_kernel_param(const ptx_func *f, const ptx_var *v)
{
    for (uint32_t k = 0; f->is_entry && k < f->param_count; k++)
        if (f->params[k].var == v)
            return &f->params[k];
    return NULL;
}

static bool is_foldable_load(const ptx_func *f, const ptx_insn *in, uint32_t bytes)
{
    const ptx_value *a = &in->opd[1].v[0];
    const ptx_param *p = a->kind == PTX_VAL_VAR ? compile_kernel_param(f, a->var) : NULL;
    return p && in->space == PTX_SPACE_PARAM && a->offset >= 0 &&
           p->offset + (uint64_t)a->offset + bytes <= f->param_bytes;
}

static bool is_foldable_move(const ptx_insn *in, const bool *folded, const uint32_t *at, uint32_t k,
                             uint32_t bytes)
{
    const ptx_value *a = &in->opd[1].v[0];
    switch (a->kind) {
    case PTX_VAL_IMM: return true;
    case PTX_VAL_SREG:
        return !compile_special_reg_is_clock(a->sreg) &&
               compile_special_reg_bytes(a->sreg) == bytes;
    case PTX_VAL_VAR:
        return a->var->space == PTX_SPACE_SHARED || a->var->space == PTX_SPACE_GLOBAL ||
               a->var->space == PTX_SPACE_LOCAL;
    case PTX_VAL_REG: return at[a->reg] < k && folded[at[a->reg]];
    default: return false;
    }
}

/* Is instruction K, the only writer of its register, a copy of a value that never changes? */
static bool is_foldable(const ptx_func *f, const bool *folded, const uint32_t *at, uint32_t k)
{
    const ptx_insn *in = &f->insns[k];
    if (in->operand_count != 2 || in->opd[0].count != 1 || in->opd[1].count != 1 ||
        in->opd[0].vector || in->opd[1].vector || in->type_count != 1 || in->vec > 1)
        return false;
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    const ptx_value *a = &in->opd[1].v[0];
    if (in->type[0] == PTX_pred || (bytes != 4 && bytes != 8) ||
        declared_bytes(f, &in->opd[0].v[0]) != bytes ||
        (a->kind == PTX_VAL_REG && declared_bytes(f, a) != bytes))
        return false;
    if (ptx_is_per_lane_load(in))
        return is_foldable_load(f, in, bytes);
    switch (ptx_traits_of(in)->means) {
    case PTX_MEANS_copy: return is_foldable_move(in, folded, at, k, bytes);
    case PTX_MEANS_address: /* cvta of global memory is the address itself */
        return in->space == PTX_SPACE_GLOBAL && a->kind == PTX_VAL_REG &&
               is_foldable_move(in, folded, at, k, bytes);
    default: return false;
    }
}

bool compile_find_folded_copies(compile_translation *t, const bool *live_in)
{
    const ptx_func *f = t->func;
    compile_build *b = t->build;
    uint32_t *at = malloc((f->reg_count + 1u) * sizeof *at);
    b->folded = calloc(f->insn_count + 1u, sizeof *b->folded);
    b->fold_at = at;
    if (!at || !b->folded)
        return false;
    compile_find_single_definitions(f, at);
    /* Parameters and results are not folded: the caller accesses them in their own slots. */
    for (uint32_t k = 0; k < f->param_count + f->ret_count; k++) {
        const ptx_param *p = k < f->param_count ? &f->params[k] : &f->rets[k - f->param_count];
        if (p->reg != PTX_NO_REGISTER)
            at[p->reg] = COMPILE_NO_INSN_INDEX;
    }
    for (uint32_t r = 0; r < f->reg_count; r++)
        at[r] = live_in[r] || b->plain ? COMPILE_NO_INSN_INDEX : at[r];
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_operand *d = &f->insns[k].opd[0];
        if (f->insns[k].operand_count && d->count == 1 && d->v[0].kind == PTX_VAL_REG &&
            at[d->v[0].reg] == k)
            b->folded[k] = is_foldable(f, b->folded, at, k);
    }
    return true;
}

bool compile_is_register_folded(const compile_build *b, uint32_t reg)
{
    return b->fold_at[reg] != COMPILE_NO_INSN_INDEX && b->folded[b->fold_at[reg]];
}

void compile_assign_folded_slots(compile_translation *t)
{
    const ptx_func *f = t->func;
    compile_build *b = t->build;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        if (!b->folded[k])
            continue;
        const ptx_insn *in = &f->insns[k];
        const ptx_value *a = &in->opd[1].v[0];
        const uint32_t bytes = ptx_type_bytes(in->type[0]);
        b->reg_slot[in->opd[0].v[0].reg] =
            ptx_is_per_lane_load(in)
                ? compile_slot_of_kernel_param(
                      t, compile_kernel_param(f, a->var)->offset + (uint64_t)a->offset, bytes)
                : compile_slot_of_typed_value(t, a, bytes);
    }
}

const ptx_insn *compile_only_definition(const compile_translation *t, uint32_t reg)
{
    const uint32_t *at = t->build->fold_at;
    return at && at[reg] < t->func->insn_count ? &t->func->insns[at[reg]] : NULL;
}
