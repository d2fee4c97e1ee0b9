/* Half precision: f16 and bf16, scalar and in pairs (PTX ISA 9.7.4, and their forms of min, max,
 * abs, neg, ex2 and tanh). Common forms are vector loops, others share a slow implementation. */
#include "half.h"
#include "../mufu.h"
#include "narrow.h"

/* Properties of a half-precision instruction: bits of i->mode. */
enum {
    BF16 = 1,         /* the format is bf16, not f16 */
    PAIR = 2,         /* a register holds two numbers (f16x2, bf16x2) */
    FTZ = 4,          /* modifier .ftz */
    SAT = 8,          /* modifier .sat */
    RELU = 16,        /* modifier .relu */
    WITH_NAN = 32,    /* modifier .NaN */
    XORSIGN_ABS = 64, /* modifier .xorsign.abs */
    MINUS_A = 128,    /* source a is negated */
    MINUS_C = 256     /* source c is negated */
};

static uint16_t mode_of_modifiers(const ptx_insn *in)
{
    const ptx_type type = in->type[0];
    return (type == PTX_bf16 || type == PTX_bf16x2 ? BF16 : 0) |
           (type == PTX_f16x2 || type == PTX_bf16x2 ? PAIR : 0) |
           (ptx_has_modifier(in, PTX_MOD_ftz) ? FTZ : 0) |
           (ptx_has_modifier(in, PTX_MOD_sat) ? SAT : 0) |
           (ptx_has_modifier(in, PTX_MOD_relu) ? RELU : 0) |
           (ptx_has_modifier(in, PTX_MOD_nan) ? WITH_NAN : 0) |
           (ptx_has_modifier(in, PTX_MOD_xorsign) ? XORSIGN_ABS : 0) |
           (in->op == PTX_OP_fma && exec_is_negated(in, 1) ? MINUS_A : 0) |
           (in->op == PTX_OP_fma && exec_is_negated(in, 3) ? MINUS_C : 0);
}

/* --- one element, any modifiers ----------------------------------------------------------------*/
static inline uint32_t flush_half(uint32_t h, unsigned mode)
{
    const uint32_t exponent = mode & BF16 ? 0x7f80 : 0x7c00;
    return mode & FTZ && !(h & exponent) ? h & 0x8000 : h;
}

static inline double half_to_double(uint32_t h, unsigned mode)
{
    h = flush_half(h & 0xffff, mode);
    return (double)(mode & BF16 ? exec_from_bf16(h) : exec_from_f16(h));
}

static uint32_t double_to_half(double x, unsigned mode)
{
    if (x != x)
        return mode & SAT ? 0 : 0x7fff;
    const exec_float_format *f = mode & BF16 ? &exec_format_bf16 : &exec_format_f16;
    uint32_t h = (uint32_t)exec_round_double_to_format(f, EXEC_RN, x);
    if (mode & FTZ && exec_is_tiny_in_format(f, EXEC_RN, x, h))
        h &= 0x8000;
    if (mode & SAT) {
        const uint32_t one = mode & BF16 ? 0x3f80 : 0x3c00;
        return h & 0x8000 ? 0 : h > one ? one : h;
    }
    return mode & RELU && h & 0x8000 ? 0 : h;
}

/* X + Y rounded to odd: the last bit is set if the sum is inexact. Rounding this to a format of
 * half the width then gives the same result as a single rounding. */
static inline double sum_rounded_to_odd(double x, double y)
{
    const double s = x + y, part = s - x;
    const double error = (x - (s - part)) + (y - part);
    uint64_t u = exec_bits64(s);
    if (error - error == 0 && error != 0 && !(u & 1))
        u += (error > 0) == (s > 0) ? 1 : (uint64_t)-1;
    return exec_f64(u);
}

static uint32_t half_add(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)c;
    return double_to_half(sum_rounded_to_odd(half_to_double(a, mode), half_to_double(b, mode)),
                          mode);
}

