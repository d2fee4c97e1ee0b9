/* Several copies, prefetches or discards in one call (Runtime API, "Memory Management"). */
#include "../core/call.h"
#include "../graphs/capture.h"
#include "../streams/op.h"
#include "copy.h"
#include "release.h"

/* Take the lock and look up the stream of a call that copies several ranges at once. Default
 * streams are not allowed, only streams that the program created. */
static cudaError_t lock_and_find_created_stream(cudaStream_t stream, rt_stream **s)
{
    cudaError_t e = rt_lock();
    *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !*s, cudaErrorInvalidResourceHandle);
    e = RT_INVALID_IF(e, !(*s)->id);
    return e ? e : rt_capture_check_work(*s);
}

static bool is_known_order(enum cudaMemcpySrcAccessOrder order)
{
    return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

/* Check the attributes of all copies. Attribute k applies to the copies first[k] to first[k + 1] -
 * 1. */
static cudaError_t check_attributes(const struct cudaMemcpyAttributes *attr, const size_t *first,
                                    size_t n, size_t count)
{
    if (!attr || !first || !n || n > count || first[0])
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
        if (!is_known_order(attr[i].srcAccessOrder) || first[i] >= count ||
            (i && first[i] <= first[i - 1]))
            return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaMemcpyBatchAsync(void *const *dst, const void *const *src, const size_t *size,
                                 size_t count, struct cudaMemcpyAttributes *attr, size_t *first,
                                 size_t attrs, cudaStream_t stream)
{
    rt_stream *s;
    cudaError_t e = lock_and_find_created_stream(stream, &s);
    e = RT_INVALID_IF(e, !dst || !src || !size || !count);
    e = e ? e : check_attributes(attr, first, attrs, count);
    size_t at = 0;
    for (size_t i = 0; !e && i < count; i++) {
        at += at + 1 < attrs && first[at + 1] == i;
        const rt_copy_box to = {(uint64_t)(uintptr_t)dst[i], size[i], size[i]},
                          from = {(uint64_t)(uintptr_t)src[i], size[i], size[i]};
        e = size[i] ? rt_queue_copy("cudaMemcpyBatchAsync", to, from, size[i], 1, 1,
                                    cudaMemcpyDefault, s, true)
                    : cudaErrorInvalidValue;
        if (!e && attr[at].srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall &&
            !rt_is_capturing(s))
            e = rt_finish_stream(s);
    }
    return rt_unlock(e);
}

/* Convert one operand to the form of cudaMemcpy3D; ELEMENT is the size of an element in bytes. */
static cudaError_t convert_copy_operand(const struct cudaMemcpy3DOperand *o,
                                        struct cudaExtent extent, size_t element,
                                        cudaArray_t *array, struct cudaPos *pos,
                                        struct cudaPitchedPtr *ptr)
{
    switch (o->type) {
    case cudaMemcpyOperandTypePointer: {
        const size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent.width;
        *ptr =
            (struct cudaPitchedPtr){o->op.ptr.ptr, row * element, extent.width,
                                    o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent.height};
        return cudaSuccess;
    }
    case cudaMemcpyOperandTypeArray:
        *array = o->op.array.array;
        *pos = (struct cudaPos){o->op.array.offset.x, o->op.array.offset.y, o->op.array.offset.z};
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static cudaError_t queue_copy_of_batch(const struct cudaMemcpy3DBatchOp *op, rt_stream *s)
{
    struct cudaMemcpy3DParms p = {.extent = op->extent, .kind = cudaMemcpyDefault};
    if (!is_known_order(op->srcAccessOrder) || !op->extent.width || !op->extent.height ||
        !op->extent.depth)
        return cudaErrorInvalidValue;
    /* Widths are in elements of the array if one operand is an array, else in bytes. */
    size_t element =
        rt_array_element_size(op->src.type == cudaMemcpyOperandTypeArray   ? op->src.op.array.array
                              : op->dst.type == cudaMemcpyOperandTypeArray ? op->dst.op.array.array
                                                                           : NULL);
    cudaError_t e =
        convert_copy_operand(&op->src, op->extent, element, &p.srcArray, &p.srcPos, &p.srcPtr);
    e = e ? e
          : convert_copy_operand(&op->dst, op->extent, element, &p.dstArray, &p.dstPos, &p.dstPtr);
    e = e ? e : rt_queue_copy3d("cudaMemcpy3DBatchAsync", &p, s, true);
    if (!e && op->srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall && !rt_is_capturing(s))
        e = rt_finish_stream(s);
    return e;
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *op,
                                   unsigned long long flags, cudaStream_t stream)
{
    rt_stream *s;
    cudaError_t e = lock_and_find_created_stream(stream, &s);
    e = RT_INVALID_IF(e, !count || !op || flags);
    for (size_t i = 0; !e && i < count; i++)
        e = queue_copy_of_batch(&op[i], s);
    return rt_unlock(e);
}

/* --- managed memory ------------------------------------------------------------------------------
 * Host and device share its pages, so a prefetch moves nothing and a discard keeps the data. */

static cudaError_t check_managed_ranges(void **at, const size_t *size, size_t count,
                                        unsigned long long flags,
                                        const struct cudaMemLocation *location, const size_t *first,
                                        size_t locations, bool prefetch, cudaStream_t stream)
{
    rt_stream *s;
    cudaError_t e = lock_and_find_created_stream(stream, &s);
    e = RT_INVALID_IF(e, !at || !size || !count || flags);
    if (!e && prefetch && (!location || !first || !locations || locations > count || first[0]))
        e = cudaErrorInvalidValue;
    size_t which = 0;
    for (size_t i = 0; !e && i < count; i++) {
        /* cppcheck-suppress nullPointer ; no locations without `first` */
        which += which + 1 < locations && first[which + 1] == i;
        e = rt_managed_prefetch(at[i], size[i], prefetch ? &location[which] : NULL);
    }
    return rt_unlock(e);
}

cudaError_t cudaMemPrefetchBatchAsync(void **at, size_t *size, size_t count,
                                      struct cudaMemLocation *location, size_t *first,
                                      size_t locations, unsigned long long flags,
                                      cudaStream_t stream)
{
    return check_managed_ranges(at, size, count, flags, location, first, locations, true, stream);
}

cudaError_t cudaMemDiscardBatchAsync(void **at, size_t *size, size_t count,
                                     unsigned long long flags, cudaStream_t stream)
{
    return check_managed_ranges(at, size, count, flags, NULL, NULL, 0, false, stream);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **at, size_t *size, size_t count,
                                                struct cudaMemLocation *location, size_t *first,
                                                size_t locations, unsigned long long flags,
                                                cudaStream_t stream)
{
    return check_managed_ranges(at, size, count, flags, location, first, locations, true, stream);
}
