/* Resolve addresses of a warp's accesses to shared memory, local memory and parameters
 * (reach_device.c: global and constant memory): bounds, alignment, counts. */
#include "reach_lanes.h"

#include "../../core/observer.h"
#include "../../observe/observe.h"
#include "../../profiler/count.h"
#include "../../ptx/traits.h"
#include "../../sm/cluster.h"
#include "../../sm/fault.h"

/* --- accesses to shared memory ---------------------------------------------------------------- */

/* The cost of WAVES wavefronts where one would do. */
static inline profiler_wavefront_cost conflicting_wavefronts(uint32_t waves)
{
    return (profiler_wavefront_cost){waves, waves - 1};
}

/* Count the wavefronts of a request to shared memory; frequent patterns are handled first. LOW and
 * HIGH: the lowest and the highest address. Inactive lanes repeat an address. */
static inline profiler_wavefront_cost count_shared_wavefronts(const uint32_t off[SM_LANES],
                                                              uint32_t mask, uint32_t bytes,
                                                              uint32_t low, uint32_t high,
                                                              bool is_even, int64_t d, bool load)
{
    if (bytes <= 4) {
        /* fewer than 32 words: no two lanes access different words of one bank */
        if (high / 4 - low / 4 < 32)
            return conflicting_wavefronts(1);
        if (mask == SM_FULL && is_even && d % 4 == 0)
            return conflicting_wavefronts(gcd_with_32((uint32_t)((d < 0 ? -d : d) / 4)));
        const uint32_t rows = high / 128 - low / 128 + 1;
        if (rows <= 32)
            return conflicting_wavefronts(profiler_most_words_in_a_bank(off, low / 128, rows));
    } else if (mask == SM_FULL && is_even && d == bytes) {
        return (profiler_wavefront_cost){bytes / 4, 0};
    } else if (mask == SM_FULL && is_even && d == 0 && load) { /* twice as many lanes at a time */
        return (profiler_wavefront_cost){bytes / 8, 0};
    }
    return profiler_shared_wavefronts(off, mask, bytes, load);
}

/* SWAPS: it is a compare and swap, which takes one pass to read and one to write. */
static void count_generic_shared_request(sm_worker *k, exec_access_op how,
                                         profiler_wavefront_cost p, bool swaps)
{
    uint64_t *v = k->extra.v;
    switch (how) {
    case EXEC_LOAD:
        v[CTR_shared_ld_requests]++;
        v[CTR_shared_ld_wavefronts] += p.wavefronts;
        v[CTR_shared_ld_conflicts] += p.conflicts;
        break;
    case EXEC_STORE:
        v[CTR_shared_st_requests]++;
        v[CTR_shared_st_wavefronts] += p.wavefronts;
        v[CTR_shared_st_conflicts] += p.conflicts;
        break;
    case EXEC_ATOM:
    case EXEC_RED:
        v[CTR_shared_atom_requests]++;
        v[CTR_shared_atom_wavefronts] += p.wavefronts * (swaps ? 2 : 1);
        break;
    }
}

/* Count a request to shared memory. D: the distance between adjacent lanes if IS_EVEN. */
static inline void count_shared_request(sm_warp *w, const sm_insn *i, uint32_t mask,
                                        const uint32_t off[SM_LANES], uint32_t low, uint32_t high,
                                        bool is_even, uint32_t d, exec_access_op how)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    const uint32_t lanes = mask == SM_FULL ? SM_LANES : (uint32_t)__builtin_popcount(mask);
    const bool atomic = how == EXEC_ATOM || how == EXEC_RED;
    const profiler_wavefront_cost words =
        count_shared_wavefronts(off, mask, bytes, low, high, is_even, (int32_t)d, how == EXEC_LOAD);
    const profiler_wavefront_cost p =
        !atomic      ? words
        : bytes == 4 ? conflicting_wavefronts(profiler_most_lanes_in_a_bank(off, mask))
                     : profiler_atomic_wavefronts(off, mask, bytes);
    if (atomic)
        w->worker->atom_wavefronts = p.wavefronts;
    if (i->mode & SM_M_GENERIC) {
        count_generic_shared_request(w->worker, how, p,
                                     ptx_has_modifier(sm_site_insn(w, i), PTX_MOD_cas));
    } else {
        insn_stats *s = &w->worker->site[i->site];
        count_insn_request(s, lanes, p.wavefronts, p.wavefronts - p.conflicts);
        s->conflicts += words.conflicts; /* only conflicts between different words count, also for
                                            atomics */
        if (is_even)
            count_even_request(s, (int32_t)d);
    }
}

