#include "sched.h"
#include "../clock/clock.h"
#include "../compile/ptxas/facts.h"
#include "../compile/ptxas/joins.h"
#include "../observe/observe.h"
#include "barrier.h"
#include "cluster.h"
#include "effort.h"
#include "follow.h"
#include "sync.h"
#include "waits.h"
#include "windows.h"

#include <assert.h>
#include <string.h>

void sm_set_frame(sm_warp *w, sm_frame *f)
{
    w->sched->frame = f;
    w->r = f->window;
}

void sm_update_branch_limits(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    bool other = false;
    for (uint32_t k = 0; k < s->count && !other; k++)
        other = s->frag[k].wait_state == SM_READY;
    /* While a fragment runs out of order, every block entry looks for other fragments at its pc. */
    s->limit[0] = s->out_of_order ? NULL : SM_NO_BRANCH_LIMIT;
    s->limit[1] = s->out_of_order || s->count ? NULL : SM_NO_BRANCH_LIMIT;
    if (other && s->budget > SM_BRANCHES_PER_FRAGMENT) {
        s->left += s->budget - SM_BRANCHES_PER_FRAGMENT;
        s->budget = SM_BRANCHES_PER_FRAGMENT;
    }
}

/* Refill the budget of backward branches from the rest of the warp's time slice. */
static bool refill_branch_budget(struct sm_sched *s, bool others)
{
    if (mem_must_stop())
        s->left = 0;
    s->budget = others && s->left > SM_BRANCHES_PER_FRAGMENT ? SM_BRANCHES_PER_FRAGMENT : s->left;
    s->left -= s->budget;
    return s->budget > 0;
}

static const sm_insn *yield_warp(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    const uint64_t hash = sm_registers_hash(w, pc);
    s->idle = hash == s->hash;
    s->hash = hash;
    s->yielded = true;
    s->lone_slices += s->count != 0;
    sm_make_fragment_wait(w, pc, SM_READY);
    return NULL;
}

/* --- reconvergence ---------------------------------------------------------------------------- */

/* The pc of fragment G in function activation FRAME: its own pc, or the pc of the call from which G
 * has not returned. NULL: G is not in this activation. */
static const sm_insn *pc_in_frame(const sm_fragment *g, const sm_frame *frame)
{
    const sm_frame *at = g->frame;
    const sm_insn *pc = g->pc;
    while (at != frame && at->depth > frame->depth) {
        pc = at->site;
        at = at->caller;
    }
    return at == frame ? pc : NULL;
}

/* Whether another fragment can still reach the reconvergence point PC in FRAME. */
static bool must_wait_to_reconverge(const struct sm_sched *s, const sm_frame *frame,
                                    const sm_insn *pc)
{
    assert(pc);
    const sm_code *code = frame->code;
    const uint32_t *block = code->facts->joins->block;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_insn *at = pc_in_frame(&s->frag[k], frame);
        if (at && at != pc &&
            compile_reconvergence_waits_for(pc->extra, block[at->site - code->site_base]))
            return true;
    }
    return false;
}

static bool can_fragment_run(const struct sm_sched *s, const sm_fragment *f)
{
    return f->wait_state == SM_READY && !(f->waits && must_wait_to_reconverge(s, f->frame, f->pc));
}

/* Remove fragment K from the list and make it the running one. */
static inline const sm_insn *run_fragment(sm_warp *w, uint32_t k)
{
    struct sm_sched *s = w->sched;
    sm_fragment *f = &s->frag[k];
    const sm_insn *pc = f->pc, *loop = f->loop;
    const uint64_t hash = f->hash;
    w->memo_live = 0;
    s->order = f->order;
    s->count--;
    s->passing_point = f->waits && s->count ? pc : NULL;
    sm_set_frame(w, f->frame);
    sm_set_mask(w, f->mask);
    if (k != s->count)
        *f = s->frag[s->count];
    if (s->count || s->out_of_order)
        sm_update_branch_limits(w);
    else
        s->limit[0] = s->limit[1] = SM_NO_BRANCH_LIMIT;
    if (w->worker->waits)
        sm_iteration_begins(w, loop, hash);
    return pc;
}

/* Run the ready fragment with the highest order. */
static __attribute__((noinline)) const sm_insn *run_first_fragment(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    uint32_t best = UINT32_MAX, any = UINT32_MAX;
    for (uint32_t k = 0; k < s->count; k++) {
        const sm_fragment *f = &s->frag[k];
        if (f->wait_state != SM_READY)
            continue;
        if ((best == UINT32_MAX || f->order > s->frag[best].order) && can_fragment_run(s, f))
            best = k;
        if (any == UINT32_MAX || f->order > s->frag[any].order)
            any = k;
    }
    /* If all fragments wait for each other at reconvergence points, run the first one in order. */
    best = best == UINT32_MAX ? any : best;
    if (best == UINT32_MAX) {
        w->mask = 0;
        s->runnable = false;
        s->done = s->count == 0;
        return NULL;
    }
    return run_fragment(w, best);
}

