/* Copies and fills of a 3D box of bytes. Which calls make the host wait follows "API
 * synchronization behavior" in the Runtime API. */
#include "copy.h"
#include "../../memory/memory.h"
#include "../../timing/timing.h"
#include "../checks/checks.h"
#include "../core/repeat.h"
#include "../core/state.h"
#include "../graphs/capture.h"

#include <stdlib.h>
#include <string.h>

/* An asynchronous copy from pageable memory of at most this size reads the source at the call, into
 * a staging buffer; for a larger copy the call waits. */
#define MAX_STAGED_BYTES ((size_t)1 << 20)
#define PAGE_BYTES       4096u /* size of a page of host memory */

/* The data of an operation that copies or fills a 3D box of bytes. */
typedef struct box_op {
    const char *what;            /* name of the API function, for messages */
    rt_copy_box dst, src;        /* destination, and for copies source */
    size_t width, height, depth; /* bytes in a row; rows in a slice; slices */
    uint32_t value;              /* for fills: the element, in the low UNIT bytes */
    size_t unit;                 /* for fills: size of an element in bytes */
    uint8_t *staged;  /* source bytes, saved at the call; NULL: read when the copy runs */
    copy_kind timing; /* for copies: the kind that determines the modelled time */
} box_op;

/* Store the bytes from the first to the last of the box in SIDE; false: overflow. */
static bool byte_span_of_box(rt_copy_box side, size_t width, size_t height, size_t depth,
                             size_t *bytes)
{
    size_t rows, slices;
    return !__builtin_mul_overflow(height - 1, side.pitch, &rows) &&
           !__builtin_mul_overflow(depth - 1, side.slice, &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) &&
           !__builtin_add_overflow(*bytes, width, bytes);
}

/* A host pointer to BYTES bytes at BASE; NULL if BASE is unallocated device memory. */
static uint8_t *host_pointer_of(uint64_t base, size_t bytes)
{
    return mem_in_window(base) ? mem_host_pointer(base, bytes) : (uint8_t *)(uintptr_t)base;
}

static void dispose_box_op(rt_op *op)
{
    free(((box_op *)op->data)->staged);
}

static void describe_copy(const rt_op *op, rt_op_info *to)
{
    const box_op *b = op->data;
    *to = (rt_op_info){.action = op->kind == RT_MEMSET ? RT_ACTION_FILL : RT_ACTION_COPY,
                       .call = b->what,
                       .to = b->dst,
                       .from = b->src,
                       .width = b->width,
                       .height = b->height,
                       .depth = b->depth,
                       .staged = b->staged,
                       .timing = b->timing,
                       .value = b->value,
                       .unit = b->unit};
}

static void set_modelled_time(rt_op *op, const box_op *b)
{
    op->ns = timing_of_copy(&rt.profile, &rt.state.timing, b->timing,
                            (uint64_t)b->width * b->height * b->depth);
    op->share = 1;
}

static bool fail_if_memory_was_freed(rt_op *op, const box_op *b, const uint8_t *dst,
                                     const uint8_t *src)
{
    if (dst && src)
        return false;
    rt_print_message("%s: the memory was freed before the copy ran", b->what);
    op->fault = cudaErrorIllegalAddress;
    return true;
}

/* Would the destination of B exceed the memory limit? If so, report it. */
static bool exceeds_memory_limit(rt_op *op, const box_op *b, size_t bytes)
{
    /* Upper bound of the bytes in whole pages: each row may touch two partial pages. */
    const uint64_t most = (uint64_t)b->height * b->depth * (b->width + 2 * PAGE_BYTES);
    if (mem_may_write_within_limit(b->dst.base, bytes, most))
        return false;
    char text[400];
    rt_print_message("%s: %s", b->what, mem_limit_text(text, sizeof text));
    op->fault = cudaErrorMemoryAllocation;
    return true;
}

static void run_copy(rt_op *op)
{
    box_op *b = op->data;
    size_t dst_bytes = 0, src_bytes = 0;
    byte_span_of_box(b->dst, b->width, b->height, b->depth, &dst_bytes);
    uint8_t *dst = host_pointer_of(b->dst.base, dst_bytes);
    rt_copy_box from = b->src;
    const uint8_t *src = b->staged;
    if (src) {
        from.pitch = b->width;
        from.slice = b->width * b->height;
    } else {
        byte_span_of_box(b->src, b->width, b->height, b->depth, &src_bytes);
        src = host_pointer_of(b->src.base, src_bytes);
    }
    if (fail_if_memory_was_freed(op, b, dst, src) || exceeds_memory_limit(op, b, dst_bytes))
        return;
    for (size_t z = 0; z < b->depth; z++) {
        for (size_t y = 0; y < b->height; y++) {
            memmove(dst + z * b->dst.slice + y * b->dst.pitch,
                    src + z * from.slice + y * from.pitch, b->width);
        }
    }
    rt_note_copy(op, b->dst, b->src, b->staged, b->width, b->height, b->depth);
    set_modelled_time(op, b);
}

