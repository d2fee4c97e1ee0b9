/* The modelled L1 cache of a streaming multiprocessor (SM), by 32-byte sectors, and its two
 * constant caches of 2 KB and 16 KB, with lines of 64 bytes.
 *
 * L1 has eight ways of 32 KB, some of which shared memory uses, and replaces the least recently
 * used line. A launch begins with empty caches. Block b runs on SM b % count. The blocks of an SM
 * run in order (handout.h), and each block finds in L1 the lines that the previous block left, so
 * counters do not depend on which host thread ran which block. */
#ifndef WARPBOOK_L1_H
#define WARPBOOK_L1_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define L1_SETS            256u                /* sets of L1 */
#define L1_WAYS            8u                  /* lines of a set */
#define L1_WAY_BYTES       (L1_SETS * 128u)    /* a line of 128 bytes of each set */
#define L1_CONST_LINES     32u                 /* lines of the first constant cache */
#define L1_CONST_FAR_LINES 256u                /* lines of the second constant cache */
#define L1_GENERATIONS     (UINT64_C(1) << 20) /* limit of `generation`: 20 bits of a line */

struct l1_model {
    /* [set][way] line number << 24 | generation << 4 | sectors; most recently used first. A set is
     * one cache line of the host. */
    uint64_t line[L1_SETS][L1_WAYS] __attribute__((aligned(64)));
    uint64_t generation; /* number of the current generation of lines: lines of other generations
                            are invalid */
    uint32_t ways;       /* number of ways that shared memory leaves to L1 */
    /* The sectors of line `near` and of the next line, one bit each, that are cached and whose
     * lines are the most recently used of their sets: another access to them changes nothing. */
    uint32_t near_sectors; /* mask of these sectors */
    uint64_t near;         /* number of the line that was used last */
    /* Lines of the two constant caches: line number << 20 | generation. */
    uint64_t const_line[L1_CONST_LINES];    /* first constant cache */
    uint64_t const_far[L1_CONST_FAR_LINES]; /* second constant cache */
};

/* A new modelled L1 for a block that shares no L1. NULL: the host is out of memory. */
struct l1_model *profiler_l1_new(void);
void profiler_l1_free(struct l1_model *l1);
/* Empty the cache, for a new block that shares no L1. */
void profiler_l1_empty(struct l1_model *l1);

/* The L1 caches of all SMs during a launch. */
struct l1_sms;
struct l1_slot;

/* Create the L1 caches for a grid of BLOCKS blocks on a device with SMS multiprocessors, each with
 * BYTES bytes of L1 besides shared memory. NULL: the host is out of memory. */
struct l1_sms *l1_sms_create(uint64_t blocks, uint32_t sms, uint64_t bytes);
void l1_sms_release(struct l1_sms *s);

/* The L1 for block LINEAR, which is about to begin; earlier blocks of its SM have ended. NULL: an
 * earlier block of the SM waits for other blocks (see l1_stop_sharing), so the block needs an L1
 * of its own. */
struct l1_slot *l1_slot_for_block(struct l1_sms *s, uint64_t linear);
struct l1_model *l1_model_of(struct l1_slot *slot);
/* Call when the block with this slot waits for other blocks. Later blocks of its SM must be able to
 * run in the meantime, so they get L1s of their own. */
void l1_stop_sharing(struct l1_slot *slot);

/* Look up the 64 bytes around ADDRESS in the constant caches. Returns 0 if the first cache has
 * them, 1 if only the second one has them, 2 if neither has them. Afterwards both caches have
 * them. */
static inline uint32_t l1_const_miss(struct l1_model *l1, uint64_t address)
{
    const uint64_t line = address / 64, key = line << 20 | l1->generation;
    uint64_t *near = &l1->const_line[line % L1_CONST_LINES];
    if (*near == key)
        return 0;
    *near = key;
    uint64_t *far = &l1->const_far[(line ^ line / L1_CONST_FAR_LINES) % L1_CONST_FAR_LINES];
    const uint32_t miss = 1 + (*far != key);
    *far = key;
    return miss;
}

/* Return the result of l1_const_miss without changing the caches. */
static inline uint32_t l1_const_peek(const struct l1_model *l1, uint64_t address)
{
    const uint64_t line = address / 64, key = line << 20 | l1->generation;
    return l1->const_line[line % L1_CONST_LINES] == key                                    ? 0
           : l1->const_far[(line ^ line / L1_CONST_FAR_LINES) % L1_CONST_FAR_LINES] == key ? 1
                                                                                           : 2;
}

static inline uint32_t l1_set_of_line(uint64_t line)
{
    return (uint32_t)(line ^ line >> 8 ^ line >> 16) % L1_SETS;
}

/* What stands for LINE in `line`, without its sectors. */
static inline uint64_t l1_line_key(const struct l1_model *l1, uint64_t line)
{
    return line << 24 | l1->generation << 4;
}

/* Make the line KEY, with SECTORS (a mask of 4 bits), the most recently used one of the first WAYS
 * ways of SET. Returns the sectors that the set did not have. */
