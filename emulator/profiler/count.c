#include "count.h"

#include "lane_keys.h"

uint32_t profiler_count_distinct(const uint64_t *key, uint32_t n)
{
    uint32_t changes = n > 0, falls = 0;
    for (uint32_t k = 1; k < n; k++) {
        changes += key[k] != key[k - 1];
        falls |= key[k] < key[k - 1];
    }
    if (!falls)
        return changes;
    lane_keys keys;
    lane_keys_clear(&keys);
    for (uint32_t k = 0; k < n; k++)
        lane_keys_find(&keys, key[k]);
    return keys.count;
}

void profiler_join_lines(profiler_lines *l)
{
    lane_keys lines;
    lane_keys_clear(&lines);
    for (uint32_t k = 0; k < l->count; k++) {
        const uint32_t known = lines.count, at = lane_keys_find(&lines, l->line[k]);
        l->words[at] = l->words[k] | (at < known ? l->words[at] : 0);
        l->line[at] = l->line[k];
    }
    l->count = lines.count;
}

profiler_global_request_cost profiler_cost_of_global_request(const uint64_t *address, uint32_t n,
                                                             uint32_t bytes)
{
    profiler_lines lines;
    if (!profiler_find_lines(address, n, &lines))
        profiler_join_lines(&lines);
    profiler_global_request_cost c = {.lines = lines.count};
    for (uint32_t k = 0; k < lines.count; k++) {
        c.words += (uint32_t)__builtin_popcount(lines.words[k]);
        c.sectors += profiler_sector_count(profiler_sectors_of_words(lines.words[k]));
    }
    /* Lanes that access one or two bytes may access different parts of one word. */
    c.ideal = ((bytes < 4 ? profiler_count_distinct(address, n) : c.words) * bytes + 31) / 32;
    return c;
}

void profiler_atomic_turns(const uint64_t *address, uint32_t n, uint8_t turn[SM_LANES])
{
    lane_keys words;
    lane_keys_clear(&words);
    uint8_t lanes[SM_LANES] = {0}; /* of each address: how many lanes have updated it */
    for (uint32_t k = 0; k < n; k++)
        turn[k] = lanes[lane_keys_find(&words, address[k])]++;
}

void profiler_find_packets(const uint64_t *address, uint32_t n, profiler_packets *p)
{
    uint8_t turn[SM_LANES];
    lane_keys packets;
    lane_keys_clear(&packets);
    profiler_atomic_turns(address, n, turn);
    *p = (profiler_packets){0};
    for (uint32_t l = 0; l < n; l++) {
        const uint32_t k = lane_keys_find(&packets, address[l] / 128 * SM_LANES + turn[l]);
        p->line[k] = address[l] / 128;
        p->sectors[k] |= (uint8_t)(1 << address[l] / 32 % 4);
        p->lanes[k]++;
        p->again += turn[l] > 0;
    }
    p->count = packets.count;
}

uint32_t profiler_sectors_of_packets(const profiler_packets *p)
{
    uint32_t sectors = 0;
    for (uint32_t k = 0; k < p->count; k++)
        sectors += profiler_sector_count(p->sectors[k]);
    return sectors;
}

uint32_t profiler_atomic_sectors(const uint64_t *address, uint32_t n)
{
    profiler_packets p;
    profiler_find_packets(address, n, &p);
    return profiler_sectors_of_packets(&p);
}

/* The number of wavefronts for the lanes of MASK, each of which accesses WORDS words (1, 2 or 4,
 * aligned): the largest number of distinct words in any bank. A row is 32 consecutive words, one
 * per bank. */
static uint32_t wavefront_count(const uint32_t offset[SM_LANES], uint32_t mask, uint32_t words)
{
    lane_keys rows;
    lane_keys_clear(&rows);
    uint32_t banks[SM_LANES] = {0}; /* of each row: the banks that are accessed */
    const uint32_t width = words == 4 ? 15 : words == 2 ? 3 : 1;
    for (; mask; mask &= mask - 1) {
        const uint32_t word = offset[__builtin_ctz(mask)] / 4;
        banks[lane_keys_find(&rows, word / 32)] |= width << word % 32;
    }
    return profiler_most_in_a_bank(banks);
}

