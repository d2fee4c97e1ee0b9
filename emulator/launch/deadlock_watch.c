#include "deadlock_watch.h"

#include "around.h"
#include "block.h"

#include "../base/lock.h"
#include "../compile/ptxas/facts.h"
#include "../core/handlers.h"
#include "../ptx/traits.h"
#include "../sm/array_name.h"
#include "../sm/async/mbarrier.h"
#include "../sm/fault.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_CHECK_ROUNDS 8 /* rounds without progress before the first deadlock check */

/* Rounds after which other grids may run and the thread sleeps, if the check cannot decide. */
#define LONG_POLL_ROUNDS 64   /* rounds after which other grids may run */
#define MAX_SLEEP_US     500u /* longest sleep of a polling host thread, in microseconds */

#define NS_PER_SECOND    UINT64_C(1000000000) /* nanoseconds per second */

static bool has_memory_of_kind(const mem_map *map, mem_kind a, mem_kind b)
{
    for (uint32_t k = 0; k < map->count; k++)
        if (map->range[k].kind == a || map->range[k].kind == b)
            return true;
    return false;
}

void launch_init_deadlock_watch(launch_deadlock_watch *g, const sm_grid *grid)
{
    const bool shared = has_memory_of_kind(grid->map, MEM_PINNED, MEM_MANAGED);
    const bool clock = grid->unit->clock;
    const bool registered = has_memory_of_kind(grid->map, MEM_REGISTERED, MEM_REGISTERED);
    *g = (launch_deadlock_watch){.registered = registered,
                                 .on =
                                     !clock && !registered && (!shared || grid->launch->host_waits),
                                 .clock = clock,
                                 .launch = grid->launch,
                                 .polling_period = 1,
                                 .host_waits = shared ? grid->launch->host_waits : NULL};
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->others_stopped, NULL);
}

void launch_destroy_deadlock_watch(launch_deadlock_watch *g)
{
    pthread_cond_destroy(&g->others_stopped);
    pthread_mutex_destroy(&g->lock);
}

static void begin_watch_epoch(launch_deadlock_watch *g)
{
    g->epoch++;
    g->stuck = 0;
}

void launch_join_deadlock_watch(launch_deadlock_watch *g, launch_watcher *me)
{
    memset(me, 0, sizeof *me);
    HOLD_LOCK(&g->lock);
    g->active++;
    begin_watch_epoch(g);
}

void launch_leave_deadlock_watch(launch_deadlock_watch *g, launch_watcher *me)
{
    pthread_mutex_lock(&g->lock);
    g->active--;
    begin_watch_epoch(g);
    pthread_mutex_unlock(&g->lock);
    free(me->anchor_visits);
    me->anchor_visits = NULL;
}

/* Does IN change memory that is not part of the hash of a block's state? Atomics and asynchronous
 * copies are not included: they count their changes themselves. */
static bool changes_memory(const sm_insn *i, const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    if (t->flow == PTX_FLOW_call)
        return !i->extra || ((const sm_call *)i->extra)->system;
    const ptx_space space = ptx_space_of(in);
    const bool writes =
        t->access == PTX_ACCESS_store || (t->access == PTX_ACCESS_red && t->unit != PTX_UNIT_lsu);
    return writes && space != PTX_SPACE_SHARED && space != PTX_SPACE_PARAM;
}

/* The first instruction, at or after FROM, for which WANTED is true, in basic blocks that have been
 * executed since the state to compare with (the anchor) was recorded. NULL: none. */
static const sm_insn *first_entered_insn(const launch_watcher *me, const sm_worker *k,
                                         const sm_code *code, const sm_insn *from,
                                         bool (*wanted)(const sm_insn *i, const ptx_insn *in))
{
    const sm_handlers *level = code->program->handlers;
    const sm_insn *end = code->insn + code->insn_count;
    bool in_it = false;
    for (const sm_insn *i = from; i < end; i++) {
        if (i->fn == level->enter) {
            in_it = k->visits[i->imm].times != me->anchor_visits[i->imm];
            continue;
        }
        if (i->fn == level->reduction_load || i->fn == level->late_store ||
            i->fn == level->clock_step)
            continue; /* a pseudo-instruction; the memory access follows it */
        const uint32_t index = i->site - code->site_base;
        if (in_it && index < code->func->insn_count && wanted(i, &code->func->insns[index]))
            return i;
    }
    return NULL;
}

