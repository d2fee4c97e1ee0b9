/* Resolve addresses in global and constant memory: bounds, sectors, the modelled L1. */
#include "reach_often.h"

#include "../../core/observer.h"
#include "../../memory/touch.h"
#include "../../observe/observe.h"
#include "../../profiler/count.h"
#include "../../profiler/l2.h"
#include "../../profiler/passages.h"

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
    uint16_t key[2 * SM_LANES]; /* twice, so that lanes compare in a circle */
    /* cppcheck-suppress uninitvar ; all elements are filled where this is called */
    if (address[0] / 128 == address[1] / 128)
        return false;
    for (uint32_t k = 0; k < SM_LANES; k++) {
        const uint32_t line = (uint32_t)(address[k] / 128);
        key[k] = key[k + SM_LANES] = (uint16_t)(line ^ line >> 16);
    }
#ifdef __AVX2__
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)key),
                  high = _mm256_loadu_si256((const __m256i *)(const void *)(key + SM_LANES / 2));
    __m256i same = _mm256_setzero_si256();
#pragma GCC unroll 1
    for (uint32_t by = 1; by <= SM_LANES / 2; by++) {
        const uint16_t *other = key + by;
        const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)other),
                      b = _mm256_loadu_si256((const __m256i *)(const void *)(other + SM_LANES / 2));
        same = _mm256_or_si256(same, _mm256_cmpeq_epi16(low, a));
        same = _mm256_or_si256(same, _mm256_cmpeq_epi16(high, b));
    }
    return _mm256_testz_si256(same, same);
#else
    uint16_t same = 0;
    for (uint32_t by = 1; by <= SM_LANES / 2; by++)
        for (uint32_t k = 0; k < SM_LANES; k++)
            same |= (uint16_t)(key[k] == key[k + by] ? UINT16_MAX : 0);
    return !same;
#endif
}

static inline void find_line_of_each_lane(const uint64_t *address, profiler_lines *l)
{
    l->count = SM_LANES;
    for (uint32_t k = 0; k < SM_LANES; k++) {
        l->line[k] = address[k] / 128;
        l->words[k] = 1u << (uint32_t)address[k] / 4 % 32;
    }
}

/* Look up the lines L of a load in the modelled L1, one after another, and keep of SECTORS those
 * that miss. */
static inline __attribute__((always_inline)) void
look_up_lines(struct l1_model *l1, const profiler_lines *l, uint8_t sectors[SM_LANES])
{
    uint32_t set[SM_LANES], first[SM_LANES];
    uint64_t others = 0;
    (void)l1_line_key(l1, l->line[0]);
    for (uint32_t k = 0; k < SM_LANES; k++) {
        const uint32_t line = (uint32_t)l->line[k];
        set[k] = l1_set_of_line(line);
        others |= l->line[k] ^ l->line[0];
    }
    if (others >> L1_REGION_SHIFT)
        for (uint32_t k = 0; k < l->count; k++)
            first[k] = l1_line_key(l1, l->line[k]) | sectors[k];
    else
        for (uint32_t k = 0; k < SM_LANES; k++)
            first[k] = l1_key_in_region(l1, l->line[k]) | sectors[k];
    l1_look_up_lines(l1, l->count, set, first, sectors);
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
        if (!(i->mode & SM_M_BYPASS))
            look_up_lines(k->l1, l, sectors);
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

/* The lines of ADDRESS[0 .. n), each once, if they are few enough and near each other. */
static inline bool find_near_lines(const uint64_t *address, uint32_t n, profiler_lines *l)
{
    enum { NEAR = 64 };
    /* cppcheck-suppress uninitvar ; n > 0 elements are filled where this is called */
    const uint64_t first = address[0] / 128 - NEAR / 2;
    uint64_t taken = 0, far = 0;
    uint32_t words[NEAR], at[SM_LANES];
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t line = address[k] / 128 - first;
        far |= line;
        at[k] = (uint32_t)line;
    }
    if (far >= NEAR)
        return false;
    for (uint32_t k = 0; k < NEAR; k++)
        words[k] = (uint32_t)(far >> 32);
    for (uint32_t k = 0; k < n; k++) {
        taken |= UINT64_C(1) << at[k];
        words[at[k]] |= 1u << address[k] / 4 % 32;
    }
    for (l->count = 0; taken; taken &= taken - 1, l->count++) {
        const uint32_t k = (uint32_t)__builtin_ctzll(taken);
        l->line[l->count] = first + k;
        l->words[l->count] = words[k];
    }
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
    for (uint32_t k = l->count; k < SM_LANES; k++) {
        l->line[k] = l->line[0];
        l->words[k] = 0;
    }
}

