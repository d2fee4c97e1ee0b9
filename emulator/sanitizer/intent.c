#include "intent.h"

#include "../observe/observe.h"
#include "../ptx/traits.h"

#include <stdlib.h>

const ptx_func *san_function_of(const sm_unit *u, const ptx_insn *in)
{
    for (uint32_t k = 0; k < u->code_count; k++) {
        const ptx_func *f = u->code[k]->func;
        if (in >= f->insns && in < f->insns + f->insn_count)
            return f;
    }
    return NULL;
}

static bool is_compare_and_swap(const ptx_insn *in)
{
    return ptx_is_per_lane_atomic(in) && ptx_has_modifier(in, PTX_MOD_cas);
}

bool san_takes_lock(const ptx_insn *in)
{
    const ptx_operand *expected = &in->opd[2], *new = &in->opd[3];
    if (!is_compare_and_swap(in) || in->operand_count < 4 || expected->count != 1 ||
        new->count != 1)
        return false;
    const ptx_value *a = &expected->v[0], *b = &new->v[0];
    return a->kind != b->kind || (a->kind == PTX_VAL_REG   ? a->reg != b->reg
                                  : a->kind == PTX_VAL_IMM ? a->imm != b->imm
                                                           : true);
}

/* --- where a loaded value goes ---------------------------------------------------------------- */

/* How a register depends on the loaded value. */
enum {
    DEPENDS_ON_VALUE = 1, /* the register is computed from the loaded value */
    DEPENDS_ON_GUARD = 2  /* the loaded value decides whether the register is written */
};

typedef struct loaded_value_flow {
    const ptx_func *func; /* the kernel that contains the load */
    uint8_t *reg; /* [func->reg_count] DEPENDS_ON_VALUE and DEPENDS_ON_GUARD of each register */
} loaded_value_flow;

/* DEPENDS_ON_* bits of the registers that IN reads. */
static uint8_t uses_of_value(const loaded_value_flow *f, const ptx_insn *in)
{
    uint8_t reads = 0;
    PTX_EACH_READ(r, in)
        reads |= r.operand == PTX_GUARD_OPERAND && f->reg[r.reg] ? DEPENDS_ON_GUARD : f->reg[r.reg];
    return reads;
}

/* What IN writes depends so on the value, too. False: that was known. */
static bool mark_written(loaded_value_flow *f, const ptx_insn *in, uint8_t reads)
{
    bool grew = false;
    PTX_EACH_WRITTEN(r, in) {
        grew |= (f->reg[r.reg] | reads) != f->reg[r.reg];
        f->reg[r.reg] |= reads;
    }
    return grew;
}

/* Find the registers that depend on the value loaded by IN. False: the host is out of memory. */
static bool find_dependent_registers(loaded_value_flow *f, const ptx_func *func, const ptx_insn *in)
{
    *f = (loaded_value_flow){func, calloc(func->reg_count + 1, 1)};
    if (!f->reg)
        return false;
    bool grew = mark_written(f, in, DEPENDS_ON_VALUE);
    while (grew) {
        grew = false;
        for (uint32_t k = 0; k < func->insn_count; k++)
            grew |= mark_written(f, &func->insns[k], uses_of_value(f, &func->insns[k]));
    }
    return true;
}

/* Is the loaded value, or a value computed from it, stored to memory that other threads can see? */
static bool is_loaded_value_stored(loaded_value_flow *f)
{
    bool kept = false;
    for (uint32_t k = 0; k < f->func->insn_count && !kept; k++) {
        const ptx_insn *in = &f->func->insns[k];
        const bool writes = (ptx_is_per_lane_store(in) || ptx_is_per_lane_atomic(in)) &&
                            in->space != PTX_SPACE_PARAM;
        kept = writes && uses_of_value(f, in) & DEPENDS_ON_VALUE;
    }
    return kept;
}

/* Does instruction G, if its guard is true, leave the loop of instructions FROM to TO? */
static bool leaves_loop(const ptx_func *f, uint32_t g, uint32_t from, uint32_t to)
{
    const ptx_insn *in = &f->insns[g];
    const uint32_t target = ptx_branch_target(in);
    if (target == PTX_NO_TARGET)
        return ptx_traits_of(in)->flow == PTX_FLOW_ret || ptx_traits_of(in)->flow == PTX_FLOW_exit;
    const uint32_t next = g + 1 < f->insn_count && f->insns[g + 1].guard == PTX_NO_REGISTER
                              ? ptx_branch_target(&f->insns[g + 1])
                              : PTX_NO_TARGET;
    return g == to || target < from || target > to ||
           (next != PTX_NO_TARGET && (next < from || next > to));
}

/* Does the loaded value decide how often a loop that contains IN repeats? */
static bool loaded_value_controls_loop(loaded_value_flow *f, const ptx_insn *in)
{
    const uint32_t at = (uint32_t)(in - f->func->insns);
    for (uint32_t to = at; to < f->func->insn_count; to++) {
        const uint32_t from = ptx_branch_target(&f->func->insns[to]);
        for (uint32_t g = from; from <= at && g <= to; g++) {
            const uint32_t guard = f->func->insns[g].guard;
            if (guard != PTX_NO_REGISTER && f->reg[guard] && leaves_loop(f->func, g, from, to))
                return true;
        }
    }
    return false;
}

san_intent san_intent_of(const sm_unit *u, const ptx_insn *in)
{
    const bool is_volatile = observe_order_of(in) == SM_VOLATILE,
               updates = ptx_is_per_lane_atomic(in);
    const ptx_func *func = san_function_of(u, in);
    loaded_value_flow f;
    if (is_volatile && ptx_is_per_lane_store(in))
        return SAN_VOLATILE_ON_DATA;
    if ((!is_volatile && !updates) || is_compare_and_swap(in) || !func ||
        !find_dependent_registers(&f, func, in))
        return SAN_SYNCHRONISES;
    const san_intent intent = loaded_value_controls_loop(&f, in) ? SAN_SYNCHRONISES
                              : updates                          ? SAN_ATOMIC_ON_DATA
                              : is_loaded_value_stored(&f)       ? SAN_VOLATILE_ON_DATA
                                                                 : SAN_SYNCHRONISES;
    free(f.reg);
    return intent;
}

bool san_tests_mbarrier(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return t->unit == PTX_UNIT_mbarrier && t->access == PTX_ACCESS_load;
}

bool san_awaits_own_value(const sm_unit *u, const ptx_insn *in)
{
    const ptx_func *func = san_function_of(u, in);
    const ptx_operand *result = &in->opd[0];
    if (!func || !ptx_is_per_lane_load(in) || result->count != 1 ||
        result->v[0].kind != PTX_VAL_REG)
        return false;
    for (uint32_t k = 0; k < func->insn_count; k++) {
        const ptx_insn *c = &func->insns[k];
        bool is_read = false;
        if (ptx_traits_of(c)->means != PTX_MEANS_comparison)
            continue;
        PTX_EACH_READ(r, c)
            is_read |= r.reg == result->v[0].reg && r.operand != PTX_GUARD_OPERAND;
        if (is_read) {
            const ptx_operand *left = &c->opd[1], *right = &c->opd[2];
            return (ptx_has_modifier(c, PTX_MOD_ne) || ptx_has_modifier(c, PTX_MOD_eq)) &&
                   left->count == 1 && right->count == 1 && left->v[0].kind == PTX_VAL_REG &&
                   right->v[0].kind == PTX_VAL_REG;
        }
    }
    return false;
}