static bool has_changed_memory(const launch_watcher *me, const sm_worker *k)
{
    const sm_unit *u = k->grid->unit;
    if (k->changes != me->anchor_changes)
        return true;
    for (uint32_t c = 0; c < u->code_count; c++)
        if (first_entered_insn(me, k, u->code[c], u->code[c]->insn, changes_memory))
            return true;
    return false;
}

static bool store_compared_state(launch_watcher *me, const sm_worker *k, uint64_t hash)
{
    const uint32_t count = k->grid->unit->visit_count;
    if (!me->anchor_visits)
        me->anchor_visits = malloc((count + 1u) * sizeof *me->anchor_visits);
    if (!me->anchor_visits)
        return false; /* no check, because the host is out of memory */
    for (uint32_t v = 0; v < count; v++)
        me->anchor_visits[v] = k->visits[v].times;
    me->anchor_changes = k->changes;
    me->anchor_hash = hash;
    me->anchor_round = me->round;
    return true;
}

/* --- text of the message that says what a block waits for ------------------------------------- */

static bool reads_memory(const sm_insn *i, const ptx_insn *in)
{
    (void)i;
    const bool looks = ptx_is_per_lane_load(in) || ptx_is_per_lane_atomic(in);
    return ptx_tests_mbarrier(in) ||
           (looks && in->space != PTX_SPACE_PARAM && in->space != PTX_SPACE_CONST);
}

/* Does IN read memory that a thread outside the cluster may change? */
static bool reads_outside_memory(const sm_insn *i, const ptx_insn *in)
{
    return reads_memory(i, in) && !ptx_tests_mbarrier(in) && in->space != PTX_SPACE_SHARED &&
           in->space != PTX_SPACE_LOCAL;
}

static uint64_t lane_address(const sm_fragment *f, const sm_insn *i, uint32_t lane)
{
    const uint8_t *slot = f->frame->window + i->a;
    return i->mode & SM_M_ADDR32 ? (uint32_t)(((const uint32_t *)slot)[lane] + i->imm)
                                 : ((const uint64_t *)slot)[lane] + i->imm;
}

static void describe_wait(const sm_warp *w, const ptx_insn *in, uint32_t lane, uint64_t address,
                          char *buf, size_t size)
{
    const uint64_t bytes = ptx_type_bytes(in->type[0]);
    const sm_grid *g = w->block->grid;
    char place[300];
    uint64_t generic = address, value = 0;
    generic += in->space == PTX_SPACE_SHARED  ? SM_SHARED_WINDOW
               : in->space == PTX_SPACE_LOCAL ? SM_LOCAL_WINDOW
                                              : 0;
    const void *at = sm_host_pointer_of_generic(w, lane, generic, bytes);
    if (at && ptx_tests_mbarrier(in)) {
        char state[120];
        memcpy(&value, at, sizeof value);
        sm_shared_name(g, generic & SM_RANK_OFFSET_MASK, place, sizeof place);
        snprintf(buf, size, "the mbarrier at %s (%s)", place,
                 sm_mbarrier_text(value, state, sizeof state));
        return;
    }
    if (!at || bytes > sizeof value) {
        snprintf(buf, size, "the memory that it reads");
        return;
    }
    memcpy(&value, at, bytes);
    if ((generic & SM_WINDOW_MASK) == SM_SHARED_WINDOW)
        sm_shared_name(g, generic & SM_RANK_OFFSET_MASK, place, sizeof place);
    else
        mem_describe(address, bytes, place, sizeof place);
    snprintf(buf, size, "the %llu byte%s at 0x%llx (%s), which hold%s %llu,",
             (unsigned long long)bytes, bytes == 1 ? "" : "s", (unsigned long long)address, place,
             bytes == 1 ? "s" : "", (unsigned long long)value);
}

/* Can a thread in loop A wait for other threads: does the loop call a function or poll memory? */
static bool loop_may_wait(const launch_loop_position *a)
{
    const sm_code *code = a->frame->code;
    for (uint32_t k = a->loop->first; k <= a->loop->last; k++)
        if (ptx_traits_of(&code->func->insns[k])->flow == PTX_FLOW_call)
            return true;
    return code->facts->of[a->loop->last] & (COMPILE_FACT_WAITS | COMPILE_FACT_IN_WAIT);
}

