#include "l1.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define HOST_LINE_BYTES 64u /* bytes of a cache line of the host */

struct l1_slot {
    struct l1_model model;   /* the L1 of this SM */
    atomic_bool is_unshared; /* a block of this SM waits for others, so later blocks of the SM get
                                L1 caches of their own */
};

struct l1_sms {
    void *allocated;       /* pointer that calloc returned, for free() */
    uint32_t count, cap;   /* SMs in use; slots allocated */
    uint32_t generation;   /* generation of the L1s' lines; increases with each launch */
    uint32_t epoch;        /* increases when generations begin anew */
    struct l1_slot slot[]; /* [count] one L1 for each SM */
};

/* Zeroed memory of BYTES bytes, aligned to a cache line of the host; *ALLOCATED is what to free.
 * Unlike aligned_alloc, calloc leaves it to the system to zero the pages that are touched. */
static void *calloc_aligned(size_t bytes, void **allocated)
{
    *allocated = calloc(1, bytes + HOST_LINE_BYTES);
    return *allocated ? (void *)(((uintptr_t)*allocated + HOST_LINE_BYTES) / HOST_LINE_BYTES *
                                 HOST_LINE_BYTES)
                      : NULL;
}

static void free_l1s(struct l1_sms *s)
{
    free(s ? s->allocated : NULL);
}

/* The L1s of the last launch, which the next launch reuses. */
static _Atomic(struct l1_sms *) reusable_l1s;

/* Begin GENERATION: no line is cached. */
static void begin_generation(struct l1_model *l1, uint32_t generation)
{
    l1->generation = generation;
    l1->near_sectors = 0;
    l1->region = UINT64_MAX;
}

struct l1_model *profiler_l1_new(void)
{
    struct l1_model *l1 = aligned_alloc(HOST_LINE_BYTES, sizeof *l1);
    if (l1) {
        memset(l1, 0, sizeof *l1);
        begin_generation(l1, 1);
        l1->ways = L1_WAYS;
    }
    return l1;
}

void profiler_l1_free(struct l1_model *l1)
{
    free(l1);
}

/* Remove all lines from the modelled L1 and constant caches. */
static void invalidate_lines(struct l1_model *l1)
{
    memset(l1->line, 0, sizeof l1->line);
    memset(l1->const_line, 0, sizeof l1->const_line);
    memset(l1->const_far, 0, sizeof l1->const_far);
    l1->region_count = 0;
}

void profiler_l1_change_region(struct l1_model *l1, uint64_t region)
{
    uint32_t k = 0;
    while (k < l1->region_count && l1->known_region[k] != region)
        k++;
    if (k == L1_REGIONS) { /* more than 512 GB: begin anew, with an empty cache */
        invalidate_lines(l1);
        k = 0;
    }
    l1->region_count = k < l1->region_count ? l1->region_count : k + 1;
    l1->known_region[k] = region;
    l1->region = region;
    l1->region_key = k << L1_REGION_SHIFT | l1->generation << 4;
}

void profiler_l1_empty(struct l1_model *l1)
{
    const bool last = l1->generation + 1 == L1_GENERATIONS;
    if (last)
        invalidate_lines(l1);
    begin_generation(l1, last ? 1 : l1->generation + 1);
}

struct l1_sms *l1_sms_create(uint64_t blocks, uint32_t sms, uint64_t bytes)
{
    const uint32_t all = sms ? sms : 1, count = blocks < all ? (uint32_t)blocks : all;
    const uint64_t ways = (bytes + L1_WAY_BYTES / 2) / L1_WAY_BYTES;
    struct l1_sms *s = atomic_exchange(&reusable_l1s, NULL);
    if (!s || s->cap < count) {
        free_l1s(s);
        void *allocated;
        s = calloc_aligned(sizeof *s + count * sizeof s->slot[0], &allocated);
        if (!s)
            return NULL;
        s->allocated = allocated;
        s->cap = count;
    }
    if (++s->generation == L1_GENERATIONS) {
        s->generation = 1;
        s->epoch++;
    }
    s->count = count;
    for (uint32_t k = 0; k < count; k++) {
        struct l1_model *l1 = &s->slot[k].model;
        atomic_init(&s->slot[k].is_unshared, false);
        if (l1->epoch != s->epoch) /* lines of this generation may be there, of an earlier epoch */
            invalidate_lines(l1);
        l1->epoch = s->epoch;
        l1->ways = ways < 1 ? 1 : ways > L1_WAYS ? L1_WAYS : (uint32_t)ways;
        begin_generation(l1, s->generation);
    }
    return s;
}

void l1_sms_release(struct l1_sms *s)
{
    free_l1s(atomic_exchange(&reusable_l1s, s));
}

struct l1_slot *l1_slot_for_block(struct l1_sms *s, uint64_t linear)
{
    struct l1_slot *slot = &s->slot[linear % s->count];
    return atomic_load(&slot->is_unshared) ? NULL : slot;
}

struct l1_model *l1_model_of(struct l1_slot *slot)
{
    return &slot->model;
}

void l1_stop_sharing(struct l1_slot *slot)
{
    atomic_store(&slot->is_unshared, true);
}
