/* Streams (Runtime API, "Stream Management"). */
#include "../checks/checks.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "../memory/release.h"
#include "event.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !stream || (flags & ~(unsigned)cudaStreamNonBlocking));
    if (!e) {
        priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
        rt_stream *s = rt_stream_new(flags, priority);
        *stream = (cudaStream_t)s;
        e = s ? cudaSuccess : cudaErrorMemoryAllocation;
        if (s)
            rt_note_object(RT_STREAM_OBJECT, (uintptr_t)s);
    }
    return rt_unlock(e);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t rt_lock_and_find_stream(cudaStream_t stream, rt_stream **s)
{
    cudaError_t e = rt_lock();
    *s = rt_stream_of(stream);
    return e ? e : *s ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    rt_note_object_destroyed(RT_STREAM_OBJECT, (uintptr_t)stream);
    if (!e && (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread))
        e = cudaErrorInvalidResourceHandle;
    if (!e) {
        if (rt_is_capturing(s))
            rt_capture_drop_stream(s);
        rt_stream_destroy(s);
    }
    return rt_unlock(e);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = e ? e : rt_capture_check_wait(s);
    e = e ? e : rt_finish_stream(s);
    rt_pools_release_unused();
    return rt_unlock(e);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = e ? e : rt_capture_check_wait(s);
    return rt_unlock_after_query(e ? e : rt_poll_op(s->last));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = e ? e : rt_capture_check_wait(s);
    e = RT_INVALID_IF(e, !flags);
    return RT_UNLOCK_WITH(e, flags, s->flags);
}

/* The call NAME: *OUT becomes VALUE, about the stream S. */
#define STREAM_QUERY(name, type, value)                      \
    cudaError_t name(cudaStream_t stream, type *out)         \
    {                                                        \
        rt_stream *s;                                        \
        cudaError_t e = rt_lock_and_find_stream(stream, &s); \
        e = RT_INVALID_IF(e, !out);                          \
        return RT_UNLOCK_WITH(e, out, value);                \
    }
STREAM_QUERY(cudaStreamGetPriority, int, s->priority)
STREAM_QUERY(cudaStreamGetId, unsigned long long, s->id)
STREAM_QUERY(cudaStreamGetDevice, int, 0)

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t e = rt_lock();
    if (!e) {
        if (least)
            *least = 0;
        if (greatest)
            *greatest = -5;
    }
    return rt_unlock(e);
}

/* --- attributes of streams -----------------------------------------------------------------------
 * Priority, synchronization policy and the L2 window affect how fast a device works, not its
 * results. */

/* Value of cudaDevAttrMaxAccessPolicyWindowSize in bytes. */
#define MAX_WINDOW_BYTES (UINT64_C(128) << 20)

static cudaError_t set_access_window(rt_stream *s, const struct cudaAccessPolicyWindow *w)
{
    if (w->num_bytes && (w->num_bytes > MAX_WINDOW_BYTES || w->hitRatio < 0 || w->hitRatio > 1 ||
                         (unsigned)w->hitProp > cudaAccessPropertyPersisting ||
                         (unsigned)w->missProp > cudaAccessPropertyStreaming))
        return cudaErrorInvalidValue;
    s->window = *w;
    return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = RT_INVALID_IF(e, !value);
    if (!e) {
        switch (attr) {
        case cudaLaunchAttributeAccessPolicyWindow:
            e = set_access_window(s, &value->accessPolicyWindow);
            break;
        case cudaLaunchAttributeSynchronizationPolicy:
            if (value->syncPolicy < cudaSyncPolicyAuto ||
                value->syncPolicy > cudaSyncPolicyBlockingSync)
                e = cudaErrorInvalidValue;
            else
                s->policy = value->syncPolicy;
            break;
        case cudaLaunchAttributePriority:
            s->priority = value->priority < -5 ? -5 : value->priority > 0 ? 0 : value->priority;
            break;
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributeMemSyncDomainMap: break;
        default: e = cudaErrorInvalidValue;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = RT_INVALID_IF(e, !value);
    if (!e) {
        cudaLaunchAttributeValue v = {0};
        switch (attr) {
        case cudaLaunchAttributeAccessPolicyWindow: v.accessPolicyWindow = s->window; break;
        case cudaLaunchAttributeSynchronizationPolicy:
            v.syncPolicy = s->policy ? s->policy : cudaSyncPolicyAuto;
            break;
        case cudaLaunchAttributePriority: v.priority = s->priority; break;
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributeMemSyncDomainMap: break;
        default: e = cudaErrorInvalidValue;
        }
        *value = e ? *value : v;
    }
    return rt_unlock(e);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    rt_stream *to, *from;
    cudaError_t e = rt_lock_and_find_stream(dst, &to);
    from = rt_stream_of(src);
    e = RT_ERROR_IF(e, !from, cudaErrorInvalidResourceHandle);
    if (!e) {
        to->window = from->window;
        to->policy = from->policy;
    }
    return rt_unlock(e);
}

/* --- host functions in streams ---------------------------------------------------------------- */

/* The data of an operation that calls a function of the program: FN, or CALLBACK if not NULL. */
typedef struct host_function_call {
    cudaHostFn_t fn;               /* function given to cudaLaunchHostFunc */
    cudaStreamCallback_t callback; /* function given to cudaStreamAddCallback, else NULL */
    cudaStream_t stream;           /* first argument of `callback` */
    void *data;                    /* the program's argument of the function */
} host_function_call;

static void run_host_function(rt_op *op)
{
    const host_function_call *c = op->data;
    if (c->callback)
        c->callback(c->stream, rt.state.sticky, c->data);
    else
        c->fn(c->data);
}

static cudaError_t add_host_call(rt_stream *s, host_function_call call)
{
    rt_op *op = rt_queue_op(s, RT_HOST_FUNCTION, sizeof call, NULL);
    if (!op)
        return cudaErrorMemoryAllocation;
    *(host_function_call *)op->data = call;
    op->run = run_host_function;
    return cudaSuccess;
}

cudaError_t rt_queue_host_function(rt_stream *s, cudaHostFn_t fn, void *data)
{
    return add_host_call(s, (host_function_call){.fn = fn, .data = data});
}

static cudaError_t queue_host_call(cudaStream_t stream, host_function_call call)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = RT_INVALID_IF(e, !call.fn && !call.callback);
    e = e ? e : rt_capture_check_work(s);
    if (!e && rt_is_capturing(s) && call.callback) {
        e = rt_capture_check_wait(s);
    } else if (!e && rt_is_capturing(s)) {
        rt_node_work work = {.type = cudaGraphNodeTypeHost, .host = {call.fn, call.data}};
        e = rt_capture_add_node(s, &work);
    } else if (!e) {
        e = add_host_call(s, call);
    }
    return rt_unlock(e);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    return queue_host_call(stream, (host_function_call){.fn = fn, .data = userData});
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags)
{
    if (flags)
        return rt_set_last_error(cudaErrorInvalidValue);
    return queue_host_call(
        stream, (host_function_call){.callback = callback, .stream = stream, .data = userData});
}
