/* Control flow: entries of blocks, guards, branches, exit, trap (PTX ISA 9.7.12 and 9.7.19). */
#include "../../clock/clock.h"
#include "../../core/handlers.h"
#include "../../sm/effort.h"
#include "../../sm/fault.h"
#include "../../sm/sched.h"
#include "../../sm/waits.h"
#include "../exec.h"

/* Entry of a basic block: merge with the fragments of the warp (groups of diverged lanes) that wait
 * here, and count the visit. i->imm: index of the block. */
static inline const sm_insn *enter_block(sm_warp *w, const sm_insn *i)
{
    if (__builtin_expect(i >= w->sched->limit[i->mode], 0))
        return sm_reconverge(w, i);
    return sm_enter_block(w, i);
}

const sm_insn *EXEC_FOR_ISA(exec_run_enter)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_run_enter)(sm_warp *w, const sm_insn *i)
{
    return enter_block(w, i);
}

/* Guard @p or @!p; the instruction follows it. Operand a: the predicate; i->imm: ones for @!p. */
const sm_insn *EXEC_FOR_ISA(exec_run_guard)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_run_guard)(sm_warp *w, const sm_insn *i)
{
    const uint32_t all = w->mask;
    const uint32_t some = all & (SM_P(w, i->a) ^ (uint32_t)i->imm);
    if (some == all)
        return i + 1;
    if (some == 0)
        return i + 2;
    sm_set_mask(w, some);
    const sm_insn *next = i[1].fn(w, i + 1);
    sm_set_mask(w, all);
    return next;
}

static const sm_insn *bra(sm_warp *w, const sm_insn *i)
{
    return enter_block(w, i->extra);
}

static const sm_insn *bra_backward(sm_warp *w, const sm_insn *i)
{
    if (__builtin_expect(--w->sched->budget <= 0, 0))
        return sm_yield_to_others(w, i->extra, i->flags & SM_I_IN_WAIT);
    return enter_block(w, i->extra);
}

static inline const sm_insn *split_fragment(sm_warp *w, const sm_insn *i, uint32_t taken)
{
    if (i->mode != SM_BRANCH_FROM_GUARD)
        w->worker->extra.v[CTR_divergent_branches]++;
    return sm_diverge(w, taken, i->extra, i + 1, i->mode == SM_BRANCH_FROM_GUARD);
}

static const sm_insn *bra_if(sm_warp *w, const sm_insn *i)
{
    const uint32_t taken = w->mask & (SM_P(w, i->a) ^ (uint32_t)i->imm);
    if (taken == 0)
        return enter_block(w, i + 1);
    if (taken == w->mask)
        return enter_block(w, i->extra);
    return split_fragment(w, i, taken);
}

/* Branch over code that is too long for a predicate: a warp that jumps fetches other instructions,
 * and one that splits does so for either side. */
static const sm_insn *bra_if_over(sm_warp *w, const sm_insn *i)
{
    const uint32_t taken = w->mask & (SM_P(w, i->a) ^ (uint32_t)i->imm);
    w->worker->extra.v[CTR_branch_fetches] += taken == 0 ? 0 : taken == w->mask ? 1 : 2;
    return bra_if(w, i);
}

static const sm_insn *bra_if_backward(sm_warp *w, const sm_insn *i)
{
    const uint32_t taken = w->mask & (SM_P(w, i->a) ^ (uint32_t)i->imm);
    if (taken == 0)
        return enter_block(w, i + 1);
    if (__builtin_expect(--w->sched->budget <= 0, 0)) {
        if (taken != w->mask)
            return sm_yield_to_others(w, split_fragment(w, i, taken), i->flags & SM_I_IN_WAIT);
        return sm_yield_to_others(w, i->extra, i->flags & SM_I_IN_WAIT);
    }
    if (taken == w->mask)
        return enter_block(w, i->extra);
    return split_fragment(w, i, taken);
}

/* Backward branch of a loop that may wait for other threads: yield if this one only polled. */
static const sm_insn *bra_of_polling_loop(sm_warp *w, const sm_insn *i)
{
    return sm_iteration_only_waited(w, i) ? sm_yield_polling(w, i, i->extra) : bra_backward(w, i);
}

static const sm_insn *bra_if_of_polling_loop(sm_warp *w, const sm_insn *i)
{
    const uint32_t taken = w->mask & (SM_P(w, i->a) ^ (uint32_t)i->imm);
    return taken == w->mask && sm_iteration_only_waited(w, i) ? sm_yield_polling(w, i, i->extra)
                                                              : bra_if_backward(w, i);
}

/* Branch of a loop that only reads the clock: execute the body of the loop that ends at I,
 * without its block entry. True: all lanes take the branch again. */
static const sm_insn *bra_if_of_clock_loop(sm_warp *w, const sm_insn *i)
{
    struct sm_sched *s = w->sched;
    const uint32_t taken = w->mask & (SM_P(w, i->a) ^ (uint32_t)i->imm);
    const sm_insn *entry = i->extra;
    if (taken != w->mask || entry >= s->limit[entry->mode] || s->budget <= 1) {
        s->clock.watch.branch =
            NULL; /* the loop can change now: forget the iteration that was observed */
    } else {
        const uint64_t passed = clock_skip_loop(w, i, (uint64_t)s->budget - 1);
        sm_effort_count_skipped(w, entry, (uint32_t)passed);
    }
    return bra_if_backward(w, i);
}

/* Handler of bra. The translator calls it instead of a selector, because only the translator
 * knows the target and the kind of loop. */
