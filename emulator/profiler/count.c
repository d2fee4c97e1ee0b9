#include "count.h"

#include <string.h>

enum { LINE_TABLE_SLOTS = 64 }; /* slots of the hash table of lines */

uint32_t profiler_count_distinct(const uint64_t *key, uint32_t n)
{
    uint32_t changes = n > 0, falls = 0;
    for (uint32_t k = 1; k < n; k++) {
        changes += key[k] != key[k - 1];
        falls |= key[k] < key[k - 1];
    }
    if (!falls)
        return changes;
    /* hash table with open addressing, with twice as many slots as there are keys */
    uint64_t place[64];
    uint64_t taken = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = (uint32_t)(key[k] * UINT64_C(0x9e3779b97f4a7c15) >> 58);
        /* cppcheck-suppress uninitvar ; `taken` says which places are filled */
        while (taken >> at & 1 && place[at] != key[k])
            at = (at + 1) % 64;
        if (!(taken >> at & 1)) {
            taken |= UINT64_C(1) << at;
            place[at] = key[k];
            count++;
        }
    }
    return count;
}

/* Distinct 128-byte lines, and of each the words at which a lane's access begins: a hash table with
 * twice as many slots as a warp has lanes. */
typedef struct line_table {
    uint64_t taken;                   /* a bit for each slot in use */
    uint64_t line[LINE_TABLE_SLOTS];  /* line number */
    uint32_t words[LINE_TABLE_SLOTS]; /* a bit for each word of the line */
} line_table;

/* Add WORDS to the mask of words of LINE. AT: the slot at which the search for LINE begins. */
static inline void add_words_to_line(line_table *t, uint32_t at, uint64_t line, uint32_t words)
{
    while (t->taken >> at & 1 && t->line[at] != line)
        at = (at + 1) % LINE_TABLE_SLOTS;
    t->words[at] = (t->taken >> at & 1 ? t->words[at] : 0) | words;
    t->line[at] = line;
    t->taken |= UINT64_C(1) << at;
}

profiler_global_request_cost profiler_cost_of_global_request(const uint64_t *address, uint32_t n,
                                                             uint32_t bytes)
{
    line_table t;
    t.taken = 0; /* the other fields need no initial value */
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t line = address[k] / 128;
        const uint32_t at = (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 58);
        add_words_to_line(&t, at, line, 1u << address[k] / 4 % 32);
    }
    profiler_global_request_cost s = {.lines = 0};
    uint32_t distinct = 0;
    for (uint64_t m = t.taken; m; m &= m - 1, s.lines++) {
        const uint32_t words = t.words[__builtin_ctzll(m)];
        distinct += (uint32_t)__builtin_popcount(words);
        for (uint32_t sector = 0; sector < 4; sector++)
            s.sectors += (words >> 8 * sector & 255) != 0;
    }
    /* Lanes that access one or two bytes may access different parts of one word. */
    s.ideal = ((bytes < 4 ? profiler_count_distinct(address, n) : distinct) * bytes + 31) / 32;
    return s;
}

uint32_t profiler_atomic_sectors(const uint64_t *address, uint32_t n)
{
    uint64_t key[SM_LANES];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t turn = 0;
        for (uint32_t j = 0; j < k; j++)
            turn += address[j] == address[k];
        key[k] = address[k] / 32 * SM_LANES + turn;
    }
    return profiler_count_distinct(key, n);
}

/* The number of wavefronts for the lanes of MASK, each of which accesses WORDS words (1, 2 or 4,
 * aligned): the largest number of distinct words in any bank. A row is 32 consecutive words, one
 * per bank, and is represented by a bit mask of the banks that are accessed. The masks of all rows
 * are added up bank by bank as binary numbers, one bit plane per digit. */
static uint32_t wavefront_count(const uint32_t offset[SM_LANES], uint32_t mask, uint32_t words)
{
    line_table rows;
    rows.taken = 0;
    const uint32_t width = words == 4 ? 15 : words == 2 ? 3 : 1;
    for (; mask; mask &= mask - 1) {
        const uint32_t word = offset[__builtin_ctz(mask)] / 4, row = word / 32;
        add_words_to_line(&rows, row % LINE_TABLE_SLOTS, row, width << word % 32);
    }
    uint32_t plane[6] = {0};
    for (uint64_t m = rows.taken; m; m &= m - 1) {
        uint32_t carry = rows.words[__builtin_ctzll(m)];
        for (uint32_t p = 0; carry; p++) {
            const uint32_t next = plane[p] & carry;
            plane[p] ^= carry;
            carry = next;
        }
    }
    uint32_t most = 0, fullest = UINT32_MAX;
    for (uint32_t p = 6; p-- > 0;) {
        if (plane[p] & fullest) {
            fullest &= plane[p];
            most |= 1u << p;
        }
    }
    return most;
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

/* Like wavefronts_in_groups for a full warp with one word per lane, without branches per lane. */
static profiler_wavefront_cost full_warp_wavefronts(const uint32_t offset[SM_LANES])
{
    uint8_t lanes[SM_LANES] = {0}, most = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        lanes[offset[l] / 4 % SM_LANES]++;
    for (uint32_t bank = 0; bank < SM_LANES; bank++)
        most = lanes[bank] > most ? lanes[bank] : most;
    return (profiler_wavefront_cost){most, most - 1u};
}

profiler_wavefront_cost profiler_atomic_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes)
{
    if (mask == SM_FULL && bytes <= 4)
        return full_warp_wavefronts(offset);
    const uint32_t wide = bytes == 8 ? 8 : 4, places = 128 / wide;
    profiler_wavefront_cost p = {0};
    for (uint32_t from = 0; from < SM_LANES; from += places) {
        uint8_t lanes[SM_LANES] = {0};
        uint32_t most = 0;
        for (uint32_t m = lanes_in_range(mask, from, places); m; m &= m - 1) {
            const uint32_t now = ++lanes[offset[__builtin_ctz(m)] / wide % places];
            most = now > most ? now : most;
        }
        p.wavefronts += most;
        p.conflicts += most ? most - 1 : 0;
    }
    return p;
}

uint32_t profiler_local_sectors(const uint64_t offset[SM_LANES], uint32_t mask, uint32_t bytes)
{
    uint32_t words = (bytes + 3) / 4, total = 0;
    for (uint32_t j = 0; j < words; j++) {
        uint64_t key[SM_LANES];
        uint32_t n = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            key[n++] = (offset[l] / 4 + j) * 4 + l / 8;
        }
        total += profiler_count_distinct(key, n);
    }
    return total;
}

void profiler_count_distributed_shared(sm_warp *w, counter_id requests, counter_id sectors,
                                       const uint64_t address[SM_LANES], uint32_t mask, bool atomic)
{
    uint64_t packed[SM_LANES], *v = w->worker->extra.v;
    uint32_t n = 0;
    for (; mask; mask &= mask - 1)
        packed[n++] = address[__builtin_ctz(mask)] / (atomic ? 1 : 32);
    v[requests]++;
    v[sectors] += atomic ? profiler_atomic_sectors(packed, n) : profiler_count_distinct(packed, n);
}
