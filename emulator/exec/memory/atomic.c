/* atom and red (PTX ISA 9.7.13.5 and 9.7.13.6). Lanes are executed in order, lowest first. Updates
 * of global memory are atomic between host threads. A block runs on one host thread, so its shared
 * memory needs no atomic operations. All memory orders are sequentially consistent. */
#include "reach.h"

#include "update.h"

/* Define the handlers of an operation by space, from those for shared and global memory. */
#define DEFINE_HANDLERS(name)                                                       \
    static const sm_insn *global_##name(sm_warp *w, const sm_insn *i)               \
    {                                                                               \
        return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_GLOBAL, EXEC_ATOM,      \
                                            global_lanes_##name);                   \
    }                                                                               \
    static const sm_insn *shared_##name(sm_warp *w, const sm_insn *i)               \
    {                                                                               \
        return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_SHARED, EXEC_ATOM,      \
                                            shared_lanes_##name);                   \
    }                                                                               \
    static const sm_insn *generic_##name(sm_warp *w, const sm_insn *i)              \
    {                                                                               \
        return EXEC_FOR_ISA(exec_run_generic)(w, i, EXEC_ATOM, global_lanes_##name, \
                                              shared_lanes_##name);                 \
    }

/* How the host updates a word of global memory: by one operation, or by compare and swap until no
 * other thread has come in between, for which a contended cache line moves twice. */
typedef enum exec_host_update { HOST_SWAP, HOST_SUM, HOST_EXCHANGE } exec_host_update;
#define ROW(name, ...) host_update_by_##name = HOST_SUM,
enum { EXEC_SUM_ROWS(ROW) };
#undef ROW
#define ROW(name, ...) host_update_by_##name = HOST_EXCHANGE,
enum { EXEC_EXCHANGE_ROWS(ROW) };
#undef ROW
#define ROW(name, ...) host_update_by_##name = HOST_SWAP,
enum { EXEC_SWAPPED_WAITING_ROWS(ROW) EXEC_WORKING_ROWS(ROW) };
#undef ROW

/* Begin to fetch the cache lines of all lanes for writing. The host's atomic operations wait for
 * one another, so that each would fetch its line alone. Every CPU with AVX2 has the instruction. */
static inline void fetch_lines(const exec_host_addresses *r)
{
    for (uint32_t l = 0; l < SM_LANES; l++) {
#if defined(__AVX2__)
        __asm__ volatile("prefetchw %0" : : "m"(*(const uint8_t *)(uintptr_t)r->at[l]));
#elif defined(__aarch64__)
        __builtin_prefetch((const void *)(uintptr_t)r->at[l], 1);
#else
        (void)r;
#endif
    }
}

/* Define the loops over lanes for each width of the operation: 16, 32 and 64 bits. */
#define WIDTH 16       /* bits of an element */
#define MEM   uint16_t /* type in memory */
#define REG   uint32_t /* type of a register's lane */
#include "atomic_width.h"
#define WIDTH 32
#define MEM   uint32_t
#define REG   uint32_t
#include "atomic_width.h"
#define WIDTH 64
#define MEM   uint64_t
#define REG   uint64_t
#include "atomic_width.h"

/* Whether a thread may wait with the operation (update.h). */
#define ROW(name, ...) waits_by_##name = true,
enum { EXEC_WAITING_ROWS(ROW) };
#undef ROW
#define ROW(name, ...) waits_by_##name = false,
enum { EXEC_WORKING_ROWS(ROW) };
#undef ROW

/* Count the updates of global memory by the lanes MASK that changed nothing. BEFORE: the worker's
 * changes before the request. */
static inline void count_global_polls(sm_warp *w, const sm_insn *i, uint32_t mask, uint64_t before)
{
    if (i->vec == 1)
        w->worker->extra.v[CTR_atom_polls] += sm_lane_count(mask) - (w->worker->changes - before);
}

/* Count the wavefronts of a request to shared memory in which no word changed. */
static inline void count_shared_polls(sm_warp *w, const sm_insn *i, uint64_t before)
{
    const bool swaps = ptx_has_modifier(sm_site_insn(w, i), PTX_MOD_cas),
               changed = w->worker->shared_changes != before;
    w->worker->extra.v[CTR_shared_atom_polls] +=
        (uint64_t)w->worker->atom_wavefronts * ((uint64_t)swaps + !changed);
}

/* Define an operation from the expressions for the new value in shared and in global memory. */
#define ROW(name, width, mem, in_shared, in_global)                                             \
    static inline uint##width##_t shared_next_##name(uint##width##_t was, uint##width##_t x,    \
                                                     uint##width##_t y)                         \
    {                                                                                           \
        const mem old = (mem)was, b = (mem)x, c = (mem)y;                                       \
        (void)old, (void)b, (void)c;                                                            \
        return (uint##width##_t)(in_shared);                                                    \
    }                                                                                           \
    static inline uint##width##_t global_next_##name(uint##width##_t was, uint##width##_t x,    \
                                                     uint##width##_t y)                         \
    {                                                                                           \
        const mem old = (mem)was, b = (mem)x, c = (mem)y;                                       \
        (void)old, (void)b, (void)c;                                                            \
        return (uint##width##_t)(in_global);                                                    \
    }                                                                                           \
    static void shared_lanes_##name(sm_warp *w, const sm_insn *i, uint32_t mask,                \
                                    exec_request_pattern pattern, const exec_host_addresses *r) \
    {                                                                                           \
        const uint64_t before = w->worker->shared_changes;                                      \
        shared_lanes_##width(w, i, mask, pattern, r, shared_next_##name);                       \
        if (waits_by_##name && w->worker->counting)                                             \
            count_shared_polls(w, i, before);                                                   \
    }                                                                                           \
    static void global_lanes_##name(sm_warp *w, const sm_insn *i, uint32_t mask,                \
                                    exec_request_pattern pattern, const exec_host_addresses *r) \
    {                                                                                           \
        const uint64_t before = w->worker->changes;                                             \
        global_lanes_##width(w, i, mask, pattern, r, (exec_host_update)host_update_by_##name,   \
                             global_next_##name);                                               \
        if (waits_by_##name && w->worker->counting)                                             \
            count_global_polls(w, i, mask, before);                                             \
    }                                                                                           \
    DEFINE_HANDLERS(name)
EXEC_UPDATE_ROWS(ROW)
#undef ROW

/* atom.cas and atom.exch of 128 bits (sm_90): two 64-bit words that change together */
#if defined(__x86_64__)
#define WIDE_ATOMIC __attribute__((target("cx16"), noinline))
#else
#define WIDE_ATOMIC
#endif
#if defined(__x86_64__) || defined(__aarch64__)
typedef unsigned __int128 word_128;

static WIDE_ATOMIC word_128 wide_cas(word_128 *p, word_128 old, word_128 next)
{
    return __sync_val_compare_and_swap(p, old, next);
}

static word_128 register_word_128(const sm_warp *w, uint32_t slot, uint32_t l)
{
    word_128 v;
    memcpy(&v, w->r + slot + 16 * l, sizeof v);
    return v;
}

#define DEFINE_WIDE_ATOMIC(name, exchange)                                                      \
    static void global_lanes_##name(sm_warp *w, const sm_insn *i, uint32_t mask,                \
                                    exec_request_pattern pattern, const exec_host_addresses *r) \
    {                                                                                           \
        for (uint32_t m = mask; m; m &= m - 1) {                                                \
            const uint32_t l = (uint32_t)__builtin_ctz(m);                                      \
            word_128 *p = (word_128 *)exec_lane_host_address(pattern, r, l, sizeof(word_128));  \
            const word_128 b = register_word_128(w, i->b, l);                                   \
            word_128 old =                                                                      \
                wide_cas(p, exchange ? 0 : b, exchange ? 0 : register_word_128(w, i->c, l));    \
            for (word_128 seen = old; exchange && (seen = wide_cas(p, old, b)) != old;)         \
                old = seen;                                                                     \
            /* The sanitizer does not learn whether the value changed: polling on 128 bits      \
             * is rare. */                                                                      \
            w->worker->changes++;                                                               \
            memcpy(w->r + i->d + 16 * l, &old, sizeof old);                                     \
        }                                                                                       \
    }                                                                                           \
    static void shared_lanes_##name(sm_warp *w, const sm_insn *i, uint32_t mask,                \
                                    exec_request_pattern pattern, const exec_host_addresses *r) \
    {                                                                                           \
        global_lanes_##name(w, i, mask, pattern, r);                                            \
    }                                                                                           \
    DEFINE_HANDLERS(name)
DEFINE_WIDE_ATOMIC(cas_128, false)
DEFINE_WIDE_ATOMIC(exch_128, true)
#define WIDE_ROWS ROW(cas, b128, cas_128), ROW(exch, b128, exch_128),
#else
#define WIDE_ROWS
#endif

typedef struct atomic_row {
    ptx_mod op;            /* the operation: add, min, cas ... */
    ptx_type type;         /* element type */
    exec_by_space in;      /* handlers by state space */
    exec_lanes_fn element; /* applies the operation to elements of a vector in global memory */
} atomic_row;

#define ROW(op, type, name)                                                                \
    {                                                                                      \
        PTX_MOD_##op, PTX_##type,                                                          \
            {.global = global_##name, .shared = shared_##name, .generic = generic_##name}, \
            global_lanes_##name                                                            \
    }
static const atomic_row atomic_rows[] = {ROW(add, u32, add_32),    ROW(add, s32, add_32),
                                         ROW(add, u64, add_64),    ROW(add, s64, add_64),
                                         ROW(add, f32, add_f32),   ROW(add, f64, add_f64),
                                         ROW(add, f16, add_f16),   ROW(add, f16x2, add_f16x2),
                                         ROW(add, bf16, add_bf16), ROW(add, bf16x2, add_bf16x2),
                                         ROW(and, b32, and_32),    ROW(and, b64, and_64),
                                         ROW(or, b32, or_32),      ROW(or, b64, or_64),
                                         ROW(xor, b32, xor_32),    ROW(xor, b64, xor_64),
                                         ROW(exch, b32, exch_32),  ROW(exch, b64, exch_64),
                                         ROW(cas, b16, cas_16),    ROW(cas, b32, cas_32),
                                         ROW(cas, b64, cas_64),    ROW(inc, u32, inc_32),
                                         ROW(dec, u32, dec_32),    ROW(min, u32, min_u32),
                                         ROW(max, u32, max_u32),   ROW(min, s32, min_s32),
                                         ROW(max, s32, max_s32),   ROW(min, u64, min_u64),
                                         ROW(max, u64, max_u64),   ROW(min, s64, min_s64),
                                         ROW(max, s64, max_s64),   WIDE_ROWS};

/* Operands of a vector atomic in global memory (sm_90): each element is an operation. */
typedef struct vector_atomic {
    exec_lanes_fn element; /* performs the operation on one element in all lanes */
    const uint32_t *d, *b; /* window slots of the elements of d and b; d NULL: no result */
    uint32_t bytes;        /* bytes per element */
} vector_atomic;

static void run_vector_elements(sm_warp *w, const sm_insn *i, uint32_t mask,
                                exec_request_pattern pattern, const exec_host_addresses *r)
{
    const vector_atomic *v = i->extra;
    exec_host_addresses at;
    EXEC_EACH_LANE(mask)
        at.at[l] = (uintptr_t)exec_lane_host_address(pattern, r, l, v->bytes * i->vec);
    for (uint32_t e = 0; e < i->vec; e++) {
        sm_insn one = *i;
        one.d = v->d ? v->d[e] : 0;
        one.b = v->b[e];
        v->element(w, &one, mask, EXEC_PATTERN_EACH_LANE, &at);
        for (uint32_t m = mask; m; m &= m - 1)
            at.at[__builtin_ctz(m)] += v->bytes;
    }
}

static const sm_insn *run_global_vector_atomic(sm_warp *w, const sm_insn *i)
{
    return EXEC_FOR_ISA(exec_run_space)(w, i, PTX_SPACE_GLOBAL, EXEC_ATOM, run_vector_elements);
}

static const sm_insn *run_generic_vector_atomic(sm_warp *w, const sm_insn *i)
{
    return EXEC_FOR_ISA(exec_run_generic)(w, i, EXEC_ATOM, run_vector_elements,
                                          run_vector_elements);
}

static sm_fn select_vector_atomic(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                  unsigned at, const atomic_row *row)
{
    vector_atomic *v = compile_alloc_with_code(t, sizeof *v);
    const bool narrow = ptx_type_bytes(in->type[0]) <= 4;
    if (!v || !narrow || row->op == PTX_MOD_cas || in->opd[at + 1].count != in->vec ||
        (at && in->opd[0].count != in->vec))
        return NULL;
    *v = (vector_atomic){row->element, at ? compile_slots_of_vector(t, &in->opd[0], 4) : NULL,
                         compile_slots_of_vector(t, &in->opd[at + 1], 4),
                         ptx_type_bytes(in->type[0])};
    out->extra = v;
    return in->space == PTX_SPACE_GLOBAL ? run_global_vector_atomic
           : in->space == PTX_SPACE_NONE ? run_generic_vector_atomic
                                         : NULL;
}

EXEC_SELECT(atom)
{
    /* number of the address operand: `red` has no destination operand */
    const unsigned at = in->op == PTX_OP_red ? 0 : 1;
    if (in->operand_count < at + 2 || in->type_count < 1)
        return NULL;
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    if (!EXEC_FOR_ISA(exec_set_access)(t, in, &in->opd[at], bytes, out))
        return NULL;
    const uint32_t lane = bytes < 4 ? 4 : bytes;
    for (unsigned k = at + 1; k < in->operand_count && k < at + 3; k++) {
        const ptx_value *v = in->opd[k].count ? &in->opd[k].v[0] : NULL;
        if (!v || (v->kind == PTX_VAL_REG && compile_register_bytes(t, v) != lane))
            return NULL;
        *(k == at + 1 ? &out->b : &out->c) = compile_slot_of_value(t, v, lane);
    }
    if (at == 1 && in->opd[0].v[0].kind == PTX_VAL_REG &&
        compile_register_bytes(t, &in->opd[0].v[0]) != lane)
        return NULL;
    for (size_t k = 0; k < sizeof atomic_rows / sizeof atomic_rows[0]; k++) {
        const atomic_row *row = &atomic_rows[k];
        if (row->type != in->type[0] || !ptx_has_modifier(in, row->op))
            continue;
        return in->vec > 1 ? select_vector_atomic(t, in, out, at, row)
                           : EXEC_FOR_ISA(exec_pick_space)(&row->in, in->space);
    }
    return NULL;
}
