/* The runtime functions that device code calls (Runtime API, "Device Runtime"; Programming Guide,
 * "CUDA Dynamic Parallelism", "API Reference"). The work is collected, and runs after the grid has
 * ended. Each thread has its own last error. Behaviour that the guide does not specify follows
 * measurements on an H200. */
#include "nested_calls.h"

#include "../../base/list.h"
#include "../../memory/memory.h"
#include "../../sm/heap.h"
#include "../code/kernel.h"
#include "../core/call.h"
#include "../memory/copy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What cudaRuntimeGetVersion returns in device code on an H200 with CUDA 13. */
#define DEVICE_RUNTIME_VERSION 6000

/* --- errors ----------------------------------------------------------------------------------- */

static nested_thread_error *find_thread_error(rt_nested *n, const sm_runtime_call *c)
{
    for (uint32_t k = n->errors.count; k-- > 0;) {
        nested_thread_error *e = &n->errors.of[k];
        if (e->block == c->block && e->thread == c->thread)
            return e;
    }
    return NULL;
}

static void note_device_error(rt_nested *n, const sm_runtime_call *c, cudaError_t code)
{
    nested_thread_error *e = find_thread_error(n, c);
    e = e ? e : LIST_ADD(n->errors.of, n->errors.count);
    if (e)
        *e = (nested_thread_error){c->block, c->thread, code};
}

static cudaError_t last_device_error(rt_nested *n, const sm_runtime_call *c, bool clear)
{
    nested_thread_error *e = find_thread_error(n, c);
    const cudaError_t code = e ? e->code : cudaSuccess;
    if (e && clear)
        *e = n->errors.of[--n->errors.count];
    return code;
}

/* --- helpers ---------------------------------------------------------------------------------- */

cudaError_t nested_store_result(const sm_runtime_call *c, uint64_t to, const void *value,
                                uint32_t bytes)
{
    void *p = c->memory(c, to, bytes);
    if (!p)
        return cudaErrorInvalidValue;
    memcpy(p, value, bytes);
    return cudaSuccess;
}

rt_kernel *nested_kernel_at(const rt_nested *n, uint64_t function)
{
    rt_take_lock_again();
    rt_kernel *k = rt_module_kernel_at(n->module, function);
    rt_release_lock();
    return k;
}

cudaError_t nested_add_work(rt_nested *n, const nested_work *w)
{
    nested_work *to = LIST_ADD(n->work.of, n->work.count);
    if (!to)
        return cudaErrorMemoryAllocation;
    *to = *w;
    return cudaSuccess;
}

void nested_raise_fault(sm_runtime_call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->fault_text, sizeof c->fault_text, format, args);
    va_end(args);
    c->fault = SM_FAULT_ADDRESS;
}

/* --- queries, implemented with the host functions --------------------------------------------- */

/* Copy the constant TEXT to device memory and return its address there; 0: no memory. */
static uint64_t copy_string_to_heap(rt_nested *n, const char *text)
{
    for (uint32_t k = 0; k < n->strings.count; k++)
        if (n->strings.of[k].text == text)
            return n->strings.of[k].address;
    const size_t size = strlen(text) + 1;
    const uint64_t at = sm_heap_alloc(size);
    char *to = at ? mem_host_pointer(at, size) : NULL;
    nested_string *s = to ? LIST_ADD(n->strings.of, n->strings.count) : NULL;
    if (!s)
        return 0;
    memcpy(to, text, size);
    *s = (nested_string){text, at};
    return at;
}

