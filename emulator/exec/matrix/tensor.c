/* Sums of products with the rounding of a tensor core; tensor.h describes the arithmetic. */
#include "tensor.h"

#include "../arith/double.h"
#include "../arith/half.h"

#include <fenv.h>

const exec_element *EXEC_FOR_ISA(exec_tensor_element)(ptx_type type)
{
    enum { ALL = EXEC_TENSOR_FRACTION };
    static const exec_element elements[] = {
        {&exec_format_f16, PTX_f16, 0, 16, 16, ALL, 0},
        {&exec_format_bf16, PTX_bf16, 0, 16, 16, ALL, 0},
        {&exec_format_tf32, PTX_tf32, 13, 8, 4, ALL, 0},
        {&exec_format_e4m3, PTX_e4m3, 0, 16, 0, 13, 14},
        {&exec_format_e5m2, PTX_e5m2, 0, 16, 0, 13, 14},
        {&exec_format_f32, PTX_f32, 0, 0, 0, 0, 0},
    };
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        if (elements[k].type == type)
            return &elements[k];
    return NULL;
}

/* --- products of floating-point matrices ------------------------------------------------------ */

enum { SPECIAL_INF = 1, SPECIAL_NAN = 2 }; /* a number is infinite; a number is a NaN */
#define EXPONENT_OF_ZERO (-20000)          /* exponent of zero: lower than any other */

/* Floating-point numbers, each split into significand and exponent: significand * 2^(exponent -
 * fraction bits of the format). */
typedef struct split_numbers {
    int32_t exponent[EXEC_MAX_TILE_ELEMENTS];    /* exponents */
    int32_t significand[EXEC_MAX_TILE_ELEMENTS]; /* significands with their signs */
    uint8_t special[EXEC_MAX_TILE_ELEMENTS];     /* SPECIAL_* of each number */
    bool any_special;                            /* some number is infinite or NaN */
} split_numbers;

static void split_elements(const exec_float_format *f, uint32_t drop, const uint32_t *bits,
                           uint32_t count, split_numbers *out)
{
    const uint32_t fraction = f->fraction;
    const int32_t bias = (1 << (f->exponent - 1)) - 1;
    const uint32_t ones = (1u << (fraction + f->exponent)) - 1;
    const uint32_t highest = (uint32_t)f->highest, infinity = (uint32_t)f->infinity;
    uint32_t any = 0;
    EXEC_IVDEP for (uint32_t k = 0; k < count; k++)
    {
        const uint32_t u = bits[k] >> drop, magnitude = u & ones;
        const uint32_t field = magnitude >> fraction;
        const int32_t s =
            (int32_t)((magnitude & ((1u << fraction) - 1)) | (uint32_t)(field != 0) << fraction);
        out->significand[k] = u > ones ? -s : s;
        out->exponent[k] = magnitude == 0 ? EXPONENT_OF_ZERO : (int32_t)(field ? field : 1) - bias;
        const uint32_t inf = infinity && magnitude == infinity;
        const uint32_t special = magnitude <= highest ? 0 : inf ? SPECIAL_INF : SPECIAL_NAN;
        out->special[k] = (uint8_t)special;
        any |= special;
    }
    out->any_special = any != 0;
}

/* The bits of (-1)^negative * magnitude * 2^exponent in the format F: rounded to nearest for
 * f16, truncated for f32. */
static uint32_t join_number(const exec_float_format *f, bool negative, uint64_t magnitude,
                            int exponent)
{
    const uint32_t sign = (uint32_t)negative << (f->fraction + f->exponent);
    if (magnitude == 0)
        return 0;
    if (f->exponent < 8) { /* a result that is rounded to zero becomes +0 */
        const uint32_t h =
            (uint32_t)exec_round_to_format(f, EXEC_RN, negative, magnitude, exponent);
        return h ? sign | h : 0;
    }
    if (63 - __builtin_clzll(magnitude) + exponent > 127)
        return sign | (uint32_t)f->infinity;
    const uint32_t u = (uint32_t)exec_round_to_format(f, EXEC_RZ, negative, magnitude, exponent);
    return u ? sign | u : 0;
}

