/* Finds the loops of a function, the loops in which threads may wait for other threads
 * (sm/waits.h), and whether a thread can observe which blocks have run before its own block. */
#include "../../ptx/traits.h"
#include "../build.h"
#include "facts.h"

#include <stdlib.h>

/* Result of backward_target if an instruction is not a backward branch. */
#define NOT_A_BACKWARD_BRANCH UINT32_MAX
static uint32_t backward_target(const ptx_insn *in, uint32_t k)
{
    const uint32_t to = ptx_branch_target(in);
    return to != PTX_NO_TARGET && to <= k ? to : NOT_A_BACKWARD_BRANCH;
}

static bool is_shared_by_blocks(const ptx_insn *in)
{
    return in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE;
}

static bool is_strong_load(const ptx_insn *in)
{
    return ptx_is_per_lane_load(in) && ptx_is_strong(in);
}

static bool is_atom(const ptx_insn *in)
{
    return ptx_is_per_lane_atomic(in) && ptx_is_result_operand(in, 0);
}

/* Must IN read memory again each time, to see writes of other threads? FACT: the COMPILE_FACT_*
 * bits of IN. */
static bool must_reread(const ptx_insn *in, uint16_t fact)
{
    return is_strong_load(in) || (is_atom(in) && fact & COMPILE_FACT_OLD_USED);
}

/* Does IN add floats to memory that all blocks share? Rounding makes the sum depend on the order.
 * Reductions by tensor copies count, because their type is known only at run time. */
static bool adds_floats(const ptx_insn *in)
{
    const bool copies = ptx_traits_of(in)->access == PTX_ACCESS_copy;
    const bool adds = ptx_has_modifier(in, PTX_MOD_add) && (copies || ptx_is_per_lane_atomic(in));
    return adds && (copies || is_shared_by_blocks(in)) &&
           (in->type_count == 0 || ptx_type_class(in->type[0]) == 'F');
}

static bool may_wait_for_memory(const ptx_insn *in, uint16_t fact)
{
    return must_reread(in, fact) || ptx_tests_mbarrier(in);
}

static bool is_fence(const ptx_insn *in)
{
    const ptx_sync sync = ptx_traits_of(in)->sync;
    return sync == PTX_SYNC_fence || sync == PTX_SYNC_sleep;
}

static bool is_load(const ptx_insn *in)
{
    return ptx_is_per_lane_load(in) && (is_shared_by_blocks(in) || in->space == PTX_SPACE_SHARED);
}

/* Counts of instructions of some kinds from the start of the function. The counts of a loop are the
 * difference between two tallies. */
typedef struct insn_tally {
    uint32_t calls;         /* function calls */
    uint32_t waiting_loads; /* loads by which a thread may wait for other threads */
    uint32_t loads;         /* ordinary loads of global or shared memory */
    uint32_t global_loads;  /* ordinary loads of global memory */
    uint32_t fences;        /* fences and nanosleep */
} insn_tally;

static void count_loop_insn(insn_tally *to, const ptx_insn *in, uint16_t fact)
{
    to->calls += ptx_traits_of(in)->flow == PTX_FLOW_call;
    to->waiting_loads += may_wait_for_memory(in, fact);
    to->loads += is_load(in);
    to->global_loads += is_load(in) && is_shared_by_blocks(in);
    to->fences += is_fence(in);
}

static insn_tally count_insns_of_loop(const insn_tally *before, const compile_loop *l)
{
    const insn_tally *a = &before[l->first], *b = &before[l->last + 1];
    return (insn_tally){b->calls - a->calls, b->waiting_loads - a->waiting_loads,
                        b->loads - a->loads, b->global_loads - a->global_loads,
                        b->fences - a->fences};
}

/* Mark the loops in which threads may wait: loops that may read memory which other threads write,
 * by a load that a compiler must not remove, or by an ordinary load together with a fence. */
