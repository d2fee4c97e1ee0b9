/* Fast paths for common access patterns: all lanes are active and access adjacent data, one
 * address, or rows of eight lanes (from blocks 8 or 16 threads wide). If all lanes are active, the
 * handlers of loads and stores try the fast paths first; all other requests, and all invalid ones,
 * go to exec_host_addresses, which counts the same. */
#ifndef WARPBOOK_REACH_OFTEN_H
#define WARPBOOK_REACH_OFTEN_H

#include "reach_lanes.h"

#include "../../core/observer.h"
#include "../../profiler/count.h"
#include "../../profiler/l1.h"

/* A 16-byte element. */
typedef struct bytes_16 {
    uint64_t half[2]; /* lower and upper 8 bytes */
} bytes_16;

/* Record that an access reads or writes SECTORS, a mask of 4 bits, of the 128-byte line LINE.
 * Counts the L1 misses of loads; the caller counts passes and written sectors, since it knows the
 * whole request. */
static inline void count_line_access(sm_worker *k, const sm_insn *i, exec_access_op how,
                                     uint64_t line, uint32_t sectors)
{
    if (how == EXEC_LOAD) {
        uint32_t miss = i->mode & SM_M_BYPASS ? sectors : l1_missing_sectors(k->l1, line, sectors);
        if (miss) {
            k->extra.v[CTR_l2_read_lines]++;
            k->extra.v[CTR_l2_read_sectors] += (uint32_t)__builtin_popcount(miss);
            mem_touch_line(&k->touched, MEM_READ, line * 128, miss);
            if (i->mode & SM_M_STREAM)
                mem_touch_line(&k->touched, MEM_STREAM, line * 128, miss);
        }
        return;
    }
    if (i->mode & SM_M_STREAM)
        mem_touch_line(&k->touched, MEM_STREAM, line * 128, sectors);
    mem_touch_line(&k->touched, MEM_WRITE, line * 128, sectors);
    if (how != EXEC_STORE)
        mem_touch_line(&k->touched, MEM_READ, line * 128, sectors);
}

/* The number of cache lines and of sectors in the address range [LOW, HIGH). */
static inline uint64_t lines_in_range(uint64_t low, uint64_t high)
{
    return (high - 1) / 128 - low / 128 + 1;
}

static inline uint64_t sectors_in_range(uint64_t low, uint64_t high)
{
    return (high - 1) / 32 - low / 32 + 1;
}

/* L1 passes for the address range [LOW, HIGH). Adjacent words lie in different banks, so a load
 * delivers 128 bytes per pass wherever the range begins; a store takes one pass per line. */
static inline uint64_t passes_of_range(exec_access_op how, uint64_t low, uint64_t high)
{
    return how == EXEC_LOAD ? (high - low + 127) / 128 : lines_in_range(low, high);
}

static inline void count_written_sectors(sm_worker *k, uint64_t lines, uint64_t sectors)
{
    k->extra.v[CTR_l2_write_lines] += lines;
    k->extra.v[CTR_l2_write_sectors] += sectors;
}

/* A request for global memory that takes LINES and SECTORS of the path to L2 if it is a store. The
 * first lane's bytes begin at LOW, and the last one's end at HIGH. L1 joins stores of a warp one
 * after another to the same sectors. Where many warps do so, up to three cost as much as one; from
 * then on each costs a quarter more than alone until nothing is saved (recorded on an H200:
 * tests/hardware/timings/h200/parts/bytes.tsv). */
static inline void count_path_to_l2(sm_warp *w, exec_access_op how, uint64_t low, uint64_t high,
                                    uint64_t lines, uint32_t sectors)
{
    enum { JOINED = 3, CAUGHT_UP = 11 };
    const uint64_t first = low / 32, last = (high - 1) / 32;
    if (how != EXEC_STORE) {
        w->stored.sectors = 0;
        return;
    }
    const bool again =
        w->stored.sectors == sectors && w->stored.first == first && w->stored.last == last;
    w->stored.times = again ? w->stored.times + 1 : 1;
    w->stored.first = first;
    w->stored.last = last;
    w->stored.sectors = sectors;
    if (again && w->stored.times <= JOINED)
        return;
    if (again && w->stored.times <= CAUGHT_UP)
        count_written_sectors(w->worker, lines * 5 / 4, sectors * 5 / 4);
    else
        count_written_sectors(w->worker, lines, sectors);
}

