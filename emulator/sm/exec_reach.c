/* Addresses of a warp: resolution, bounds and alignment, and what is counted for a request. */
#include "reach.h"

#include "../sanitizer/race.h"
#include "count.h"
#include "l1.h"

static inline uint32_t first_of(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t last_of(uint32_t mask)
{
    return 31 - (uint32_t)__builtin_clz(mask);
}

/* Are the lanes of MASK neighbours? */
static inline bool unbroken(uint32_t mask)
{
    uint32_t up = mask + (mask & -mask);
    return (up & (up - 1)) == 0;
}

/* Addresses, those of lanes that are not active replaced by the first active one's. */
static inline void addresses(const sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias,
                             uint64_t at[SM_LANES])
{
    const uint64_t add = i->imm + bias;
    if (i->mode & SM_M_ADDR32) {
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        for (uint32_t l = 0; l < SM_LANES; l++) {
            at[l] = (uint64_t)(uint32_t)(a[l] + (uint32_t)i->imm) + bias;
        }
    } else {
        const uint64_t *a = SM_R(const uint64_t, w, i->a);
        for (uint32_t l = 0; l < SM_LANES; l++) {
            at[l] = a[l] + add;
        }
    }
    if (mask != SM_FULL) {
        const uint64_t first = at[first_of(mask)];
        for (uint32_t l = 0; l < SM_LANES; l++) {
            at[l] = mask >> l & 1 ? at[l] : first;
        }
    }
}

/* Zero when the distance from lane to lane is D throughout. */
static inline uint64_t uneven64(const uint64_t *a, uint64_t d)
{
    uint64_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        off |= (a[l] - a[0]) ^ l * d;
    }
    return off;
}

static inline uint32_t uneven32(const uint32_t *a, uint32_t d)
{
    uint32_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        off |= (a[l] - a[0]) ^ l * d;
    }
    return off;
}

/* Zero when the active lanes lie side by side. */
static inline uint64_t off_run(const uint64_t at[SM_LANES], uint32_t mask, uint32_t bytes)
{
    uint64_t off = 0;
    if (mask == SM_FULL) {
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off |= (at[l] - at[0]) ^ (uint64_t)l * bytes;
        }
    } else {
        const uint32_t first = first_of(mask);
        const uint64_t base = at[first] - (uint64_t)first * bytes;
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off |= ((at[l] - base) ^ (uint64_t)l * bytes) & -(uint64_t)(mask >> l & 1);
        }
    }
    return off;
}

static inline uint64_t off_same(const uint64_t at[SM_LANES])
{
    uint64_t off = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) { /* lane 0 too: whole vectors, as they were stored */
        off |= at[l] ^ at[0];
    }
    return off;
}

/* Is the distance between neighbouring active lanes the same throughout? */
static inline bool even(const uint64_t at[SM_LANES], uint32_t mask, int64_t *distance)
{
    if (!unbroken(mask) || (mask & (mask - 1)) == 0) {
        return false;
    }
    const uint32_t first = first_of(mask), last = last_of(mask);
    const uint64_t d = at[first + 1] - at[first];
    uint64_t off = 0;
    if (mask == SM_FULL) {
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off |= (at[l] - at[0]) ^ l * d;
        }
    } else {
        for (uint32_t l = first + 1; l <= last; l++) {
            off |= (at[l] - at[l - 1]) ^ d;
        }
    }
    *distance = (int64_t)d;
    return off == 0;
}

static inline void note_distance(site_stats *s, int64_t distance)
{
    uint64_t now = distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
    uint64_t was = s->stride < 0 ? -(uint64_t)s->stride : (uint64_t)s->stride;
    if (now > was || (now == was && distance > s->stride)) {
        s->stride = distance;
    }
    s->even++;
}

static inline void note(site_stats *s, uint32_t lanes, uint32_t sectors, uint32_t ideal)
{
    s->requests++;
    s->lanes += lanes;
    s->sectors += sectors;
    s->ideal += ideal;
}

