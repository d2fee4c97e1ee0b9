/* Skips iterations of a loop that watches a clock (COMPILE_FACT_CLOCK in compile/ptxas/loops.c), so
 * that a kernel that waits for a million cycles does not take a million cycles to emulate. The loop
 * is one basic block whose values depend on the time alone.
 *
 * The result is exact: memory, counters and clocks are what the skipped iterations would have left.
 * Once every value that the loop gets from outside is ready, all iterations take the same time,
 * because instructions of such a loop wait for no unit (warp_clock.c). Skipping stops where another
 * warp has to run. The last iterations are executed, because they set the registers and
 * sm_warp_clock.stall.
 *
 * If all warps of a block are in such loops, they take turns of a few cycles. Once a round of turns
 * leaves them as an earlier one did, but later, all rounds in between are repeated as a whole:
 * clock_skip_rounds. */

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

/* Execute the body of loop I, up to but not including END, as if it read the clock at cycle NOW. */
static void run_body_at(sm_warp *w, const sm_insn *i, const sm_insn *end, uint64_t now)
{
    sm_warp_clock *c = &w->sched->clock;
    const sm_warp_clock before = *c;
    c->now = now;
    for (const sm_insn *k = (const sm_insn *)i->extra + 1; k != end;)
        k = is_clock_step_call(w, k) ? k + 1 : k->fn(w, k);
    *c = before;
}

/* Compute the registers after N more iterations of CYCLES cycles each. READ: the cycle at which the
 * last iteration read the clock. Returns whether all lanes repeat the loop. */
static bool compute_later_iteration(sm_warp *w, const sm_insn *i, uint64_t read, uint64_t n,
                                    uint64_t cycles)
{
    run_body_at(w, i, i, read + n * cycles);
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
    /* without other fragments, whose instructions take time, an iteration may span time slices */
    const uint64_t time_slice = s->count ? s->time_slice : UINT64_MAX;
    if (was.branch != i) {
        was.cycles = was.until = 0;
        w->worker->clock->rounds.count = 0; /* no round before is like one from now on */
    } else if (!was.cycles && was.mask == w->mask && was.time_slice == time_slice &&
               are_inputs_ready(w, i, was.taken_at)) {
        was.cycles = c->now - was.taken_at;
    }
    const uint64_t now = c->now, read = was.read, cycles = was.cycles;
    c->watch = (sm_clock_watch){i, w->mask, time_slice, now, read, cycles, was.until};
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

/* --- rounds of all warps of a block ----------------------------------------------------------- */

/* Has W stopped inside a loop all of whose iterations take the same time? */
static bool stopped_in_steady_loop(const sm_warp *w)
{
    const struct sm_sched *s = w->sched;
    const sm_clock_watch *at = &s->clock.watch;
    if (!at->branch || !at->cycles || !s->sliced || s->count != 1 || s->out_of_order)
        return false;
    const sm_fragment *f = &s->frag[0];
    return f->frame == s->frame && f->mask == w->mask && at->mask == w->mask &&
           f->pc > (const sm_insn *)at->branch->extra && f->pc < at->branch &&
           s->clock.now >= at->until && are_inputs_ready(w, at->branch, at->taken_at);
}

static bool takes_turns(const sm_warp *w)
{
    return w->sched->runnable && !w->sched->done;
}

static void keep_round(clock_rounds *r, const sm_block *b)
{
    r->block = b->linear;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *s = b->warp[n].sched;
        r->warp[n].pc = s->frag[0].pc;
        r->warp[n].now = s->clock.now;
        r->warp[n].read = s->clock.watch.read;
    }
}

/* The cycles by which all warps are later than in the round that R has kept; 0: they differ. */
static uint64_t cycles_since_kept_round(const clock_rounds *r, const sm_block *b)
{
    uint64_t passed = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *s = b->warp[n].sched;
        if (!takes_turns(&b->warp[n]))
            continue;
        passed = passed ? passed : s->clock.now - r->warp[n].now;
        if (s->frag[0].pc != r->warp[n].pc || s->clock.now - r->warp[n].now != passed ||
            s->clock.watch.read - r->warp[n].read != passed)
            return 0;
    }
    return passed;
}