/* The sectors FIRST to LAST of one line as a mask of 4 bits. */
static inline uint32_t sectors_of_line(uint64_t first, uint64_t last)
{
    return ((2u << (last - first)) - 1) << first % 4;
}

/* Count an access to the sectors FIRST to LAST, line by line. */
static __attribute__((noinline)) void count_line_accesses(sm_worker *k, const sm_insn *i,
                                                          exec_access_op how, uint64_t first,
                                                          uint64_t last)
{
    for (uint64_t at = first, line = first / 4; at <= last; at = 4 * ++line) {
        const uint64_t end = 4 * line + 3;
        count_line_access(k, i, how, line, sectors_of_line(at, last < end ? last : end));
    }
    if (how == EXEC_LOAD && !(i->mode & SM_M_BYPASS) && last / 4 - first / 4 <= 1)
        l1_set_last_used(k->l1, first / 4, last / 4 != first / 4);
}

static inline void count_sector_accesses(sm_worker *k, const sm_insn *i, exec_access_op how,
                                         uint64_t first, uint64_t last)
{
    const uint64_t line = first / 4;
    if (last / 4 != line) {
        count_line_accesses(k, i, how, first, last);
        return;
    }
    count_line_access(k, i, how, line, sectors_of_line(first, last));
    if (how == EXEC_LOAD && !(i->mode & SM_M_BYPASS))
        l1_set_last_used(k->l1, line, false);
}

/* Access all sectors in the address range [LOW, HIGH). Returns whether a load missed in L1. */
static inline bool count_range_access(sm_worker *k, const sm_insn *i, exec_access_op how,
                                      uint64_t low, uint64_t high)
{
    const uint64_t first = low / 32, last = (high - 1) / 32;
    if (how == EXEC_LOAD && !(i->mode & SM_M_BYPASS) && l1_are_last_used(k->l1, first, last))
        return false;
    const uint64_t before = k->extra.v[CTR_l2_read_lines];
    count_sector_accesses(k, i, how, first, last);
    return k->extra.v[CTR_l2_read_lines] != before;
}

/* Time that a store takes in L2, in units of one line: one for each line, or the mean of lines
 * and sectors if a sector is written only partially (SECTORS > IDEAL). */
static inline uint64_t store_time_in_lines(uint32_t lines, uint32_t sectors, uint32_t ideal)
{
    return sectors > ideal ? (lines + sectors) / 2 : lines;
}

/* The allocated range that contains ADDRESS; NULL: none. The last two ranges are cached, because
 * most kernels alternate between few ranges. */
static __attribute__((noinline)) const mem_range *look_up_range(sm_worker *k, uint64_t address)
{
    const mem_range *h = k->hint[1];
    if (!h || address - h->base >= h->size)
        h = mem_find_in_snapshot(k->grid->map, address);
    if (h && !h->read_only) { /* of what is cached, the fast paths check the bounds only */
        k->hint[1] = k->hint[0];
        k->hint[0] = h;
    }
    return h;
}

static inline const mem_range *cached_range_of(sm_worker *k, uint64_t address)
{
    const mem_range *h = k->hint[0];
    return __builtin_expect(h && address - h->base < h->size, 1) ? h : look_up_range(k, address);
}

/* 0 if the distance of adjacent lanes in each row is always D. A row is SM_ROW lanes. */
static inline uint64_t uneven_rows64(const uint64_t *a, uint64_t d)
{
    uint64_t off = 0;
    for (uint32_t row = 0; row < SM_LANES; row += SM_ROW)
        for (uint32_t l = 0; l < SM_ROW; l++)
            off |= (a[row + l] - a[row]) ^ l * d;
    return off;
}

static inline uint32_t uneven_rows32(const uint32_t *a, uint32_t d)
{
    uint32_t off = 0;
    for (uint32_t row = 0; row < SM_LANES; row += SM_ROW)
        for (uint32_t l = 0; l < SM_ROW; l++)
            off |= (a[row + l] - a[row]) ^ l * d;
    return off;
}