const sm_insn *sm_next_fragment(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    s->out_of_order = false;
    return s->count == 1 && s->frag[0].wait_state == SM_READY ? run_fragment(w, 0)
                                                              : run_first_fragment(w);
}

void sm_add_fragment(sm_warp *w, uint32_t mask, sm_frame *frame, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    for (uint32_t k = 0; k < s->count; k++) {
        sm_fragment *f = &s->frag[k];
        if (f->pc == pc && f->frame == frame && f->wait_state == SM_READY) {
            f->mask |= mask;
            return;
        }
    }
    assert(s->count < SM_LANES);
    s->frag[s->count++] = (sm_fragment){.pc = pc,
                                        .frame = frame,
                                        .mask = mask,
                                        .wait_state = SM_READY,
                                        .order = s->order,
                                        .time_slice = s->time_slice};
}

sm_fragment *sm_make_fragment_wait(sm_warp *w, const sm_insn *pc, sm_wait_state wait_state)
{
    struct sm_sched *s = w->sched;
    assert(s->count < SM_LANES);
    sm_fragment *f = &s->frag[s->count++];
    *f = (sm_fragment){.pc = pc,
                       .frame = s->frame,
                       .mask = w->mask,
                       .wait_state = wait_state,
                       .order = s->order,
                       .time_slice = ++s->time_slice};
    return f;
}

void sm_give_highest_order(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    s->order = ++s->last_order;
}

const sm_insn *sm_diverge(sm_warp *w, uint32_t taken, const sm_insn *target, const sm_insn *next,
                          bool guard)
{
    const uint32_t rest = w->mask & ~taken;
    const bool jump = !guard && __builtin_popcount(taken) < __builtin_popcount(rest);
    sm_add_fragment(w, jump ? rest : taken, w->sched->frame, jump ? next : target);
    sm_set_mask(w, jump ? taken : rest);
    sm_give_highest_order(w);
    sm_update_branch_limits(w);
    return jump ? target : next;
}

/* Merge the running fragment with the waiting fragments at PC. */
static void merge_fragments_at(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    uint32_t mask = w->mask;
    for (uint32_t k = 0; k < s->count;) {
        sm_fragment *f = &s->frag[k];
        if (f->pc == pc && f->frame == s->frame && f->wait_state == SM_READY) {
            mask |= f->mask;
            *f = s->frag[--s->count];
        } else {
            k++;
        }
    }
    if (mask != w->mask)
        sm_set_mask(w, mask);
}

const sm_insn *sm_reconverge(sm_warp *w, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    const uint32_t before = s->count;
    if (pc->mode & SM_ENTRY_RECONVERGES && pc != s->passing_point &&
        must_wait_to_reconverge(s, s->frame, pc)) {
        merge_fragments_at(w, pc);
        sm_make_fragment_wait(w, pc, SM_READY)->waits = true;
        s->lone_slices = 0;
        return sm_next_fragment(w);
    }
    s->passing_point = NULL;
    merge_fragments_at(w, pc);
    if (!s->out_of_order) {
        sm_update_branch_limits(w);
        return sm_enter_block(w, pc);
    }
    if (--s->budget > 0) {
        if (s->count != before) {
            /* A fragment that waited here has been merged: return to the normal order. */
            s->out_of_order = false;
            sm_update_branch_limits(w);
        }
        return sm_enter_block(w, pc);
    }
    s->out_of_order = false;
    if (!refill_branch_budget(s, s->count != 0))
        return yield_warp(w, pc);
    sm_make_fragment_wait(w, pc, SM_READY);
    return sm_next_fragment(w);
}

/* The ready fragment that has not run for the longest time; UINT32_MAX: no fragment is ready. */
static uint32_t oldest_ready_fragment(const struct sm_sched *s)
{
    uint32_t oldest = UINT32_MAX;
    for (uint32_t k = 0; k < s->count; k++)
        if (s->frag[k].wait_state == SM_READY &&
            (oldest == UINT32_MAX || s->frag[k].time_slice < s->frag[oldest].time_slice))
            oldest = k;
    return oldest;
}

const sm_insn *sm_yield_to_others(sm_warp *w, const sm_insn *pc, bool all)
{
    struct sm_sched *s = w->sched;
    merge_fragments_at(w, pc);
    const bool others = all || s->lone_slices >= SM_YIELDS_BEFORE_RECONVERGE;
    const uint32_t oldest = others ? oldest_ready_fragment(s) : UINT32_MAX;
    if (!refill_branch_budget(s, s->count != 0))
        return yield_warp(w, pc);
    if (oldest == UINT32_MAX) {
        s->out_of_order = false;
        sm_update_branch_limits(w);
        return pc;
    }
    sm_make_fragment_wait(w, pc, SM_READY);
    s->out_of_order = true;
    return run_fragment(w, oldest);
}

