/* What a tensor core makes of dense matrices: d = a * b + c (PTX ISA 9.7.14.4.5, 9.7.14.5.14).
 *
 * Matrices lie row by row; of a batch one after another. The ISA leaves open how floating-point
 * sums are rounded; this is the way of the recorded H200 (tests/hardware/values, families mma and
 * wmma, and the program wgmma_values), bit for bit: products are exact; the terms of a step, c or
 * the sum so far among them, are aligned to the largest of their exponents and cut off below a
 * number of bits; their sum is exact and cut off to f32 or rounded to f16. Of numbers of 8 bits in
 * wgmma these are 13 bits behind the point, and the sum has 14. */
#ifndef WARPBOOK_EXEC_TENSOR_H
#define WARPBOOK_EXEC_TENSOR_H

#include "../arith/narrow.h"
#include "fragment.h"

enum { SM_TENSOR_FRACTION = 25 }; /* bits of a term that are kept */

typedef struct sm_tensor {
    uint16_t m, n, k, batch; /* n a multiple of 8 */
    /* floating point */
    const sm_format *a, *b, *c, *d;
    uint8_t drop_a, drop_b; /* low bits of an element that are not looked at: 13 of tf32 */
    uint8_t step;           /* products that are summed together; 0: one after another */
    bool c_last;            /* c is added in the end, rounded to nearest */
    uint8_t fraction;       /* bits kept behind the point of the largest term's exponent */
    uint8_t keep;           /* bits that a sum has before it becomes one of d; 0: all */
    /* integers */
    bool signed_a, signed_b, saturate;
    uint8_t bits; /* 4 or 8 of an element */
    bool is_and;  /* of single bits: and, else xor */
    int rounding; /* of f64: as for fesetround */
} sm_tensor;

/* How elements of a type are summed. */
typedef struct sm_element {
    const sm_format *format;
    ptx_type type;
    uint8_t drop;                /* bits of the register below the element */
    uint8_t step_mma, step_wmma; /* products of this type that are summed together; of wgmma all */
    uint8_t fraction_wgmma, keep_wgmma; /* sm_tensor.fraction and .keep there */
} sm_element;

/* NULL: tensor cores know no such numbers. */
const sm_element *SM_LEVEL(sm_tensor_element)(ptx_type type);

void SM_LEVEL(sm_tensor_float)(const sm_tensor *p, const uint32_t *a, const uint32_t *b,
                               const uint32_t *c, uint32_t *d);
void SM_LEVEL(sm_tensor_int)(const sm_tensor *p, const uint32_t *a, const uint32_t *b,
                             const uint32_t *c, uint32_t *d);
/* K counts words of 32 bits. */
void SM_LEVEL(sm_tensor_bits)(const sm_tensor *p, const uint32_t *a, const uint32_t *b,
                              const uint32_t *c, uint32_t *d);
void SM_LEVEL(sm_tensor_double)(const sm_tensor *p, const double *a, const double *b,
                                const double *c, double *d);

#endif