/* Stop the launch with a fault: fragment F of W is in endless loop A, whose state repeats and which
 * reads no memory that other threads write. */
static void report_repeating_loop(sm_warp *w, const sm_fragment *f, const launch_loop_position *a)
{
    char who[400] = "", values[120] = "";
    const bool endless = a->loop && !launch_loop_has_exit(a);
    const sm_insn *at = f->pc;
    launch_exit_test test[LAUNCH_MAX_EXIT_TESTS];
    if (a->loop)
        launch_describe_loop(w->block, a, who, sizeof who);
    if (a->loop && launch_exit_tests(a, (uint32_t)__builtin_ctz(f->mask), test)) {
        at = test[0].at;
        snprintf(values, sizeof values, ", and its condition compares %s each time", test[0].text);
    }
    sm_stop_launch(
        w, at, SM_FAULT_DEADLOCK, f->mask, 0, 0, PTX_SPACE_NONE,
        "it is in a loop that can never end: its iterations repeat the same values%s. %s",
        endless ? ", and nothing in the loop changes what its condition compares (a variable "
                  "that another thread is to change must be atomic or volatile)"
                : values,
        who);
}

/* Stop the launch with a fault that says what fragment F of warp W waits for. */
static void report_waiting_fragment(const launch_watcher *me, const sm_worker *k, sm_warp *w,
                                    const sm_fragment *f)
{
    const sm_code *code = f->frame->code;
    const sm_insn *i = first_entered_insn(me, k, code, f->pc, reads_memory);
    i = i ? i : first_entered_insn(me, k, code, code->insn, reads_memory);
    const launch_loop_position a = launch_innermost_loop(f);
    if (!i || (a.loop && !loop_may_wait(&a))) {
        report_repeating_loop(w, f, &a);
        return;
    }
    const ptx_insn *in = sm_site_insn(w, i);
    const uint32_t lane = (uint32_t)__builtin_ctz(f->mask);
    const uint64_t address = lane_address(f, i, lane);
    const uint64_t left = w->block->grid->blocks_without_place;
    char what[460], who[400] = "", others[160] = "";
    if (left) {
        snprintf(others, sizeof others,
                 ", and %llu block%s can begin only when another ends, because the device has no "
                 "place for more",
                 (unsigned long long)left, left == 1 ? "" : "s");
    }
    if (a.loop)
        launch_describe_loop(w->block, &a, who, sizeof who);
    describe_wait(w, in, lane, address, what, sizeof what);
    sm_stop_launch(
        w, i, SM_FAULT_DEADLOCK, f->mask, address, ptx_type_bytes(in->type[0]), in->space,
        "it is stuck in a loop: it waits for %s to change, but every thread of the %s that "
        "has not exited waits too%s, so no thread will change it. %s",
        what,
        ptx_tests_mbarrier(in) ? "block or cluster"
        : left                 ? "blocks that run"
                               : "grid",
        others, who);
}

/* Report block B, which loops for ever. Fragments in a loop come first: others may only wait for
 * their warp to reconverge. Returns false if none of its threads can run. */
static bool report_endless_block(const launch_watcher *me, const sm_worker *k, const sm_block *b)
{
    sm_warp *warp = NULL;
    const sm_fragment *found = NULL;
    for (uint32_t v = 0; v < b->warp_count; v++) {
        const struct sm_sched *s = b->warp[v].sched;
        for (uint32_t p = 0; p < s->count; p++) {
            const sm_fragment *f = &s->frag[p];
            if (f->wait_state == SM_READY &&
                (!found || (!launch_outermost_loop(found).loop && launch_outermost_loop(f).loop))) {
                warp = &b->warp[v];
                found = f;
            }
        }
    }
    if (found)
        report_waiting_fragment(me, k, warp, found);
    return found;
}

static void report_stuck_grid(const launch_watcher *me, const sm_worker *k,
                              launch_resident *const *all, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        for (uint32_t rank = 0; rank < launch_resident_count(all[n]); rank++)
            if (report_endless_block(me, k, launch_resident_block(all[n], rank)))
                return;
    }
}

/* Record that the state of this host thread's blocks repeats. Returns true if the blocks of all
 * host threads repeat. */
