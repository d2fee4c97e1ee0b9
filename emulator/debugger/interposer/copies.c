/* The recorder's versions of the runtime calls that copy and fill memory (cudaMemcpy, cudaMemset
 * and their variants). */
#include "../recording/boxes.h"
#include "interposer.h"

#include <stdint.h>

typedef struct copied_box {
    const char *call;     /* name of the CUDA runtime call */
    rt_copy_box to, from; /* destination and source of the copy */
    size_t width;         /* bytes of a row */
    size_t height, depth; /* rows of a slice; number of slices */
    cudaStream_t stream;  /* stream that runs the copy */
} copied_box;

/* The operand of a copy of BYTES contiguous bytes at AT. */
static rt_copy_box flat_operand(const void *at, size_t bytes)
{
    return (rt_copy_box){(uint64_t)(uintptr_t)at, bytes, bytes};
}

/* The operand of a copy of rows: row k begins at AT + k * PITCH, and a slice has HEIGHT rows. */
static rt_copy_box pitched_operand(const void *at, size_t pitch, size_t height)
{
    return (rt_copy_box){(uint64_t)(uintptr_t)at, pitch, pitch * height};
}

/* Begin to record the copy or fill B. Returns false, without the lock, if B is not recorded. */
static bool begin_recorded_copy(const copied_box *b, interposer_op *o)
{
    if (!b->width || !b->height || !b->depth || !interposer_begin_recording())
        return false;
    if (interposer_is_stream_capturing(b->stream)) {
        interposer_release_recorder_lock();
        return false;
    }
    *o = interposer_begin_op(b->stream);
    return true;
}

/* A digest of the bytes that copy B has written to host memory. */
static uint64_t digest_of_returned_bytes(const copied_box *b)
{
    uint64_t hash = 0;
    for (size_t z = 0; z < b->depth; z++) {
        for (size_t y = 0; y < b->height; y++) {
            const uint64_t at = b->to.base + z * b->to.slice + y * b->to.pitch;
            hash = rec_digest_bytes(hash, (const void *)(uintptr_t)at, b->width);
        }
    }
    return hash;
}

/* Wait for the copy or fill O and record its result. TO_HOST: the copy, if it returns bytes to the
 * host; else NULL. */
static cudaError_t finish_copy_operation(interposer_op *o, const copied_box *to_host)
{
    cudaError_t fault;
    const double ns = interposer_wait_for_op(o, &fault);
    fault = fault == cudaErrorNotReady ? cudaSuccess : fault;
    interposer_end_op(o, ns, fault, to_host && !fault ? digest_of_returned_bytes(to_host) : 0,
                      false);
    interposer_release_recorder_lock();
    return cudaSuccess;
}

/* Record copy B, whose real call has returned E. The source of a copy from the host still holds its
 * old bytes: a source that overlaps its destination is an error. */
static cudaError_t record_copy_end(const copied_box *b, interposer_op *o, cudaError_t e)
{
    uint64_t to[3], from[3];
    const uint64_t extent[] = {b->width, b->height, b->depth};
    const rt_copy_box packed = {0, b->width, b->width * b->height};
    const bool device_from = interposer_is_device_memory(b->from.base),
               device_to = interposer_is_device_memory(b->to.base);
    const bool host_to = !device_to && !is_box_known(b->to, b->width, b->height, b->depth);
    const bool known_from = device_from || is_box_known(b->from, b->width, b->height, b->depth);
    if (e ||
        (!device_from && host_to)) { /* source and destination are host memory that kernels cannot
                                        use, so the recording does not contain the copy */
        interposer_drop_op(o);
        interposer_release_recorder_lock();
        return e;
    }
    rec_item item = {.kind = REC_copy,
                     .copy = {.op = o->id,
                              .stream = o->stream,
                              .call = b->call,
                              .way = device_from ? device_to ? RT_COPY_D2D : RT_COPY_D2H
                                     : device_to ? RT_COPY_H2D
                                                 : RT_COPY_H2H,
                              .timing = device_from ? device_to ? COPY_D2D : COPY_D2H_PAGEABLE
                                        : device_to ? COPY_H2D_PAGEABLE
                                                    : COPY_H2H,
                              .to = box_as_list(host_to ? packed : b->to, to),
                              .from = box_as_list(known_from ? b->from : packed, from),
                              .extent = {3, extent},
                              .host_from = !device_from,
                              .host_to = host_to}};
    if (!device_from) {
        item.copy.bytes =
            rec_store_box(interposer_recorder.writer, (const void *)(uintptr_t)b->from.base,
                          b->from.pitch, b->from.slice, b->width, b->height, b->depth);
    }
    interposer_write_record(&item);
    return finish_copy_operation(o, device_to ? NULL : b);
}

