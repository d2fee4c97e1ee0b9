/* Asynchronous copies by one thread (PTX ISA 9.7.9.25.4, 9.7.9.12, 9.7.13.7): cp.async.bulk,
 * cp.reduce.async.bulk, their groups, st.async and red.async. Operands are checked at issue;
 * sm/async/flight.h says when the copy is executed. */
#include "bulk.h"

#include "../../compile/compile.h"
#include "../../observe/observe.h"
#include "../../sm/fault.h"
#include "../memory/update.h"

/* --- reductions of bulk copies ---------------------------------------------------------------- */

static inline bool is_half_nan(uint16_t h, uint16_t infinity)
{
    return (h & 0x7fff) > infinity;
}

/* An integer from the bits H of a half: integers compare as the halves do, with -0 below +0. */
static inline int32_t half_order_key(uint16_t h)
{
    return h & 0x8000 ? -(int32_t)(h & 0x7fff) - 1 : h;
}

/* min or max of two halves; if one of them is NaN, the result is the other. */
static inline uint16_t half_min_or_max(uint16_t a, uint16_t b, uint16_t infinity, bool larger)
{
    if (is_half_nan(a, infinity) || is_half_nan(b, infinity))
        return !is_half_nan(a, infinity) ? a : !is_half_nan(b, infinity) ? b : 0x7fff;
    return (half_order_key(a) > half_order_key(b)) == larger ? a : b;
}

#define HALF_REDUCTION_ROWS(ROW)                                        \
    ROW(min_f16, 16, uint16_t, half_min_or_max(old, b, 0x7c00, false),  \
        half_min_or_max(old, b, 0x7c00, false))                         \
    ROW(max_f16, 16, uint16_t, half_min_or_max(old, b, 0x7c00, true),   \
        half_min_or_max(old, b, 0x7c00, true))                          \
    ROW(min_bf16, 16, uint16_t, half_min_or_max(old, b, 0x7f80, false), \
        half_min_or_max(old, b, 0x7f80, false))                         \
    ROW(max_bf16, 16, uint16_t, half_min_or_max(old, b, 0x7f80, true),  \
        half_min_or_max(old, b, 0x7f80, true))

#define ROW(name, bits, mem, in_shared, in_global)                                                 \
    static __attribute__((unused)) void combine_##name(uint8_t *to, const uint8_t *from,           \
                                                       uint64_t bytes, bool shared)                \
    {                                                                                              \
        for (uint64_t k = 0; k + sizeof(mem) <= bytes; k += sizeof(mem)) {                         \
            mem *p = (mem *)(void *)(to + k), b, next, old = __atomic_load_n(p, __ATOMIC_RELAXED); \
            const mem c = 0;                                                                       \
            (void)c;                                                                               \
            memcpy(&b, from + k, sizeof b);                                                        \
            if (shared) {                                                                          \
                *p = (mem)(in_shared);                                                             \
                continue;                                                                          \
            }                                                                                      \
            do {                                                                                   \
                next = (mem)(in_global);                                                           \
            } while (!__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST,          \
                                                  __ATOMIC_RELAXED));                              \
        }                                                                                          \
    }
EXEC_UPDATE_ROWS(ROW)
HALF_REDUCTION_ROWS(ROW)
#undef ROW

/* The reductions of bulk copies; some are supported only in global memory. */
static const struct bulk_reduction {
    ptx_mod op;         /* the operation: and, or, add, min ... */
    ptx_type type;      /* element type */
    bool global_only;   /* not supported in shared memory */
    sm_combine combine; /* applies the reduction to one element */
} reductions[] = {
#define ROW(op, type, only, name)                      \
    {                                                  \
        PTX_MOD_##op, PTX_##type, only, combine_##name \
    }
    ROW(and, b32, false, and_32),   ROW(or, b32, false, or_32),     ROW(xor, b32, false, xor_32),
    ROW(and, b64, true, and_64),    ROW(or, b64, true, or_64),      ROW(xor, b64, true, xor_64),
    ROW(add, u32, false, add_32),   ROW(add, s32, false, add_32),   ROW(add, u64, false, add_64),
    ROW(add, s64, true, add_64),    ROW(inc, u32, false, inc_32),   ROW(dec, u32, false, dec_32),
    ROW(min, u32, false, min_u32),  ROW(max, u32, false, max_u32),  ROW(min, s32, false, min_s32),
    ROW(max, s32, false, max_s32),  ROW(min, u64, true, min_u64),   ROW(max, u64, true, max_u64),
    ROW(min, s64, true, min_s64),   ROW(max, s64, true, max_s64),   ROW(add, f16, true, add_f16),
    ROW(min, f16, true, min_f16),   ROW(max, f16, true, max_f16),   ROW(add, bf16, true, add_bf16),
    ROW(min, bf16, true, min_bf16), ROW(max, bf16, true, max_bf16), ROW(add, f32, true, add_f32),
    ROW(add, f64, true, add_f64)
#undef ROW
};

