/* Events (Runtime API, "Event Management"). Their times come from the modelled clock. */
#include "event.h"
#include "../checks/checks.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "../memory/release.h"
#include "event_share.h"

#include <math.h>
#include <stdlib.h>

/* An event: cudaEvent_t points to it. */
typedef struct rt_event {
    unsigned flags;                /* flags given to cudaEventCreateWithFlags */
    bool is_from_before_reset;     /* the event was created before cudaDeviceReset */
    rt_op *record;                 /* operation of the most recent cudaEventRecord, or NULL */
    rt_work_counts work_at_record; /* how much work was issued before that call */
    rt_event_share *share;         /* what other processes know of it; NULL: they do not know it */
    rt_capture_position position;  /* position of a record in a captured graph, if captured */
    struct rt_event *next;         /* next in the list of all events */
} event;

static event *event_of_handle(cudaEvent_t handle)
{
    for (event *v = rt.events.first; v; v = v->next)
        if (v == (event *)handle)
            return v;
    return NULL;
}

static cudaError_t lock_and_find_event(cudaEvent_t handle, event **v)
{
    cudaError_t e = rt_lock();
    *v = event_of_handle(handle);
    return e     ? e
           : !*v ? rt_error_of_handle(cudaErrorInvalidResourceHandle, "event", handle)
           : (*v)->is_from_before_reset ? cudaErrorDeviceUninitialized
                                        : cudaSuccess;
}

void rt_reset_events(void)
{
    for (event *v = rt.events.first; v; v = v->next)
        v->is_from_before_reset = true;
}

static cudaError_t new_event(cudaEvent_t *handle, unsigned flags, rt_event_share *share)
{
    event *v = calloc(1, sizeof *v);
    if (!v) {
        rt_event_share_drop(share);
        return cudaErrorMemoryAllocation;
    }
    v->flags = flags;
    v->share = share;
    v->next = rt.events.first;
    rt.events.first = v;
    *handle = (cudaEvent_t)v;
    rt_note_object(RT_EVENT_OBJECT, (uintptr_t)v);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned int flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    cudaError_t e = rt_lock();
    if (!e && (!handle || flags & ~known ||
               (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))) {
        e = flags & cudaEventInterprocess
                ? rt_error_because(cudaErrorInvalidValue,
                                   "cudaEventInterprocess needs cudaEventDisableTiming too")
                : cudaErrorInvalidValue;
    }
    return rt_unlock(e ? e : new_event(handle, flags, NULL));
}

cudaError_t cudaEventCreate(cudaEvent_t *handle)
{
    return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    event *v;
    cudaError_t e = lock_and_find_event(handle, &v);
    e = e == cudaErrorDeviceUninitialized ? cudaSuccess : e;
    rt_note_object_destroyed(RT_EVENT_OBJECT, (uintptr_t)handle);
    if (v) {
        rt_note_destroyed((uint64_t)(uintptr_t)v);
        for (event **p = &rt.events.first; *p; p = &(*p)->next) {
            if (*p == v) {
                *p = v->next;
                break;
            }
        }
        rt_op_unref(v->record);
        rt_event_share_drop(v->share);
        rt_capture_position_clear(&v->position);
        free(v);
    }
    return rt_unlock(e);
}

bool rt_is_event(cudaEvent_t handle)
{
    return event_of_handle(handle) != NULL;
}

bool rt_event_has_no_timing(cudaEvent_t handle)
{
    const event *v = event_of_handle(handle);
    return v && v->flags & cudaEventDisableTiming;
}

static cudaError_t record(event *v, rt_stream *s)
{
    rt_op *op = rt_queue_op(s, RT_EVENT_RECORD, v->share ? rt_event_share_op_bytes : 0, NULL);
    if (!op)
        return cudaErrorMemoryAllocation;
    if (v->share)
        rt_event_share_record(v->share, op);
    rt_op_unref(v->record);
    v->record = rt_op_ref(op);
    v->work_at_record = rt_issued_work_counts();
    rt_capture_position_clear(&v->position);
    return cudaSuccess;
}