/* The address ranges of a warp's rows in ascending order; adjacent ranges are merged. */
typedef struct row_spans {
    uint64_t low[SM_ROWS], high[SM_ROWS]; /* range [low, high) */
    uint32_t count;                       /* number of ranges */
    uint32_t lines, sectors;              /* number of cache lines and of sectors in all ranges */
    uint32_t lanes;                       /* number of distinct addresses */
} row_spans;

/* Find the address ranges of the rows. False: they are not ascending or two share a cache line. */
static inline bool find_row_spans(const uint64_t *a, uint64_t imm, uint32_t bytes,
                                  bool side_by_side, row_spans *s)
{
    const uint64_t size = (uint64_t)bytes * (side_by_side ? SM_ROW : 1);
    *s = (row_spans){0};
    for (uint32_t row = 0; row < SM_LANES; row += SM_ROW) {
        const uint64_t low = a[row] + imm;
        if (s->count && !side_by_side && low == s->low[s->count - 1])
            continue;
        s->lanes += side_by_side ? SM_ROW : 1;
        if (s->count && side_by_side && low == s->high[s->count - 1]) {
            s->high[s->count - 1] += size;
            continue;
        }
        if (s->count && low / 128 <= (s->high[s->count - 1] - 1) / 128)
            return false;
        s->low[s->count] = low;
        s->high[s->count++] = low + size;
    }
    for (uint32_t k = 0; k < s->count; k++) {
        s->lines += (uint32_t)lines_in_range(s->low[k], s->high[k]);
        s->sectors += (uint32_t)sectors_in_range(s->low[k], s->high[k]);
    }
    return true;
}

/* L1 passes of a load of rows. In each pass, L1 delivers one word per bank and looks up four
 * lines. The words of one range lie in different banks. */
static inline uint32_t row_l1_passes(const row_spans *s)
{
    const uint32_t tags = (s->lines + 3) / 4;
    uint32_t ones = 0, twos = 0, threes = 0, fours = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        const uint32_t words = (uint32_t)(s->high[k] - s->low[k]) / 4, at = s->low[k] / 4 % 32;
        const uint32_t low = words == 32 ? UINT32_MAX : (1u << words) - 1;
        const uint32_t banks = low << at | (at ? low >> (32 - at) : 0);
        fours |= threes & banks;
        threes |= twos & banks;
        twos |= ones & banks;
        ones |= banks;
    }
    const uint32_t banks = fours ? 4 : threes ? 3 : twos ? 2 : 1;
    return banks > tags ? banks : tags;
}

/* Count a request of all lanes to the SIZE bytes at LOW; D: the distance between the lanes. */
static inline void count_contiguous_or_same(sm_warp *w, const sm_insn *i, exec_access_op how,
                                            uint64_t low, uint64_t size, uint64_t d)
{
    sm_worker *k = w->worker;
    const uint32_t sectors = (uint32_t)sectors_in_range(low, low + size);
    insn_stats *s = &k->site[i->site];
    count_insn_request(s, SM_LANES, sectors, (uint32_t)((size + 31) / 32));
    count_even_request(s, (int64_t)d);
    s->far += count_range_access(k, i, how, low, low + size);
    k->extra.v[CTR_l1_passes] += passes_of_range(how, low, low + size);
    count_path_to_l2(w, how, low, low + size, lines_in_range(low, low + size), sectors);
}

/* Where a request's data lies. 16 bytes, so that functions return it in two registers. */
typedef struct exec_fast_place {
    uint8_t *host;   /* address of lane 0's data; NULL: the fast path does not apply */
    uint64_t layout; /* pattern of the addresses (sm_access_layout) */
} exec_fast_place;