/* --- global ------------------------------------------------------------------------------------
 */

/* SECTORS (4 bits) of a 128-byte line go to or come from L2. */
static inline void pass_line(sm_worker *k, const sm_insn *i, sm_how how, uint64_t line,
                             uint32_t sectors)
{
    k->extra.v[CTR_l1_passes]++;
    if (how == SM_LOAD) {
        uint32_t miss = i->mode & SM_M_BYPASS ? sectors : l1_miss(k->l1, line, sectors);
        if (miss) {
            k->extra.v[CTR_l2_read_sectors] += (uint32_t)__builtin_popcount(miss);
            mem_touch(MEM_READ, line * 128, miss);
        }
        return;
    }
    k->extra.v[CTR_l2_write_lines]++;
    k->extra.v[CTR_l2_write_sectors] += (uint32_t)__builtin_popcount(sectors);
    mem_touch(MEM_WRITE, line * 128, sectors);
    if (how != SM_STORE) {
        mem_touch(MEM_READ, line * 128, sectors);
    }
}

/* All sectors of [LOW, HIGH). */
static inline void pass_span(sm_worker *k, const sm_insn *i, sm_how how, uint64_t low,
                             uint64_t high)
{
    const uint64_t first = low / 32, last = (high - 1) / 32;
    for (uint64_t line = first / 4; line <= last / 4; line++) {
        uint32_t sectors = 15;
        if (line == first / 4) {
            sectors &= 15u << first % 4;
        }
        if (line == last / 4) {
            sectors &= 15u >> (3 - last % 4);
        }
        pass_line(k, i, how, line, sectors);
    }
}

/* L1 hands out words as shared memory does, one of each bank at a time. */
static uint32_t load_passes(const uint64_t *at, uint32_t mask, uint32_t bytes)
{
    uint32_t offset[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++) {
        offset[l] = (uint32_t)at[l];
    }
    return sm_wavefronts(offset, mask, bytes, true).wavefronts;
}

static void count_scattered(sm_warp *w, const sm_insn *i, uint32_t mask, const uint64_t *at,
                            uint32_t bytes, sm_how how)
{
    sm_worker *k = w->worker;
    site_stats *s = &k->site[i->site];
    uint64_t packed[SM_LANES];
    const uint64_t *active = at;
    uint32_t n = SM_LANES;
    int64_t d = 0;
    if (even(at, mask, &d)) {
        note_distance(s, d);
    }
    if (mask != SM_FULL) {
        n = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            packed[n++] = at[first_of(m)];
        }
        active = packed;
    }
    /* Lanes of one line one after another make one look-up. Where addresses never fall, all can be
     * counted on the way. */
    uint64_t *v = k->extra.v;
    const uint64_t l1_passes = v[CTR_l1_passes], l2_lines = v[CTR_l2_write_lines],
                   l2_sectors = v[CTR_l2_write_sectors];
    uint32_t lines = 0, sectors = 0, distinct = 0, falls = 0;
    for (uint32_t j = 0; j < n; lines++) {
        const uint64_t line = active[j] / 128;
        uint32_t bits = 0;
        falls |= j > 0 && active[j] < active[j - 1];
        for (uint64_t was = ~active[j]; j < n && active[j] / 128 == line; j++) {
            falls |= active[j] < was && was / 128 == line;
            distinct += active[j] != was;
            was = active[j];
            bits |= 1u << active[j] / 32 % 4;
        }
        sectors += (uint32_t)__builtin_popcount(bits);
        pass_line(k, i, how, line, bits);
    }
    sm_scatter c = {.lines = lines, .sectors = sectors, .ideal = (distinct * bytes + 31) / 32};
    if (falls) {
        c = sm_scattered(active, n, bytes);
    }
    note(s, n, how == SM_ATOM ? sm_atomic_sectors(active, n) : c.sectors, c.ideal);
    /* Each line and sector once, however the lanes jump. */
    v[CTR_l1_passes] = l1_passes + (how == SM_LOAD ? load_passes(at, mask, bytes) : c.lines);
    if (how != SM_LOAD) {
        /* A line, and as much again for sectors that are written in part. */
        const bool part = c.sectors > c.ideal;
        v[CTR_l2_write_lines] = l2_lines + (part ? (c.lines + c.sectors) / 2 : c.lines);
        v[CTR_l2_write_sectors] = l2_sectors + c.sectors;
    }
}

