/* Resolve addresses in global and constant memory: bounds, sectors, the modelled L1. */
#include "scattered.h"

#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../../profiler/count.h"
#include "../../profiler/l2.h"
#include "../../profiler/passages.h"

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