/* The upper BITS significant bits of MAGNITUDE; if BITS is 0, all bits. */
static uint64_t keep_upper_bits(uint64_t magnitude, uint32_t bits)
{
    const uint32_t length = magnitude ? 64 - (uint32_t)__builtin_clzll(magnitude) : 0;
    const uint32_t down = bits && length > bits ? length - bits : 0;
    return magnitude >> down << down;
}

enum { SUMS_AT_ONCE = 8 }; /* number of sums computed at the same time */

/* Truncate the sums SUM * 2^EXPONENT, each of which fits a double, to f32. False: a sum is
 * outside the range of normal numbers. */
static bool truncate_to_f32(const int64_t *sum, const int32_t *exponent, uint32_t *out)
{
    uint32_t odd = 0;
    EXEC_IVDEP for (uint32_t x = 0; x < SUMS_AT_ONCE; x++)
    {
        const int32_t e = exponent[x] < -1000 ? -1000 : exponent[x];
        const double v = (double)sum[x] * exec_f64((uint64_t)(e + 1023) << 52);
        const double kept = exec_f64(exec_bits64(v) & ~UINT64_C(0x1fffffff));
        const double size = __builtin_fabs(kept);
        odd |= (size < 0x1p-126 && sum[x] != 0) || size >= 0x1p128;
        out[x] = exec_bits32((float)kept);
    }
    return !odd;
}

/* Add K products and c in one step, in units of 2^(TOP - FRACTION); TOP is the largest exponent. */
static void add_step_of_products(uint32_t fraction, uint32_t fraction_c, uint32_t fraction_ab,
                                 uint32_t k, const int32_t *ea, const int32_t *sa,
                                 const int32_t *eb, const int32_t *sb, uint32_t stride_b,
                                 const int32_t *ec, const int32_t *sc, int64_t sum[SUMS_AT_ONCE],
                                 int32_t top[SUMS_AT_ONCE])
{
    for (uint32_t j = 0; j < SUMS_AT_ONCE; j++)
        top[j] = ec[j];
    for (uint32_t n = 0; n < k; n++) {
        for (uint32_t j = 0; j < SUMS_AT_ONCE; j++) {
            const int32_t e = ea[n] + eb[n * stride_b + j];
            top[j] = e > top[j] ? e : top[j];
        }
    }
    const uint32_t up_c = fraction > fraction_c ? fraction - fraction_c : 0;
    const int32_t down_c = fraction > fraction_c ? 0 : (int32_t)(fraction_c - fraction);
    const uint32_t up = fraction > fraction_ab ? fraction - fraction_ab : 0;
    const int32_t down = fraction > fraction_ab ? 0 : (int32_t)(fraction_ab - fraction);
    for (uint32_t j = 0; j < SUMS_AT_ONCE; j++) {
        const int32_t by = top[j] - ec[j] + down_c;
        const uint64_t m = (uint64_t)(sc[j] < 0 ? -(int64_t)sc[j] : sc[j]) << up_c;
        const int64_t kept = (int64_t)(m >> (by > 63 ? 63 : by));
        sum[j] = sc[j] < 0 ? -kept : kept;
    }
    for (uint32_t n = 0; n < k; n++) {
        for (uint32_t j = 0; j < SUMS_AT_ONCE; j++) {
            const int32_t by = top[j] - (ea[n] + eb[n * stride_b + j]) + down;
            const int32_t product = sa[n] * sb[n * stride_b + j];
            const uint64_t m = (uint64_t)(product < 0 ? -product : product) << up;
            const int64_t kept = (int64_t)(m >> (by > 63 ? 63 : by));
            sum[j] += product < 0 ? -kept : kept;
        }
    }
}

