/* The barriers of a block (PTX ISA 9.7.13.1) and the barrier of a cluster (9.7.13.3). */
#include "barrier.h"
#include "../clock/clock.h"
#include "../observe/observe.h"
#include "cluster.h"
#include "fault.h"
#include "sched.h"
#include "sync.h"

static void write_barrier_result(const sm_fragment *f, uint32_t ones, uint32_t voters)
{
    const sm_insn *i = f->pc;
    uint8_t *d = f->frame->window + i->d;
    if (i->mode == SM_BAR_RED_POPC) {
        for (uint32_t r = f->mask; r; r &= r - 1)
            ((uint32_t *)d)[__builtin_ctz(r)] = ones;
    } else if (i->mode == SM_BAR_RED_AND || i->mode == SM_BAR_RED_OR) {
        const bool is = i->mode == SM_BAR_RED_AND ? ones == voters : ones != 0;
        uint32_t *p = (uint32_t *)d;
        *p = (*p & ~f->mask) | (is ? f->mask : 0);
    }
}

/* Mask of the warps that have threads waiting at barrier ID. */
static uint32_t warps_waiting_at(const sm_block *b, uint32_t id)
{
    uint32_t warps = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct sm_sched *s = b->warp[n].sched;
        for (uint32_t k = 0; k < s->count; k++) {
            const sm_fragment *f = &s->frag[k];
            warps |= (uint32_t)(f->wait_state == SM_AT_BARRIER && f->barrier == id) << n;
        }
    }
    return warps;
}

/* Set the modelled clocks of the waiting warps to the time of the last arrival. */
static void set_clocks_after_barrier(const sm_block *b, uint32_t id, bool votes)
{
    const sm_cycles *y = b->grid->cycles;
    uint64_t last = 0;
    uint32_t warps = 0, waiting = warps_waiting_at(b, id);
    for (uint32_t m = waiting; m; m &= m - 1) {
        const uint64_t at = clock_now(&b->warp[__builtin_ctz(m)]);
        last = at > last ? at : last;
        warps++;
    }
    for (uint32_t m = waiting; m; m &= m - 1) {
        clock_set_earliest(&b->warp[__builtin_ctz(m)], last + y->barrier +
                                                           (warps - 1) * y->barrier_warp +
                                                           (votes ? y->barrier_red : 0));
    }
}

/* Release the fragments (groups of lanes) of block B that wait at barrier ID. They read the result:
 * ONES of VOTERS threads voted true. */
static void release_waiting_fragments(const sm_block *b, uint32_t id, uint32_t ones,
                                      uint32_t voters)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct sm_sched *s = b->warp[n].sched;
        for (uint32_t k = 0; k < s->count; k++) {
            sm_fragment *f = &s->frag[k];
            if (f->wait_state != SM_AT_BARRIER || f->barrier != id)
                continue;
            write_barrier_result(f, ones, voters);
            s->runnable = true;
            s->late = false;
            s->steps = 0;
            f->wait_state = SM_READY;
            f->pc++;
            for (uint32_t j = 0; j < k; j++) {
                sm_fragment *g = &s->frag[j];
                if (g->wait_state == SM_READY && g->pc == f->pc && g->frame == f->frame) {
                    g->mask |= f->mask;
                    *f = s->frag[--s->count];
                    k--;
                    break;
                }
            }
        }
    }
}

static void release_barrier(sm_block *b, uint32_t id)
{
    sm_barrier *bar = &b->barriers->b[id];
    if (b->observed)
        observe_barrier_completes(b, id);
    if (b->observed && bar->expected == 0)
        observe_block_barrier(b);
    else if (b->observed)
        observe_barrier_release(b, id, warps_waiting_at(b, id));
    if (b->grid->clocks)
        set_clocks_after_barrier(b, id, bar->voters != 0);
    release_waiting_fragments(b, id, bar->ones, bar->voters);
    *bar = (sm_barrier){0};
    b->barriers->open &= ~(1u << id);
}

static bool is_barrier_complete(const sm_block *b, const sm_barrier *bar)
{
    return bar->arrived && bar->arrived >= (bar->expected ? bar->expected : b->barriers->live);
}

/* Whether other lanes of the warp wait at barrier ID: then the warp's arrival has been counted. */
static bool is_warp_waiting(const sm_warp *w, uint32_t id)
{
    const struct sm_sched *s = w->sched;
    for (uint32_t k = 0; k < s->count; k++)
        if (s->frag[k].wait_state == SM_AT_BARRIER && s->frag[k].barrier == id)
            return true;
    return false;
}

