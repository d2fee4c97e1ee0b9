/* Counts requests for global memory whose lanes access scattered addresses: lines, sectors, what
 * the modelled L1 has, what the launch touches. */
#pragma once

#include "reach_often.h"

#include "../../memory/touch.h"
#include "../../profiler/count.h"
#include "../../profiler/l2.h"

/* L1 passes of a load of any width. */
static uint32_t load_l1_passes(const uint64_t *at, uint32_t mask, uint32_t bytes)
{
    uint32_t offset[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++)
        offset[l] = (uint32_t)at[l];
    return profiler_shared_wavefronts(offset, mask, bytes, true).wavefronts;
}

/* Does each lane of a full warp access another line? "No" may be wrong. */
static inline bool is_line_of_each_lane_another(const uint64_t *address)
{
    uint16_t key[SM_LANES + SM_LANES / 2] __attribute__((aligned(64)));
    /* cppcheck-suppress uninitvar ; all elements are filled where this is called */
    if (address[0] / 128 == address[1] / 128)
        return false;
    for (uint32_t k = 0; k < SM_LANES; k++) {
        const uint32_t line = (uint32_t)(address[k] / 128);
        key[k] = (uint16_t)(line ^ line >> 16);
    }
#ifdef __AVX2__
    /* the keys in a circle: A, B; each is compared with the 16 keys after it */
    const __m256i a = _mm256_load_si256((const __m256i *)(const void *)key),
                  b = _mm256_load_si256((const __m256i *)(const void *)(key + SM_LANES / 2)),
                  ab = _mm256_permute2x128_si256(a, b, 0x21), /* from key 8 on */
        ba = _mm256_permute2x128_si256(b, a, 0x21);           /* from key 24 on */
    __m256i same = _mm256_cmpeq_epi16(a, b);
#define COMPARE(x, y) \
    same =            \
        _mm256_or_si256(same, _mm256_or_si256(_mm256_cmpeq_epi16(a, x), _mm256_cmpeq_epi16(b, y)))
#define COMPARE_AFTER(by)                                                              \
    COMPARE(_mm256_alignr_epi8(ab, a, 2 * (by)), _mm256_alignr_epi8(ba, b, 2 * (by))); \
    COMPARE(_mm256_alignr_epi8(b, ab, 2 * (by)), _mm256_alignr_epi8(a, ba, 2 * (by)))
    COMPARE(ab, ba);
    COMPARE_AFTER(1);
    COMPARE_AFTER(2);
    COMPARE_AFTER(3);
    COMPARE_AFTER(4);
    COMPARE_AFTER(5);
    COMPARE_AFTER(6);
    COMPARE_AFTER(7);
#undef COMPARE_AFTER
#undef COMPARE
    return _mm256_testz_si256(same, same);
#else
    uint16_t same[SM_LANES] = {0}, any = 0;
    memcpy(key + SM_LANES, key, SM_LANES / 2 * sizeof *key); /* the keys in a circle */
    for (uint32_t by = 1; by <= SM_LANES / 2; by++)
        for (uint32_t k = 0; k < SM_LANES; k++)
            same[k] |= (uint16_t)(key[k] == key[k + by] ? UINT16_MAX : 0);
    for (uint32_t k = 0; k < SM_LANES; k++)
        any |= same[k];
    return !any;
#endif
}

/* Look up the lines L of a load in the modelled L1, one after another, and keep of SECTORS those
 * that miss. LOW: the lower halves of their numbers. Not of several REGIONS: of the numbers in L,
 * only the first is needed. Returns whether L1 had one of the lines. */
static inline __attribute__((always_inline)) bool
look_up_lines(struct l1_model *l1, const profiler_lines *l, const uint32_t low[SM_LANES],
              bool regions, uint8_t sectors[SM_LANES])
{
    uint32_t set[SM_LANES] __attribute__((aligned(64))),
        first[SM_LANES] __attribute__((aligned(64)));
    (void)l1_line_key(l1, l->line[0]);
    for (uint32_t k = 0; k < SM_LANES; k++)
        set[k] = l1_set_of_line(low[k]);
    if (regions)
        for (uint32_t k = 0; k < l->count; k++)
            first[k] = l1_line_key(l1, l->line[k]) | sectors[k];
    else
        for (uint32_t k = 0; k < SM_LANES; k++)
            first[k] = l1_key_in_region(l1, low[k]) | sectors[k];
    return l1_look_up_lines(l1, l->count, set, first, sectors);
}