static inline void count_global(sm_warp *w, const sm_insn *i, uint32_t mask, const uint64_t *at,
                                uint32_t bytes, sm_shape shape, sm_how how)
{
    if (shape == SM_SHAPE_EACH || (shape == SM_SHAPE_RUN && !unbroken(mask))) {
        count_scattered(w, i, mask, at, bytes, how);
        return;
    }
    const uint64_t low = at[first_of(mask)];
    const uint64_t high = (shape == SM_SHAPE_RUN ? at[last_of(mask)] : low) + bytes;
    const uint32_t lanes = mask == SM_FULL ? SM_LANES : (uint32_t)__builtin_popcount(mask);
    const uint32_t sectors = (uint32_t)((high - 1) / 32 - low / 32 + 1);
    site_stats *s = &w->worker->site[i->site];
    /* Atomics on one address: each lane's goes by itself. */
    const uint32_t counted = how == SM_ATOM && shape == SM_SHAPE_SAME ? lanes : sectors;
    note(s, lanes, counted, (uint32_t)((high - low + 31) / 32));
    if (lanes > 1) {
        note_distance(s, shape == SM_SHAPE_RUN ? bytes : 0);
    }
    pass_span(w->worker, i, how, low, high);
}

/* May this access be made in H? */
static inline bool allowed(const mem_range *h, ptx_space space, sm_how how)
{
    return space == PTX_SPACE_CONST ? h->kind == MEM_CONSTANT
                                    : how == SM_LOAD || h->kind != MEM_CONSTANT;
}

/* Lanes in several allocations: each its own host address. False: some lane is nowhere. */
static bool reach_apart(const sm_warp *w, uint32_t mask, uint32_t bytes, ptx_space space,
                        sm_how how, uint64_t at[SM_LANES])
{
    const mem_map *map = w->worker->grid->map;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t l = first_of(m);
        const mem_range *h = mem_map_find(map, at[l]);
        if (!h || h->size - (at[l] - h->base) < bytes || at[l] % bytes || !allowed(h, space, how)) {
            return false;
        }
        at[l] += (uint64_t)h->delta;
    }
    for (uint32_t l = 0; l < SM_LANES; l++) {
        at[l] = mask >> l & 1 ? at[l] : at[first_of(mask)];
    }
    return true;
}

static void count_const(sm_warp *w, const sm_insn *i, uint32_t mask, const uint64_t *at)
{
    site_stats *s = &w->worker->site[i->site];
    int64_t d = 0;
    if (even(at, mask, &d)) {
        note_distance(s, d);
    }
    /* Lanes that are not active repeat one that is. */
    const bool one = off_same(at) == 0;
    note(s, (uint32_t)__builtin_popcount(mask), one ? 1 : sm_distinct(at, SM_LANES), 1);
    uint64_t *misses = &w->worker->extra.v[CTR_const_misses];
    for (uint32_t l = 0; l < (one ? 1 : SM_LANES); l++) {
        *misses += l1_const_miss(w->worker->l1, at[l]);
    }
}

/* All lanes active, side by side or at one address, in the range of the last access: what most
 * requests are. FAULT: it is not that, or not right; the long way finds out. */