sm_combine EXEC_FOR_ISA(exec_bulk_combine)(const ptx_insn *in, ptx_type type, bool global)
{
    for (size_t k = 0; k < sizeof reductions / sizeof reductions[0]; k++) {
        const struct bulk_reduction *r = &reductions[k];
        if (r->type == type && ptx_has_modifier(in, r->op) && (global || !r->global_only))
            return r->combine;
    }
    return NULL;
}

static sm_combine combine_function_of(const ptx_insn *in, bool global)
{
    return in->type_count == 1 ? EXEC_FOR_ISA(exec_bulk_combine)(in, in->type[0], global) : NULL;
}

/* --- operands --- */

typedef struct bulk_copy {
    exec_address_operand to, from; /* addresses of the destination and of the source */
    exec_address_operand bar;      /* address of the mbarrier that counts the copied bytes */
    uint32_t size;                 /* position, in the register window, of the number of bytes */
    uint32_t mask;    /* position, in the register window, of the multicast mask; 0: no multicast */
    bool to_global;   /* the destination is in global memory; false: in shared memory */
    bool from_global; /* the source is in global memory; false: in shared memory */
    bool own;         /* .shared::cta: the address must be in the block's own shared memory */
    sm_combine combine; /* reduction applied to each element; NULL: a plain copy */
} bulk_copy;

const mem_range *EXEC_FOR_ISA(exec_bulk_global)(const sm_warp *w, const sm_insn *i, uint32_t l,
                                                uint64_t address, uint64_t bytes, sm_effect effect,
                                                bool *reported)
{
    const mem_range *h = cached_range_of(w->worker, address);
    if (h && h->read_only && effect != SM_READS)
        return NULL;
    if (h && h->size - (address - h->base) >= bytes)
        return h;
    h = mem_find_guarded_in_snapshot(w->worker->grid->map, address);
    if (!h || h->base + h->size + h->back - address < bytes)
        return NULL;
    if (!*reported && w->block->observed) {
        uint64_t at[SM_LANES] = {0};
        at[l] = address;
        observe_array_overrun(w, i, 1u << l, at, (uint32_t)bytes, effect);
    }
    *reported = true;
    return h;
}

/* Host address of BYTES bytes of global memory. NULL: invalid, and the launch is stopped. */
static uint8_t *global_host_address(sm_warp *w, const sm_insn *i, uint32_t l, uint64_t address,
                                    uint32_t bytes, sm_effect effect)
{
    bool reported = false;
    const mem_range *h = EXEC_FOR_ISA(exec_bulk_global)(w, i, l, address, bytes, effect, &reported);
    if (h)
        return (uint8_t *)(uintptr_t)(address + (uint64_t)h->delta);
    char where[400];
    mem_describe(address, bytes, where, sizeof where);
    sm_stop_launch(w, i, SM_FAULT_ADDRESS, 1u << l, address, bytes, PTX_SPACE_GLOBAL,
                   "%s: %s %u bytes at 0x%llx: %s", ptx_op_name(sm_site_insn(w, i)->op),
                   sm_effect_in_present(effect), bytes, (unsigned long long)address, where);
    return NULL;
}

/* Block and offset of BYTES bytes of shared memory. False: the address is invalid, and the
 * launch has been stopped. */
bool EXEC_FOR_ISA(exec_bulk_shared)(sm_warp *w, const sm_insn *i, uint32_t l, uint64_t address,
                                    uint32_t bytes, bool own, const char *verb, sm_mbarrier *at)
{
    at->block = sm_cluster_find_block(w->block, address, bytes, &at->offset);
    if (at->block && (!own || at->block == w->block))
        return true;
    if (at->block) {
        sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, 1u << l, address, bytes, PTX_SPACE_SHARED,
            "%s: the address 0x%llx is in the shared memory of the block with rank %u in the "
            "cluster, but this instruction needs the block's own shared memory",
            ptx_op_name(sm_site_insn(w, i)->op), (unsigned long long)address, at->block->rank);
    } else {
        sm_stop_bad_cluster_address(w, i, l, address, bytes, verb);
    }
    return false;
}

