/* Integer arithmetic on 64 bits (PTX ISA 9.7.1). */
#include "../lanes.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

static inline uint64_t high_product_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((u128)a * b >> 64);
}

static inline uint64_t high_product_s64(int64_t a, int64_t b)
{
    return (uint64_t)((s128)a * b >> 64);
}

EXEC_FN2(add_64, uint64_t, uint64_t, uint64_t, a + b)
EXEC_FN2(sub_64, uint64_t, uint64_t, uint64_t, a - b)
EXEC_FN2(mul_lo_64, uint64_t, uint64_t, uint64_t, a *b)
EXEC_EACH2(mul_hi_u64, uint64_t, uint64_t, uint64_t, high_product_u64(a, b))
EXEC_EACH2(mul_hi_s64, uint64_t, int64_t, int64_t, high_product_s64(a, b))
EXEC_FN3(mad_lo_64, uint64_t, uint64_t, uint64_t, uint64_t, a *b + c)
EXEC_EACH3(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, high_product_u64(a, b) + c)
EXEC_EACH3(mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, high_product_s64(a, b) + c)
EXEC_FN3(sad_u64, uint64_t, uint64_t, uint64_t, uint64_t, c + (a < b ? b - a : a - b))
EXEC_FN3(sad_s64, uint64_t, uint64_t, uint64_t, uint64_t,
         c + ((int64_t)a < (int64_t)b ? b - a : a - b))

/* Division by zero returns all ones as quotient and as remainder. Of the smallest integer
 * divided by -1, the quotient is that integer itself. */
static inline int64_t div_s(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t rem_s(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

EXEC_EACH2(div_u64, uint64_t, uint64_t, uint64_t, b ? a / b : UINT64_MAX)
EXEC_EACH2(div_s64, int64_t, int64_t, int64_t, div_s(a, b))
EXEC_EACH2(rem_u64, uint64_t, uint64_t, uint64_t, b ? a % b : UINT64_MAX)
EXEC_EACH2(rem_s64, int64_t, int64_t, int64_t, rem_s(a, b))

EXEC_FN1(abs_s64, uint64_t, uint64_t, (int64_t)a < 0 ? 0 - a : a)
EXEC_FN1(neg_s64, uint64_t, uint64_t, 0 - a)
EXEC_FN2(min_u64, uint64_t, uint64_t, uint64_t, a < b ? a : b)
EXEC_FN2(min_s64, int64_t, int64_t, int64_t, a < b ? a : b)
EXEC_FN2(max_u64, uint64_t, uint64_t, uint64_t, a > b ? a : b)
EXEC_FN2(max_s64, int64_t, int64_t, int64_t, a > b ? a : b)

EXEC_SELECTOR(add_cc);
EXEC_SELECTOR(sub_cc);
EXEC_SELECTOR(mad_cc);

EXEC_SELECT(add_wide)
{
    return ptx_has_modifier(in, PTX_MOD_cc)    ? EXEC_FOR_ISA(exec_sel_add_cc)(t, in, out)
           : ptx_has_modifier(in, PTX_MOD_sat) ? NULL
                                               : add_64;
}

EXEC_SELECT(sub_wide)
{
    return ptx_has_modifier(in, PTX_MOD_cc)    ? EXEC_FOR_ISA(exec_sel_sub_cc)(t, in, out)
           : ptx_has_modifier(in, PTX_MOD_sat) ? NULL
                                               : sub_64;
}

/* Select the signed or the unsigned 64-bit handler of an instruction. */
#define SELECT_BY_SIGN(name)                                     \
    EXEC_SELECT(name##_wide)                                     \
    {                                                            \
        if (in->operand_count > 3 && in->op != PTX_OP_sad) {     \
            return NULL;                                         \
        }                                                        \
        return in->type[0] == PTX_s64 ? name##_s64 : name##_u64; \
    }

SELECT_BY_SIGN(sad)
SELECT_BY_SIGN(div)
SELECT_BY_SIGN(rem)
SELECT_BY_SIGN(min)
SELECT_BY_SIGN(max)

EXEC_SELECT(mul_wide)
{
    if (ptx_has_modifier(in, PTX_MOD_wide))
        return NULL;
    if (ptx_has_modifier(in, PTX_MOD_hi))
        return in->type[0] == PTX_s64 ? mul_hi_s64 : mul_hi_u64;
    return mul_lo_64;
}

EXEC_SELECT(mad_wide)
{
    if (ptx_has_modifier(in, PTX_MOD_cc))
        return EXEC_FOR_ISA(exec_sel_mad_cc)(t, in, out);
    if (ptx_has_modifier(in, PTX_MOD_wide) || ptx_has_modifier(in, PTX_MOD_sat))
        return NULL;
    if (ptx_has_modifier(in, PTX_MOD_hi))
        return in->type[0] == PTX_s64 ? mad_hi_s64 : mad_hi_u64;
    return mad_lo_64;
}

EXEC_SELECT(abs_wide)
{
    return in->type[0] == PTX_s64 ? abs_s64 : NULL;
}

EXEC_SELECT(neg_wide)
{
    return in->type[0] == PTX_s64 ? neg_s64 : NULL;
}