static uint32_t half_sub(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)c;
    return double_to_half(sum_rounded_to_odd(half_to_double(a, mode), -half_to_double(b, mode)),
                          mode);
}

static uint32_t half_mul(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)c;
    return double_to_half(half_to_double(a, mode) * half_to_double(b, mode), mode);
}

static uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    a ^= mode & MINUS_A ? 0x8000 : 0;
    c ^= mode & MINUS_C ? 0x8000 : 0;
    return double_to_half(sum_rounded_to_odd(half_to_double(a, mode) * half_to_double(b, mode),
                                             half_to_double(c, mode)),
                          mode);
}

/* ex2 and tanh of halves: the special function unit computes in single precision and truncates
 * the result to a half. */
static uint32_t truncate_to_half(float x, unsigned mode)
{
    if (x != x)
        return 0x7fff;
    return mode & BF16           ? exec_bits32(x) >> 16
           : fabsf(x) >= 0x1p16f ? 0x7c00
                                 : exec_to_f16_toward_zero(x);
}

static uint32_t half_ex2(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)b;
    (void)c;
    const float x = (float)half_to_double(a, mode);
    const uint32_t square = mufu_square_64_rows((uint32_t)mufu_ex2_argument(x));
    return truncate_to_half(mufu_ex2(x, square), mode);
}

static uint32_t half_tanh(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)b;
    (void)c;
    return truncate_to_half(mufu_tanh((float)half_to_double(a, mode)), mode);
}

static bool is_half_nan(uint32_t h, unsigned mode)
{
    return (h & 0x7fff) > (mode & BF16 ? 0x7f80u : 0x7c00u);
}

static uint32_t half_abs(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)b;
    (void)c;
    return is_half_nan(a, mode) ? 0x7fff : flush_half(a, mode) & 0x7fff;
}

static uint32_t half_neg(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)b;
    (void)c;
    return is_half_nan(a, mode) ? 0x7fff : flush_half(a, mode) ^ 0x8000;
}

/* An integer from the bits H of a half: integers compare as the halves do, with -0 below +0. */
static int32_t half_order_key(uint32_t h)
{
    return h & 0x8000 ? -(int32_t)(h & 0x7fff) - 1 : (int32_t)h;
}

static uint32_t min_or_max(uint32_t a, uint32_t b, unsigned mode, bool greater)
{
    a = flush_half(a, mode);
    b = flush_half(b, mode);
    const uint32_t sign = (a ^ b) & 0x8000;
    const bool nan_a = is_half_nan(a, mode), nan_b = is_half_nan(b, mode);
    if (nan_a || nan_b) {
        if ((nan_a && nan_b) || mode & WITH_NAN)
            return 0x7fff;
        a = nan_a ? b : a;
        b = a;
    }
    if (mode & XORSIGN_ABS) {
        a &= 0x7fff;
        b &= 0x7fff;
    }
    const uint32_t r = (half_order_key(a) < half_order_key(b)) != greater ? a : b;
    return mode & XORSIGN_ABS ? r | sign : r;
}

static uint32_t half_min(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)c;
    return min_or_max(a, b, mode, false);
}

static uint32_t half_max(uint32_t a, uint32_t b, uint32_t c, unsigned mode)
{
    (void)c;
    return min_or_max(a, b, mode, true);
}

