/* The public copy and fill calls (Runtime API, "Memory Management"). Each passes its 3D box of
 * bytes to copy.c. */
#include "../checks/checks.h"
#include "../core/call.h"
#include "../streams/op.h"
#include "copy.h"

static rt_copy_box box_of_row(const void *p, size_t bytes)
{
    return (rt_copy_box){(uint64_t)(uintptr_t)p, bytes, bytes};
}

static rt_copy_box box_of_plane(const void *p, size_t pitch)
{
    return (rt_copy_box){(uint64_t)(uintptr_t)p, pitch, 0};
}

static cudaError_t copy_boxes(const char *what, rt_copy_box dst, rt_copy_box src, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream,
                              bool async)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    return rt_unlock(e ? e : rt_queue_copy(what, dst, src, width, height, 1, kind, s, async));
}

static cudaError_t fill_box(const char *what, rt_copy_box dst, int value, size_t width,
                            size_t height, size_t depth, cudaStream_t stream, bool async)
{
    cudaError_t e = rt_lock();
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    rt_check_fill_value(what, value, width * height * depth);
    return rt_unlock(
        e ? e : rt_queue_fill(what, dst, (uint32_t)value, 1, width, height, depth, s, async));
}

RT_AND_ASYNC(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
             copy_boxes, box_of_row(dst, count), box_of_row(src, count), count, 1, kind)

RT_AND_ASYNC(cudaMemcpy2D,
             (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
              enum cudaMemcpyKind kind),
             copy_boxes, box_of_plane(dst, dpitch), box_of_plane(src, spitch), width, height, kind)

RT_AND_ASYNC(cudaMemset, (void *p, int value, size_t count), fill_box, box_of_row(p, count), value,
             count, 1, 1)

RT_AND_ASYNC(cudaMemset2D, (void *p, size_t pitch, int value, size_t width, size_t height),
             fill_box, box_of_plane(p, pitch), value, width, height, 1)

static rt_copy_box box_of_volume(struct cudaPitchedPtr p)
{
    return (rt_copy_box){(uint64_t)(uintptr_t)p.ptr, p.pitch, p.pitch * p.ysize};
}

RT_AND_ASYNC(cudaMemset3D, (struct cudaPitchedPtr p, int value, struct cudaExtent extent), fill_box,
             box_of_volume(p), value, extent.width, extent.height, extent.depth)

/* There is only one device, so a peer copy stays within it. */
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t count)
{
    if (dst_device || src_device)
        return rt_set_last_error(cudaErrorInvalidDevice);
    return copy_boxes("cudaMemcpyPeer", box_of_row(dst, count), box_of_row(src, count), count, 1,
                      cudaMemcpyDefault, NULL, false);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t count, cudaStream_t stream)
{
    if (dst_device || src_device)
        return rt_set_last_error(cudaErrorInvalidDevice);
    return copy_boxes("cudaMemcpyPeerAsync", box_of_row(dst, count), box_of_row(src, count), count,
                      1, cudaMemcpyDefault, stream, true);
}
