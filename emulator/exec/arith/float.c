/* Single precision, rounded to nearest (PTX ISA 9.7.3). */
#include "float.h"

#define DEFINE_WITHOUT_FTZ(op)                                                        \
    EXEC_FN2(op##_plain, float, float, float, exec_canonical_nan(rounded_##op(a, b))) \
    EXEC_FN2(op##_sat, float, float, float, exec_saturate(rounded_##op(a, b)))

/* add.ftz and sub.ftz can flush after rounding, because a subnormal sum is always exact. */
#define DEFINE_FLUSHED_SUM(op)                                                     \
    EXEC_FN2(op##_ftz, float, float, float,                                        \
             exec_flush_subnormal(exec_canonical_nan(                              \
                 rounded_##op(exec_flush_subnormal(a), exec_flush_subnormal(b))))) \
    EXEC_FN2(op##_ftz_sat, float, float, float,                                    \
             exec_saturate(exec_flush_subnormal(                                   \
                 rounded_##op(exec_flush_subnormal(a), exec_flush_subnormal(b)))))

#define FLUSHED_OPERAND(x) exec_flush_subnormal(SM_R(float, w, i->x)[l])

#define DEFINE_FLUSHED_PRODUCT(name, operand_c, expression, finish)                        \
    EXEC_FN(name)                                                                          \
    {                                                                                      \
        float r[SM_LANES] __attribute__((aligned(64)));                                    \
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                 \
        {                                                                                  \
            const float a = FLUSHED_OPERAND(a), b = FLUSHED_OPERAND(b), c = (operand_c);   \
            (void)c;                                                                       \
            r[l] = (expression);                                                           \
        }                                                                                  \
        if (__builtin_expect(exec_any_least_normal(r), 0)) {                               \
            EXEC_FLUSH_LANES(r, FLUSHED_OPERAND(a), FLUSHED_OPERAND(b), operand_c,         \
                             EXEC_SCALE_UP_PRODUCT, expression)                            \
        }                                                                                  \
        EXEC_LANES_DO(w, float, SM_R(float, w, i->d), finish(exec_flush_subnormal(r[l]))); \
        return i + 1;                                                                      \
    }

#define SELECT_NEAREST(op)                                                                  \
    EXEC_SELECTOR(op##_round32);                                                            \
    EXEC_SELECT(op##_f32)                                                                   \
    {                                                                                       \
        if (exec_is_directed(in)) {                                                         \
            return EXEC_FOR_ISA(exec_sel_##op##_round32)(t, in, out);                       \
        }                                                                                   \
        return exec_choose_float_variant(in, op##_plain, op##_ftz, op##_sat, op##_ftz_sat); \
    }

static inline float rounded_add(float a, float b)
{
    return a + b;
}

static inline float rounded_sub(float a, float b)
{
    return a - b;
}

static inline float rounded_mul(float a, float b)
{
    return a * b;
}

static inline float rounded_fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

DEFINE_WITHOUT_FTZ(add)
DEFINE_FLUSHED_SUM(add)
SELECT_NEAREST(add)

DEFINE_WITHOUT_FTZ(sub)
DEFINE_FLUSHED_SUM(sub)
SELECT_NEAREST(sub)

DEFINE_WITHOUT_FTZ(mul)
DEFINE_FLUSHED_PRODUCT(mul_ftz, 0, rounded_mul(a, b), exec_canonical_nan)
DEFINE_FLUSHED_PRODUCT(mul_ftz_sat, 0, rounded_mul(a, b), exec_saturate)
SELECT_NEAREST(mul)

/* Define the four variants of fma(X, b, Z). X is a or -a, and Z is c or -c: a difference such as a
 * * b - c, contracted to one fma, negates a source. */
#define DEFINE_FMA(name, x, z)                                                                   \
    EXEC_FN3(name##_plain, float, float, float, float, exec_canonical_nan(rounded_fma(x, b, z))) \
    EXEC_FN3(name##_sat, float, float, float, float, exec_saturate(rounded_fma(x, b, z)))        \
    DEFINE_FLUSHED_PRODUCT(name##_ftz, FLUSHED_OPERAND(c), rounded_fma(x, b, z),                 \
                           exec_canonical_nan)                                                   \
    DEFINE_FLUSHED_PRODUCT(name##_ftz_sat, FLUSHED_OPERAND(c), rounded_fma(x, b, z), exec_saturate)

DEFINE_FMA(fma, a, c)
DEFINE_FMA(fma_less, -a, c)
DEFINE_FMA(fma_minus, a, -c)
DEFINE_FMA(fma_both, -a, -c)

EXEC_SELECTOR(fma_round32);

EXEC_SELECT(fma_f32)
{
    if (exec_is_directed(in))
        return EXEC_FOR_ISA(exec_sel_fma_round32)(t, in, out);
    if (exec_is_negated(in, 1) && exec_is_negated(in, 3)) {
        return exec_choose_float_variant(in, fma_both_plain, fma_both_ftz, fma_both_sat,
                                         fma_both_ftz_sat);
    }
    if (exec_is_negated(in, 1)) {
        return exec_choose_float_variant(in, fma_less_plain, fma_less_ftz, fma_less_sat,
                                         fma_less_ftz_sat);
    }
    if (exec_is_negated(in, 3)) {
        return exec_choose_float_variant(in, fma_minus_plain, fma_minus_ftz, fma_minus_sat,
                                         fma_minus_ftz_sat);
    }
    return exec_choose_float_variant(in, fma_plain, fma_ftz, fma_sat, fma_ftz_sat);
}

/* From sm_20 on, mad.f32 is the same as fma. */
EXEC_SELECT(mad_f32)
{
    return EXEC_FOR_ISA(exec_sel_fma_f32)(t, in, out);
}

/* --- abs, neg ----------------------------------------------------------------------------------*/
EXEC_FN1(abs_plain, uint32_t, uint32_t, exec_bits32(exec_canonical_nan(exec_f32(a & 0x7fffffff))))
EXEC_FN1(abs_ftz, uint32_t, uint32_t,
         exec_bits32(exec_flush_subnormal(exec_canonical_nan(exec_f32(a & 0x7fffffff)))))
EXEC_FN1(neg_plain, uint32_t, uint32_t, exec_bits32(exec_canonical_nan(exec_f32(a ^ 0x80000000))))
EXEC_FN1(neg_ftz, uint32_t, uint32_t,
         exec_bits32(exec_flush_subnormal(exec_canonical_nan(exec_f32(a ^ 0x80000000)))))

EXEC_SELECT(abs_f32)
{
    return ptx_has_modifier(in, PTX_MOD_ftz) ? abs_ftz : abs_plain;
}

EXEC_SELECT(neg_f32)
{
    return ptx_has_modifier(in, PTX_MOD_ftz) ? neg_ftz : neg_plain;
}

/* --- min, max ----------------------------------------------------------------------------------*/
/* If both are NaN the result is the canonical NaN. */
EXEC_EXTREMES(float, exec_bits32, exec_f32, exec_canonical_nan(r))

/* .NaN: if any operand is NaN, the result is the canonical NaN. */
static inline float nan_if_any_nan(float r, float a, float b)
{
    return ((a != a) | (b != b)) ? exec_f32(EXEC_NAN_F32) : r;
}

/* .xorsign.abs: operates on the magnitudes; the sign is that of the product. */
static inline float xorsign(float r, float a, float b)
{
    const uint32_t sign = (exec_bits32(a) ^ exec_bits32(b)) & 0x80000000;
    return r != r ? r : exec_f32((exec_bits32(r) & 0x7fffffff) | sign);
}

#define ABS_F32(x) exec_f32(exec_bits32(x) & 0x7fffffff)

enum { FTZ = 1, WITH_NAN = 2, XORSIGN_ABS = 4 }; /* modifiers .ftz, .NaN and .xorsign.abs */

#define DEFINE_MIN_MAX(op, of)                                                                    \
    EXEC_FN2(op##_plain, float, float, float, of(a, b))                                           \
    EXEC_FN2(op##_ftz, float, float, float, of(exec_flush_subnormal(a), exec_flush_subnormal(b))) \
    static float op##_modified(float a, float b, unsigned mode)                                   \
    {                                                                                             \
        const float x = mode & FTZ ? exec_flush_subnormal(a) : a,                                 \
                    y = mode & FTZ ? exec_flush_subnormal(b) : b;                                 \
        float r = mode & XORSIGN_ABS ? of(ABS_F32(x), ABS_F32(y)) : of(x, y);                     \
        r = mode & WITH_NAN ? nan_if_any_nan(r, x, y) : r;                                        \
        return mode & XORSIGN_ABS ? xorsign(r, x, y) : r;                                         \
    }                                                                                             \
    EXEC_EACH2(op##_2, float, float, float, op##_modified(a, b, i->mode))                         \
    EXEC_EACH3(op##_3, float, float, float, float,                                                \
               op##_modified(op##_modified(a, b, i->mode), c, i->mode))                           \
    EXEC_SELECT(op##_f32)                                                                         \
    {                                                                                             \
        out->mode = (ptx_has_modifier(in, PTX_MOD_ftz) ? FTZ : 0) |                               \
                    (ptx_has_modifier(in, PTX_MOD_nan) ? WITH_NAN : 0) |                          \
                    (ptx_has_modifier(in, PTX_MOD_xorsign) ? XORSIGN_ABS : 0);                    \
        if (in->operand_count > 3) {                                                              \
            return op##_3;                                                                        \
        }                                                                                         \
        return out->mode > FTZ ? op##_2 : out->mode ? op##_ftz : op##_plain;                      \
    }

DEFINE_MIN_MAX(min, lesser)
DEFINE_MIN_MAX(max, greater)
