/* Racecheck's shadow of shared memory: for every word, the thread that wrote it last and the
 * threads that have read it since. */
#include "race.h"

#include "../../base/list.h"
#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../../ptx/traits.h"
#include "../../sm/barrier.h"
#include "../global/global.h"
#include "loaded.h"
#include "race_excuse.h"
#include "race_shadow.h"

#include <stdlib.h>
#include <string.h>

/* --- the shadow memory ------------------------------------------------------------------------ */

static void free_race_shadow(void *state)
{
    race_shadow *race = state;
    for (size_t k = 0; k < race->flag_count; k++)
        free(race->flags[k].ordered_after);
    free(race->flags);
    free(race->warp_time);
    free(race->releases);
    free(race->ordered_after);
    free(race->arrived);
    free(race->fence);
    san_quick_check_free(race->quick);
    free(race);
}

static void *new_race_shadow(void *launch, const sm_block *b)
{
    const uint64_t words = (b->shared_bytes + 3) / 4;
    const uint32_t warps = b->warp_count;
    race_shadow *race = calloc(1, sizeof *race + words * sizeof race->cell[0]);
    if (!race)
        return NULL;
    const size_t n = warps ? warps : 1;
    race->warp_time = calloc(n, sizeof *race->warp_time);
    race->releases = malloc(n * sizeof *race->releases);
    race->ordered_after = calloc(n * n, sizeof *race->ordered_after);
    race->arrived = calloc(SM_BAR_COUNT * n, sizeof *race->arrived);
    race->fence = calloc(n * SM_LANES, sizeof *race->fence);
    race->quick = san_quick_check_new(b);
    if (!race->warp_time || !race->releases || !race->ordered_after || !race->arrived ||
        !race->fence || !race->quick) {
        free_race_shadow(race);
        return NULL;
    }
    for (size_t k = 0; k < n; k++)
        race->releases[k] = 1;
    race->words = words;
    race->warps = warps;
    race->block_time = race->cluster_time = 1;
    race->launch = launch;
    race->block = b;
    race->exact = race->always_exact = !san_quick_check_applies(b) || race->launch->several_arrays;
    return race;
}

void san_race_reset_clocks(race_shadow *race)
{
    memset(race->cell, 0, race->words * sizeof race->cell[0]);
    memset(race->fence, 0, race->warps * SM_LANES * sizeof *race->fence);
    race->block_time = race->cluster_time = 1;
    race->fences = race->fences_before = 0;
}

static void on_block_barrier(void *state)
{
    /* if the quick check fails after several successive barriers, it is tried less often */
    enum { MAX_FAILED_CHECKS = 4, RETRY_INTERVAL = 32 };
    race_shadow *race = state;
    if (++race->block_time == 0)
        san_race_reset_clocks(race);
    san_quick_check_barrier(race->quick);
    race->failed_checks = race->exact ? race->failed_checks + 1 : 0;
    race->exact = race->always_exact ||
                  (race->failed_checks > MAX_FAILED_CHECKS && race->failed_checks % RETRY_INTERVAL);
}

static void on_cluster_barrier(void *state)
{
    race_shadow *race = state;
    if (++race->cluster_time == 0)
        san_race_reset_clocks(race);
    on_block_barrier(race);
}

static void on_block_begin(void *state)
{
    race_shadow *race = state;
    if (++race->fences == 0)
        san_race_reset_clocks(race);
    race->fences_before = race->fences;
    race->launch_time = san_launch_clock(race->block);
    on_cluster_barrier(race);
    race->began = race->cluster_time;
}

static void on_warp_barrier(void *state, uint32_t warp, uint32_t lanes)
{
    (void)lanes;
    race_shadow *race = state;
    race->warp_time[warp]++;
}

/* --- threads and copies that access memory ---------------------------------------------------- */

