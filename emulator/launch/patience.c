#include "patience.h"

#include "../compile/ptxas/facts.h"
#include "../sm/fault.h"
#include "around.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The time limit is divided into PROGRESS_CHECKS_PER_LIMIT parts; the positions of the blocks are
 * recorded one part before the limit. */
#define PROGRESS_CHECKS_PER_LIMIT 8 /* parts into which the time limit is divided */

#define NS                        1e9

/* The loops that contain a warp's lane, the outermost first. */
struct launch_loop_progress {
    uint32_t lane, depth; /* lowest lane in the loops; number of loops */
    struct loop_level {
        launch_loop_position at;
        uint64_t iterations; /* how often warps have reached the end of its body */
        uint32_t tests;      /* number of exit comparisons of the loop */
        double distance[LAUNCH_MAX_EXIT_TESTS]; /* [tests] difference between the operands of each
                                               exit comparison */
    } level[LAUNCH_MAX_NEST];
};

void launch_progress_free(launch_progress_record *o)
{
    free(o->warp);
    o->warp = NULL;
}

void launch_time_limit_reset(launch_time_limit *p)
{
    if (p->limit) {
        atomic_fetch_add(&p->epoch, 1);
        atomic_store(&p->spent, 0);
    }
}

uint64_t launch_thread_cpu_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
               ? 0
               : (uint64_t)t.tv_sec * (uint64_t)NS + (uint64_t)t.tv_nsec;
}

bool launch_time_limit_check(launch_time_limit *p, sm_worker *k)
{
    const uint64_t now = p->limit ? launch_thread_cpu_ns() : 0;
    if (!now)
        return false;
    const uint64_t step = k->cpu_ns ? now - k->cpu_ns : 0;
    k->cpu_ns = now;
    return atomic_fetch_add(&p->spent, step) + step >= p->limit / PROGRESS_CHECKS_PER_LIMIT;
}

/* The fragment of W (lanes with one program counter) that may never end: the runnable fragment in a
 * loop that has the lowest lane. If none is runnable, a fragment that waits is chosen likewise; a
 * fragment outside all loops ends once it gets its time slice. */
static const sm_fragment *fragment_that_may_not_end(const sm_warp *w)
{
    const sm_fragment *best = NULL;
    unsigned best_rank = 0;
    for (uint32_t k = 0; k < w->sched->count; k++) {
        const sm_fragment *f = &w->sched->frag[k];
        const unsigned rank =
            (f->wait_state == SM_READY ? 2 : 0) + (launch_outermost_loop(f).loop ? 1 : 0);
        if (!best || rank > best_rank ||
            (rank == best_rank && __builtin_ctz(f->mask) < __builtin_ctz(best->mask))) {
            best = f;
            best_rank = rank;
        }
    }
    return best;
}

static launch_loop_progress loop_progress(const sm_warp *w)
{
    const sm_fragment *f = fragment_that_may_not_end(w);
    launch_loop_progress b = {.depth = 0};
    if (!f)
        return b;
    launch_loop_position loop[LAUNCH_MAX_NEST];
    b.lane = (uint32_t)__builtin_ctz(f->mask);
    b.depth = launch_loops_around(f, loop);
    for (uint32_t n = 0; n < b.depth; n++) {
        struct loop_level *l = &b.level[n];
        launch_exit_test test[LAUNCH_MAX_EXIT_TESTS];
        l->at = loop[n];
        l->iterations = launch_loop_iterations(w->worker, &loop[n]);
        l->tests = launch_exit_tests(&loop[n], b.lane, test);
        for (uint32_t k = 0; k < l->tests; k++)
            l->distance[k] = test[k].distance;
    }
    return b;
}

static bool has_approached_end(const struct loop_level *before, const struct loop_level *now)
{
    for (uint32_t k = 0; k < now->tests; k++)
        if (before->distance[k] > now->distance[k])
            return true;
    return false;
}

typedef enum {
    LOOP_IDLE,      /* the warp has not run, or its iteration takes long */
    LOOP_MOVES,     /* it approaches the loop's end, or is in another loop */
    LOOP_GOES_ROUND /* it executes the loop again and again, and does not approach the end */
} loop_verdict;     /* what a warp has done between two positions */

/* What a warp has done between the positions BEFORE and NOW. An iteration of an outer loop may take
 * long: where none has ended, the loops inside decide. *LEVEL: the loop that decides. */
static loop_verdict judge_warp(const launch_loop_progress *before, const launch_loop_progress *now,
                               uint32_t *level)
{
    for (uint32_t n = 0; n < now->depth && n < before->depth; n++) {
        const struct loop_level *was = &before->level[n], *is = &now->level[n];
        *level = n;
        if (before->lane != now->lane || was->at.loop != is->at.loop || has_approached_end(was, is))
            return LOOP_MOVES;
        if (was->iterations != is->iterations)
            return LOOP_GOES_ROUND;
    }
    return now->depth == before->depth ? LOOP_IDLE : LOOP_MOVES;
}

static uint32_t count_exited_threads(const sm_cluster *c)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t n = 0; n < c->block[k]->warp_count; n++)
            sum += (uint32_t)__builtin_popcount(c->block[k]->warp[n].exited);
    return sum;
}

/* Is at least one thread of C in a loop that can never end? */
static bool has_endless_loop(const sm_cluster *c)
{
    const uint32_t warps = c->block[0]->warp_count;
    for (uint32_t k = 0; k < c->count * warps; k++) {
        const sm_fragment *f = fragment_that_may_not_end(&c->block[k / warps]->warp[k % warps]);
        const launch_loop_position a = f ? launch_outermost_loop(f) : (launch_loop_position){0};
        if (a.loop && !launch_loop_has_exit(&a))
            return true;
    }
    return false;
}

