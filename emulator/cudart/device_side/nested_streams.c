/* Streams and events that device code creates. Each stream belongs to one block (Programming Guide,
 * "CUDA Dynamic Parallelism", "Streams" and "Events"). */
#include "nested_calls.h"

#include "../../base/list.h"

/* Handles of streams and events in device code. The handle of a block's NULL stream is 0. The
 * handles from FIRST_... on are FIRST_... plus a thread's index, or a stream's or event's. */
#define NULL_STREAM_HANDLE             0u
#define TAIL_LAUNCH_STREAM             3u                  /* cudaStreamTailLaunch */
#define FIRE_AND_FORGET_STREAM         4u                  /* cudaStreamFireAndForget */
#define FIRST_PER_THREAD_STREAM_HANDLE (UINT64_C(1) << 40) /* per-thread default streams */
#define FIRST_CREATED_STREAM_HANDLE    (UINT64_C(1) << 41) /* cudaStreamCreateWithFlags */
#define FIRST_EVENT_HANDLE             (UINT64_C(1) << 42) /* cudaEventCreateWithFlags */

static bool uses_per_thread_default_stream(sm_runtime_function f)
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
    case SM_RUNTIME_LaunchDeviceV2_ptsz: return true;
    default: return false;
    }
}

cudaError_t nested_find_stream(rt_nested *n, const sm_runtime_call *c, uint64_t handle,
                               uint32_t *stream)
{
    const bool forget = handle == FIRE_AND_FORGET_STREAM;
    if (handle >= FIRST_CREATED_STREAM_HANDLE) { /* such a handle stays valid after
                                                    cudaStreamDestroy, as on an H200 */
        const uint64_t k = handle - FIRST_CREATED_STREAM_HANDLE;
        *stream = (uint32_t)k;
        return k < n->streams.count && n->streams.of[k].named && n->streams.of[k].block == c->block
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    }
    if (handle > FIRE_AND_FORGET_STREAM)
        return cudaErrorInvalidValue;
    if (handle == (uintptr_t)cudaStreamPerThread ||
        (!handle && uses_per_thread_default_stream(c->function)))
        handle = FIRST_PER_THREAD_STREAM_HANDLE + c->thread;
    else if (handle == (uintptr_t)cudaStreamLegacy)
        handle = NULL_STREAM_HANDLE;
    for (uint32_t k = n->streams.count; !forget && k-- > 0;) {
        const nested_stream *l = &n->streams.of[k];
        if (l->handle == handle && !l->named && (l->tail || l->block == c->block)) {
            *stream = k;
            return cudaSuccess;
        }
    }
    nested_stream *l = LIST_ADD(n->streams.of, n->streams.count);
    if (!l)
        return cudaErrorMemoryAllocation;
    *l = (nested_stream){.block = c->block, .handle = handle, .tail = handle == TAIL_LAUNCH_STREAM};
    *stream = n->streams.count - 1;
    return cudaSuccess;
}

cudaError_t nested_stream_create(rt_nested *n, const sm_runtime_call *c)
{
    if ((unsigned)nested_arg_int(c, 1) & ~(unsigned)cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    const uint64_t handle = FIRST_CREATED_STREAM_HANDLE + n->streams.count;
    cudaError_t e = nested_store_result(c, nested_arg64(c, 0), &handle, sizeof handle);
    nested_stream *l = e ? NULL : LIST_ADD(n->streams.of, n->streams.count);
    if (!l)
        return e ? e : cudaErrorMemoryAllocation;
    *l = (nested_stream){.block = c->block, .handle = handle, .named = true};
    return cudaSuccess;
}

cudaError_t nested_stream_destroy(rt_nested *n, const sm_runtime_call *c)
{
    uint32_t stream;
    return nested_arg64(c, 0) < FIRST_CREATED_STREAM_HANDLE
               ? cudaErrorInvalidValue
               : nested_find_stream(n, c, nested_arg64(c, 0), &stream);
}

/* Like nested_find_stream, but returns an error for the tail-launch and fire-and-forget streams: an
 * event cannot be recorded or waited for in them. */
static cudaError_t find_stream_for_events(rt_nested *n, const sm_runtime_call *c, uint64_t handle,
                                          uint32_t *stream)
{
    return handle == TAIL_LAUNCH_STREAM || handle == FIRE_AND_FORGET_STREAM
               ? cudaErrorInvalidValue
               : nested_find_stream(n, c, handle, stream);
}

static nested_event *find_nested_event(rt_nested *n, const sm_runtime_call *c, uint64_t handle)
{
    const uint64_t k = handle - FIRST_EVENT_HANDLE;
    nested_event *e = k < n->events.count ? &n->events.of[k] : NULL;
    return e && !e->destroyed && e->block == c->block ? e : NULL;
}

cudaError_t nested_event_create(rt_nested *n, const sm_runtime_call *c)
{
    if ((unsigned)nested_arg_int(c, 1) != cudaEventDisableTiming)
        return cudaErrorInvalidValue;
    const uint64_t handle = FIRST_EVENT_HANDLE + n->events.count;
    cudaError_t e = nested_store_result(c, nested_arg64(c, 0), &handle, sizeof handle);
    nested_event *v = e ? NULL : LIST_ADD(n->events.of, n->events.count);
    if (!v)
        return e ? e : cudaErrorMemoryAllocation;
    *v = (nested_event){.block = c->block, .record = NESTED_NO_RECORD};
    return cudaSuccess;
}

cudaError_t nested_event_destroy(rt_nested *n, const sm_runtime_call *c)
{
    nested_event *v = find_nested_event(n, c, nested_arg64(c, 0));
    if (!v)
        return cudaErrorInvalidResourceHandle;
    v->destroyed = true;
    return cudaSuccess;
}

cudaError_t nested_event_record(rt_nested *n, const sm_runtime_call *c)
{
    nested_event *v = find_nested_event(n, c, nested_arg64(c, 0));
    nested_work w = {.kind = NESTED_EVENT_RECORD};
    cudaError_t e = v ? find_stream_for_events(n, c, nested_arg64(c, 1), &w.stream)
                      : cudaErrorInvalidResourceHandle;
    e = e ? e : nested_add_work(n, &w);
    if (!e)
        v->record = n->work.count - 1;
    return e;
}

cudaError_t nested_stream_wait(rt_nested *n, const sm_runtime_call *c)
{
    const nested_event *v = find_nested_event(n, c, nested_arg64(c, 1));
    nested_work w = {.kind = NESTED_EVENT_WAIT};
    cudaError_t e = v ? find_stream_for_events(n, c, nested_arg64(c, 0), &w.stream)
                      : cudaErrorInvalidResourceHandle;
    if (e || v->record == NESTED_NO_RECORD)
        return e;
    w.event = v->record;
    return nested_add_work(n, &w);
}