/* Record fill B with VALUE, whose real call has returned E. */
static cudaError_t record_fill_end(const copied_box *b, interposer_op *o, int value, cudaError_t e)
{
    uint64_t to[3];
    const uint64_t extent[] = {b->width, b->height, b->depth};
    if (e) {
        interposer_drop_op(o);
        interposer_release_recorder_lock();
        return e;
    }
    interposer_write_record(&(rec_item){.kind = REC_fill,
                                        .fill = {.op = o->id,
                                                 .stream = o->stream,
                                                 .call = b->call,
                                                 .to = box_as_list(b->to, to),
                                                 .extent = {3, extent},
                                                 .value = (uint8_t)value,
                                                 .unit = 1}});
    return finish_copy_operation(o, NULL);
}

/* The bodies of the recorded versions of cudaMemcpy..., and of cudaMemset... The surrounding
 * function has a variable `b`: the copied or filled box. */
#define RECORD_COPY_CALL(name, ...)                                                            \
    interposer_op o;                                                                           \
    return begin_recorded_copy(&b, &o) ? record_copy_end(&b, &o, CALL_REAL(name, __VA_ARGS__)) \
                                       : CALL_REAL(name, __VA_ARGS__)
#define RECORD_FILL_CALL(name, ...)                                           \
    interposer_op o;                                                          \
    return begin_recorded_copy(&b, &o)                                        \
               ? record_fill_end(&b, &o, value, CALL_REAL(name, __VA_ARGS__)) \
               : CALL_REAL(name, __VA_ARGS__)

/* --- copies ----------------------------------------------------------------------------------- */

/* A copy of BYTES contiguous bytes by the runtime call named CALL. */
static copied_box linear_copy(const char *call, void *to, const void *from, size_t bytes,
                              cudaStream_t stream)
{
    return (copied_box){call,  flat_operand(to, bytes), flat_operand(from, bytes), bytes, 1, 1,
                        stream};
}

INTERPOSER_API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                      enum cudaMemcpyKind kind)
{
    const copied_box b = linear_copy("cudaMemcpy", to, from, bytes, NULL);
    RECORD_COPY_CALL(cudaMemcpy, to, from, bytes, kind);
}

INTERPOSER_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const copied_box b = linear_copy("cudaMemcpyAsync", to, from, bytes, stream);
    RECORD_COPY_CALL(cudaMemcpyAsync, to, from, bytes, kind, stream);
}

/* CALL's copy of HEIGHT rows of WIDTH bytes. */
static copied_box pitched_copy(const char *call, void *to, size_t to_pitch, const void *from,
                               size_t from_pitch, size_t width, size_t height, cudaStream_t stream)
{
    return (copied_box){call,
                        pitched_operand(to, to_pitch, height),
                        pitched_operand(from, from_pitch, height),
                        width,
                        height,
                        1,
                        stream};
}

INTERPOSER_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                        size_t from_pitch, size_t width, size_t height,
                                        enum cudaMemcpyKind kind)
{
    const copied_box b =
        pitched_copy("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, NULL);
    RECORD_COPY_CALL(cudaMemcpy2D, to, to_pitch, from, from_pitch, width, height, kind);
}

INTERPOSER_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                             size_t from_pitch, size_t width, size_t height,
                                             enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const copied_box b =
        pitched_copy("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, stream);
    RECORD_COPY_CALL(cudaMemcpy2DAsync, to, to_pitch, from, from_pitch, width, height, kind,
                     stream);
}

/* The operand of a 3D copy that begins at position AT of the pitched memory P. */
static rt_copy_box pitched_operand_at(struct cudaPitchedPtr p, struct cudaPos at)
{
    const uint64_t slice = p.pitch * p.ysize;
    return (rt_copy_box){(uint64_t)(uintptr_t)p.ptr + at.z * slice + at.y * p.pitch + at.x, p.pitch,
                         slice};
}

/* The copy that P describes. One with a CUDA array becomes an empty box, which is not recorded. */
static copied_box volume_copy(const char *call, const struct cudaMemcpy3DParms *p,
                              cudaStream_t stream)
{
    if (!p || p->srcArray || p->dstArray) {
        if (p && interposer_begin_recording()) {
            interposer_warn("the program calls %s with a CUDA array, which cannot be recorded",
                            call);
            interposer_release_recorder_lock();
        }
        return (copied_box){.call = call};
    }
    return (copied_box){call,
                        pitched_operand_at(p->dstPtr, p->dstPos),
                        pitched_operand_at(p->srcPtr, p->srcPos),
                        p->extent.width,
                        p->extent.height,
                        p->extent.depth,
                        stream};
}

INTERPOSER_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    const copied_box b = volume_copy("cudaMemcpy3D", p, NULL);
    RECORD_COPY_CALL(cudaMemcpy3D, p);
}

