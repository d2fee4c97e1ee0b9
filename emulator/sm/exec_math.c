/* Division, roots and the approximations of transcendental functions (PTX ISA 9.7.3). The ISA
 * bounds the error of an approximation; here each is worked out in double precision and rounded,
 * so every machine gives the same bits. */
#include "exec_double.h"
#include "exec_float.h"

/* --- div, rcp, sqrt, rsqrt ---------------------------------------------------------------------*/
/* div.approx is a * (1/b), whose reciprocal vanishes for |b| in (2^126, 2^128). */
static inline float div_approx(float a, float b)
{
    const float r = sm_canonical(a / b), size = __builtin_fabsf(b);
    const bool vanishes = size > 0x1p126f && size < (float)INFINITY;
    const uint32_t sign = (sm_bits32(a) ^ sm_bits32(b)) & 0x80000000;
    const float gone = a - a != 0 ? sm_f32(SM_NAN_F32) : sm_f32(sign);
    return vanishes ? gone : r;
}

SM_FN2(div_approx_plain, float, float, float, div_approx(a, b))
SM_FN2(div_approx_ftz, float, float, float, sm_flush(div_approx(sm_flush(a), sm_flush(b))))
SM_FN2(div_full_plain, float, float, float, sm_canonical(a / b))
SM_FN2(div_full_ftz, float, float, float, sm_flush(sm_canonical(sm_flush(a) / sm_flush(b))))
SM_FN1(rcp_approx, float, float, sm_canonical(1.0f / a))
SM_FN1(rcp_approx_ftz, float, float, sm_flush(sm_canonical(1.0f / sm_flush(a))))
SM_FN1(sqrt_approx, float, float, sm_canonical(__builtin_sqrtf(a)))
SM_FN1(sqrt_approx_ftz, float, float, sm_canonical(__builtin_sqrtf(sm_flush(a))))

static inline float rsqrt(float a)
{
    return sm_canonical((float)(1.0 / __builtin_sqrt((double)a)));
}

SM_FN1(rsqrt_approx, float, float, rsqrt(a))
SM_FN1(rsqrt_approx_ftz, float, float, rsqrt(sm_flush(a)))

/* The f64 approximations see and make only the upper 32 bits, so a NaN with its payload below them
 * is an infinity; subnormals are flushed and every NaN result is the canonical one. */
static inline double upper_input(double x)
{
    const uint64_t u = sm_bits64(x);
    const uint64_t upper = u & UINT64_C(0xffffffff00000000);
    return sm_f64(u & UINT64_C(0x7ff0000000000000) ? upper : u & UINT64_C(1) << 63);
}

static inline double upper_output(double x)
{
    const uint64_t u = sm_bits64(x) + UINT64_C(0x80000000);
    const uint64_t upper = u & UINT64_C(0xffffffff00000000);
    const uint64_t r = u & UINT64_C(0x7ff0000000000000) ? upper : u & UINT64_C(1) << 63;
    return x != x ? sm_f64(UINT64_C(0x7fffffff00000000)) : sm_f64(r);
}

static double rcp_upper(double a)
{
    return upper_output(1.0 / upper_input(a));
}

static double rsqrt_upper(double a)
{
    return upper_output(1.0 / __builtin_sqrt(upper_input(a)));
}

SM_EACH1(rcp_upper_f64, double, double, rcp_upper(a))
SM_EACH1(rsqrt_upper_f64, double, double, rsqrt_upper(a))
SM_FN1(rsqrt_f64, double, double, sm_nan1(1.0 / __builtin_sqrt(a), a))