#define DEFINE_SLOW_HANDLER(op)                                                           \
    EXEC_FN(op##_slow)                                                                    \
    {                                                                                     \
        const uint32_t *a = SM_R(uint32_t, w, i->a), *b = SM_R(uint32_t, w, i->b);        \
        const uint32_t *c = SM_R(uint32_t, w, i->c);                                      \
        EXEC_EACH_LANE(w->mask) {                                                         \
            uint32_t r = half_##op(a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff, i->mode); \
            if (i->mode & PAIR)                                                           \
                r |= half_##op(a[l] >> 16, b[l] >> 16, c[l] >> 16, i->mode) << 16;        \
            SM_R(uint32_t, w, i->d)[l] = r;                                               \
        }                                                                                 \
        return i + 1;                                                                     \
    }

DEFINE_SLOW_HANDLER(add)
DEFINE_SLOW_HANDLER(sub)
DEFINE_SLOW_HANDLER(mul)
DEFINE_SLOW_HANDLER(fma)
DEFINE_SLOW_HANDLER(ex2)
DEFINE_SLOW_HANDLER(tanh)
DEFINE_SLOW_HANDLER(abs)
DEFINE_SLOW_HANDLER(neg)
DEFINE_SLOW_HANDLER(min)
DEFINE_SLOW_HANDLER(max)

/* --- f16 without modifiers, in vectors ---------------------------------------------------------*/
/* Rounding an f16 sum or product to f32 and then to f16 equals a single rounding, because f32 has
 * at least twice the 11 significant bits of f16 plus two. */
#define DEFINE_ELEMENT_HANDLER(op, expression)                    \
    static inline uint32_t op##_element(uint32_t ha, uint32_t hb) \
    {                                                             \
        const float a = exec_from_f16(ha), b = exec_from_f16(hb); \
        return exec_to_f16(expression);                           \
    }                                                             \
    EXEC_FN2(op##_f16, uint32_t, uint32_t, uint32_t, op##_element(a & 0xffff, b & 0xffff))

DEFINE_ELEMENT_HANDLER(add, a + b)
DEFINE_ELEMENT_HANDLER(sub, a - b)
DEFINE_ELEMENT_HANDLER(mul, a *b)

/* The product is exact in f32; the sum is rounded to odd (sum_rounded_to_odd), then to f16. */
static inline uint32_t fma_element(uint32_t ha, uint32_t hb, uint32_t hc)
{
    const float p = exec_from_f16(ha) * exec_from_f16(hb), c = exec_from_f16(hc);
    const float s = p + c, part = s - p, error = (p - (s - part)) + (c - part);
    const uint32_t u = exec_bits32(s);
    const uint32_t off = (error - error == 0) & (error != 0) & ~u; /* bit 0 */
    const uint32_t by = (error > 0) == (s > 0) ? 1 : UINT32_MAX;
    return exec_to_f16(exec_f32(off & 1 ? u + by : u));
}

/* Define fma with a or c negated, for a difference (a * b - c) contracted to one fma. */
#define DEFINE_FMA(name, minus_a, minus_c)                       \
    EXEC_FN3(name##_f16, uint32_t, uint32_t, uint32_t, uint32_t, \
             fma_element((a & 0xffff) ^ (minus_a), b & 0xffff, (c & 0xffff) ^ (minus_c)))

DEFINE_FMA(fma, 0, 0)
DEFINE_FMA(fma_less, 0x8000, 0)
DEFINE_FMA(fma_minus, 0, 0x8000)

#ifdef __F16C__
/* Pairs are converted by the host, eight elements of four lanes at a time. */
typedef float eight __attribute__((vector_size(32)));
typedef int32_t eight_words __attribute__((vector_size(32)));

static inline eight widen_pairs(const uint32_t *lane)
{
    return (eight)_mm256_cvtph_ps(_mm_load_si128((const __m128i *)lane));
}

static inline void narrow_to_pairs(eight x, uint32_t *lane)
{
    const eight_words nan = x != x, bits = ((eight_words)x | nan) ^ nan << 31;
    _mm_store_si128((__m128i *)lane, _mm256_cvtps_ph((__m256)bits, _MM_FROUND_TO_NEAREST_INT));
}

/* As fma_element(), without the last rounding. */
static inline eight fma_eight(eight a, eight b, eight c)
{
    const eight p = a * b, s = p + c, part = s - p, error = (p - (s - part)) + (c - part);
    const eight_words u = (eight_words)s, by = ((eight_words)error ^ u) >> 31 | 1;
    const eight_words off = ((error < 0) | (error > 0)) & ((u & 1) - 1);
    return (eight)(u + (by & off));
}

#define DEFINE_PAIRS(name, expression, element)                             \
    EXEC_FN(name##_f16x2)                                                   \
    {                                                                       \
        uint32_t out[SM_LANES] __attribute__((aligned(64)));                \
        for (uint32_t l = 0; l < SM_LANES; l += 4) {                        \
            const eight a = widen_pairs(SM_R(const uint32_t, w, i->a) + l); \
            const eight b = widen_pairs(SM_R(const uint32_t, w, i->b) + l); \
            const eight c = widen_pairs(SM_R(const uint32_t, w, i->c) + l); \
            (void)c;                                                        \
            narrow_to_pairs(expression, out + l);                           \
        }                                                                   \
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), out[l]);        \
        return i + 1;                                                       \
    }
#else
#define DEFINE_PAIRS(name, expression, element)                            \
    static inline uint32_t name##_half(uint32_t a, uint32_t b, uint32_t c) \
    {                                                                      \
        (void)c;                                                           \
        return element;                                                    \
    }                                                                      \
    EXEC_FN3(name##_f16x2, uint32_t, uint32_t, uint32_t, uint32_t,         \
             name##_half(a & 0xffff, b & 0xffff, c & 0xffff) |             \
                 name##_half(a >> 16, b >> 16, c >> 16) << 16)
#endif

DEFINE_PAIRS(add, a + b, add_element(a, b))
DEFINE_PAIRS(sub, a - b, sub_element(a, b))
DEFINE_PAIRS(mul, a *b, mul_element(a, b))
DEFINE_PAIRS(fma, fma_eight(a, b, c), fma_element(a, b, c))
DEFINE_PAIRS(fma_less, fma_eight(-a, b, c), fma_element(a ^ 0x8000, b, c))
DEFINE_PAIRS(fma_minus, fma_eight(a, b, -c), fma_element(a, b, c ^ 0x8000))

/* --- choice ------------------------------------------------------------------------------------*/
static sm_fn select_half_handler(const ptx_insn *in, sm_insn *out, sm_fn single, sm_fn pair,
                                 sm_fn slow)
{
    out->mode = mode_of_modifiers(in);
    if (ptx_has_modifier(in, PTX_MOD_rz) || ptx_has_modifier(in, PTX_MOD_rm) ||
        ptx_has_modifier(in, PTX_MOD_rp))
        return NULL; /* half precision only rounds to nearest */
    return out->mode == 0 ? single : out->mode == PAIR ? pair : slow;
}

#define SELECT_FAST_OR_SLOW(op)                                               \
    EXEC_SELECT(op##_half)                                                    \
    {                                                                         \
        return select_half_handler(in, out, op##_f16, op##_f16x2, op##_slow); \
    }

SELECT_FAST_OR_SLOW(add)
SELECT_FAST_OR_SLOW(sub)
SELECT_FAST_OR_SLOW(mul)

EXEC_SELECT(fma_half)
{
    const sm_fn f = select_half_handler(in, out, fma_f16, fma_f16x2, fma_slow);
    switch (out->mode) {
    case MINUS_A: return fma_less_f16;
    case MINUS_A | PAIR: return fma_less_f16x2;
    case MINUS_C: return fma_minus_f16;
    case MINUS_C | PAIR: return fma_minus_f16x2;
    default: return f;
    }
}

#define SELECT_SLOW(op)                                  \
    EXEC_SELECT(op##_half)                               \
    {                                                    \
        out->mode = mode_of_modifiers(in);               \
        return in->operand_count > 3 ? NULL : op##_slow; \
    }

SELECT_SLOW(ex2)
SELECT_SLOW(tanh)
SELECT_SLOW(abs)
SELECT_SLOW(neg)
SELECT_SLOW(min)
SELECT_SLOW(max)
