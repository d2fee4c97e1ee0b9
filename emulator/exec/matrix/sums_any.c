/* Sums of products of any floating-point numbers: of every size, infinite or NaN. tensor.h
 * describes the arithmetic; sums_ordinary.c is faster. */
#include "tensor.h"

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
    uint32_t infinite[SUMS_AT_ONCE] = {0}; /* a sum that overflowed in a step remains infinite */
    for (uint32_t n = 0; n < p->k; n += p->step) {
        int64_t sum[SUMS_AT_ONCE] __attribute__((aligned(64)));
        int32_t top[SUMS_AT_ONCE] __attribute__((aligned(32)));
        const uint32_t count = p->k - n < p->step ? p->k - n : p->step;
        add_step_of_products(p->fraction, format->fraction, p->a->fraction + p->b->fraction, count,
                             &a->exponent[i * p->k + n], &a->significand[i * p->k + n],
                             &b->exponent[n * p->n + j], &b->significand[n * p->n + j], p->n, ec,
                             sc, sum, top);
        for (uint32_t x = 0; x < SUMS_AT_ONCE; x++) {
            const uint64_t magnitude = (uint64_t)(sum[x] < 0 ? -sum[x] : sum[x]);
            out[x] = join_number(p->d, sum[x] < 0, keep_upper_bits(magnitude, p->keep),
                                 top[x] - p->fraction);
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

void EXEC_FOR_ISA(exec_sums_any)(const exec_matrix_product *p, const uint32_t *bits_a,
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
}
