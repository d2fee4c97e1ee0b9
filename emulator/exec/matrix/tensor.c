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

static void multiply_float(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                           const uint32_t *c, uint32_t *d)
{
    if (!EXEC_FOR_ISA(exec_sums_ordinary)(p, a, b, c, d))
        EXEC_FOR_ISA(exec_sums_any)(p, a, b, c, d);
    for (uint32_t k = 0; p->c_last && k < (uint32_t)p->m * p->n; k++) {
        if (p->d->exponent < 8) {
            d[k] = exec_to_f16(exec_from_f16(d[k]) + exec_from_f16(c[k]));
            continue;
        }
        const float sum = exec_f32(d[k]) + exec_f32(c[k]);
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
