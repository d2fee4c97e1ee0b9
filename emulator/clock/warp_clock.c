/* The modelled clock of a warp: when each instruction issues and when its result is ready. */
#include "../core/warp_clock.h"

#include "../exec/exec.h"
#include "../sm/sched.h"
#include "sm_clock.h"

/* The unit of the scheduler that executes each class of instructions. */
static const uint8_t unit_of[SM_CLASSES] = {
    [SM_CLASS_alu] = SM_UNIT_ALU,
    [SM_CLASS_add] = SM_UNIT_ALU,
    [SM_CLASS_product] = SM_UNIT_PRODUCT,
    [SM_CLASS_product_wide] = SM_UNIT_PRODUCT,
    [SM_CLASS_fma] = SM_UNIT_FMA,
    [SM_CLASS_half] = SM_UNIT_FMA,
    [SM_CLASS_double] = SM_UNIT_DOUBLE,
    [SM_CLASS_special] = SM_UNIT_SPECIAL,
    [SM_CLASS_bits] = SM_UNIT_SPECIAL,
    [SM_CLASS_convert] = SM_UNIT_SPECIAL,
    [SM_CLASS_convert_double] = SM_UNIT_SPECIAL,
    [SM_CLASS_predicate] = SM_UNIT_ALU,
    [SM_CLASS_shuffle] = SM_UNIT_ISSUE,
    [SM_CLASS_vote] = SM_UNIT_ISSUE,
    [SM_CLASS_match] = SM_UNIT_SPECIAL,
    [SM_CLASS_match_all] = SM_UNIT_SPECIAL,
    [SM_CLASS_redux] = SM_UNIT_SPECIAL,
    [SM_CLASS_tensor] = SM_UNIT_TENSOR,
};

static const sm_cycles *cycles_of(const sm_warp *w)
{
    return w->block->grid->cycles;
}

static sm_sm_clock *sm_of(const sm_warp *w)
{
    return w->worker->clock;
}

/* The unit calendars of the scheduler of warp W. Warps are assigned to schedulers round-robin. */
static calendar *scheduler(const sm_warp *w)
{
    const uint32_t count = w->block->grid->launch->schedulers;
    return sm_of(w)->unit[w->index % (count && count <= SCHEDULERS ? count : 1)];
}

/* Returns the cycle, T or later, at which an instruction of W issues, and reserves that cycle.
 * Blocks resident on one SM are emulated one after another; if earlier blocks have reserved all
 * cycles, the instruction issues PATIENCE cycles late without a reservation. ALONE: the instruction
 * is in a loop that only reads a clock (SM_I_IN_WAIT). It issues at T and reserves nothing: other
 * warps change the end of such a loop by an iteration at most, and iterations that all take the
 * same time can be skipped (pass.c). */
static uint64_t issue_instruction(const sm_warp *w, uint64_t t, bool alone)
{
    enum { PATIENCE = 256 };
    if (alone) {
        return t;
    }
    calendar *c = &scheduler(w)[SM_UNIT_ISSUE];
    return calendar_next(c, t) > t + PATIENCE ? t + PATIENCE : calendar_take(c, t, 1);
}

/* The unit that executes an integer addition issued at cycle T or later: the ALU or the multiplier,
 * whichever is free first. */
static uint32_t unit_for_sum(const sm_warp *w, const calendar *all, uint64_t t)
{
    const uint64_t alu = calendar_next(&all[SM_UNIT_ALU], t);
    const uint64_t product = calendar_next(&all[SM_UNIT_PRODUCT], t);
    const bool alu_last = w->sched->clock.last_unit == SM_UNIT_ALU;
    return product < alu || (product == alu && alu_last) ? SM_UNIT_PRODUCT : SM_UNIT_ALU;
}

/* Issue one instruction of CLASS at cycle T or later; returns the cycle at which it issues. */
static uint64_t issue_class(const sm_warp *w, sm_class class, uint64_t t, bool alone)
{
    if (alone) {
        return t;
    }
    calendar *all = scheduler(w), *c = &all[unit_of[class]];
    if (class == SM_CLASS_add) {
        c = &all[unit_for_sum(w, all, t)];
    } else {
        w->sched->clock.last_unit = unit_of[class];
    }
    if (unit_of[class] != SM_UNIT_ISSUE) {
        t = calendar_take(c, t, cycles_of(w)->of[class].pace);
    }
    return issue_instruction(w, t, false);
}

