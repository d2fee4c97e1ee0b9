/* What calls.c and the kernels agree on. C and CUDA C++. */
#pragma once

enum blas_type { BLAS_F32, BLAS_F64, BLAS_F16, BLAS_NO_TYPE };

/* alpha or beta: in device memory, or its bytes. */
typedef struct blas_scalar {
    const void *at;           /* in device memory; NULL: `bytes` holds the value */
    unsigned long long bytes; /* the value in its low bytes */
    int type;                 /* enum blas_type */
} blas_scalar;

/* op(A), op(B) or C of each product of a batch. */
typedef struct blas_matrix {
    const void *at;        /* the first one */
    long long row, column; /* elements from a row to the next one, and from a column */
    long long next;        /* elements from a matrix to the next one */
} blas_matrix;

typedef struct blas_product {
    long long m, n, k, count;
    blas_scalar alpha, beta;
    blas_matrix a, b, c;
} blas_product;

typedef struct blas_vector {
    const void *at;
    long long step; /* elements from one to the next; below 0 they begin at the far end */
} blas_vector;

/* alpha op(A) x + beta y, with as many rows and columns as op(A) has. */
typedef struct blas_matrix_vector {
    long long rows, columns;
    blas_scalar alpha, beta;
    blas_matrix a;
    blas_vector x, y;
} blas_matrix_vector;

enum {
    BLAS_THREADS = 256,  /* of a block of each kernel */
    BLAS_SIDE = 16,      /* threads of a side of a block of gemm */
    BLAS_PER = 4,        /* rows and columns of C of a thread of gemm, in the kernels `_wide` */
    BLAS_PARTIALS = 128, /* blocks of a reduction, at most */
    BLAS_STATE = 16,     /* bytes that a block of a reduction leaves for the last one */
};