static inline sm_shape reach_often(sm_warp *w, const sm_insn *i, sm_how how, sm_reach *r)
{
    const uint64_t *a = SM_R(const uint64_t, w, i->a);
    const uint32_t bytes = i->mode & SM_M_BYTES;
    const uint64_t d = a[1] - a[0], low = a[0] + i->imm;
    const mem_range *h = w->worker->hint;
    if ((d != bytes && d != 0) || uneven64(a, d) || !h) {
        return SM_SHAPE_FAULT;
    }
    const uint64_t size = d * (SM_LANES - 1) + bytes, at = low - h->base;
    if (at >= h->size || size > h->size - at || low % bytes || !allowed(h, PTX_SPACE_GLOBAL, how)) {
        return SM_SHAPE_FAULT;
    }
    const uint32_t sectors = (uint32_t)((low + size - 1) / 32 - low / 32 + 1);
    site_stats *s = &w->worker->site[i->site];
    note(s, SM_LANES, how == SM_ATOM && d == 0 ? SM_LANES : sectors, (uint32_t)((size + 31) / 32));
    note_distance(s, (int64_t)d);
    pass_span(w->worker, i, how, low, low + size);
    r->host = (uint8_t *)(uintptr_t)(low + (uint64_t)h->delta);
    return d ? SM_SHAPE_RUN : SM_SHAPE_SAME;
}

/* Global and constant memory: device addresses. */
static sm_shape reach_device(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias,
                             ptx_space space, sm_how how, sm_reach *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint64_t *at = r->at;
    sm_shape shape = SM_SHAPE_EACH;
    if (mask == SM_FULL && space == PTX_SPACE_GLOBAL && !(i->mode & SM_M_ADDR32)) {
        const sm_shape often = reach_often(w, i, how, r);
        if (often != SM_SHAPE_FAULT) {
            return often;
        }
    }
    addresses(w, i, mask, bias, at);
    uint64_t low = at[first_of(mask)], high;
    if ((i->flags & SM_I_UNIFORM_A) || off_same(at) == 0) {
        shape = SM_SHAPE_SAME;
        high = low + bytes;
    } else if (off_run(at, mask, bytes) == 0) {
        shape = SM_SHAPE_RUN;
        high = at[last_of(mask)] + bytes;
    } else {
        high = low;
    }
    const mem_range *h = w->worker->hint;
    if (!h || low - h->base >= h->size) {
        h = mem_map_find(w->worker->grid->map, low);
        if (!h) {
            goto fault;
        }
        w->worker->hint = h;
    }
    if (h->size < bytes || !allowed(h, space, how)) {
        goto fault;
    }
    if (shape != SM_SHAPE_EACH) {
        if (high - h->base > h->size || low % bytes || high < low) {
            goto fault;
        }
        if (space == PTX_SPACE_CONST) {
            count_const(w, i, mask, at);
        } else {
            count_global(w, i, mask, at, bytes, shape, how);
        }
        r->host = (uint8_t *)(uintptr_t)(low + (uint64_t)h->delta);
        if (shape == SM_SHAPE_RUN) {
            r->host -= (size_t)first_of(mask) * bytes;
        }
        return shape;
    }
    uint64_t far = 0, skew = 0;
    const uint64_t base = h->base, most = h->size - bytes;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        far |= (uint64_t)(at[l] - base > most);
        skew |= at[l];
    }
    if (skew & (bytes - 1)) {
        goto fault;
    }
    uint64_t device[SM_LANES];
    memcpy(device, at, sizeof device);
    if (far) {
        if (!reach_apart(w, mask, bytes, space, how, at)) {
            memcpy(at, device, sizeof device);
            goto fault;
        }
    } else {
        const uint64_t delta = (uint64_t)h->delta;
        for (uint32_t l = 0; l < SM_LANES; l++) {
            at[l] += delta;
        }
    }
    if (space == PTX_SPACE_CONST) {
        count_const(w, i, mask, device);
    } else {
        count_global(w, i, mask, device, bytes, shape, how);
    }
    return shape;
fault:
    sm_access_fault(w, i, mask, at, space, how);
    return SM_SHAPE_FAULT;
}

/* --- shared ------------------------------------------------------------------------------------
 */