racing_actor san_race_actor(const sm_warp *w, uint32_t lane)
{
    const race_shadow *own = san_race_shadow_of(w->block);
    const uint32_t warp = w->block->rank * SAN_BLOCK_WARPS + w->index;
    return (racing_actor){.w = w,
                          .thread = warp * SM_LANES + lane,
                          .warp = warp,
                          .now = {own->cluster_time, own->block_time, own->warp_time[w->index],
                                  own->releases[w->index],
                                  own->launch_time ? *own->launch_time : 0},
                          .ordered_after = &own->ordered_after[w->index * own->warps]};
}

bool san_race_is_ordered(const racing_actor *a, const access_time *then, uint32_t thread)
{
    const bool copies = a->thread == SAN_THREAD_OF_COPY;
    if (copies ? then->cluster_time < a->now.cluster_time
               : then->cluster_time != a->now.cluster_time)
        return true;
    if (thread == SAN_THREAD_OF_COPY || thread / SAN_BLOCK_THREADS != a->w->block->rank)
        return false;
    const uint32_t warp = thread / SM_LANES;
    return (copies ? then->block_time < a->now.block_time
                   : then->block_time != a->now.block_time) ||
           (warp == a->warp && then->warp_time != a->now.warp_time) ||
           (a->ordered_after && a->ordered_after[warp % SAN_BLOCK_WARPS] >= then->releases);
}

/* Report a race: A accesses BYTES (a mask) of WORD by instruction AT with effect HOW; THREAD
 * accessed it at time THEN with OTHER_HOW; no barrier orders the two accesses. */
static void report_race(const racing_actor *a, uint32_t word, uint8_t bytes, const ptx_insn *at,
                        sm_effect how, const access_time *then, uint32_t thread,
                        const ptx_insn *other_at, sm_effect other_how)
{
    const san_access_pair m = {.w = a->w,
                               .access = a->access,
                               .word = word,
                               .bytes = bytes,
                               .second = {a->thread, at, how},
                               .first = {thread, other_at, other_how},
                               .first_time = then->launch_time};
    san_reports *reports = san_race_shadow_of(a->w->block)->launch->reports;
    if (san_is_harmless_pair(&m))
        return;
    if (!san_pair_stores_same_value(&m))
        san_report_race(reports, a->w, word * 4, m.second, m.first);
    else if (san_wants_notes())
        san_report_same_value(reports, a->w, word * 4, m.second, m.first);
}

/* Do C's write and A's write come from the same instruction? Lanes of one instruction may write
 * the same word: one of the values is stored, which is defined. */
static bool is_same_store(const word_state *c, const racing_actor *a, const ptx_insn *at,
                          sm_effect how)
{
    return c->at == at && c->thread / SM_LANES == a->warp && c->thread != a->thread &&
           how == SM_WRITES;
}

static void check_against_write(const word_state *c, const racing_actor *a, uint32_t word,
                                uint8_t bytes, const ptx_insn *at, sm_effect how)
{
    if (!c->at || !(c->bytes & bytes) || c->thread == a->thread ||
        san_race_is_ordered(a, &c->when, c->thread) || (c->atomic && how == SM_UPDATES) ||
        is_same_store(c, a, at, how))
        return;
    report_race(a, word, bytes, at, how, &c->when, c->thread, c->at,
                c->atomic ? SM_UPDATES : SM_WRITES);
}

static void check_earlier_readers(const word_state *c, const racing_actor *a, uint32_t word,
                                  uint8_t bytes, const ptx_insn *at, sm_effect how)
{
    for (int k = 0; k < 2; k++) {
        const warp_readers *r = &c->by[k];
        const uint32_t self = a->thread == SAN_THREAD_OF_COPY ? 0 : 1u << a->thread % SM_LANES;
        const uint32_t lanes = san_readers_of(r, bytes);
        const uint32_t others = r->warp == a->warp ? lanes & ~self : lanes;
        const uint32_t other = r->warp * SM_LANES + (others ? (uint32_t)__builtin_ctz(others) : 0);
        if (others && !san_race_is_ordered(a, &r->when, (uint32_t)r->warp * SM_LANES))
            report_race(a, word, bytes, at, how, &r->when, other, r->at, SM_READS);
    }
}

