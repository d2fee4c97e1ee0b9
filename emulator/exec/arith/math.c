/* Division, roots and approximations of transcendental functions (PTX ISA 9.7.3). The ISA only
 * bounds the error of approximations. A function that the special function unit computes with one
 * instruction has the unit's bits (mufu.h); others are computed in double and rounded. */
#include "../mufu.h"
#include "double.h"

/* --- div, rcp, sqrt, rsqrt ---------------------------------------------------------------------*/
/* The special function unit has no subnormals: without .ftz the compiler scales argument and
 * result. */
static inline bool is_subnormal(float a)
{
    return __builtin_fabsf(a) < 0x1p-126f;
}

static inline float without_subnormal(float a)
{
    return is_subnormal(a) ? a * 0x1p24f : a;
}

/* The squares of a fraction (mufu.h). Scaling by a power of two leaves the fraction as it is. */
static inline uint32_t square_128_rows(float a)
{
    return mufu_square_128_rows(exec_bits32(without_subnormal(a)));
}

static inline uint32_t square_64_rows(float a)
{
    return mufu_square_64_rows(exec_bits32(without_subnormal(a)));
}

/* A function of the special function unit: EXPRESSION computes a lane from its ARGUMENTS and from
 * `square`, which is SQUARE_OF(argument OF). The squares of all lanes are computed at once, which
 * leaves little to do for each lane. */
#define EXEC_MUFU(name, square_of, of, arguments, expression)       \
    EXEC_FN(name)                                                   \
    {                                                               \
        uint32_t squares[SM_LANES];                                 \
        for (uint32_t l = 0; l < SM_LANES; l++)                     \
            squares[l] = square_of(SM_R(const float, w, i->of)[l]); \
        EXEC_EACH_LANE(w->mask) {                                   \
            arguments;                                              \
            const uint32_t square = squares[l];                     \
            SM_R(float, w, i->d)[l] = expression;                   \
        }                                                           \
        return i + 1;                                               \
    }
#define MUFU_ARGUMENT(of) const float of = SM_R(const float, w, i->of)[l]
#define EXEC_MUFU1(name, square_of, expression) \
    EXEC_MUFU(name, square_of, a, MUFU_ARGUMENT(a), expression)
#define EXEC_MUFU_DIV(name, expression) \
    EXEC_MUFU(name, square_128_rows, b, MUFU_ARGUMENT(a); MUFU_ARGUMENT(b), expression)

static inline float rcp_approx(float a, uint32_t square)
{
    const float size = __builtin_fabsf(a), scale = size < 0x1p-126f   ? 0x1p24f
                                                   : size >= 0x1p126f ? 0x1p-2f
                                                                      : 1;
    return exec_canonical_nan(mufu_rcp(a * scale, square) * scale);
}

/* div.full: a divisor outside the special function unit's range is scaled with the dividend. */
static inline float div_full(float a, float b, uint32_t square)
{
    const float size = __builtin_fabsf(b), scale = size < 0x1p-126f  ? 0x1p24f
                                                   : size > 0x1p126f ? 0x1p-2f
                                                                     : 1;
    return exec_canonical_nan(a * scale * mufu_rcp(b * scale, square));
}

static inline float div_approx(float a, float b, uint32_t square)
{
    return exec_canonical_nan((is_subnormal(b) ? a * 0x1p24f : a) *
                              mufu_rcp(without_subnormal(b), square));
}

static inline float sqrt_approx(float a, uint32_t square)
{
    return mufu_sqrt(without_subnormal(a), square) * (is_subnormal(a) ? 0x1p-12f : 1);
}

static inline float rsqrt_approx(float a, uint32_t square)
{
    return mufu_rsqrt(without_subnormal(a), square) * (is_subnormal(a) ? 0x1p12f : 1);
}

EXEC_MUFU_DIV(div_approx_plain, div_approx(a, b, square))
EXEC_MUFU_DIV(div_approx_ftz, exec_flush_subnormal(exec_canonical_nan(exec_flush_subnormal(a) *
                                                                      mufu_rcp(b, square))))
