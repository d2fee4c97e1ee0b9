/* The list of streams, and the lookup of the stream for a handle. */
#include "../checks/checks.h"
#include "../core/context.h"
#include "../core/state.h"
#include "queue.h"

#include <stdlib.h>

static __thread rt_stream *own_default_stream; /* this thread's per-thread default stream */

__thread unsigned rt_per_thread_default; /* above 0: NULL is the per-thread default stream */

rt_stream *rt_legacy_stream(void)
{
    return &rt.streams.legacy;
}

rt_stream *rt_stream_new(unsigned flags, int priority)
{
    rt_stream *s = calloc(1, sizeof *s);
    if (s) {
        *s = (rt_stream){.id = rt.streams.next_id++,
                         .flags = flags,
                         .priority = priority,
                         .context = rt_current_owner_context()};
        s->next = rt.streams.first;
        rt.streams.first = s;
    }
    return s;
}

void rt_stream_destroy(rt_stream *s)
{
    rt_note_destroyed((uint64_t)(uintptr_t)s);
    s->destroyed = true; /* rt_free_destroyed_streams frees the stream when its work is done */
}

void rt_destroy_streams_of_context(const void *context)
{
    for (rt_stream *s = rt.streams.first; s; s = s->next)
        s->destroyed = s->destroyed || (s != &rt.streams.legacy && s->context == context);
}

void rt_free_destroyed_streams(void)
{
    for (rt_stream **p = &rt.streams.first; *p;) {
        rt_stream *s = *p;
        if (s->destroyed && !s->capture && (!s->last || s->last->state == RT_DONE)) {
            *p = s->next;
            rt_op_unref(s->last);
            free(s);
        } else {
            p = &s->next;
        }
    }
}

rt_stream *rt_stream_of(cudaStream_t handle)
{
    if (handle == cudaStreamLegacy || (!handle && !rt_per_thread_default))
        return &rt.streams.legacy;
    if (handle == cudaStreamPerThread || !handle) {
        if (!own_default_stream) {
            own_default_stream = rt_stream_new(cudaStreamDefault, 0);
            if (own_default_stream) {
                own_default_stream->context =
                    NULL; /* each thread has one such stream, whichever context is current */
            }
        }
        return own_default_stream;
    }
    for (rt_stream *s = rt.streams.first; s; s = s->next)
        if (s == (rt_stream *)handle && !s->destroyed && s != &rt.streams.legacy)
            return s;
    rt_error_of_handle(cudaErrorInvalidResourceHandle, "stream", handle);
    return NULL;
}

rt_stream *rt_first_stream(void)
{
    return rt.streams.first;
}

uint32_t rt_stream_count(void)
{
    uint32_t n = 0;
    for (rt_stream *s = rt.streams.first; s; s = s->next)
        n++;
    return n;
}

bool rt_stream_syncs_with_default(const rt_stream *s)
{
    return !(s->flags & cudaStreamNonBlocking);
}

void rt_reset_streams(void)
{
    rt_finish_all();
    for (rt_stream *s = rt.streams.first; s; s = s->next)
        if (s != &rt.streams.legacy && s != own_default_stream && !s->context)
            s->destroyed = true;
    rt_free_destroyed_streams();
}
