/* Runs the resident blocks of a cluster, or a single block, in time slices, and reports a deadlock
 * when no block can continue. */
#include "../clock/clock.h"
#include "../observe/observe.h"
#include "../profiler/l1.h"
#include "../ptx/traits.h"
#include "../sm/async/flight.h"
#include "../sm/effort.h"
#include "../sm/fault.h"
#include "../sm/sched.h"
#include "../sm/sync.h"
#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds after which the worker switches to other blocks although the current blocks do more than
 * poll: a thread may do a lot of work between two polls, for instance visit all nodes of a graph
 * again. In code that may wait for another block, a round in which a warp used up its budget counts
 * as POLL_SLICE_ROUNDS. */
#define MAX_SLICE_ROUNDS  256 /* most successive rounds of one cluster */
#define POLL_SLICE_ROUNDS 128 /* what a round of a warp that uses up its budget counts as */

struct launch_resident {
    sm_worker *worker; /* the host thread that runs the blocks */
    bool polls;        /* in the last time slice all threads only polled unchanged values */
    launch_progress_record progress; /* recorded progress of the blocks */
    sm_cluster cluster;              /* the cluster, or the single block */
    launch_block_storage
        block_storage[]; /* [cluster.count] memory and state of each block, by rank */
};

void launch_resident_free(launch_resident *r)
{
    if (!r)
        return;
    for (uint32_t k = 0; k < r->cluster.count; k++)
        launch_block_storage_close(&r->block_storage[k]);
    sm_bulk_copies_free(r->cluster.bulk_copies);
    launch_progress_free(&r->progress);
    free(r);
}

launch_resident *launch_resident_new(sm_worker *k)
{
    const uint32_t *shape = k->grid->cluster, count = shape[0] * shape[1] * shape[2];
    launch_resident *r = calloc(1, sizeof *r + count * sizeof r->block_storage[0]);
    if (!r)
        return NULL;
    r->worker = k;
    r->cluster.count = count;
    r->cluster.bulk_copies = sm_bulk_copies_new();
    bool good = r->cluster.bulk_copies != NULL;
    for (uint32_t n = 0; good && n < count; n++) {
        good = launch_block_storage_open(&r->block_storage[n], k, &r->cluster, n);
        r->cluster.block[n] = &r->block_storage[n].block;
    }
    if (!good) {
        launch_resident_free(r);
        return NULL;
    }
    return r;
}

/* Linear index in the grid of the block with rank RANK of cluster INDEX. */
static uint64_t block_linear_index(const sm_grid *g, uint64_t index, uint32_t rank)
{
    const uint32_t *grid = g->launch->grid, *shape = g->cluster;
    const uint64_t wide = grid[0] / shape[0], high = grid[1] / shape[1];
    const uint64_t x = index % wide * shape[0] + rank % shape[0];
    const uint64_t y = index / wide % high * shape[1] + rank / shape[0] % shape[1];
    const uint64_t z = index / wide / high * shape[2] + rank / shape[0] / shape[1];
    return x + grid[0] * (y + grid[1] * z);
}

void launch_resident_begin(launch_resident *r, uint64_t cluster)
{
    for (uint32_t k = 0; k < r->cluster.count; k++) {
        launch_block_storage_begin(&r->block_storage[k],
                                   block_linear_index(r->worker->grid, cluster, k));
    }
    sm_cluster_begin(&r->cluster);
    launch_progress_free(&r->progress);
}

uint32_t launch_resident_count(const launch_resident *r)
{
    return r->cluster.count;
}

const sm_block *launch_resident_block(const launch_resident *r, uint32_t rank)
{
    return &r->block_storage[rank].block;
}

bool launch_resident_polls(const launch_resident *r)
{
    return r->polls;
}

/* --- deadlock --------------------------------------------------------------------------------- */

static const char *describe_waiting(const sm_fragment *f, const ptx_insn *in, char *buf,
                                    size_t size)
{
    if (f->wait_state == SM_AT_SYNC) {
        snprintf(buf, size, "%s for the lanes of mask 0x%08x",
                 ((const sm_sync_form *)f->pc->extra)->name, f->member);
    } else if (ptx_is_block_barrier(in) && f->barrier == 0) {
        snprintf(buf, size, "__syncthreads() (barrier 0)");
    } else if (f->barrier == SM_CLUSTER_BARRIER_ID) {
        snprintf(buf, size, "the barrier of the cluster");
    } else {
        snprintf(buf, size, "barrier %u", f->barrier);
    }
    return buf;
}