bool EXEC_FOR_ISA(exec_bulk_aligned)(sm_warp *w, const sm_insn *i, uint32_t l, const char *what,
                                     uint64_t value, uint32_t by)
{
    if (value % by == 0)
        return true;
    sm_stop_launch(w, i, SM_FAULT_MISALIGNED, 1u << l, value, by, PTX_SPACE_NONE,
                   "%s: the %s is 0x%llx, which is no multiple of %u",
                   ptx_op_name(sm_site_insn(w, i)->op), what, (unsigned long long)value, by);
    return false;
}

/* --- counters --- */

/* Update the memory counters for a copy to COPIES destination blocks. Memory is read once for all.
 * The hardware unit that copies has its own path to memory, so there are no L1 passes. */
static void count_bulk_requests(sm_warp *w, const bulk_copy *c, uint64_t to, uint64_t from,
                                uint32_t bytes, uint32_t copies)
{
    sm_worker *k = w->worker;
    uint64_t *v = k->extra.v;
    if (!k->counting)
        return;
    const sm_insn past_l1 = {.mode = SM_M_BYPASS};
    v[CTR_bulk_copies]++;
    if (c->from_global && bytes) {
        v[CTR_bulk_ld_sectors] += sectors_in_range(from, from + bytes) * copies;
        v[CTR_l2_read_requests]++;
        count_range_access(k, &past_l1, EXEC_LOAD, from, from + bytes);
    }
    if (c->to_global && bytes) {
        const uint64_t sectors = sectors_in_range(to, to + bytes);
        v[c->combine ? CTR_bulk_red_sectors : CTR_bulk_st_sectors] += sectors;
        count_range_access(k, &past_l1, c->combine ? EXEC_RED : EXEC_STORE, to, to + bytes);
        count_written_sectors(k, lines_in_range(to, to + bytes), sectors);
    }
}

void EXEC_FOR_ISA(exec_bulk_reads)(sm_warp *w, const sm_insn *i, uint32_t l, const sm_mbarrier *at,
                                   uint32_t bytes)
{
    if (at->block->observed)
        observe_copy_reads(at->block, w, i, l, PTX_SPACE_SHARED, at->offset, bytes);
}

/* --- bulk copies --- */

/* Multicast: copy to the same offset in the shared memory of each block in MASK. The mbarrier of
 * each block is also at the same offset. */
bool EXEC_FOR_ISA(exec_bulk_to_many)(sm_warp *w, const sm_insn *i, uint32_t l, uint32_t mask,
                                     sm_bulk_copy *f)
{
    const sm_cluster *c = w->block->cluster;
    const uint64_t to = f->to_offset, bar = f->bar.offset;
    if (mask >> c->count) {
        sm_stop_launch(w, i, SM_FAULT_ILLEGAL, 1u << l, 0, 0, PTX_SPACE_NONE,
                       "a multicast to the blocks of mask 0x%x, but the cluster has %u blocks",
                       mask, c->count);
        return false;
    }
    for (; mask; mask &= mask - 1) {
        sm_block *b = c->block[__builtin_ctz(mask)];
        f->to_block = f->bar.block = b;
        f->to = b->shared + to;
        f->bar.offset = bar;
        if (!sm_bulk_copies_add(f))
            return false;
    }
    return true;
}

/* A GPU copies from shared to shared memory only in launches with clusters. */
static bool is_in_cluster(sm_warp *w, const sm_insn *i, uint32_t l)
{
    if (w->block->grid->clusters)
        return true;
    sm_stop_launch(
        w, i, SM_FAULT_ILLEGAL, 1u << l, 0, 0, PTX_SPACE_NONE,
        "%s from shared memory to shared memory: a GPU does that only in launches with "
        "clusters, and this launch has none; give the kernel __cluster_dims__, or let the "
        "block's threads copy",
        ptx_op_name(sm_site_insn(w, i)->op));
    return false;
}