EXEC_MUFU_DIV(div_full_plain, div_full(a, b, square))
EXEC_MUFU_DIV(div_full_ftz, exec_flush_subnormal(div_full(exec_flush_subnormal(a),
                                                          exec_flush_subnormal(b), square)))
EXEC_MUFU1(rcp_approx_plain, square_128_rows, rcp_approx(a, square))
EXEC_MUFU1(rcp_approx_ftz, square_128_rows, mufu_rcp(a, square))
EXEC_MUFU1(sqrt_approx_plain, square_64_rows, sqrt_approx(a, square))
EXEC_MUFU1(sqrt_approx_ftz, square_64_rows, mufu_sqrt(a, square))
EXEC_MUFU1(rsqrt_approx_plain, square_64_rows, rsqrt_approx(a, square))
EXEC_MUFU1(rsqrt_approx_ftz, square_64_rows, mufu_rsqrt(a, square))

/* f64 approximations use and give the upper 32 bits. The special function unit uses the upper 20
 * fraction bits of the argument and returns 23, of which the upper 20 are kept. Subnormals count as
 * zero, and a NaN whose payload is only in the lower word counts as infinity. */
static inline uint32_t upper_word(double x)
{
    const uint32_t u = (uint32_t)(exec_bits64(x) >> 32);
    return u & 0x7ff00000 ? u : u & 0x80000000;
}

static inline double from_upper_word(uint32_t sign, int exponent, uint32_t bits)
{
    const uint32_t u = exponent <= 0 ? 0 : (uint32_t)exponent << 20 | (bits & MUFU_FRACTION) >> 3;
    return exec_f64((uint64_t)(sign | u) << 32);
}

#define NAN_UPPER exec_f64(UINT64_C(0x7fffffff00000000))

static double rcp_upper_word(double a)
{
    const uint32_t u = upper_word(a), sign = u & 0x80000000, f = (u & 0xfffff) << 3;
    const int e = (int)(u >> 20 & 2047);
    if (e == 2047)
        return f ? NAN_UPPER : from_upper_word(sign, 0, 0);
    return e == 0 ? from_upper_word(sign, 2047, 0)
                  : from_upper_word(sign, 2045 - e + (f == 0),
                                    (uint32_t)(mufu_polynomial_128_rows(mufu_rcp_row, f,
                                                                        mufu_square_128_rows(f)) >>
                                               17));
}

static double rsqrt_upper_word(double a)
{
    const uint32_t u = upper_word(a), sign = u & 0x80000000, f = (u & 0xfffff) << 3;
    const int e = (int)(u >> 20 & 2047), odd = (e - 1023) & 1, half = (e - 1023 - odd) / 2;
    if (e == 0)
        return from_upper_word(sign, 2047, 0);
    if (u > 0x7ff00000)
        return NAN_UPPER;
    if (e == 2047 || (!odd && !f))
        return from_upper_word(0, e == 2047 ? 0 : 1023 - half, 0);
    return from_upper_word(
        0, 1022 - half,
        (uint32_t)(mufu_polynomial_64_rows(mufu_rsqrt_row + 64 * odd, f, mufu_square_64_rows(f)) >>
                   17));
}

EXEC_EACH1(rcp_upper_f64, double, double, rcp_upper_word(a))
EXEC_EACH1(rsqrt_upper_f64, double, double, rsqrt_upper_word(a))
/* The code that ptxas generates for rsqrt.approx.f64: an approximation in the upper word, and
 * one third-order step. */
static double rsqrt_refined(double a)
{
    const double scale = a < 0x1p-1022 ? 0x1p54 : 1;
    if (!(a > 0 && a < (double)INFINITY))
        return exec_fix_nan1(1.0 / __builtin_sqrt(a), a);
    const double y = rsqrt_upper_word(a * scale);
    const double e = __builtin_fma(a * scale, -(y * y), 1.0);
    const double r = __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
    return scale > 1 ? r * 0x1p27 : r;
}

