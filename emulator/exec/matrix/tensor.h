/* The arithmetic of a tensor core for dense matrices: d = a * b + c (PTX ISA 9.7.14.4.5,
 * 9.7.14.5.14). Matrices are stored row by row; the matrices of a batch follow one another. The
 * ISA does not specify how floating-point sums are rounded. This implementation gives the same
 * bits as an H200 (tests/hardware/values, families mma and wmma, and the program wgmma_values).
 * Products are exact. Each step adds some products and c or the previous sum: all terms are
 * aligned to the largest exponent and truncated below a fixed number of bits, their sum is
 * exact, and it is truncated to f32 or rounded to f16. For 8-bit floats in wgmma, terms have 13
 * bits after the point and the sum has 14. */
#ifndef WARPBOOK_EXEC_TENSOR_H
#define WARPBOOK_EXEC_TENSOR_H

#include "../arith/narrow.h"
#include "fragment.h"

enum { EXEC_TENSOR_FRACTION = 25 }; /* fraction bits of a term that are kept */

typedef struct exec_matrix_product {
    uint16_t m, n, k, batch; /* sizes of the matrices, n a multiple of 8; number of matrices */
    const exec_float_format *a, *b, *c, *d; /* formats of floating-point elements */
    uint8_t drop_a, drop_b; /* number of low bits of an element that are ignored: 13 for tf32 */
    uint8_t step;           /* products added in one step; 0: they are added one by one */
    bool c_last;            /* c is added at the end, rounded to nearest */
    uint8_t fraction;       /* bits kept after the point, relative to the largest term's exponent */
    uint8_t keep;           /* bits of a sum before it is converted to the type of d; 0: all */
    bool signed_a, signed_b; /* for integers: the elements of a, of b are signed */
    bool saturate;           /* for integers: a result outside the range of s32 is clamped */
    uint8_t bits;            /* for integers: bits per element, 4 or 8 */
    bool is_and;             /* for single bits: they are combined with and, otherwise with xor */
    int rounding;            /* for f64: rounding mode, as for fesetround */
} exec_matrix_product;

/* How a tensor core sums elements of one type. */
typedef struct exec_element {
    const exec_float_format *format; /* the floating-point format; NULL: not floating point */
    ptx_type type;                   /* element type */
    uint8_t drop;                    /* unused low bits of the register */
    uint8_t step_mma, step_wmma; /* products that mma, wmma add in one step; wgmma adds all of k */
    uint8_t fraction_wgmma;      /* exec_matrix_product.fraction for wgmma */
    uint8_t keep_wgmma;          /* exec_matrix_product.keep for wgmma */
} exec_element;

/* How tensor cores sum elements of TYPE. NULL: they do not support TYPE. */
const exec_element *EXEC_FOR_ISA(exec_tensor_element)(ptx_type type);

/* The sums of one floating-point product, whose c and d have one format; without c if p->c_last.
 * exec_sums_ordinary is much faster than exec_sums_any; false: it does not compute such numbers. */
bool EXEC_FOR_ISA(exec_sums_ordinary)(const exec_matrix_product *p, const uint32_t *a,
                                      const uint32_t *b, const uint32_t *c, uint32_t *d);
void EXEC_FOR_ISA(exec_sums_any)(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                                 const uint32_t *c, uint32_t *d);

void EXEC_FOR_ISA(exec_tensor_float)(const exec_matrix_product *p, const uint32_t *a,
                                     const uint32_t *b, const uint32_t *c, uint32_t *d);
void EXEC_FOR_ISA(exec_tensor_int)(const exec_matrix_product *p, const uint32_t *a,
                                   const uint32_t *b, const uint32_t *c, uint32_t *d);
/* Product of single-bit matrices; k counts 32-bit words. */
void EXEC_FOR_ISA(exec_tensor_bits)(const exec_matrix_product *p, const uint32_t *a,
                                    const uint32_t *b, const uint32_t *c, uint32_t *d);
void EXEC_FOR_ISA(exec_tensor_double)(const exec_matrix_product *p, const double *a,
                                      const double *b, const double *c, double *d);

#endif