static bool issue_bulk_copy(sm_warp *w, const sm_insn *i, const bulk_copy *c, uint32_t l)
{
    const uint64_t to = exec_operand_address(w, &c->to, l),
                   from = exec_operand_address(w, &c->from, l);
    const uint32_t bytes = SM_R(const uint32_t, w, c->size)[l];
    sm_mbarrier source = {0}, target = {0};
    sm_bulk_copy f = {.insn = i, .warp = w, .lane = l, .bytes = bytes, .combine = c->combine};
    if ((!c->from_global && !c->to_global && !is_in_cluster(w, i, l)) ||
        !EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "number of bytes", bytes, 16) ||
        !EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address that it writes to", to, 16) ||
        !EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address that it reads from", from, 16))
        return false;
    if (c->from_global) {
        f.from = global_host_address(w, i, l, from, bytes, SM_READS);
        f.from_address = from;
        if (f.from && w->block->observed)
            observe_copy_reads(w->block, w, i, l, PTX_SPACE_GLOBAL, from, bytes);
    } else if (EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, from, bytes, true, "reads", &source)) {
        f.from = source.block->shared + source.offset;
        EXEC_FOR_ISA(exec_bulk_reads)(w, i, l, &source, bytes);
    }
    if (!f.from)
        return false;
    if (c->to_global) {
        f.to = global_host_address(w, i, l, to, bytes, c->combine ? SM_UPDATES : SM_WRITES);
        f.to_address = to;
    } else if (EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, to, bytes, c->own, "writes", &target) &&
               EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, exec_operand_address(w, &c->bar, l), 8,
                                              false, "updates", &f.bar) &&
               EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address of its barrier", f.bar.offset,
                                               8)) {
        f.to = target.block->shared + target.offset;
        f.to_block = target.block;
        f.to_offset = target.offset;
    }
    if (!f.to)
        return false;
    const uint32_t mask = c->mask ? SM_R(const uint32_t, w, c->mask)[l] & 0xffff : 1;
    count_bulk_requests(w, c, to, from, bytes, (uint32_t)__builtin_popcount(mask));
    if (c->from_global && bytes && !sm_bulk_copies_count_phase(w, &f.bar))
        return false;
    return c->mask ? EXEC_FOR_ISA(exec_bulk_to_many)(w, i, l, mask, &f) : sm_bulk_copies_add(&f);
}

EXEC_FN(copy_bulk)
{
    EXEC_EACH_LANE(w->mask)
        if (!issue_bulk_copy(w, i, i->extra, l))
            return NULL;
    return i + 1;
}

/* Parse the first three operands, [to], [from] and size, for both directions. */
static bool parse_address_operands(compile_translation *t, const ptx_insn *in, bulk_copy *c)
{
    const ptx_value *n = exec_operand_value(in, 2);
    if (!exec_read_address_operand(t, in, 0, &c->to) ||
        !exec_read_address_operand(t, in, 1, &c->from) || !n)
        return false;
    c->size = compile_slot_of_value(t, n, 4);
    return true;
}

static bool parse_bulk_load_operands(compile_translation *t, const ptx_insn *in, bulk_copy *c)
{
    const bool inside = in->space2 == PTX_SPACE_SHARED;
    c->from_global = in->space2 == PTX_SPACE_GLOBAL;
    c->own = !ptx_has_modifier(in, PTX_MOD_shared_cluster);
    return in->space == PTX_SPACE_SHARED && (inside || c->from_global) && !(inside && c->own) &&
           ptx_has_modifier(in, PTX_MOD_mbarrier_tx) && parse_address_operands(t, in, c) &&
           exec_read_address_operand(t, in, 3, &c->bar);
}

EXEC_SELECT(cp_async_bulk)
{
    bulk_copy c = {0};
    if (!parse_bulk_load_operands(t, in, &c))
        return NULL;
    if (ptx_has_modifier(in, PTX_MOD_multicast)) {
        const ptx_value *mask = exec_operand_value(in, 4);
        if (!mask || !c.from_global || c.own)
            return NULL;
        c.mask = compile_slot_of_value(t, mask, 4);
    }
    return exec_fn_with_form(t, out, copy_bulk, &c, sizeof c);
}

EXEC_SELECT(cp_reduce_async_bulk)
{
    bulk_copy c = {.combine = combine_function_of(in, false)};
    if (!c.combine || !parse_bulk_load_operands(t, in, &c) || c.from_global)
        return NULL;
    return exec_fn_with_form(t, out, copy_bulk, &c, sizeof c);
}

/* cp.async.bulk to global memory. The row of ops.def is called cp_async_bulk_global, after the
 * destination .global. */