/* Fast path for rows in global memory in which no cache line belongs to two rows. */
static __attribute__((noinline)) exec_fast_place fast_rows_global(sm_warp *w, const sm_insn *i,
                                                                  exec_access_op how, uint64_t d)
{
    const uint64_t *a = SM_R(const uint64_t, w, i->a);
    const exec_fast_place none = {NULL, 0};
    row_spans s;
    if (i->vec != 1 || (i->mode & SM_M_BYTES) != 4 || (d != 4 && d != 0) || uneven_rows64(a, d) ||
        !find_row_spans(a, i->imm, 4, d != 0, &s))
        return none;
    const mem_range *h = cached_range_of(w->worker, s.low[0]);
    if (!h || s.high[s.count - 1] - h->base > h->size || h->read_only)
        return none;
    for (uint32_t k = 0; k < SM_ROWS; k++)
        if ((a[SM_ROW * k] + i->imm) & 3)
            return none;
    const exec_fast_place place = {(uint8_t *)(uintptr_t)(a[0] + i->imm + (uint64_t)h->delta),
                                   d ? SM_LAYOUT_ROWS : SM_LAYOUT_SAME_IN_ROWS};
    if (!w->worker->counting)
        return place;
    uint64_t *v = w->worker->extra.v;
    bool far = false;
    for (uint32_t k = 0; k < s.count; k++)
        far |= count_range_access(w->worker, i, how, s.low[k], s.high[k]);
    insn_stats *site = &w->worker->site[i->site];
    const uint32_t ideal = (s.lanes * 4 + 31) / 32;
    count_insn_request(site, SM_LANES, s.sectors, ideal);
    site->far += far;
    v[CTR_l1_passes] += how == EXEC_LOAD ? row_l1_passes(&s) : s.lines;
    count_path_to_l2(w, how, a[0] + i->imm, a[SM_LANES - 1] + i->imm + 4,
                     store_time_in_lines(s.lines, s.sectors, ideal), s.sectors);
    return place;
}

static inline uint64_t contiguous_or_same_layout(uint64_t distance)
{
    return distance ? SM_LAYOUT_CONSECUTIVE : SM_LAYOUT_SAME_ADDRESS;
}

/* Do all lanes access adjacent data (D is then the size of an access) or one address (D is 0)? If
 * so, this is stored in the address memo of instruction I. */
static inline bool is_contiguous_or_same(sm_warp *w, const sm_insn *i, const uint64_t *a,
                                         uint64_t d)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    if (usable_address_memo(w, i))
        return true;
    if ((d != bytes && d != 0) || uneven_pattern64(a, bytes, d != 0))
        return false;
    memo_to_fill(w, i);
    return true;
}

static __attribute__((noinline)) exec_fast_place count_run_beyond_l1(sm_warp *w, const sm_insn *i,
                                                                     exec_access_op how,
                                                                     uint64_t low, uint64_t d,
                                                                     uint8_t *host)
{
    count_contiguous_or_same(w, i, how, low, d * (SM_LANES - 1) + (i->mode & SM_M_BYTES), d);
    return (exec_fast_place){host, contiguous_or_same_layout(d)};
}

/* Fast path for global memory. The most frequent request, adjacent data or one address in one of
 * the two allocations accessed last, is handled here; rows have a function of their own. Calls
 * functions only at its end, so that no register needs to be saved. */
static inline exec_fast_place fast_global(sm_warp *w, const sm_insn *i, exec_access_op how)
{
    const exec_fast_place none = {NULL, 0};
    sm_worker *k = w->worker;
    if (i->mode & (SM_M_ADDR32 | SM_M_STRONG | SM_M_BYPASS))
        return none;
    const uint64_t *a = SM_R(const uint64_t, w, i->a);
    const uint64_t d = a[1] - a[0], low = a[0] + i->imm;
    if (!is_contiguous_or_same(w, i, a, d)) {
        clear_address_memo(w, i);
        return fast_rows_global(w, i, how, d);
    }
    const mem_range *h = k->hint[0];
    if (__builtin_expect(!h || low - h->base >= h->size, 0)) {
        h = k->hint[1];
        if (!h || low - h->base >= h->size)
            return none;
        k->hint[1] = k->hint[0];
        k->hint[0] = h;
    }
    const uint32_t bytes = i->mode & SM_M_BYTES;
    const uint64_t size = d * (SM_LANES - 1) + bytes;
    if (size > h->size - (low - h->base) || (low & (bytes - 1)))
        return none;
    uint8_t *host = (uint8_t *)(uintptr_t)(low + (uint64_t)h->delta);
    if (!k->counting)
        return (exec_fast_place){host, contiguous_or_same_layout(d)};
    const uint64_t first = low / 32, last = (low + size - 1) / 32;
    if (how != EXEC_LOAD || !l1_are_last_used(k->l1, first, last))
        return count_run_beyond_l1(w, i, how, low, d, host);
    w->stored.sectors = 0; /* as any load does: count_path_to_l2 */
    insn_stats *s = &k->site[i->site];
    count_insn_request(s, SM_LANES, (uint32_t)(last - first + 1), (uint32_t)((size + 31) / 32));
    count_even_request(s, (int64_t)d);
    k->extra.v[CTR_l1_passes] += passes_of_range(how, low, low + size);
    return (exec_fast_place){host, contiguous_or_same_layout(d)};
}

