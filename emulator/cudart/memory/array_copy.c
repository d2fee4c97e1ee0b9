/* Copies to and from CUDA arrays, and three-dimensional copies (Runtime API, "Memory Management").
 * Offsets and widths are in bytes in the two-dimensional calls; positions and extents are in
 * elements in cudaMemcpy3D if an array is involved. */
#include "../checks/checks.h"
#include "../core/call.h"
#include "../streams/op.h"
#include "array.h"
#include "copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A position in an array: the origin of the box that is copied. */
typedef struct array_position {
    const rt_array *array; /* the CUDA array */
    size_t x, y, z;        /* position in the array: x in bytes, y and z in rows and slices */
} array_position;

static uint32_t texel_bytes_of(const array_position *w)
{
    return w ? mem_texel_bytes(w->array->image.format) : 0;
}

static uint64_t row_bytes_of(const array_position *w)
{
    return (uint64_t)w->array->image.level[0].width * texel_bytes_of(w);
}

static rt_copy_box box_of_array(const array_position *w)
{
    const mem_mip_level *l = &w->array->image.level[0];
    return (rt_copy_box){.base = l->base + w->z * l->slice + w->y * l->pitch + w->x,
                         .pitch = l->pitch,
                         .slice = l->slice};
}

/* Report that the copy WHAT does not lie within the array of W: COPIED says what it copies. */
static void report_outside_array(const char *what, const array_position *w, const char *copied,
                                 const char *fix)
{
    char sentence[400], slices[30] = "";
    const mem_mip_level *l = &w->array->image.level[0];
    if (l->depth > 1)
        snprintf(slices, sizeof slices, "%u slices of ", l->depth);
    snprintf(sentence, sizeof sentence,
             "%s on, do not lie within a CUDA array of %s%u row%s of %" PRIu64
             " bytes (%u elements of %u bytes)",
             copied, slices, l->height, l->height == 1 ? "" : "s", row_bytes_of(w), l->width,
             texel_bytes_of(w));
    rt_report_bad_argument(what, sentence, fix);
}

/* Write to FIX how many rows or slices, WHAT, the array's ALL leave to a copy that begins at
 * FROM. */
static void advise_rest(char *fix, size_t size, const char *what, size_t from, uint32_t all)
{
    if (from < all)
        snprintf(fix, size, "copy the array's last %zu %s, or fewer", all - from, what);
    else
        snprintf(fix, size, "begin within the array's %u %s, counted from 0", all, what);
}

/* Does the box lie in the array of W (NULL: no array)? If not, report the copy WHAT. */
static bool check_box(const char *what, const array_position *w, size_t width, size_t height,
                      size_t depth)
{
    if (!w)
        return true;
    char copied[250], fix[200];
    const mem_mip_level *l = &w->array->image.level[0];
    const uint64_t row = row_bytes_of(w);
    const bool counts_elements = strncmp(what, "cudaMemcpy3D", 12) == 0;
    if (w->x > row || width > row - w->x)
        snprintf(fix, sizeof fix,
                 "let the first %s and the width, in %s, be at most %" PRIu64 " together, a row",
                 counts_elements ? "x" : "byte", counts_elements ? "elements" : "bytes",
                 counts_elements ? l->width : row);
    else if (w->y > l->height || height > l->height - w->y)
        advise_rest(fix, sizeof fix, "rows", w->y, l->height);
    else if (w->z > l->depth || depth > l->depth - w->z)
        advise_rest(fix, sizeof fix, "slices", w->z, l->depth);
    else
        return true;
    if (l->depth > 1) {
        snprintf(copied, sizeof copied,
                 "%zu slices of %zu rows of %zu bytes, from byte %zu of row %zu of slice %zu",
                 depth, height, width, w->x, w->y, w->z);
    } else {
        snprintf(copied, sizeof copied, "%zu rows of %zu bytes, from byte %zu of row %zu",
                 height * depth, width, w->x, w->y);
    }
    report_outside_array(what, w, copied, fix);
    return false;
}

/* Does KIND fit a copy to or from an array? Arrays are device memory; the other operand may be host
 * or device memory. */
static bool is_direction_possible(enum cudaMemcpyKind kind, bool to_array, bool from_array)
{
    return kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice ||
           (kind == cudaMemcpyHostToDevice && !from_array) ||
           (kind == cudaMemcpyDeviceToHost && !to_array) ||
           (kind == cudaMemcpyHostToHost && !to_array && !from_array);
}

static rt_copy_box box_of_pitched_memory(const void *p, size_t pitch)
{
    return (rt_copy_box){(uint64_t)(uintptr_t)p, pitch, 0};
}