cudaError_t rt_event_record(cudaEvent_t handle, rt_stream *s)
{
    event *v = event_of_handle(handle);
    return v ? record(v, s) : cudaErrorInvalidResourceHandle;
}

/* Add a node to the capture; the node records or waits for the event each time the graph runs. */
static cudaError_t capture_event(rt_stream *s, enum cudaGraphNodeType type, event *v)
{
    rt_node_work work = {.type = type, .event = (cudaEvent_t)v};
    return rt_capture_add_node(s, &work);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned int flags)
{
    event *v;
    cudaError_t e = lock_and_find_event(handle, &v);
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    e = RT_INVALID_IF(e, flags & ~(unsigned)cudaEventRecordExternal);
    e = e ? e : rt_capture_check_work(s);
    e = RT_ERROR_IF(e, flags && !rt_is_capturing(s), cudaErrorIllegalState);
    if (!e) {
        e = !rt_is_capturing(s) ? record(v, s)
            : flags             ? capture_event(s, cudaGraphNodeTypeEventRecord, v)
                                : rt_capture_get_position(s, &v->position);
    }
    return rt_unlock(e);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(handle, stream, cudaEventRecordDefault);
}

/* The error of a host call for V, uncaptured: an event recorded during a capture has no time. */
static cudaError_t error_outside_capture(const event *v)
{
    return v->position.capture ? rt_capture_report_event_query(&v->position)
                               : rt_capture_check_unsafe();
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    event *v;
    cudaError_t e = lock_and_find_event(handle, &v);
    e = e ? e : error_outside_capture(v);
    if (!e) {
        rt_op *op = rt_op_ref(v->record);
        e = rt_poll_op(op);
        rt_op_unref(op);
        e = RT_ERROR_IF(e, v->share && !rt_event_share_is_reached(v->share), cudaErrorNotReady);
    }
    return rt_unlock_after_query(e);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    event *v;
    cudaError_t e = lock_and_find_event(handle, &v);
    e = e ? e : error_outside_capture(v);
    if (!e) {
        rt_op *op = rt_op_ref(v->record);
        e = rt_finish_op(op);
        rt_op_unref(op);
        v = event_of_handle(handle); /* the lock was released */
        if (!e && v && v->share)
            rt_event_share_finish(v->share);
        rt_pools_release_unused();
    }
    return rt_unlock(e);
}

/* The time of an event has a resolution of about half a microsecond on a GPU (Runtime API,
 * cudaEventElapsedTime), so two measurements of one kernel are hardly ever equal. Programs rely on
 * that: they divide by variances. So a modelled time also has an error of up to 1/512 in both
 * directions, but at least 16 ns (half a tick) and at most 250 ns. The error depends only on SEQ,
 * the position of the later record in the program's order of operations. It uses multiples of the
 * golden ratio modulo 1, because successive values are nearly evenly spread. */
static double add_event_error(double ns, uint64_t seq)
{
    const double tick = 32, most = 250, size = fabs(ns);
    const double golden = (double)(seq * UINT64_C(0x9e3779b97f4a7c15)) * 0x1p-64; /* in [0, 1) */
    const double off = size / 512 < tick / 2 ? tick / 2 : size / 512 > most ? most : size / 512;

    return size > tick ? ns + off * (2 * golden - 1) : ns;
}

