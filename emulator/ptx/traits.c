#include "traits.h"

#include "sheet.h"

#include <stdatomic.h>

const ptx_traits ptx_traits_table[PTX_OP_COUNT] = {
#define OP(name, flow, sync, access, reach, unit, means, cost, handler, isa, operands, types,      \
           mods)                                                                                   \
    [PTX_OP_##name] = {PTX_FLOW_##flow, PTX_SYNC_##sync,   PTX_ACCESS_##access, PTX_REACH_##reach, \
                       PTX_UNIT_##unit, PTX_MEANS_##means, PTX_COST_##cost},
#include "ops.def"
#undef OP
};

ptx_space ptx_space_of(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->reach) {
    case PTX_REACH__: return PTX_SPACE_NONE;
    case PTX_REACH_any: return in->space;
    case PTX_REACH_global: return PTX_SPACE_GLOBAL;
    case PTX_REACH_shared: return PTX_SPACE_SHARED;
    case PTX_REACH_tex: return PTX_SPACE_TEX;
    }
    return PTX_SPACE_NONE;
}

bool ptx_may_access(const ptx_insn *in, ptx_space space)
{
    const ptx_space is = ptx_space_of(in);
    return ptx_traits_of(in)->access != PTX_ACCESS__ && (is == space || is == PTX_SPACE_NONE);
}

bool ptx_is_packing_mov(const ptx_insn *in)
{
    return ptx_traits_of(in)->means == PTX_MEANS_copy && in->vec <= 1;
}

bool ptx_is_per_lane_load(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return t->unit == PTX_UNIT_lsu && t->access == PTX_ACCESS_load;
}

bool ptx_is_strong(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_volatile) || ptx_has_modifier(in, PTX_MOD_relaxed) ||
           ptx_has_modifier(in, PTX_MOD_acquire) || ptx_has_modifier(in, PTX_MOD_release) ||
           ptx_has_modifier(in, PTX_MOD_sc) || ptx_has_modifier(in, PTX_MOD_mmio);
}

bool ptx_is_per_lane_store(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return t->unit == PTX_UNIT_lsu && t->access == PTX_ACCESS_store;
}

bool ptx_is_per_lane_atomic(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return t->unit == PTX_UNIT_lsu && (t->access == PTX_ACCESS_atom || t->access == PTX_ACCESS_red);
}

bool ptx_changes_memory(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->access) {
    case PTX_ACCESS__:
    case PTX_ACCESS_load: return false;
    case PTX_ACCESS_store:
    case PTX_ACCESS_atom:
    case PTX_ACCESS_red:
    case PTX_ACCESS_copy: return true;
    }
    return false;
}

bool ptx_is_barrier(const ptx_insn *in)
{
    const ptx_sync sync = ptx_traits_of(in)->sync;
    return sync == PTX_SYNC_block || sync == PTX_SYNC_aligned;
}

bool ptx_is_block_barrier(const ptx_insn *in)
{
    return ptx_is_barrier(in) && !ptx_has_modifier(in, PTX_MOD_warp);
}

bool ptx_needs_whole_warp(const ptx_insn *in)
{
    return ptx_traits_of(in)->sync == PTX_SYNC_aligned || ptx_has_modifier(in, PTX_MOD_aligned);
}

bool ptx_tests_mbarrier(const ptx_insn *in)
{
    const ptx_sync sync = ptx_traits_of(in)->sync;
    return sync == PTX_SYNC_test || sync == PTX_SYNC_try;
}

uint32_t ptx_branch_target(const ptx_insn *in)
{
    const bool label = ptx_traits_of(in)->flow == PTX_FLOW_jump && in->operand_count &&
                       in->opd[0].count && in->opd[0].v[0].kind == PTX_VAL_LABEL;
    return label ? in->opd[0].v[0].target : PTX_NO_TARGET;
}

bool ptx_is_branch(const ptx_insn *in)
{
    const ptx_flow flow = ptx_traits_of(in)->flow;
    return flow == PTX_FLOW_jump || flow == PTX_FLOW_table;
}

bool ptx_never_falls_through(const ptx_insn *in)
{
    const ptx_flow flow = ptx_traits_of(in)->flow;
    return in->guard == PTX_NO_REGISTER &&
           (ptx_is_branch(in) || flow == PTX_FLOW_ret || flow == PTX_FLOW_exit);
}

/* How an operation uses operand 0, from its operand column. One byte per operation, because rows
 * of the table are large. */
enum { ROLE_UNKNOWN, ROLE_SOURCE, ROLE_RESULT, ROLE_UPDATED, ROLE_BY_MODIFIER };
static _Atomic unsigned char first_operand_role[PTX_OP_COUNT];

static unsigned role_of_first_operand(const ptx_insn *in)
{
    unsigned use = atomic_load_explicit(&first_operand_role[in->op], memory_order_relaxed);
    const ptx_operand_form *s =
        use == ROLE_UNKNOWN || use == ROLE_BY_MODIFIER ? ptx_row_of_op(in->op)->shape : NULL;
    if (use == ROLE_UNKNOWN) {
        use = !s->result                        ? ROLE_SOURCE
              : s->result_with != PTX_MOD_COUNT ? ROLE_BY_MODIFIER
              : s->updated                      ? ROLE_UPDATED
                                                : ROLE_RESULT;
        atomic_store_explicit(&first_operand_role[in->op], (unsigned char)use,
                              memory_order_relaxed);
    }
    if (use == ROLE_BY_MODIFIER)
        use = ptx_has_modifier(in, s->result_with) ? ROLE_RESULT : ROLE_SOURCE;
    return in->operand_count ? use : ROLE_SOURCE;
}

bool ptx_is_result_operand(const ptx_insn *in, unsigned i)
{
    return i == 0 && role_of_first_operand(in) != ROLE_SOURCE;
}

const ptx_insn *ptx_writer_before(const ptx_func *f, uint32_t first, uint32_t k, uint32_t reg)
{
    while (k-- > first) {
        const ptx_insn *in = &f->insns[k];
        const ptx_operand *to = &in->opd[0];
        if (in->operand_count && ptx_is_result_operand(in, 0) && to->count == 1 &&
            to->v[0].kind == PTX_VAL_REG && to->v[0].reg == reg)
            return in;
    }
    return NULL;
}

bool ptx_reads_its_result(const ptx_insn *in)
{
    return role_of_first_operand(in) == ROLE_UPDATED;
}

ptx_register_walk ptx_registers_read(const ptx_insn *in)
{
    return (ptx_register_walk){.in = in,
                               .operand = role_of_first_operand(in) == ROLE_RESULT,
                               .end = in->operand_count,
                               .guard = in->guard != PTX_NO_REGISTER};
}

ptx_register_walk ptx_registers_written(const ptx_insn *in)
{
    return (ptx_register_walk){.in = in, .end = ptx_is_result_operand(in, 0)};
}

bool ptx_next_register(ptx_register_walk *w)
{
    for (; w->operand < w->end; w->operand++, w->value = 0) {
        const ptx_operand *o = &w->in->opd[w->operand];
        while (w->value <= o->count) {
            const ptx_value *v = w->value < o->count ? &o->v[w->value] : &o->second;
            w->value++;
            if (v->kind == PTX_VAL_REG) {
                w->reg = v->reg;
                return true;
            }
        }
    }
    if (!w->guard)
        return false;
    w->guard = false;
    w->reg = w->in->guard;
    w->operand = PTX_GUARD_OPERAND;
    return true;
}
