/* The runtime as device code calls it (Runtime API, "Device Runtime"; Programming Guide, "CUDA
 * Dynamic Parallelism", "API Reference"). What is to be done is noted here and done when the grid
 * has ended. Errors belong to the thread that made them. What
 * an H200 answers where the guide is silent, it was asked. */
#include "nested.h"

#include "../sm/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 6000 /* what it says of itself, on an H200 with CUDA 13 */

/* A grid of so many blocks launches faster than an H200 begins what is launched. */
#define MANY_BLOCKS      8u

#define PENDING_LEAST    2048u /* a lower limit is taken and not kept to there */

#define STREAM_NULL      0u
#define STREAM_TAIL      3u /* cudaStreamTailLaunch */
#define STREAM_FORGET    4u /* cudaStreamFireAndForget */
#define STREAM_OF_THREAD (UINT64_C(1) << 40)
#define HANDLE_OF_STREAM (UINT64_C(1) << 41)
#define HANDLE_OF_EVENT  (UINT64_C(1) << 42)

/* --- errors -------------------------------------------------------------------------------------
 */

static nested_error *error_of(rt_nested *n, const sm_runtime_call *c)
{
    for (uint32_t k = n->errors.count; k-- > 0;) {
        nested_error *e = &n->errors.of[k];
        if (e->block == c->block && e->thread == c->thread) {
            return e;
        }
    }
    return NULL;
}

static void note(rt_nested *n, const sm_runtime_call *c, cudaError_t code)
{
    nested_error *e = error_of(n, c);
    e = e ? e : NESTED_MORE(&n->errors);
    if (e) {
        *e = (nested_error){c->block, c->thread, code};
    }
}

static cudaError_t last_error(rt_nested *n, const sm_runtime_call *c, bool clear)
{
    nested_error *e = error_of(n, c);
    const cudaError_t code = e ? e->code : cudaSuccess;
    if (e && clear) {
        *e = n->errors.of[--n->errors.count];
    }
    return code;
}

/* --- what is asked of the host's own calls ------------------------------------------------------
 */

static uint64_t address(const sm_runtime_call *c, uint32_t k)
{
    return c->arg[k].value;
}

static int number(const sm_runtime_call *c, uint32_t k)
{
    return (int)(uint32_t)c->arg[k].value;
}

/* Copy what the host's call gave to where device code wants it. */
static cudaError_t give(const sm_runtime_call *c, uint64_t to, const void *value, uint32_t bytes)
{
    void *p = c->memory(c, to, bytes);
    if (!p) {
        return cudaErrorInvalidValue;
    }
    memcpy(p, value, bytes);
    return cudaSuccess;
}

static rt_kernel *kernel_at(const rt_nested *n, uint64_t function)
{
    rt_acquire();
    rt_kernel *k = rt_module_kernel_at(n->module, function);
    rt_release();
    return k;
}

/* The runtime's strings are the host's: a copy in device memory. */
static uint64_t string(rt_nested *n, const char *text)
{
    for (uint32_t k = 0; k < n->strings.count; k++) {
        if (n->strings.of[k].text == text) {
            return n->strings.of[k].address;
        }
    }
    const size_t size = strlen(text) + 1;
    const uint64_t at = sm_heap_alloc(size);
    char *to = at ? mem_host(at, size) : NULL;
    nested_string *s = to ? NESTED_MORE(&n->strings) : NULL;
    if (!s) {
        return 0;
    }
    memcpy(to, text, size);
    *s = (nested_string){text, at};
    return at;
}