/* Count as count_lines() does the lines of a full warp, of which each lane accesses another. */
static __attribute__((noinline)) profiler_global_request_cost
count_lines_apart(sm_worker *k, const sm_insn *i, exec_access_op how, const uint64_t *address,
                  profiler_lines *lines)
{
    uint8_t sectors[SM_LANES];
    find_line_of_each_lane(address, lines);
    find_sectors_of_lines(lines, sectors);
    count_scattered_lines(k, i, how, lines, sectors);
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

static inline void count_global_request(sm_warp *w, const sm_insn *i, uint32_t mask,
                                        const uint64_t *at, uint32_t bytes,
                                        exec_request_pattern pattern, exec_access_op how)
{
    insn_stats *s = &w->worker->site[i->site];
    uint64_t *v = w->worker->extra.v;
    if (w->worker->passages)
        profiler_count_passages(w, i, mask, at);
    if (pattern == EXEC_PATTERN_EACH_LANE ||
        (pattern == EXEC_PATTERN_CONTIGUOUS && !is_consecutive(mask))) {
        const uint64_t *lines = &v[CTR_l2_read_lines], before = *lines;
        count_scattered_request(w, i, mask, at, bytes, how);
        s->far += *lines != before;
        return;
    }
    const uint64_t low = at[lowest_lane(mask)];
    const uint64_t high =
        (pattern == EXEC_PATTERN_CONTIGUOUS ? at[highest_lane(mask)] : low) + bytes;
    const uint32_t lanes = mask == SM_FULL ? SM_LANES : (uint32_t)__builtin_popcount(mask);
    const uint32_t sectors = (uint32_t)sectors_in_range(low, high);
    /* Atomics on one address are counted once per lane. */
    const uint32_t counted =
        how == EXEC_ATOM && pattern == EXEC_PATTERN_SAME_ADDRESS ? lanes : sectors;
    count_insn_request(s, lanes, counted, (uint32_t)((high - low + 31) / 32));
    if (how == EXEC_ATOM) {
        const uint32_t first = mask == SM_FULL ? 0 : lowest_lane(mask);
        /* addresses of the active lanes: all equal, or adjacent */
        profiler_l2_count_atomic(w->worker, i, at + first, lanes, NULL, NULL);
    }
    if (lanes > 1)
        count_even_request(s, pattern == EXEC_PATTERN_CONTIGUOUS ? bytes : 0);
    s->far += count_range_access(w->worker, i, how, low, high);
    v[CTR_l1_passes] += passes_of_range(how, low, high);
    count_path_to_l2(w, how, low, high, lines_in_range(low, high), sectors);
}

/* May an instruction for SPACE access the range H? ld.const may only read constant memory; global
 * accesses may read it, too. */
static inline bool is_access_allowed(const mem_range *h, ptx_space space, exec_access_op how)
{
    return (space != PTX_SPACE_CONST || h->kind == MEM_CONSTANT) &&
           !(h->read_only && how != EXEC_LOAD);
}

/* Find each lane's host address when they access several allocations. False: an invalid address. */
static bool find_lane_addresses(const sm_warp *w, uint32_t mask, uint32_t bytes, ptx_space space,
                                exec_access_op how, uint64_t at[SM_LANES])
{
    const mem_map *map = w->worker->grid->map;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t l = lowest_lane(m);
        const mem_range *h = mem_find_in_snapshot(map, at[l]);
        if (!h || h->size - (at[l] - h->base) < bytes || at[l] % bytes ||
            !is_access_allowed(h, space, how))
            return false;
        at[l] += (uint64_t)h->delta;
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        at[l] = mask >> l & 1 ? at[l] : at[lowest_lane(mask)];
    return true;
}

/* Do the lanes access allocations and their guard zones (mem_set_guard_zones), and no other memory?
 * Then report the lanes that touch a zone, and find each lane's host address. */
static bool report_touched_guard_zones(const sm_warp *w, const sm_insn *i, uint32_t mask,
                                       exec_access_op how, uint64_t at[SM_LANES])
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint64_t host[SM_LANES] = {0};
    uint32_t touching = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t l = lowest_lane(m);
        const mem_range *h = mem_find_guarded_in_snapshot(w->worker->grid->map, at[l]);
        if (!h || h->base + h->size + h->back - at[l] < bytes || at[l] % bytes ||
            !is_access_allowed(h, PTX_SPACE_GLOBAL, how))
            return false;
        const bool inside = at[l] >= h->base && at[l] + bytes <= h->base + h->size;
        touching |= (uint32_t)!inside << l;
        host[l] = at[l] + (uint64_t)h->delta;
    }
    if (touching && w->block->observed)
        observe_array_overrun(w, i, touching, at, bytes, access_effect(how));
    for (uint32_t l = 0; l < SM_LANES; l++)
        at[l] = host[mask >> l & 1 ? l : lowest_lane(mask)];
    return touching != 0;
}

