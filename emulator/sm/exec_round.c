/* Directed rounding, and division, reciprocal and square root as IEEE 754 wants them, in every
 * rounding (PTX ISA 9.7.3). The host's rounding mode is changed around the lane loop: operands are
 * read and results written between two calls that the compiler cannot see through, so nothing is
 * computed outside them. */
#include "exec_double.h"
#include "exec_float.h"

#include <fenv.h>

enum { FTZ = 1, SAT = 2 };

/* i->imm: the host's rounding mode; i->mode: FTZ, SAT. */
static void prepare(const ptx_insn *in, sm_insn *out)
{
    out->imm = (uint64_t)(ptx_has(in, PTX_MOD_rz)   ? FE_TOWARDZERO
                          : ptx_has(in, PTX_MOD_rm) ? FE_DOWNWARD
                          : ptx_has(in, PTX_MOD_rp) ? FE_UPWARD
                                                    : FE_TONEAREST);
    out->mode = (ptx_has(in, PTX_MOD_ftz) ? FTZ : 0) | (ptx_has(in, PTX_MOD_sat) ? SAT : 0);
}

static inline float input(float x, bool ftz)
{
    return ftz ? sm_flush(x) : x;
}

static inline float output(float x, bool ftz, bool sat)
{
    x = ftz ? sm_flush(x) : x;
    return sat ? sm_saturate(x) : sm_canonical(x);
}

#define ROUNDED32(name, operands, expression)                                                     \
    SM_FN(name)                                                                                   \
    {                                                                                             \
        const float *pa = SM_R(float, w, i->a), *pb = SM_R(float, w, operands > 1 ? i->b : i->a); \
        const float *pc = SM_R(float, w, operands > 2 ? i->c : i->a);                             \
        const bool ftz = i->mode & FTZ, sat = i->mode & SAT;                                      \
        fesetround((int)i->imm);                                                                  \
        SM_LANES_DO(w, float, SM_R(float, w, i->d), ({                                            \
                        const float a = input(pa[l], ftz), b = input(pb[l], ftz);                 \
                        const float c = input(pc[l], ftz);                                        \
                        (void)b;                                                                  \
                        (void)c;                                                                  \
                        output(expression, ftz, sat);                                             \
                    }));                                                                          \
        fesetround(FE_TONEAREST);                                                                 \
        return i + 1;                                                                             \
    }

#define ROUNDED64(name, operands, expression)                           \
    SM_FN(name)                                                         \
    {                                                                   \
        const double *pa = SM_R(double, w, i->a);                       \
        const double *pb = SM_R(double, w, operands > 1 ? i->b : i->a); \
        const double *pc = SM_R(double, w, operands > 2 ? i->c : i->a); \
        fesetround((int)i->imm);                                        \
        SM_LANES_DO(w, double, SM_R(double, w, i->d), ({                \
                        const double a = pa[l], b = pb[l], c = pc[l];   \
                        sm_nan3(expression, a, b, c);                   \
                    }));                                                \
        fesetround(FE_TONEAREST);                                       \
        return i + 1;                                                   \
    }

#define ROUND32(op)         \
    SM_SELECT(op##_round32) \
    {                       \
        (void)t;            \
        prepare(in, out);   \
        return op##_32;     \
    }

#define ROUND64(op)                        \
    SM_SELECT(op##_round64)                \
    {                                      \
        (void)t;                           \
        prepare(in, out);                  \
        return out->mode ? NULL : op##_64; \
    }

#define ROUNDED(op, operands, expression32, expression64) \
    ROUNDED32(op##_32, operands, expression32)            \
    ROUNDED64(op##_64, operands, expression64)            \
    ROUND32(op)                                           \
    ROUND64(op)

ROUNDED(add, 2, a + b, a + b)
ROUNDED(sub, 2, a - b, a - b)
ROUNDED(mul, 2, a *b, a *b)
ROUNDED(fma, 3, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c))
ROUNDED(div, 2, a / b, a / b)
ROUNDED(rcp, 1, 1.0f / a, 1.0 / a)
ROUNDED(sqrt, 1, __builtin_sqrtf(a), __builtin_sqrt(a))
