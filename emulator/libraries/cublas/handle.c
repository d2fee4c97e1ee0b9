/* Handles, their settings, status codes, and launches. */
#include "cublas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CUBLAS_CALL cublasCreate_v2(cublasHandle_t *out)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = NULL;
    if (!library_has_context())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasHandle_t h = calloc(1, sizeof *h);
    if (!h || cuModuleLoadData(&h->kernels, library_kernels)) {
        free(h);
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    *out = h;
    return CUBLAS_STATUS_SUCCESS;
}

CUBLAS_CALL cublasDestroy_v2(cublasHandle_t h)
{
    NEEDS(h);
    cuCtxSynchronize();
    cuModuleUnload(h->kernels);
    free(h);
    return CUBLAS_STATUS_SUCCESS;
}

/* A setting of a handle: its two calls, and which values it takes. */
#define SETTING(what, suffix, type, field, is_valid)                   \
    CUBLAS_CALL cublasSet##what##suffix(cublasHandle_t h, type value)  \
    {                                                                  \
        NEEDS(h);                                                      \
        if (!(is_valid))                                               \
            return CUBLAS_STATUS_INVALID_VALUE;                        \
        h->field = value;                                              \
        return CUBLAS_STATUS_SUCCESS;                                  \
    }                                                                  \
    CUBLAS_CALL cublasGet##what##suffix(cublasHandle_t h, type *value) \
    {                                                                  \
        NEEDS(h);                                                      \
        if (!value)                                                    \
            return CUBLAS_STATUS_INVALID_VALUE;                        \
        *value = h->field;                                             \
        return CUBLAS_STATUS_SUCCESS;                                  \
    }
enum { MATH_MODES = 5, MATH_FP64_EMULATED = 8, MATH_DISALLOW_REDUCED_PRECISION = 16 };
#define MATH(value) ((unsigned)(value) & ~(unsigned)MATH_DISALLOW_REDUCED_PRECISION)
SETTING(Stream, _v2, CUstream, stream, true)
SETTING(PointerMode, _v2, int, pointers, value == POINTERS_HOST || value == POINTERS_DEVICE)
SETTING(MathMode, , int, math, MATH(value) < MATH_MODES || MATH(value) == MATH_FP64_EMULATED)
SETTING(AtomicsMode, , int, atomics, value == 0 || value == 1)

/* The kernels need none; NVIDIA's takes any address too. */
CUBLAS_CALL cublasSetWorkspace_v2(cublasHandle_t h, const void *workspace, size_t size)
{
    (void)workspace;
    (void)size;
    NEEDS(h);
    return CUBLAS_STATUS_SUCCESS;
}

CUBLAS_CALL cublasGetVersion_v2(cublasHandle_t h, int *version)
{
    (void)h;
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = library_version;
    return CUBLAS_STATUS_SUCCESS;
}

CUBLAS_CALL cublasGetProperty(int which, int *value)
{
    return library_property(which, 10000, value) ? CUBLAS_STATUS_SUCCESS
                                                 : CUBLAS_STATUS_INVALID_VALUE;
}

CUBLAS_EXPORT size_t cublasGetCudartVersion(void)
{
    return (size_t)library_cudart_version;
}

CUBLAS_EXPORT const char *cublasGetStatusName(cublasStatus_t status)
{
#define STATUS(number, name, text) \
    if (status == (number))        \
        return "CUBLAS_STATUS_" #name;
#include "status.def"
    return "unrecognized status";
}

CUBLAS_EXPORT const char *cublasGetStatusString(cublasStatus_t status)
{
#define STATUS(number, name, text) \
    if (status == (number))        \
        return text;
#include "status.def"
    return "unrecognized status";
}

CUBLAS_EXPORT void cublasXerbla(const char *routine, int number)
{
    printf(" ** On entry to %s parameter number %d had an illegal value\n", routine, number);
}

const char *blas_type_name(enum blas_type type)
{
    return type == BLAS_F32 ? "f32" : type == BLAS_F64 ? "f64" : "f16";
}

blas_scalar blas_scalar_at(cublasHandle_t h, const void *at, enum blas_type type)
{
    static const size_t size[] = {[BLAS_F32] = 4, [BLAS_F64] = 8, [BLAS_F16] = 2};
    blas_scalar s = {.type = type};
    if (h->pointers == POINTERS_DEVICE)
        s.at = at;
    else
        memcpy(&s.bytes, at, size[type]);
    return s;
}

cublasStatus_t blas_launch(cublasHandle_t h, const char *name, const char *type, unsigned blocks,
                           unsigned blocks_z, void **args)
{
    char symbol[64];
    const bool square = blocks_z > 0;
    const library_shape shape = {
        .grid = {blocks, 1, blocks_z},
        .block = {square ? BLAS_SIDE : BLAS_THREADS, square ? BLAS_SIDE : 1},
    };
    snprintf(symbol, sizeof symbol, "%s_%s", name, type);
    switch (library_launch(h->kernels, symbol, &shape, h->stream, args)) {
    case CUDA_SUCCESS: return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_NOT_FOUND: return CUBLAS_STATUS_INTERNAL_ERROR;
    default: return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}