INTERPOSER_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    const copied_box b = volume_copy("cudaMemcpy3DAsync", p, stream);
    RECORD_COPY_CALL(cudaMemcpy3DAsync, p, stream);
}

/* The address of byte OFFSET of the device variable that SYMBOL names; NULL: not known. */
static void *address_of_symbol(const void *symbol, size_t offset)
{
    uint64_t at = 0;
    if (interposer_begin_recording()) {
        at = interposer_symbol_address(symbol);
        interposer_release_recorder_lock();
    }
    return at ? (void *)(uintptr_t)(at + offset) : NULL;
}

INTERPOSER_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                              size_t offset, enum cudaMemcpyKind kind)
{
    void *to = address_of_symbol(symbol, offset);
    const copied_box b = linear_copy("cudaMemcpyToSymbol", to, from, to ? bytes : 0, NULL);
    RECORD_COPY_CALL(cudaMemcpyToSymbol, symbol, from, bytes, offset, kind);
}

INTERPOSER_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                                   size_t bytes, size_t offset,
                                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *to = address_of_symbol(symbol, offset);
    const copied_box b = linear_copy("cudaMemcpyToSymbolAsync", to, from, to ? bytes : 0, stream);
    RECORD_COPY_CALL(cudaMemcpyToSymbolAsync, symbol, from, bytes, offset, kind, stream);
}

INTERPOSER_API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                                size_t offset, enum cudaMemcpyKind kind)
{
    const void *from = address_of_symbol(symbol, offset);
    const copied_box b = linear_copy("cudaMemcpyFromSymbol", to, from, from ? bytes : 0, NULL);
    RECORD_COPY_CALL(cudaMemcpyFromSymbol, to, symbol, bytes, offset, kind);
}

INTERPOSER_API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                                     size_t offset, enum cudaMemcpyKind kind,
                                                     cudaStream_t stream)
{
    const void *from = address_of_symbol(symbol, offset);
    const copied_box b =
        linear_copy("cudaMemcpyFromSymbolAsync", to, from, from ? bytes : 0, stream);
    RECORD_COPY_CALL(cudaMemcpyFromSymbolAsync, to, symbol, bytes, offset, kind, stream);
}

/* --- fills ------------------------------------------------------------------------------------ */

INTERPOSER_API cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    const copied_box b = linear_copy("cudaMemset", at, NULL, bytes, NULL);
    RECORD_FILL_CALL(cudaMemset, at, value, bytes);
}

INTERPOSER_API cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    const copied_box b = linear_copy("cudaMemsetAsync", at, NULL, bytes, stream);
    RECORD_FILL_CALL(cudaMemsetAsync, at, value, bytes, stream);
}

INTERPOSER_API cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width,
                                        size_t height)
{
    const copied_box b = {
        "cudaMemset2D", pitched_operand(at, pitch, height), {0}, width, height, 1, NULL};
    RECORD_FILL_CALL(cudaMemset2D, at, pitch, value, width, height);
}

INTERPOSER_API cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width,
                                             size_t height, cudaStream_t stream)
{
    const copied_box b = {
        "cudaMemset2DAsync", pitched_operand(at, pitch, height), {0}, width, height, 1, stream};
    RECORD_FILL_CALL(cudaMemset2DAsync, at, pitch, value, width, height, stream);
}

/* A fill of the extent E of the pitched memory P, by the runtime call named CALL. */
static copied_box volume_fill(const char *call, struct cudaPitchedPtr p, struct cudaExtent e,
                              cudaStream_t stream)
{
    return (copied_box){
        call,  pitched_operand_at(p, (struct cudaPos){0, 0, 0}), {0}, e.width, e.height, e.depth,
        stream};
}

INTERPOSER_API cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
    const copied_box b = volume_fill("cudaMemset3D", p, e, NULL);
    RECORD_FILL_CALL(cudaMemset3D, p, value, e);
}

INTERPOSER_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value,
                                             struct cudaExtent e, cudaStream_t stream)
{
    const copied_box b = volume_fill("cudaMemset3DAsync", p, e, stream);
    RECORD_FILL_CALL(cudaMemset3DAsync, p, value, e, stream);
}