sm_fn EXEC_FOR_ISA(exec_pick_bra)(bool guarded, sm_branch_kind to);
sm_fn EXEC_FOR_ISA(exec_pick_bra)(bool guarded, sm_branch_kind to)
{
    switch (to) {
    case SM_BRA_FORWARD: return guarded ? bra_if : bra;
    case SM_BRA_OVER: return bra_if_over;
    case SM_BRA_BACK: return guarded ? bra_if_backward : bra_backward;
    case SM_BRA_IN_WAIT_LOOP: return guarded ? bra_if_of_polling_loop : bra_of_polling_loop;
    default: return bra_if_of_clock_loop;
    }
}

/* brx.idx with several targets. The lanes with the target of the first lane diverge from the
 * other lanes; then the other lanes are divided in the same way. */
typedef struct branch_groups {
    const uint32_t *index;           /* target index of each lane */
    const sm_insn *const *table;     /* branch targets, by index */
    uint32_t count, lanes[SM_LANES]; /* groups, and the lanes of each, in order of execution */
} branch_groups;

static void diverge_by_target(branch_groups *x, uint32_t lanes)
{
    const sm_insn *to = x->table[x->index[__builtin_ctz(lanes)]];
    uint32_t alike = 0;
    SM_EACH_LANE(l, lanes)
        alike |= (uint32_t)(x->table[x->index[l]] == to) << l;
    const uint32_t rest = lanes & ~alike;
    const bool first = __builtin_popcount(alike) <= __builtin_popcount(rest);
    if (rest && !first)
        diverge_by_target(x, rest);
    x->lanes[x->count++] = alike;
    if (rest && first)
        diverge_by_target(x, rest);
}

/* brx.idx. i->extra: table of targets; i->imm: number of targets; operand a: the index. */
static const sm_insn *brx(sm_warp *w, const sm_insn *i)
{
    struct sm_sched *s = w->sched;
    branch_groups x = {.index = SM_R(uint32_t, w, i->a), .table = i->extra};
    SM_EACH_LANE(l, w->mask) {
        if (x.index[l] >= i->imm) {
            return sm_stop_launch(w, i, SM_FAULT_PC, 1u << l, 0, 0, PTX_SPACE_NONE,
                                  "brx.idx with index %u, but its list has %u targets", x.index[l],
                                  (unsigned)i->imm);
        }
    }
    diverge_by_target(&x, w->mask);
    const sm_insn *to = x.table[x.index[__builtin_ctz(x.lanes[0])]];
    if (x.count == 1)
        return --s->budget <= 0 ? sm_yield_to_others(w, to, false) : to;
    s->budget--;
    w->worker->extra.v[CTR_divergent_branches]++;
    for (uint32_t k = x.count; --k > 0;) {
        sm_add_fragment(w, x.lanes[k], s->frame, x.table[x.index[__builtin_ctz(x.lanes[k])]]);
        sm_give_highest_order(w);
    }
    sm_set_mask(w, x.lanes[0]);
    sm_update_branch_limits(w);
    return to;
}

EXEC_SELECT(brx)
{
    out->imm = in->target_count;
    return brx;
}

static const sm_insn *exit_lanes(sm_warp *w, const sm_insn *i)
{
    (void)i;
    return sm_exit_lanes(w);
}

EXEC_SELECT(exit)
{
    return exit_lanes;
}

/* Was G launched without the grid barrier whose address %envreg1 and %envreg2 hold, although its
 * kernel reads the address? */
static bool reads_grid_barrier(const sm_grid *g)
{
    const ptx_func *f = g->code->func;
    bool reads = false;
    for (uint32_t k = 0; !g->launch->cooperative && k < f->insn_count && !reads; k++) {
        const ptx_operand *o = &f->insns[k].opd[1];
        reads = f->insns[k].operand_count > 1 && o->count == 1 && o->v[0].kind == PTX_VAL_SREG &&
                (o->v[0].sreg == PTX_SREG_envreg1 || o->v[0].sreg == PTX_SREG_envreg2);
    }
    return reads;
}

static const sm_insn *trap(sm_warp *w, const sm_insn *i)
{
    return sm_stop_launch(
        w, i, SM_FAULT_TRAP, w->mask, 0, 0, PTX_SPACE_NONE,
        "the kernel executed a trap instruction (__trap(), or a check that it contains)%s",
        reads_grid_barrier(w->block->grid)
            ? "; grid.sync() of cooperative groups is such a check: it needs a launch by "
              "cudaLaunchCooperativeKernel()"
            : "");
}

EXEC_SELECT(trap)
{
    return trap;
}

static const sm_insn *skip_instruction(sm_warp *w, const sm_insn *i)
{
    (void)w;
    return i + 1;
}

/* brkpt: without a debugger a breakpoint does nothing, as on a GPU. */
EXEC_SELECT(brkpt)
{
    return skip_instruction;
}

EXEC_SELECT(pmevent)
{
    return skip_instruction;
}

/* Read a clock register into slot i->d. i->mode: the register; i->vec: bytes per lane, 4 or 8. */
const sm_insn *EXEC_FOR_ISA(exec_read_clock)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_read_clock)(sm_warp *w, const sm_insn *i)
{
    const uint64_t now = clock_read_sreg(w, (ptx_sreg)i->mode);
    if (i->vec == 8)
        EXEC_LANES_DO(w, uint64_t, SM_R(uint64_t, w, i->d), now);
    else
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), (uint32_t)now);
    return i + 1;
}

/* The pseudo-instruction that precedes each instruction of a unit that reads clocks. */
const sm_insn *EXEC_FOR_ISA(exec_run_clock_step)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_run_clock_step)(sm_warp *w, const sm_insn *i)
{
    if (clock_issue_step(w, i))
        return i + 1;
    sm_make_fragment_wait(w, i, SM_READY);
    return NULL;
}