static void run_fill(rt_op *op)
{
    box_op *b = op->data;
    size_t bytes = 0;
    byte_span_of_box(b->dst, b->width, b->height, b->depth, &bytes);
    uint8_t *dst = host_pointer_of(b->dst.base, bytes);
    if (fail_if_memory_was_freed(op, b, dst, dst) || exceeds_memory_limit(op, b, bytes))
        return;
    for (size_t z = 0; z < b->depth; z++) {
        for (size_t y = 0; y < b->height; y++) {
            uint8_t *row = dst + z * b->dst.slice + y * b->dst.pitch;
            if (b->unit > 1)
                for (size_t x = 0; x < b->width; x += b->unit)
                    memcpy(row + x, &b->value, b->unit);
            else
                memset(row, (int)b->value, b->width);
        }
    }
    rt_note_fill(b->dst, b->width, b->height, b->depth);
    set_modelled_time(op, b);
}

cudaError_t rt_replay_copy(rt_op *op, const rt_op_info *t)
{
    box_op *b = calloc(1, sizeof *b);
    if (!b) {
        free((void *)(uintptr_t)t->staged);
        return cudaErrorMemoryAllocation;
    }
    const bool fills = t->action == RT_ACTION_FILL;
    *b = (box_op){.what = t->call,
                  .dst = t->to,
                  .src = t->from,
                  .width = t->width,
                  .height = t->height,
                  .depth = t->depth,
                  .value = (uint32_t)t->value,
                  .unit = t->unit,
                  .staged = (uint8_t *)(uintptr_t)t->staged,
                  .timing = fills ? COPY_MEMSET : t->timing};
    op->data = b;
    op->run = fills ? run_fill : run_copy;
    op->describe = describe_copy;
    op->dispose = dispose_box_op;
    return cudaSuccess;
}

/* Kinds of memory that a copy reads or writes. */
typedef enum copy_memory_kind {
    MEMORY_PAGEABLE,   /* host memory that CUDA did not allocate */
    MEMORY_PINNED,     /* pinned or registered host memory */
    MEMORY_MANAGED,    /* managed memory */
    MEMORY_DEVICE,     /* device memory */
    MEMORY_UNALLOCATED /* NULL, or a device address where nothing is allocated */
} copy_memory_kind;

static const char *const memory_kind_words[] = {[MEMORY_PAGEABLE] = "host",
                                                [MEMORY_PINNED] = "pinned host",
                                                [MEMORY_MANAGED] = "managed",
                                                [MEMORY_DEVICE] = "device"};

/* The kind of memory that holds BYTES bytes at BASE, which are to be written if WRITTEN; reports
 * device memory that is not allocated or must not be written. */
static copy_memory_kind memory_kind_of(const char *what, uint64_t base, size_t bytes, bool written)
{
    mem_range r;
    if (mem_find_range(base, &r) && bytes <= r.size - (base - r.base) &&
        !(written && r.read_only)) {
        return r.kind == MEM_PINNED || r.kind == MEM_REGISTERED ? MEMORY_PINNED
               : r.kind == MEM_MANAGED                          ? MEMORY_MANAGED
                                                                : MEMORY_DEVICE;
    }
    if (!mem_in_window(base))
        return base ? MEMORY_PAGEABLE : MEMORY_UNALLOCATED;
    char text[400];
    uint64_t miss =
        mem_find_range(base, &r) && bytes > r.size - (base - r.base) ? r.base + r.size : base;
    mem_describe(miss, 1, text, sizeof text);
    if (rt_report_out_of_bounds(what, base, bytes, miss, text))
        return MEMORY_UNALLOCATED;
    rt_print_message("%s: the %zu bytes at 0x%llx are not all valid: address 0x%llx is %s", what,
                     bytes, (unsigned long long)base, (unsigned long long)miss, text);
    return MEMORY_UNALLOCATED;
}

/* Does the copy direction KIND fit the kinds of memory of destination and source? Stores the actual
 * direction in *WAY. Addresses are unified, so device memory is accepted as "host", but pageable
 * host memory is not accepted as "device". */
