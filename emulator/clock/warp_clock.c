#include "../core/warp_clock.h"

#include "../exec/exec.h"
#include "../sm/sched.h"
#include "sm_clock.h"

/* The unit of a scheduler that a class of instructions goes through. */
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

/* The scheduler of W: warps go to them in turn. */
static calendar *scheduler(const sm_warp *w)
{
    const uint32_t count = w->block->grid->launch->schedulers;
    return sm_of(w)->unit[w->index % (count && count <= SCHEDULERS ? count : 1)];
}

/* ALONE: in a loop that only watches a clock (SM_I_IN_WAIT). Its instructions find every unit free
 * and leave it so: whoever else works on the SM changes when the loop ends by an iteration at most,
 * and iterations that all take the same time can be skipped (pass.c). */
static uint64_t issue(const sm_warp *w, uint64_t t, bool alone)
{
    return alone ? t : calendar_take(&scheduler(w)[SM_UNIT_ISSUE], t, 1);
}

/* One instruction of CLASS: when it issues, from T on. Sums go where there is room first. */
static uint64_t issue_class(const sm_warp *w, sm_class class, uint64_t t, bool alone)
{
    if (alone) {
        return t;
    }
    calendar *all = scheduler(w), *c = &all[unit_of[class]];
    if (class == SM_CLASS_add &&
        calendar_next(&all[SM_UNIT_PRODUCT], t) < calendar_next(&all[SM_UNIT_ALU], t)) {
        c = &all[SM_UNIT_PRODUCT];
    }
    if (unit_of[class] != SM_UNIT_ISSUE) {
        t = calendar_take(c, t, cycles_of(w)->of[class].pace);
    }
    return issue(w, t, false);
}

/* --- when results are ready ---------------------------------------------------------------------
 */

/* A result's time, and who made it: a unit of the scheduler, or one of these. */
enum { BY = 16, BY_SUM = SM_UNITS, BY_MEMORY, BY_PREDICATE, BY_NOBODY };

static uint32_t maker(sm_class class)
{
    return class == SM_CLASS_add         ? BY_SUM
           : class == SM_CLASS_predicate ? BY_PREDICATE
                                         : unit_of[class];
}

/* When WHO, a maker, can use what is ready at R. */
static uint64_t usable(const sm_cycles *y, uint64_t r, uint32_t who)
{
    const uint32_t by = r % BY;
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
        t = later(t, usable(y, ready[s->reg[k]], guard ? BY_NOBODY : who));
    }
    return t;
}

