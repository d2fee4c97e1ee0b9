/* Extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc (PTX ISA 9.7.2). The carry flags
 * CC.CF of a warp are one mask. A subtraction is computed as a + ~b + 1, as in hardware: the flag
 * is the carry of this sum, so it is set if there was no borrow, and addc after sub.cc adds it. */
#include "../lanes.h"

/* Properties of an instruction: bits of i->mode. */
enum {
    SETS_CARRY = 1,     /* it writes the carry flag (.cc) */
    USES_CARRY = 2,     /* it adds the carry flag (addc, subc, madc) */
    SUBTRACT = 4,       /* it subtracts */
    HIGH_PRODUCT = 8,   /* it uses the upper half of the product (.hi) */
    SIGNED_PRODUCT = 16 /* the factors are signed */
};

typedef unsigned __int128 u128;
typedef __int128 s128;

static inline void set_carry_flag(sm_warp *w, uint32_t l, bool carry)
{
    w->carry = (w->carry & ~exec_lane_bit[l]) | (carry ? exec_lane_bit[l] : 0);
}

#define DEFINE_SUM(bits)                                                                       \
    static uint##bits##_t sum_##bits(sm_warp *w, uint32_t l, unsigned mode, uint##bits##_t a,  \
                                     uint##bits##_t b)                                         \
    {                                                                                          \
        const uint##bits##_t in = mode & USES_CARRY ? w->carry >> l & 1 : !!(mode & SUBTRACT); \
        const uint##bits##_t addend = mode & SUBTRACT ? ~b : b;                                \
        uint##bits##_t half, r;                                                                \
        bool out = __builtin_add_overflow(a, addend, &half);                                   \
        out |= __builtin_add_overflow(half, in, &r);                                           \
        if (mode & SETS_CARRY)                                                                 \
            set_carry_flag(w, l, out);                                                         \
        return r;                                                                              \
    }                                                                                          \
    EXEC_EACH2(add_##bits, uint##bits##_t, uint##bits##_t, uint##bits##_t,                     \
               sum_##bits(w, l, i->mode, a, b))                                                \
    EXEC_EACH3(mad_##bits, uint##bits##_t, uint##bits##_t, uint##bits##_t, uint##bits##_t,     \
               sum_##bits(w, l, i->mode, product_##bits(a, b, i->mode), c))

static uint32_t product_32(uint32_t a, uint32_t b, unsigned mode)
{
    const uint64_t p =
        mode & SIGNED_PRODUCT ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    return (uint32_t)(mode & HIGH_PRODUCT ? p >> 32 : p);
}

static uint64_t product_64(uint64_t a, uint64_t b, unsigned mode)
{
    const u128 p = mode & SIGNED_PRODUCT ? (u128)((s128)(int64_t)a * (int64_t)b) : (u128)a * b;
    return (uint64_t)(mode & HIGH_PRODUCT ? p >> 64 : p);
}

DEFINE_SUM(32)
DEFINE_SUM(64)

static sm_fn prepare_carry_op(const ptx_insn *in, sm_insn *out, unsigned mode, sm_fn narrow,
                              sm_fn wide)
{
    const ptx_type type = in->type[0];
    mode |= ptx_has_modifier(in, PTX_MOD_cc) ? SETS_CARRY : 0;
    mode |= ptx_has_modifier(in, PTX_MOD_hi) ? HIGH_PRODUCT : 0;
    mode |= type == PTX_s32 || type == PTX_s64 ? SIGNED_PRODUCT : 0;
    out->mode = (uint16_t)mode;
    return exec_handler_by_int_type(type, NULL, NULL, narrow, narrow, wide, wide);
}

#define SELECT_CARRY_OP(name, mode, kind)                             \
    EXEC_SELECT(name)                                                 \
    {                                                                 \
        return prepare_carry_op(in, out, mode, kind##_32, kind##_64); \
    }

SELECT_CARRY_OP(add_cc, 0, add)
SELECT_CARRY_OP(sub_cc, SUBTRACT, add)
SELECT_CARRY_OP(mad_cc, 0, mad)
SELECT_CARRY_OP(addc, USES_CARRY, add)
SELECT_CARRY_OP(subc, USES_CARRY | SUBTRACT, add)
SELECT_CARRY_OP(madc, USES_CARRY, mad)