static void count_const_request(sm_warp *w, const sm_insn *i, uint32_t mask, const uint64_t *at)
{
    insn_stats *s = &w->worker->site[i->site];
    int64_t d = 0;
    if (is_even_distance(at, mask, &d))
        count_even_request(s, d);
    /* inactive lanes repeat the address of an active lane */
    const bool one = differs_from_one_address(at) == 0;
    count_insn_request(s, (uint32_t)__builtin_popcount(mask),
                       one ? 1 : profiler_count_distinct(at, SM_LANES), 1);
    uint64_t *v = w->worker->extra.v;
    for (uint32_t l = 0; l < (one ? 1 : SM_LANES); l++) {
        const uint32_t miss = l1_const_miss(w->worker->l1, at[l]);
        v[CTR_const_misses] += miss > 0;
        v[CTR_const_far_misses] += miss > 1;
    }
}

/* Report the access to the observers of the block, if any observes SPACE. */
static inline void report_device_access(const sm_warp *w, const sm_insn *i, uint32_t mask,
                                        const uint64_t *at, ptx_space space,
                                        exec_request_pattern pattern, exec_access_op how)
{
    const uint32_t as = space == PTX_SPACE_CONST ? SM_SEES_CONST : SM_SEES_GLOBAL;
    if (__builtin_expect(w->worker->sees & as, 0))
        EXEC_FOR_ISA(exec_observe)(w, i, mask, space, at, pattern, how);
}

static inline void count_request(sm_warp *w, const sm_insn *i, uint32_t mask, const uint64_t *at,
                                 ptx_space space, exec_request_pattern pattern, exec_access_op how)
{
    if (!w->worker->counting)
        return;
    if (space == PTX_SPACE_CONST)
        count_const_request(w, i, mask, at);
    else
        count_global_request(w, i, mask, at, i->mode & SM_M_BYTES, pattern, how);
}

/* Count an access as count_scattered_request() would. */
static void count_rows(sm_worker *k, const sm_insn *i, const uint64_t row[EXEC_ROWS])
{
    insn_stats *s = &k->site[i->site];
    uint64_t *v = k->extra.v, before = v[CTR_l2_read_lines];
    uint64_t banks = 0; /* a byte for each four banks: the rows that lie there */
    uint32_t lines = 0, sectors = 0, most = 0;
    for (uint32_t x = 0, bits = 0; x < EXEC_ROWS; x++) {
        const uint64_t at = row[x] / EXEC_ROW_BYTES, line = row[x] / 128;
        bits |= 1u << at / 2 % 4;
        banks += UINT64_C(1) << at % 8 * 8;
        if (x + 1 < EXEC_ROWS && row[x + 1] / 128 == line)
            continue;
        lines++;
        sectors += (uint32_t)__builtin_popcount(bits);
        count_line_access(k, i, EXEC_LOAD, line, bits);
        bits = 0;
    }
    for (; banks; banks >>= 8)
        most = (banks & 255) > most ? banks & 255 : most;
    count_insn_request(s, SM_LANES, sectors, SM_LANES * 4 / 32);
    s->far += v[CTR_l2_read_lines] != before;
    v[CTR_l1_passes] += most > (lines + 3) / 4 ? most : (lines + 3) / 4;
}