const sm_insn *sm_nanosleep(sm_warp *w, const sm_insn *i)
{
    struct sm_sched *s = w->sched;
    if (i->flags & SM_I_IN_WAIT) {
        /* A loop yields anyway after some iterations; sleeping makes it yield earlier: by its
         * second branch, which can compare two iterations (waits.h). */
        const bool again = s->napped_at == i && s->count == 0;
        s->napped_at = i;
        s->left = again ? 0 : s->left;
        s->budget -=
            !again && s->budget > SM_BRANCHES_PER_FRAGMENT ? SM_BRANCHES_PER_FRAGMENT : s->budget;
        return i + 1;
    }
    s->budget = 0;
    if (s->count == 0)
        s->left = 0;
    return sm_yield_to_others(w, i + 1, true);
}

/* Let waiting fragments poll, one after another, until the warp's time slice is used up. */
const sm_insn *sm_yield_polling(sm_warp *w, const sm_insn *loop, const sm_insn *pc)
{
    struct sm_sched *s = w->sched;
    const uint64_t hash = sm_iteration_hash(w->worker);
    s->left += (s->budget > 0 ? s->budget : 0) - SM_BRANCHES_PER_FRAGMENT;
    s->budget = 0;
    const uint32_t oldest = s->left > 0 ? oldest_ready_fragment(s) : UINT32_MAX;
    if (oldest == UINT32_MAX) {
        yield_warp(w, pc);
    } else {
        refill_branch_budget(s, true);
        sm_make_fragment_wait(w, pc, SM_READY);
        s->out_of_order = true;
    }
    sm_fragment *f = &s->frag[s->count - 1];
    f->loop = loop;
    f->hash = hash;
    return oldest == UINT32_MAX ? NULL : run_fragment(w, oldest);
}

const sm_insn *sm_exit_lanes(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    const uint32_t gone = w->mask;
    w->exited |= gone;
    for (sm_frame *f = s->frame; f;) {
        sm_frame *caller = f->caller;
        f->lanes &= ~gone;
        if (f->lanes == 0 && caller)
            sm_recycle_frame(w, f);
        f = caller;
    }
    if (w->block->observed)
        observe_lanes_exit(w, gone);
    w->mask = 0;
    s->lone_slices = 0;
    sm_barrier_lanes_exit(w, gone);
    sm_cluster_lanes_exit(w, gone);
    if (s->count)
        sm_sync_wake_complete(w);
    return sm_next_fragment(w);
}

void sm_sched_start_warp(sm_warp *w, const sm_insn *entry)
{
    struct sm_sched *s = w->sched;
    s->count = 0;
    s->done = s->yielded = s->out_of_order = s->idle = s->sliced = false;
    s->runnable = s->late = true;
    s->steps = 0;
    s->time_slice = 0;
    s->slept = 0;
    memset(s->effort, 0, sizeof s->effort);
    memset(w->effort, 0, sizeof w->effort);
    w->once = 0;
    w->stored.sectors = 0;
    s->limit[0] = s->limit[1] = SM_NO_BRANCH_LIMIT;
    s->order = s->last_order = 0;
    s->passing_point = s->yielded_at = NULL;
    s->lone_slices = 0;
    s->base.lanes = w->lanes;
    s->base.allocates = false;
    w->exited = w->cluster_arrived = w->cluster_phase = 0;
    s->frag[s->count++] = (sm_fragment){.pc = entry, .frame = &s->base, .mask = w->lanes};
}

void sm_sched_run_warp(sm_warp *w)
{
    struct sm_sched *s = w->sched;
    s->yielded = false;
    if (!s->sliced) {
        s->napped_at = NULL;
        s->budget = SM_BRANCHES_PER_WARP;
        s->left = 0;
    }
    if (w->worker->clock && !clock_set_time_slice(w))
        return;
    w->worker->touched.slice = &s->budget;
    const sm_insn *i = sm_next_fragment(w);
    if (w->block->followed) {
        sm_run_observed(w, i);
        i = NULL;
    }
    while (i)
        i = i->fn(w, i);
    sm_effort_flush_large_sums(w);
}

const sm_insn *sm_yield_before_late_store(sm_warp *w, const sm_insn *i)
{
    struct sm_sched *s = w->sched;
    if (s->late || w->block->warp_count == 1)
        return i + 1;
    s->late = true;
    sm_make_fragment_wait(w, i + 1, SM_READY);
    return NULL;
}

/* Whether another warp of the block can run. */
static bool can_other_warp_run(const sm_warp *w)
{
    const sm_block *b = w->block;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *s = b->warp[n].sched;
        if (&b->warp[n] != w && s->runnable && !s->done)
            return true;
    }
    return false;
}

/* A warp lets other warps run before it loads a value in a tree reduction, at most this often
 * between two barriers: a tree reduction of 1024 threads has 10 steps. */
#define MAX_REDUCTION_STEPS 10

const sm_insn *sm_yield_before_reduction_load(sm_warp *w, const sm_insn *i)
{
    struct sm_sched *s = w->sched;
    if (s->steps == MAX_REDUCTION_STEPS || !can_other_warp_run(w))
        return i + 1;
    s->steps++;
    sm_make_fragment_wait(w, i + 1, SM_READY);
    return NULL;
}