#define ROUNDED(op)            \
    SM_SELECTOR(op##_round32); \
    SM_SELECTOR(op##_round64);

ROUNDED(div)
ROUNDED(rcp)
ROUNDED(sqrt)

SM_SELECT(div_f32)
{
    const bool ftz = ptx_has(in, PTX_MOD_ftz);
    if (ptx_has(in, PTX_MOD_approx)) {
        return ftz ? div_approx_ftz : div_approx_plain;
    }
    if (ptx_has(in, PTX_MOD_full)) {
        return ftz ? div_full_ftz : div_full_plain;
    }
    return SM_LEVEL(sm_sel_div_round32)(t, in, out);
}

SM_SELECT(div_f64)
{
    return SM_LEVEL(sm_sel_div_round64)(t, in, out);
}

SM_SELECT(rcp)
{
    const bool approx = ptx_has(in, PTX_MOD_approx), ftz = ptx_has(in, PTX_MOD_ftz);
    if (in->type[0] == PTX_f64) {
        return approx ? (ftz ? rcp_upper_f64 : NULL) : SM_LEVEL(sm_sel_rcp_round64)(t, in, out);
    }
    if (approx) {
        return ftz ? rcp_approx_ftz : rcp_approx;
    }
    return SM_LEVEL(sm_sel_rcp_round32)(t, in, out);
}

SM_SELECT(sqrt)
{
    if (in->type[0] == PTX_f64) {
        return ptx_has(in, PTX_MOD_approx) ? NULL : SM_LEVEL(sm_sel_sqrt_round64)(t, in, out);
    }
    if (ptx_has(in, PTX_MOD_approx)) {
        return ptx_has(in, PTX_MOD_ftz) ? sqrt_approx_ftz : sqrt_approx;
    }
    return SM_LEVEL(sm_sel_sqrt_round32)(t, in, out);
}

SM_SELECT(rsqrt)
{
    (void)t;
    (void)out;
    const bool ftz = ptx_has(in, PTX_MOD_ftz);
    if (in->type[0] == PTX_f64) {
        return ftz ? rsqrt_upper_f64 : rsqrt_f64;
    }
    return ftz ? rsqrt_approx_ftz : rsqrt_approx;
}

/* --- sin, cos, lg2, ex2, tanh ------------------------------------------------------------------*/
#define FUNCTION(op, function)                                                                     \
    SM_EACH1(op##_plain, float, float, sm_canonical((float)function((double)a)))                   \
    SM_EACH1(op##_ftz, float, float, sm_flush(sm_canonical((float)function((double)sm_flush(a))))) \
    static sm_fn op##_f32(const ptx_insn *in)                                                      \
    {                                                                                              \
        return ptx_has(in, PTX_MOD_ftz) ? op##_ftz : op##_plain;                                   \
    }

/* The angle A as the H200 takes it, brought to half a turn and in radians: turns are A * (1/2pi) in
 * single precision rounded toward zero, so a large angle loses the bits that it loses there. */
static inline double angle(double a)
{
    const double exact = a * (double)sm_f32(0x3e22f983);
    const double turns = sm_f64(sm_bits64(exact) & ~UINT64_C(0x1fffffff));
    const double part = turns - __builtin_rint(turns);
    return (__builtin_fabs(turns) < 0.5 ? turns : part) * 6.283185307179586;
}

static inline double sin_of_angle(double a)
{
    return sin(angle(a));
}

static inline double cos_of_angle(double a)
{
    return cos(angle(a));
}

FUNCTION(sin, sin_of_angle)
FUNCTION(cos, cos_of_angle)
FUNCTION(lg2, log2)
FUNCTION(ex2, exp2)
FUNCTION(tanh, tanh)

#define ONLY_F32(op)         \
    SM_SELECT(op)            \
    {                        \
        (void)t;             \
        (void)out;           \
        return op##_f32(in); \
    }

ONLY_F32(sin)
ONLY_F32(cos)
ONLY_F32(lg2)

#define ALSO_HALF(op)                                                                            \
    SM_SELECTOR(op##_half);                                                                      \
    SM_SELECT(op)                                                                                \
    {                                                                                            \
        return in->type[0] == PTX_f32 ? op##_f32(in) : SM_LEVEL(sm_sel_##op##_half)(t, in, out); \
    }

ALSO_HALF(ex2)
ALSO_HALF(tanh)

/* --- testp, copysign ---------------------------------------------------------------------------*/
#define TESTP(name, T, magnitude, least_normal, infinity)              \
    SM_FN(name)                                                        \
    {                                                                  \
        const T *a = SM_R(T, w, i->a);                                 \
        uint32_t m = 0;                                                \
        for (uint32_t l = 0; l < SM_LANES; l++) {                      \
            const T x = a[l] & (magnitude);                            \
            bool r;                                                    \
            switch ((ptx_mod)i->mode) {                                \
            case PTX_MOD_finite:                                       \
                r = x < (infinity);                                    \
                break;                                                 \
            case PTX_MOD_infinite:                                     \
                r = x == (infinity);                                   \
                break;                                                 \
            case PTX_MOD_number:                                       \
                r = x <= (infinity);                                   \
                break;                                                 \
            case PTX_MOD_notanumber:                                   \
                r = x > (infinity);                                    \
                break;                                                 \
            case PTX_MOD_normal:                                       \
                r = (x >= (least_normal) && x < (infinity)) || x == 0; \
                break;                                                 \
            default: /* subnormal */                                   \
                r = x < (least_normal) && x != 0;                      \
            }                                                          \
            m |= (uint32_t)r << l;                                     \
        }                                                              \
        sm_put_pred(w, i->d, m);                                       \
        return i + 1;                                                  \
    }

TESTP(testp_f32, uint32_t, 0x7fffffff, 0x00800000, 0x7f800000)
TESTP(testp_f64, uint64_t, UINT64_MAX >> 1, UINT64_C(1) << 52, UINT64_C(0x7ff) << 52)

SM_SELECT(testp)
{
    (void)t;
    static const ptx_mod question[] = {PTX_MOD_finite,     PTX_MOD_infinite, PTX_MOD_number,
                                       PTX_MOD_notanumber, PTX_MOD_normal,   PTX_MOD_subnormal};
    for (size_t k = 0; k < sizeof question / sizeof question[0]; k++) {
        if (ptx_has(in, question[k])) {
            out->mode = (uint16_t)question[k];
            return in->type[0] == PTX_f64 ? testp_f64 : testp_f32;
        }
    }
    return NULL;
}

/* The sign of a with the magnitude of b. */
SM_FN2(copysign_f32, uint32_t, uint32_t, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
SM_FN2(copysign_f64, uint64_t, uint64_t, uint64_t, (a & UINT64_C(1) << 63) | (b & UINT64_MAX >> 1))

SM_SELECT(copysign)
{
    (void)t;
    (void)out;
    return in->type[0] == PTX_f64 ? copysign_f64 : copysign_f32;
}
