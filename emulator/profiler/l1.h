/* The modelled L1 cache of a streaming multiprocessor (SM), by 32-byte sectors, and its two
 * constant caches of 2 KB and 16 KB, with lines of 64 bytes.
 *
 * L1 has eight ways of 32 KB, some of which shared memory uses, and replaces the least recently
 * used line. A launch begins with empty caches. Block b runs on SM b % count. The blocks of an SM
 * run in order (handout.h), and each block finds in L1 the lines that the previous block left, so
 * counters do not depend on which host thread ran which block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define L1_SETS            256u             /* sets of L1 */
#define L1_WAYS            8u               /* lines of a set */
#define L1_WAY_BYTES       (L1_SETS * 128u) /* a line of 128 bytes of each set */
#define L1_CONST_LINES     32u              /* lines of the first constant cache */
#define L1_CONST_FAR_LINES 256u             /* lines of the second constant cache */
#define L1_GENERATIONS     16u              /* limit of `generation`: 4 bits of a line */
#define L1_REGIONS         128u             /* regions of memory: 7 bits of a line */
#define L1_REGION_SHIFT    25u              /* lines of a region: 4 GB of memory */

struct l1_model {
    /* [set][way] region << 25 | number of the line in it, without its lowest 8 bits, which the set
     * tells | generation << 4 | sectors; most recently used first. Half as large as with whole
     * numbers of lines: the L1s of all SMs compete for the host's own cache. */
    uint32_t line[L1_SETS][L1_WAYS] __attribute__((aligned(64)));
    uint32_t generation; /* number of the current generation of lines: lines of other generations
                            are invalid; not 0, as empty lines are */
    uint32_t epoch;      /* of the SM's L1s: when all lines were removed last (l1.c) */
    uint32_t ways;       /* number of ways that shared memory leaves to L1 */
    /* The sectors of line `near` and of the next line, one bit each, that are cached and whose
     * lines are the most recently used of their sets: another access to them changes nothing. */
    uint32_t near_sectors; /* mask of these sectors */
    uint64_t near;         /* number of the line that was used last */
    uint64_t region;       /* line number >> L1_REGION_SHIFT of the region used last */
    uint32_t region_key;   /* what stands for that region and the generation in a line */
    uint32_t region_count; /* number of regions that are known */
    uint64_t known_region[L1_REGIONS]; /* [region_count] regions, by their number in a line */
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

/* The set of a line; LOW: the lower half of its number. */
static inline uint32_t l1_set_of_line(uint32_t low)
{
    return (low ^ low >> 8 ^ low >> 16) % L1_SETS;
}

/* Make REGION the one that region_key stands for. */
void profiler_l1_change_region(struct l1_model *l1, uint64_t region);

/* What stands for a line of the region used last in `line`, without its sectors. */
static inline uint32_t l1_key_in_region(const struct l1_model *l1, uint32_t low)
{
    return l1->region_key | (low & ((1u << L1_REGION_SHIFT) - L1_SETS));
}

/* What stands for LINE in `line`, without its sectors. */
static inline uint32_t l1_line_key(struct l1_model *l1, uint64_t line)
{
    if (__builtin_expect(line >> L1_REGION_SHIFT != l1->region, 0))
        profiler_l1_change_region(l1, line >> L1_REGION_SHIFT);
    return l1_key_in_region(l1, (uint32_t)line);
}

#ifdef __AVX2__
/* [way] where each way of a set comes from, the last way first, if that way moves to the front. */
static const uint64_t l1_moves[L1_WAYS] = {
    UINT64_C(0x0706050403020100), UINT64_C(0x0706050403020000), UINT64_C(0x0706050403010000),
    UINT64_C(0x0706050402010000), UINT64_C(0x0706050302010000), UINT64_C(0x0706040302010000),
    UINT64_C(0x0705040302010000), UINT64_C(0x0605040302010000)};
#endif

/* Make the line KEY, with SECTORS (a mask of 4 bits), the most recently used one of the first WAYS
 * ways of SET. Returns the sectors that the set did not have. */
static inline uint32_t l1_move_to_front(uint32_t set[L1_WAYS], uint32_t ways, uint32_t key,
                                        uint32_t sectors)
{
    if ((set[0] & ~15u) == key) {
        const uint32_t had = set[0];
        set[0] |= sectors;
        return sectors & ~had;
    }
#ifdef __AVX2__
    const __m256i old = _mm256_load_si256((const __m256i *)set);
    const __m256i lines = _mm256_and_si256(old, _mm256_set1_epi32(~15));
    const uint32_t found = (uint32_t)_mm256_movemask_ps(
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(lines, _mm256_set1_epi32((int32_t)key))));
#else
    uint32_t found = 0;
    for (uint32_t w = 0; w < L1_WAYS; w++)
        found |= (uint32_t)((set[w] & ~15u) == key) << w;
#endif
    const uint32_t last = 1u << (ways - 1), hit = found & (2 * last - 1);
    /* the ways before way `at` move back by one: `at` is the line's own way, or the last way */
    const uint32_t at = (uint32_t)__builtin_ctz(hit | last);
    const uint32_t had = hit ? set[at] & 15 : 0, first = key | had | sectors;
#ifdef __AVX2__
    const __m256i moved = _mm256_permutevar8x32_epi32(
        old, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&l1_moves[at])));
    const __m256i front = _mm256_castsi128_si256(_mm_cvtsi32_si128((int32_t)first));
    _mm256_store_si256((__m256i *)set, _mm256_blend_epi32(moved, front, 1));
