/* Products of floating-point matrices whose numbers are all of ordinary size: zero, or with an
 * exponent within limits that leave room in f32 for each product and each scaled term. A term is
 * truncated to the kept bits by a conversion to an integer, and the sum of a step's integers is
 * exact. sums_any.c computes the same for any numbers. */
#include "tensor.h"

#include "../arith/half.h"

enum {
    AT_ONCE = 8,                           /* columns computed at the same time */
    ROWS_AT_ONCE = 4,                      /* rows computed at the same time */
    LARGEST_FACTOR = 50,                   /* limit of the exponents of a and b, up and down */
    LARGEST_TOTAL = INT32_MAX - (1 << 27), /* limit of the products' sum, so that c can be added */
    LARGEST_SUM = 100,                     /* limit of the exponents of c and of sums */
    ZERO_BELOW = 4096 /* zero's exponent is less by so much: lower than the sum of any two others */
};

/* Such vectors lie anywhere in arrays of 32-bit words. */
typedef float floats __attribute__((vector_size(4 * AT_ONCE), aligned(4), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * AT_ONCE), aligned(4), may_alias));

/* Numbers, and the exponents by which a tensor core aligns them. */
typedef struct numbers {
    float value[EXEC_MAX_TILE_ELEMENTS] __attribute__((aligned(64)));
    int32_t exponent[EXEC_MAX_TILE_ELEMENTS] __attribute__((aligned(64)));
} numbers;

static inline void take_larger(ints *top, const ints *e)
{
#ifdef __AVX2__
    *top = (ints)_mm256_max_epi32((__m256i)*top, (__m256i)*e);
#else
    const ints above = *e > *top;
    *top = (*e & above) | (*top & ~above);
#endif
}

/* Is any element negative? */
static inline bool is_any_negative(const ints *x)
{
    int32_t all = 0;
    for (uint32_t k = 0; k < AT_ONCE; k++)
        all |= (*x)[k];
    return all < 0;
}

/* The bits of 2^E in the format F; its least positive number if E is below its normal numbers, and
 * what follows its highest number if E is above them. */
static int32_t bits_of_power(const exec_float_format *f, int32_t e)
{
    const int32_t field = e + (1 << (f->exponent - 1)) - 1;
    const int32_t bits = field < 1 ? 1 : field << f->fraction, above = (int32_t)f->highest + 1;
    return bits < above ? bits : above;
}

/* Widen COUNT numbers of format F, a multiple of 8. False: the exponent of one is beyond LIMIT, up
 * or down, or it is infinite or NaN. */
static bool widen_numbers(const exec_float_format *f, uint32_t drop, int32_t limit,
                          const uint32_t *bits, uint32_t count, numbers *out)
{
    const int32_t fraction = f->fraction, size = fraction + f->exponent;
    const int32_t ones = (int32_t)((1u << size) - 1);
    const int32_t bias = (1 << (f->exponent - 1)) - 1, least = bits_of_power(f, -limit);
    const int32_t range = bits_of_power(f, limit + 1) - 1 - least;
    const float unit = exec_f32((uint32_t)(254 - bias) << 23); /* also makes subnormals normal */
    ints refused = {0};
    for (uint32_t k = 0; k < count; k += AT_ONCE) {
        const ints u = *(const ints *)(bits + k) >> drop, magnitude = u & ones;
        const ints zero = magnitude == 0, above = magnitude - least;
        const ints one = (ints){0} + 1;
        ints field = magnitude >> fraction;
        take_larger(&field, &one);
        refused |= (above | (above > range)) & ~zero;
        *(ints *)(out->exponent + k) = field - bias - (zero & ZERO_BELOW);
        const floats value = (floats)(magnitude << (23 - fraction)) * unit;
        /* cppcheck-suppress invalidPointerCast ; the vectors are may_alias */
        *(ints *)(out->value + k) = (ints)value | (u & ~ones) << (31 - size);
    }
    return !is_any_negative(&refused);
}

/* How a sum is truncated. */
typedef struct truncation {
    int32_t kept; /* mask of the bits of an f32 that are kept */
    int32_t rest; /* 1: the last bit is set if any bit after it was, for another rounding; or 0 */
} truncation;

