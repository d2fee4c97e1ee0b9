/* The handful of cuBLAS's types that the calls here take, as cublas_api.h of toolkits 12 and 13 has
 * them, and what the files of this folder share. The library uses the driver API as any program
 * may. */
#pragma once

#include "../common/library.h"
#include "kernel_args.h"

#include <stddef.h>
#include <stdint.h>

typedef enum cublasStatus_t {
#define STATUS(number, name, text) CUBLAS_STATUS_##name = number,
#include "status.def"
} cublasStatus_t;

typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;
enum { POINTERS_HOST, POINTERS_DEVICE };
typedef enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2 } cudaDataType;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
} cublasComputeType_t;

typedef struct cublasContext {
    CUmodule kernels;
    CUstream stream;
    int pointers, math, atomics; /* modes */
} * cublasHandle_t;

#define CUBLAS_EXPORT __attribute__((visibility("default")))
#define CUBLAS_CALL   CUBLAS_EXPORT cublasStatus_t

/* A call's first test: returns from it without a handle. */
#define NEEDS(handle) \
    if (!(handle))    \
    return CUBLAS_STATUS_NOT_INITIALIZED

/* Launch the kernel NAME_TYPE with ARGS in the handle's stream: rows of BLAS_THREADS threads, or
 * with BLOCKS_Z squares of BLAS_SIDE. */
cublasStatus_t blas_launch(cublasHandle_t h, const char *name, const char *type, unsigned blocks,
                           unsigned blocks_z, void **args);
/* Prints that parameter NUMBER of ROUTINE is wrong. */
CUBLAS_EXPORT void cublasXerbla(const char *routine, int number);
/* alpha or beta where the handle's pointer mode says. */
blas_scalar blas_scalar_at(cublasHandle_t h, const void *at, enum blas_type type);
const char *blas_type_name(enum blas_type type);