#else
    for (uint32_t w = at; w > 0; w--)
        set[w] = set[w - 1];
    set[0] = first;
#endif
    return sectors & ~had;
}

/* How the ways of a set move back when another line becomes the most recently used one. */
#ifdef __AVX2__
typedef __m256i l1_shift;
static inline l1_shift l1_shift_within(uint32_t ways)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&l1_moves[ways - 1]));
}
#else
typedef uint32_t l1_shift; /* by one, all of them: a line beyond WAYS is never looked up */
static inline l1_shift l1_shift_within(uint32_t ways)
{
    return ways;
}
#endif

/* Is the line that FIRST stands for, with any sectors, in no way of SET? Then it is put there, as
 * the most recently used one, and moves others BACK: most lines of scattered loads do. */
static inline bool l1_insert_other_line(uint32_t set[L1_WAYS], uint32_t first, l1_shift back)
{
#ifdef __AVX2__
    const __m256i line = _mm256_set1_epi32((int32_t)first),
                  old = _mm256_load_si256((const __m256i *)set),
                  other = _mm256_xor_si256(old, line), key_bits = _mm256_set1_epi32(~15);
#ifdef __AVX512VL__
    if (_mm256_testn_epi32_mask(other, key_bits))
        return false;
#else
    const __m256i same =
        _mm256_cmpeq_epi32(_mm256_and_si256(other, key_bits), _mm256_setzero_si256());
    if (!_mm256_testz_si256(same, same))
        return false;
#endif
    const __m256i moved = _mm256_permutevar8x32_epi32(old, back);
    _mm256_store_si256((__m256i *)set, _mm256_blend_epi32(moved, line, 1));
#else
    uint32_t old[L1_WAYS], same = 0;
    memcpy(old, set, sizeof old);
    for (uint32_t w = 0; w < L1_WAYS; w++)
        same |= ((old[w] ^ first) & ~15u) == 0 ? ~0u : 0;
    if (same)
        return false;
    (void)back;
    memcpy(set + 1, old, (L1_WAYS - 1) * sizeof *set);
    set[0] = first;
#endif
    return true;
}

/* Load N lines of L1, one after another. FIRST[k] is what stands for a line with its sectors,
 * SET[k] its set. Keeps of SECTORS[k], these sectors, those that missed. Returns whether L1 had one
 * of the lines. */
static inline __attribute__((always_inline)) bool l1_look_up_lines(struct l1_model *l1, uint32_t n,
                                                                   const uint32_t *set,
                                                                   const uint32_t *first,
                                                                   uint8_t *sectors)
{
    const uint32_t ways = l1->ways;
    const l1_shift back = l1_shift_within(ways);
    bool found = false;
#pragma GCC unroll 4
    for (uint32_t k = 0; k < n; k++) {
        if (l1_insert_other_line(l1->line[set[k]], first[k], back))
            continue;
        sectors[k] = (uint8_t)l1_move_to_front(l1->line[set[k]], ways, first[k] & ~15u, sectors[k]);
        found = true;
    }
    l1->near_sectors = 0;
    return found;
}

/* Get the set of LINE into the host's own cache, which it has left while other SMs were simulated.
 */
static inline void l1_prefetch_line(struct l1_model *l1, uint64_t line)
{
    __builtin_prefetch(l1->line[l1_set_of_line((uint32_t)line)], 1);
}

/* Load SECTORS of the 128-byte line LINE; returns the sectors that missed. */
static inline uint32_t l1_missing_sectors(struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    l1->near_sectors = 0;
    l1_prefetch_line(l1, line + 2); /* of the next warps, and of the next turns of a loop */
    l1_prefetch_line(l1, line + 2 * (line - l1->near));
    return l1_move_to_front(l1->line[l1_set_of_line((uint32_t)line)], l1->ways,
                            l1_line_key(l1, line), sectors);
}

/* The sectors among SECTORS that would miss; does not change what is cached. */
static inline uint32_t l1_would_miss(struct l1_model *l1, uint64_t line, uint32_t sectors)
{
    const uint32_t *set = l1->line[l1_set_of_line((uint32_t)line)], key = l1_line_key(l1, line);
    for (uint32_t w = 0; w < l1->ways; w++)
        if ((set[w] & ~15u) == key)
            return sectors & ~set[w];
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
    const uint32_t a = l1_set_of_line((uint32_t)line), b = l1_set_of_line((uint32_t)line + 1);
    if (second && a == b)
        return;
    l1->near = line;
    l1->near_sectors = l1->line[a][0] & 15;
    l1->near_sectors |= second ? (l1->line[b][0] & 15) << 4 : 0;
}