static bool mark_stuck_and_test_threads(launch_deadlock_watch *g, launch_watcher *me)
{
    HOLD_LOCK(&g->lock);
    if (me->epoch == g->epoch && !me->stuck) {
        me->stuck = true;
        g->stuck++;
    }
    return me->epoch == g->epoch && g->stuck == g->active;
}

/* Let other grids run while all host threads of grid G wait. */
static sm_help_result run_other_grids_once(launch_deadlock_watch *g, launch_watcher *me,
                                           sm_worker *k, bool stuck)
{
    if (!g->launch->run_other_grids)
        return stuck ? SM_HELP_NONE : SM_HELP_HOST_ONLY;
    mem_flush_marks(&k->touched);
    pthread_mutex_lock(&g->lock);
    /* Another host thread may have let other grids run since the caller checked. */
    const bool late = g->are_others_running ||
                      (stuck ? me->epoch != g->epoch : me->polling_period != g->polling_period);
    const bool changed = g->changed;
    if (!late) {
        g->changed = false;
        g->are_others_running = true;
    }
    pthread_mutex_unlock(&g->lock);
    if (late)
        return SM_HELP_OTHERS_RAN;
    const sm_help_result help =
        g->launch->run_other_grids(g->launch->other_grids_context, stuck, changed);
    pthread_mutex_lock(&g->lock);
    g->are_others_running = false;
    g->polling_period++;
    g->polling_threads = 0;
    me->idle_rounds = 0;
    if (help == SM_HELP_OTHERS_RAN || help == SM_HELP_HOST_ONLY) {
        launch_time_limit_reset(k->grid->patience);
        begin_watch_epoch(g);
    }
    pthread_cond_broadcast(&g->others_stopped);
    pthread_mutex_unlock(&g->lock);
    if (help == SM_HELP_DEVICE_FAILED)
        sm_stop_grid(k->grid, NULL, SM_FAULT_DEADLOCK, "");
    return help;
}

/* Wait while other grids run. */
static void wait_for_other_grids(launch_deadlock_watch *g, sm_worker *k)
{
    HOLD_LOCK(&g->lock);
    if (g->are_others_running)
        mem_flush_marks(&k->touched);
    while (g->are_others_running)
        pthread_cond_wait(&g->others_stopped, &g->lock);
}

/* Yield or sleep if the blocks of this host thread only poll, so that the threads for which they
 * wait can use the core. */
static void yield_or_sleep(launch_watcher *me, launch_resident *const *all, uint32_t count)
{
    bool polls = me->idle_rounds >= LONG_POLL_ROUNDS || me->next_sleep_us;
    for (uint32_t n = 0; polls && n < count; n++)
        polls = launch_resident_polls(all[n]);
    if (!polls) {
        sched_yield();
        return;
    }
    const struct timespec t = {.tv_nsec = 1000L * me->next_sleep_us};
    me->next_sleep_us = me->next_sleep_us ? 2 * me->next_sleep_us : 10;
    me->next_sleep_us = me->next_sleep_us < MAX_SLEEP_US ? me->next_sleep_us : MAX_SLEEP_US;
    nanosleep(&t, NULL);
}

/* If all host threads have polled for a long time, let other grids run. */
static void count_polling_round(launch_deadlock_watch *g, launch_watcher *me, sm_worker *k)
{
    if (++me->idle_rounds < LONG_POLL_ROUNDS)
        return;
    pthread_mutex_lock(&g->lock);
    if (me->polling_period != g->polling_period) {
        me->polling_period = g->polling_period;
        g->polling_threads++;
    }
    const bool all = g->polling_threads >= g->active && !g->are_others_running;
    pthread_mutex_unlock(&g->lock);
    if (all && run_other_grids_once(g, me, k, false) == SM_HELP_OTHERS_RAN)
        me->next_sleep_us = 0;
}

/* All host threads are stuck: let other grids run, or report the endless wait. */
static void handle_stuck_grid(launch_deadlock_watch *g, launch_watcher *me, sm_worker *k,
                              launch_resident *const *all, uint32_t count)
{
    if (g->host_waits && !g->host_waits()) {
        me->anchored = false;
        me->round = 0;
        return;
    }
    switch (run_other_grids_once(g, me, k, true)) {
    case SM_HELP_OTHERS_RAN: me->next_sleep_us = 0; break;
    case SM_HELP_HOST_ONLY: me->next_sleep_us = MAX_SLEEP_US; break;
    case SM_HELP_NONE: report_stuck_grid(me, k, all, count); break;
    case SM_HELP_DEVICE_FAILED: break;
    }
}