static cudaError_t answer_occupancy_query(rt_nested *n, const sm_runtime_call *c)
{
    int value = 0;
    size_t size = 0;
    struct cudaFuncAttributes attributes;
    enum cudaFuncCache cache;
    cudaError_t e;
    switch (c->function) {
    case SM_RUNTIME_GetDeviceCount:
        e = cudaGetDeviceCount(&value);
        return e ? e : nested_store_result(c, nested_arg64(c, 0), &value, sizeof value);
    case SM_RUNTIME_GetDevice:
        e = cudaGetDevice(&value);
        return e ? e : nested_store_result(c, nested_arg64(c, 0), &value, sizeof value);
    case SM_RUNTIME_RuntimeGetVersion:
        value = DEVICE_RUNTIME_VERSION;
        return nested_store_result(c, nested_arg64(c, 0), &value, sizeof value);
    case SM_RUNTIME_DeviceGetAttribute:
        e = nested_arg_int(c, 1)
                ? cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)nested_arg_int(c, 1), 0)
                : cudaSuccess;
        return e ? e : nested_store_result(c, nested_arg64(c, 0), &value, sizeof value);
    case SM_RUNTIME_DeviceGetLimit:
        e = cudaDeviceGetLimit(&size, (enum cudaLimit)nested_arg_int(c, 1));
        return e ? e : nested_store_result(c, nested_arg64(c, 0), &size, sizeof size);
    case SM_RUNTIME_DeviceGetCacheConfig:
        e = cudaDeviceGetCacheConfig(&cache);
        return e ? e : nested_store_result(c, nested_arg64(c, 0), &cache, sizeof cache);
    case SM_RUNTIME_FuncGetAttributes:
        e = cudaFuncGetAttributes(&attributes, nested_kernel_at(n, nested_arg64(c, 1)));
        return e ? cudaErrorInvalidValue
                 : nested_store_result(c, nested_arg64(c, 0), &attributes,
                                       offsetof(struct cudaFuncAttributes, cacheModeCA));
    default: /* SM_RUNTIME_Occupancy* */
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value,
                                                          nested_kernel_at(n, nested_arg64(c, 1)),
                                                          nested_arg_int(c, 2), nested_arg64(c, 3));
        return e ? e : nested_store_result(c, nested_arg64(c, 0), &value, sizeof value);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static cudaError_t allocate_on_heap(const sm_runtime_call *c)
{
    const uint64_t size = nested_arg64(c, 1), at = size ? sm_heap_alloc(size) : 0;
    if (!at)
        return size ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    return nested_store_result(c, nested_arg64(c, 0), &at, sizeof at);
}

static cudaError_t free_on_heap(sm_runtime_call *c)
{
    const uint64_t at = nested_arg64(c, 0);
    mem_range r;
    if (!at || sm_heap_free(at))
        return cudaSuccess;
    if (mem_find_range(at, &r) && r.base == at) {
        rt_print_message(
            "cudaFree in device code frees only memory that cudaMalloc in device code allocated, "
            "not memory that the host allocated");
        return cudaSuccess;
    }
    nested_raise_fault(
        c,
        "cudaFree(0x%llx): cudaMalloc() in device code has not returned this address, or it "
        "has been freed already",
        (unsigned long long)at);
    return cudaErrorInvalidValue;
}

/* Is AT in global memory? Memory of the host, a thread or a block is not. */
static bool is_device_reachable(uint64_t at)
{
    mem_range r;
    return mem_find_range(at, &r);
}

