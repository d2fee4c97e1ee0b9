/* Directed rounding, and IEEE 754 division, reciprocal and square root in every rounding mode
 * (PTX ISA 9.7.3). The host's rounding mode is changed around the loop over lanes. The loop
 * reads and writes memory between two calls that the compiler cannot see into, so the compiler
 * moves no computation out of the loop. */
#include "double.h"
#include "float.h"

#include <fenv.h>

enum { FTZ = 1, SAT = 2 }; /* bits of i->mode: modifiers .ftz and .sat */

/* Set i->imm to the host's rounding mode, and i->mode to FTZ and SAT. */
static void set_rounding_mode(const ptx_insn *in, sm_insn *out)
{
    out->imm = (uint64_t)(ptx_has_modifier(in, PTX_MOD_rz)   ? FE_TOWARDZERO
                          : ptx_has_modifier(in, PTX_MOD_rm) ? FE_DOWNWARD
                          : ptx_has_modifier(in, PTX_MOD_rp) ? FE_UPWARD
                                                             : FE_TONEAREST);
    out->mode = (ptx_has_modifier(in, PTX_MOD_ftz) ? FTZ : 0) |
                (ptx_has_modifier(in, PTX_MOD_sat) ? SAT : 0);
}

static inline float flush_input(float x, bool ftz)
{
    return ftz ? exec_flush_subnormal(x) : x;
}

static inline float apply_ftz_and_sat(float x, bool ftz, bool sat)
{
    x = ftz ? exec_flush_subnormal(x) : x;
    return sat ? exec_saturate(x) : exec_canonical_nan(x);
}

#define DEFINE_ROUNDED_32(name, operands, expression)                                             \
    EXEC_FN(name)                                                                                 \
    {                                                                                             \
        const float *pa = SM_R(float, w, i->a), *pb = SM_R(float, w, operands > 1 ? i->b : i->a); \
        const float *pc = SM_R(float, w, operands > 2 ? i->c : i->a);                             \
        const bool ftz = i->mode & FTZ, sat = i->mode & SAT;                                      \
        fesetround((int)i->imm);                                                                  \
        EXEC_LANES_DO(w, float, SM_R(float, w, i->d), ({                                          \
                          const float a = flush_input(pa[l], ftz), b = flush_input(pb[l], ftz);   \
                          const float c = flush_input(pc[l], ftz);                                \
                          (void)b;                                                                \
                          (void)c;                                                                \
                          apply_ftz_and_sat(expression, ftz, sat);                                \
                      }));                                                                        \
        fesetround(FE_TONEAREST);                                                                 \
        return i + 1;                                                                             \
    }

/* Variants with .ftz: whether a result is flushed cannot be seen from the rounded result alone. */
#define DEFINE_FLUSHED_32(name, operand_a, operand_b, operand_c, up, expression)                  \
    EXEC_FN(name)                                                                                 \
    {                                                                                             \
        const bool sat = i->mode & SAT;                                                           \
        float r[SM_LANES] __attribute__((aligned(64)));                                           \
        fesetround((int)i->imm);                                                                  \
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                        \
        {                                                                                         \
            const float a = (operand_a), b = (operand_b), c = (operand_c);                        \
            (void)c;                                                                              \
            r[l] = (expression);                                                                  \
        }                                                                                         \
        if (exec_any_least_normal(r))                                                             \
            EXEC_FLUSH_LANES(r, operand_a, operand_b, operand_c, up, expression)                  \
        __asm__ volatile(                                                                         \
            ""                                                                                    \
            :                                                                                     \
            : "r"(r)                                                                              \
            : "memory"); /* the loop's results must be stored before the rounding mode changes */ \
        fesetround(FE_TONEAREST);                                                                 \
        EXEC_LANES_DO(w, float, SM_R(float, w, i->d), apply_ftz_and_sat(r[l], true, sat));        \
        return i + 1;                                                                             \
    }

#define FLUSHED_OPERAND(x) exec_flush_subnormal(SM_R(float, w, i->x)[l])

DEFINE_FLUSHED_32(mul_32_ftz, FLUSHED_OPERAND(a), FLUSHED_OPERAND(b), 0, EXEC_SCALE_UP_PRODUCT,
                  a *b)
DEFINE_FLUSHED_32(fma_32_ftz, FLUSHED_OPERAND(a), FLUSHED_OPERAND(b), FLUSHED_OPERAND(c),
                  EXEC_SCALE_UP_PRODUCT, __builtin_fmaf(a, b, c))
DEFINE_FLUSHED_32(div_32_ftz, FLUSHED_OPERAND(a), FLUSHED_OPERAND(b), 0, EXEC_SCALE_UP_QUOTIENT,
                  a / b)
DEFINE_FLUSHED_32(rcp_32_ftz, 1.0f, FLUSHED_OPERAND(a), 0, EXEC_SCALE_UP_QUOTIENT, a / b)

#define DEFINE_ROUNDED_64(name, operands, expression, nan)              \
    EXEC_FN(name)                                                       \
    {                                                                   \
        const double *pa = SM_R(double, w, i->a);                       \
        const double *pb = SM_R(double, w, operands > 1 ? i->b : i->a); \
        const double *pc = SM_R(double, w, operands > 2 ? i->c : i->a); \
        fesetround((int)i->imm);                                        \
        EXEC_LANES_DO(w, double, SM_R(double, w, i->d), ({              \
                          const double a = pa[l], b = pb[l], c = pc[l]; \
                          nan(expression, a, b, c);                     \
                      }));                                              \
        fesetround(FE_TONEAREST);                                       \
        return i + 1;                                                   \
    }

/* A division of two NaNs returns the NaN of the dividend. */
#define NAN_OF_QUOTIENT(r, a, b, c) exec_fix_nan3(r, b, a, c)

#define SELECT_ROUNDED_32(op, ftz)              \
    EXEC_SELECT(op##_round32)                   \
    {                                           \
        set_rounding_mode(in, out);             \
        return out->mode & FTZ ? ftz : op##_32; \
    }

#define SELECT_ROUNDED_64(op)              \
    EXEC_SELECT(op##_round64)              \
    {                                      \
        set_rounding_mode(in, out);        \
        return out->mode ? NULL : op##_64; \
    }

#define DEFINE_ROUNDED_OP(op, operands, ftz, expression32, expression64, nan) \
    DEFINE_ROUNDED_32(op##_32, operands, expression32)                        \
    DEFINE_ROUNDED_64(op##_64, operands, expression64, nan)                   \
    SELECT_ROUNDED_32(op, ftz)                                                \
    SELECT_ROUNDED_64(op)

/* .ftz for add, sub and sqrt needs no DEFINE_FLUSHED_32: a subnormal sum is exact, and a root is
 * never subnormal. */
DEFINE_ROUNDED_OP(add, 2, add_32, a + b, a + b, exec_fix_nan3)
DEFINE_ROUNDED_OP(sub, 2, sub_32, a - b, a - b, exec_fix_nan3)
DEFINE_ROUNDED_OP(mul, 2, mul_32_ftz, a *b, a *b, exec_fix_nan3)
DEFINE_ROUNDED_OP(fma, 3, fma_32_ftz, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c),
                  exec_fix_nan3)
DEFINE_ROUNDED_OP(div, 2, div_32_ftz, a / b, a / b, NAN_OF_QUOTIENT)
DEFINE_ROUNDED_OP(rcp, 1, rcp_32_ftz, 1.0f / a, 1.0 / a, exec_fix_nan3)
DEFINE_ROUNDED_OP(sqrt, 1, sqrt_32, __builtin_sqrtf(a), __builtin_sqrt(a), exec_fix_nan3)