/* The lanes FROM to FROM + COUNT - 1 that are in MASK. */
static uint32_t lanes_in_range(uint32_t mask, uint32_t from, uint32_t count)
{
    return mask & (uint32_t)(((UINT64_C(1) << count) - 1) << from);
}

/* Whether lanes l and l ^ FLIP access equal offsets, for all l for which both lanes are active. */
static bool do_lanes_read_equal_offsets(const uint32_t offset[SM_LANES], uint32_t mask,
                                        uint32_t flip)
{
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint32_t both = 1u << l | 1u << (l ^ flip);
        if ((mask & both) == both && offset[l] != offset[l ^ flip])
            return false;
    }
    return true;
}

/* Count wavefronts of a request that is served LANES lanes at a time, with WORDS words per lane. */
static profiler_wavefront_cost wavefronts_in_groups(const uint32_t offset[SM_LANES], uint32_t mask,
                                                    uint32_t words, uint32_t lanes)
{
    profiler_wavefront_cost p = {0};
    for (uint32_t from = 0; from < SM_LANES; from += lanes) {
        const uint32_t part = lanes_in_range(mask, from, lanes);
        if (part) {
            const uint32_t most = wavefront_count(offset, part, words);
            p.wavefronts += most;
            p.conflicts += most - 1;
        }
    }
    return p;
}

profiler_wavefront_cost profiler_shared_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes, bool load)
{
    if (bytes <= 4)
        return wavefronts_in_groups(offset, mask, 1, SM_LANES);
    const uint32_t words = bytes / 4, lanes = bytes == 8 ? 16 : 8;
    if (load && (do_lanes_read_equal_offsets(offset, mask, 1) ||
                 do_lanes_read_equal_offsets(offset, mask, 2))) {
        const profiler_wavefront_cost wide = wavefronts_in_groups(offset, mask, words, 2 * lanes);
        if (wide.conflicts == 0)
            return wide;
    }
    return wavefronts_in_groups(offset, mask, words, lanes);
}

profiler_wavefront_cost profiler_atomic_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes)
{
    if (bytes != 8) {
        const uint32_t most = profiler_most_lanes_in_a_bank(offset, mask);
        return (profiler_wavefront_cost){most, most ? most - 1 : 0};
    }
    enum { WIDE = 8, PLACES = 128 / WIDE };
    profiler_wavefront_cost p = {0};
    for (uint32_t from = 0; from < SM_LANES; from += PLACES) {
        uint8_t lanes[SM_LANES] = {0};
        uint32_t most = 0;
        for (uint32_t m = lanes_in_range(mask, from, PLACES); m; m &= m - 1) {
            const uint32_t now = ++lanes[offset[__builtin_ctz(m)] / WIDE % PLACES];
            most = now > most ? now : most;
        }
        p.wavefronts += most;
        p.conflicts += most ? most - 1 : 0;
    }
    return p;
}

profiler_local_cost profiler_cost_of_local_request(const uint64_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes)
{
    enum { LANES_OF_A_SECTOR = 8, ALL = (1 << LANES_OF_A_SECTOR) - 1 };
    const uint32_t words = (bytes + 3) / 4;
    profiler_local_cost cost = {0};
    while (mask) {
        const uint64_t word = offset[__builtin_ctz(mask)] / 4;
        uint32_t lanes = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            lanes |= (uint32_t)(offset[__builtin_ctz(m)] / 4 == word) << __builtin_ctz(m);
        mask &= ~lanes;
        bool part = bytes < 4;
        for (; lanes; lanes >>= LANES_OF_A_SECTOR) {
            cost.sectors += (lanes & ALL) != 0 ? words : 0;
            part |= (lanes & ALL) != 0 && (lanes & ALL) != ALL;
        }
        cost.lines += words;
        cost.part_lines += part ? words : 0;
    }
    return cost;
}

void profiler_count_distributed_shared(sm_warp *w, counter_id requests, counter_id sectors,
                                       const uint64_t address[SM_LANES], uint32_t mask, bool atomic)
{
    uint64_t packed[SM_LANES] = {0}, *v = w->worker->extra.v;
    uint32_t n = 0;
    for (; mask; mask &= mask - 1)
        packed[n++] = address[__builtin_ctz(mask)] / (atomic ? 1 : 32);
    v[requests]++;
    v[sectors] += atomic ? profiler_atomic_sectors(packed, n) : profiler_count_distinct(packed, n);
}