static cudaError_t ask(rt_nested *n, const sm_runtime_call *c)
{
    int value = 0;
    size_t size = 0;
    struct cudaFuncAttributes attributes;
    enum cudaFuncCache cache;
    cudaError_t e;
    switch (c->function) {
    case SM_RUNTIME_GetDeviceCount:
        e = cudaGetDeviceCount(&value);
        return e ? e : give(c, address(c, 0), &value, sizeof value);
    case SM_RUNTIME_GetDevice:
        e = cudaGetDevice(&value);
        return e ? e : give(c, address(c, 0), &value, sizeof value);
    case SM_RUNTIME_RuntimeGetVersion:
        value = VERSION;
        return give(c, address(c, 0), &value, sizeof value);
    case SM_RUNTIME_DeviceGetAttribute:
        e = number(c, 1) ? cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)number(c, 1), 0)
                         : cudaSuccess;
        return e ? e : give(c, address(c, 0), &value, sizeof value);
    case SM_RUNTIME_DeviceGetLimit:
        e = cudaDeviceGetLimit(&size, (enum cudaLimit)number(c, 1));
        return e ? e : give(c, address(c, 0), &size, sizeof size);
    case SM_RUNTIME_DeviceGetCacheConfig:
        e = cudaDeviceGetCacheConfig(&cache);
        return e ? e : give(c, address(c, 0), &cache, sizeof cache);
    case SM_RUNTIME_FuncGetAttributes:
        e = cudaFuncGetAttributes(&attributes, kernel_at(n, address(c, 1)));
        return e ? cudaErrorInvalidValue
                 : give(c, address(c, 0), &attributes,
                        offsetof(struct cudaFuncAttributes, cacheModeCA));
    default: /* occupancy */
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel_at(n, address(c, 1)),
                                                          number(c, 2), address(c, 3));
        return e ? e : give(c, address(c, 0), &value, sizeof value);
    }
}

/* --- streams and events -------------------------------------------------------------------------
 */

static bool own_streams(sm_runtime_function f)
{
    switch (f) {
    case SM_RUNTIME_StreamWaitEvent_ptsz:
    case SM_RUNTIME_EventRecord_ptsz:
    case SM_RUNTIME_EventRecordWithFlags_ptsz:
    case SM_RUNTIME_MemcpyAsync_ptsz:
    case SM_RUNTIME_Memcpy2DAsync_ptsz:
    case SM_RUNTIME_MemsetAsync_ptsz:
    case SM_RUNTIME_Memset2DAsync_ptsz:
    case SM_RUNTIME_LaunchDevice_ptsz:
    case SM_RUNTIME_LaunchDeviceV2_ptsz:
        return true;
    default:
        return false;
    }
}

/* Index of the lane that a stream's handle means to the calling thread. */
static cudaError_t lane_of(rt_nested *n, const sm_runtime_call *c, uint64_t handle, uint32_t *lane)
{
    const bool forget = handle == STREAM_FORGET;
    if (handle >= HANDLE_OF_STREAM) { /* destroyed or not: so an H200 */
        const uint64_t k = handle - HANDLE_OF_STREAM;
        *lane = (uint32_t)k;
        return k < n->lanes.count && n->lanes.of[k].named && n->lanes.of[k].block == c->block
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    }
    if (handle > STREAM_FORGET) {
        return cudaErrorInvalidValue;
    }
    if (handle == (uintptr_t)cudaStreamPerThread || (!handle && own_streams(c->function))) {
        handle = STREAM_OF_THREAD + c->thread;
    } else if (handle == (uintptr_t)cudaStreamLegacy) {
        handle = STREAM_NULL;
    }
    for (uint32_t k = n->lanes.count; !forget && k-- > 0;) {
        const nested_lane *l = &n->lanes.of[k];
        if (l->handle == handle && !l->named && (l->tail || l->block == c->block)) {
            *lane = k;
            return cudaSuccess;
        }
    }
    nested_lane *l = NESTED_MORE(&n->lanes);
    if (!l) {
        return cudaErrorMemoryAllocation;
    }
    *l = (nested_lane){.block = c->block, .handle = handle, .tail = handle == STREAM_TAIL};
    *lane = n->lanes.count - 1;
    return cudaSuccess;
}

static cudaError_t stream_create(rt_nested *n, const sm_runtime_call *c)
{
    if ((unsigned)number(c, 1) & ~(unsigned)cudaStreamNonBlocking) {
        return cudaErrorInvalidValue;
    }
    const uint64_t handle = HANDLE_OF_STREAM + n->lanes.count;
    cudaError_t e = give(c, address(c, 0), &handle, sizeof handle);
    nested_lane *l = e ? NULL : NESTED_MORE(&n->lanes);
    if (!l) {
        return e ? e : cudaErrorMemoryAllocation;
    }
    *l = (nested_lane){.block = c->block, .handle = handle, .named = true};
    return cudaSuccess;
}