/* The statistics of one request of all lanes to shared memory. */
static inline insn_stats shared_request_stats(uint32_t wavefronts, uint32_t conflicts, bool even)
{
    return (insn_stats){.requests = 1,
                        .lanes = SM_LANES,
                        .sectors = wavefronts,
                        .ideal = wavefronts - conflicts,
                        .conflicts = conflicts,
                        .even = even};
}

/* Lanes access BYTES bytes each at addresses from LOW to HIGH. If all addresses are shifted by the
 * same amount: the number of values of the lowest address for which all accesses lie within the
 * block's shared memory. */
static inline uint64_t count_shifts_in_bounds(const sm_warp *w, uint32_t low, uint32_t high,
                                              uint32_t bytes)
{
    const uint64_t span = (uint64_t)high - low + bytes, all = w->block->shared_bytes;
    return low <= high && span <= all ? all - span + 1 : 0;
}

/* Store in M what all requests to shared memory with these register values have in common, whatever
 * constant offset is added. False: no fast path applies. */
static inline bool classify_shared_request(const sm_warp *w, const sm_insn *i, exec_access_op how,
                                           sm_address_memo *m)
{
    const uint32_t *a = SM_R(const uint32_t, w, i->a);
    const uint32_t bytes = i->mode & SM_M_BYTES, d = a[1] - a[0];
    uint32_t high = 0;
    m->distance = (int32_t)d;
    if (d != bytes && d != 0)
        return false;
    if (uneven_distance32(a, d) == 0) {
        if (bytes > 4 && d == 0)
            return false;
        m->rows = false;
        m->low = a[0];
        m->cap = count_shifts_in_bounds(w, a[0], a[SM_LANES - 1], bytes);
        m->add = shared_request_stats(bytes > 4 ? bytes / 4 : 1, 0, true);
        return true;
    }
    uint32_t skew = 0;
    m->rows = true;
    m->low = UINT32_MAX;
    for (uint32_t row = 0; row < SM_LANES; row += SM_ROW) {
        const uint32_t last = a[row] + (SM_ROW - 1) * d;
        m->low = a[row] < m->low ? a[row] : m->low;
        high = last > high ? last : high;
        high = a[row] > high ? a[row] : high;
        skew |= a[row];
    }
    if (i->vec != 1 || bytes < 4 || skew & (bytes - 1) || uneven_rows32(a, d))
        return false;
    m->cap = count_shifts_in_bounds(w, m->low, high, bytes);
    const bool narrow = bytes == 4 && high / 4 - m->low / 4 < 32;
    const profiler_wavefront_cost p =
        narrow ? (profiler_wavefront_cost){1, 0}
               : profiler_shared_wavefronts(a, SM_FULL, bytes, how == EXEC_LOAD);
    m->add = shared_request_stats(p.wavefronts, p.conflicts, false);
    return true;
}

static inline void add_request_from_memo(insn_stats *s, const sm_address_memo *m)
{
    EXEC_IVDEP for (uint32_t n = 0; n < sizeof *s / sizeof s->requests; n++)
    {
        ((uint64_t *)s)[n] += ((const uint64_t *)&m->add)[n];
    }
    if (!m->rows)
        record_largest_stride(s, m->distance);
}