static bool mark_waiting_loop(compile_translation *t, compile_facts *facts,
                              const insn_tally *before)
{
    for (uint32_t n = 0; n < facts->loops; n++) {
        compile_loop *l = &facts->loop[n];
        const insn_tally in = count_insns_of_loop(before, l);
        if (in.calls || !(in.waiting_loads || (in.loads && in.fences)))
            continue;
        l->alive = compile_alloc_with_code(t, (t->func->reg_count / 64 + 1u) * sizeof *l->alive);
        if (!l->alive)
            return false;
        facts->of[l->last] |= COMPILE_FACT_WAITS;
        for (uint32_t k = l->first; k <= l->last; k++)
            facts->of[k] |= COMPILE_FACT_IN_WAIT;
        facts->sees_order |= in.global_loads && in.fences;
    }
    return true;
}

/* --- loops that wait for a clock --- */

static bool is_integer_type(const ptx_insn *in, uint32_t n)
{
    const ptx_type type = n < in->type_count ? in->type[n] : PTX_pred;
    return type == PTX_u32 || type == PTX_s32 || type == PTX_b32 || type == PTX_u64 ||
           type == PTX_s64 || type == PTX_b64;
}

/* If an operand of IN is derived from a clock, does the result of IN increase and overflow like the
 * clock? */
static bool keeps_clock_order(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->means) {
    case PTX_MEANS_copy: return is_integer_type(in, 0);
    case PTX_MEANS_sum:
    case PTX_MEANS_difference:
        return is_integer_type(in, 0) && !ptx_has_modifier(in, PTX_MOD_sat) &&
               !ptx_has_modifier(in, PTX_MOD_cc);
    case PTX_MEANS_conversion:
        return is_integer_type(in, 0) && is_integer_type(in, 1) &&
               !ptx_has_modifier(in, PTX_MOD_sat);
    case PTX_MEANS_mask:
        return in->opd[2].v[0].kind == PTX_VAL_IMM && in->opd[2].v[0].imm == UINT32_MAX;
    case PTX_MEANS_comparison:
        return is_integer_type(in, 0) && in->operand_count == 3 &&
               in->opd[0].second.kind == PTX_VAL_NONE && !ptx_has_modifier(in, PTX_MOD_eq) &&
               !ptx_has_modifier(in, PTX_MOD_ne);
    default: return false;
    }
}

/* Is register REG written in loop L, at instruction K or later? */
static bool is_written_in_loop_after(const ptx_func *f, const compile_loop *l, uint32_t k,
                                     uint32_t reg)
{
    for (uint32_t n = k; n < l->last; n++)
        if (f->insns[n].opd[0].v[0].reg == reg)
            return true;
    return false;
}

/* Is loop L one basic block that reads a clock once and carries no value from one iteration to the
 * next? */
static bool waits_for_clock(const ptx_func *f, const bool *leader, const compile_loop *l)
{
    enum { MAX_LOOP_LENGTH = 16 };
    const ptx_insn *last = &f->insns[l->last];
    uint32_t clocks = 0;
    if (l->last - l->first > MAX_LOOP_LENGTH || last->guard == PTX_NO_REGISTER)
        return false;
    for (uint32_t k = l->first; k < l->last; k++) {
        const ptx_insn *in = &f->insns[k];
        if (leader[k + 1] || in->guard != PTX_NO_REGISTER || !keeps_clock_order(in) ||
            in->opd[0].count != 1 || in->opd[0].v[0].kind != PTX_VAL_REG)
            return false;
    }
    for (uint32_t k = l->first; k < l->last; k++) {
        const ptx_insn *in = &f->insns[k];
        for (uint32_t o = 1; o < in->operand_count; o++) {
            const ptx_value *v = &in->opd[o].v[0];
            if (in->opd[o].count != 1 ||
                (v->kind == PTX_VAL_REG && is_written_in_loop_after(f, l, k, v->reg)))
                return false;
            clocks += v->kind == PTX_VAL_SREG && compile_special_reg_is_clock(v->sreg);
        }
    }
    return clocks == 1 && is_written_in_loop_after(f, l, l->first, last->guard);
}