/* The arguments that all calls that copy to or from an array have in common. */
typedef struct array_copy_call {
    const char *what;         /* name of the API function, for messages */
    enum cudaMemcpyKind kind; /* direction of the copy */
    cudaStream_t stream;      /* stream of the copy; NULL: the default stream */
    bool async;               /* the name of the API function ends in Async */
} array_copy_call;

/* Checks that an H200 makes before those of the arrays: an empty copy (*NOTHING), a pitch below the
 * width, a wrong direction. PITCH: of the linear memory; SIZE_MAX: none. */
static cudaError_t check_before_arrays(const array_copy_call *q, bool to_array, bool from_array,
                                       size_t width, size_t height, size_t pitch, bool *nothing)
{
    *nothing = !width || !height;
    return *nothing        ? cudaSuccess
           : pitch < width ? rt_error_because(cudaErrorInvalidPitchValue,
                                              "a row has %zu bytes, and the pitch of the memory is "
                                              "%zu",
                                              width, pitch)
           : !is_direction_possible(q->kind, to_array, from_array) ? cudaErrorInvalidMemcpyDirection
                                                                   : cudaSuccess;
}

/* Look up the stream and the arrays of a copy. If the destination or source is not an array, its
 * handle and position are NULL. */
static cudaError_t find_arrays_of_copy(const array_copy_call *q, cudaArray_const_t dst,
                                       array_position *d, cudaArray_const_t src, array_position *s,
                                       rt_stream **stream)
{
    cudaError_t e = rt_lock();
    *stream = rt_stream_of(q->stream);
    e = RT_ERROR_IF(e, !*stream, cudaErrorInvalidResourceHandle);
    if (d) {
        d->array = rt_array_of(dst);
        e = e || d->array ? e : cudaErrorInvalidResourceHandle;
    }
    if (s) {
        s->array = rt_array_of(src);
        e = e || s->array ? e : cudaErrorInvalidResourceHandle;
    }
    return e;
}

static cudaError_t queue_copy_of_box(const array_copy_call *q, rt_stream *stream,
                                     const array_position *d, rt_copy_box dst,
                                     const array_position *s, rt_copy_box src, size_t width,
                                     size_t height, size_t depth)
{
    if (!is_direction_possible(q->kind, d != NULL, s != NULL))
        return cudaErrorInvalidMemcpyDirection;
    if (!check_box(q->what, d, width, height, depth) ||
        !check_box(q->what, s, width, height, depth))
        return cudaErrorInvalidValue;
    return rt_queue_copy(q->what, d ? box_of_array(d) : dst, s ? box_of_array(s) : src, width,
                         height, depth, q->kind, stream, q->async);
}

/* --- copies in two dimensions ----------------------------------------------------------------- */

static cudaError_t copy_to_array(const array_copy_call *q, cudaArray_t dst, array_position d,
                                 const void *src, size_t pitch, size_t width, size_t height)
{
    bool nothing;
    cudaError_t e = check_before_arrays(q, true, false, width, height, pitch, &nothing);
    if (e || nothing)
        return rt_set_last_error(e);
    rt_stream *s;
    e = find_arrays_of_copy(q, dst, &d, NULL, NULL, &s);
    return rt_unlock(e ? e
                       : queue_copy_of_box(q, s, &d, (rt_copy_box){0}, NULL,
                                           box_of_pitched_memory(src, pitch), width, height, 1));
}

static cudaError_t copy_from_array(const array_copy_call *q, void *dst, size_t pitch,
                                   cudaArray_const_t src, array_position w, size_t width,
                                   size_t height)
{
    bool nothing;
    cudaError_t e = check_before_arrays(q, false, true, width, height, pitch, &nothing);
    if (e || nothing)
        return rt_set_last_error(e);
    rt_stream *s;
    e = find_arrays_of_copy(q, NULL, NULL, src, &w, &s);
    return rt_unlock(e ? e
                       : queue_copy_of_box(q, s, NULL, box_of_pitched_memory(dst, pitch), &w,
                                           (rt_copy_box){0}, width, height, 1));
}

