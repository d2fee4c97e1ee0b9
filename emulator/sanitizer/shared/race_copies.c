/* Asynchronous copies in racecheck: their clocks, the async proxy's fences, their end. */
#include "race_shadow.h"

#include <stdlib.h>
#include <string.h>

/* The clocks when an asynchronous copy was issued. */
typedef struct copy_issue {
    uint32_t block_time, cluster_time; /* times on the clocks of block and cluster */
    /* [warps] number of releases of each warp of the block that the copy is ordered after. */
    uint32_t ordered_after[]; /* [warps] releases of each warp before the copy */
} copy_issue;

void *san_race_copy_issued(void *state, const sm_warp *w)
{
    const race_shadow *race = state;
    const size_t bytes = race->warps * sizeof *race->ordered_after;
    copy_issue *now = malloc(sizeof *now + bytes);
    if (now) {
        now->block_time = race->block_time;
        now->cluster_time = race->cluster_time;
        memcpy(now->ordered_after, &race->ordered_after[w->index * race->warps], bytes);
    }
    return now;
}

void san_race_proxy_fence(void *state, const sm_warp *w)
{
    race_shadow *race = state;
    if (++race->fences == 0) {
        san_race_reset_clocks(race);
        race->fences = 1;
    }
    SM_EACH_LANE(lane, w->mask) {
        race->fence[w->index * SM_LANES + lane] =
            (thread_proxy_fence){san_race_actor(w, lane).now, race->fences};
    }
}

/* Is the last proxy fence of thread LOCAL of the block ordered after C's write and before A? */
static bool is_fence_of_thread_between(const race_shadow *race, const word_state *c,
                                       const racing_actor *a, uint32_t local)
{
    const thread_proxy_fence *f = &race->fence[local];
    if (f->number <= c->fences)
        return false;
    const sm_warp *w = &a->w->block->warp[local / SM_LANES];
    racing_actor then = san_race_actor(w, local % SM_LANES);
    then.now = f->when;
    return (then.thread == c->thread || san_race_is_ordered(&then, &c->when, c->thread)) &&
           (then.thread == a->thread || san_race_is_ordered(a, &f->when, then.thread));
}

/* Is a proxy fence of any thread ordered between the write of C and A's access? It usually is a
 * fence of the writer or of the thread that issued the copy. */
static bool is_proxy_fence_between(const race_shadow *race, const word_state *c,
                                   const racing_actor *a)
{
    bool is = is_fence_of_thread_between(race, c, a, c->thread % SAN_BLOCK_THREADS) ||
              is_fence_of_thread_between(race, c, a, a->thread % SAN_BLOCK_THREADS);
    for (uint32_t k = 0; k < race->warps * SM_LANES && !is; k++)
        is = is_fence_of_thread_between(race, c, a, k);
    return is;
}

void san_race_copy_reads(void *state, const sm_access *by)
{
    race_shadow *race = state;
    const sm_warp *w = by->warp;
    const uint32_t lane = (uint32_t)__builtin_ctz(by->mask);
    const uint64_t offset = by->address[lane], end = offset + by->bytes;
    const racing_actor a = san_race_actor(w, lane);
    for (uint64_t word = offset / 4; by->bytes && word <= (end - 1) / 4; word++) {
        const word_state *c = &race->cell[word];
        /* accesses that are not ordered at all are reported as a race instead */
        if (c->at && c->thread != SAN_THREAD_OF_COPY &&
            c->thread / SAN_BLOCK_THREADS == w->block->rank && c->fences >= race->fences_before &&
            (c->thread == a.thread || san_race_is_ordered(&a, &c->when, c->thread)) &&
            !is_proxy_fence_between(race, c, &a)) {
            san_report_unfenced(
                race->launch->reports, w, (uint32_t)word * 4,
                (san_racing_thread){a.thread, by->insn, SM_READS},
                (san_racing_thread){c->thread, c->at, c->atomic ? SM_UPDATES : SM_WRITES});
            break;
        }
    }
    san_race_access(race, &a, by->insn, offset, by->bytes, SM_READS);
}

/* A bulk copy completes. ISSUED is NULL if the host was out of memory; then it is not checked. */
void san_race_copy_completes(void *state, void *issued, const sm_access *by)
{
    race_shadow *race = state;
    const copy_issue *then = issued;
    const race_shadow *own = san_race_shadow_of(by->warp->block);
    const uint64_t offset = by->address[__builtin_ctz(by->mask)], end = offset + by->bytes;
    if (!then)
        return;
    const racing_actor a = {
        .w = by->warp,
        .thread = SAN_THREAD_OF_COPY,
        .warp = SAN_THREAD_OF_COPY / SM_LANES,
        .now = {.cluster_time = then->cluster_time, .block_time = then->block_time},
        .ordered_after = then->ordered_after};
    /* other copies that write the same words at the same time are not detected */
    san_race_access(race, &a, by->insn, offset, by->bytes, by->effect);
    for (uint64_t word = offset / 4; by->bytes && word <= (end - 1) / 4; word++) {
        race->cell[word].when =
            (access_time){.cluster_time = own->cluster_time, .block_time = own->block_time};
    }
}

/* Copies of cp.async complete. Their words were written when the copies began; from now on they
 * count as written by the copying thread at this time or, if the copies arrive at an mbarrier,
 * like words written by bulk copies. */
void san_race_copies_complete(void *state, const sm_access *by, sm_landing why)
{
    race_shadow *race = state;
    san_race_note_copy_wait(race, why);
    SM_EACH_LANE(lane, by->mask) {
        const racing_actor who = san_race_actor(by->warp, lane);
        word_state *c = &race->cell[by->address[lane] / 4];
        for (word_state *end = c + (by->bytes + 3) / 4; c < end; c++) {
            if (san_is_copy_in_flight(race, c) && c->at == by->insn && c->thread == who.thread) {
                c->in_flight = false;
                c->when = who.now;
                c->thread = why == SM_LANDS_AT_MBARRIER ? SAN_THREAD_OF_COPY : c->thread;
            }
        }
    }
}