/* --- cycles at which results are ready -------------------------------------------------------- */

/* A ready time of a register is stored as cycle * BY + producer. The producer is a unit of the
 * scheduler or one of the BY_* values. */
enum { BY = 16, BY_SUM = SM_UNITS, BY_WIDE_SUM, BY_MEMORY, BY_PREDICATE, BY_NOBODY };

static uint32_t producer_of_class(sm_class class)
{
    return class == SM_CLASS_add         ? BY_SUM
           : class == SM_CLASS_predicate ? BY_PREDICATE
                                         : unit_of[class];
}

/* The cycle from which an instruction of producer WHO can read a register with ready time R. */
static uint64_t usable_at_cycle(const sm_cycles *y, uint64_t r, uint32_t who)
{
    uint32_t by = r % BY;
    if (by == BY_WIDE_SUM) {
        /* the upper half waits for the carry, and an address needs both halves */
        r += who == BY_MEMORY ? y->latency_add * BY : 0;
        by = BY_SUM;
    }
    if (by == BY_NOBODY || !r || by == who) {
        return r / BY;
    }
    if (by == BY_PREDICATE) {
        return r / BY + (who == SM_UNIT_ALU ? 0 : y->predicate_wait);
    }
    return r / BY + y->other_unit;
}

uint64_t sm_clock_usable(const sm_warp *w, uint32_t reg)
{
    const sm_cycles *y = cycles_of(w);
    return w->sched->frame->ready[reg] / BY + later(y->predicate_wait, y->other_unit);
}

static uint64_t sources_ready(const sm_warp *w, const sm_step *s, uint32_t who)
{
    const uint64_t *ready = w->sched->frame->ready;
    const sm_cycles *y = cycles_of(w);
    uint64_t t = w->sched->clock.floor;
    for (uint32_t k = s->results; k < s->results + s->sources; k++) {
        const bool guard = s->reg[k] == s->guard;
        t = later(t, usable_at_cycle(y, ready[s->reg[k]], guard ? BY_NOBODY : who));
    }
    return t;
}

/* Does step S read a result of producer MAKER that is not ready before cycle T? */
static bool waits_for(const sm_warp *w, const sm_step *s, uint32_t maker, uint64_t t)
{
    const uint64_t other = cycles_of(w)->other_unit;
    const uint64_t *ready = w->sched->frame->ready;
    bool any = false;
    for (uint32_t k = s->results; k < s->results + s->sources; k++) {
        const uint64_t r = ready[s->reg[k]];
        any = any || (r % BY == maker && r / BY + other >= t);
    }
    return any;
}

static void set_results(const sm_warp *w, const sm_step *s, uint64_t t, uint32_t who)
{
    uint64_t *ready = w->sched->frame->ready;
    for (uint32_t k = 0; k < s->results; k++) {
        ready[s->reg[k]] = t * BY + who;
    }
}

/* Step S is a copy without machine code: its results are ready when its sources are. */
static void hand_on(const sm_warp *w, const sm_step *s)
{
    uint64_t *ready = w->sched->frame->ready, last = 0;
    for (uint32_t k = s->results; k < s->results + s->sources; k++) {
        last = later(last, ready[s->reg[k]]);
    }
    for (uint32_t k = 0; k < s->results; k++) {
        ready[s->reg[k]] = last;
    }
}

/* End a region of reordering: all earlier instructions have issued, and no later one issues before
 * cycle T. */
static void close_region(sm_warp_clock *c, uint64_t t)
{
    c->now = later(c->now, t);
    c->floor = c->now;
}

/* An instruction that waited for memory issues at T. ptxas moves later loads ahead of a few such
 * instructions. */
static void note_stall(sm_warp_clock *c, uint64_t t)
{
    if (t > c->now) {
        c->stall[c->stalls++ % SM_STALLS] = t;
    }
}

static void note_special_stall(sm_warp_clock *c, uint64_t t)
{
    if (t > c->now) {
        c->special_stall[c->special_stalls++ % SM_SPECIAL_STALLS] = t;
    }
}

/* The earliest cycle for an instruction of the special unit after recent stalls. ptxas spaces these
 * instructions by PACE cycles as if no instruction stalled, so the next instruction issues at least
 * PACE - 1 cycles after a stalled one. */
