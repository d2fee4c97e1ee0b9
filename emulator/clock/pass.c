/* Skips iterations of a loop that watches a clock (COMPILE_FACT_CLOCK in compile/ptxas/loops.c), so
 * that a kernel that waits for a million cycles does not take a million cycles to emulate. The loop
 * is one basic block whose values depend on the time alone.
 *
 * The result is exact: memory, counters and clocks are what the skipped iterations would have left.
 * Once every value that the loop gets from outside is ready, all iterations take the same time,
 * because instructions of such a loop wait for no unit (warp_clock.c). Skipping stops where another
 * warp has to run. The last iterations are executed, because they set the registers and
 * sm_warp_clock.stall. */

#include "../core/handlers.h"
#include "../core/machine_step.h"
#include "../core/sched.h"
#include "../ptx/traits.h"
#include "clock.h"
#include "sm_clock.h"

enum {
    MAX_COMPARISONS = 4,                      /* most comparisons in a loop that is skipped */
    MIN_RUN_ITERATIONS = SM_RECENT_STALLS + 1 /* final iterations that are executed, not skipped */
};

/* The operands of the loop's comparisons after an iteration. */
typedef struct compared_operands {
    uint32_t count;                               /* number of comparisons */
    __int128 value[MAX_COMPARISONS][2][SM_LANES]; /* [comparison][operand][lane] */
} compared_operands;

static const sm_handlers *handlers_of(const sm_warp *w)
{
    return w->block->grid->unit->program->handlers;
}

/* Whether K advances the clock, as a launch with a modelled clock does before each instruction. */
static bool is_clock_step_call(const sm_warp *w, const sm_insn *k)
{
    return k->fn == handlers_of(w)->clock_step;
}

/* Whether an instruction from FIRST up to, but not including, BEFORE writes register REG. */
static bool is_register_written_before(const sm_warp *w, const sm_insn *first,
                                       const sm_insn *before, uint32_t reg)
{
    for (const sm_insn *k = first; k != before; k++) {
        const sm_step *s = is_clock_step_call(w, k) ? k->extra : NULL;
        for (uint32_t n = 0; s && n < s->results; n++)
            if (s->reg[n] == reg)
                return true;
    }
    return false;
}

/* Is every register that loop I reads from outside the loop ready for every unit at cycle AT? */
static bool are_inputs_ready(const sm_warp *w, const sm_insn *i, uint64_t at)
{
    const sm_insn *first = (const sm_insn *)i->extra + 1;
    for (const sm_insn *k = first; k != i; k++) {
        const sm_step *s = is_clock_step_call(w, k) ? k->extra : NULL;
        for (uint32_t n = 0; s && n < s->sources; n++) {
            const uint32_t reg = s->reg[s->results + n];
            if (clock_reg_ready_cycle(w, reg) > at && !is_register_written_before(w, first, k, reg))
                return false;
        }
    }
    return true;
}

/* Compute the registers after N more iterations of CYCLES cycles each. READ: the cycle at which the
 * last iteration read the clock. Returns whether all lanes repeat the loop. */
static bool compute_later_iteration(sm_warp *w, const sm_insn *i, uint64_t read, uint64_t n,
                                    uint64_t cycles)
{
    sm_warp_clock *c = &w->sched->clock;
    const sm_warp_clock before = *c;
    c->now = read + n * cycles;
    for (const sm_insn *k = (const sm_insn *)i->extra + 1; k != i;)
        k = is_clock_step_call(w, k) ? k + 1 : k->fn(w, k);
    *c = before;
    return (w->mask & (SM_P(w, i->a) ^ (uint32_t)i->imm)) == w->mask;
}

/* The integer of type TYPE in the register at SLOT, in lane LANE. */
static __int128 register_value(const sm_warp *w, ptx_type type, uint32_t slot, uint32_t lane)
{
    switch (type) {
    case PTX_s32: return SM_R(int32_t, w, slot)[lane];
    case PTX_s64: return SM_R(int64_t, w, slot)[lane];
    case PTX_u64: return SM_R(uint64_t, w, slot)[lane];
    default: return SM_R(uint32_t, w, slot)[lane];
    }
}