static cudaError_t stream_destroy(rt_nested *n, const sm_runtime_call *c)
{
    uint32_t lane;
    return address(c, 0) < HANDLE_OF_STREAM ? cudaErrorInvalidValue
                                            : lane_of(n, c, address(c, 0), &lane);
}

/* The lane of a stream that events may be recorded in and waited for. */
static cudaError_t lane_of_events(rt_nested *n, const sm_runtime_call *c, uint64_t handle,
                                  uint32_t *lane)
{
    return handle == STREAM_TAIL || handle == STREAM_FORGET ? cudaErrorInvalidValue
                                                            : lane_of(n, c, handle, lane);
}

static nested_event *event_of(rt_nested *n, const sm_runtime_call *c, uint64_t handle)
{
    const uint64_t k = handle - HANDLE_OF_EVENT;
    nested_event *e = k < n->events.count ? &n->events.of[k] : NULL;
    return e && !e->destroyed && e->block == c->block ? e : NULL;
}

static cudaError_t event_create(rt_nested *n, const sm_runtime_call *c)
{
    if ((unsigned)number(c, 1) != cudaEventDisableTiming) {
        return cudaErrorInvalidValue;
    }
    const uint64_t handle = HANDLE_OF_EVENT + n->events.count;
    cudaError_t e = give(c, address(c, 0), &handle, sizeof handle);
    nested_event *v = e ? NULL : NESTED_MORE(&n->events);
    if (!v) {
        return e ? e : cudaErrorMemoryAllocation;
    }
    *v = (nested_event){.block = c->block, .record = NESTED_NONE};
    return cudaSuccess;
}

static cudaError_t event_destroy(rt_nested *n, const sm_runtime_call *c)
{
    nested_event *v = event_of(n, c, address(c, 0));
    if (!v) {
        return cudaErrorInvalidResourceHandle;
    }
    v->destroyed = true;
    return cudaSuccess;
}

static cudaError_t add(rt_nested *n, const nested_work *w)
{
    nested_work *to = NESTED_MORE(&n->work);
    if (!to) {
        return cudaErrorMemoryAllocation;
    }
    *to = *w;
    return cudaSuccess;
}

static cudaError_t event_record(rt_nested *n, const sm_runtime_call *c)
{
    nested_event *v = event_of(n, c, address(c, 0));
    nested_work w = {.kind = NESTED_RECORD};
    cudaError_t e =
        v ? lane_of_events(n, c, address(c, 1), &w.lane) : cudaErrorInvalidResourceHandle;
    e = e ? e : add(n, &w);
    if (!e) {
        v->record = n->work.count - 1;
    }
    return e;
}

static cudaError_t stream_wait(rt_nested *n, const sm_runtime_call *c)
{
    const nested_event *v = event_of(n, c, address(c, 1));
    nested_work w = {.kind = NESTED_WAIT};
    cudaError_t e =
        v ? lane_of_events(n, c, address(c, 0), &w.lane) : cudaErrorInvalidResourceHandle;
    if (e || v->record == NESTED_NONE) {
        return e;
    }
    w.event = v->record;
    return add(n, &w);
}

/* --- memory -------------------------------------------------------------------------------------
 */

static cudaError_t allocate(const sm_runtime_call *c)
{
    const uint64_t size = address(c, 1), at = size ? sm_heap_alloc(size) : 0;
    if (!at) {
        return size ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    }
    return give(c, address(c, 0), &at, sizeof at);
}

static void stop(sm_runtime_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void stop(sm_runtime_call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->stop, sizeof c->stop, format, args);
    va_end(args);
    c->fault = SM_FAULT_ADDRESS;
}

static cudaError_t release(sm_runtime_call *c)
{
    const uint64_t at = address(c, 0);
    mem_range r;
    if (!at || sm_heap_free(at)) {
        return cudaSuccess;
    }
    if (mem_find(at, &r) && r.base == at) {
        rt_say("cudaFree in device code gives back what cudaMalloc in device code gave; memory of "
               "the host's cudaMalloc stays");
        return cudaSuccess;
    }
    stop(c,
         "cudaFree(0x%llx): nothing that cudaMalloc() in device code returned begins there, or it "
         "was freed before",
         (unsigned long long)at);
    return cudaErrorInvalidValue;
}