static inline sm_access access_of_request(const sm_warp *w, const sm_insn *i, uint32_t mask,
                                          ptx_space space, const uint64_t at[SM_LANES],
                                          sm_access_layout layout, exec_access_op how)
{
    const uint32_t bytes = i->mode & SM_M_BYTES, element = bytes / i->vec;
    sm_access a = {.warp = w,
                   .insn = w->block->grid->unit->site_insn[i->site],
                   .site = i->site,
                   .space = space,
                   .mask = mask,
                   .address = at,
                   .layout = layout,
                   .bytes = bytes,
                   .effect = access_effect(how)};
    if (i->mode & SM_M_STORE) {
        a.slot = i->vec == 1 ? &i->b : i->extra;
        a.elements = i->vec;
        a.lane_bytes = i->mode & SM_M_LANE8 ? 8 : element < 4 ? 4 : element;
    }
    return a;
}

void EXEC_FOR_ISA(exec_observe)(const sm_warp *w, const sm_insn *i, uint32_t mask, ptx_space space,
                                const uint64_t at[SM_LANES], exec_request_pattern pattern,
                                exec_access_op how)
{
    const bool run = pattern == EXEC_PATTERN_CONTIGUOUS && is_consecutive(mask);
    const sm_access a =
        access_of_request(w, i, mask, space, at,
                          pattern == EXEC_PATTERN_SAME_ADDRESS ? SM_LAYOUT_SAME_ADDRESS
                          : run                                ? SM_LAYOUT_CONSECUTIVE
                                                               : SM_LAYOUT_UNKNOWN,
                          how);
    observe_access(w->block, &a);
}

/* Fill AT with the addresses of every STEP-th lane. All lanes are active and access SPACE. */
static inline void fill_addresses(const sm_warp *w, const sm_insn *i, ptx_space space,
                                  uint32_t step, uint64_t at[SM_LANES])
{
    if (space == PTX_SPACE_SHARED) {
        const uint32_t *a = SM_R(const uint32_t, w, i->a), add = (uint32_t)i->imm;
        for (uint32_t l = 0; l < SM_LANES; l += step)
            at[l] = (uint32_t)(a[l] + add);
    } else {
        const uint64_t *a = SM_R(const uint64_t, w, i->a), add = i->imm;
        for (uint32_t l = 0; l < SM_LANES; l += step)
            at[l] = a[l] + add;
    }
}

void EXEC_FOR_ISA(exec_observe_fast_request)(const sm_warp *w, const sm_insn *i, ptx_space space,
                                             sm_access_layout layout, exec_access_op how)
{
    uint64_t at[SM_LANES] __attribute__((aligned(64)));
    const sm_access a = access_of_request(w, i, SM_FULL, space, at, layout, how);
    const sm_observed *o = sm_observers_of_space(w->block, space);
    bool filled = false;
    fill_addresses(w, i, space, SM_ROW, at);
    for (uint32_t k = 0; k < SM_OBSERVERS && o[k].by; k++) {
        if (o[k].by->regular_access && o[k].by->regular_access(o[k].state, &a))
            continue;
        if (!filled) {
            fill_addresses(w, i, space, 1, at);
            filled = true;
        }
        o[k].by->access(o[k].state, &a);
    }
}