void sm_barrier_arrive(sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected, uint32_t ones,
                       uint32_t voters, bool wait)
{
    sm_block *b = w->block;
    sm_barrier *bar = &b->barriers->b[id];
    const uint32_t threads = sm_lane_count(w->mask);
    /* Lanes that a loop kept back arrive after the others. */
    w->worker->extra.v[CTR_barriers] -= is_warp_waiting(w, id);
    b->barriers->open |= 1u << id;
    bar->arrived += threads;
    bar->expected = expected;
    bar->ones += ones;
    bar->voters += voters;
    /* A barrier with an explicit thread count counts whole warps, lanes that have exited too. */
    if (expected && w->mask == sm_live_lanes(w))
        bar->arrived += SM_LANES - threads;
    if (b->observed)
        observe_threads_arrive(w, i, id, expected);
    if (b->observed && expected)
        observe_barrier_arrival(w, id);
    if (wait)
        sm_make_fragment_wait(w, i, SM_AT_BARRIER)->barrier = id;
    if (is_barrier_complete(b, bar))
        release_barrier(b, id);
}

void sm_barrier_lanes_exit(sm_warp *w, uint32_t lanes)
{
    sm_block *b = w->block;
    b->barriers->live -= sm_lane_count(lanes);
    for (uint32_t open = b->barriers->open; open; open &= open - 1) {
        const uint32_t id = (uint32_t)__builtin_ctz(open);
        if (is_barrier_complete(b, &b->barriers->b[id]))
            release_barrier(b, id);
    }
}

/* --- the barrier of a cluster ----------------------------------------------------------------- */

/* Begin the cluster barrier's next phase if all threads have arrived. */
static void complete_cluster_phase(sm_cluster *c)
{
    if (c->missing)
        return;
    c->phase ^= 1;
    c->missing = c->live;
    sm_cluster_note_barrier(c);
    for (uint32_t k = 0; k < c->count; k++)
        release_waiting_fragments(c->block[k], SM_CLUSTER_BARRIER_ID, 0, 0);
}

/* Lanes of W that have arrived in the current, incomplete phase of the cluster barrier. */
static uint32_t lanes_at_cluster_barrier(const sm_warp *w)
{
    const uint32_t now = w->block->cluster->phase ? SM_FULL : 0;
    return w->cluster_arrived & ~(w->cluster_phase ^ now);
}

bool sm_cluster_barrier_arrive(sm_warp *w, const sm_insn *i)
{
    sm_cluster *c = w->block->cluster;
    const uint32_t twice = w->mask & w->cluster_arrived;
    if (twice) {
        sm_stop_launch(w, i, SM_FAULT_SYNC, twice, 0, 0, PTX_SPACE_NONE,
                       "arrives at the barrier of the cluster again without having waited there");
        return false;
    }
    w->cluster_arrived |= w->mask;
    w->cluster_phase = (w->cluster_phase & ~w->mask) | (c->phase ? w->mask : 0);
    c->missing -= sm_lane_count(w->mask);
    complete_cluster_phase(c);
    return true;
}

const sm_insn *sm_cluster_barrier_wait(sm_warp *w, const sm_insn *i)
{
    const uint32_t never = w->mask & ~w->cluster_arrived,
                   still = w->mask & lanes_at_cluster_barrier(w);
    if (never) {
        return sm_stop_launch(w, i, SM_FAULT_SYNC, never, 0, 0, PTX_SPACE_NONE,
                              "waits at the barrier of the cluster without having arrived there");
    }
    w->cluster_arrived &= ~w->mask;
    if (!still)
        return i + 1;
    if (still != w->mask) {
        sm_add_fragment(w, w->mask & ~still, w->sched->frame, i + 1);
        sm_set_mask(w, still);
    }
    sm_make_fragment_wait(w, i, SM_AT_BARRIER)->barrier = SM_CLUSTER_BARRIER_ID;
    return sm_next_fragment(w);
}

void sm_cluster_lanes_exit(sm_warp *w, uint32_t lanes)
{
    sm_cluster *c = w->block->cluster;
    c->live -= sm_lane_count(lanes);
    c->missing -= sm_lane_count(lanes & ~lanes_at_cluster_barrier(w));
    if (c->live)
        complete_cluster_phase(c);
}