static inline uint32_t gcd32(uint32_t words)
{
    return words % 32 ? words & -words : 32;
}

/* Wavefronts, the frequent patterns first. SPAN: words from the lowest to the highest. */
static inline sm_passes wavefronts(const uint32_t off[SM_LANES], uint32_t mask, uint32_t bytes,
                                   uint32_t span, bool is_even, int64_t d, bool load)
{
    if (bytes <= 4) {
        if (span < 32) { /* no bank twice */
            return (sm_passes){1, 0};
        }
        if (mask == SM_FULL && is_even && d % 4 == 0) {
            const uint32_t waves = gcd32((uint32_t)((d < 0 ? -d : d) / 4));
            return (sm_passes){waves, waves - 1};
        }
    } else if (mask == SM_FULL && is_even && d == bytes) {
        return (sm_passes){bytes / 4, 0};
    }
    return sm_wavefronts(off, mask, bytes, load);
}

static void count_generic_shared(sm_worker *k, sm_how how, sm_passes p)
{
    uint64_t *v = k->extra.v;
    switch (how) {
    case SM_LOAD:
        v[CTR_shared_ld_requests]++;
        v[CTR_shared_ld_wavefronts] += p.wavefronts;
        v[CTR_shared_ld_conflicts] += p.conflicts;
        break;
    case SM_STORE:
        v[CTR_shared_st_requests]++;
        v[CTR_shared_st_wavefronts] += p.wavefronts;
        v[CTR_shared_st_conflicts] += p.conflicts;
        break;
    case SM_ATOM:
    case SM_RED:
        v[CTR_shared_atom_requests]++;
        break;
    }
}

/* All lanes active and one distance throughout, 32-bit addresses: see reach_often. */
static inline sm_shape reach_shared_often(sm_warp *w, const sm_insn *i, sm_reach *r)
{
    const uint32_t *a = SM_R(const uint32_t, w, i->a);
    const uint32_t bytes = i->mode & SM_M_BYTES, d = a[1] - a[0];
    if ((d != bytes && d != 0) || bytes > 4 || uneven32(a, d)) {
        return SM_SHAPE_FAULT;
    }
    const uint32_t low = a[0] + (uint32_t)i->imm;
    if (low + (uint64_t)(SM_LANES - 1) * d + bytes > w->block->shared_bytes || low % bytes) {
        return SM_SHAPE_FAULT;
    }
    site_stats *s = &w->worker->site[i->site];
    note(s, SM_LANES, 1, 1);
    note_distance(s, (int32_t)d);
    r->host = w->block->shared + low;
    return d ? SM_SHAPE_RUN : SM_SHAPE_SAME;
}