/* Resolve an access in which at least one lane is outside its own block's shared memory: each
 * lane separately, in the memory of any block of the cluster if the instruction may access it. */
static exec_request_pattern resolve_cluster_shared(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                   uint64_t bias, exec_access_op how,
                                                   exec_host_addresses *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    const ptx_insn *at = sm_site_insn(w, i);
    uint32_t off[SM_LANES] = {0}, own = 0;
    uint64_t address_of[SM_LANES];
    lane_addresses(w, i, mask, bias, r->at);
    memcpy(address_of, r->at, sizeof address_of);
    w->worker->atom_wavefronts = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t l = lowest_lane(m);
        const uint64_t address = r->at[l];
        uint64_t offset;
        sm_block *b = sm_cluster_find_block(w->block, address, bytes, &offset);
        if (!b || address % bytes) {
            exec_stop_bad_shared_access(w, i, l, address, how);
            return EXEC_PATTERN_FAULT;
        }
        if (b != w->block && !(i->mode & SM_M_GENERIC) &&
            !ptx_has_modifier(at, PTX_MOD_shared_cluster)) {
            sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, address, bytes, PTX_SPACE_SHARED,
                "the address 0x%llx is in the shared memory of the block with rank %u in the "
                "cluster, and only .shared::cluster instructions can access it",
                (unsigned long long)address, b->rank);
            return EXEC_PATTERN_FAULT;
        }
        if (b->observed)
            observe_lane_access(b, w, i, l, offset, bytes, access_effect(how));
        off[l] = (uint32_t)offset;
        own |= (uint32_t)(b == w->block) << l;
        r->at[l] = (uintptr_t)b->shared + offset;
    }
    if (w->worker->counting && own)
        count_shared_request(w, i, own, off, 0, UINT32_MAX, false, 0, how);
    if (w->worker->counting && mask & ~own) {
        const counter_id requests = how == EXEC_LOAD    ? CTR_dshared_ld_requests
                                    : how == EXEC_STORE ? CTR_dshared_st_requests
                                                        : CTR_dshared_atom_requests;
        profiler_count_distributed_shared(w, requests, requests + 1, address_of, mask & ~own,
                                          how == EXEC_ATOM || how == EXEC_RED);
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        r->at[l] = mask >> l & 1 ? r->at[l] : r->at[lowest_lane(mask)];
    return EXEC_PATTERN_EACH_LANE;
}