static void record_reader(word_state *c, const racing_actor *a, uint8_t bytes, const ptx_insn *at)
{
    warp_readers *r = c->by;
    const uint32_t lane = 1u << a->thread % SM_LANES;
    if (r[0].warp == a->warp && san_is_same_time(&r[0].when, &a->now)) {
        san_add_reader(&r[0], lane, bytes);
        r[0].when.launch_time = a->now.launch_time;
        r[0].at = at;
        return;
    }
    if (r[0].warp != a->warp && r[0].when.cluster_time == a->now.cluster_time &&
        (r[0].warp / SAN_BLOCK_WARPS != a->warp / SAN_BLOCK_WARPS ||
         r[0].when.block_time == a->now.block_time))
        r[1] = r[0];
    r[0] = (warp_readers){.when = a->now, .warp = (uint16_t)a->warp, .at = at};
    san_add_reader(&r[0], lane, bytes);
}

/* Did A's thread itself write C by a plain store, with no barrier since? Then its atomic
 * operations do not hide the plain store from other threads. */
static bool has_own_plain_write(const word_state *c, const racing_actor *a)
{
    return c->at && !c->atomic && c->thread == a->thread &&
           c->when.cluster_time == a->now.cluster_time && c->when.block_time == a->now.block_time;
}

static void check_against_copy_in_flight(const word_state *c, const racing_actor *a, uint32_t word,
                                         const ptx_insn *at, sm_effect how)
{
    if (!is_same_store(c, a, at, how)) {
        san_report_unwaited(san_race_shadow_of(a->w->block)->launch->reports, a->w, word * 4,
                            (san_racing_thread){a->thread, at, how},
                            (san_racing_thread){c->thread, c->at, SM_WRITES});
    }
}

/* Report that A reads, or overwrites without order, what was written through another `extern
 * __shared__` array. False: it does not. */
static bool report_other_array(race_shadow *race, const word_state *c, const racing_actor *a,
                               uint32_t word, uint8_t bytes, const ptx_insn *at, sm_effect how)
{
    const sm_unit *u = race->launch->grid->unit;
    if (!c->at || c->at == at || !(c->bytes & bytes) || c->thread == SAN_THREAD_OF_COPY ||
        a->thread == SAN_THREAD_OF_COPY || c->when.cluster_time < race->began ||
        (how == SM_WRITES &&
         (c->thread == a->thread || san_race_is_ordered(a, &c->when, c->thread))))
        return false;
    const ptx_var *mine = san_dynamic_array_of(u, at), *other = san_dynamic_array_of(u, c->at);
    if (!mine || !other || mine == other)
        return false;
    san_report_other_array(race->launch->reports, a->w, word * 4,
                           (san_racing_thread){a->thread, at, how},
                           (san_racing_thread){c->thread, c->at, SM_WRITES}, mine, other);
    return true;
}

void san_race_access(race_shadow *race, const racing_actor *a, const ptx_insn *at, uint64_t offset,
                     uint32_t bytes, sm_effect how)
{
    const uint64_t end = offset + bytes;
    for (uint64_t from = offset; from < end;) {
        const uint32_t word = (uint32_t)(from / 4);
        const uint64_t stop = end < (word + UINT64_C(1)) * 4 ? end : (word + UINT64_C(1)) * 4;
        const uint8_t part = (uint8_t)(((1u << (stop - from)) - 1) << from % 4);
        word_state *c = &race->cell[word];
        if (race->launch->several_arrays && report_other_array(race, c, a, word, part, at, how)) {
            /* the mistake is where the arrays begin, not a missing barrier */
        } else if (san_is_copy_in_flight(race, c)) {
            check_against_copy_in_flight(c, a, word, at, how);
        } else {
            check_against_write(c, a, word, part, at, how);
        }
        if (how == SM_READS) {
            record_reader(c, a, part, at);
        } else {
            check_earlier_readers(c, a, word, part, at, how);
            if (how == SM_UPDATES && has_own_plain_write(c, a)) {
                from = stop;
                continue;
            }
            const bool same = c->thread == a->thread && san_is_same_time(&c->when, &a->now);
            c->bytes = same ? c->bytes | part : part;
            c->when = a->now;
            c->thread = (uint16_t)a->thread;
            c->atomic = how == SM_UPDATES;
            c->fences = race->fences;
            c->in_flight = ptx_traits_of(at)->sync == PTX_SYNC_group;
            c->at = at;
        }
        from = stop;
    }
}