/* Copy the operands of the comparisons of loop I to TO. Returns false if the loop has more than
 * MAX_COMPARISONS comparisons. */
static bool record_comparisons(const sm_warp *w, const sm_insn *i, compared_operands *to)
{
    to->count = 0;
    for (const sm_insn *k = (const sm_insn *)i->extra + 1; k != i; k++) {
        const ptx_insn *in = sm_site_insn(w, k);
        if (is_clock_step_call(w, k) || k->fn == handlers_of(w)->read_clock ||
            ptx_traits_of(in)->means != PTX_MEANS_comparison)
            continue;
        if (to->count == MAX_COMPARISONS)
            return false;
        for (uint32_t l = 0; l < SM_LANES; l++) {
            const bool on = w->mask >> l & 1;
            to->value[to->count][0][l] = on ? register_value(w, in->type[0], k->a, l) : 0;
            to->value[to->count][1][l] = on ? register_value(w, in->type[0], k->b, l) : 0;
        }
        to->count++;
    }
    return true;
}

/* Do the operands grow linearly from FIRST (iteration 0) and SECOND (iteration 1) to LAST
 * (iteration N)? Then none has overflowed, and each comparison changes its result at most once. */
static bool do_operands_grow_linearly(const compared_operands *first,
                                      const compared_operands *second,
                                      const compared_operands *last, uint64_t n)
{
    for (uint32_t k = 0; k < first->count; k++) {
        for (uint32_t o = 0; o < 2; o++) {
            for (uint32_t l = 0; l < SM_LANES; l++) {
                const __int128 from = first->value[k][o][l];
                const __int128 each = second->value[k][o][l] - from;
                if (from + each * (__int128)n != last->value[k][o][l])
                    return false;
            }
        }
    }
    return true;
}

/* The number of iterations, at most MOST, after each of which all lanes repeat the loop. The result
 * may be smaller if a clock value overflows. */
static uint64_t skippable_iterations(sm_warp *w, const sm_insn *i, uint64_t read, uint64_t cycles,
                                     uint64_t most)
{
    compared_operands first, second, last;
    compute_later_iteration(w, i, read, 0, cycles);
    const bool good = record_comparisons(w, i, &first);
    compute_later_iteration(w, i, read, 1, cycles);
    record_comparisons(w, i, &second);
    if (!good)
        return 0;
    bool again;
    for (;; most /= 2) {
        again = compute_later_iteration(w, i, read, most, cycles);
        record_comparisons(w, i, &last);
        if (do_operands_grow_linearly(&first, &second, &last, most))
            break; /* always reached, at the latest when `most` is 0 */
    }
    if (again)
        return most;
    uint64_t yes = 0, no = most;
    while (no - yes > 1) {
        const uint64_t n = yes + (no - yes) / 2;
        if (compute_later_iteration(w, i, read, n, cycles))
            yes = n;
        else
            no = n;
    }
    return yes;
}

uint64_t clock_skip_loop(sm_warp *w, const sm_insn *i, uint64_t most)
{
    const struct sm_sched *s = w->sched;
    sm_warp_clock *c = &w->sched->clock;
    sm_clock_watch was = c->watch;
    if (was.branch != i)
        was.cycles = was.until = 0;
    else if (!was.cycles && was.mask == w->mask && was.time_slice == s->time_slice &&
             are_inputs_ready(w, i, was.taken_at))
        was.cycles = c->now - was.taken_at;
    const uint64_t now = c->now, read = was.read, cycles = was.cycles;
    c->watch = (sm_clock_watch){i, w->mask, s->time_slice, now, read, cycles, was.until};
    if (!cycles || now < was.until || s->slice < now || !are_inputs_ready(w, i, now))
        return 0;
    const uint64_t slice = (s->slice - now) / cycles;
    most = most < slice ? most : slice;
    if (most <= MIN_RUN_ITERATIONS)
        return 0;
    const uint64_t n = skippable_iterations(w, i, read, cycles, most);
    const uint64_t passed = n > MIN_RUN_ITERATIONS ? n - MIN_RUN_ITERATIONS : 0;
    compute_later_iteration(w, i, read, passed, cycles);
    c->now = c->floor = c->watch.taken_at = now + passed * cycles;
    c->watch.until = now + n * cycles;
    return passed;
}