/* An array copy and its twin for a stream, NAMEAsync. */
#define ARRAY_COPIES(name, params, work, ...)                                            \
    cudaError_t name(RT_PARAMETERS params)                                               \
    {                                                                                    \
        return work(&(array_copy_call){#name, kind, NULL, false}, __VA_ARGS__);          \
    }                                                                                    \
    cudaError_t name##Async(RT_PARAMETERS params, cudaStream_t stream)                   \
    {                                                                                    \
        return work(&(array_copy_call){#name "Async", kind, stream, true}, __VA_ARGS__); \
    }

ARRAY_COPIES(cudaMemcpy2DToArray,
             (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
              size_t height, enum cudaMemcpyKind kind),
             copy_to_array, dst, (array_position){.x = x, .y = y}, src, pitch, width, height)

ARRAY_COPIES(cudaMemcpy2DFromArray,
             (void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
              size_t height, enum cudaMemcpyKind kind),
             copy_from_array, dst, pitch, src, (array_position){.x = x, .y = y}, width, height)

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
                                     cudaArray_const_t src, size_t src_x, size_t src_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const array_copy_call q = {"cudaMemcpy2DArrayToArray", kind, NULL, false};
    array_position d = {.x = dst_x, .y = dst_y}, w = {.x = src_x, .y = src_y};
    bool nothing;
    cudaError_t e = check_before_arrays(&q, true, true, width, height, SIZE_MAX, &nothing);
    if (e || nothing)
        return rt_set_last_error(e);
    rt_stream *s;
    e = find_arrays_of_copy(&q, dst, &d, src, &w, &s);
    return rt_unlock(
        e ? e
          : queue_copy_of_box(&q, s, &d, (rt_copy_box){0}, &w, (rt_copy_box){0}, width, height, 1));
}

/* --- one dimension: COUNT bytes, which may wrap to the next row of the array ------------------ */

static size_t bytes_left_in_row(const array_position *w)
{
    return row_bytes_of(w) - w->x;
}

/* Do COUNT bytes from W on lie in its array (NULL: no array)? If not, report the copy WHAT. */
static bool check_consecutive_bytes(const char *what, const array_position *w, size_t count)
{
    if (!w)
        return true;
    char copied[120], fix[120];
    const uint64_t height = w->array->image.level[0].height, row = row_bytes_of(w);
    const uint64_t left = w->x < row && w->y < height ? (height - w->y) * row - w->x : 0;
    if (count <= left)
        return true;
    snprintf(copied, sizeof copied, "%zu bytes, from byte %zu of row %zu", count, w->x, w->y);
    snprintf(fix, sizeof fix, "copy what the array has from there on: %" PRIu64 " bytes", left);
    if (!left)
        snprintf(fix, sizeof fix,
                 "begin within the array: the first offset counts bytes, the second rows");
    report_outside_array(what, w, copied, fix);
    return false;
}

static void advance_array_pos(array_position *w, size_t bytes)
{
    w->x += bytes;
    if (!bytes_left_in_row(w)) {
        w->x = 0;
        w->y++;
    }
}

static cudaError_t copy_part_of_row(const array_copy_call *q, rt_stream *stream, array_position *d,
                                    uint64_t dst, array_position *s, uint64_t src, size_t count)
{
    cudaError_t e =
        check_consecutive_bytes(q->what, d, count) && check_consecutive_bytes(q->what, s, count)
            ? cudaSuccess
            : cudaErrorInvalidValue;
    while (!e && count) {
        size_t piece = count;
        piece = d && bytes_left_in_row(d) < piece ? bytes_left_in_row(d) : piece;
        piece = s && bytes_left_in_row(s) < piece ? bytes_left_in_row(s) : piece;
        e = queue_copy_of_box(q, stream, d, (rt_copy_box){dst, piece, 0}, s,
                              (rt_copy_box){src, piece, 0}, piece, 1, 1);
        if (d)
            advance_array_pos(d, piece);
        if (s)
            advance_array_pos(s, piece);
        dst += piece;
        src += piece;
        count -= piece;
    }
    return e;
}

static cudaError_t copy_consecutive_bytes(const array_copy_call *q, cudaArray_t dst_array,
                                          array_position *d, const void *dst,
                                          cudaArray_const_t src_array, array_position *s,
                                          const void *src, size_t count)
{
    bool nothing;
    cudaError_t e = check_before_arrays(q, d != NULL, s != NULL, count, 1, SIZE_MAX, &nothing);
    if (e || nothing)
        return rt_set_last_error(e);
    rt_stream *stream;
    e = find_arrays_of_copy(q, dst_array, d, src_array, s, &stream);
    return rt_unlock(e ? e
                       : copy_part_of_row(q, stream, d, (uint64_t)(uintptr_t)dst, s,
                                          (uint64_t)(uintptr_t)src, count));
}

ARRAY_COPIES(cudaMemcpyToArray,
             (cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
              enum cudaMemcpyKind kind),
             copy_consecutive_bytes, dst, &(array_position){.x = x, .y = y}, NULL, NULL, NULL, src,
             count)

ARRAY_COPIES(cudaMemcpyFromArray,
             (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
              enum cudaMemcpyKind kind),
             copy_consecutive_bytes, NULL, NULL, dst, src, &(array_position){.x = x, .y = y}, NULL,
             count)

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
                                   cudaArray_const_t src, size_t src_x, size_t src_y, size_t count,
                                   enum cudaMemcpyKind kind)
{
    const array_copy_call q = {"cudaMemcpyArrayToArray", kind, NULL, false};
    return copy_consecutive_bytes(&q, dst, &(array_position){.x = dst_x, .y = dst_y}, NULL, src,
                                  &(array_position){.x = src_x, .y = src_y}, NULL, count);
}

/* --- copies in three dimensions --------------------------------------------------------------- */

/* The box that begins at position AT of the pitched memory P. AT: in elements of ELEMENT bytes. */
static rt_copy_box box_of_pitched_volume(struct cudaPitchedPtr p, struct cudaPos at, size_t element)
{
    const size_t slice = p.pitch * p.ysize;
    return (rt_copy_box){(uint64_t)(uintptr_t)p.ptr + at.z * slice + at.y * p.pitch +
                             at.x * element,
                         p.pitch, slice};
}

size_t rt_array_element_size(cudaArray_const_t handle)
{
    const array_position w = {.array = rt_array_of(handle)};
    return w.array ? texel_bytes_of(&w) : 1;
}

cudaError_t rt_queue_copy3d(const char *what, const struct cudaMemcpy3DParms *p, rt_stream *stream,
                            bool async)
{
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    const array_copy_call q = {what, p->kind, NULL, async};
    array_position dst = {.x = p->dstPos.x, .y = p->dstPos.y, .z = p->dstPos.z},
                   src = {.x = p->srcPos.x, .y = p->srcPos.y, .z = p->srcPos.z};
    array_position *d = p->dstArray ? &dst : NULL, *s = p->srcArray ? &src : NULL;
    dst.array = d ? rt_array_of(p->dstArray) : NULL;
    src.array = s ? rt_array_of(p->srcArray) : NULL;
    if ((d && !d->array) || (s && !s->array))
        return cudaErrorInvalidResourceHandle;
    if (d && s && texel_bytes_of(d) != texel_bytes_of(s))
        return cudaErrorInvalidValue;
    const size_t element = d ? texel_bytes_of(d) : s ? texel_bytes_of(s) : 1;
    dst.x *= d ? element : 1;
    src.x *= s ? element : 1;
    if ((unsigned)p->kind <= cudaMemcpyDefault &&
        !is_direction_possible(p->kind, d != NULL, s != NULL))
        return cudaErrorInvalidValue;
    return queue_copy_of_box(&q, stream, d, box_of_pitched_volume(p->dstPtr, p->dstPos, element), s,
                             box_of_pitched_volume(p->srcPtr, p->srcPos, element),
                             p->extent.width * element, p->extent.height, p->extent.depth);
}

static cudaError_t copy_volume(const array_copy_call *q, const struct cudaMemcpy3DParms *p)
{
    if (!p)
        return rt_set_last_error(cudaErrorInvalidValue);
    cudaError_t e = rt_lock();
    rt_stream *stream = rt_stream_of(q->stream);
    e = RT_ERROR_IF(e, !stream, cudaErrorInvalidResourceHandle);
    return rt_unlock(e ? e : rt_queue_copy3d(q->what, p, stream, q->async));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_volume(&(array_copy_call){"cudaMemcpy3D", p ? p->kind : 0, NULL, false}, p);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_volume(&(array_copy_call){"cudaMemcpy3DAsync", p ? p->kind : 0, stream, true}, p);
}

/* There is only one device, so a peer copy stays within it. */
static cudaError_t copy_volume_to_peer(const char *what, const struct cudaMemcpy3DPeerParms *p,
                                       cudaStream_t stream, bool async)
{
    if (!p)
        return rt_set_last_error(cudaErrorInvalidValue);
    if (p->dstDevice || p->srcDevice)
        return rt_set_last_error(cudaErrorInvalidDevice);
    const struct cudaMemcpy3DParms same = {.srcArray = p->srcArray,
                                           .srcPos = p->srcPos,
                                           .srcPtr = p->srcPtr,
                                           .dstArray = p->dstArray,
                                           .dstPos = p->dstPos,
                                           .dstPtr = p->dstPtr,
                                           .extent = p->extent,
                                           .kind = cudaMemcpyDefault};
    return copy_volume(&(array_copy_call){what, cudaMemcpyDefault, stream, async}, &same);
}

RT_AND_ASYNC(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), copy_volume_to_peer, p)
