/* One instruction each for the tensor cores, for chapters about them: a matrix product of a warp,
 * and the load that gives each lane its part of a matrix. All lanes of the warp must take part.
 * Include it after lab.h. */
#ifndef WARPBOOK_LAB_MATRIX_H
#define WARPBOOK_LAB_MATRIX_H

#include "lab_half.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "mma.m16n8k16 needs an sm_80 or later: compile with nvcc -arch=native, or with -arch=sm_80"
#endif

/* c += a b, by mma.sync.m16n8k16: of halves, accumulated in floats. */
static __device__ inline void lab_mma(float c[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Four matrices of 8 x 8 halves to four registers. ROW of lane l: where row l % 8 of matrix l / 8
 * lies in shared memory, 16 bytes at a multiple of 16. */
static __device__ inline void ldmatrix(unsigned r[4], const __half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

/* The same, with each of the four matrices transposed. */
static __device__ inline void ldmatrix_transposed(unsigned r[4], const __half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

#endif