/* The sectors of each of the lines L, a mask of 4 bits; 0 beyond the last one. */
static inline void find_sectors_of_lines(const profiler_lines *l, uint8_t sectors[SM_LANES])
{
    for (uint32_t k = 0; k < SM_LANES; k++)
        sectors[k] = (uint8_t)profiler_sectors_of_words(l->words[k]);
}

/* The number of sectors in all masks of SECTORS, and *LINES, of masks that are not 0. */
static inline uint32_t count_sectors_of_lines(const uint8_t sectors[SM_LANES], uint32_t *lines)
{
    uint32_t all = 0;
    *lines = 0;
    for (uint32_t k = 0; k < SM_LANES; k += sizeof(uint64_t)) {
        uint64_t eight;
        memcpy(&eight, sectors + k, sizeof eight);
        all += (uint32_t)__builtin_popcountll(eight);
        eight |= eight >> 2;
        *lines +=
            (uint32_t)__builtin_popcountll((eight | eight >> 1) & UINT64_C(0x0101010101010101));
    }
    return all;
}

/* Record that a request accesses SECTORS of the lines L, as count_line_access() does for each of
 * them. */
static inline __attribute__((always_inline)) void
count_scattered_lines(sm_worker *k, const sm_insn *i, exec_access_op how, const profiler_lines *l,
                      uint8_t sectors[SM_LANES])
{
    if (how == EXEC_LOAD) {
        uint32_t lines;
        if (!(i->mode & SM_M_BYPASS)) {
            uint32_t low[SM_LANES];
            uint64_t others = 0;
            for (uint32_t n = 0; n < SM_LANES; n++) {
                low[n] = (uint32_t)l->line[n];
                others |= l->line[n] ^ l->line[0];
            }
            look_up_lines(k->l1, l, low, others >> L1_REGION_SHIFT, sectors);
        }
        k->extra.v[CTR_l2_read_sectors] += count_sectors_of_lines(sectors, &lines);
        k->extra.v[CTR_l2_read_lines] += lines;
        mem_touch_lines(&k->touched, MEM_READ, MEM_READ, l->count, l->line, sectors);
    } else if (how == EXEC_STORE) {
        mem_touch_lines(&k->touched, MEM_WRITE, MEM_WRITE, l->count, l->line, sectors);
    } else {
        mem_touch_lines(&k->touched, MEM_WRITE, MEM_READ, l->count, l->line, sectors);
    }
    if (i->mode & SM_M_STREAM)
        mem_touch_lines(&k->touched, MEM_STREAM, MEM_STREAM, l->count, l->line, sectors);
}

enum { NEAR_LINES = 64 };

/* List those of the lines FIRST, FIRST + 1, ... that have WORDS: 1 to 32 of them. No branch depends
 * on which these are. */
static inline void list_near_lines(const uint32_t words[NEAR_LINES], uint64_t first,
                                   profiler_lines *l)
{
    enum { STEP = 16 };
    uint32_t line[SM_LANES + STEP], with[SM_LANES + STEP], count = 0;
#ifdef __AVX512F__
    __m512i at = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 4
    for (uint32_t k = 0; k < NEAR_LINES; k += STEP) {
        const __m512i w = _mm512_loadu_si512(words + k);
        const __mmask16 some = _mm512_test_epi32_mask(w, w);
        _mm512_storeu_si512(line + count, _mm512_maskz_compress_epi32(some, at));
        _mm512_storeu_si512(with + count, _mm512_maskz_compress_epi32(some, w));
        count += (uint32_t)__builtin_popcount(some);
        at = _mm512_add_epi32(at, _mm512_set1_epi32(STEP));
    }
#else
#pragma GCC unroll 8
    for (uint32_t k = 0; k < NEAR_LINES; k++) {
        line[count] = k;
        with[count] = words[k];
        count += words[k] != 0;
    }
#endif
    l->count = count;
    for (uint32_t k = 0; k < SM_LANES; k++)
        l->line[k] = first + line[k];
    memcpy(l->words, with, sizeof l->words); /* beyond COUNT: anything */
}

/* The lines of ADDRESS[0 .. n), each once, if they are few enough and near each other. */
static inline bool find_near_lines(const uint64_t *address, uint32_t n, profiler_lines *l)
{
    /* cppcheck-suppress uninitvar ; n > 0 elements are filled where this is called */
    const uint64_t first = address[0] / 128 - NEAR_LINES / 2;
    uint64_t far = 0;
    uint32_t words[NEAR_LINES], at[SM_LANES], word[SM_LANES];
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t line = address[k] / 128 - first;
        far |= line;
        at[k] = (uint32_t)line;
        word[k] = 1u << (uint32_t)address[k] / 4 % 32;
    }
    if (far >= NEAR_LINES)
        return false;
    for (uint32_t k = 0; k < NEAR_LINES; k++)
        words[k] = (uint32_t)(far >> 32); /* 0; memset() takes longer for so few bytes */
    for (uint32_t k = 0; k < n; k++)
        words[at[k]] |= word[k];
    list_near_lines(words, first, l);
    return true;
}