/* The list of waiting threads in a deadlock report. */
typedef struct waiting_list {
    char text[1400]; /* the list, one row for each group of waiting lanes */
    size_t used;     /* bytes used in `text` */
    uint32_t rows;   /* number of rows, including those that did not fit into `text` */
} waiting_list;

static void add_waiting_rows(waiting_list *a, const launch_resident *r, const sm_block *b)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const sm_warp *w = &b->warp[n];
        for (uint32_t k = 0; k < w->sched->count && a->used < sizeof a->text; k++) {
            const sm_fragment *f = &w->sched->frag[k];
            if (f->wait_state == SM_READY || ++a->rows > 6)
                continue;
            const ptx_insn *in = sm_site_insn(w, f->pc);
            char where[160], lanes[100], what[120], of[60] = "";
            ptx_source_position(b->grid->unit->module, in, where, sizeof where);
            sm_lanes_text(f->mask, lanes, sizeof lanes);
            if (r->cluster.count > 1)
                snprintf(of, sizeof of, " of block (%u,%u,%u)", b->id[0], b->id[1], b->id[2]);
            a->used += (size_t)snprintf(
                a->text + a->used, sizeof a->text - a->used,
                "  %s: lanes %s of warp %u (threads from %u)%s wait in %s\n", where, lanes, n,
                n * SM_LANES, of, describe_waiting(f, in, what, sizeof what));
        }
    }
}

/* Stop the launch with the text of A as the report: no thread of the cluster can continue. */
static void stop_with_waiting_list(const launch_resident *r, waiting_list *a)
{
    a->text[strlen(a->text) - 1] = '\0'; /* remove the newline after the last row */
    for (uint32_t k = 0; k < r->cluster.count; k++) {
        const sm_block *b = r->cluster.block[k];
        for (uint32_t n = 0; n < b->warp_count; n++) {
            const struct sm_sched *s = b->warp[n].sched;
            if (s->count) {
                sm_stop_launch(&b->warp[n], s->frag[0].pc, SM_FAULT_DEADLOCK, s->frag[0].mask, 0, 0,
                               PTX_SPACE_NONE, "waits here for ever.\n%s", a->text);
                return;
            }
        }
    }
}

/* Report a deadlock: no thread of the cluster can continue, and no thread outside the cluster can
 * release them. */
static launch_block_state report_deadlock(const launch_resident *r)
{
    const sm_block *b = &r->block_storage[0].block;
    waiting_list a = {.used = 0};
    a.used = (size_t)snprintf(
        a.text, sizeof a.text,
        "Deadlock in %s (%u,%u,%u): none of its threads can continue, each waits for others.\n",
        r->cluster.count > 1 ? "the cluster of block" : "block", b->id[0], b->id[1], b->id[2]);
    for (uint32_t k = 0; k < r->cluster.count; k++)
        add_waiting_rows(&a, r, &r->block_storage[k].block);
    if (a.used < sizeof a.text && a.rows > 6)
        snprintf(a.text + a.used, sizeof a.text - a.used, "  and %u more groups\n", a.rows - 6);
    stop_with_waiting_list(r, &a);
    return LAUNCH_BLOCK_FAULT;
}

/* --- hashes of the state that decides what the blocks do next --------------------------------- */

static uint64_t mix_hash(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, uint64_t count)
{
    uint64_t word = 0;
    for (uint64_t k = 0; k + 8 <= count; k += 8) {
        memcpy(&word, (const uint8_t *)bytes + k, 8);
        h = mix_hash(h, word);
    }
    word = 0;
    if (count % 8)
        memcpy(&word, (const uint8_t *)bytes + count / 8 * 8, count % 8);
    return mix_hash(h, word);
}

/* Add fragment F to hash H. A frame of several fragments is hashed once for each. */
static uint64_t hash_fragment(uint64_t h, const struct sm_sched *s, const sm_fragment *f)
{
    uint64_t older = 0, before = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        older += s->frag[k].time_slice < f->time_slice;
        before += s->frag[k].order > f->order;
    }
    h = mix_hash(h, before << 1 | f->waits);
    h = mix_hash(mix_hash(h, (uintptr_t)f->pc), (uint64_t)f->mask << 32 | f->member);
    h = mix_hash(h, (uint64_t)f->wait_state << 32 | (uint64_t)f->barrier << 16 | older);
    for (const sm_frame *at = f->frame; at; at = at->caller) {
        h = mix_hash(mix_hash(h, (uintptr_t)at), (uintptr_t)at->site);
        h = mix_hash(mix_hash(h, at->lanes), at->local_base);
        h = hash_bytes(h, at->window, at->code->const_offset);
        h = at->allocates ? hash_bytes(h, at->taken, sizeof at->taken) : h;
    }
    return h;
}

