/* Bit fields and counts, and byte-wise dot products (PTX ISA 9.7.1.14 to 9.7.1.24). */
#include "../lanes.h"

/* --- counts ------------------------------------------------------------------------------------*/
static inline uint32_t popc32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

static inline uint32_t brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

static inline uint64_t brev64(uint64_t x)
{
    return (uint64_t)brev32((uint32_t)x) << 32 | brev32((uint32_t)(x >> 32));
}

static inline uint32_t clz32(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}

static inline uint32_t clz64(uint64_t x)
{
    return x ? (uint32_t)__builtin_clzll(x) : 64;
}

EXEC_FN1(popc_b32, uint32_t, uint32_t, popc32(a))
EXEC_FN1(popc_b64, uint32_t, uint64_t, popc32((uint32_t)a) + popc32((uint32_t)(a >> 32)))
EXEC_FN1(brev_b32, uint32_t, uint32_t, brev32(a))
EXEC_FN1(brev_b64, uint64_t, uint64_t, brev64(a))
EXEC_EACH1(clz_b32, uint32_t, uint32_t, clz32(a))
EXEC_EACH1(clz_b64, uint32_t, uint64_t, clz64(a))

#define SELECT_BY_WIDTH(op)                                                                       \
    EXEC_SELECT(op)                                                                               \
    {                                                                                             \
        return exec_handler_by_int_type(in->type[0], NULL, NULL, op##_b32, NULL, op##_b64, NULL); \
    }

SELECT_BY_WIDTH(popc)
SELECT_BY_WIDTH(brev)
SELECT_BY_WIDTH(clz)

/* bfind: position of the highest bit that differs from the sign bit, or with SHIFTAMT the left
 * shift that moves it to the top; all ones if there is no such bit. */
static inline uint32_t bfind(uint64_t x, bool shiftamt, uint32_t width)
{
    if (x == 0)
        return UINT32_MAX;
    const uint32_t at = 63 - clz64(x);
    return shiftamt ? width - 1 - at : at;
}

EXEC_EACH1(bfind_u32, uint32_t, uint32_t, bfind(a, i->mode, 32))
EXEC_EACH1(bfind_u64, uint32_t, uint64_t, bfind(a, i->mode, 64))
EXEC_EACH1(bfind_s32, uint32_t, int32_t, bfind((uint32_t)(a < 0 ? ~a : a), i->mode, 32))
EXEC_EACH1(bfind_s64, uint32_t, int64_t, bfind((uint64_t)(a < 0 ? ~a : a), i->mode, 64))

EXEC_SELECT(bfind)
{
    out->mode = ptx_has_modifier(in, PTX_MOD_shiftamt);
    return exec_handler_by_int_type(in->type[0], NULL, NULL, bfind_u32, bfind_s32, bfind_u64,
                                    bfind_s64);
}

/* fns: position of the OFFSET-th set bit of MASK, counted upwards from BASE (downwards if OFFSET
 * is negative); OFFSET 0 tests bit BASE itself. */
static uint32_t fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    const int step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? offset : -(int64_t)offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

EXEC_EACH3(fns_b32, uint32_t, uint32_t, uint32_t, int32_t, fns(a, b, c))

EXEC_SELECT(fns)
{
    return fns_b32;
}

/* --- fields ------------------------------------------------------------------------------------*/
/* Extract LENGTH bits of A from POSITION on; for 32-bit A only the low bytes of both count. Bits
 * above A are copies of its sign (zeros if unsigned); the result is extended from its top bit. */
static uint64_t bfe(uint64_t a, uint32_t position, uint32_t length, uint32_t width, bool sign)
{
    if (width == 32) {
        position &= 0xff;
        length &= 0xff;
    }
    if (length == 0)
        return 0;
    const uint64_t top_bit = a >> (width - 1) & 1;
    if (position >= width)
        return sign && top_bit ? UINT64_MAX : 0;
    const bool past_end = length >= width - position;
    const uint64_t field = a >> position;
    const uint64_t ones =
        past_end ? UINT64_MAX >> (64 - (width - position)) : (UINT64_C(1) << length) - 1;
    const uint64_t fill = sign && (past_end ? top_bit : field >> (length - 1) & 1);
    return (field & ones) | (fill ? ~ones : 0);
}

static uint64_t bfi(uint64_t a, uint64_t b, uint32_t position, uint32_t length, uint32_t width)
{
    if (width == 32) {
        position &= 0xff;
        length &= 0xff;
    }
    if (position >= width || length == 0)
        return b;
    const uint64_t ones = (length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1) << position;
    return (a << position & ones) | (b & ~ones);
}

EXEC_EACH3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, bfe(a, b, c, 32, false))
EXEC_EACH3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, bfe(a, b, c, 32, true))
EXEC_EACH3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, bfe(a, b, c, 64, false))
EXEC_EACH3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, bfe(a, b, c, 64, true))