/* --- finding all loops --- */

bool compile_find_loops(compile_translation *t, const bool *leader, compile_facts *facts)
{
    const ptx_func *f = t->func;
    uint32_t loops = 0;
    for (uint32_t k = 0; k < f->insn_count; k++)
        loops += backward_target(&f->insns[k], k) != NOT_A_BACKWARD_BRANCH;
    facts->loop = compile_alloc_with_code(t, (loops + 1u) * sizeof *facts->loop);
    insn_tally *before = calloc(f->insn_count + 1u, sizeof *before);
    if (!facts->loop || !before) {
        free(before);
        return false;
    }
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const uint32_t first = backward_target(in, k);
        if (first != NOT_A_BACKWARD_BRANCH)
            facts->loop[facts->loops++] = (compile_loop){.first = first, .last = k};
        before[k + 1] = before[k];
        count_loop_insn(&before[k + 1], in, facts->of[k]);
        facts->polls |= is_shared_by_blocks(in) && (is_strong_load(in) || is_atom(in));
        facts->updates |= is_shared_by_blocks(in) && ptx_is_per_lane_atomic(in);
        facts->sees_order |=
            (is_shared_by_blocks(in) && must_reread(in, facts->of[k])) || adds_floats(in);
    }
    const bool good = mark_waiting_loop(t, facts, before);
    for (uint32_t n = 0; n < loops; n++) {
        const compile_loop *l = &facts->loop[n];
        facts->of[l->last] |= waits_for_clock(f, leader, l) ? COMPILE_FACT_CLOCK : 0;
    }
    free(before);
    return good;
}

/* --- values that waiting loops carry --- */

/* Does a branch from outside loop L lead into the middle of L? */
static bool has_side_entry(const ptx_func *f, const compile_loop *l)
{
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const bool outside = k < l->first || k > l->last;
        const uint32_t to = ptx_branch_target(in);
        const bool inside = to != PTX_NO_TARGET && to > l->first && to <= l->last;
        if (outside && (ptx_traits_of(in)->flow == PTX_FLOW_table || inside))
            return true;
    }
    return false;
}

/* Compute l->carried: the slots of registers whose values one iteration of L passes to the next.
 * Registers that hold clock values are included, so that iterations at different times differ. */
static void find_carried_registers(compile_translation *t, compile_loop *l)
{
    const ptx_func *f = t->func;
    const bool all = has_side_entry(f, l);
    bool *made = calloc(f->reg_count + 1u, 2 * sizeof *made);
    bool *clock = made ? made + f->reg_count : NULL;
    l->carried = compile_alloc_with_code(t, (f->reg_count + 1u) * sizeof *l->carried);
    if (!made || !l->carried) {
        t->failed = true;
        free(made);
        return;
    }
    for (uint32_t k = l->first; k <= l->last; k++) {
        const ptx_insn *in = &f->insns[k];
        PTX_EACH_WRITTEN(r, in) {
            made[r.reg] = true;
            clock[r.reg] |= compile_reads_clock(in);
        }
    }
    for (uint32_t r = 0; r < f->reg_count; r++) {
        const bool alive = l->alive[r / 64] >> r % 64 & 1;
        if (clock[r] || (alive && (made[r] || all))) {
            const ptx_type type = f->regs[r].type;
            const uint32_t bytes = ptx_type_bytes(type) < 4 ? 4 : ptx_type_bytes(type);
            l->carried[l->carried_count++] = (struct compile_window_bytes){
                t->build->reg_slot[r], type == PTX_pred ? 4 : SM_LANES * bytes};
        }
    }
    free(made);
}

uint32_t compile_find_loop_carried(compile_translation *t, uint32_t last)
{
    const compile_facts *facts = t->code->facts;
    uint32_t n = 0;
    while (facts->loop[n].last != last)
        n++;
    find_carried_registers(t, &facts->loop[n]);
    return n;
}
