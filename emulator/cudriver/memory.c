/* Memory (Driver API, "Memory Management"). Addresses are unified: a CUdeviceptr is a pointer. */
#include "cudriver.h"

static void *pointer(CUdeviceptr p)
{
    return (void *)(uintptr_t)p;
}

static uint64_t number(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
    CU_CALL_IF(out && bytes, cudaMalloc((void **)out, bytes));
}

CUresult cuMemFree(CUdeviceptr p)
{
    CU_CALL(cudaFree(pointer(p)));
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    CU_CALL_IF(free_bytes && total, cudaMemGetInfo(free_bytes, total));
}

CUresult cuMemAllocHost(void **out, size_t bytes)
{
    CU_CALL_IF(out && bytes, cudaMallocHost(out, bytes));
}

CUresult cuMemFreeHost(void *p)
{
    CU_CALL_IF(p, cudaFreeHost(p));
}

static cudaError_t range(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    uint64_t first = 0;
    size_t bytes = 0;
    cudaError_t e = cu_table()->range(p, &first, &bytes);
    if (!e && base) {
        *base = first;
    }
    if (!e && size) {
        *size = bytes;
    }
    return e;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    CU_CALL(range(base, size, p));
}

/* --- copies -------------------------------------------------------------------------------------
 */

CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes)
{
    CU_CALL(cu_table()->copy("cuMemcpyHtoD", dst, number(src), bytes, cudaMemcpyHostToDevice, NULL,
                             false));
}

CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes)
{
    CU_CALL(cu_table()->copy("cuMemcpyDtoH", number(dst), src, bytes, cudaMemcpyDeviceToHost, NULL,
                             false));
}

CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    CU_CALL(
        cu_table()->copy("cuMemcpyDtoD", dst, src, bytes, cudaMemcpyDeviceToDevice, NULL, false));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    CU_CALL(cu_table()->copy("cuMemcpyHtoDAsync", dst, number(src), bytes, cudaMemcpyHostToDevice,
                             stream, true));
}

CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CU_CALL(cu_table()->copy("cuMemcpyDtoHAsync", number(dst), src, bytes, cudaMemcpyDeviceToHost,
                             stream, true));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CU_CALL(cu_table()->copy("cuMemcpyDtoDAsync", dst, src, bytes, cudaMemcpyDeviceToDevice, stream,
                             true));
}

CUresult cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count)
{
    CU_CALL(cu_table()->fill("cuMemsetD8", dst, value, 1, count));
}

CUresult cuMemsetD32(CUdeviceptr dst, unsigned int value, size_t count)
{
    CU_CALL(cu_table()->fill("cuMemsetD32", dst, value, 4, count));
}
