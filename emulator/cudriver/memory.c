/* Fills and queries about memory (Driver API, "Memory Management"). */
#include "cudriver.h"

static cudaError_t get_allocation_range(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    uint64_t first = 0;
    size_t bytes = 0;
    cudaError_t e = base || size ? cu_runtime_table()->range(p, &first, &bytes) : cudaSuccess;
    if (!e && base)
        *base = first;
    if (!e && size)
        *size = bytes;
    return e;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    CU_CALL(get_allocation_range(base, size, p));
}

/* --- fills ------------------------------------------------------------------------------------ */

#define DEFINE_MEMSET_CALLS(suffix, type, bytes)                                                  \
    CUresult cuMemsetD##suffix(CUdeviceptr dst, type value, size_t count)                         \
    {                                                                                             \
        CU_CALL(cu_runtime_table()->fill("cuMemsetD" #suffix, dst, 0, value, bytes, count, 1,     \
                                         NULL, false));                                           \
    }                                                                                             \
    CUresult cuMemsetD##suffix##Async(CUdeviceptr dst, type value, size_t count, CUstream stream) \
    {                                                                                             \
        CU_CALL_ON(stream, true,                                                                  \
                   cu_runtime_table()->fill("cuMemsetD" #suffix "Async", dst, 0, value, bytes,    \
                                            count, 1, stream, true));                             \
    }                                                                                             \
    CUresult cuMemsetD2D##suffix(CUdeviceptr dst, size_t pitch, type value, size_t width,         \
                                 size_t height)                                                   \
    {                                                                                             \
        CU_CALL(cu_runtime_table()->fill("cuMemsetD2D" #suffix, dst, pitch, value, bytes, width,  \
                                         height, NULL, false));                                   \
    }                                                                                             \
    CUresult cuMemsetD2D##suffix##Async(CUdeviceptr dst, size_t pitch, type value, size_t width,  \
                                        size_t height, CUstream stream)                           \
    {                                                                                             \
        CU_CALL_ON(stream, true,                                                                  \
                   cu_runtime_table()->fill("cuMemsetD2D" #suffix "Async", dst, pitch, value,     \
                                            bytes, width, height, stream, true));                 \
    }
DEFINE_MEMSET_CALLS(8, unsigned char, 1)
DEFINE_MEMSET_CALLS(16, unsigned short, 2)
DEFINE_MEMSET_CALLS(32, unsigned int, 4)

/* --- pointer attributes ----------------------------------------------------------------------- */

static cudaError_t pointer_attribute(void *data, CUpointer_attribute which, CUdeviceptr p)
{
    struct cudaPointerAttributes a;
    uint64_t base = 0;
    size_t bytes = 0;
    cudaError_t e = cudaPointerGetAttributes(&a, cu_pointer(p));
    e = RT_INVALID_IF(e, a.type == cudaMemoryTypeUnregistered);
    e = e ? e : cu_runtime_table()->range(p, &base, &bytes);
    if (e)
        return cudaErrorInvalidValue;
    switch ((int)which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return cu_runtime_table()->pointer_context(p, data);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data =
            a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = (uintptr_t)a.devicePointer;
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!a.hostPointer)
            return cudaErrorInvalidValue;
        *(void **)data = a.hostPointer;
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: *(int *)data = 0; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)data = base; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)data = a.type == cudaMemoryTypeManaged; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = a.device; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: /* of mapped memory, what was reserved with it */
        cu_runtime_table()->virtual->find_reserved(p, &base, &bytes);
        *(CUdeviceptr *)data = base;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        cu_runtime_table()->virtual->find_reserved(p, &base, &bytes);
        *(size_t *)data = bytes;
        break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)data = 1; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr p)
{
    /* The device pointer depends on the current context; other attributes do not. */
    CU_CALL_AFTER(cu_begin_call(which == CU_POINTER_ATTRIBUTE_DEVICE_POINTER), data,
                  pointer_attribute(data, which, p));
}