/* --- release and acquire ---------------------------------------------------------------------- */

/* The release flag of word number WORD. If it has none: a new one if MAKE is set; otherwise, or if
 * the host is out of memory, NULL. */
static release_flag *release_flag_of(race_shadow *race, uint32_t word, bool make)
{
    for (size_t k = 0; k < race->flag_count; k++)
        if (race->flags[k].word == word)
            return &race->flags[k];
    uint32_t *ordered_after =
        make ? calloc(race->warps ? race->warps : 1, sizeof *ordered_after) : NULL;
    release_flag *f = ordered_after ? LIST_ADD(race->flags, race->flag_count) : NULL;
    if (f)
        *f = (release_flag){word, ordered_after};
    else
        free(ordered_after);
    return f;
}

static void raise_each_to_maximum(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = to[k] < from[k] ? from[k] : to[k];
}

/* Record that every access of WARP so far is ordered before the warps that acquire TO. */
static void release_warp(race_shadow *race, uint32_t warp, uint32_t *to)
{
    raise_each_to_maximum(to, &race->ordered_after[warp * race->warps], race->warps);
    to[warp] = race->releases[warp]++;
}

static void acquire_warp(race_shadow *race, uint32_t warp, const uint32_t *from)
{
    raise_each_to_maximum(&race->ordered_after[warp * race->warps], from, race->warps);
    race->warp_time[warp]++;
}

/* Handle the memory order of an operation. A release by one lane of a warp orders all earlier
 * accesses of the warp before later accesses of a warp that acquires the same word (PTX ISA
 * 8.10). Lanes of a warp are not distinguished. */
static void apply_memory_order(race_shadow *race, const sm_warp *w, const ptx_insn *at,
                               uint64_t offset)
{
    const bool both = ptx_has_modifier(at, PTX_MOD_acq_rel);
    const bool releases = both || ptx_has_modifier(at, PTX_MOD_release);
    if ((!releases && !ptx_has_modifier(at, PTX_MOD_acquire)) ||
        race != san_race_shadow_of(w->block))
        return;
    release_flag *f = release_flag_of(race, (uint32_t)(offset / 4), releases);
    if (f && (both || !releases))
        acquire_warp(race, w->index, f->ordered_after);
    if (f && releases)
        release_warp(race, w->index, f->ordered_after);
}

/* --- the accesses of a warp ------------------------------------------------------------------- */

/* The effect of an access for racecheck. Strong operations do not race with one another;
 * volatile accesses do not synchronise threads. */
static sm_effect race_effect(const sm_access *a)
{
    return a->effect != SM_UPDATES && observe_order_of(a->insn) > SM_VOLATILE ? SM_UPDATES
                                                                              : a->effect;
}

static void replay_access(void *race, const sm_access *a, san_times times)
{
    SM_EACH_LANE(lane, a->mask) {
        racing_actor who = san_race_actor(a->warp, lane);
        who.now.warp_time = times.warp;
        who.now.launch_time = times.launch;
        san_race_access(race, &who, a->insn, a->address[lane], a->bytes, race_effect(a));
    }
}

/* Write the quick check's accesses to the cells, and use these until the block's next barrier. */
static void switch_to_cells(race_shadow *race)
{
    if (!race->exact) {
        race->exact = true;
        san_quick_check_replay(race->quick, replay_access, race);
    }
}