/* The bits of the sum at row I, column J if it is NaN or infinite; 0 otherwise. */
static uint32_t sum_with_specials(const exec_matrix_product *p, const split_numbers *a,
                                  const split_numbers *b, const split_numbers *c, uint32_t i,
                                  uint32_t j)
{
    /* The infinities among the terms. Bit 0: plus infinity, bit 1: minus infinity. */
    uint32_t infinities = 0;
    const uint32_t at = i * p->n + j;
    const uint32_t special_c = p->c_last ? 0 : c->special[at];
    bool nan = special_c & SPECIAL_NAN;
    if (special_c & SPECIAL_INF)
        infinities |= c->significand[at] < 0 ? 2 : 1;
    for (uint32_t n = 0; n < p->k && !nan; n++) {
        const uint32_t x = i * p->k + n, y = n * p->n + j;
        const uint32_t both = a->special[x] | b->special[y]; /* NOLINT: split_elements fills both */
        nan = both & SPECIAL_NAN;
        if (both & SPECIAL_INF) {
            nan = nan || a->exponent[x] == EXPONENT_OF_ZERO || b->exponent[y] == EXPONENT_OF_ZERO;
            infinities |= (a->significand[x] < 0) != (b->significand[y] < 0) ? 2 : 1;
        }
    }
    if (nan || infinities == 3)
        return (uint32_t)p->d->nan;
    if (infinities == 0)
        return 0;
    return (uint32_t)p->d->infinity | (infinities & 2) << (p->d->fraction + p->d->exponent - 1);
}

/* Compute the eight sums of row I that start at column J, step by step. */
static void sum_products(const exec_matrix_product *p, const split_numbers *a,
                         const split_numbers *b, const split_numbers *c, uint32_t i, uint32_t j,
                         uint32_t *out)
{
    static const int32_t no_exponent[SUMS_AT_ONCE] = {[0 ... SUMS_AT_ONCE - 1] = EXPONENT_OF_ZERO};
    static const int32_t nothing[SUMS_AT_ONCE] = {0};
    const bool c_first = !p->c_last;
    const int32_t *ec = c_first ? &c->exponent[i * p->n + j] : no_exponent;
    const int32_t *sc = c_first ? &c->significand[i * p->n + j] : nothing;
    const exec_float_format *format = p->c;
    split_numbers so_far;
    uint32_t infinite[SUMS_AT_ONCE] = {0}; /* bits of a sum that overflowed in some step; it remains
                                            * infinite */
    for (uint32_t n = 0; n < p->k; n += p->step) {
        int64_t sum[SUMS_AT_ONCE] __attribute__((aligned(64)));
        int32_t top[SUMS_AT_ONCE] __attribute__((aligned(32)));
        const uint32_t count = p->k - n < p->step ? p->k - n : p->step;
        add_step_of_products(p->fraction, format->fraction, p->a->fraction + p->b->fraction, count,
                             &a->exponent[i * p->k + n], &a->significand[i * p->k + n],
                             &b->exponent[n * p->n + j], &b->significand[n * p->n + j], p->n, ec,
                             sc, sum, top);
        for (uint32_t x = 0; x < SUMS_AT_ONCE; x++)
            top[x] -= p->fraction;
        const bool done = p->d->fraction == 23 && !p->keep && truncate_to_f32(sum, top, out);
        for (uint32_t x = 0; !done && x < SUMS_AT_ONCE; x++) {
            const uint64_t magnitude = (uint64_t)(sum[x] < 0 ? -sum[x] : sum[x]);
            out[x] = join_number(p->d, sum[x] < 0, keep_upper_bits(magnitude, p->keep), top[x]);
        }
        if (n + count < p->k) {
            split_elements(p->d, 0, out, SUMS_AT_ONCE, &so_far);
            for (uint32_t x = 0; so_far.any_special && x < SUMS_AT_ONCE; x++)
                infinite[x] = infinite[x] || !so_far.special[x] ? infinite[x] : out[x];
            ec = so_far.exponent;
            sc = so_far.significand;
            format = p->d;
        }
    }
    for (uint32_t x = 0; x < SUMS_AT_ONCE; x++)
        out[x] = infinite[x] ? infinite[x] : out[x];
}

