#include "digests.h"

#include <stdlib.h>

void write_memory_digests(rec_writer *w, const mem_map *map, uint64_t at)
{
    static struct last {
        uint64_t base, hash;
    } * last;
    static size_t last_count;
    struct last *now = calloc(map->count ? map->count : 1, sizeof *now);
    uint64_t *pairs = malloc((map->count ? map->count : 1) * 2 * sizeof *pairs);
    uint32_t n = 0;
    for (uint32_t k = 0, l = 0; now && pairs && k < map->count; k++) {
        const mem_range *r = &map->range[k];
        now[k].base = r->base;
        if (r->delta == 0 || r->own)
            continue;
        while (l < last_count && last[l].base < r->base)
            l++;
        const bool known = l < last_count && last[l].base == r->base;
        if (at && at - r->base >= r->size) {
            now[k].hash = known ? last[l].hash : 0;
            continue;
        }
        now[k].hash = rec_digest_bytes(0, (const void *)(uintptr_t)(r->base + (uint64_t)r->delta),
                                       (size_t)r->size);
        if (!known || last[l].hash != now[k].hash) {
            pairs[2 * n] = r->base;
            pairs[2 * n++ + 1] = now[k].hash;
        }
    }
    free(last);
    last = now;
    last_count = now ? map->count : 0;
    if (n) {
        const rec_item item = {.kind = REC_memory, .memory = {.ranges = {2 * n, pairs}}};
        rec_write_item(w, &item);
    }
    free(pairs);
}

uint64_t hash_of_rows(uint64_t base, size_t pitch, size_t slice, size_t width, size_t height,
                      size_t depth)
{
    uint64_t hash = 0;
    for (size_t z = 0; z < depth; z++) {
        for (size_t y = 0; y < height; y++) {
            const uint64_t at = base + z * slice + y * pitch;
            hash = rec_digest_bytes(hash, (const void *)(uintptr_t)at, width);
        }
    }
    return hash;
}

/* Maximum number of launches that have ended and are not yet reported as done. */
enum { MAX_OPEN_LAUNCHES = 64 };
static struct {
    uint64_t op, hash; /* operation number of a launch, 0: free; hash of its counters */
} kept_counter_hashes[MAX_OPEN_LAUNCHES];

void keep_counter_hash(uint64_t op, uint64_t hash)
{
    for (int k = 0; k < MAX_OPEN_LAUNCHES; k++) {
        if (!kept_counter_hashes[k].op) {
            kept_counter_hashes[k].op = op;
            kept_counter_hashes[k].hash = hash;
            return;
        }
    }
}

uint64_t take_counter_hash(uint64_t op)
{
    for (int k = 0; k < MAX_OPEN_LAUNCHES; k++) {
        if (kept_counter_hashes[k].op == op) {
            kept_counter_hashes[k].op = 0;
            return kept_counter_hashes[k].hash;
        }
    }
    return 0;
}
