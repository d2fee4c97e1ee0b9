/* Single-precision results as in hardware: canonical NaN, flushed subnormals, saturation. */
#ifndef WARPBOOK_EXEC_FLOAT_H
#define WARPBOOK_EXEC_FLOAT_H

#include "../lanes.h"

#define EXEC_NAN_F32 UINT32_C(0x7fffffff) /* bits of the canonical NaN of f32 */

/* Replace any NaN by the canonical NaN, which every f32 operation returns (PTX ISA 9.7.3). */
static inline float exec_canonical_nan(float x)
{
    return x == x ? x : exec_f32(EXEC_NAN_F32);
}

/* .ftz: replace a subnormal by a zero of the same sign. */
static inline float exec_flush_subnormal(float x)
{
    const uint32_t u = exec_bits32(x);
    return exec_f32(u & 0x7f800000 ? u : u & 0x80000000);
}

/* .ftz also flushes a result that was below the smallest normal number, 2^-126, and has been
 * rounded up to it. For each lane of r[] with the magnitude 2^-126, EXEC_FLUSH_LANES computes
 * EXPRESSION again with operands that UP has scaled, so that the result is scaled by 2^64 and shows
 * whether it was below 2^-126. It cannot overflow, as the result is that small. */
#define EXEC_FLUSH_LANES(r, operand_a, operand_b, operand_c, up, expression) \
    for (uint32_t l = 0; l < SM_LANES; l++) {                                \
        if ((exec_bits32((r)[l]) & 0x7fffffff) == 0x00800000) {              \
            float a = (operand_a), b = (operand_b), c = (operand_c);         \
            up(a, b, c);                                                     \
            (void)c;                                                         \
            (r)[l] = __builtin_fabsf(expression) < 0x1p-62f                  \
                         ? exec_f32(exec_bits32((r)[l]) & 0x80000000)        \
                         : (r)[l];                                           \
        }                                                                    \
    }

#define EXEC_SCALE_UP_PRODUCT(a, b, c)               \
    do {                                             \
        if (__builtin_fabsf(a) < __builtin_fabsf(b)) \
            a *= 0x1p64f;                            \
        else                                         \
            b *= 0x1p64f;                            \
        c *= 0x1p64f;                                \
    } while (0)

#define EXEC_SCALE_UP_QUOTIENT(a, b, c) ((a) *= 0x1p64f)

/* Has any lane the magnitude 2^-126, so that EXEC_FLUSH_LANES is needed? */
static inline bool exec_any_least_normal(const float *r)
{
    uint32_t any = 0;
    EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)
    {
        any |= (exec_bits32(r[l]) & 0x7fffffff) == 0x00800000;
    }
    return any;
}

/* .sat: clamp to [0, 1]; NaN and -0 become +0. */
static inline float exec_saturate(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* Has IN a rounding modifier other than .rn (to nearest)? */
static inline bool exec_is_directed(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_rz) || ptx_has_modifier(in, PTX_MOD_rm) ||
           ptx_has_modifier(in, PTX_MOD_rp);
}

static inline sm_fn exec_choose_float_variant(const ptx_insn *in, sm_fn plain, sm_fn ftz, sm_fn sat,
                                              sm_fn ftz_sat)
{
    if (ptx_has_modifier(in, PTX_MOD_sat))
        return ptx_has_modifier(in, PTX_MOD_ftz) ? ftz_sat : sat;
    return ptx_has_modifier(in, PTX_MOD_ftz) ? ftz : plain;
}

#endif