static uint64_t special_after_stalls(const sm_warp_clock *c, uint32_t pace)
{
    const uint64_t stall = c->special_stall[c->special_stalls % SM_SPECIAL_STALLS];
    return stall ? stall + pace - 1 : 0;
}

static bool is_special(const sm_step *s, uint32_t p)
{
    return s->part[p].times && unit_of[s->part[p].of] == SM_UNIT_SPECIAL;
}

static void issue_plain_step(const sm_warp *w, sm_warp_clock *c, const sm_step *s, bool alone)
{
    const sm_cycles *y = cycles_of(w);
    uint32_t who = producer_of_class(s->part[0].of);
    uint64_t t = later(sources_ready(w, s, who), s->apart || !s->results ? c->now : 0);
    if (waits_for(w, s, BY_MEMORY, 0)) {
        note_stall(c, t);
    }
    if (!is_special(s, 0) && waits_for(w, s, SM_UNIT_SPECIAL, t)) {
        note_special_stall(c, t);
    }
    uint64_t at = t;
    for (uint32_t p = 0; p < SM_STEP_PARTS; p++) {
        const sm_class of = s->part[p].of;
        if (p && is_special(s, p - 1) && s->part[p].times && !is_special(s, p)) {
            note_special_stall(c, t);
        } else if (is_special(s, p)) {
            t = later(t, special_after_stalls(c, y->of[of].pace));
        }
        for (uint32_t n = 0; n < s->part[p].times; n++) {
            if (s->part[p].beside) {
                at = issue_class(w, of, at + 1, alone);
            } else {
                at =
                    issue_class(w, of, producer_of_class(of) == who ? t : t + y->other_unit, alone);
                t = at + y->of[of].latency;
                who = producer_of_class(of);
            }
            c->now = later(c->now, at + 1);
        }
    }
    set_results(w, s, t, s->part[1].beside && who == BY_SUM ? BY_WIDE_SUM : who);
    if (s->apart) {
        close_region(c, t);
    }
}

/* Memory operations stay in order where ptxas cannot know that they access different locations:
 * loads may pass loads, and shared memory is distinct from all other memory. */
static void issue_memory_access(sm_warp *w, sm_warp_clock *c, const sm_step *s, const sm_insn *m,
                                uint32_t mask)
{
    const bool shared = s->in->space == PTX_SPACE_SHARED, load = s->kind == SM_STEP_LOAD;
    const bool constant = s->in->space == PTX_SPACE_CONST || ptx_has(s->in, PTX_MOD_nc);
    uint64_t t = later(sources_ready(w, s, BY_MEMORY), constant ? 0 : c->stores[shared]);
    if (!load || s->ordered) {
        t = later(t, c->loads[shared]);
    } else {
        t = later(t, c->stall[c->stalls % SM_STALLS]);
    }
    const uint64_t backlog = c->way > SM_BACKLOG ? c->way - SM_BACKLOG : 0;
    const uint64_t at = issue_instruction(w, load ? t : later(t, backlog), false);
    c->now = later(c->now, at + 1);
    uint64_t *last = load ? &c->loads[shared] : &c->stores[shared];
    *last = later(*last, at + 1);
    if (!mask) {
        return;
    }
    const uint64_t done = sm_clock_memory(w, s, m, mask, at);
    set_results(w, s, done, BY_MEMORY);
    if (!load) {
        c->written = later(c->written, done);
    } else if (shared) {
        c->read = later(c->read, done);
    }
}

/* The cycle at which a nanosleep of M that begins at T ends. A timer that starts with the launch
 * ticks every 2^n ns, the smallest power of two above the requested time; the sleep ends at the
 * next tick. */
static uint64_t sleep_until(const sm_warp *w, const sm_insn *m, uint32_t mask, uint64_t t)
{
    const sm_grid *g = w->block->grid;
    const uint64_t ns = mask ? SM_R(uint32_t, w, m->a)[__builtin_ctz(mask)] : 0;
    const uint64_t period = UINT64_C(1) << (64 - __builtin_clzll(ns | 1));
    const uint64_t base = clock_of_launch(g);
    const double cycles = (double)period * g->clock_mhz / 1000;
    const double passed = (double)(t > base ? t - base : 0);
    const uint64_t end = base + (uint64_t)(((double)(uint64_t)(passed / cycles) + 1) * cycles);
    return later(t + cycles_of(w)->nanosleep, end);
}