static bool find_copy_direction(enum cudaMemcpyKind kind, copy_memory_kind dst,
                                copy_memory_kind src, rt_op_kind *way)
{
    bool dst_device = dst == MEMORY_DEVICE || dst == MEMORY_MANAGED;
    bool src_device = src == MEMORY_DEVICE || src == MEMORY_MANAGED;
    switch (kind) {
    case cudaMemcpyDefault: break;
    case cudaMemcpyHostToHost:
    case cudaMemcpyHostToDevice:
    case cudaMemcpyDeviceToHost:
    case cudaMemcpyDeviceToDevice:
        if ((dst == MEMORY_PAGEABLE &&
             (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice)) ||
            (src == MEMORY_PAGEABLE &&
             (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
            return false;
        break;
    default: return false;
    }
    *way = dst_device ? (src_device ? RT_COPY_D2D : RT_COPY_H2D)
                      : (src_device ? RT_COPY_D2H : RT_COPY_H2H);
    return true;
}

static copy_kind copy_kind_for_timing(rt_op_kind way, copy_memory_kind dst, copy_memory_kind src,
                                      bool async)
{
    switch (way) {
    case RT_COPY_H2D:
        return src != MEMORY_PAGEABLE ? COPY_H2D_PINNED
               : async                ? COPY_H2D_STAGED
                                      : COPY_H2D_PAGEABLE;
    case RT_COPY_D2H: return dst == MEMORY_PAGEABLE ? COPY_D2H_PAGEABLE : COPY_D2H_PINNED;
    case RT_COPY_D2D: return COPY_D2D;
    default: return COPY_H2H;
    }
}

/* Copy the rows of the source into a staging buffer, without gaps. */
static uint8_t *copy_source_rows(const box_op *b)
{
    uint8_t *to = malloc(b->width * b->height * b->depth);
    const uint8_t *from = (const uint8_t *)(uintptr_t)b->src.base;
    for (size_t z = 0; to && z < b->depth; z++) {
        for (size_t y = 0; y < b->height; y++) {
            memcpy(to + (z * b->height + y) * b->width, from + z * b->src.slice + y * b->src.pitch,
                   b->width);
        }
    }
    return to;
}

static struct cudaPitchedPtr pitched_pointer(rt_copy_box side, size_t width, size_t height)
{
    return (struct cudaPitchedPtr){(void *)(uintptr_t)side.base, side.pitch, width,
                                   side.slice && side.pitch ? side.slice / side.pitch : height};
}

/* Record the copy as a node of the graph being captured. */
static cudaError_t capture_copy(rt_stream *s, rt_copy_box dst, rt_copy_box src, size_t width,
                                size_t height, size_t depth, enum cudaMemcpyKind kind)
{
    rt_node_work work = {.type = cudaGraphNodeTypeMemcpy,
                         .copy = {.srcPtr = pitched_pointer(src, width, height),
                                  .dstPtr = pitched_pointer(dst, width, height),
                                  .extent = {width, height, depth},
                                  .kind = kind}};
    return rt_capture_add_node(s, &work);
}

cudaError_t rt_queue_copy(const char *what, rt_copy_box dst, rt_copy_box src, size_t width,
                          size_t height, size_t depth, enum cudaMemcpyKind kind, rt_stream *s,
                          bool async)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!width || !height || !depth)
        return cudaSuccess;
    size_t dst_bytes, src_bytes;
    if (dst.pitch < width || src.pitch < width) {
        return rt_error_because(height > 1 || depth > 1 ? cudaErrorInvalidPitchValue
                                                        : cudaErrorInvalidValue,
                                "a row has %zu bytes, and the pitch of the %s is %zu", width,
                                dst.pitch < width ? "destination" : "source",
                                dst.pitch < width ? dst.pitch : src.pitch);
    }
    if (!byte_span_of_box(dst, width, height, depth, &dst_bytes) ||
        !byte_span_of_box(src, width, height, depth, &src_bytes))
        return cudaErrorInvalidValue;
    copy_memory_kind to = memory_kind_of(what, dst.base, dst_bytes, true),
                     from = memory_kind_of(what, src.base, src_bytes, false);
    rt_op_kind way;
    if (to == MEMORY_UNALLOCATED || from == MEMORY_UNALLOCATED) {
        return !dst.base || !src.base
                   ? rt_error_because(cudaErrorInvalidValue,
                                      "the %s is a null pointer: did its allocation succeed?",
                                      dst.base ? "source" : "destination")
                   : cudaErrorInvalidValue;
    }
    if (!find_copy_direction(kind, to, from, &way)) {
        rt_report_wrong_direction(what, dst.base, memory_kind_words[to], src.base,
                                  memory_kind_words[from]);
        return cudaErrorInvalidValue;
    }
    cudaError_t e = s ? rt_capture_check_work(s) : cudaSuccess;
    if (e || !s)
        return e;
    if (rt_is_capturing(s)) {
        return async ? capture_copy(s, dst, src, width, height, depth, kind)
                     : rt_capture_check_wait(s);
    }

    rt_op *op = rt_queue_op(s, way, sizeof(box_op), NULL);
    if (!op)
        return cudaErrorMemoryAllocation;
    box_op *b = op->data;
    *b = (box_op){.what = what,
                  .dst = dst,
                  .src = src,
                  .width = width,
                  .height = height,
                  .depth = depth,
                  .timing = copy_kind_for_timing(way, to, from, async)};
    op->run = run_copy;
    op->describe = describe_copy;
    op->dispose = dispose_box_op;
    op->to = dst.base;
    op->to_bytes = dst_bytes;

    if (s->temporary)
        return cudaSuccess; /* the copy of a graph node reads its source when it runs */
    bool wait = !async && way != RT_COPY_D2D;
    if (async && to == MEMORY_PAGEABLE) {
        wait = true; /* a copy to pageable memory returns once it has completed */
    } else if (async && from == MEMORY_PAGEABLE) {
        size_t bytes = width * height * depth;
        b->staged = bytes <= MAX_STAGED_BYTES ? copy_source_rows(b) : NULL;
        wait = !b->staged;
    }
    op->host_returns_early = wait && way == RT_COPY_H2D && from == MEMORY_PAGEABLE;
    if (!wait && (height == 1 || (dst.pitch == width && src.pitch == width)) && depth == 1)
        rt_guard_copy(op, dst.base, dst_bytes, b->staged ? 0 : src.base, src_bytes);
    if (!wait)
        return cudaSuccess;
    rt_op_ref(op);
    e = rt_finish_op(op);
    op->host_returns_early = false; /* a later wait is for all of the copy */
    rt_op_unref(op);
    return e;
}

/* Record a fill as graph nodes, one node per slice. */
static cudaError_t capture_fill(rt_stream *s, rt_copy_box dst, uint32_t value, size_t unit,
                                size_t width, size_t height, size_t depth)
{
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; !e && z < depth; z++) {
        rt_node_work work = {.type = cudaGraphNodeTypeMemset,
                             .fill = {.dst = (void *)(uintptr_t)(dst.base + z * dst.slice),
                                      .pitch = dst.pitch,
                                      .value = value,
                                      .elementSize = (unsigned)unit,
                                      .width = width / unit,
                                      .height = height}};
        e = rt_capture_add_node(s, &work);
    }
    return e;
}