static inline uint32_t count_words_of_lines(const profiler_lines *l)
{
    uint32_t words = 0;
    for (uint32_t k = 0; k < SM_LANES; k += 2) {
        uint64_t two;
        memcpy(&two, l->words + k, sizeof two);
        words += (uint32_t)__builtin_popcountll(two);
    }
    return words;
}

/* Let the entries beyond the last one repeat the first line, without words. */
static inline void clear_other_lines(profiler_lines *l)
{
    const uint64_t first = l->line[0];
    const uint32_t count = l->count;
    for (uint32_t k = 0; k < SM_LANES; k++) {
        l->line[k] = k < count ? l->line[k] : first;
        l->words[k] = k < count ? l->words[k] : 0;
    }
}

static inline void find_line_of_each_lane(const uint64_t *address, profiler_lines *l)
{
    for (uint32_t k = 0; k < SM_LANES; k++)
        l->line[k] = address[k] / 128;
}

/* Count as count_scattered_lines() does for a full warp, each lane of which accesses a sector of
 * another line, and find the words of these lines. False, and nothing is counted: one is not in the
 * window of device addresses. */
static inline __attribute__((always_inline)) bool
count_sector_of_each_lane(sm_worker *k, const sm_insn *i, exec_access_op how,
                          const uint64_t *address, profiler_lines *lines)
{
    uint32_t low[SM_LANES] __attribute__((aligned(64))), /* lower halves of the lines' numbers */
        word[SM_LANES] __attribute__((aligned(64))),
        byte[SM_LANES] __attribute__((aligned(64))), /* of a bitmap of touched sectors */
        bit[SM_LANES] __attribute__((aligned(64)));
    uint8_t sectors[SM_LANES] __attribute__((aligned(64)));
    const uint64_t base = mem_touched.base, last = mem_touched.sectors * 32 - 1;
    const mem_access as = how == EXEC_LOAD ? MEM_READ : MEM_WRITE,
                     also = how == EXEC_STORE ? MEM_WRITE : MEM_READ;
    uint64_t beyond = 0;
    uint32_t others = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint64_t at = address[l] - base;
        beyond |= at | (last - at);
        low[l] = (uint32_t)(address[l] / 128);
        word[l] = (uint32_t)(address[l] / 4);
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        lines->words[l] = 1u << word[l] % 32;
    for (uint32_t l = 0; l < SM_LANES; l++)
        bit[l] = 1u << word[l] / 8 % 8;
    for (uint32_t l = 0; l < SM_LANES; l++)
        sectors[l] = (uint8_t)(bit[l] | bit[l] >> 4) & 15;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        byte[l] = (low[l] - (uint32_t)(base / 128)) / 2;
        others |= low[l] ^ low[0];
    }
    if (beyond >> 63 || mem_must_count_writes(as, also))
        return false;
    if (how == EXEC_LOAD) {
        const bool regions = others >> L1_REGION_SHIFT;
        uint32_t missed = SM_LANES;
        lines->line[0] = address[0] / 128;
        if (regions)
            find_line_of_each_lane(address, lines);
        if (!(i->mode & SM_M_BYPASS) && look_up_lines(k->l1, lines, low, regions, sectors)) {
            for (uint32_t l = 0; l < SM_LANES; l++) {
                missed -= !sectors[l];
                bit[l] = sectors[l] ? bit[l] : 0;
            }
        }
        k->extra.v[CTR_l2_read_sectors] += missed;
        k->extra.v[CTR_l2_read_lines] += missed;
    }
    mem_mark_bits(&k->touched, as, SM_LANES, byte, bit);
    if (also != as)
        mem_mark_bits(&k->touched, also, SM_LANES, byte, bit);
    if (i->mode & SM_M_STREAM)
        mem_mark_bits(&k->touched, MEM_STREAM, SM_LANES, byte, bit);
    return true;
}

/* Count as count_lines() does the lines of a full warp, of which each lane accesses another. Finds
 * numbers of the lines for atomics only, which need them. */
