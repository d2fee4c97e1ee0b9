/* The new values that atomics and reductions compute. Used by atomic.c for lanes and by
 * exec/async/bulk.c for copies. */
#ifndef WARPBOOK_EXEC_UPDATE_H
#define WARPBOOK_EXEC_UPDATE_H

#include "../arith/half.h"

/* Atomic f32 addition: in global memory subnormals are flushed to zero, in shared memory they
 * are kept. A NaN result is the canonical NaN. */
static inline uint32_t sum_f32(uint32_t a, uint32_t b)
{
    const float x = exec_f32(a) + exec_f32(b);
    return x != x ? EXEC_NAN_F32 : exec_bits32(x);
}

static inline uint32_t flush_f32(uint32_t a)
{
    return (a & 0x7f800000) == 0 ? a & 0x80000000 : a;
}

static inline uint32_t sum_f32_ftz(uint32_t a, uint32_t b)
{
    return flush_f32(sum_f32(flush_f32(a), flush_f32(b)));
}

static inline uint64_t sum_f64(uint64_t a, uint64_t b)
{
    return exec_bits64(exec_f64(a) + exec_f64(b));
}

/* Atomic f64 addition in global memory: a NaN in memory is kept unchanged. */
static inline uint64_t sum_f64_keeping_nan(uint64_t a, uint64_t b)
{
    return exec_f64(a) == exec_f64(a) ? sum_f64(a, b) : a;
}

/* Rounding the sum to f32 and then to f16 equals a single rounding, because f32 has at least twice
 * the 11 significant bits of f16 plus two. */
static inline uint16_t sum_f16(uint16_t a, uint16_t b)
{
    return (uint16_t)exec_to_f16(exec_from_f16(a) + exec_from_f16(b));
}

static inline uint16_t sum_bf16(uint16_t a, uint16_t b)
{
    return (uint16_t)exec_to_bf16(exec_from_bf16(a) + exec_from_bf16(b));
}

static inline uint32_t sum_f16x2(uint32_t a, uint32_t b)
{
    return sum_f16((uint16_t)a, (uint16_t)b) |
           (uint32_t)sum_f16((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

static inline uint32_t sum_bf16x2(uint32_t a, uint32_t b)
{
    return sum_bf16((uint16_t)a, (uint16_t)b) |
           (uint32_t)sum_bf16((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

/* Name, bits in memory, operand type, the new value in shared and in global memory by old, b and c.
 * First those that a thread may wait with: by an addition of 0, or a compare and swap that fails,
 * it only looks. Minima, maxima and sums of floats are work, even where they change nothing. The
 * host has an atomic operation for sums of integers and for exchanges; all others compare and swap.
 */
#define EXEC_SUM_ROWS(ROW)                      \
    ROW(add_32, 32, uint32_t, old + b, old + b) \
    ROW(add_64, 64, uint64_t, old + b, old + b)
#define EXEC_EXCHANGE_ROWS(ROW)      \
    ROW(exch_32, 32, uint32_t, b, b) \
    ROW(exch_64, 64, uint64_t, b, b)
#define EXEC_SWAPPED_WAITING_ROWS(ROW)                                        \
    ROW(and_32, 32, uint32_t, old &b, old &b)                                 \
    ROW(and_64, 64, uint64_t, old &b, old &b)                                 \
    ROW(or_32, 32, uint32_t, old | b, old | b)                                \
    ROW(or_64, 64, uint64_t, old | b, old | b)                                \
    ROW(xor_32, 32, uint32_t, old ^ b, old ^ b)                               \
    ROW(xor_64, 64, uint64_t, old ^ b, old ^ b)                               \
    ROW(cas_16, 16, uint16_t, old == b ? c : old, old == b ? c : old)         \
    ROW(cas_32, 32, uint32_t, old == b ? c : old, old == b ? c : old)         \
    ROW(cas_64, 64, uint64_t, old == b ? c : old, old == b ? c : old)         \
    ROW(inc_32, 32, uint32_t, old >= b ? 0 : old + 1, old >= b ? 0 : old + 1) \
    ROW(dec_32, 32, uint32_t, old == 0 || old > b ? b : old - 1, old == 0 || old > b ? b : old - 1)
#define EXEC_WAITING_ROWS(ROW) \
    EXEC_SUM_ROWS(ROW) EXEC_EXCHANGE_ROWS(ROW) EXEC_SWAPPED_WAITING_ROWS(ROW)
#define EXEC_WORKING_ROWS(ROW)                                               \
    ROW(add_f32, 32, uint32_t, sum_f32(old, b), sum_f32_ftz(old, b))         \
    ROW(add_f64, 64, uint64_t, sum_f64(old, b), sum_f64_keeping_nan(old, b)) \
    ROW(add_f16, 16, uint16_t, sum_f16(old, b), sum_f16(old, b))             \
    ROW(add_bf16, 16, uint16_t, sum_bf16(old, b), sum_bf16(old, b))          \
    ROW(add_f16x2, 32, uint32_t, sum_f16x2(old, b), sum_f16x2(old, b))       \
    ROW(add_bf16x2, 32, uint32_t, sum_bf16x2(old, b), sum_bf16x2(old, b))    \
    ROW(min_u32, 32, uint32_t, b < old ? b : old, b < old ? b : old)         \
    ROW(max_u32, 32, uint32_t, b > old ? b : old, b > old ? b : old)         \
    ROW(min_s32, 32, int32_t, b < old ? b : old, b < old ? b : old)          \
    ROW(max_s32, 32, int32_t, b > old ? b : old, b > old ? b : old)          \
    ROW(min_u64, 64, uint64_t, b < old ? b : old, b < old ? b : old)         \
    ROW(max_u64, 64, uint64_t, b > old ? b : old, b > old ? b : old)         \
    ROW(min_s64, 64, int64_t, b < old ? b : old, b < old ? b : old)          \
    ROW(max_s64, 64, int64_t, b > old ? b : old, b > old ? b : old)
#define EXEC_UPDATE_ROWS(ROW) EXEC_WAITING_ROWS(ROW) EXEC_WORKING_ROWS(ROW)

#endif
