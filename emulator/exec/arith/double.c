/* Double precision, rounded to nearest (PTX ISA 9.7.3). */
#include "double.h"
#include "float.h"

#define DEFINE_ARITHMETIC(op, expression)                                                         \
    SM_FN2(op##_nearest, double, double, double, sm_fix_nan2(expression, a, b))                   \
    SM_SELECTOR(op##_round64);                                                                    \
    SM_SELECT(op##_f64)                                                                           \
    {                                                                                             \
        if (ptx_has_modifier(in, PTX_MOD_sat) || ptx_has_modifier(in, PTX_MOD_ftz)) {             \
            return NULL;                                                                          \
        }                                                                                         \
        return sm_is_directed(in) ? SM_FOR_ISA(sm_sel_##op##_round64)(t, in, out) : op##_nearest; \
    }

DEFINE_ARITHMETIC(add, a + b)
DEFINE_ARITHMETIC(sub, a - b)
DEFINE_ARITHMETIC(mul, a *b)

SM_FN3(fma_nearest, double, double, double, double, sm_fix_nan3(__builtin_fma(a, b, c), a, b, c))

SM_FN3(fma_less, double, double, double, double, sm_fix_nan3(__builtin_fma(-a, b, c), a, b, c))
SM_FN3(fma_minus, double, double, double, double, sm_fix_nan3(__builtin_fma(a, b, -c), a, b, c))
SM_FN3(fma_both, double, double, double, double, sm_fix_nan3(__builtin_fma(-a, b, -c), a, b, c))

SM_SELECTOR(fma_round64);

SM_SELECT(fma_f64)
{
    if (ptx_has_modifier(in, PTX_MOD_sat) || ptx_has_modifier(in, PTX_MOD_ftz)) {
        return NULL;
    }
    if (sm_is_directed(in)) {
        return SM_FOR_ISA(sm_sel_fma_round64)(t, in, out);
    }
    if (sm_is_negated(in, 1)) {
        return sm_is_negated(in, 3) ? fma_both : fma_less;
    }
    return sm_is_negated(in, 3) ? fma_minus : fma_nearest;
}

SM_SELECT(mad_f64)
{
    return SM_FOR_ISA(sm_sel_fma_f64)(t, in, out);
}

/* CHANGED, which is A with another sign; but A itself, made quiet, if A is a NaN. */
static inline uint64_t changed_unless_nan(uint64_t a, uint64_t changed)
{
    return (a & UINT64_MAX >> 1) > UINT64_C(0x7ff0000000000000) ? a | SM_QUIET_F64 : changed;
}

SM_FN1(abs_bits, uint64_t, uint64_t, changed_unless_nan(a, a & ~(UINT64_C(1) << 63)))
SM_FN1(neg_bits, uint64_t, uint64_t, changed_unless_nan(a, a ^ UINT64_C(1) << 63))

SM_SELECT(abs_f64)
{
    (void)t;
    (void)out;
    return ptx_has_modifier(in, PTX_MOD_ftz) ? NULL : abs_bits;
}

SM_SELECT(neg_f64)
{
    (void)t;
    (void)out;
    return ptx_has_modifier(in, PTX_MOD_ftz) ? NULL : neg_bits;
}

SM_EXTREMES(double, sm_bits64, sm_f64, sm_fix_nan2(r, a, b))

SM_FN2(min_plain, double, double, double, lesser(a, b))
SM_FN2(max_plain, double, double, double, greater(a, b))

/* Is IN free of modifiers and of a third source operand? f64 allows neither. */
static bool is_plain_f64(const ptx_insn *in)
{
    return in->operand_count == 3 && !ptx_has_modifier(in, PTX_MOD_nan) &&
           !ptx_has_modifier(in, PTX_MOD_xorsign) && !ptx_has_modifier(in, PTX_MOD_ftz);
}

SM_SELECT(min_f64)
{
    (void)t;
    (void)out;
    return is_plain_f64(in) ? min_plain : NULL;
}

SM_SELECT(max_f64)
{
    (void)t;
    (void)out;
    return is_plain_f64(in) ? max_plain : NULL;
}
