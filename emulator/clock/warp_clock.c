/* The modelled clock of a warp: when each instruction issues and when its result is ready. */

#include "../core/sched.h"
#include "clock.h"
#include "sm_clock.h"

/* The unit of the scheduler that executes each class of instructions. */
static const uint8_t unit_of_class[SM_CLASSES] = {
    [SM_CLASS_alu] = CLOCK_UNIT_ALU,
    [SM_CLASS_add] = CLOCK_UNIT_ALU,
    [SM_CLASS_product] = CLOCK_UNIT_INT_MULTIPLY,
    [SM_CLASS_product_wide] = CLOCK_UNIT_INT_MULTIPLY,
    [SM_CLASS_fma] = CLOCK_UNIT_FMA,
    [SM_CLASS_half] = CLOCK_UNIT_FMA,
    [SM_CLASS_double] = CLOCK_UNIT_FP64,
    [SM_CLASS_special] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_bits] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_convert] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_convert_double] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_predicate] = CLOCK_UNIT_ALU,
    [SM_CLASS_shuffle] = CLOCK_UNIT_ISSUE,
    [SM_CLASS_vote] = CLOCK_UNIT_ISSUE,
    [SM_CLASS_match] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_match_all] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_redux] = CLOCK_UNIT_SPECIAL,
    [SM_CLASS_tensor] = CLOCK_UNIT_TENSOR,
};

static const sm_cycles *cycles_of_warp(const sm_warp *w)
{
    return w->block->grid->cycles;
}

static sm_clock *clock_of_warp(const sm_warp *w)
{
    return w->worker->clock;
}

static uint32_t scheduler_count(const sm_warp *w)
{
    const uint32_t count = w->block->grid->launch->schedulers;
    return count && count <= MAX_SCHEDULERS ? count : 1;
}

/* The unit calendars of the scheduler of warp W. Warps are assigned to schedulers round-robin. */
static cycle_calendar *scheduler_units(const sm_warp *w)
{
    return clock_of_warp(w)->unit[w->index % scheduler_count(w)];
}

/* Returns the cycle, T or later, at which an instruction of W issues, and reserves that cycle.
 * Blocks resident on one SM are emulated one after another; if earlier blocks have reserved all
 * cycles, the instruction issues MAX_DELAY cycles late without a reservation. IN_CLOCK_LOOP: the
 * instruction is in a loop that only reads a clock (SM_I_IN_WAIT). It issues at T and reserves
 * nothing: other warps change the end of such a loop by an iteration at most, and iterations that
 * all take the same time can be skipped (pass.c). */
static uint64_t issue_instruction(const sm_warp *w, uint64_t t, bool in_clock_loop)
{
    enum { MAX_DELAY = 256 };
    if (in_clock_loop)
        return t;
    cycle_calendar *c = &scheduler_units(w)[CLOCK_UNIT_ISSUE];
    return clock_calendar_next_free(c, t) > t + MAX_DELAY ? t + MAX_DELAY
                                                          : clock_calendar_reserve(c, t, 1);
}

/* The unit that executes an integer addition issued at cycle T or later: the ALU or the multiplier,
 * whichever is free first. */
static uint32_t unit_for_add(const sm_warp *w, const cycle_calendar *all, uint64_t t)
{
    const uint64_t alu = clock_calendar_next_free(&all[CLOCK_UNIT_ALU], t);
    const uint64_t product = clock_calendar_next_free(&all[CLOCK_UNIT_INT_MULTIPLY], t);
    const bool alu_last = w->sched->clock.last_unit == CLOCK_UNIT_ALU;
    return product < alu || (product == alu && alu_last) ? CLOCK_UNIT_INT_MULTIPLY : CLOCK_UNIT_ALU;
}