/* The cycle at which fence IN, issued at cycle T, ends: at least the latency of a fence, and not
 * before earlier stores are written. */
static uint64_t fence_until(const sm_cycles *y, const sm_warp_clock *c, const ptx_insn *in,
                            uint64_t t)
{
    if (ptx_has(in, PTX_MOD_cta) || ptx_has(in, PTX_MOD_cluster)) {
        return t + y->fence_block;
    }
    const uint32_t cycles = ptx_has(in, PTX_MOD_sys) ? y->fence_system : y->fence;
    return later(t + cycles, c->written + cycles / 2);
}

static bool is_taken(const sm_warp *w, const sm_insn *m)
{
    return !m->a || (w->mask & (SM_P(w, m->a) ^ (uint32_t)m->imm));
}

/* Set how far the clock of warp W may run ahead of the other warps of its block, with which it
 * shares the units of the SM: AHEAD cycles, or 0 for warps of the same scheduler. Returns false if
 * W is already too far ahead. */
bool sm_clock_slice(sm_warp *w)
{
    enum { AHEAD = 64 };
    const sm_block *b = w->block;
    struct sm_sched *s = w->sched;
    s->sliced = false;
    s->slice = UINT64_MAX;
    if (b->grid->unit->waits) {
        return true;
    }
    const calendar *mine = scheduler(w);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *o = b->warp[n].sched;
        if (o != s && o->runnable && !o->done) {
            const uint64_t until = o->clock.now + (scheduler(&b->warp[n]) == mine ? 0 : AHEAD);
            s->slice = until < s->slice ? until : s->slice;
        }
    }
    s->sliced = s->clock.now > s->slice;
    return !s->sliced;
}

/* Can step S of warp W issue directly after the preceding instruction? Then the emulator keeps
 * running W. */
static bool issues_at_once(const sm_warp *w, const sm_step *s, const sm_insn *i)
{
    if (i->flags & SM_I_IN_WAIT) {
        return false; /* a loop that polls reserves no unit, and skipping of iterations ends with
                         the slice */
    }
    const uint64_t now = w->sched->clock.now;
    const bool plain = s->kind == SM_STEP_PLAIN;
    const sm_class of = s->part[0].of;
    const calendar *all = scheduler(w);
    return s->kind == SM_STEP_FREE || s->kind == SM_STEP_ENTRY ||
           (sources_ready(w, s, plain ? producer_of_class(of) : BY_MEMORY) <= now &&
            calendar_next(&all[SM_UNIT_ISSUE], now) == now &&
            (!plain || calendar_next(&all[unit_of[of]], now) == now));
}

static const sm_insn *give_slice(sm_warp *w, const sm_insn *i)
{
    sm_lay_down(w, i, SM_READY);
    w->sched->sliced = true;
    return NULL;
}

/* Issue step S, which no later instruction can pass. Returns the cycle before which no later
 * instruction of W issues. */
static uint64_t closes_until(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask,
                             bool alone)
{
    const sm_cycles *y = cycles_of(w);
    const sm_warp_clock *c = &w->sched->clock;
    if (s->kind == SM_STEP_ENTRY) {
        return c->now;
    }
    const uint64_t from = later(sources_ready(w, s, BY_NOBODY), c->now);
    const uint64_t t = issue_instruction(w, from, alone);
    switch (s->kind) {
    case SM_STEP_BRANCH:
        issue_instruction(
            w, t + 1, alone); /* the scheduler issues no other instruction in the next two cycles */
        return t + (is_taken(w, m) ? y->branch : y->branch_through);
    case SM_STEP_CALL:
        return t + y->call;
    case SM_STEP_BARRIER:
        return later(t, c->read);
    case SM_STEP_FENCE:
        return fence_until(y, c, s->in, t);
    case SM_STEP_SLEEP:
        return sleep_until(w, m, mask, t);
    default:
        return t;
    }
}

/* Warp W enters line LINE of its code. The fetch of LINE began when W entered the preceding line.
 * No instruction issues until the fetch is done. */
static void enter_line(const sm_warp *w, sm_warp_clock *c, uint32_t line)
{
    const sm_cycles *y = cycles_of(w);
    uint64_t *until;
    const uint32_t level = code_cache_fetch(sm_of(w)->code, line, &until);
    if (level) {
        *until = c->entered + (level == 1 ? y->code_line : y->code_line_far);
    }
    c->floor = later(c->floor, *until);
    c->entered = later(c->now, c->floor);
    c->line = line;
}

