/* Products of floating-point matrices whose numbers are all of ordinary size: zero, or with an
 * exponent within limits that leave room in f32 for each product and each scaled term. A term is
 * truncated to the kept bits by a conversion to an integer, and the sum of a step's integers is
 * exact. sums_any.c computes the same for any numbers. */
#include "tensor.h"

#include "../arith/half.h"

enum {
    AT_ONCE = 8,             /* columns computed at the same time */
    ROWS_AT_ONCE = 4,        /* rows computed at the same time */
    LARGEST_FACTOR = 50,     /* limit of the exponents of a and b, up and down */
    LARGEST_SUM = 100,       /* limit of the exponents of c and of sums */
    EXPONENT_OF_ZERO = -1000 /* lower than the sum of any two others */
};

typedef float floats __attribute__((vector_size(4 * AT_ONCE)));
typedef int32_t ints __attribute__((vector_size(4 * AT_ONCE)));
typedef float half_floats __attribute__((vector_size(2 * AT_ONCE)));
typedef int32_t half_ints __attribute__((vector_size(2 * AT_ONCE)));
typedef double doubles __attribute__((vector_size(4 * AT_ONCE)));
typedef int64_t longs __attribute__((vector_size(4 * AT_ONCE)));

/* Numbers, and the exponents by which a tensor core aligns them. */
typedef struct numbers {
    float value[EXEC_MAX_TILE_ELEMENTS] __attribute__((aligned(64)));
    int32_t exponent[EXEC_MAX_TILE_ELEMENTS] __attribute__((aligned(64)));
} numbers;

/* Widen COUNT numbers of format F. False: one is larger or smaller than LIMIT allows, infinite or
 * NaN. */
static bool widen_numbers(const exec_float_format *f, uint32_t drop, int32_t limit,
                          const uint32_t *bits, uint32_t count, numbers *out)
{
    const uint32_t fraction = f->fraction, highest = (uint32_t)f->highest;
    const int32_t bias = (1 << (f->exponent - 1)) - 1;
    const uint32_t ones = (1u << (fraction + f->exponent)) - 1;
    const float unit = exec_f32((uint32_t)(254 - bias) << 23); /* also makes subnormals normal */
    uint32_t refused = 0;
    EXEC_IVDEP for (uint32_t k = 0; k < count; k++)
    {
        const uint32_t u = bits[k] >> drop, magnitude = u & ones;
        const int32_t field = (int32_t)(magnitude >> fraction), e = (field ? field : 1) - bias;
        refused |= (magnitude > highest) | ((magnitude != 0) & ((e > limit) | (e < -limit)));
        out->exponent[k] = magnitude ? e : EXPONENT_OF_ZERO;
        const float size = exec_f32(magnitude << (23 - fraction)) * unit;
        out->value[k] = u > ones ? -size : size;
    }
    return !refused;
}

static inline void take_larger(ints *top, const ints *e)
{
#ifdef __AVX2__
    *top = (ints)_mm256_max_epi32((__m256i)*top, (__m256i)*e);
#else
    const ints above = *e > *top;
    *top = (*e & above) | (*top & ~above);
#endif
}

/* SUM * 2^-FRACTION * 2^TOP, of which DROPPED bits of a double are truncated. STICKY: the last bit
 * that is kept is set if any dropped bit was. */
static inline void truncate_sums(const ints *sum, const ints *sum_c, const floats *unit,
                                 uint32_t dropped, bool sticky, float *out)
{
    for (uint32_t h = 0; h < 2; h++) { /* with c, a sum may exceed 32 bits */
        doubles exact = __builtin_convertvector(((const half_ints *)sum)[h], doubles);
        exact += __builtin_convertvector(((const half_ints *)sum_c)[h], doubles);
        exact *= __builtin_convertvector(((const half_floats *)unit)[h], doubles);
        const longs all = (longs)exact, low = all & ((INT64_C(1) << dropped) - 1);
        longs kept = all ^ low;
        if (sticky)
            kept |= (low != 0) & (INT64_C(1) << dropped);
        ((half_floats *)out)[h] = __builtin_convertvector((doubles)kept, half_floats);
    }
}

/* The sums of one step: products of COUNT elements of some rows of a, from AT_A on, with eight
 * columns of b, and c. */
static inline void add_step(const exec_matrix_product *p, uint32_t count, const numbers *a,
                            uint32_t at_a, const numbers *b, uint32_t at_b, const numbers *c,
                            uint32_t at_c, float *out)
{
    const size_t k = p->k, n = p->n;
    const int32_t *eb = b->exponent + at_b;
    const float *vb = b->value + at_b;
    const uint32_t dropped = 52 - (p->keep ? p->keep - 1u : 23);
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
        const ints sum_c = __builtin_convertvector(term, ints);
        const floats unit = (floats)((127 - p->fraction + top[i]) << 23);
        truncate_sums(&sum[i], &sum_c, &unit, dropped, p->d->exponent < 8, out + at_c + i * n);
    }
}

bool EXEC_FOR_ISA(exec_sums_ordinary)(const exec_matrix_product *p, const uint32_t *bits_a,
                                      const uint32_t *bits_b, const uint32_t *bits_c, uint32_t *d)
{
    static const uint32_t zeros[EXEC_MAX_TILE_ELEMENTS];
    const uint32_t m = p->m, n = p->n, k = p->k;
    float sum[EXEC_MAX_TILE_ELEMENTS] __attribute__((aligned(64)));
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
                add_step(p, count, &a, i * k + from, &b, from * n + j, &c, i * n + j, sum);
        if (p->d->exponent == 8)
            memcpy(d, sum, m * n * sizeof *d);
        for (uint32_t x = 0; p->d->exponent < 8 && x < m * n; x++) {
            const uint32_t h = exec_to_f16(sum[x]);
            d[x] = h & 0x7fff ? h : 0;
        }
    }
    return true;
}