static void record_progress(launch_progress_record *o, const sm_cluster *c)
{
    const uint32_t warps = c->block[0]->warp_count;
    if (!o->warp)
        o->warp = calloc((size_t)c->count * warps, sizeof *o->warp);
    for (uint32_t k = 0; o->warp && k < c->count * warps; k++)
        o->warp[k] = loop_progress(&c->block[k / warps]->warp[k % warps]);
}

launch_progress_verdict launch_progress_judge(launch_progress_record *o, launch_time_limit *p,
                                              const sm_cluster *c)
{
    const uint64_t spent = atomic_load(&p->spent);
    const uint32_t epoch = atomic_load(&p->epoch), gone = count_exited_threads(c);
    if (has_endless_loop(c))
        return LAUNCH_PROGRESS_NONE;
    if (!o->warp || o->epoch != epoch) {
        record_progress(o, c);
        o->epoch = epoch;
        o->spent = spent;
        o->exited = gone;
        return LAUNCH_PROGRESS_UNKNOWN;
    }
    bool moves = gone != o->exited;
    if (!moves && (spent < p->limit || spent - o->spent < p->limit / PROGRESS_CHECKS_PER_LIMIT))
        return LAUNCH_PROGRESS_UNKNOWN;
    const uint32_t warps = c->block[0]->warp_count;
    bool goes_round = false;
    for (uint32_t k = 0; !moves && k < c->count * warps; k++) {
        const launch_loop_progress now = loop_progress(&c->block[k / warps]->warp[k % warps]);
        uint32_t level;
        const loop_verdict v = judge_warp(&o->warp[k], &now, &level);
        moves = v == LOOP_MOVES;
        goes_round = goes_round || v == LOOP_GOES_ROUND;
    }
    moves = moves || !goes_round;
    if (!moves)
        return LAUNCH_PROGRESS_NONE;
    launch_time_limit_reset(p);
    return LAUNCH_PROGRESS_MADE;
}

/* --- the report on a launch that does not end ------------------------------------------------- */

/* Write why the loop does not end to OUT. BEFORE: its state some time ago, or NULL. */
static void describe_condition(const launch_exit_test *test, const struct loop_level *before,
                               char *out, size_t size)
{
    const bool same = before && before->tests && before->distance[0] == test->distance;
    snprintf(out, size,
             same ? "its condition compares %s, the same values in each iteration"
                  : "its condition compares %s, and does not approach the loop's end",
             test->text);
}

static void report_loop(const launch_time_limit *p, sm_warp *w, const sm_fragment *f,
                        const launch_loop_position *a, const struct loop_level *before)
{
    const double seconds = (double)atomic_load(&p->spent) / NS;
    char who[400], why[260];
    const uint32_t lane = (uint32_t)__builtin_ctz(f->mask);
    launch_exit_test test[LAUNCH_MAX_EXIT_TESTS];
    launch_describe_loop(w->block, a, who, sizeof who);
    const sm_code *code = a->frame->code;
    const sm_insn *at = code->insn;
    while (at->site != code->site_base + a->loop->last)
        at++;
    if (!launch_loop_has_exit(a)) {
        snprintf(why, sizeof why,
                 "nothing in the loop changes what its condition compares, so it is always true");
    } else if (launch_exit_tests(a, lane, test)) {
        at = test[0].at;
        describe_condition(&test[0], before, why, sizeof why);
    } else {
        snprintf(why, sizeof why, "no thread has left the loop");
    }
    sm_stop_launch(
        w, at, SM_FAULT_DEADLOCK, f->mask, 0, 0, PTX_SPACE_NONE,
        "does not leave a loop: after %.1f s of CPU time in which no block has ended, %s. %s",
        seconds, why, who);
}

/* Report the loop without an exit that fragment F is in. Returns false if there is none. */
static bool report_loop_without_exit(const launch_time_limit *p, sm_warp *w, const sm_fragment *f)
{
    const launch_loop_position a = launch_outermost_loop(f);
    if (!a.loop || launch_loop_has_exit(&a))
        return false;
    report_loop(p, w, f, &a, NULL);
    return true;
}

/* Report the loop in which fragment F has gone round since BEFORE. Returns false if it has not. */
static bool report_loop_gone_round(const launch_time_limit *p, sm_warp *w, const sm_fragment *f,
                                   const launch_loop_progress *before)
{
    const launch_loop_progress now = loop_progress(w);
    uint32_t n;
    if (judge_warp(before, &now, &n) != LOOP_GOES_ROUND)
        return false;
    report_loop(p, w, f, &now.level[n].at, &before->level[n]);
    return true;
}

void launch_report_no_progress(const launch_progress_record *o, const launch_time_limit *p,
                               const sm_cluster *c)
{
    const uint32_t warps = c->block[0]->warp_count;
    const bool endless = has_endless_loop(c);
    for (uint32_t k = 0; k < c->count * warps; k++) {
        sm_warp *w = &c->block[k / warps]->warp[k % warps];
        const sm_fragment *f = fragment_that_may_not_end(w);
        if (f && (endless ? report_loop_without_exit(p, w, f)
                          : o->warp && report_loop_gone_round(p, w, f, &o->warp[k])))
            return;
    }
    sm_stop_grid(
        c->block[0]->grid, c->block[0], SM_FAULT_DEADLOCK,
        "No block has ended for a long time, and no block makes progress towards its end.");
}