/* Check blocks that wait only for threads of their cluster; stop the launch if they are stuck. */
static void check_blocks_of_cluster(const launch_deadlock_watch *g, launch_watcher *me,
                                    sm_worker *k, launch_resident *const *all, uint32_t count)
{
    uint64_t hash = count, slept = 0;
    for (uint32_t n = 0; n < count; n++) {
        hash = g->clock ? launch_resident_wait_hash(all[n], hash, &slept)
                        : launch_resident_hash(all[n], hash);
    }
    bool moved = !me->anchored || has_changed_memory(me, k);
    for (uint32_t c = 0; !moved && c < k->grid->unit->code_count; c++) {
        const sm_code *code = k->grid->unit->code[c];
        moved = first_entered_insn(me, k, code, code->insn, reads_outside_memory) != NULL;
    }
    const bool same = !moved && hash == me->anchor_hash;
    if (same && (!g->clock || slept - me->anchor_slept >= LAUNCH_WATCH_SECONDS * NS_PER_SECOND)) {
        report_stuck_grid(me, k, all, count);
    } else if (moved || (g->clock ? !same : me->round >= 2 * me->anchor_round)) {
        me->anchored = store_compared_state(me, k, hash);
        me->anchor_slept = slept;
    }
}

static void check_all_blocks(launch_deadlock_watch *g, launch_watcher *me, sm_worker *k,
                             launch_resident *const *all, uint32_t count)
{
    if (++me->round < FIRST_CHECK_ROUNDS) {
        me->anchored = false;
        return;
    }
    if (!g->on) {
        check_blocks_of_cluster(g, me, k, all, count);
        count_polling_round(g, me, k);
        return;
    }
    if (!me->anchored && g->host_waits && !g->host_waits()) {
        me->round = 0; /* from now on a host write could end the wait: start the check again */
        count_polling_round(g, me, k);
        return;
    }
    uint64_t hash = count;
    for (uint32_t n = 0; n < count; n++)
        hash = launch_resident_hash(all[n], hash);
    /* Blocks that change no memory and repeat their state wait for ever. After a change of memory
     * every other block must run once before that comparison of states can begin. */
    const bool changed = !me->anchored || has_changed_memory(me, k);
    pthread_mutex_lock(&g->lock);
    if (changed) {
        begin_watch_epoch(g);
        g->changed = true;
    }
    const bool fresh = me->epoch != g->epoch;
    me->epoch = g->epoch;
    pthread_mutex_unlock(&g->lock);
    if (fresh) {
        me->stuck = false;
        me->anchored = store_compared_state(me, k, hash);
    } else if (me->stuck || hash == me->anchor_hash) {
        if (mark_stuck_and_test_threads(g, me))
            handle_stuck_grid(g, me, k, all, count);
    } else if (me->round >= 2 * me->anchor_round) {
        /* The anchor is the recorded state with which later states are compared. The state may
         * repeat only after several rounds, so their distance doubles (Brent's cycle detection). */
        me->anchored = store_compared_state(me, k, hash);
    }
}

/* Check the progress of blocks that may wait for one another; stop the launch if no block has made
 * progress for a long time. */
static void check_all_progress(const launch_deadlock_watch *g, sm_worker *k,
                               launch_resident *const *all, uint32_t count)
{
    launch_time_limit *p = k->grid->patience;
    if (g->registered || (g->host_waits && !g->host_waits())) {
        launch_time_limit_reset(p);
        return;
    }
    if (sm_has_faulted(k->grid) || !launch_time_limit_check(p, k))
        return;
    uint32_t stuck = 0;
    for (uint32_t n = 0; n < count; n++)
        stuck += launch_judge_progress(all[n]) == LAUNCH_PROGRESS_NONE;
    if (stuck == count)
        launch_resident_report_stuck(all[0]);
}

void launch_check_for_deadlock(launch_deadlock_watch *g, launch_watcher *me, sm_worker *k,
                               launch_resident *const *all, uint32_t count)
{
    wait_for_other_grids(g, k);
    check_all_blocks(g, me, k, all, count);
    if (k->grid->patience->limit)
        check_all_progress(g, k, all, count);
    yield_or_sleep(me, all, count);
}