static void on_barrier_arrive(void *state, uint32_t id, uint32_t warp, uint32_t lanes)
{
    (void)lanes;
    race_shadow *race = state;
    switch_to_cells(race);
    release_warp(race, warp, &race->arrived[id * race->warps]);
}

static void on_barrier_release(void *state, uint32_t id, uint32_t warps)
{
    race_shadow *race = state;
    uint32_t *from = &race->arrived[id * race->warps];
    for (; warps; warps &= warps - 1)
        acquire_warp(race, (uint32_t)__builtin_ctz(warps), from);
    memset(from, 0, race->warps * sizeof *from);
}

static inline san_times times_of_access(const race_shadow *race, const sm_access *a)
{
    return (san_times){race->warp_time[a->warp->index], race->launch_time ? *race->launch_time : 0};
}

static bool check_regular_access(void *state, const sm_access *a)
{
    race_shadow *race = state;
    const san_quick_verdict v =
        race->exact ? SAN_NOT_CHECKED
                    : san_quick_check_regular(race->quick, a, times_of_access(race, a));
    if (v == SAN_MAY_RACE)
        switch_to_cells(race);
    return v == SAN_NO_RACE;
}

static void check_shared_race(void *state, const sm_access *a)
{
    race_shadow *race = state;
    if (!race->exact && san_quick_check_access(race->quick, a, times_of_access(race, a)))
        return;
    switch_to_cells(race);
    const sm_effect effect = race_effect(a);
    SM_EACH_LANE(lane, a->mask) {
        racing_actor who = san_race_actor(a->warp, lane);
        who.access = a;
        san_race_access(race, &who, a->insn, a->address[lane], a->bytes, effect);
        apply_memory_order(race, a->warp, a->insn, a->address[lane]);
    }
}

/* --- the observer for races on shared memory -------------------------------------------------- */

static void *on_launch_begin(const sm_grid *g)
{
    race_launch *l = calloc(1, sizeof *l);
    if (l) {
        l->grid = g;
        l->reports = san_reports_new(g->launch);
        l->several_arrays = san_uses_several_dynamic_arrays(g->unit);
        pthread_mutex_init(&l->lock, NULL);
    }
    if (l && !l->reports) {
        free(l);
        return NULL;
    }
    return l;
}

static sm_report *on_launch_end(void *launch)
{
    race_launch *l = launch;
    san_race_report_unwaited_copies(l);
    sm_report *list = san_take_reports(l->reports);
    pthread_mutex_destroy(&l->lock);
    free(l);
    return list;
}

static const sm_observer shared_race_observer = {.sees = SM_SEES_SHARED,
                                                 .launch_begins = on_launch_begin,
                                                 .launch_ends = on_launch_end,
                                                 .block_opens = new_race_shadow,
                                                 .block_closes = free_race_shadow,
                                                 .block_begins = on_block_begin,
                                                 .block_ends = san_race_block_ends,
                                                 .access = check_shared_race,
                                                 .regular_access = check_regular_access,
                                                 .block_barrier = on_block_barrier,
                                                 .cluster_barrier = on_cluster_barrier,
                                                 .barrier_arrives = on_barrier_arrive,
                                                 .barrier_releases = on_barrier_release,
                                                 .warp_barrier = on_warp_barrier,
                                                 .proxy_fence = san_race_proxy_fence,
                                                 .copy_reads = san_race_copy_reads,
                                                 .copy_issued = san_race_copy_issued,
                                                 .copy_lands = san_race_copy_completes,
                                                 .copies_land = san_race_copies_complete};

const sm_observer *const san_race_observers[2] = {&shared_race_observer, NULL};

race_shadow *san_race_shadow_of(const sm_block *b)
{
    for (uint32_t k = 0; k < SM_OBSERVERS; k++)
        if (b->observer[k].by == &shared_race_observer)
            return b->observer[k].state;
    return NULL;
}