/* The cycle at which the last complete iteration of W read the clock. */
static uint64_t last_complete_read(const sm_warp *w)
{
    const sm_clock_watch *at = &w->sched->clock.watch;
    return at->read - (at->read >= at->taken_at ? at->cycles : 0);
}

/* How many periods of PERIOD cycles warp W can skip; changes its registers. */
static uint64_t skippable_periods(sm_warp *w, uint64_t period)
{
    const sm_clock_watch *at = &w->sched->clock.watch;
    const int32_t most = w->sched->budget - 1;
    if (most <= MIN_RUN_ITERATIONS)
        return 0;
    const uint64_t n =
        skippable_iterations(w, at->branch, last_complete_read(w), at->cycles, (uint64_t)most);
    /* one more is executed: the iteration in which the warp has stopped */
    return n > MIN_RUN_ITERATIONS + 1 ? (n - MIN_RUN_ITERATIONS - 1) / (period / at->cycles) : 0;
}

/* Let W, which has stopped in a loop, be CYCLES cycles later. */
static void move_warp_on(sm_warp *w, uint64_t cycles)
{
    sm_warp_clock *c = &w->sched->clock;
    sm_clock_watch *at = &c->watch;
    const sm_insn *i = at->branch, *first = (const sm_insn *)i->extra + 1;
    const uint64_t read = last_complete_read(w) + cycles;
    run_body_at(w, i, i, read);
    run_body_at(w, i, w->sched->frag[0].pc, read + at->cycles);
    for (const sm_insn *k = first; k != i; k++) {
        const sm_step *s = is_clock_step_call(w, k) ? k->extra : NULL;
        for (uint32_t n = 0; s && n < s->results; n++)
            if (!is_register_written_before(w, first, k, s->reg[n]))
                clock_delay_reg(w, s->reg[n], cycles);
    }
    c->entered += c->entered + at->cycles > at->taken_at ? cycles : 0;
    c->now += cycles;
    c->floor += cycles;
    at->taken_at += cycles;
    at->read += cycles;
}

bool clock_skip_rounds(sm_block *b, uint32_t passed[SM_LANES])
{
    enum { LONGEST_PAUSE = 1 << 20 };
    clock_rounds *r = &b->warp[0].worker->clock->rounds;
    bool all = b->warp_count <= SM_LANES;
    for (uint32_t n = 0; n < b->warp_count && all; n++)
        all = !takes_turns(&b->warp[n]) || stopped_in_steady_loop(&b->warp[n]);
    if (!all || r->block != b->linear || r->count == 0) {
        r->count = all;
        r->pause = all && r->block == b->linear ? r->pause : 0;
        if (all)
            keep_round(r, b);
        return false;
    }
    const uint64_t period = r->count++ < r->pause ? 0 : cycles_since_kept_round(r, b);
    if (!period) {
        if ((r->count & (r->count - 1)) == 0)
            keep_round(r, b);
        return false;
    }
    uint64_t periods = UINT64_MAX;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const uint64_t some =
            takes_turns(&b->warp[n]) ? skippable_periods(&b->warp[n], period) : UINT64_MAX;
        periods = some < periods ? some : periods;
    }
    for (uint32_t n = 0; n < b->warp_count; n++) {
        passed[n] = 0;
        if (takes_turns(&b->warp[n])) {
            passed[n] = (uint32_t)(periods * (period / b->warp[n].sched->clock.watch.cycles));
            move_warp_on(&b->warp[n], periods * period);
        }
    }
    r->count = 0;
    r->pause = periods ? 0 : r->pause < LONGEST_PAUSE ? 2 * r->pause + SM_LANES : LONGEST_PAUSE;
    return periods > 0;
}