/* The sums of one step: products of COUNT elements of some rows of a, from AT_A on, with eight
 * columns of b, and c. The sign of an element of REFUSED is set if a sum may exceed 32 bits. */
static inline void add_step(const exec_matrix_product *p, const truncation *how, uint32_t count,
                            const numbers *a, uint32_t at_a, const numbers *b, uint32_t at_b,
                            const numbers *c, uint32_t at_c, uint32_t *out, ints *refused)
{
    const size_t k = p->k, n = p->n;
    const int32_t *eb = b->exponent + at_b;
    const float *vb = b->value + at_b;
    ints top[ROWS_AT_ONCE], sum[ROWS_AT_ONCE];
    floats scale[ROWS_AT_ONCE];
    for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) {
        top[i] = (ints){0} - LARGEST_SUM;
        take_larger(&top[i], (const ints *)(c->exponent + at_c + i * n));
    }
    for (uint32_t x = 0; x < count; x++, eb += n) {
        for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) {
            const ints e = a->exponent[at_a + i * k + x] + *(const ints *)eb;
            take_larger(&top[i], &e);
        }
    }
    for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) {
        scale[i] = (floats)((127 + p->fraction - top[i]) << 23);
        sum[i] = (ints){0};
    }
    for (uint32_t x = 0; x < count; x++, vb += n) {
        for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) {
            const floats term = a->value[at_a + i * k + x] * *(const floats *)vb * scale[i];
            sum[i] += __builtin_convertvector(term, ints);
        }
    }
    for (uint32_t i = 0; i < ROWS_AT_ONCE; i++) {
        const floats term = *(const floats *)(c->value + at_c + i * n) * scale[i];
        /* cppcheck-suppress shiftTooManyBitsSigned ; gcc and clang shift the sign in */
        *refused |= (sum[i] ^ sum[i] >> 31) > LARGEST_TOTAL;
        /* cppcheck-suppress shiftTooManyBitsSigned */
        const ints total = sum[i] + __builtin_convertvector(term, ints), sign = total >> 31;
        /* truncate the total, which has up to 31 bits, to f32 */
        const floats near = __builtin_convertvector(total, floats);
        const ints back = __builtin_convertvector(near, ints);
        const ints cut = (ints)near + ((back ^ sign) > (total ^ sign));
        const ints kept = (cut & how->kept) | ((back != total) & how->rest);
        const floats unit = (floats)((127 - p->fraction + top[i]) << 23);
        /* cppcheck-suppress invalidPointerCast ; the vectors are may_alias */
        *(floats *)(out + at_c + i * n) = (floats)kept * unit;
    }
}

bool EXEC_FOR_ISA(exec_sums_ordinary)(const exec_matrix_product *p, const uint32_t *bits_a,
                                      const uint32_t *bits_b, const uint32_t *bits_c, uint32_t *d)
{
    static const uint32_t zeros[EXEC_MAX_TILE_ELEMENTS];
    const uint32_t m = p->m, n = p->n, k = p->k;
    const bool narrow = p->d->exponent < 8;
    const truncation how = {p->keep ? -(1 << (24 - p->keep)) : -1, narrow};
    ints refused = {0};
    numbers a, b, c;
    if (!widen_numbers(p->a, p->drop_a, LARGEST_FACTOR, bits_a, m * k, &a) ||
        !widen_numbers(p->b, p->drop_b, LARGEST_FACTOR, bits_b, k * n, &b) ||
        !widen_numbers(p->c, 0, LARGEST_SUM, p->c_last ? zeros : bits_c, m * n, &c))
        return false;
    for (uint32_t from = 0; from < k; from += p->step) {
        if (from && !widen_numbers(p->d, 0, LARGEST_SUM, d, m * n, &c))
            return false;
        const uint32_t count = k - from < p->step ? k - from : p->step;
        for (uint32_t i = 0; i < m; i += ROWS_AT_ONCE)
            for (uint32_t j = 0; j < n; j += AT_ONCE)
                add_step(p, &how, count, &a, i * k + from, &b, from * n + j, &c, i * n + j, d,
                         &refused);
        for (uint32_t x = 0; narrow && x < m * n; x++) {
            const uint32_t h = exec_to_f16(exec_f32(d[x]));
            d[x] = h & 0x7fff ? h : 0;
        }
    }
    return !is_any_negative(&refused);
}
