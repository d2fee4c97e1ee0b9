/* The fragments of a warp: who runs, who waits, who merges. */
#include "sched.h"
#include "cluster.h"
#include "waits.h"

#include <assert.h>

void sm_set_frame(sm_warp *w, sm_frame *f)
{
    w->sched->frame = f;
    w->r = f->window;
}

void sm_set_limit(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    const sm_insn *limit = SM_NO_LIMIT;
    bool other = false;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (f->park != SM_READY) {
            continue;
        }
        other = true;
        if (f->frame == s->frame && f->pc < limit) {
            limit = f->pc;
        }
    }
    /* While another has its turn every block entry must ask whether it meets somebody. */
    s->limit = s->aside ? NULL : limit;
    if (other && s->budget > SM_PATIENCE_LANES) {
        s->left += s->budget - SM_PATIENCE_LANES;
        s->budget = SM_PATIENCE_LANES;
    }
}

/* Take a new budget out of what the warp has left for this turn. */
static bool renew(struct sm_sched *s, bool others)
{
    s->budget = others && s->left > SM_PATIENCE_LANES ? SM_PATIENCE_LANES : s->left;
    s->left -= s->budget;
    return s->budget > 0;
}

static const sm_insn *yield_warp(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    const uint64_t print = sm_turn_print(w, pc);
    s->idle = print == s->print;
    s->print = print;
    s->yielded = true;
    sm_lay_down(w, pc, SM_READY);
    return NULL;
}

static bool goes_before(const sm_fragment *a, const sm_fragment *b)
{
    if (a->frame->depth != b->frame->depth) {
        return a->frame->depth > b->frame->depth;
    }
    return a->pc < b->pc;
}

/* Take fragment K out of the list and run it. */
static const sm_insn *pick(sm_warp *w, uint32_t k)
{
    struct sm_sched *s = w->sched;
    const sm_fragment f = s->frag[k];
    s->frag[k] = s->frag[--s->count];
    w->memo_live = 0;
    sm_set_frame(w, f.frame);
    sm_set_mask(w, f.mask);
    sm_set_limit(w);
    sm_turn_begins(w, f.loop, f.print);
    return f.pc;
}

const sm_insn *sm_next(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    if (s->count == 1 && s->frag[0].park == SM_READY) {
        const sm_fragment *f = &s->frag[0];
        s->count = 0;
        s->aside = false;
        s->limit = SM_NO_LIMIT;
        w->memo_live = 0;
        sm_set_frame(w, f->frame);
        sm_set_mask(w, f->mask);
        sm_turn_begins(w, f->loop, f->print);
        return f->pc;
    }
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->frag[k].park == SM_READY &&
            (best == UINT32_MAX || goes_before(&s->frag[k], &s->frag[best]))) {
            best = k;
        }
    }
    s->aside = false;
    if (best == UINT32_MAX) {
        w->mask = 0;
        s->runnable = false;
        s->done = s->count == 0;
        return NULL;
    }
    return pick(w, best);
}

void sm_put(sm_warp *w, uint32_t mask, sm_frame *frame, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    for (uint32_t k = 0; k < s->count; k++) {
        sm_fragment *f = &s->frag[k];
        if (f->pc == pc && f->frame == frame && f->park == SM_READY) {
            f->mask |= mask;
            return;
        }
    }
    assert(s->count < SM_LANES);
    s->frag[s->count++] =
        (sm_fragment){.pc = pc, .frame = frame, .mask = mask, .park = SM_READY, .turn = s->turn};
}

sm_fragment *sm_lay_down(sm_warp *w, const sm_insn *pc, sm_park park)
{
    struct sm_sched *s = w->sched;
    assert(s->count < SM_LANES);
    sm_fragment *f = &s->frag[s->count++];
    *f = (sm_fragment){
        .pc = pc, .frame = s->frame, .mask = w->mask, .park = park, .turn = ++s->turn};
    return f;
}

const sm_insn *sm_diverge(sm_warp *w, uint32_t taken, const sm_insn *target, const sm_insn *next)
{
    struct sm_sched *s = w->sched;
    const uint32_t rest = w->mask & ~taken;
    if (target < next) {
        sm_put(w, rest, s->frame, next);
        sm_set_mask(w, taken);
        next = target;
    } else {
        sm_put(w, taken, s->frame, target);
        sm_set_mask(w, rest);
    }
    sm_set_limit(w);
    return next;
}

/* Join the running fragment with those that stand at PC. */
static void join(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    uint32_t mask = w->mask;
    for (uint32_t k = 0; k < s->count;) {
        sm_fragment *f = &s->frag[k];
        if (f->pc == pc && f->frame == s->frame && f->park == SM_READY) {
            mask |= f->mask;
            *f = s->frag[--s->count];
        } else {
            k++;
        }
    }
    if (mask != w->mask) {
        sm_set_mask(w, mask);
    }
}