EXEC_SELECT(cp_async_bulk_global)
{
    bulk_copy c = {.to_global = true};
    if (in->space != PTX_SPACE_SHARED || ptx_has_modifier(in, PTX_MOD_shared_cluster) ||
        !ptx_has_modifier(in, PTX_MOD_bulk_group) || !parse_address_operands(t, in, &c))
        return NULL;
    if (in->op == PTX_OP_cp_reduce_async_bulk_global &&
        !(c.combine = combine_function_of(in, true)))
        return NULL;
    return exec_fn_with_form(t, out, copy_bulk, &c, sizeof c);
}

EXEC_FN(commit)
{
    EXEC_EACH_LANE(w->mask)
        if (!sm_bulk_copies_commit(w, l))
            return NULL;
    return i + 1;
}

EXEC_SELECT(cp_async_bulk_commit)
{
    return commit;
}

/* cp.async.bulk.wait_group: .read makes no difference: a copy reads and writes in one step. */
EXEC_FN(wait_groups)
{
    EXEC_EACH_LANE(w->mask)
        if (!sm_bulk_copies_complete_groups(w, l, SM_R(const uint32_t, w, i->a)[l]))
            return NULL;
    return i + 1;
}

EXEC_SELECT(cp_async_bulk_wait)
{
    return wait_groups;
}

/* --- st.async and red.async --- */

typedef struct async_store {
    exec_address_operand to, bar; /* address of the destination; address of the mbarrier */
    uint32_t bytes;               /* bytes per element */
    uint32_t count;               /* number of elements */
    const uint32_t *slot;         /* [count] positions of the elements in the register window */
    sm_combine combine;           /* red.async: reduction applied to each element; NULL: st.async */
} async_store;

static bool issue_async_store(sm_warp *w, const sm_insn *i, const async_store *m, uint32_t l)
{
    const uint32_t bytes = m->bytes * m->count;
    const uint64_t to = exec_operand_address(w, &m->to, l);
    sm_mbarrier target;
    sm_bulk_copy f = {.insn = i, .warp = w, .lane = l, .bytes = bytes, .combine = m->combine};
    if (!EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address that it writes to", to, bytes) ||
        !EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, to, bytes, false, "writes", &target) ||
        !EXEC_FOR_ISA(exec_bulk_shared)(w, i, l, exec_operand_address(w, &m->bar, l), 8, false,
                                        "updates", &f.bar) ||
        !EXEC_FOR_ISA(exec_bulk_aligned)(w, i, l, "address of its barrier", f.bar.offset, 8))
        return false;
    for (uint32_t k = 0; k < m->count; k++) {
        memcpy(f.value + k * m->bytes, w->r + m->slot[k] + l * (m->bytes < 4 ? 4 : m->bytes),
               m->bytes);
    }
    f.to = target.block->shared + target.offset;
    f.to_block = target.block;
    f.to_offset = target.offset;
    return sm_bulk_copies_add(&f);
}

EXEC_FN(send_all)
{
    const async_store *m = i->extra;
    uint64_t at[SM_LANES];
    EXEC_EACH_LANE(w->mask) {
        at[l] = exec_operand_address(w, &m->to, l);
        if (!issue_async_store(w, i, m, l))
            return NULL;
    }
    if (w->worker->counting) {
        const bool red = m->combine != NULL;
        const counter_id requests = red ? CTR_dshared_red_requests : CTR_dshared_st_requests;
        profiler_count_distributed_shared(w, requests, requests + 1, at, w->mask, false);
        w->worker->extra.v[requests + 1] += red; /* one more request: the update of the mbarrier */
    }
    return i + 1;
}

static sm_fn select_async_store(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                sm_combine combine)
{
    async_store m = {.combine = combine, .bytes = ptx_type_bytes(in->type[0]), .count = in->vec};
    if (in->operand_count < 3 || in->opd[1].count != in->vec || m.bytes * m.count > 16 ||
        !ptx_has_modifier(in, PTX_MOD_mbarrier_tx) || !exec_read_address_operand(t, in, 0, &m.to) ||
        !exec_read_address_operand(t, in, 2, &m.bar))
        return NULL;
    m.slot = compile_slots_of_vector(t, &in->opd[1], m.bytes);
    return m.slot ? exec_fn_with_form(t, out, send_all, &m, sizeof m) : NULL;
}

EXEC_SELECT(st_async)
{
    return select_async_store(t, in, out, NULL);
}

EXEC_SELECT(red_async)
{
    const sm_combine combine = combine_function_of(in, false);
    return combine && in->vec == 1 ? select_async_store(t, in, out, combine) : NULL;
}