EXEC_EACH1(rsqrt_f64, double, double, rsqrt_refined(a))

#define SELECT_ROUNDED(op)       \
    EXEC_SELECTOR(op##_round32); \
    EXEC_SELECTOR(op##_round64);

SELECT_ROUNDED(div)
SELECT_ROUNDED(rcp)
SELECT_ROUNDED(sqrt)

EXEC_SELECT(div_f32)
{
    const bool ftz = ptx_has_modifier(in, PTX_MOD_ftz);
    if (ptx_has_modifier(in, PTX_MOD_approx))
        return ftz ? div_approx_ftz : div_approx_plain;
    if (ptx_has_modifier(in, PTX_MOD_full))
        return ftz ? div_full_ftz : div_full_plain;
    return EXEC_FOR_ISA(exec_sel_div_round32)(t, in, out);
}

EXEC_SELECT(div_f64)
{
    return EXEC_FOR_ISA(exec_sel_div_round64)(t, in, out);
}

EXEC_SELECT(rcp)
{
    const bool approx = ptx_has_modifier(in, PTX_MOD_approx),
               ftz = ptx_has_modifier(in, PTX_MOD_ftz);
    if (in->type[0] == PTX_f64) {
        return approx ? (ftz ? rcp_upper_f64 : NULL)
                      : EXEC_FOR_ISA(exec_sel_rcp_round64)(t, in, out);
    }
    if (approx)
        return ftz ? rcp_approx_ftz : rcp_approx_plain;
    return EXEC_FOR_ISA(exec_sel_rcp_round32)(t, in, out);
}

EXEC_SELECT(sqrt)
{
    if (in->type[0] == PTX_f64) {
        return ptx_has_modifier(in, PTX_MOD_approx)
                   ? NULL
                   : EXEC_FOR_ISA(exec_sel_sqrt_round64)(t, in, out);
    }
    if (ptx_has_modifier(in, PTX_MOD_approx))
        return ptx_has_modifier(in, PTX_MOD_ftz) ? sqrt_approx_ftz : sqrt_approx_plain;
    return EXEC_FOR_ISA(exec_sel_sqrt_round32)(t, in, out);
}

EXEC_SELECT(rsqrt)
{
    const bool ftz = ptx_has_modifier(in, PTX_MOD_ftz);
    if (in->type[0] == PTX_f64)
        return ftz ? rsqrt_upper_f64 : rsqrt_f64;
    return ftz ? rsqrt_approx_ftz : rsqrt_approx_plain;
}

/* --- sin, cos, lg2, ex2, tanh ------------------------------------------------------------------*/
static inline float lg2_approx(float a, uint32_t square)
{
    return is_subnormal(a) && a != 0 ? exec_canonical_nan(mufu_lg2(a * 0x1p24f, square) - 24)
                                     : mufu_lg2(a, square);
}

/* ex2.approx.f32 halves an argument whose result would be subnormal, and squares. */
static inline float ex2_argument(float a)
{
    return a < -126 ? a * 0.5f : a;
}

static inline uint32_t square_ex2(float a)
{
    return mufu_square_64_rows((uint32_t)mufu_ex2_argument(ex2_argument(a)));
}

static inline uint32_t square_ex2_ftz(float a)
{
    return mufu_square_64_rows((uint32_t)mufu_ex2_argument(a));
}

static inline float ex2_approx(float a, uint32_t square)
{
    const float r = mufu_ex2(ex2_argument(a), square);
    return a < -126 ? r * r : r;
}

EXEC_MUFU1(lg2_plain, square_64_rows, lg2_approx(a, square))
EXEC_MUFU1(lg2_ftz, square_64_rows, mufu_lg2(a, square))
EXEC_MUFU1(ex2_plain, square_ex2, ex2_approx(a, square))
EXEC_MUFU1(ex2_ftz, square_ex2_ftz, mufu_ex2(a, square))
EXEC_EACH1(sin_plain, float, float, mufu_sine(a, 0))
EXEC_EACH1(sin_ftz, float, float, mufu_sine(exec_flush_subnormal(a), 0))
EXEC_EACH1(cos_plain, float, float, mufu_sine(a, 1))
EXEC_EACH1(cos_ftz, float, float, mufu_sine(exec_flush_subnormal(a), 1))
EXEC_EACH1(tanh_plain, float, float, mufu_tanh(a))
EXEC_EACH1(tanh_ftz, float, float, mufu_tanh(exec_flush_subnormal(a)))

#define SELECT_F32(op)                                                    \
    EXEC_SELECT(op)                                                       \
    {                                                                     \
        return ptx_has_modifier(in, PTX_MOD_ftz) ? op##_ftz : op##_plain; \
    }

SELECT_F32(sin)
SELECT_F32(cos)
SELECT_F32(lg2)

#define SELECT_F32_OR_HALF(op)                                                \
    EXEC_SELECTOR(op##_half);                                                 \
    EXEC_SELECT(op)                                                           \
    {                                                                         \
        if (in->type[0] == PTX_f32)                                           \
            return ptx_has_modifier(in, PTX_MOD_ftz) ? op##_ftz : op##_plain; \
        return EXEC_FOR_ISA(exec_sel_##op##_half)(t, in, out);                \
    }

SELECT_F32_OR_HALF(ex2)
SELECT_F32_OR_HALF(tanh)

/* --- testp, copysign ---------------------------------------------------------------------------*/
#define DEFINE_TESTP(name, T, magnitude, least_normal, infinity)                               \
    EXEC_FN(name)                                                                              \
    {                                                                                          \
        const T *a = SM_R(T, w, i->a);                                                         \
        uint32_t m = 0;                                                                        \
        for (uint32_t l = 0; l < SM_LANES; l++) {                                              \
            const T x = a[l] & (magnitude);                                                    \
            bool r;                                                                            \
            switch ((ptx_mod)i->mode) {                                                        \
            case PTX_MOD_finite: r = x < (infinity); break;                                    \
            case PTX_MOD_infinite: r = x == (infinity); break;                                 \
            case PTX_MOD_number: r = x <= (infinity); break;                                   \
            case PTX_MOD_notanumber: r = x > (infinity); break;                                \
            case PTX_MOD_normal: r = (x >= (least_normal) && x < (infinity)) || x == 0; break; \
            default: /* subnormal */ r = x < (least_normal) && x != 0;                         \
            }                                                                                  \
            m |= (uint32_t)r << l;                                                             \
        }                                                                                      \
        exec_put_pred(w, i->d, m);                                                             \
        return i + 1;                                                                          \
    }

DEFINE_TESTP(testp_f32, uint32_t, 0x7fffffff, 0x00800000, 0x7f800000)
DEFINE_TESTP(testp_f64, uint64_t, UINT64_MAX >> 1, UINT64_C(1) << 52, UINT64_C(0x7ff) << 52)

EXEC_SELECT(testp)
{
    static const ptx_mod question[] = {PTX_MOD_finite,     PTX_MOD_infinite, PTX_MOD_number,
                                       PTX_MOD_notanumber, PTX_MOD_normal,   PTX_MOD_subnormal};
    for (size_t k = 0; k < sizeof question / sizeof question[0]; k++) {
        if (ptx_has_modifier(in, question[k])) {
            out->mode = (uint16_t)question[k];
            return in->type[0] == PTX_f64 ? testp_f64 : testp_f32;
        }
    }
    return NULL;
}

/* The magnitude of b with the sign of a. */
EXEC_FN2(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
EXEC_FN2(copysign_f64, uint64_t, uint64_t, uint64_t,
         (a & UINT64_C(1) << 63) | (b & UINT64_MAX >> 1))

EXEC_SELECT(copysign)
{
    return in->type[0] == PTX_f64 ? copysign_f64 : copysign_f32;
}