/* Count a request to shared memory whose pattern is in memo M, and return where its data lies. */
static inline exec_fast_place count_and_place_in_shared(sm_warp *w, const sm_insn *i,
                                                        const sm_address_memo *m)
{
    const int64_t imm = (int32_t)i->imm;
    const uint64_t low = (uint64_t)(m->low + imm);
    if (low >= m->cap || low & ((i->mode & SM_M_BYTES) - 1))
        return (exec_fast_place){NULL, 0};
    if (w->worker->counting)
        add_request_from_memo(&w->worker->site[i->site], m);
    const uint64_t layout = m->distance ? SM_LAYOUT_CONSECUTIVE : SM_LAYOUT_SAME_ADDRESS;
    if (m->rows) {
        return (exec_fast_place){w->block->shared + (SM_R(const uint32_t, w, i->a)[0] + imm),
                                 layout + SM_LAYOUT_ROWS - SM_LAYOUT_CONSECUTIVE};
    }
    return (exec_fast_place){w->block->shared + low, layout};
}

/* Fast path for a request of all lanes to shared memory for which no earlier instruction has found
 * the pattern of the addresses: finds it, and records it for later ones. */
static __attribute__((noinline)) exec_fast_place fast_unknown_shared(sm_warp *w, const sm_insn *i,
                                                                     exec_access_op how)
{
    sm_address_memo here;
    if (!(i->mode & SM_M_ADDR32) || i->mode & SM_M_STRONG ||
        !classify_shared_request(w, i, how, &here)) {
        clear_address_memo(w, i);
        return (exec_fast_place){NULL, 0};
    }
    sm_address_memo *kept = memo_to_fill(w, i);
    if (kept)
        *kept = here;
    return count_and_place_in_shared(w, i, &here);
}

/* The most frequent request of blocks 8 or 16 threads wide: rows in shared memory, whose pattern is
 * in memo M. Counts it and finds the rows; false: another path has to. */
static inline bool find_known_rows(sm_warp *w, const sm_insn *i, const sm_address_memo *m,
                                   uint8_t *host[SM_ROWS])
{
    const int64_t imm = (int32_t)i->imm;
    const uint64_t low = (uint64_t)(m->low + imm);
    if (!m->rows || low >= m->cap || low & ((i->mode & SM_M_BYTES) - 1) ||
        w->worker->sees & SM_SEES_SHARED)
        return false;
    if (w->worker->counting)
        add_request_from_memo(&w->worker->site[i->site], m);
    const uint32_t *a = SM_R(const uint32_t, w, i->a);
    for (uint32_t k = 0; k < SM_ROWS; k++)
        host[k] = w->block->shared + (a[SM_ROW * k] + imm);
    return true;
}

/* Fast path for shared memory with 32-bit addresses: adjacent data, one address, or rows. */
static inline exec_fast_place fast_shared(sm_warp *w, const sm_insn *i, exec_access_op how)
{
    const sm_address_memo *m = usable_address_memo(w, i);
    return m ? count_and_place_in_shared(w, i, m) : fast_unknown_shared(w, i, how);
}

/* Bytes from the data of lane 0 to the data of lane L. */
static inline int64_t distance_from_first(const sm_warp *w, const sm_insn *i, uint32_t l)
{
    if (i->mode & SM_M_ADDR32) {
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        return (int64_t)a[l] - a[0];
    }
    const uint64_t *a = SM_R(const uint64_t, w, i->a);
    return (int64_t)(a[l] - a[0]);
}

/* Are all generic addresses in global memory? */
static inline bool all_addresses_global(const sm_warp *w, const sm_insn *i)
{
    const uint64_t *a = SM_R(const uint64_t, w, i->a);
    uint64_t windows = 0;
    if (w->mask != SM_FULL || i->mode & SM_M_ADDR32)
        return false;
    for (uint32_t l = 0; l < SM_LANES; l++)
        windows |= a[l] + i->imm;
    return (windows & SM_WINDOW_MASK) == 0;
}

/* Names of template functions: NAMED(contiguous) is contiguous_u8w if KIND is u8w. */
#define NAMED(what) EXEC_PASTE(what, KIND)

#endif