/* Issue one instruction of CLASS at cycle T or later; returns the cycle at which it issues. */
static uint64_t issue_class(const sm_warp *w, sm_insn_class class, uint64_t t, bool in_clock_loop)
{
    if (in_clock_loop)
        return t;
    cycle_calendar *all = scheduler_units(w), *c = &all[unit_of_class[class]];
    if (class == SM_CLASS_add)
        c = &all[unit_for_add(w, all, t)];
    else
        w->sched->clock.last_unit = unit_of_class[class];
    if (unit_of_class[class] != CLOCK_UNIT_ISSUE)
        t = clock_calendar_reserve(c, t, cycles_of_warp(w)->of[class].pace);
    return issue_instruction(w, t, false);
}

/* --- cycles at which results are ready -------------------------------------------------------- */

/* When a register is ready is stored as cycle * PRODUCER_KINDS + producer. The producer is a unit
 * of the scheduler (clock_scheduler_unit) or one of these values. */
enum {
    PRODUCER_KINDS = 16,        /* factor by which cycles are multiplied */
    PRODUCER_SUM = CLOCK_UNITS, /* an integer addition */
    PRODUCER_WIDE_SUM,          /* a 64-bit addition */
    PRODUCER_MEMORY,            /* an access to memory */
    PRODUCER_PREDICATE,         /* a comparison that sets a predicate */
    PRODUCER_NO_UNIT            /* an instruction without a unit */
};

/* The producer of results of an instruction class, for the ready time of a register. */
static uint32_t producer_of_class(sm_insn_class class)
{
    return class == SM_CLASS_add         ? PRODUCER_SUM
           : class == SM_CLASS_predicate ? PRODUCER_PREDICATE
                                         : unit_of_class[class];
}

/* The cycle from which an instruction on the unit CONSUMER can read a register with ready time
 * READY, which also tells the producer. */
static uint64_t usable_at_cycle(const sm_cycles *y, uint64_t ready, uint32_t consumer)
{
    uint32_t by = ready % PRODUCER_KINDS;
    if (by == PRODUCER_WIDE_SUM) {
        /* the upper half waits for the carry, and an address needs both halves */
        ready += consumer == PRODUCER_MEMORY ? y->latency_add * PRODUCER_KINDS : 0;
        by = PRODUCER_SUM;
    }
    if (by == PRODUCER_NO_UNIT || !ready || by == consumer)
        return ready / PRODUCER_KINDS;
    if (by == PRODUCER_PREDICATE)
        return ready / PRODUCER_KINDS + (consumer == CLOCK_UNIT_ALU ? 0 : y->predicate_wait);
    return ready / PRODUCER_KINDS + y->other_unit;
}

uint64_t clock_reg_ready_cycle(const sm_warp *w, uint32_t reg)
{
    const sm_cycles *y = cycles_of_warp(w);
    return w->sched->frame->ready[reg] / PRODUCER_KINDS +
           later_cycle(y->predicate_wait, y->other_unit);
}

/* The cycle from which step S can read all its sources. WHO: the producer that executes S. */
static uint64_t sources_ready_cycle(const sm_warp *w, const sm_step *s, uint32_t who)
{
    const uint64_t *ready = w->sched->frame->ready;
    const sm_cycles *y = cycles_of_warp(w);
    uint64_t t = w->sched->clock.floor;
    for (uint32_t k = s->results; k < s->results + s->sources; k++) {
        const bool guard = s->reg[k] == s->guard;
        t = later_cycle(t, usable_at_cycle(y, ready[s->reg[k]], guard ? PRODUCER_NO_UNIT : who));
    }
    return t;
}

/* Does step S read a result of producer MAKER that is not ready before cycle T? */
static bool waits_for_producer(const sm_warp *w, const sm_step *s, uint32_t maker, uint64_t t)
{
    const uint64_t other = cycles_of_warp(w)->other_unit;
    const uint64_t *ready = w->sched->frame->ready;
    bool any = false;
    for (uint32_t k = s->results; k < s->results + s->sources; k++) {
        const uint64_t r = ready[s->reg[k]];
        any = any || (r % PRODUCER_KINDS == maker && r / PRODUCER_KINDS + other >= t);
    }
    return any;
}