/* Only what the device has: no memory of the host's, or of a thread or block. */
static bool reachable(uint64_t at)
{
    mem_range r;
    return mem_find(at, &r);
}

static cudaError_t copy(rt_nested *n, const sm_runtime_call *c, bool flat)
{
    const size_t width = flat ? address(c, 2) : address(c, 4), height = flat ? 1 : address(c, 5);
    nested_work w = {.kind = NESTED_COPY,
                     .box = {.dst = {address(c, 0), flat ? width : address(c, 1), 0},
                             .src = {address(c, flat ? 1 : 2), flat ? width : address(c, 3), 0},
                             .width = width,
                             .height = height,
                             .kind = (enum cudaMemcpyKind)number(c, flat ? 3 : 6)}};
    const nested_box *b = &w.box;
    if (b->kind != cudaMemcpyDeviceToDevice && b->kind != cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    if (width && height && (!reachable(b->dst.base) || !reachable(b->src.base))) {
        return cudaErrorInvalidValue;
    }
    rt_acquire();
    cudaError_t e =
        rt_copy("a copy by a kernel", b->dst, b->src, b->width, b->height, 1, b->kind, NULL, true);
    rt_release();
    e = e ? e : lane_of(n, c, address(c, flat ? 4 : 7), &w.lane);
    return e || !width || !height ? e : add(n, &w);
}

static cudaError_t fill(rt_nested *n, const sm_runtime_call *c, bool flat)
{
    const size_t width = address(c, flat ? 2 : 3), height = flat ? 1 : address(c, 4);
    nested_work w = {.kind = NESTED_FILL,
                     .box = {.dst = {address(c, 0), flat ? width : address(c, 1), 0},
                             .width = width,
                             .height = height,
                             .value = (uint32_t)number(c, flat ? 1 : 2)}};
    const nested_box *b = &w.box;
    if (width && height && !reachable(b->dst.base)) {
        return cudaErrorInvalidValue;
    }
    rt_acquire();
    cudaError_t e =
        rt_fill("a fill by a kernel", b->dst, b->value, 1, b->width, b->height, 1, NULL, true);
    rt_release();
    e = e ? e : lane_of(n, c, address(c, flat ? 3 : 5), &w.lane);
    return e || !width || !height ? e : add(n, &w);
}

/* --- launches -----------------------------------------------------------------------------------
 */

/* What stands before a buffer of parameters. */
typedef struct heading {
    uint64_t mark, function, bytes;
    uint32_t grid[3], block[3], shared, unused;
} heading;

#define HEADING_MARK UINT64_C(0x6765732061726170)

_Static_assert(sizeof(heading) == 56, "aligned for parameters behind 64 bytes");
#define HEADING_BYTES 64u

static heading *heading_of(uint64_t buffer)
{
    heading *h = buffer ? mem_host(buffer - HEADING_BYTES, HEADING_BYTES) : NULL;
    return h && h->mark == HEADING_MARK ? h : NULL;
}

static uint64_t new_buffer(const heading *h)
{
    const uint64_t at = sm_heap_alloc(HEADING_BYTES + h->bytes);
    heading *to = at ? mem_host(at, HEADING_BYTES) : NULL;
    if (!to) {
        return 0;
    }
    *to = *h;
    return at + HEADING_BYTES;
}

static cudaError_t buffer_v2(const rt_nested *n, sm_runtime_call *c, uint64_t *out)
{
    const rt_kernel *k = kernel_at(n, address(c, 0));
    const uint32_t *grid = c->arg[1].word, *block = c->arg[2].word;
    if (!k) {
        stop(c, "a launch of what is no kernel (0x%llx): was the pointer to it set by device code?",
             (unsigned long long)address(c, 0));
        return cudaErrorInvalidDeviceFunction;
    }
    const heading h = {.mark = HEADING_MARK,
                       .function = address(c, 0),
                       .bytes = k->func ? k->func->param_bytes : 0,
                       .grid = {grid[0], grid[1], grid[2]},
                       .block = {block[0], block[1], block[2]},
                       .shared = (uint32_t)number(c, 3)};
    *out = new_buffer(&h);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t buffer_v1(const sm_runtime_call *c, uint64_t *out)
{
    const heading h = {.mark = HEADING_MARK, .bytes = address(c, 1)};
    *out = new_buffer(&h);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Compilers warn of it where they see it. */
static void look_for_private(rt_nested *n, rt_launch *l)
{
    const ptx_func *f = l->kernel->func;
    for (uint32_t k = 0; k < f->param_count && !n->warned; k++) {
        uint64_t value = 0;
        if (f->params[k].size == sizeof value) {
            memcpy(&value, l->params + f->params[k].offset, sizeof value);
        }
        if (sm_is_private(value)) {
            rt_say("kernel %s, launched by a kernel, gets a pointer to that one's shared or local "
                   "memory as parameter %u: its threads find their own there; pass global memory",
                   rt_kernel_shown(l->kernel), k + 1);
            n->warned = true;
        }
    }
}

static cudaError_t make(rt_nested *n, const heading *h, uint64_t buffer, rt_launch *l)
{
    rt_acquire();
    rt_kernel *k = rt_module_kernel_at(n->module, h->function);
    cudaError_t e = k ? rt_launch_make(k, NULL, true, l) : cudaErrorInvalidDeviceFunction;
    rt_release();
    e = e == cudaErrorInvalidValue || e == cudaErrorLaunchOutOfResources
            ? cudaErrorInvalidConfiguration /* whatever is wrong with the shape */
            : e;
    const uint64_t bytes = e || h->bytes < k->func->param_bytes ? 0 : k->func->param_bytes;
    const void *from = bytes ? mem_host(buffer, bytes) : NULL;
    if (from) {
        memcpy(l->params, from, bytes);
        look_for_private(n, l);
    }
    return e;
}

/* Is the pool of launches that have not ended used up? What one block launches an H200 begins
 * nearly as fast, so that this does not count; tail launches wait for the grid's end, and so do
 * grids for what is launched in them. */
static bool full(const rt_nested *n, bool tail)
{
    size_t most = 0;
    cudaDeviceGetLimit(&most, cudaLimitDevRuntimePendingLaunchCount);
    most = most < PENDING_LEAST ? PENDING_LEAST : most;
    const uint64_t waiting = n->blocks > MANY_BLOCKS ? n->count[0] : tail ? n->count[1] : 0;
    return n->depth + waiting >= most;
}

/* A thread's launches follow one another, and so do all of the device, faster. */
static double when(rt_nested *n, const sm_runtime_call *c)
{
    if (n->block != c->block) {
        memset(n->by_thread, 0, sizeof n->by_thread);
        n->block = c->block;
    }
    const double own = n->by_thread[c->thread]++ * rt.profile.device_call_us;
    const double all = n->count[0] * rt.profile.device_apart_us;
    return (own > all ? own : all) * 1e3;
}

static cudaError_t launch(rt_nested *n, const sm_runtime_call *c, const heading *h, uint64_t buffer,
                          uint64_t stream)
{
    nested_work w = {.kind = NESTED_KERNEL,
                     .launch = {.grid = {h->grid[0], h->grid[1], h->grid[2]},
                                .block = {h->block[0], h->block[1], h->block[2]},
                                .shared = h->shared}};
    cudaError_t e = lane_of(n, c, stream, &w.lane);
    const bool tail = !e && n->lanes.of[w.lane].tail;
    w.launch.depth = n->depth + !tail;
    e = e ? e : make(n, h, buffer, &w.launch);
    if (!e && full(n, tail)) {
        e = cudaErrorLaunchPendingCountExceeded;
        free(w.launch.params);
    }
    if (!e) {
        w.issued = when(n, c);
        e = add(n, &w);
        if (e) {
            free(w.launch.params);
        }
    }
    n->count[0] += !e;
    n->count[1] += !e && tail;
    return e;
}

static cudaError_t launch_v2(rt_nested *n, sm_runtime_call *c)
{
    const uint64_t buffer = address(c, 0);
    const heading *h = heading_of(buffer);
    if (!h) {
        stop(c,
             "cudaLaunchDevice with a buffer (0x%llx) that cudaGetParameterBuffer did not give, or "
             "that was launched before",
             (unsigned long long)buffer);
        return cudaErrorInvalidValue;
    }
    const heading copied = *h;
    cudaError_t e = launch(n, c, &copied, buffer, address(c, 1));
    sm_heap_free(buffer - HEADING_BYTES);
    return e;
}

/* Function, buffer (none where there are no parameters), shape and stream in one call. */
static cudaError_t launch_v1(rt_nested *n, const sm_runtime_call *c)
{
    const uint64_t buffer = address(c, 1);
    const heading *of_buffer = heading_of(buffer);
    if (buffer && !of_buffer) {
        return cudaErrorInvalidValue;
    }
    const uint32_t *grid = c->arg[2].word, *block = c->arg[3].word;
    const heading h = {.function = address(c, 0),
                       .bytes = of_buffer ? of_buffer->bytes : 0,
                       .grid = {grid[0], grid[1], grid[2]},
                       .block = {block[0], block[1], block[2]},
                       .shared = (uint32_t)number(c, 4)};
    cudaError_t e = launch(n, c, &h, buffer, address(c, 5));
    if (buffer) {
        sm_heap_free(buffer - HEADING_BYTES);
    }
    return e;
}

/* --- all ----------------------------------------------------------------------------------------
 */

static cudaError_t act(rt_nested *n, sm_runtime_call *c)
{
    switch (c->function) {
    case SM_RUNTIME_Malloc:
        return allocate(c);
    case SM_RUNTIME_Free:
        return release(c);
    case SM_RUNTIME_StreamCreateWithFlags:
        return stream_create(n, c);
    case SM_RUNTIME_StreamDestroy:
        return stream_destroy(n, c);
    case SM_RUNTIME_StreamWaitEvent:
    case SM_RUNTIME_StreamWaitEvent_ptsz:
        return stream_wait(n, c);
    case SM_RUNTIME_EventCreateWithFlags:
        return event_create(n, c);
    case SM_RUNTIME_EventRecord:
    case SM_RUNTIME_EventRecord_ptsz:
    case SM_RUNTIME_EventRecordWithFlags:
    case SM_RUNTIME_EventRecordWithFlags_ptsz:
        return event_record(n, c);
    case SM_RUNTIME_EventDestroy:
        return event_destroy(n, c);
    case SM_RUNTIME_MemcpyAsync:
    case SM_RUNTIME_MemcpyAsync_ptsz:
        return copy(n, c, true);
    case SM_RUNTIME_Memcpy2DAsync:
    case SM_RUNTIME_Memcpy2DAsync_ptsz:
        return copy(n, c, false);
    case SM_RUNTIME_MemsetAsync:
    case SM_RUNTIME_MemsetAsync_ptsz:
        return fill(n, c, true);
    case SM_RUNTIME_Memset2DAsync:
    case SM_RUNTIME_Memset2DAsync_ptsz:
        return fill(n, c, false);
    case SM_RUNTIME_LaunchDevice:
    case SM_RUNTIME_LaunchDevice_ptsz:
        return launch_v1(n, c);
    case SM_RUNTIME_LaunchDeviceV2:
    case SM_RUNTIME_LaunchDeviceV2_ptsz:
        return launch_v2(n, c);
    default:
        return ask(n, c);
    }
}

void rt_nested_call(void *runtime, sm_runtime_call *c)
{
    rt_nested *n = runtime;
    const cudaError_t host =
        rt_error_swap(cudaSuccess); /* of the thread that happens to run this */
    cudaError_t e = cudaSuccess;
    switch (c->function) {
    case SM_RUNTIME_GetLastError:
    case SM_RUNTIME_PeekAtLastError:
        c->result = last_error(n, c, c->function == SM_RUNTIME_GetLastError);
        break;
    case SM_RUNTIME_GetErrorName:
        c->result = string(n, cudaGetErrorName((cudaError_t)number(c, 0)));
        break;
    case SM_RUNTIME_GetErrorString:
        c->result = string(n, cudaGetErrorString((cudaError_t)number(c, 0)));
        break;
    case SM_RUNTIME_GetParameterBuffer:
        e = buffer_v1(c, &c->result);
        break;
    case SM_RUNTIME_GetParameterBufferV2:
        e = buffer_v2(n, c, &c->result);
        break;
    default:
        e = act(n, c);
        c->result = e;
        break;
    }
    rt_error_swap(host);
    if (e) {
        note(n, c, e);
    }
}
