#include "heat.h"

#include <stdlib.h>

enum {
    SECTOR_BYTES = 32, /* size of a sector of memory */
    SECTOR_SHIFT = 5,  /* base-2 logarithm of SECTOR_BYTES */
    WORD_BITS = 64     /* bits in a uint64_t */
};

bool acc_heat_maps_open(acc_heat_maps *h, const mem_map *map)
{
    h->slot = calloc(map->count + 1u, sizeof *h->slot);
    for (uint32_t k = 0; h->slot && k < map->count; k++)
        h->slot[k].range = map->range[k];
    h->count = h->slot ? map->count : 0;
    return h->slot != NULL;
}

static void free_heat_map(acc_heat_map *h)
{
    if (h) {
        free(h->piece);
        free(h->touched);
        free(h);
    }
}

void acc_heat_maps_close(acc_heat_maps *h)
{
    for (uint32_t k = 0; k < h->count; k++)
        free_heat_map(h->slot[k].heat);
    free(h->slot);
    *h = (acc_heat_maps){0};
}

int64_t acc_heat_maps_find_allocation(const acc_heat_maps *h, uint64_t address)
{
    uint32_t low = 0, high = h->count;
    while (low < high) {
        const uint32_t k = (low + high) / 2;
        const mem_range *r = &h->slot[k].range;
        if (address < r->base - r->front)
            high = k;
        else if (address - r->base + r->front >= r->size + r->front + r->back)
            low = k + 1;
        else
            return k;
    }
    return -1;
}

/* The sector that holds the first byte of R. Device allocations are aligned to sectors; registered
 * host memory may begin in the middle of a sector. */
static uint64_t first_sector_of_range(const mem_range *r)
{
    return r->base / SECTOR_BYTES;
}

/* Empty counts for the pieces of allocation R; NULL: the host is out of memory. */
static acc_heat_map *new_heat_map(const mem_range *r)
{
    acc_heat_map *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    const uint64_t sectors = (r->base + r->size - 1) / SECTOR_BYTES - first_sector_of_range(r) + 1;
    h->range = *r;
    h->piece_bytes = SECTOR_BYTES;
    while ((sectors * SECTOR_BYTES + h->piece_bytes - 1) / h->piece_bytes > ACC_MAX_PIECES)
        h->piece_bytes *= 2;
    h->pieces = (uint32_t)((sectors * SECTOR_BYTES + h->piece_bytes - 1) / h->piece_bytes);
    h->piece = calloc(h->pieces, sizeof *h->piece);
    h->touched = calloc(sectors / WORD_BITS + 1, sizeof *h->touched);
    if (!h->piece || !h->touched) {
        free_heat_map(h);
        return NULL;
    }
    return h;
}

/* The counts of the allocation that holds ADDRESS. NULL: there is none, or the host is out of
 * memory. */
static acc_heat_map *find_or_add_heat_map(acc_heat_maps *all, uint64_t address)
{
    const int64_t k = acc_heat_maps_find_allocation(all, address);
    if (k < 0)
        return NULL;
    acc_heat_map **slot = &all->slot[k].heat;
    acc_heat_map *have = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!have) {
        acc_heat_map *mine = new_heat_map(&all->slot[k].range);
        if (mine && __atomic_compare_exchange_n(slot, &have, mine, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE))
            return mine;
        free_heat_map(mine);
    }
    return have;
}

/* Add N to *TO, to which other host threads may add at the same time. */
static void add_to_counter(uint64_t *to, uint64_t n)
{
    __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

/* Does an earlier active lane of request A access the same aligned unit of 2^SHIFT bytes as LANE?
 * *MOST: the highest unit accessed so far, updated by this function. */
static bool lane_repeats_unit(const sm_access *a, uint32_t lane, uint32_t shift, uint64_t *most)
{
    const uint64_t at = a->address[lane] >> shift;
    const uint32_t earlier = a->mask & ((1u << lane) - 1);
    if (!earlier || at > *most) {
        *most = at;
        return false;
    }
    for (uint32_t m = earlier; m; m &= ~(UINT32_C(0x80000000) >> __builtin_clz(m)))
        if (a->address[31 - __builtin_clz(m)] >> shift == at)
            return true;
    return false;
}

bool acc_heat_maps_count_request(acc_heat_maps *all, const sm_access *a)
{
    acc_heat_map *h = NULL;
    uint64_t most_sector = 0, most = 0;
    SM_EACH_LANE(l, a->mask) {
        const uint64_t at = a->address[l];
        if (!h || at - h->range.base >= h->range.size)
            h = find_or_add_heat_map(all, at);
        if (!h)
            return false;
        if (at - h->range.base >= h->range.size)
            continue; /* next to the array, in a guard: no part of the program's data */
        const uint64_t sector = at / SECTOR_BYTES - first_sector_of_range(&h->range);
        acc_piece *p = &h->piece[sector * SECTOR_BYTES / h->piece_bytes];
        if (!lane_repeats_unit(a, l, SECTOR_SHIFT, &most_sector)) {
            add_to_counter(a->effect == SM_READS ? &p->fetched : &p->written, 1);
            uint64_t *word = &h->touched[sector / WORD_BITS];
            const uint64_t bit = UINT64_C(1) << sector % WORD_BITS;
            if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
                __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
        }
        if (!lane_repeats_unit(a, l, 0, &most))
            add_to_counter(&p->used, a->bytes);
    }
    return true;
}

uint64_t acc_heat_map_sectors(const acc_heat_map *h, uint32_t p)
{
    const uint64_t first = p * h->piece_bytes / SECTOR_BYTES;
    const uint64_t end =
        (h->range.base + h->range.size - 1) / SECTOR_BYTES - first_sector_of_range(&h->range) + 1;
    uint64_t last = first + h->piece_bytes / SECTOR_BYTES, count = 0;
    last = last < end ? last : end;
    for (uint64_t s = first; s < last; s++)
        count += h->touched[s / WORD_BITS] >> s % WORD_BITS & 1;
    return count;
}