/* Note that the results of step S are ready at cycle T and come from producer WHO. */
static void set_result_ready_cycles(const sm_warp *w, const sm_step *s, uint64_t t, uint32_t who)
{
    uint64_t *ready = w->sched->frame->ready;
    for (uint32_t k = 0; k < s->results; k++)
        ready[s->reg[k]] = t * PRODUCER_KINDS + who;
}

/* Step S is a copy without machine code: its results are ready when its sources are. */
static void copy_operand_ready_cycles(const sm_warp *w, const sm_step *s)
{
    uint64_t *ready = w->sched->frame->ready, last = 0;
    for (uint32_t k = s->results; k < s->results + s->sources; k++)
        last = later_cycle(last, ready[s->reg[k]]);
    for (uint32_t k = 0; k < s->results; k++)
        ready[s->reg[k]] = last;
}

/* End a region of reordering: earlier ones have issued, no later one issues before cycle T. */
static void end_reordering_region(sm_warp_clock *c, uint64_t t)
{
    c->now = later_cycle(c->now, t);
    c->floor = c->now;
}

/* An instruction that waited for memory issues at T. ptxas moves later loads ahead of a few. */
static void record_stall(sm_warp_clock *c, uint64_t t)
{
    if (t > c->now)
        c->stall[c->stalls++ % SM_RECENT_STALLS] = t;
}

/* Note that an instruction that waited for the special unit issues at cycle T. */
static void record_special_stall(sm_warp_clock *c, uint64_t t)
{
    if (t > c->now)
        c->special_stall[c->special_stalls++ % SM_RECENT_SPECIAL_STALLS] = t;
}

/* The earliest cycle for an instruction of the special unit after recent stalls. ptxas spaces these
 * instructions by PACE cycles as if no instruction stalled, so the next instruction issues at least
 * PACE - 1 cycles after a stalled one. */
static uint64_t special_unit_free_cycle(const sm_warp_clock *c, uint32_t pace)
{
    const uint64_t stall = c->special_stall[c->special_stalls % SM_RECENT_SPECIAL_STALLS];
    return stall ? stall + pace - 1 : 0;
}

static bool uses_special_unit(const sm_step *s, uint32_t p)
{
    return s->part[p].times && unit_of_class[s->part[p].of] == CLOCK_UNIT_SPECIAL;
}

/* Issue the machine instructions of S, an instruction that neither branches nor accesses memory. */
static void issue_plain_step(const sm_warp *w, sm_warp_clock *c, const sm_step *s,
                             bool in_clock_loop)
{
    const sm_cycles *y = cycles_of_warp(w);
    uint32_t who = producer_of_class(s->part[0].of);
    uint64_t t = later_cycle(sources_ready_cycle(w, s, who), s->apart || !s->results ? c->now : 0);
    if (waits_for_producer(w, s, PRODUCER_MEMORY, 0))
        record_stall(c, t);
    if (!uses_special_unit(s, 0) && waits_for_producer(w, s, CLOCK_UNIT_SPECIAL, t))
        record_special_stall(c, t);
    uint64_t at = t;
    for (uint32_t p = 0; p < SM_STEP_MAX_RUNS; p++) {
        const sm_insn_class of = s->part[p].of;
        if (p && uses_special_unit(s, p - 1) && s->part[p].times && !uses_special_unit(s, p))
            record_special_stall(c, t);
        else if (uses_special_unit(s, p))
            t = later_cycle(t, special_unit_free_cycle(c, y->of[of].pace));
        for (uint32_t n = 0; n < s->part[p].times; n++) {
            if (s->part[p].beside) {
                at = issue_class(w, of, at + 1, in_clock_loop);
            } else {
                at = issue_class(w, of, producer_of_class(of) == who ? t : t + y->other_unit,
                                 in_clock_loop);
                t = at + y->of[of].latency;
                who = producer_of_class(of);
            }
            c->now = later_cycle(c->now, at + 1);
        }
    }
    set_result_ready_cycles(w, s, t,
                            s->part[1].beside && who == PRODUCER_SUM ? PRODUCER_WIDE_SUM : who);
    if (s->apart)
        end_reordering_region(c, t);
}