static inline uint32_t l1_move_to_front(uint64_t set[L1_WAYS], uint32_t ways, uint64_t key,
                                        uint32_t sectors)
{
    if ((set[0] & ~UINT64_C(15)) == key) {
        const uint32_t had = (uint32_t)set[0];
        set[0] |= sectors;
        return sectors & ~had;
    }
#ifdef __AVX512F__
    const __m512i old = _mm512_load_si512(set), tag = _mm512_set1_epi64(~INT64_C(15));
    const __m512i wanted = _mm512_set1_epi64((int64_t)key);
    const uint32_t found = _mm512_cmpeq_epi64_mask(_mm512_and_si512(old, tag), wanted);
#elif defined(__AVX2__)
    const __m256i tag = _mm256_set1_epi64x(~INT64_C(15)), wanted = _mm256_set1_epi64x((int64_t)key);
    const __m256i low = _mm256_load_si256((const __m256i *)set);
    const __m256i high = _mm256_load_si256((const __m256i *)(set + 4));
    const __m256i is_low = _mm256_cmpeq_epi64(_mm256_and_si256(low, tag), wanted);
    const __m256i is_high = _mm256_cmpeq_epi64(_mm256_and_si256(high, tag), wanted);
    const uint32_t found = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(is_low)) |
                           (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(is_high)) << 4;
#else
    uint32_t found = 0;
    for (uint32_t w = 0; w < L1_WAYS; w++)
        found |= (uint32_t)((set[w] & ~UINT64_C(15)) == key) << w;
#endif
    const uint32_t last = 1u << (ways - 1), hit = found & (2 * last - 1);
    /* the ways before way `at` move back by one: `at` is the line's own way, or the last way */
    const uint32_t at = (uint32_t)__builtin_ctz(hit | last);
    const uint64_t had = hit ? set[at] & 15 : 0, first = key | had | sectors;
#ifdef __AVX512F__
    const __m512i moved = _mm512_alignr_epi64(old, _mm512_set1_epi64((int64_t)first), 7);
    _mm512_store_si512(set, _mm512_mask_mov_epi64(old, (__mmask8)((2u << at) - 1), moved));
#elif defined(__AVX2__)
    /* --1 (all bits) for the ways up to `at` */
    static const int64_t up_to[2 * L1_WAYS] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const __m256i move_low = _mm256_loadu_si256((const __m256i *)(up_to + 7 - at));
    const __m256i move_high = _mm256_loadu_si256((const __m256i *)(up_to + 11 - at));
    const __m256i turned = _mm256_permute4x64_epi64(low, 0x93);
    const __m256i low_moved = _mm256_blend_epi32(turned, _mm256_set1_epi64x((int64_t)first), 3);
    const __m256i high_moved = _mm256_blend_epi32(_mm256_permute4x64_epi64(high, 0x93), turned, 3);
    _mm256_store_si256((__m256i *)set, _mm256_blendv_epi8(low, low_moved, move_low));
    _mm256_store_si256((__m256i *)(set + 4), _mm256_blendv_epi8(high, high_moved, move_high));
#else
    for (uint32_t w = at; w > 0; w--)
        set[w] = set[w - 1];
    set[0] = first;
#endif
    return sectors & ~(uint32_t)had;
}

/* Get the set of LINE into the host's own cache, which it has left while other SMs were simulated.
 */
static inline void l1_prefetch_line(struct l1_model *l1, uint64_t line)
{
    __builtin_prefetch(l1->line[l1_set_of_line(line)], 1);
}

/* Load SECTORS of the 128-byte line LINE; returns the sectors that missed. */
static inline uint32_t l1_missing_sectors(struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    l1->near_sectors = 0;
    l1_prefetch_line(l1, line + 2);
    return l1_move_to_front(l1->line[l1_set_of_line(line)], l1->ways, l1_line_key(l1, line),
                            sectors);
}

/* The sectors among SECTORS that would miss; does not change the cache. */
static inline uint32_t l1_would_miss(const struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    const uint64_t *set = l1->line[l1_set_of_line(line)];
    for (uint32_t w = 0; w < l1->ways; w++)
        if ((set[w] & ~UINT64_C(15)) == l1_line_key(l1, line))
            return sectors & ~(uint32_t)set[w];
    return sectors;
}

/* Whether another access to the 32-byte sectors from FIRST_SECTOR to LAST_SECTOR changes nothing,
 * since they are cached and belong to the lines used last. */
static inline bool l1_are_last_used(const struct l1_model *l1, uint64_t first_sector,
                                    uint64_t last_sector)
{
    const uint64_t at = first_sector - 4 * l1->near;
    const uint32_t wanted = at < 8 && last_sector - first_sector < 8
                                ? ((2u << (last_sector - first_sector)) - 1) << at
                                : ~0u;
    return (wanted & ~l1->near_sectors) == 0;
}

/* Note that LINE and, if SECOND, the next line were used last. */
static inline void l1_set_last_used(struct l1_model *l1, uint64_t line, bool second)
{
    const uint32_t a = l1_set_of_line(line), b = l1_set_of_line(line + 1);
    if (second && a == b)
        return;
    l1->near = line;
    l1->near_sectors = (uint32_t)l1->line[a][0] & 15;
    l1->near_sectors |= second ? ((uint32_t)l1->line[b][0] & 15) << 4 : 0;
}

#endif