bool EXEC_FOR_ISA(exec_load_rows)(sm_warp *w, const sm_insn *i, const uint64_t row[EXEC_ROWS],
                                  uint32_t word[SM_LANES])
{
    sm_worker *k = w->worker;
    const mem_range *h = cached_range_of(k, row[0]);
    uint64_t skew = row[0], falls = 0;
    for (uint32_t x = 1; x < EXEC_ROWS; x++) {
        skew |= row[x];
        falls |= row[x] <= row[x - 1];
    }
    if (!h || falls || skew % EXEC_ROW_BYTES || k->sees & SM_SEES_GLOBAL || k->passages ||
        row[EXEC_ROWS - 1] + EXEC_ROW_BYTES - h->base > h->size)
        return false;
    if (k->counting)
        count_rows(k, i, row);
    for (uint32_t x = 0; x < EXEC_ROWS; x++)
        memcpy(word + 4 * x, (const void *)(uintptr_t)(row[x] + (uint64_t)h->delta),
               EXEC_ROW_BYTES);
    return true;
}

/* Resolve addresses in global and constant memory. */
exec_request_pattern EXEC_FOR_ISA(exec_resolve_device)(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                       uint64_t bias, ptx_space space,
                                                       exec_access_op how, exec_host_addresses *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint64_t *at = r->at, device[SM_LANES];
    exec_request_pattern pattern = EXEC_PATTERN_EACH_LANE;
    lane_addresses(w, i, mask, bias, at);
    uint64_t low = at[lowest_lane(mask)], high;
    if ((i->flags & SM_I_UNIFORM_A) || differs_from_one_address(at) == 0) {
        pattern = EXEC_PATTERN_SAME_ADDRESS;
        high = low + bytes;
    } else if (differs_from_contiguous(at, mask, bytes) == 0) {
        pattern = EXEC_PATTERN_CONTIGUOUS;
        high = at[highest_lane(mask)] + bytes;
    } else {
        high = low;
    }
    const mem_range *h = cached_range_of(w->worker, low);
    if (!h || h->size < bytes || !is_access_allowed(h, space, how))
        goto fault;
    if (pattern != EXEC_PATTERN_EACH_LANE) {
        if (high - h->base > h->size || (low & (bytes - 1)) || high < low)
            goto fault;
        count_request(w, i, mask, at, space, pattern, how);
        report_device_access(w, i, mask, at, space, pattern, how);
        r->host = (uint8_t *)(uintptr_t)(low + (uint64_t)h->delta);
        if (pattern == EXEC_PATTERN_CONTIGUOUS)
            r->host -= (size_t)lowest_lane(mask) * bytes;
        return pattern;
    }
    uint64_t far = 0, skew = 0;
    const uint64_t base = h->base, most = h->size - bytes;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        far |= (uint64_t)(at[l] - base > most);
        skew |= at[l];
    }
    if (skew & (bytes - 1))
        goto fault;
    memcpy(device, at, sizeof device);
    if (far) {
        if (!find_lane_addresses(w, mask, bytes, space, how, at)) {
            memcpy(at, device, sizeof device);
            goto fault;
        }
    } else {
        const uint64_t delta = (uint64_t)h->delta;
        for (uint32_t l = 0; l < SM_LANES; l++)
            at[l] += delta;
    }
    /* The data arrives while the request is counted; what is updated comes once, to be written. */
    if (w->worker->counting && how != EXEC_ATOM)
#pragma GCC unroll 32
        for (uint32_t l = 0; l < SM_LANES; l++)
            __builtin_prefetch((const void *)(uintptr_t)at[l]);
    count_request(w, i, mask, device, space, pattern, how);
    report_device_access(w, i, mask, device, space, pattern, how);
    return pattern;
fault:
    memcpy(device, at, sizeof device);
    if (space == PTX_SPACE_GLOBAL && report_touched_guard_zones(w, i, mask, how, at)) {
        count_request(w, i, mask, device, space, EXEC_PATTERN_EACH_LANE, how);
        report_device_access(w, i, mask, device, space, EXEC_PATTERN_EACH_LANE, how);
        return EXEC_PATTERN_EACH_LANE;
    }
    exec_stop_bad_access(w, i, mask, device, space, how);
    return EXEC_PATTERN_FAULT;
}