static sm_shape reach_shared(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias, sm_how how,
                             sm_reach *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint32_t off[SM_LANES] __attribute__((aligned(64)));
    uint64_t beyond = 0;
    if (i->mode & SM_M_ADDR32 && bias == 0) {
        if (mask == SM_FULL && !(i->mode & SM_M_GENERIC) && !w->block->race) {
            const sm_shape often = reach_shared_often(w, i, r);
            if (often != SM_SHAPE_FAULT) {
                return often;
            }
        }
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        const uint32_t add = (uint32_t)i->imm;
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off[l] = a[l] + add;
        }
    } else {
        addresses(w, i, mask, bias, r->at);
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off[l] = (uint32_t)r->at[l];
            beyond |= r->at[l] >> 32;
        }
    }
    const uint32_t first = first_of(mask);
    if (mask != SM_FULL) {
        const uint32_t one = off[first];
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off[l] = mask >> l & 1 ? off[l] : one;
        }
    }
    uint32_t low = UINT32_MAX, high = 0, skew = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        low = off[l] < low ? off[l] : low;
        high = off[l] > high ? off[l] : high;
        skew |= off[l];
    }
    if (beyond || (uint64_t)high + bytes > w->block->shared_bytes || (skew & (bytes - 1))) {
        if (!beyond) {
            for (uint32_t l = 0; l < SM_LANES; l++) {
                r->at[l] = off[l];
            }
        }
        sm_access_fault(w, i, mask, r->at, PTX_SPACE_SHARED, how);
        return SM_SHAPE_FAULT;
    }

    /* One distance throughout: what is side by side and what is one address are cases of it. */
    uint32_t uneven = 0, d = 0;
    const uint32_t last = last_of(mask);
    bool is_even = unbroken(mask) && last > first;
    if (is_even) {
        d = off[first + 1] - off[first];
        if (mask == SM_FULL) {
            for (uint32_t l = 0; l < SM_LANES; l++) {
                uneven |= (off[l] - off[0]) ^ l * d;
            }
        } else {
            for (uint32_t l = first + 1; l <= last; l++) {
                uneven |= (off[l] - off[l - 1]) ^ d;
            }
        }
        is_even = uneven == 0;
    }
    const uint32_t lanes = mask == SM_FULL ? SM_LANES : (uint32_t)__builtin_popcount(mask);
    const sm_passes p =
        wavefronts(off, mask, bytes, high / 4 - low / 4, is_even, (int32_t)d, how == SM_LOAD);
    if (i->mode & SM_M_GENERIC) {
        count_generic_shared(w->worker, how, p);
    } else {
        site_stats *s = &w->worker->site[i->site];
        note(s, lanes, p.wavefronts, p.wavefronts - p.conflicts);
        s->conflicts += p.conflicts;
        if (is_even) {
            note_distance(s, (int32_t)d);
        }
    }
    uint8_t *shared = w->block->shared;
    if (__builtin_expect(w->block->race != NULL, 0)) {
        for (uint32_t l = 0; l < SM_LANES; l++) {
            r->at[l] = off[l];
        }
        const ptx_insn *at = sm_site_insn(w, i);
        /* Strong operations do not race with one another; volatile ones are no synchronisation. */
        const bool strong = i->mode & SM_M_STRONG && !ptx_has(at, PTX_MOD_volatile);
        san_race_access(w->block->race, w, w->worker->grid->unit->module, at, mask, r->at, bytes,
                        how == SM_ATOM || strong ? SAN_ATOMIC
                        : how == SM_LOAD         ? SAN_READ
                                                 : SAN_WRITE);
    }
    if (low == high) {
        r->host = shared + low;
        return SM_SHAPE_SAME;
    }
    if (is_even && d == bytes) {
        r->host = shared + off[first] - (size_t)first * bytes;
        return SM_SHAPE_RUN;
    }
    for (uint32_t l = 0; l < SM_LANES; l++) {
        r->at[l] = (uintptr_t)shared + off[l];
    }
    return SM_SHAPE_EACH;
}

/* --- local -------------------------------------------------------------------------------------
 */

static sm_shape reach_local(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias, sm_how how,
                            sm_reach *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint64_t *at = r->at, far = 0, skew = 0;
    addresses(w, i, mask, bias, at);
    const uint64_t stride = w->local_stride, most = stride - bytes;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        far |= (uint64_t)(at[l] > most);
        skew |= at[l];
    }
    if (stride < bytes || far || (skew & (bytes - 1))) {
        sm_access_fault(w, i, mask, at, PTX_SPACE_LOCAL, how);
        return SM_SHAPE_FAULT;
    }
    const uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    const uint32_t ideal = (lanes * (bytes < 4 ? 4 : bytes) + 31) / 32;
    uint32_t sectors;
    if (mask == SM_FULL && off_same(at) == 0) {
        sectors = ideal;
    } else {
        sectors = sm_local_sectors(at, mask, bytes);
    }
    if (i->mode & SM_M_GENERIC) {
        uint64_t *v = w->worker->extra.v;
        v[how == SM_LOAD ? CTR_local_ld_requests : CTR_local_st_requests]++;
        v[how == SM_LOAD ? CTR_local_ld_sectors : CTR_local_st_sectors] += sectors;
    } else {
        site_stats *s = &w->worker->site[i->site];
        note(s, lanes, sectors, ideal < sectors ? ideal : sectors);
    }
    for (uint32_t l = 0; l < SM_LANES; l++) {
        at[l] += (uintptr_t)w->local + (mask >> l & 1 ? l : first_of(mask)) * stride;
    }
    return SM_SHAPE_EACH;
}