EXEC_SELECT(bfe)
{
    out->b = exec_operand_slot(t, in, 2, 4, out->b);
    out->c = exec_operand_slot(t, in, 3, 4, out->c);
    return exec_handler_by_int_type(in->type[0], NULL, NULL, bfe_u32, bfe_s32, bfe_u64, bfe_s64);
}

EXEC_EACH3(bfi_b32, uint32_t, uint32_t, uint32_t, uint32_t,
           bfi(a, b, c, SM_R(uint32_t, w, i->e)[l], 32))
EXEC_EACH3(bfi_b64, uint64_t, uint64_t, uint64_t, uint32_t,
           bfi(a, b, c, SM_R(uint32_t, w, i->e)[l], 64))

EXEC_SELECT(bfi)
{
    out->c = exec_operand_slot(t, in, 3, 4, out->c);
    out->e = exec_operand_slot(t, in, 4, 4, out->e);
    return exec_handler_by_int_type(in->type[0], NULL, NULL, bfi_b32, NULL, bfi_b64, NULL);
}

/* szext: the low LENGTH bits of A, sign- or zero-extended. */
static uint32_t szext(uint32_t a, uint32_t length, bool wrap, bool sign)
{
    length = wrap ? length & 31 : length;
    if (length >= 32)
        return a;
    if (length == 0)
        return 0;
    const unsigned spare = 32 - length;
    return sign ? (uint32_t)((int32_t)(a << spare) >> spare) : a << spare >> spare;
}

EXEC_EACH2(szext_u32, uint32_t, uint32_t, uint32_t, szext(a, b, i->mode, false))
EXEC_EACH2(szext_s32, uint32_t, uint32_t, uint32_t, szext(a, b, i->mode, true))

EXEC_SELECT(szext)
{
    out->mode = ptx_has_modifier(in, PTX_MOD_wrap);
    return in->type[0] == PTX_s32 ? szext_s32 : szext_u32;
}

/* bmsk: a mask of LENGTH ones that starts at bit POSITION. */
static uint32_t bmsk(uint32_t position, uint32_t length, bool wrap)
{
    if (wrap) {
        position &= 31;
        length &= 31;
    } else {
        position = position < 32 ? position : 32;
        length = length < 32 ? length : 32;
    }
    return (uint32_t)(((UINT64_C(1) << length) - 1) << position);
}

EXEC_EACH2(bmsk_b32, uint32_t, uint32_t, uint32_t, bmsk(a, b, i->mode))

EXEC_SELECT(bmsk)
{
    out->mode = ptx_has_modifier(in, PTX_MOD_wrap);
    return bmsk_b32;
}

/* --- dot products ------------------------------------------------------------------------------*/
/* Bits of i->mode for dp4a and dp2a: a or b has signed elements; dp2a uses the upper half of b. */
enum { SIGNED_A = 1, SIGNED_B = 2, UPPER_HALF_OF_B = 4 };

static inline int32_t byte_at(uint32_t x, unsigned k, bool sign)
{
    return sign ? (int8_t)(x >> (8 * k)) : (uint8_t)(x >> (8 * k));
}

static inline int32_t half_at(uint32_t x, unsigned k, bool sign)
{
    return sign ? (int16_t)(x >> (16 * k)) : (uint16_t)(x >> (16 * k));
}

static uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    for (unsigned k = 0; k < 4; k++)
        c += (uint32_t)(byte_at(a, k, mode & SIGNED_A) * byte_at(b, k, mode & SIGNED_B));
    return c;
}

static uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    const unsigned first = mode & UPPER_HALF_OF_B ? 2 : 0;
    for (unsigned k = 0; k < 2; k++)
        c += (uint32_t)(half_at(a, k, mode & SIGNED_A) * byte_at(b, first + k, mode & SIGNED_B));
    return c;
}

EXEC_EACH3(dp4a_32, uint32_t, uint32_t, uint32_t, uint32_t, dp4a(a, b, c, i->mode))
EXEC_EACH3(dp2a_32, uint32_t, uint32_t, uint32_t, uint32_t, dp2a(a, b, c, i->mode))

static uint16_t dot_product_mode(const ptx_insn *in)
{
    return (in->type[0] == PTX_s32 ? SIGNED_A : 0) | (in->type[1] == PTX_s32 ? SIGNED_B : 0) |
           (ptx_has_modifier(in, PTX_MOD_hi) ? UPPER_HALF_OF_B : 0);
}

EXEC_SELECT(dp4a)
{
    out->mode = dot_product_mode(in);
    return in->type_count == 2 ? dp4a_32 : NULL;
}

EXEC_SELECT(dp2a)
{
    out->mode = dot_product_mode(in);
    return in->type_count == 2 ? dp2a_32 : NULL;
}