static uint64_t hash_shared_memory(uint64_t h, const sm_block *b)
{
    h = mix_hash(h, b->linear);
    h = hash_bytes(h, b->shared, b->shared_bytes);
    return hash_bytes(h, b->barriers, sizeof *b->barriers);
}

static uint64_t hash_block_state(uint64_t h, const sm_block *b)
{
    h = hash_shared_memory(h, b);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const sm_warp *w = &b->warp[n];
        const struct sm_sched *s = w->sched;
        h = mix_hash(mix_hash(h, s->hash), (uint64_t)s->idle << 1 | s->runnable);
        h = mix_hash(mix_hash(h, (uint64_t)w->exited << 32 | w->carry), s->count);
        h = mix_hash(h, (uint64_t)w->cluster_arrived << 32 | w->cluster_phase);
        for (uint32_t k = 0; k < s->count; k++)
            h = hash_fragment(h, s, &s->frag[k]);
    }
    return h;
}

/* Add the state of the blocks to hash H. Asynchronous copies are not hashed: no copy is in flight
 * when blocks only poll. */
uint64_t launch_resident_hash(const launch_resident *r, uint64_t h)
{
    h = mix_hash(mix_hash(h, r->cluster.missing), r->cluster.phase);
    for (uint32_t k = 0; k < r->cluster.count; k++)
        h = hash_block_state(h, &r->block_storage[k].block);
    return h;
}

uint64_t launch_resident_wait_hash(const launch_resident *r, uint64_t h, uint64_t *slept)
{
    h = mix_hash(mix_hash(h, r->cluster.missing), r->cluster.phase);
    for (uint32_t k = 0; k < r->cluster.count; k++) {
        const sm_block *b = &r->block_storage[k].block;
        h = hash_shared_memory(h, b);
        for (uint32_t n = 0; n < b->warp_count; n++) {
            const sm_warp *w = &b->warp[n];
            h = mix_hash(h, w->exited);
            *slept = w->sched->slept > *slept ? w->sched->slept : *slept;
        }
    }
    return h;
}

/* --- running blocks in time slices ------------------------------------------------------------ */

typedef struct slice_result {
    bool ran;     /* at least one warp has run */
    bool polls;   /* all warps only waited for memory to change */
    bool left;    /* some threads have not exited */
    bool yielded; /* a warp stopped because its time slice was used up */
    bool sliced;  /* a warp stopped because its clock was ahead of other warps */
} slice_result;

static __attribute__((noinline, cold)) void stop_out_of_memory(const sm_block *b)
{
    char text[400];
    sm_stop_grid(b->grid, b, SM_FAULT_MEMORY, mem_limit_text(text, sizeof text));
}

/* Run W, or warps that observers choose before W. Add their results to TO. False: a fault. */
static __attribute__((noinline, cold)) bool run_observed_warps(sm_warp *w, slice_result *to)
{
    sm_block *b = w->block;
    for (uint32_t next = w->index; b->warp[next].sched->runnable;) {
        const struct sm_sched *s = b->warp[next].sched;
        sm_sched_run_warp(&b->warp[next]);
        if (mem_must_stop())
            stop_out_of_memory(b);
        if (sm_has_faulted(b->grid))
            return false;
        to->yielded |= s->yielded;
        to->sliced |= s->sliced;
        to->polls &= s->yielded & s->idle;
        const uint32_t chosen = observe_warp_chosen(b, w->index);
        if (chosen == w->index && next == w->index)
            break;
        next = chosen;
    }
    return true;
}

/* Skip rounds in which the warps of B would only poll a clock. */
static void skip_rounds(sm_block *b)
{
    uint32_t passed[SM_LANES];
    if (!clock_skip_rounds(b, passed))
        return;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        if (passed[n]) {
            sm_effort_count_skipped(&b->warp[n], b->warp[n].sched->clock.watch.branch->extra,
                                    passed[n]);
            sm_effort_flush_large_sums(&b->warp[n]);
        }
    }
}

