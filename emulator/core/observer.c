/* Forward the events of a block to everything that observes it. */
#include "observer.h"

#include <stdlib.h>
#include <string.h>

bool sm_observers_begin(sm_observed *watch, const sm_observer *const *by)
{
    memset(watch, 0, SM_OBSERVERS * sizeof *watch);
    for (uint32_t k = 0; by && k < SM_OBSERVERS && by[k]; k++) {
        watch[k] = (sm_observed){by[k], by[k]->launch_begins()};
        if (!watch[k].state) {
            watch[k].by = NULL;
            sm_reports_free(sm_observers_end(watch));
            return false;
        }
    }
    return true;
}

bool sm_observers_strict(const sm_observed *watch)
{
    bool strict = false;
    for (uint32_t k = 0; k < SM_OBSERVERS && watch[k].by; k++) {
        strict = strict || watch[k].by->strict;
    }
    return strict;
}

sm_report *sm_observers_end(sm_observed *watch)
{
    sm_report *list = NULL, **end = &list;
    for (uint32_t k = 0; k < SM_OBSERVERS && watch[k].by; k++) {
        *end = watch[k].by->launch_ends(watch[k].state);
        while (*end) {
            end = &(*end)->next;
        }
        watch[k] = (sm_observed){0};
    }
    return list;
}

void sm_reports_free(sm_report *list)
{
    while (list) {
        sm_report *next = list->next;
        free(list);
        list = next;
    }
}

bool sm_observe_open(sm_block *b)
{
    const sm_observed *launch = b->grid->observed;
    for (uint32_t k = 0; k < SM_OBSERVERS && launch[k].by; k++) {
        const sm_observer *by = launch[k].by;
        void *state = by->block_opens(launch[k].state, b->shared_bytes, b->warp_count);
        if (!state) {
            sm_observe_close(b);
            return false;
        }
        b->observer[k] = (sm_observed){by, state};
        b->observed = true;
    }
    return true;
}

void sm_observe_close(sm_block *b)
{
    for (uint32_t k = 0; k < SM_OBSERVERS && b->observer[k].by; k++) {
        b->observer[k].by->block_closes(b->observer[k].state);
        b->observer[k] = (sm_observed){0};
    }
    b->observed = false;
}

/* Call FUNCTION of every observer of block B that has this function. */
#define TELL(b, function, ...)                                                \
    do {                                                                      \
        const sm_observed *o_ = (b)->observer;                                \
        for (uint32_t k_ = 0; k_ < SM_OBSERVERS && o_[k_].by; k_++) {         \
            if (o_[k_].by->function) {                                        \
                o_[k_].by->function(o_[k_].state __VA_OPT__(, ) __VA_ARGS__); \
            }                                                                 \
        }                                                                     \
    } while (0)

void sm_observe_begin(const sm_block *b)
{
    TELL(b, block_begins);
}

void sm_observe_access(const sm_block *b, const sm_access *a)
{
    TELL(b, access, a);
}

/* An access of one lane to shared memory. */
typedef struct single {
    sm_access access;
    uint64_t address[SM_LANES];
} single;

static void fill(single *s, const sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t offset,
                 uint32_t bytes, sm_effect effect)
{
    s->address[lane] = offset;
    s->access = (sm_access){.warp = w,
                            .insn = sm_site_insn(w, i),
                            .space = PTX_SPACE_SHARED,
                            .mask = 1u << lane,
                            .address = s->address,
                            .bytes = bytes,
                            .effect = effect};
}

void sm_observe_lane(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                     uint64_t offset, uint32_t bytes, sm_effect effect)
{
    single s;
    fill(&s, w, i, lane, offset, bytes, effect);
    TELL(b, access, &s.access);
}

void sm_observe_block_barrier(const sm_block *b)
{
    TELL(b, block_barrier);
}

void sm_observe_cluster_barrier(const sm_block *b)
{
    TELL(b, cluster_barrier);
}

void sm_observe_arrival(const sm_block *b, uint32_t id, uint32_t warp)
{
    TELL(b, barrier_arrives, id, warp);
}

void sm_observe_release(const sm_block *b, uint32_t id, uint32_t warps)
{
    TELL(b, barrier_releases, id, warps);
}

void sm_observe_warp_barrier(const sm_warp *w)
{
    TELL(w->block, warp_barrier, w->index);
}

void sm_observe_proxy_fence(const sm_warp *w)
{
    TELL(w->block, proxy_fence, w);
}

void sm_observe_copy_reads(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                           uint64_t offset, uint32_t bytes)
{
    single s;
    fill(&s, w, i, lane, offset, bytes, SM_READS);
    TELL(b, copy_reads, &s.access);
}

void sm_observe_copy_issued(const sm_warp *w, void *issued[SM_OBSERVERS])
{
    const sm_observed *o = w->block->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++) {
        issued[k] = o[k].by->copy_issued ? o[k].by->copy_issued(o[k].state, w) : NULL;
    }
}

void sm_observe_copy_lands(const sm_block *b, void *issued[SM_OBSERVERS], const sm_warp *w,
                           const sm_insn *i, uint32_t lane, uint64_t offset, uint32_t bytes,
                           sm_effect effect)
{
    single s;
    fill(&s, w, i, lane, offset, bytes, effect);
    const sm_observed *o = b->observer;
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++) {
        if (o[k].by->copy_lands) {
            o[k].by->copy_lands(o[k].state, issued[k], &s.access);
        }
    }
}

void sm_observe_copy_drop(void *const issued[SM_OBSERVERS])
{
    for (uint32_t k = 0; k < SM_OBSERVERS; k++) {
        free(issued[k]);
    }
}