static void multiply_float(const exec_matrix_product *p, const uint32_t *bits_a,
                           const uint32_t *bits_b, const uint32_t *bits_c, uint32_t *d)
{
    split_numbers a, b, c;
    split_elements(p->a, p->drop_a, bits_a, p->m * p->k, &a);
    split_elements(p->b, p->drop_b, bits_b, p->k * p->n, &b);
    split_elements(p->c, 0, bits_c, p->m * p->n, &c);
    const bool special = a.any_special || b.any_special || c.any_special;
    for (uint32_t i = 0; i < p->m; i++) {
        for (uint32_t j = 0; j < p->n; j += SUMS_AT_ONCE) {
            uint32_t *out = &d[i * p->n + j];
            sum_products(p, &a, &b, &c, i, j, out);
            for (uint32_t x = 0; special && x < SUMS_AT_ONCE; x++) {
                const uint32_t s = sum_with_specials(p, &a, &b, &c, i, j + x);
                out[x] = s ? s : out[x];
            }
        }
    }
    for (uint32_t k = 0; p->c_last && k < (uint32_t)p->m * p->n; k++) {
        if (p->d->exponent < 8) {
            d[k] = exec_to_f16(exec_from_f16(d[k]) + exec_from_f16(bits_c[k]));
            continue;
        }
        const float sum = exec_f32(d[k]) + exec_f32(bits_c[k]);
        d[k] = sum == sum ? exec_bits32(sum) : EXEC_NAN_F32;
    }
}

/* Multiply when c and d have different types: the sums are in f32. */
static void multiply_mixed_types(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                                 const uint32_t *c, uint32_t *d)
{
    if (p->c->fraction == p->d->fraction) {
        multiply_float(p, a, b, c, d);
        return;
    }
    const uint32_t count = (uint32_t)p->m * p->n;
    exec_matrix_product wide = *p;
    wide.c = wide.d = &exec_format_f32;
    uint32_t wide_c[EXEC_MAX_TILE_ELEMENTS] = {0};
    for (uint32_t k = 0; k < count; k++)
        wide_c[k] = p->c->exponent < 8 ? exec_bits32(exec_from_f16(c[k])) : c[k];
    multiply_float(&wide, a, b, wide_c, d);
    for (uint32_t k = 0; p->d->exponent < 8 && k < count; k++)
        d[k] = exec_to_f16(exec_f32(d[k]));
}

/* mma.m8n8k4 with f16, for which the H200 has no unit: separate steps in f32, rounded to nearest, c
 * last. For f32 results the sums run from k = 0 on, for f16 results in pairs. */
static void multiply_m8n8k4(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                            const uint32_t *c, uint32_t *d)
{
    const bool narrow = p->d->exponent < 8;
    for (uint32_t i = 0; i < p->m; i++) {
        for (uint32_t j = 0; j < p->n; j++) {
            float x[4], y[4];
            for (uint32_t k = 0; k < 4; k++) {
                x[k] = exec_from_f16(a[i * 4 + k]);
                y[k] = exec_from_f16(b[k * p->n + j]);
            }
            const uint32_t bits = c[i * p->n + j];
            const float last = p->c->exponent < 8 ? exec_from_f16(bits) : exec_f32(bits);
            if (narrow) {
                const float sum = fmaf(x[1], y[1], x[0] * y[0]) + fmaf(x[3], y[3], x[2] * y[2]);
                d[i * p->n + j] = exec_to_f16(sum + last);
                continue;
            }
            float sum = 0;
            for (uint32_t k = 0; k < 4; k++)
                sum = fmaf(x[k], y[k], sum);
            sum += last;
            d[i * p->n + j] = sum == sum ? exec_bits32(sum) : EXEC_NAN_F32;
        }
    }
}