const sm_insn *sm_meet(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    const uint32_t before = s->count;
    join(w, pc);
    if (s->aside) {
        if (--s->budget > 0) {
            if (s->count != before) {
                /* Whoever was met has waited here: go on together, in order. */
                s->aside = false;
                sm_set_limit(w);
                return s->limit > pc ? pc : sm_meet(w, pc);
            }
            /* The entry itself, without asking again. */
            struct sm_visits *v = &w->worker->visits[pc->imm];
            v->times++;
            v->lanes += sm_lane_count(w->mask);
            return pc + 1;
        }
        s->aside = false;
        if (!renew(s, s->count != 0)) {
            return yield_warp(w, pc);
        }
    }
    sm_set_limit(w);
    if (s->limit > pc) {
        return pc;
    }
    sm_lay_down(w, pc, SM_READY);
    return sm_next(w);
}

const sm_insn *sm_yield(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    join(w, pc);
    uint32_t oldest = UINT32_MAX;
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->frag[k].park == SM_READY &&
            (oldest == UINT32_MAX || s->frag[k].turn < s->frag[oldest].turn)) {
            oldest = k;
        }
    }
    if (!renew(s, oldest != UINT32_MAX)) {
        return yield_warp(w, pc);
    }
    if (oldest == UINT32_MAX) {
        s->aside = false;
        sm_set_limit(w);
        return pc;
    }
    sm_lay_down(w, pc, SM_READY);
    s->aside = true;
    return pick(w, oldest);
}

const sm_insn *sm_sleep(sm_warp *w, const sm_insn *i)
{
    struct sm_sched *s = w->sched;
    if (i->flags & SM_I_IN_WAIT) {
        /* Where the loop counts its turns, it gives way after some of them. */
        s->budget -= s->budget < SM_PATIENCE_LANES ? s->budget : SM_PATIENCE_LANES;
        return i + 1;
    }
    s->budget = 0;
    if (s->count == 0) {
        s->left = 0;
    }
    return sm_yield(w, i + 1);
}

/* What is left of the warp's patience goes into looking by turns, where several fragments wait. */
const sm_insn *sm_give_way(sm_warp *w, const sm_insn *loop, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    const uint64_t print = sm_turn_last(w->worker);
    s->left += (s->budget > 0 ? s->budget : 0) - SM_PATIENCE_LANES;
    s->budget = 0;
    uint32_t oldest = UINT32_MAX;
    for (uint32_t k = 0; k < s->count && s->left > 0; k++) {
        if (s->frag[k].park == SM_READY &&
            (oldest == UINT32_MAX || s->frag[k].turn < s->frag[oldest].turn)) {
            oldest = k;
        }
    }
    if (oldest == UINT32_MAX) {
        yield_warp(w, pc);
    } else {
        renew(s, true);
        sm_lay_down(w, pc, SM_READY);
        s->aside = true;
    }
    sm_fragment *f = &s->frag[s->count - 1];
    f->loop = loop;
    f->print = print;
    return oldest == UINT32_MAX ? NULL : pick(w, oldest);
}

const sm_insn *sm_exit(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    const uint32_t gone = w->mask;
    w->exited |= gone;
    for (sm_frame *f = s->frame; f;) {
        sm_frame *caller = f->caller;
        f->lanes &= ~gone;
        if (f->lanes == 0 && caller) {
            sm_frame_put(w, f);
        }
        f = caller;
    }
    w->mask = 0;
    sm_barrier_exit(w, gone);
    sm_cluster_exit(w, gone);
    if (s->count) {
        sm_sync_recheck(w);
    }
    return sm_next(w);
}

void sm_sched_start(sm_warp *w, const sm_insn *entry)
{
    struct sm_sched *s = w->sched;
    s->count = 0;
    s->done = s->yielded = s->aside = s->idle = false;
    s->runnable = s->late = true;
    s->turn = 0;
    s->slept = 0;
    s->limit = SM_NO_LIMIT;
    s->base.lanes = w->lanes;
    s->base.allocates = false;
    w->exited = w->cluster_arrived = w->cluster_phase = 0;
    s->frag[s->count++] = (sm_fragment){.pc = entry, .frame = &s->base, .mask = w->lanes};
}

void sm_sched_run(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    s->yielded = false;
    s->budget = SM_PATIENCE_WARP;
    s->left = 0;
    const sm_insn *i = sm_next(w);
    while (i) {
        i = i->fn(w, i);
    }
}