/* Run each warp of the block until it must wait. Returns false after a fault. */
static bool run_time_slice(launch_block_storage *r, slice_result *to)
{
    sm_block *b = &r->block;
    slice_result all =
        *to; /* a local copy stays in CPU registers, because no called function can access it */
    bool left = false;
    r->worker->l1 = r->slot ? l1_model_of(r->slot) : r->own_l1;
    r->worker->clock = r->clock;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        /* with modelled clocks: a scheduler prefers the youngest that can issue in the cycle */
        sm_warp *w = &r->warp[r->clock ? b->warp_count - 1 - n : n];
        struct sm_sched *s = w->sched;
        if (s->done)
            continue;
        if (!s->runnable) {
            left = true;
            continue;
        }
        all.ran = true;
        if (b->followed) {
            slice_result followed = all;
            if (!run_observed_warps(w, &followed))
                return false;
            all = followed;
            left |= !s->done;
            continue;
        }
        sm_sched_run_warp(w);
        if (mem_must_stop())
            stop_out_of_memory(b);
        if (sm_has_faulted(b->grid))
            return false;
        left |= !s->done;
        all.yielded |= s->yielded;
        all.sliced |= s->sliced;
        all.polls &= s->yielded & s->idle;
    }
    all.left |= left;
    *to = all;
    if (left) {
        if (all.sliced && !b->followed)
            skip_rounds(b);
        return true;
    }
    const bool good = sm_bulk_copies_complete_block(b);
    sm_effort_add_block_to_launch(b);
    b->cluster->has_ended[b->rank] = true;
    if (b->observed)
        observe_block_ends(b);
    if (r->clock)
        clock_end_block(r->clock, clock_latest_cycle(b));
    return good;
}

/* Time slices between two checks of the CPU time if no warp uses up its budget. */
#define SLICES_PER_TIME_CHECK 32

launch_progress_verdict launch_judge_progress(launch_resident *r)
{
    return launch_progress_judge(&r->progress, r->worker->grid->patience, &r->cluster);
}

void launch_resident_report_stuck(const launch_resident *r)
{
    launch_report_no_progress(&r->progress, r->worker->grid->patience, &r->cluster);
}

/* Called after a time slice of blocks that do not wait for other blocks. YIELDED: a warp used up
 * its budget. LAUNCH_PROGRESS_NONE: they make no progress, and the launch is stopped. */
static launch_progress_verdict check_progress(launch_resident *r, bool yielded, uint32_t rounds)
{
    launch_time_limit *p = r->worker->grid->patience;
    if ((!yielded && rounds % SLICES_PER_TIME_CHECK) || !launch_time_limit_check(p, r->worker))
        return LAUNCH_PROGRESS_MADE;
    const launch_progress_verdict v = launch_judge_progress(r);
    if (v == LAUNCH_PROGRESS_NONE)
        launch_resident_report_stuck(r);
    return v == LAUNCH_PROGRESS_UNKNOWN && p->spent < p->limit ? LAUNCH_PROGRESS_MADE : v;
}

launch_block_state launch_resident_run(launch_resident *r)
{
    sm_cluster *c = &r->cluster;
    const sm_unit *u = r->worker->grid->unit;
    const uint32_t poll_rounds = u->polls ? POLL_SLICE_ROUNDS : 1;
    const bool alone = r->worker->grid->patience->limit && !u->polls && !u->waits;
    for (uint32_t rounds = 0;;) {
        slice_result all = {.polls = true};
        for (uint32_t k = 0; k < c->count; k++)
            if (!c->has_ended[k] && !run_time_slice(&r->block_storage[k], &all))
                return LAUNCH_BLOCK_FAULT;
        if (!all.left)
            return LAUNCH_BLOCK_DONE;
        if (!all.ran)
            return report_deadlock(r);
        rounds += all.yielded ? poll_rounds : !all.sliced;
        const launch_progress_verdict v =
            alone ? check_progress(r, all.yielded, rounds) : LAUNCH_PROGRESS_MADE;
        if (v == LAUNCH_PROGRESS_NONE)
            return LAUNCH_BLOCK_FAULT;
        /* After the time limit the blocks keep the host thread until the progress check decides. */
        if (all.polls || (rounds >= MAX_SLICE_ROUNDS && v == LAUNCH_PROGRESS_MADE)) {
            r->polls = all.polls;
            for (uint32_t k = 0; k < c->count; k++) {
                if (!c->has_ended[k] && r->block_storage[k].slot)
                    l1_stop_sharing(r->block_storage[k].slot);
                if (!sm_bulk_copies_complete_block(c->block[k]))
                    return LAUNCH_BLOCK_FAULT;
            }
            return LAUNCH_BLOCK_POLLS;
        }
    }
}