const sm_insn *sm_clock_step(sm_warp *w, const sm_insn *i)
{
    const sm_step *s = i->extra;
    sm_warp_clock *c = &w->sched->clock;
    if (c->now > w->sched->slice && !(w->sched->slice && issues_at_once(w, s, i))) {
        return give_slice(w, i);
    }
    if (sm_of(w)->code && s->at / CODE_LINE != c->line) {
        enter_line(w, c, s->at / CODE_LINE);
    }
    const sm_insn *m = i + 1;
    uint32_t mask = w->mask;
    if (i->flags & SM_I_GUARDED) {
        mask &= SM_P(w, m->a) ^ (uint32_t)m->imm;
        m++;
    }
    switch (s->kind) {
    case SM_STEP_FREE:
        hand_on(w, s);
        break;
    case SM_STEP_LOAD:
    case SM_STEP_STORE:
    case SM_STEP_ATOMIC:
        issue_memory_access(w, c, s, m, mask);
        break;
    case SM_STEP_TEXTURE: {
        const uint64_t t = issue_instruction(w, sources_ready(w, s, BY_MEMORY), false);
        c->now = later(c->now, t + 1);
        set_results(w, s, t + cycles_of(w)->texture_load, BY_MEMORY);
        c->fetch = s;
        c->fetched = t;
        break;
    }
    case SM_STEP_PLAIN:
        issue_plain_step(w, c, s, i->flags & SM_I_IN_WAIT);
        break;
    default:
        close_region(c, closes_until(w, s, m, mask, i->flags & SM_I_IN_WAIT));
        break;
    }
    return i + 1;
}

void sm_clock_far_texel(sm_warp *w, uint64_t line)
{
    const sm_cycles *y = cycles_of(w);
    const sm_warp_clock *c = &w->sched->clock;
    const sm_step *s = c->fetch;
    const uint64_t wait = clock_far_wait(w, line);
    const uint64_t t = c->fetched + y->texture_load + (wait > y->l1_load ? wait - y->l1_load : 0);
    if (s && s->results && t > w->sched->frame->ready[s->reg[0]] / BY) {
        set_results(w, s, t, BY_MEMORY);
    }
}

uint64_t sm_clock_read(sm_warp *w, ptx_sreg sreg)
{
    const sm_cycles *y = cycles_of(w);
    const uint64_t at = w->sched->clock.now;
    w->sched->clock.watch.read = at;
    const uint64_t ns = (uint64_t)((double)at * 1000 / w->block->grid->clock_mhz);
    const uint64_t time = ns / y->timer_step_ns * y->timer_step_ns;
    switch (sreg) {
    case PTX_SREG_clock:
        close_region(&w->sched->clock, at + y->read_clock32);
        return (uint32_t)at;
    case PTX_SREG_clock_hi:
        close_region(&w->sched->clock, at + y->read_clock32);
        return at >> 32;
    case PTX_SREG_clock64:
        close_region(&w->sched->clock, at + y->read_clock);
        return at;
    default:
        close_region(&w->sched->clock, at + y->read_timer);
        return sreg == PTX_SREG_globaltimer      ? time
               : sreg == PTX_SREG_globaltimer_lo ? (uint32_t)time
                                                 : time >> 32;
    }
}

uint64_t sm_clock_now(const sm_warp *w)
{
    return w->sched->clock.now;
}

void sm_clock_wait(sm_warp *w, uint64_t until)
{
    close_region(&w->sched->clock, until);
    sm_of(w)->since = until;
    if (w->sched->slice != UINT64_MAX || !w->block->grid->unit->waits) {
        w->sched->slice = 0; /* all warps of the block resume at the same time */
    }
}

void sm_clock_begin_warps(sm_block *b, uint64_t start)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct sm_sched *s = b->warp[n].sched;
        s->clock = (sm_warp_clock){.floor = start, .now = start};
        for (uint32_t r = 0; r < s->base.code->func->reg_count; r++) {
            s->base.ready[r] = 0;
        }
    }
}

uint64_t sm_clock_latest(const sm_block *b)
{
    uint64_t last = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        last = later(last, b->warp[n].sched->clock.now);
    }
    return last;
}