cudaError_t rt_queue_fill(const char *what, rt_copy_box dst, uint32_t value, size_t unit,
                          size_t width, size_t height, size_t depth, rt_stream *s, bool async)
{
    if (!width || !height || !depth)
        return cudaSuccess;
    size_t bytes;
    if ((height > 1 || depth > 1) && dst.pitch < width) {
        return rt_error_because(cudaErrorInvalidValue,
                                "a row has %zu bytes, and the pitch of the memory is %zu", width,
                                dst.pitch);
    }
    if (!byte_span_of_box(dst, width, height, depth, &bytes) || dst.base % unit || width % unit ||
        (height > 1 && dst.pitch % unit))
        return cudaErrorInvalidValue;
    copy_memory_kind to = memory_kind_of(what, dst.base, bytes, true);
    if (to == MEMORY_UNALLOCATED) {
        return dst.base ? cudaErrorInvalidValue
                        : rt_error_because(cudaErrorInvalidValue,
                                           "the address is a null pointer: did its allocation "
                                           "succeed?");
    }
    if (to == MEMORY_PAGEABLE) {
        rt_report_bad_argument(what, "the address is host memory that is not pinned",
                               "fill memory that cudaMalloc or cudaMallocHost returned");
        return cudaErrorInvalidValue;
    }
    cudaError_t e = s ? rt_capture_check_work(s) : cudaSuccess;
    if (e || !s)
        return e;
    if (rt_is_capturing(s)) {
        return async ? capture_fill(s, dst, value, unit, width, height, depth)
                     : rt_capture_check_wait(s);
    }
    rt_op *op = rt_queue_op(s, RT_MEMSET, sizeof(box_op), NULL);
    if (!op)
        return cudaErrorMemoryAllocation;
    *(box_op *)op->data = (box_op){.what = what,
                                   .dst = dst,
                                   .width = width,
                                   .height = height,
                                   .depth = depth,
                                   .value = value,
                                   .unit = unit,
                                   .timing = COPY_MEMSET};
    op->run = run_fill;
    op->describe = describe_copy;
    op->dispose = dispose_box_op;
    op->to = dst.base;
    op->to_bytes = bytes;
    if (async && to != MEMORY_DEVICE && (height == 1 || dst.pitch == width) && depth == 1)
        rt_guard_copy(op, dst.base, bytes, 0, 0);
    return !async && to != MEMORY_DEVICE ? rt_finish_op(op) : cudaSuccess;
}