/* Kernel parameters by a generic address (cvta.param): the same bytes for every lane. */
static sm_shape reach_param(sm_warp *w, const sm_insn *i, uint32_t mask, sm_how how, sm_reach *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    addresses(w, i, mask, 0, r->at);
    uint64_t host[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++) {
        host[l] = (uintptr_t)sm_generic_host(w, l, r->at[l], bytes);
        if (host[l] == 0 || r->at[l] % bytes || how != SM_LOAD) {
            sm_access_fault(w, i, mask, r->at, PTX_SPACE_PARAM, how);
            return SM_SHAPE_FAULT;
        }
    }
    memcpy(r->at, host, sizeof host);
    return SM_SHAPE_EACH;
}

sm_shape SM_LEVEL(sm_reach)(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t bias,
                            ptx_space space, sm_how how, sm_reach *r)
{
    switch (space) {
    case PTX_SPACE_SHARED:
        return reach_shared(w, i, mask, bias, how, r);
    case PTX_SPACE_LOCAL:
        return reach_local(w, i, mask, bias, how, r);
    case PTX_SPACE_PARAM:
        return reach_param(w, i, mask, how, r);
    default:
        return reach_device(w, i, mask, bias, space, how, r);
    }
}

sm_parts SM_LEVEL(sm_split_generic)(const sm_warp *w, const sm_insn *i)
{
    uint64_t at[SM_LANES] __attribute__((aligned(64))), windows = 0;
    addresses(w, i, w->mask, 0, at);
    for (uint32_t l = 0; l < SM_LANES; l++) {
        windows |= at[l] & SM_WINDOW_MASK;
    }
    if (windows == 0) {
        return (sm_parts){.global = w->mask};
    }
    sm_parts s = {0};
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const uint32_t l = first_of(m), bit = 1u << l;
        switch (at[l] & SM_WINDOW_MASK) {
        case SM_SHARED_WINDOW:
            s.shared |= bit;
            break;
        case SM_LOCAL_WINDOW:
            s.local |= bit;
            break;
        case SM_PARAM_WINDOW:
            s.param |= bit;
            break;
        default:
            s.global |= bit;
        }
    }
    return s;
}

bool SM_LEVEL(sm_set_access)(sm_translation *t, const ptx_insn *in, const ptx_operand *address,
                             uint32_t element, sm_insn *out)
{
    const uint32_t vec = in->vec ? in->vec : 1, bytes = element * vec;
    if (address->count == 0 || bytes == 0 || bytes > 32) {
        return false;
    }
    uint32_t mode = bytes;
    const bool narrow = address->v[0].kind == PTX_VAL_REG ? sm_width(t, &address->v[0]) == 4
                                                          : t->module->address_bytes == 4;
    mode |= narrow ? SM_M_ADDR32 : 0;
    const bool strong = ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_relaxed) ||
                        ptx_has(in, PTX_MOD_acquire) || ptx_has(in, PTX_MOD_release) ||
                        ptx_has(in, PTX_MOD_sc) || ptx_has(in, PTX_MOD_mmio);
    mode |= strong ? SM_M_STRONG : 0;
    if (strong || ptx_has(in, PTX_MOD_cg) || ptx_has(in, PTX_MOD_cv)) {
        mode |= SM_M_BYPASS;
    }
    mode |= in->space == PTX_SPACE_NONE ? SM_M_GENERIC : 0;
    out->mode = (uint16_t)mode;
    out->vec = (uint8_t)vec;
    return true;
}