static cudaError_t copy_by_kernel(rt_nested *n, const sm_runtime_call *c, bool flat)
{
    const size_t width = flat ? nested_arg64(c, 2) : nested_arg64(c, 4),
                 height = flat ? 1 : nested_arg64(c, 5);
    nested_work w = {
        .kind = NESTED_COPY,
        .box = {.dst = {nested_arg64(c, 0), flat ? width : nested_arg64(c, 1), 0},
                .src = {nested_arg64(c, flat ? 1 : 2), flat ? width : nested_arg64(c, 3), 0},
                .width = width,
                .height = height,
                .kind = (enum cudaMemcpyKind)nested_arg_int(c, flat ? 3 : 6)}};
    const nested_copy *b = &w.box;
    if (b->kind != cudaMemcpyDeviceToDevice && b->kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (width && height && (!is_device_reachable(b->dst.base) || !is_device_reachable(b->src.base)))
        return cudaErrorInvalidValue;
    rt_take_lock_again();
    cudaError_t e = rt_queue_copy("a copy by a kernel", b->dst, b->src, b->width, b->height, 1,
                                  b->kind, NULL, true);
    rt_release_lock();
    e = e ? e : nested_find_stream(n, c, nested_arg64(c, flat ? 4 : 7), &w.stream);
    return e || !width || !height ? e : nested_add_work(n, &w);
}

static cudaError_t fill_by_kernel(rt_nested *n, const sm_runtime_call *c, bool flat)
{
    const size_t width = nested_arg64(c, flat ? 2 : 3), height = flat ? 1 : nested_arg64(c, 4);
    nested_work w = {.kind = NESTED_FILL,
                     .box = {.dst = {nested_arg64(c, 0), flat ? width : nested_arg64(c, 1), 0},
                             .width = width,
                             .height = height,
                             .value = (uint32_t)nested_arg_int(c, flat ? 1 : 2)}};
    const nested_copy *b = &w.box;
    if (width && height && !is_device_reachable(b->dst.base))
        return cudaErrorInvalidValue;
    rt_take_lock_again();
    cudaError_t e = rt_queue_fill("a fill by a kernel", b->dst, b->value, 1, b->width, b->height, 1,
                                  NULL, true);
    rt_release_lock();
    e = e ? e : nested_find_stream(n, c, nested_arg64(c, flat ? 3 : 5), &w.stream);
    return e || !width || !height ? e : nested_add_work(n, &w);
}

/* --- dispatch --------------------------------------------------------------------------------- */

static cudaError_t run_device_runtime_call(rt_nested *n, sm_runtime_call *c)
{
    switch (c->function) {
    case SM_RUNTIME_Malloc: return allocate_on_heap(c);
    case SM_RUNTIME_Free: return free_on_heap(c);
    case SM_RUNTIME_StreamCreateWithFlags: return nested_stream_create(n, c);
    case SM_RUNTIME_StreamDestroy: return nested_stream_destroy(n, c);
    case SM_RUNTIME_StreamWaitEvent:
    case SM_RUNTIME_StreamWaitEvent_ptsz: return nested_stream_wait(n, c);
    case SM_RUNTIME_EventCreateWithFlags: return nested_event_create(n, c);
    case SM_RUNTIME_EventRecord:
    case SM_RUNTIME_EventRecord_ptsz:
    case SM_RUNTIME_EventRecordWithFlags:
    case SM_RUNTIME_EventRecordWithFlags_ptsz: return nested_event_record(n, c);
    case SM_RUNTIME_EventDestroy: return nested_event_destroy(n, c);
    case SM_RUNTIME_MemcpyAsync:
    case SM_RUNTIME_MemcpyAsync_ptsz: return copy_by_kernel(n, c, true);
    case SM_RUNTIME_Memcpy2DAsync:
    case SM_RUNTIME_Memcpy2DAsync_ptsz: return copy_by_kernel(n, c, false);
    case SM_RUNTIME_MemsetAsync:
    case SM_RUNTIME_MemsetAsync_ptsz: return fill_by_kernel(n, c, true);
    case SM_RUNTIME_Memset2DAsync:
    case SM_RUNTIME_Memset2DAsync_ptsz: return fill_by_kernel(n, c, false);
    case SM_RUNTIME_LaunchDevice:
    case SM_RUNTIME_LaunchDevice_ptsz: return nested_launch_v1(n, c);
    case SM_RUNTIME_LaunchDeviceV2:
    case SM_RUNTIME_LaunchDeviceV2_ptsz: return nested_launch_v2(n, c);
    default: return answer_occupancy_query(n, c);
    }
}

void rt_run_device_runtime_call(void *runtime, sm_runtime_call *c)
{
    rt_nested *n = runtime;
    const cudaError_t host =
        rt_swap_last_error(cudaSuccess); /* the host's last error is restored below:
                                       any host thread may run this block */
    cudaError_t e = cudaSuccess;
    switch (c->function) {
    case SM_RUNTIME_GetLastError:
    case SM_RUNTIME_PeekAtLastError:
        c->result = last_device_error(n, c, c->function == SM_RUNTIME_GetLastError);
        break;
    case SM_RUNTIME_GetErrorName:
        c->result = copy_string_to_heap(n, cudaGetErrorName((cudaError_t)nested_arg_int(c, 0)));
        break;
    case SM_RUNTIME_GetErrorString:
        c->result = copy_string_to_heap(n, cudaGetErrorString((cudaError_t)nested_arg_int(c, 0)));
        break;
    case SM_RUNTIME_GetParameterBuffer: e = nested_new_param_buffer_v1(c, &c->result); break;
    case SM_RUNTIME_GetParameterBufferV2: e = nested_new_param_buffer_v2(n, c, &c->result); break;
    default: {
        const uint32_t before = n->work.count;
        e = run_device_runtime_call(n, c);
        c->result = e;
        if (n->work.count > before && !n->streams.of[n->work.of[before].stream].tail)
            c->request = n->work.count;
        break;
    }
    }
    rt_swap_last_error(host);
    if (e)
        note_device_error(n, c, e);
}
