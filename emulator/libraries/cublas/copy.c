/* Copies of vectors and matrices between host and device. */
#include "cublas.h"

/* COUNT pieces of BYTES bytes, FROM and TO so many bytes apart; in STREAM or at once. */
static cublasStatus_t copy(int64_t count, int64_t bytes, const void *from, int64_t from_pitch,
                           void *to, int64_t to_pitch, bool to_device, CUstream *stream)
{
    if (count < 0)
        return CUBLAS_STATUS_MAPPING_ERROR;
    if (count == 0 || bytes == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (from_pitch == bytes && to_pitch == bytes) {
        bytes *= count;
        from_pitch = to_pitch = bytes;
        count = 1;
    }
    CUDA_MEMCPY2D c = {.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                       .srcPitch = (size_t)from_pitch,
                       .dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                       .dstPitch = (size_t)to_pitch,
                       .WidthInBytes = (size_t)bytes,
                       .Height = (size_t)count};
    if (to_device) {
        c.srcHost = from;
        c.dstDevice = (CUdeviceptr)to;
    } else {
        c.srcDevice = (CUdeviceptr)from;
        c.dstHost = to;
    }
    return (stream ? cuMemcpy2DAsync(&c, *stream) : cuMemcpy2DUnaligned(&c))
               ? CUBLAS_STATUS_MAPPING_ERROR
               : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t copy_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
                                  int64_t incy, bool to_device, CUstream *stream)
{
    if (size <= 0 || incx <= 0 || incy <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(n, size, x, incx * size, y, incy * size, to_device, stream);
}

static cublasStatus_t copy_matrix(int64_t rows, int64_t columns, int64_t size, const void *a,
                                  int64_t lda, void *b, int64_t ldb, bool to_device,
                                  CUstream *stream)
{
    if (rows < 0 || columns < 0 || size <= 0 || lda <= 0 || ldb <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lda < rows || ldb < rows)
        return CUBLAS_STATUS_MAPPING_ERROR;
    return copy(columns, rows * size, a, lda * size, b, ldb * size, to_device, stream);
}

#define COPIES(direction, suffix, N, to_device)                                                    \
    CUBLAS_CALL cublas##direction##Vector##suffix(N n, N size, const void *x, N incx, void *y,     \
                                                  N incy)                                          \
    {                                                                                              \
        return copy_vector(n, size, x, incx, y, incy, to_device, NULL);                            \
    }                                                                                              \
    CUBLAS_CALL cublas##direction##VectorAsync##suffix(N n, N size, const void *x, N incx,         \
                                                       void *y, N incy, CUstream stream)           \
    {                                                                                              \
        return copy_vector(n, size, x, incx, y, incy, to_device, &stream);                         \
    }                                                                                              \
    CUBLAS_CALL cublas##direction##Matrix##suffix(N rows, N columns, N size, const void *a, N lda, \
                                                  void *b, N ldb)                                  \
    {                                                                                              \
        return copy_matrix(rows, columns, size, a, lda, b, ldb, to_device, NULL);                  \
    }                                                                                              \
    CUBLAS_CALL cublas##direction##MatrixAsync##suffix(N rows, N columns, N size, const void *a,   \
                                                       N lda, void *b, N ldb, CUstream stream)     \
    {                                                                                              \
        return copy_matrix(rows, columns, size, a, lda, b, ldb, to_device, &stream);               \
    }
COPIES(Set, , int, true)
COPIES(Set, _64, int64_t, true)
COPIES(Get, , int, false)
COPIES(Get, _64, int64_t, false)