static exec_request_pattern resolve_shared(sm_warp *w, const sm_insn *i, uint32_t mask,
                                           uint64_t bias, exec_access_op how,
                                           exec_host_addresses *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint32_t off[SM_LANES] __attribute__((aligned(64)));
    uint64_t beyond = 0;
    if (i->mode & SM_M_ADDR32 && bias == 0) {
        const uint32_t *a = SM_R(const uint32_t, w, i->a);
        const uint32_t add = (uint32_t)i->imm - w->block->shared_base;
        for (uint32_t l = 0; l < SM_LANES; l++)
            off[l] = a[l] + add;
    } else {
        lane_addresses(w, i, mask, bias - w->block->shared_base, r->at);
        for (uint32_t l = 0; l < SM_LANES; l++) {
            off[l] = (uint32_t)r->at[l];
            beyond |= r->at[l] >> 32;
        }
    }
    const uint32_t first = lowest_lane(mask);
    if (mask != SM_FULL) {
        const uint32_t one = off[first];
        for (uint32_t l = 0; l < SM_LANES; l++)
            off[l] = mask >> l & 1 ? off[l] : one;
    }
    uint32_t low = UINT32_MAX, high = 0, skew = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        low = off[l] < low ? off[l] : low;
        high = off[l] > high ? off[l] : high;
        skew |= off[l];
    }
    if (beyond || (uint64_t)high + bytes > w->block->shared_bytes || (skew & (bytes - 1))) {
        if (w->block->cluster->count > 1)
            return resolve_cluster_shared(w, i, mask, bias, how, r);
        if (!beyond)
            for (uint32_t l = 0; l < SM_LANES; l++)
                r->at[l] = off[l];
        exec_stop_bad_access(w, i, mask, r->at, PTX_SPACE_SHARED, how);
        return EXEC_PATTERN_FAULT;
    }

    /* Check for one common distance between lanes; adjacent and equal addresses are special
     * cases of a common distance. */
    uint32_t uneven = 0, d = 0;
    const uint32_t last = highest_lane(mask);
    bool is_even = is_consecutive(mask) && last > first;
    if (is_even) {
        d = off[first + 1] - off[first];
        if (mask == SM_FULL)
            for (uint32_t l = 0; l < SM_LANES; l++)
                uneven |= (off[l] - off[0]) ^ l * d;
        else
            for (uint32_t l = first + 1; l <= last; l++)
                uneven |= (off[l] - off[l - 1]) ^ d;
        is_even = uneven == 0;
    }
    if (w->worker->counting)
        count_shared_request(w, i, mask, off, low, high, is_even, d, how);
    uint8_t *shared = w->block->shared;
    const exec_request_pattern pattern = low == high             ? EXEC_PATTERN_SAME_ADDRESS
                                         : is_even && d == bytes ? EXEC_PATTERN_CONTIGUOUS
                                                                 : EXEC_PATTERN_EACH_LANE;
    if (__builtin_expect(w->worker->sees & SM_SEES_SHARED, 0)) {
        for (uint32_t l = 0; l < SM_LANES; l++) /* r->at serves as scratch memory here */
            r->at[l] = off[l];
        EXEC_FOR_ISA(exec_observe)(w, i, mask, PTX_SPACE_SHARED, r->at, pattern, how);
    }
    if (pattern == EXEC_PATTERN_SAME_ADDRESS) {
        r->host = shared + low;
        return pattern;
    }
    if (pattern == EXEC_PATTERN_CONTIGUOUS) {
        r->host = shared + off[first] - (size_t)first * bytes;
        return pattern;
    }
    for (uint32_t l = 0; l < SM_LANES; l++)
        r->at[l] = (uintptr_t)shared + off[l];
    return pattern;
}

/* --- accesses to local memory ----------------------------------------------------------------- */

static void count_local_request(sm_warp *w, const sm_insn *i, uint32_t mask,
                                const uint64_t at[SM_LANES], exec_access_op how)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    const uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    const uint32_t ideal = (lanes * (bytes < 4 ? 4 : bytes) + 31) / 32;
    profiler_local_cost cost = {ideal, lanes * ((bytes + 3) / 4) / SM_LANES, 0};
    if (mask != SM_FULL || bytes < 4 || differs_from_one_address(at) != 0)
        cost = profiler_cost_of_local_request(at, mask, bytes);
    uint64_t *v = w->worker->extra.v;
    if (how != EXEC_LOAD) {
        v[CTR_local_st_lines] += cost.lines;
        v[CTR_local_st_part_lines] += cost.part_lines;
    }
    if (i->mode & SM_M_GENERIC) {
        v[how == EXEC_LOAD ? CTR_local_ld_requests : CTR_local_st_requests]++;
        v[how == EXEC_LOAD ? CTR_local_ld_sectors : CTR_local_st_sectors] += cost.sectors;
    } else {
        insn_stats *s = &w->worker->site[i->site];
        count_insn_request(s, lanes, cost.sectors, ideal < cost.sectors ? ideal : cost.sectors);
    }
}

