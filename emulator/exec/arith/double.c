/* Double precision, rounded to nearest (PTX ISA 9.7.3). */
#include "double.h"
#include "float.h"

#define DEFINE_ARITHMETIC(op, expression)                                               \
    EXEC_FN2(op##_nearest, double, double, double, exec_fix_nan2(expression, a, b))     \
    EXEC_SELECTOR(op##_round64);                                                        \
    EXEC_SELECT(op##_f64)                                                               \
    {                                                                                   \
        if (ptx_has_modifier(in, PTX_MOD_sat) || ptx_has_modifier(in, PTX_MOD_ftz)) {   \
            return NULL;                                                                \
        }                                                                               \
        return exec_is_directed(in) ? EXEC_FOR_ISA(exec_sel_##op##_round64)(t, in, out) \
                                    : op##_nearest;                                     \
    }

DEFINE_ARITHMETIC(add, a + b)
DEFINE_ARITHMETIC(sub, a - b)
DEFINE_ARITHMETIC(mul, a *b)

EXEC_FN3(fma_nearest, double, double, double, double,
         exec_fix_nan3(__builtin_fma(a, b, c), a, b, c))

EXEC_FN3(fma_less, double, double, double, double, exec_fix_nan3(__builtin_fma(-a, b, c), a, b, c))
EXEC_FN3(fma_minus, double, double, double, double, exec_fix_nan3(__builtin_fma(a, b, -c), a, b, c))
EXEC_FN3(fma_both, double, double, double, double, exec_fix_nan3(__builtin_fma(-a, b, -c), a, b, c))

EXEC_SELECTOR(fma_round64);

EXEC_SELECT(fma_f64)
{
    if (ptx_has_modifier(in, PTX_MOD_sat) || ptx_has_modifier(in, PTX_MOD_ftz))
        return NULL;
    if (exec_is_directed(in))
        return EXEC_FOR_ISA(exec_sel_fma_round64)(t, in, out);
    if (exec_is_negated(in, 1))
        return exec_is_negated(in, 3) ? fma_both : fma_less;
    return exec_is_negated(in, 3) ? fma_minus : fma_nearest;
}

EXEC_SELECT(mad_f64)
{
    return EXEC_FOR_ISA(exec_sel_fma_f64)(t, in, out);
}

/* CHANGED, which is A with another sign; but A itself, made quiet, if A is a NaN. */
static inline uint64_t changed_unless_nan(uint64_t a, uint64_t changed)
{
    return (a & UINT64_MAX >> 1) > UINT64_C(0x7ff0000000000000) ? a | EXEC_QUIET_F64 : changed;
}

EXEC_FN1(abs_bits, uint64_t, uint64_t, changed_unless_nan(a, a & ~(UINT64_C(1) << 63)))
EXEC_FN1(neg_bits, uint64_t, uint64_t, changed_unless_nan(a, a ^ UINT64_C(1) << 63))

EXEC_SELECT(abs_f64)
{
    return ptx_has_modifier(in, PTX_MOD_ftz) ? NULL : abs_bits;
}

EXEC_SELECT(neg_f64)
{
    return ptx_has_modifier(in, PTX_MOD_ftz) ? NULL : neg_bits;
}

EXEC_EXTREMES(double, exec_bits64, exec_f64, exec_fix_nan2(r, a, b))

EXEC_FN2(min_plain, double, double, double, lesser(a, b))
EXEC_FN2(max_plain, double, double, double, greater(a, b))

/* Is IN free of modifiers and of a third source operand? f64 allows neither. */
static bool is_plain_f64(const ptx_insn *in)
{
    return in->operand_count == 3 && !ptx_has_modifier(in, PTX_MOD_nan) &&
           !ptx_has_modifier(in, PTX_MOD_xorsign) && !ptx_has_modifier(in, PTX_MOD_ftz);
}

EXEC_SELECT(min_f64)
{
    return is_plain_f64(in) ? min_plain : NULL;
}

EXEC_SELECT(max_f64)
{
    return is_plain_f64(in) ? max_plain : NULL;
}