void EXEC_FOR_ISA(exec_tensor_float)(const exec_matrix_product *p, const uint32_t *a,
                                     const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    for (uint32_t n = 0; n < p->batch; n++) {
        (p->step ? multiply_mixed_types : multiply_m8n8k4)(
            p, a + n * p->m * p->k, b + n * p->k * p->n, c + n * p->m * p->n, d + n * p->m * p->n);
    }
}

/* d = a * b + c for integers. The inner loop goes along a row of the result, so that the host adds
 * several columns at a time. */
void EXEC_FOR_ISA(exec_tensor_int)(const exec_matrix_product *p, const uint32_t *a,
                                   const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    const uint32_t unused = 32 - p->bits, count = (uint32_t)p->k * p->n;
    int32_t wide_b[EXEC_MAX_TILE_ELEMENTS];
    for (uint32_t k = 0; k < count; k++)
        wide_b[k] = p->signed_b ? (int32_t)(b[k] << unused) >> unused : (int32_t)b[k];
    for (uint32_t i = 0; i < p->m; i++) {
        /* 64 products of 4 bits, or 32 of 8 bits, fit in 32 bits */
        int32_t sum[32] = {0};
        for (uint32_t k = 0; k < p->k; k++) {
            const uint32_t u = a[i * p->k + k];
            const int32_t x = p->signed_a ? (int32_t)(u << unused) >> unused : (int32_t)u;
            for (uint32_t j = 0; j < p->n; j++) {
                /* cppcheck-suppress uninitvar ; the loop above filled all k * n */
                sum[j] += x * wide_b[k * p->n + j]; /* NOLINT: filled, as said */
            }
        }
        for (uint32_t j = 0; j < p->n; j++) {
            const uint32_t at = i * p->n + j;
            const int64_t whole = (int64_t)sum[j] + (int32_t)c[at];
            d[at] = !p->saturate        ? (uint32_t)whole
                    : whole > INT32_MAX ? (uint32_t)INT32_MAX
                    : whole < INT32_MIN ? (uint32_t)INT32_MIN
                                        : (uint32_t)whole;
        }
    }
}

void EXEC_FOR_ISA(exec_tensor_bits)(const exec_matrix_product *p, const uint32_t *a,
                                    const uint32_t *b, const uint32_t *c, uint32_t *d)
{
    for (uint32_t i = 0; i < p->m; i++) {
        for (uint32_t j = 0; j < p->n; j++) {
            uint32_t sum = c[i * p->n + j];
            for (uint32_t k = 0; k < p->k; k++) {
                const uint32_t x = a[i * p->k + k], y = b[k * p->n + j];
                sum += (uint32_t)__builtin_popcount(p->is_and ? x & y : x ^ y);
            }
            d[i * p->n + j] = sum;
        }
    }
}

void EXEC_FOR_ISA(exec_tensor_double)(const exec_matrix_product *p, const double *a,
                                      const double *b, const double *c, double *d)
{
    if (p->rounding != FE_TONEAREST)
        fesetround(p->rounding);
    for (uint32_t i = 0; i < p->m; i++) {
        for (uint32_t j = 0; j < p->n; j++) {
            double sum = c[i * p->n + j];
            for (uint32_t k = 0; k < p->k; k++) {
                const double x = a[i * p->k + k], y = b[k * p->n + j];
                volatile const double next = fma(x, y, sum); /* volatile: the compiler must not
                                                              * move this out of the region with
                                                              * another rounding mode */
                sum = exec_fix_nan3(next, x, y, sum);
            }
            d[i * p->n + j] = sum;
        }
    }
    if (p->rounding != FE_TONEAREST)
        fesetround(FE_TONEAREST);
}