static exec_request_pattern resolve_local(sm_warp *w, const sm_insn *i, uint32_t mask,
                                          uint64_t bias, exec_access_op how, exec_host_addresses *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    uint64_t *at = r->at, far = 0, skew = 0;
    lane_addresses(w, i, mask, bias, at);
    const uint64_t stride = w->local_stride, most = stride - bytes;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        far |= (uint64_t)(at[l] > most);
        skew |= at[l];
    }
    if (stride < bytes || far || (skew & (bytes - 1))) {
        exec_stop_bad_access(w, i, mask, at, PTX_SPACE_LOCAL, how);
        return EXEC_PATTERN_FAULT;
    }
    if (w->worker->counting)
        count_local_request(w, i, mask, at, how);
    if (__builtin_expect(w->worker->sees & SM_SEES_LOCAL, 0))
        EXEC_FOR_ISA(exec_observe)(w, i, mask, PTX_SPACE_LOCAL, at, EXEC_PATTERN_EACH_LANE, how);
    for (uint32_t l = 0; l < SM_LANES; l++)
        at[l] += (uintptr_t)w->local + (mask >> l & 1 ? l : lowest_lane(mask)) * stride;
    if (__builtin_expect(how != EXEC_LOAD && __atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED), 0))
        for (uint32_t l = 0; l < SM_LANES; l++)
            mem_count_host_write(&w->worker->touched, at[l]);
    return EXEC_PATTERN_EACH_LANE;
}

/* Resolve an access to kernel parameters by generic address (cvta.param): all lanes access the
 * same copy of the parameters. */
static exec_request_pattern resolve_param(sm_warp *w, const sm_insn *i, uint32_t mask,
                                          exec_access_op how, exec_host_addresses *r)
{
    const uint32_t bytes = i->mode & SM_M_BYTES;
    lane_addresses(w, i, mask, 0, r->at);
    uint64_t host[SM_LANES];
    for (uint32_t l = 0; l < SM_LANES; l++) {
        host[l] = (uintptr_t)sm_host_pointer_of_generic(w, l, r->at[l], bytes);
        if (host[l] == 0 || r->at[l] % bytes || how != EXEC_LOAD) {
            exec_stop_bad_access(w, i, mask, r->at, PTX_SPACE_PARAM, how);
            return EXEC_PATTERN_FAULT;
        }
    }
    memcpy(r->at, host, sizeof host);
    return EXEC_PATTERN_EACH_LANE;
}

exec_request_pattern EXEC_FOR_ISA(exec_host_addresses)(sm_warp *w, const sm_insn *i, uint32_t mask,
                                                       uint64_t bias, ptx_space space,
                                                       exec_access_op how, exec_host_addresses *r)
{
    switch (space) {
    case PTX_SPACE_SHARED: return resolve_shared(w, i, mask, bias, how, r);
    case PTX_SPACE_LOCAL: return resolve_local(w, i, mask, bias, how, r);
    case PTX_SPACE_PARAM: return resolve_param(w, i, mask, how, r);
    default: return EXEC_FOR_ISA(exec_resolve_device)(w, i, mask, bias, space, how, r);
    }
}

exec_lanes_by_space EXEC_FOR_ISA(exec_split_generic)(const sm_warp *w, const sm_insn *i)
{
    uint64_t at[SM_LANES] __attribute__((aligned(64))), windows = 0;
    lane_addresses(w, i, w->mask, 0, at);
    for (uint32_t l = 0; l < SM_LANES; l++)
        windows |= at[l] & SM_WINDOW_MASK;
    if (windows == 0)
        return (exec_lanes_by_space){.global = w->mask};
    exec_lanes_by_space s = {0};
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const uint32_t l = lowest_lane(m), bit = 1u << l;
        switch (at[l] & SM_WINDOW_MASK) {
        case SM_SHARED_WINDOW: s.shared |= bit; break;
        case SM_LOCAL_WINDOW: s.local |= bit; break;
        case SM_PARAM_WINDOW: s.param |= bit; break;
        default: s.global |= bit;
        }
    }
    return s;
}

