/* Copies of boxes of bytes between host, device and arrays (Driver API, "Memory Management"). They
 * become calls of cudaMemcpy3D, which counts in elements if an array is involved. */
#include "copy.h"

#include <string.h>

/* The source or the destination of a copy: fields of CUDA_MEMCPY3D whose names begin with src or
 * dst.
 */
typedef struct copy_operand {
    CUmemorytype type;  /* kind of memory: host, device, unified or array (see CUDA_MEMCPY3D) */
    const void *host;   /* for host memory: its address */
    CUdeviceptr device; /* for device memory: its address */
    CUarray array;      /* for a CUDA array: the array */
    size_t x;           /* offset of the copied box in its row, bytes */
    size_t y, z;        /* first row and first slice of the copied box */
    size_t pitch;       /* for memory: bytes from row to row */
    size_t height;      /* for memory: rows from slice to slice */
} copy_operand;

/* Size of an element of ARRAY in bytes; 0 if ARRAY is not a valid array. */
static size_t element_bytes(CUarray array)
{
    struct cudaChannelFormatDesc c = {0};
    struct cudaExtent extent;
    unsigned flags;
    return cudaArrayGetInfo(&c, &extent, &flags, (cudaArray_t)array)
               ? 0
               : (size_t)(c.x + c.y + c.z + c.w) / 8;
}

/* Convert the source or destination of a copy for cudaMemcpy3D. If it is an array, *UNIT becomes
 * the size of its elements in bytes. */
static cudaError_t convert_copy_operand(const copy_operand *e, const CUDA_MEMCPY3D *c,
                                        cudaArray_t *array, struct cudaPos *at,
                                        struct cudaPitchedPtr *p, size_t *unit)
{
    *at = (struct cudaPos){e->x, e->y, e->z};
    switch ((int)e->type) {
    case CU_MEMORYTYPE_ARRAY:
        *unit = element_bytes(e->array);
        if (!*unit)
            return cudaErrorInvalidResourceHandle;
        if (e->x % *unit)
            return cudaErrorInvalidValue;
        *array = (cudaArray_t)e->array;
        at->x = e->x / *unit;
        return cudaSuccess;
    case CU_MEMORYTYPE_HOST: p->ptr = (void *)(uintptr_t)e->host; break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: p->ptr = cu_pointer(e->device); break;
    default: return cudaErrorInvalidValue;
    }
    p->pitch = e->pitch ? e->pitch : e->x + c->WidthInBytes;
    p->xsize = p->pitch;
    p->ysize = e->height ? e->height : e->y + c->Height;
    return e->pitch && e->pitch < e->x + c->WidthInBytes ? cudaErrorInvalidValue : cudaSuccess;
}

static bool is_in_host_memory(const copy_operand *e)
{
    return e->type == CU_MEMORYTYPE_HOST;
}

static enum cudaMemcpyKind direction_between(const copy_operand *dst, const copy_operand *src)
{
    if (dst->type == CU_MEMORYTYPE_UNIFIED || src->type == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    return is_in_host_memory(src)
               ? is_in_host_memory(dst) ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
           : is_in_host_memory(dst) ? cudaMemcpyDeviceToHost
                                    : cudaMemcpyDeviceToDevice;
}

cudaError_t cu_convert_copy(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *out)
{
    const copy_operand src = {c->srcMemoryType, c->srcHost,     c->srcDevice,
                              c->srcArray,      c->srcXInBytes, c->srcY,
                              c->srcZ,          c->srcPitch,    c->srcHeight};
    const copy_operand dst = {c->dstMemoryType, c->dstHost,     c->dstDevice,
                              c->dstArray,      c->dstXInBytes, c->dstY,
                              c->dstZ,          c->dstPitch,    c->dstHeight};
    size_t from = 0, to = 0;
    memset(out, 0, sizeof *out);
    cudaError_t e = c->srcLOD || c->dstLOD ? cudaErrorInvalidValue : cudaSuccess;
    e = e ? e : convert_copy_operand(&src, c, &out->srcArray, &out->srcPos, &out->srcPtr, &from);
    e = e ? e : convert_copy_operand(&dst, c, &out->dstArray, &out->dstPos, &out->dstPtr, &to);
    const size_t unit = from ? from : to ? to : 1;
    e = RT_INVALID_IF(e, c->WidthInBytes % unit);
    out->extent = (struct cudaExtent){c->WidthInBytes / unit, c->Height, c->Depth};
    out->kind = direction_between(&dst, &src);
    return e;
}

static cudaError_t queue_3d_copy(const CUDA_MEMCPY3D *c, CUstream stream, bool async)
{
    struct cudaMemcpy3DParms p;
    if (!(c->WidthInBytes && c->Height && c->Depth))
        return cudaSuccess;
    cudaError_t e = cu_convert_copy(c, &p);
    return e ? e : async ? cudaMemcpy3DAsync(&p, stream) : cudaMemcpy3D(&p);
}

static CUDA_MEMCPY3D convert_2d_copy_to_3d(const CUDA_MEMCPY2D *c)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                           .srcY = c->srcY,
                           .srcMemoryType = c->srcMemoryType,
                           .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice,
                           .srcArray = c->srcArray,
                           .srcPitch = c->srcPitch,
                           .dstXInBytes = c->dstXInBytes,
                           .dstY = c->dstY,
                           .dstMemoryType = c->dstMemoryType,
                           .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice,
                           .dstArray = c->dstArray,
                           .dstPitch = c->dstPitch,
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = 1};
}