/* Memory operations stay in order where ptxas cannot know that they access different locations:
 * loads may pass loads, and shared memory is distinct from all other memory. */
static void issue_memory_access(sm_warp *w, sm_warp_clock *c, const sm_step *s, const sm_insn *m,
                                uint32_t mask)
{
    const bool shared = s->in->space == PTX_SPACE_SHARED, load = s->kind == SM_STEP_LOAD;
    const bool constant = s->in->space == PTX_SPACE_CONST || ptx_has_modifier(s->in, PTX_MOD_nc);
    uint64_t t =
        later_cycle(sources_ready_cycle(w, s, PRODUCER_MEMORY), constant ? 0 : c->stores[shared]);
    if (!load || s->ordered)
        t = later_cycle(t, c->loads[shared]);
    else
        t = later_cycle(t, c->stall[c->stalls % SM_RECENT_STALLS]);
    const uint64_t cap = later_cycle(c->leaves[c->stored % SM_STORE_QUEUE_SLOTS], c->next_store);
    const uint64_t at = issue_instruction(w, load ? t : later_cycle(t, cap), false);
    c->now = later_cycle(c->now, at + 1);
    uint64_t *last = load ? &c->loads[shared] : &c->stores[shared];
    *last = later_cycle(*last, at + 1);
    if (!mask)
        return;
    const uint64_t done = clock_access_done_cycle(w, s, m, mask, at);
    set_result_ready_cycles(w, s, done, PRODUCER_MEMORY);
    if (!load)
        c->written = later_cycle(c->written, done);
    else if (shared)
        c->read = later_cycle(c->read, done);
}

/* The cycle at which a nanosleep of M that begins at T ends. A timer that starts with the launch
 * ticks every 2^n ns, the smallest power of two above M; the sleep ends at the next tick. */
static uint64_t sleep_end_cycle(const sm_warp *w, const sm_insn *m, uint32_t mask, uint64_t t)
{
    const sm_grid *g = w->block->grid;
    const uint64_t ns = mask ? SM_R(uint32_t, w, m->a)[__builtin_ctz(mask)] : 0;
    const uint64_t period = UINT64_C(1) << (64 - __builtin_clzll(ns | 1));
    const uint64_t base = clock_launch_start_cycle(g);
    const double cycles = (double)period * g->clock_mhz / 1000;
    const double passed = (double)(t > base ? t - base : 0);
    const uint64_t end = base + (uint64_t)(((double)(uint64_t)(passed / cycles) + 1) * cycles);
    return later_cycle(t + cycles_of_warp(w)->nanosleep, end);
}

/* The cycle at which fence IN, issued at cycle T, ends: at least the latency of a fence, and not
 * before earlier stores are written. */
static uint64_t fence_end_cycle(const sm_cycles *y, const sm_warp_clock *c, const ptx_insn *in,
                                uint64_t t)
{
    if (ptx_has_modifier(in, PTX_MOD_cta) || ptx_has_modifier(in, PTX_MOD_cluster))
        return later_cycle(t + y->fence_block, c->l1_path);
    const uint32_t cycles = ptx_has_modifier(in, PTX_MOD_sys) ? y->fence_system : y->fence;
    return later_cycle(t + cycles, c->written + cycles / 2);
}

/* Whether at least one lane of warp W takes the branch M. */
static bool is_branch_taken(const sm_warp *w, const sm_insn *m)
{
    return !m->a || (w->mask & (SM_P(w, m->a) ^ (uint32_t)m->imm));
}

/* Set how far the clock of warp W may run ahead of the other warps of its block, with which it
 * shares the units of the SM: OTHER_SCHEDULER_DELAY cycles, or 0 for warps of the same scheduler.
 * Returns false if W is already too far ahead. */