static bool needs_memory(const sm_warp *w, const sm_step *s)
{
    const uint64_t *ready = w->sched->frame->ready;
    bool any = false;
    for (uint32_t k = s->results; k < s->results + s->sources; k++) {
        any = any || ready[s->reg[k]] % BY == BY_MEMORY;
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

/* The result is as ready as what it is made of. */
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

/* All so far has issued, and nothing issues before T. */
static void close_region(sm_warp_clock *c, uint64_t t)
{
    c->now = later(c->now, t);
    c->floor = c->now;
}

/* An instruction issues at T, and has waited for memory: the assembler brings loads in front of a
 * few of these. */
static void note_stall(sm_warp_clock *c, uint64_t t)
{
    if (t > c->now) {
        c->stall[c->stalls++ % SM_STALLS] = t;
    }
}

static void plain(const sm_warp *w, sm_warp_clock *c, const sm_step *s, bool alone)
{
    const sm_cycles *y = cycles_of(w);
    uint32_t who = maker(s->part[0].of);
    uint64_t t = later(sources_ready(w, s, who), s->apart ? c->now : 0);
    if (needs_memory(w, s)) {
        note_stall(c, t);
    }
    for (uint32_t p = 0; p < SM_STEP_PARTS; p++) {
        const sm_class of = s->part[p].of;
        for (uint32_t n = 0; n < s->part[p].times; n++) {
            t = maker(of) == who || s->part[p].beside ? t : t + y->other_unit;
            const uint64_t at = issue_class(w, of, t, alone);
            c->now = later(c->now, at + 1);
            if (!s->part[p].beside) {
                t = at + y->of[of].latency;
                who = maker(of);
            }
        }
    }
    set_results(w, s, t, who);
    if (s->apart) {
        close_region(c, t);
    }
}

/* Memory operations keep their order where the assembler cannot know that they are of different
 * places: loads pass loads, and shared memory is none of the others. */
static void access(sm_warp *w, sm_warp_clock *c, const sm_step *s, const sm_insn *m, uint32_t mask)
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
    const uint64_t at = issue(w, load ? t : later(t, backlog), false);
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

static uint64_t sleep_cycles(const sm_warp *w, const sm_insn *m, uint32_t mask)
{
    const uint64_t ns = mask ? SM_R(uint32_t, w, m->a)[__builtin_ctz(mask)] : 0;
    return cycles_of(w)->nanosleep + (uint64_t)((double)ns * w->block->grid->clock_mhz / 1000);
}

/* Stores are on their way while the fence is. */
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

/* So far may one warp be ahead of the others of its block, which share the units of the SM: a part
 * of the time since all were at one place. */
static uint64_t slice_of(const sm_warp *w, uint64_t now)
{
    enum { LEAST = 16, PART = 16 };
    const uint64_t since = sm_of(w)->since;
    return later(LEAST, now > since ? (now - since) / PART : 0);
}

void sm_clock_slice(sm_warp *w)
{
    const sm_block *b = w->block;
    struct sm_sched *s = w->sched;
    s->sliced = false;
    s->slice = UINT64_MAX;
    if (b->grid->unit->waits) {
        return;
    }
    uint64_t first = UINT64_MAX;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *o = b->warp[n].sched;
        if (o != s && o->runnable && !o->done && o->clock.now < first) {
            first = o->clock.now;
        }
    }
    s->slice = first == UINT64_MAX ? first : first + slice_of(w, first);
}

static const sm_insn *give_slice(sm_warp *w, const sm_insn *i)
{
    sm_lay_down(w, i, SM_READY);
    w->sched->sliced = true;
    return NULL;
}

/* What closes a region: when it issues, and for how long nothing else does. */
static uint64_t closes_until(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask,
                             bool alone)
{
    const sm_cycles *y = cycles_of(w);
    const sm_warp_clock *c = &w->sched->clock;
    if (s->kind == SM_STEP_ENTRY) {
        return c->now;
    }
    const uint64_t t = issue(w, later(sources_ready(w, s, BY_NOBODY), c->now), alone);
    switch (s->kind) {
    case SM_STEP_BRANCH:
        return t + (is_taken(w, m) ? y->branch : y->branch_through);
    case SM_STEP_CALL:
        return t + y->call;
    case SM_STEP_BARRIER:
        return later(t, c->read);
    case SM_STEP_FENCE:
        return fence_until(y, c, s->in, t);
    case SM_STEP_SLEEP:
        return t + sleep_cycles(w, m, mask);
    default:
        return t;
    }
}

const sm_insn *sm_clock_step(sm_warp *w, const sm_insn *i)
{
    const sm_step *s = i->extra;
    sm_warp_clock *c = &w->sched->clock;
    if (c->now > w->sched->slice) {
        return give_slice(w, i);
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
        access(w, c, s, m, mask);
        break;
    case SM_STEP_TEXTURE: {
        const uint64_t t = issue(w, sources_ready(w, s, BY_MEMORY), false);
        c->now = later(c->now, t + 1);
        set_results(w, s, t + cycles_of(w)->texture_load, BY_MEMORY);
        break;
    }
    case SM_STEP_PLAIN:
        plain(w, c, s, i->flags & SM_I_IN_WAIT);
        break;
    default:
        close_region(c, closes_until(w, s, m, mask, i->flags & SM_I_IN_WAIT));
        break;
    }
    return i + 1;
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
        w->sched->slice = 0; /* all warps begin again at one time */
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