static cudaError_t error_of_untimed_events(const event *a, const event *b, cudaEvent_t end)
{
    const cudaError_t e = cudaErrorInvalidResourceHandle;
    if (!b)
        return rt_error_of_handle(e, "event", end);
    if ((a->flags | b->flags) & cudaEventDisableTiming) {
        return rt_error_because(e,
                                "the %s event was created with cudaEventDisableTiming: it has "
                                "no time, so create both with cudaEventCreate()",
                                a->flags & cudaEventDisableTiming ? "first" : "second");
    }
    if (!a->record || !b->record) {
        return rt_error_because(e, "the %s event was never recorded by cudaEventRecord()",
                                !a->record ? "first" : "second");
    }
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    event *a, *b;
    if (!ms)
        return rt_set_last_error(cudaErrorInvalidValue);
    cudaError_t e = lock_and_find_event(start, &a);
    b = event_of_handle(end);
    if (!e && b && (a->position.capture || b->position.capture)) {
        const rt_capture_position *position = a->position.capture ? &a->position : &b->position;
        e = rt_capture_is_active(position) ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
    }
    e = e ? e : error_of_untimed_events(a, b, end);
    if (!e) {
        rt_op *from = rt_op_ref(a->record), *to = rt_op_ref(b->record);
        e = rt_poll_op(from);
        e = e ? e : rt_poll_op(to);
        if (e == cudaErrorNotReady)
            rt_error_because(e, "work before the second event runs still: wait with "
                                "cudaEventSynchronize() first");
        e = e ? e : rt_find_time_of_op(from);
        e = e ? e : rt_find_time_of_op(to);
        if (!e) {
            rt_check_work_between_events(&a->work_at_record, &b->work_at_record);
            *ms = (float)(add_event_error(to->end - from->end, to->seq) * 1e-6);
        }
        rt_op_unref(from);
        rt_op_unref(to);
    }
    return rt_unlock(e);
}

static cudaError_t queue_event_wait(event *v, rt_stream *s)
{
    const bool elsewhere = v->share && !rt_event_share_is_reached(v->share);
    rt_op *op =
        !v->record && !elsewhere
            ? NULL
            : rt_queue_op(s, RT_EVENT_WAIT, elsewhere ? rt_event_share_op_bytes : 0, v->record);
    if (op && elsewhere)
        rt_event_share_wait(v->share, op);
    return op || (!v->record && !elsewhere) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t rt_event_wait(cudaEvent_t handle, rt_stream *s)
{
    event *v = event_of_handle(handle);
    return v ? queue_event_wait(v, s) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned int flags)
{
    event *v;
    cudaError_t e = lock_and_find_event(handle, &v);
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    e = RT_INVALID_IF(e, flags & ~(unsigned)cudaEventWaitExternal);
    e = e ? e : rt_capture_check_work(s);
    e = RT_ERROR_IF(e, flags && !rt_is_capturing(s), cudaErrorIllegalState);
    if (!e) {
        e = flags ? capture_event(s, cudaGraphNodeTypeWaitEvent, v)
            : v->position.capture || (v->record && rt_is_capturing(s))
                ? rt_capture_join_stream(s, &v->position)
                : queue_event_wait(v, s);
    }
    return rt_unlock(e);
}

/* --- other processes -------------------------------------------------------------------------- */

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t handle)
{
    event *v;
    if (!handle)
        return rt_set_last_error(cudaErrorInvalidValue);
    cudaError_t e = lock_and_find_event(handle, &v);
    if (!e && !(v->flags & cudaEventInterprocess)) {
        e = rt_error_because(cudaErrorInvalidResourceHandle,
                             "the event was created without cudaEventInterprocess");
    }
    e = RT_INVALID_IF(e, !out);
    if (!e && !v->share) { /* the records before it have no number, so they are waited for */
        rt_op *op = rt_op_ref(v->record);
        e = rt_finish_op(op);
        rt_op_unref(op);
        v = e ? NULL : event_of_handle(handle);
        e = e ? e : v ? cudaSuccess : cudaErrorInvalidResourceHandle;
        if (!e && !v->share)
            v->share = rt_event_share_new();
    }
    e = RT_ERROR_IF(e, !v->share, cudaErrorMemoryAllocation);
    e = RT_ERROR_IF(e, !rt_event_share_write_handle(v->share, out), cudaErrorInvalidResourceHandle);
    return rt_unlock(e);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !out);
    if (!e && rt_event_share_is_own(&handle)) {
        e = rt_error_because(cudaErrorDeviceUninitialized,
                             "the handle is one of this process, which has the event already");
    }
    rt_event_share *share = e ? NULL : rt_event_share_open(&handle);
    e = RT_ERROR_IF(e, !share, cudaErrorMapBufferObjectFailed);
    if (!e)
        e = new_event(out, cudaEventInterprocess | cudaEventDisableTiming, share);
    return rt_unlock(e);
}