bool clock_set_time_slice(sm_warp *w)
{
    enum { OTHER_SCHEDULER_DELAY = 64 };
    const sm_block *b = w->block;
    struct sm_sched *s = w->sched;
    s->sliced = false;
    s->slice = UINT64_MAX;
    if (b->grid->unit->waits)
        return true;
    const uint32_t count = scheduler_count(w), mine = w->index % count;
    for (uint32_t n = 0, of = 0; n < b->warp_count; n++, of = of + 1 == count ? 0 : of + 1) {
        const struct sm_sched *o = b->warp[n].sched;
        if (o != s && o->runnable && !o->done) {
            const uint64_t until = o->clock.now + (of == mine ? 0 : OTHER_SCHEDULER_DELAY);
            s->slice = until < s->slice ? until : s->slice;
        }
    }
    s->sliced = s->clock.now > s->slice;
    return !s->sliced;
}

/* Can step S of warp W issue right after the one before it? Then the emulator keeps running W. */
static bool issues_without_delay(const sm_warp *w, const sm_step *s, const sm_insn *i)
{
    if (i->flags & SM_I_IN_WAIT) {
        return false; /* a loop that polls a clock reserves no unit; its iterations are skipped only
                         until the time slice ends */
    }
    const uint64_t now = w->sched->clock.now;
    const bool plain = s->kind == SM_STEP_PLAIN;
    const sm_insn_class of = s->part[0].of;
    const cycle_calendar *all = scheduler_units(w);
    return s->kind == SM_STEP_FREE || s->kind == SM_STEP_ENTRY ||
           (sources_ready_cycle(w, s, plain ? producer_of_class(of) : PRODUCER_MEMORY) <= now &&
            clock_calendar_next_free(&all[CLOCK_UNIT_ISSUE], now) == now &&
            (!plain || clock_calendar_next_free(&all[unit_of_class[of]], now) == now));
}

/* Issue step S, which no later instruction can pass. Returns the cycle before which no later
 * instruction of W issues. */
static uint64_t issue_barrier_step(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask,
                                   bool in_clock_loop)
{
    const sm_cycles *y = cycles_of_warp(w);
    const sm_warp_clock *c = &w->sched->clock;
    if (s->kind == SM_STEP_ENTRY)
        return c->now;
    const uint64_t from = later_cycle(sources_ready_cycle(w, s, PRODUCER_NO_UNIT), c->now);
    const uint64_t t = issue_instruction(w, from, in_clock_loop);
    switch (s->kind) {
    case SM_STEP_BRANCH:
        issue_instruction(
            w, t + 1,
            in_clock_loop); /* the scheduler issues no other instruction in the next two cycles */
        return t + (is_branch_taken(w, m) ? y->branch : y->branch_through);
    case SM_STEP_CALL: return t + y->call;
    case SM_STEP_BARRIER: return later_cycle(t, c->read);
    case SM_STEP_FENCE: return fence_end_cycle(y, c, s->in, t);
    case SM_STEP_SLEEP: return sleep_end_cycle(w, m, mask, t);
    default: return t;
    }
}

/* Warp W enters line LINE of its code. The fetch of LINE began when W entered the preceding line.
 * No instruction issues until the fetch is done. */
static void enter_code_line(const sm_warp *w, sm_warp_clock *c, uint32_t line)
{
    const sm_cycles *y = cycles_of_warp(w);
    uint64_t *until;
    const uint32_t level = clock_code_cache_fetch(clock_of_warp(w)->code, line, &until);
    if (level)
        *until = c->entered + (level == 1 ? y->code_line : y->code_line_far);
    c->floor = later_cycle(c->floor, *until);
    c->entered = later_cycle(c->now, c->floor);
    c->line = line;
}