static __attribute__((noinline)) profiler_global_request_cost
count_lines_apart(sm_worker *k, const sm_insn *i, exec_access_op how, const uint64_t *address,
                  profiler_lines *lines)
{
    lines->count = SM_LANES;
    const bool counted = count_sector_of_each_lane(k, i, how, address, lines);
    if (!counted || how == EXEC_ATOM)
        find_line_of_each_lane(address, lines);
    if (!counted) {
        uint8_t sectors[SM_LANES];
        find_sectors_of_lines(lines, sectors);
        count_scattered_lines(k, i, how, lines, sectors);
    }
    return (profiler_global_request_cost){
        .sectors = SM_LANES, .lines = SM_LANES, .words = SM_LANES};
}

/* Find the lines of ADDRESS[0 .. n), and their sectors and words together, and record that the
 * request accesses them. APART: they are known to be n different lines. Adjacent lanes in one line
 * need one look-up; then each line counts once, in any order of lanes. */
static profiler_global_request_cost count_lines(sm_worker *k, const sm_insn *i, exec_access_op how,
                                                const uint64_t *address, uint32_t n, bool apart,
                                                profiler_lines *lines)
{
    uint8_t sectors[SM_LANES];
    const bool near = !apart && how != EXEC_LOAD && find_near_lines(address, n, lines);
    if (apart || (!near && n == SM_LANES && is_line_of_each_lane_another(address)))
        return count_lines_apart(k, i, how, address, lines);
    const bool once = near || profiler_find_lines(address, n, lines);
    clear_other_lines(lines);
    find_sectors_of_lines(lines, sectors);
    profiler_global_request_cost c = {0};
    if (once)
        c.sectors = count_sectors_of_lines(sectors, &c.lines);
    count_scattered_lines(k, i, how, lines, sectors);
    if (!once) {
        profiler_join_lines(lines);
        clear_other_lines(lines);
        find_sectors_of_lines(lines, sectors);
        c.sectors = count_sectors_of_lines(sectors, &c.lines);
    }
    c.words = count_words_of_lines(lines);
    return c;
}

/* Count an atomic request of cost C to LINES. */
static void count_scattered_atomic(sm_worker *k, const sm_insn *i, const uint64_t *address,
                                   uint32_t n, profiler_global_request_cost c,
                                   const profiler_lines *lines)
{
    insn_stats *s = &k->site[i->site];
    profiler_packets packets;
    if (c.words == n) { /* all lanes are served in one turn */
        count_insn_request(s, n, c.sectors, c.ideal);
        profiler_l2_count_atomic(k, i, address, n, lines, NULL);
    } else {
        profiler_find_packets(address, n, &packets);
        count_insn_request(s, n, profiler_sectors_of_packets(&packets), c.ideal);
        profiler_l2_count_atomic(k, i, address, n, NULL, &packets);
    }
}

static void count_scattered_request(sm_warp *w, const sm_insn *i, uint32_t mask, const uint64_t *at,
                                    uint32_t bytes, exec_access_op how)
{
    sm_worker *k = w->worker;
    insn_stats *s = &k->site[i->site];
    uint64_t packed[SM_LANES];
    const uint64_t *active = at;
    uint32_t n = SM_LANES;
    int64_t d = 0;
    const bool even = is_even_distance(at, mask, &d);
    if (even)
        count_even_request(s, d);
    if (mask != SM_FULL) {
        uint32_t m = mask; /* of one lane at least */
        n = 0;
        do
            packed[n++] = at[lowest_lane(m)];
        while (m &= m - 1);
        active = packed;
    }
    profiler_lines lines;
    /* lanes of a full warp, each at least a line away from its neighbours */
    const bool apart = even && n == SM_LANES && (d >= 128 || d <= -128);
    profiler_global_request_cost c = count_lines(k, i, how, active, n, apart, &lines);
    c.ideal = ((bytes < 4 ? profiler_count_distinct(active, n) : c.words) * bytes + 31) / 32;
    if (how == EXEC_ATOM)
        count_scattered_atomic(k, i, active, n, c, &lines);
    else
        count_insn_request(s, n, c.sectors, c.ideal);
    uint32_t passes = c.lines;
    if (how == EXEC_LOAD) { /* one L1 pass looks up four lines */
        const uint32_t tags = (c.lines + 3) / 4;
        /* like shared memory, L1 delivers one word per bank in each pass */
        const uint32_t words = bytes > 4             ? load_l1_passes(at, mask, bytes)
                               : apart && d % 4 == 0 ? gcd_with_32((uint32_t)(d / 4))
                                                     : profiler_most_in_a_bank(lines.words);
        passes = words > tags ? words : tags;
    }
    k->extra.v[CTR_l1_passes] += passes;
    /* the writes of atomics are counted in profiler/l2.c */
    count_path_to_l2(w, how, active[0], active[n - 1] + bytes,
                     store_time_in_lines(c.lines, c.sectors, c.ideal), c.sectors);
}