static cudaError_t copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, bool async)
{
    const CUDA_MEMCPY3D box = convert_2d_copy_to_3d(c);
    return queue_3d_copy(&box, stream, async);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c)
{
    CU_CALL_IF(c, copy_2d(c, NULL, false));
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c)
{
    CU_CALL_IF(c, copy_2d(c, NULL, false));
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
    CU_CALL_ON(stream, c, copy_2d(c, stream, true));
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c)
{
    CU_CALL_IF(c, queue_3d_copy(c, NULL, false));
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
    CU_CALL_ON(stream, c, queue_3d_copy(c, stream, true));
}

/* --- one-dimensional copies ------------------------------------------------------------------- */

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes)
{
    (void)to, (void)from;
    CU_CALL(cu_runtime_table()->copy("cuMemcpyPeer", dst, src, bytes, cudaMemcpyDeviceToDevice,
                                     NULL, false));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
                           size_t bytes, CUstream stream)
{
    (void)to, (void)from;
    CU_CALL_ON(stream, true,
               cu_runtime_table()->copy("cuMemcpyPeerAsync", dst, src, bytes,
                                        cudaMemcpyDeviceToDevice, stream, true));
}

/* The error of a one-dimensional array copy: cudaErrorInvalidValue if the array does not exist. */
static cudaError_t one_dimensional_copy_error(cudaError_t e)
{
    return e == cudaErrorInvalidResourceHandle ? cudaErrorInvalidValue : e;
}

/* Copy BYTES bytes to an array at OFFSET. All bytes lie in one row. */
static cudaError_t copy_to_array(CUarray array, size_t offset, const void *src, size_t bytes,
                                 enum cudaMemcpyKind kind, CUstream stream, bool async)
{
    return async ? cudaMemcpy2DToArrayAsync((cudaArray_t)array, offset, 0, src, bytes, bytes, 1,
                                            kind, stream)
                 : cudaMemcpy2DToArray((cudaArray_t)array, offset, 0, src, bytes, bytes, 1, kind);
}

static cudaError_t copy_from_array(void *dst, CUarray array, size_t offset, size_t bytes,
                                   enum cudaMemcpyKind kind, CUstream stream, bool async)
{
    return async ? cudaMemcpy2DFromArrayAsync(dst, bytes, (cudaArray_t)array, offset, 0, bytes, 1,
                                              kind, stream)
                 : cudaMemcpy2DFromArray(dst, bytes, (cudaArray_t)array, offset, 0, bytes, 1, kind);
}

CUresult cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t bytes)
{
    CU_CALL(one_dimensional_copy_error(
        copy_to_array(dst, offset, src, bytes, cudaMemcpyHostToDevice, NULL, false)));
}

CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes,
                           CUstream stream)
{
    CU_CALL_ON(stream, true,
               one_dimensional_copy_error(
                   copy_to_array(dst, offset, src, bytes, cudaMemcpyHostToDevice, stream, true)));
}

CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
    CU_CALL(one_dimensional_copy_error(
        copy_to_array(dst, offset, cu_pointer(src), bytes, cudaMemcpyDeviceToDevice, NULL, false)));
}

CUresult cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t bytes)
{
    CU_CALL(one_dimensional_copy_error(
        copy_from_array(dst, src, offset, bytes, cudaMemcpyDeviceToHost, NULL, false)));
}

CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream)
{
    CU_CALL_ON(stream, true,
               one_dimensional_copy_error(
                   copy_from_array(dst, src, offset, bytes, cudaMemcpyDeviceToHost, stream, true)));
}

CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
    CU_CALL(one_dimensional_copy_error(copy_from_array(cu_pointer(dst), src, offset, bytes,
                                                       cudaMemcpyDeviceToDevice, NULL, false)));
}

CUresult cuMemcpyAtoA(CUarray dst, size_t to, CUarray src, size_t from, size_t bytes)
{
    CU_CALL(one_dimensional_copy_error(cudaMemcpy2DArrayToArray(
        (cudaArray_t)dst, to, 0, (cudaArray_t)src, from, 0, bytes, 1, cudaMemcpyDeviceToDevice)));
}
