/* Calls on vectors. */
#include "cublas.h"

#include <stdio.h>
#include <string.h>

static unsigned blocks_for(int64_t n, int64_t most)
{
    const int64_t blocks = (n + BLAS_THREADS - 1) / BLAS_THREADS;
    return (unsigned)(blocks < most ? blocks : most);
}

/* Blocks of kernels whose threads take every so many elements. */
enum { MOST_BLOCKS = 4096 };

static cublasStatus_t axpy(cublasHandle_t h, enum blas_type type, int64_t n, const void *alpha,
                           const void *x, int64_t incx, void *y, int64_t incy)
{
    NEEDS(h);
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    blas_scalar a = blas_scalar_at(h, alpha, type);
    blas_vector from = {x, incx}, to = {y, incy};
    return blas_launch(h, "axpy", blas_type_name(type), blocks_for(n, MOST_BLOCKS), 0,
                       (void *[]){&n, &a, &from, &to});
}

static cublasStatus_t scal(cublasHandle_t h, enum blas_type type, int64_t n, const void *alpha,
                           void *x, int64_t incx)
{
    NEEDS(h);
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    blas_scalar a = blas_scalar_at(h, alpha, type);
    blas_vector in = {x, incx};
    return blas_launch(h, "scal", blas_type_name(type), blocks_for(n, MOST_BLOCKS), 0,
                       (void *[]){&n, &a, &in});
}

/* The kernels NAME_TYPE, and NAME_join_TYPE if there are several blocks. The memory for it is the
 * stream's own, so that calls in several streams do not share it. */
static cublasStatus_t launch_reduction(cublasHandle_t h, const char *name, enum blas_type type,
                                       int64_t n, blas_vector x, blas_vector y, CUdeviceptr room,
                                       void *result, int wide)
{
    char join[32];
    const char *t = blas_type_name(type);
    /* A block has some elements for each thread before there is another. */
    unsigned blocks = blocks_for((n + 7) / 8, BLAS_PARTIALS);
    cublasStatus_t status =
        blas_launch(h, name, t, blocks, 0, (void *[]){&n, &x, &y, &room, &result, &wide});
    if (status || blocks == 1)
        return status;
    snprintf(join, sizeof join, "%s_join", name);
    return blas_launch(h, join, t, 1, 0, (void *[]){&blocks, &room, &result, &wide});
}

/* RESULT has SIZE bytes, on the host or the device. */
static cublasStatus_t reduce(cublasHandle_t h, const char *name, enum blas_type type, int64_t n,
                             const blas_vector *x, const blas_vector *y, void *result, size_t size,
                             bool is_nothing)
{
    const bool to_host = h->pointers == POINTERS_HOST;
    CUdeviceptr room;
    if (is_nothing) {
        if (to_host)
            memset(result, 0, size);
        else if (cuMemsetD8Async((CUdeviceptr)result, 0, size, h->stream))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        return CUBLAS_STATUS_SUCCESS;
    }
    if (cuMemAllocAsync(&room, (BLAS_PARTIALS + 1) * BLAS_STATE, h->stream))
        return CUBLAS_STATUS_ALLOC_FAILED;
    const CUdeviceptr slot = room + BLAS_PARTIALS * BLAS_STATE;
    cublasStatus_t status = launch_reduction(h, name, type, n, *x, *y, room,
                                             to_host ? (void *)slot : result, size == 8);
    if (!status && to_host && cuMemcpyDtoHAsync(result, slot, size, h->stream))
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    if (cuMemFreeAsync(room, h->stream) || (to_host && cuStreamSynchronize(h->stream)))
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}

static cublasStatus_t dot(cublasHandle_t h, enum blas_type type, int64_t n, const void *x,
                          int64_t incx, const void *y, int64_t incy, void *result, size_t size)
{
    NEEDS(h);
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return reduce(h, "dot", type, n, &(blas_vector){x, incx}, &(blas_vector){y, incy}, result, size,
                  n <= 0);
}

static cublasStatus_t reduce_one(cublasHandle_t h, const char *name, enum blas_type type, int64_t n,
                                 const void *x, int64_t incx, void *result, size_t size)
{
    NEEDS(h);
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return reduce(h, name, type, n, &(blas_vector){x, incx}, &(blas_vector){NULL, 0}, result, size,
                  n <= 0 || incx <= 0);
}

#define REDUCTION(name, kernel, type, T, R, N, suffix)                                     \
    CUBLAS_CALL cublas##name##suffix(cublasHandle_t h, N n, const T *x, N incx, R *result) \
    {                                                                                      \
        return reduce_one(h, kernel, type, n, x, incx, result, sizeof *result);            \
    }
#define VECTORS(S, s, type, T, N, suffix)                                                          \
    CUBLAS_CALL cublas##S##axpy##suffix(cublasHandle_t h, N n, const T *alpha, const T *x, N incx, \
                                        T *y, N incy)                                              \
    {                                                                                              \
        return axpy(h, type, n, alpha, x, incx, y, incy);                                          \
    }                                                                                              \
    CUBLAS_CALL cublas##S##scal##suffix(cublasHandle_t h, N n, const T *alpha, T *x, N incx)       \
    {                                                                                              \
        return scal(h, type, n, alpha, x, incx);                                                   \
    }                                                                                              \
    CUBLAS_CALL cublas##S##dot##suffix(cublasHandle_t h, N n, const T *x, N incx, const T *y,      \
                                       N incy, T *result)                                          \
    {                                                                                              \
        return dot(h, type, n, x, incx, y, incy, result, sizeof *result);                          \
    }                                                                                              \
    REDUCTION(S##nrm2, "nrm2", type, T, T, N, suffix)                                              \
    REDUCTION(S##asum, "asum", type, T, T, N, suffix)                                              \
    REDUCTION(I##s##amax, "iamax", type, T, N, N, suffix)                                          \
    REDUCTION(I##s##amin, "iamin", type, T, N, N, suffix)
VECTORS(S, s, BLAS_F32, float, int, _v2)
VECTORS(S, s, BLAS_F32, float, int64_t, _v2_64)
VECTORS(D, d, BLAS_F64, double, int, _v2)
VECTORS(D, d, BLAS_F64, double, int64_t, _v2_64)