const sm_insn *EXEC_FOR_ISA(exec_run_space)(sm_warp *w, const sm_insn *i, ptx_space space,
                                            exec_access_op how, exec_lanes_fn act)
{
    exec_host_addresses r;
    const exec_request_pattern pattern =
        EXEC_FOR_ISA(exec_host_addresses)(w, i, w->mask, 0, space, how, &r);
    if (pattern == EXEC_PATTERN_FAULT)
        return NULL;
    act(w, i, w->mask, pattern, &r);
    return i + 1;
}

const sm_insn *EXEC_FOR_ISA(exec_run_generic)(sm_warp *w, const sm_insn *i, exec_access_op how,
                                              exec_lanes_fn global, exec_lanes_fn other)
{
    const exec_lanes_by_space s = EXEC_FOR_ISA(exec_split_generic)(w, i);
    const uint32_t part[4] = {s.global, s.shared, s.local, s.param};
    exec_host_addresses r[4];
    exec_request_pattern pattern[4];
    for (int k = 0; k < 4; k++)
        if (part[k] && (pattern[k] = EXEC_FOR_ISA(exec_host_addresses)(
                            w, i, part[k], exec_generic_window_bias[k], exec_generic_spaces[k], how,
                            &r[k])) == EXEC_PATTERN_FAULT)
            return NULL;
    for (int k = 0; k < 4; k++)
        if (part[k])
            (k == 0 ? global : other)(w, i, part[k], pattern[k], &r[k]);
    return i + 1;
}

sm_fn EXEC_FOR_ISA(exec_pick_space)(const exec_by_space *f, ptx_space space)
{
    switch (space) {
    case PTX_SPACE_NONE: return f->generic;
    case PTX_SPACE_GLOBAL: return f->global;
    case PTX_SPACE_SHARED: return f->shared;
    case PTX_SPACE_LOCAL: return f->local;
    case PTX_SPACE_CONST: return f->constant;
    default: return NULL;
    }
}

bool EXEC_FOR_ISA(exec_common_lane_width)(const compile_translation *t, const ptx_operand *o,
                                          uint32_t (*declared)(const compile_translation *t,
                                                               const ptx_value *v),
                                          uint32_t *width)
{
    *width = 0;
    for (uint32_t e = 0; e < o->count; e++) {
        const uint32_t bytes = o->v[e].kind == PTX_VAL_REG ? declared(t, &o->v[e]) : 0;
        if (*width != 0 && bytes != 0 && bytes != *width)
            return false;
        *width = bytes ? bytes : *width;
    }
    return true;
}

bool EXEC_FOR_ISA(exec_set_access)(compile_translation *t, const ptx_insn *in,
                                   const ptx_operand *address, uint32_t element, sm_insn *out)
{
    const uint32_t vec = in->vec ? in->vec : 1, bytes = element * vec;
    if (address->count == 0 || bytes == 0 || bytes > 32)
        return false;
    uint32_t mode = bytes;
    const bool narrow = address->v[0].kind == PTX_VAL_REG
                            ? compile_register_bytes(t, &address->v[0]) == 4
                            : t->module->address_bytes == 4;
    mode |= narrow ? SM_M_ADDR32 : 0;
    const bool strong = ptx_is_strong(in);
    mode |= strong ? SM_M_STRONG : 0;
    if (strong || ptx_has_modifier(in, PTX_MOD_cg) || ptx_has_modifier(in, PTX_MOD_cv))
        mode |= SM_M_BYPASS;
    /* The last use of global memory is a streaming load. */
    if (ptx_has_modifier(in, PTX_MOD_cs) || ptx_has_modifier(in, PTX_MOD_lu) ||
        ptx_has_modifier(in, PTX_MOD_L2_evict_first))
        mode |= SM_M_STREAM;
    mode |= in->space == PTX_SPACE_NONE ? SM_M_GENERIC : 0;
    out->mode = (uint16_t)mode;
    out->vec = (uint8_t)vec;
    return true;
}