bool clock_issue_step(sm_warp *w, const sm_insn *i)
{
    const sm_step *s = i->extra;
    sm_warp_clock *c = &w->sched->clock;
    if (c->now > w->sched->slice && !(w->sched->slice && issues_without_delay(w, s, i))) {
        w->sched->sliced = true;
        return false;
    }
    if (clock_of_warp(w)->code && s->at / INSNS_PER_CODE_LINE != c->line)
        enter_code_line(w, c, s->at / INSNS_PER_CODE_LINE);
    const sm_insn *m = i + 1;
    uint32_t mask = w->mask;
    if (i->flags & SM_I_GUARDED) {
        mask &= SM_P(w, m->a) ^ (uint32_t)m->imm;
        m++;
    }
    switch (s->kind) {
    case SM_STEP_FREE: copy_operand_ready_cycles(w, s); break;
    case SM_STEP_LOAD:
    case SM_STEP_STORE:
    case SM_STEP_ATOMIC: issue_memory_access(w, c, s, m, mask); break;
    case SM_STEP_TEXTURE: {
        const uint64_t t = issue_instruction(w, sources_ready_cycle(w, s, PRODUCER_MEMORY), false);
        c->now = later_cycle(c->now, t + 1);
        set_result_ready_cycles(w, s, t + cycles_of_warp(w)->texture_load, PRODUCER_MEMORY);
        c->fetch = s;
        c->fetched = t;
        break;
    }
    case SM_STEP_PLAIN: issue_plain_step(w, c, s, i->flags & SM_I_IN_WAIT); break;
    default:
        end_reordering_region(c, issue_barrier_step(w, s, m, mask, i->flags & SM_I_IN_WAIT));
        break;
    }
    return true;
}

void clock_add_texel_miss(sm_warp *w, uint64_t line)
{
    const sm_cycles *y = cycles_of_warp(w);
    const sm_warp_clock *c = &w->sched->clock;
    const sm_step *s = c->fetch;
    const uint64_t wait = clock_l1_miss_latency(w, line);
    const uint64_t t = c->fetched + y->texture_load + (wait > y->l1_load ? wait - y->l1_load : 0);
    if (s && s->results && t > w->sched->frame->ready[s->reg[0]] / PRODUCER_KINDS)
        set_result_ready_cycles(w, s, t, PRODUCER_MEMORY);
}

uint64_t clock_read_sreg(sm_warp *w, ptx_sreg sreg)
{
    const sm_cycles *y = cycles_of_warp(w);
    const uint64_t at = w->sched->clock.now;
    w->sched->clock.watch.read = at;
    const uint64_t ns = (uint64_t)((double)at * 1000 / w->block->grid->clock_mhz);
    const uint64_t time = ns / y->timer_step_ns * y->timer_step_ns;
    switch (sreg) {
    case PTX_SREG_clock:
        end_reordering_region(&w->sched->clock, at + y->read_clock32);
        return (uint32_t)at;
    case PTX_SREG_clock_hi:
        end_reordering_region(&w->sched->clock, at + y->read_clock32);
        return at >> 32;
    case PTX_SREG_clock64: end_reordering_region(&w->sched->clock, at + y->read_clock); return at;
    default:
        end_reordering_region(&w->sched->clock, at + y->read_timer);
        return sreg == PTX_SREG_globaltimer      ? time
               : sreg == PTX_SREG_globaltimer_lo ? (uint32_t)time
                                                 : time >> 32;
    }
}

void clock_delay_reg(const sm_warp *w, uint32_t reg, uint64_t cycles)
{
    w->sched->frame->ready[reg] += cycles * PRODUCER_KINDS;
}

uint64_t clock_now(const sm_warp *w)
{
    return w->sched->clock.now;
}

void clock_set_earliest(sm_warp *w, uint64_t until)
{
    end_reordering_region(&w->sched->clock, until);
    clock_of_warp(w)->phase_start = until;
    if (w->sched->slice != UINT64_MAX || !w->block->grid->unit->waits) {
        w->sched->slice =
            0; /* end the time slice: all warps of the block resume at the same time */
    }
}

void clock_begin_warps(sm_block *b, uint64_t start)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct sm_sched *s = b->warp[n].sched;
        s->clock = (sm_warp_clock){.floor = start, .now = start};
        for (uint32_t r = 0; r < s->base.code->func->reg_count; r++)
            s->base.ready[r] = 0;
    }
}

uint64_t clock_latest_cycle(const sm_block *b)
{
    uint64_t last = 0;
    for (uint32_t n = 0; n < b->warp_count; n++)
        last = later_cycle(last, b->warp[n].sched->clock.now);
    return last;
}
