#include "capture.h"

#include "../checks/checks.h"
#include "../core/state.h"

#include <pthread.h>
#include <stdlib.h>

/* A stream capture in progress. */
typedef struct rt_capture {
    uint64_t id;                     /* unique id of the capture, from cudaStreamGetCaptureInfo */
    rt_graph *graph;                 /* receives the captured nodes */
    bool owned_by_program;           /* begun by cudaStreamBeginCaptureToGraph */
    enum cudaStreamCaptureMode mode; /* capture mode given to cudaStreamBeginCapture */
    pthread_t thread;                /* thread that began the capture */
    rt_stream *origin;               /* stream in which the capture began */
    bool invalid;                    /* a call has invalidated the capture */
    struct rt_capture *next;         /* next capture in progress */
} rt_capture;

/* Capture mode of the calling thread, set by cudaThreadExchangeStreamCaptureMode. */
static __thread enum cudaStreamCaptureMode thread_capture_mode = cudaStreamCaptureModeGlobal;

/* --- positions in a captured graph ------------------------------------------------------------ */

void rt_capture_position_clear(rt_capture_position *position)
{
    for (rt_capture_position **p = &rt.graphs.positions; *p; p = &(*p)->next) {
        if (*p == position) {
            *p = position->next;
            break;
        }
    }
    free(position->node);
    *position = (rt_capture_position){0};
}

static bool is_node_in_position(const rt_capture_position *position, const rt_node *n)
{
    for (size_t i = 0; i < position->count; i++)
        if (position->node[i] == n)
            return true;
    return false;
}

/* Set POSITION to the N nodes NODES of capture CAPTURE; if ADD, keep its present nodes too. */
static cudaError_t set_position_nodes(rt_capture_position *position, uint64_t capture,
                                      rt_node *const *nodes, size_t n, bool add)
{
    rt_node **list = malloc((n + (add ? position->count : 0) + 1) * sizeof(void *));
    if (!list)
        return cudaErrorMemoryAllocation;
    size_t count = 0;
    for (size_t i = 0; add && i < position->count; i++)
        list[count++] = position->node[i];
    for (size_t i = 0; i < n; i++)
        if (!add || !is_node_in_position(position, nodes[i]))
            list[count++] = nodes[i];
    rt_capture_position_clear(position);
    *position = (rt_capture_position){capture, list, count, rt.graphs.positions};
    rt.graphs.positions = position;
    return cudaSuccess;
}

void rt_capture_forget_node(const rt_node *n)
{
    for (rt_capture_position *m = rt.graphs.positions; m; m = m->next) {
        for (size_t i = 0; i < m->count; i++)
            if (m->node[i] == n)
                m->node[i--] = m->node[--m->count];
    }
}

/* --- calls that are not allowed during capture ------------------------------------------------ */

static bool is_capture_of_this_thread(const rt_capture *c)
{
    return pthread_equal(c->thread, pthread_self());
}

cudaError_t rt_capture_check_unsafe(void)
{
    cudaError_t e = cudaSuccess;
    for (rt_capture *c = rt.graphs.captures;
         c && thread_capture_mode != cudaStreamCaptureModeRelaxed; c = c->next) {
        if (is_capture_of_this_thread(c) ? c->mode != cudaStreamCaptureModeRelaxed
                                         : c->mode == cudaStreamCaptureModeGlobal &&
                                               thread_capture_mode == cudaStreamCaptureModeGlobal) {
            c->invalid = true;
            e = cudaErrorStreamCaptureUnsupported;
        }
    }
    return e;
}

/* The error for work or queries in the legacy default stream, which would wait for capturing
 * streams. ENDS: the call also invalidates the captures of those streams. */
static cudaError_t implicit_capture_error(bool ends)
{
    cudaError_t e = cudaSuccess;
    for (rt_capture *c = rt.graphs.captures; c; c = c->next) {
        if (!(c->origin->flags & cudaStreamNonBlocking)) {
            c->invalid = c->invalid || ends;
            e = cudaErrorStreamCaptureImplicit;
        }
    }
    return e;
}

cudaError_t rt_capture_check_work(rt_stream *s)
{
    if (s->capture)
        return s->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    return !s->id && rt.graphs.captures ? implicit_capture_error(true) : cudaSuccess;
}

void rt_capture_invalidate(rt_stream *s)
{
    s->capture->invalid = true;
}

cudaError_t rt_capture_check_wait(rt_stream *s)
{
    if (s->capture) {
        s->capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    cudaError_t e = rt_capture_check_work(s);
    return e ? e : rt_capture_check_unsafe();
}

cudaError_t rt_capture_check_wait_all(void)
{
    for (rt_capture *c = rt.graphs.captures; c; c = c->next)
        c->invalid = true;
    return rt.graphs.captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* --- nodes ------------------------------------------------------------------------------------ */

cudaError_t rt_capture_add_node(rt_stream *s, rt_node_work *work)
{
    rt_node *n = NULL;
    cudaError_t e = rt_node_add(s->capture->graph, s->tips->node, NULL, s->tips->count, work, &n);
    e = e ? e : set_position_nodes(s->tips, s->capture->id, &n, 1, false);
    if (e)
        s->capture->invalid = true;
    return e;
}

cudaError_t rt_capture_get_position(rt_stream *s, rt_capture_position *position)
{
    return set_position_nodes(position, s->capture->id, s->tips->node, s->tips->count, false);
}

static rt_capture *capture_of_position(const rt_capture_position *position)
{
    rt_capture *c = position->capture ? rt.graphs.captures : NULL;
    while (c && c->id != position->capture)
        c = c->next;
    return c;
}

bool rt_capture_is_active(const rt_capture_position *position)
{
    return capture_of_position(position) != NULL;
}

cudaError_t rt_capture_report_event_query(const rt_capture_position *position)
{
    rt_capture *c = capture_of_position(position);
    if (!c)
        return cudaErrorInvalidValue;
    c->invalid = true;
    return cudaErrorCapturedEvent;
}

static cudaError_t add_stream_to_capture(rt_stream *s, rt_capture *c)
{
    s->tips = calloc(1, sizeof *s->tips);
    s->capture = s->tips ? c : NULL;
    return s->tips ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void remove_stream_from_capture(rt_stream *s)
{
    rt_capture_position_clear(s->tips);
    free(s->tips);
    s->tips = NULL;
    s->capture = NULL;
}

cudaError_t rt_capture_join_stream(rt_stream *s, const rt_capture_position *position)
{
    if (!position->capture) {
        s->capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    rt_capture *c = capture_of_position(position);
    if (!c)
        return cudaErrorInvalidValue; /* the capture of POSITION has ended */
    if (c->invalid || (s->capture && s->capture->invalid))
        return cudaErrorStreamCaptureInvalidated;
    if (s->capture && s->capture != c) {
        s->capture->invalid = c->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (!s->capture && !s->id) {
        c->invalid = true;
        return cudaErrorStreamCaptureImplicit;
    }
    cudaError_t e = s->capture ? cudaSuccess : add_stream_to_capture(s, c);
    return e ? e : set_position_nodes(s->tips, c->id, position->node, position->count, true);
}

/* End the capture of all streams in C. The graph remains. */
static void end_capture(rt_capture *c)
{
    for (rt_stream *t = rt_first_stream(); t; t = t->next)
        if (t->capture == c)
            remove_stream_from_capture(t);
    rt_capture **p = &rt.graphs.captures;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
    free(c);
}

void rt_reset_captures(void)
{
    while (rt.graphs.captures)
        end_capture(rt.graphs.captures); /* the graphs themselves are freed by rt_reset_graphs */
}

void rt_capture_drop_stream(rt_stream *s)
{
    rt_capture *c = s->capture;
    if (c->origin != s)
        return; /* the stream stays until the capture ends, and must have been joined by then */
    /* The capture's origin stream is gone, so no call can end the capture. */
    rt_graph *g = c->owned_by_program ? NULL : c->graph;
    end_capture(c);
    if (g)
        rt_graph_free(g);
}

bool rt_is_capture_target(const rt_graph *g)
{
    const rt_capture *c = rt.graphs.captures;
    while (c && c->graph != g)
        c = c->next;
    return c;
}

/* --- calls that begin and end a capture ------------------------------------------------------- */

static cudaError_t start_capture(rt_stream *s, enum cudaStreamCaptureMode mode, rt_graph *g,
                                 rt_node *const *deps, size_t n)
{
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    if (!s->id)
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    for (size_t i = 0; i < n; i++)
        if (!deps || !rt_handle_is_valid(deps[i], RT_HANDLE_NODE) || deps[i]->graph != g)
            return cudaErrorInvalidValue;
    rt_capture *c = calloc(1, sizeof *c);
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = (rt_capture){.id = rt.graphs.next_capture++,
                      .graph = g ? g : rt_graph_new(),
                      .owned_by_program = g != NULL,
                      .mode = mode,
                      .thread = pthread_self(),
                      .origin = s};
    cudaError_t e = c->graph ? add_stream_to_capture(s, c) : cudaErrorMemoryAllocation;
    e = e ? e : set_position_nodes(s->tips, c->id, deps, n, false);
    if (e) {
        if (s->tips)
            remove_stream_from_capture(s);
        if (c->graph && !g)
            rt_graph_free(c->graph);
        free(c);
        return e;
    }
    c->next = rt.graphs.captures;
    rt.graphs.captures = c;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    return rt_unlock(e ? e : start_capture(s, mode, NULL, NULL, 0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode)
{
    (void)edges; /* only full dependencies are supported, so the edge data is not needed */
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    rt_graph *g = rt_graph_of(graph);
    e = RT_INVALID_IF(e, !g);
    return rt_unlock(e ? e : start_capture(s, mode, g, (rt_node *const *)deps, n));
}

/* Mark the N nodes of NODE and all nodes on which they depend. */
static void mark_ancestors(rt_node *const *node, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rt_node *at = node[i];
        if (at->mark)
            continue;
        at->mark = 1;
        at->copy = NULL;
        /* in rt_node: `index` counts the dependencies visited so far; `copy` is the node from which
         * the traversal came */
        while (at) {
            at->index = at->mark == 1 ? 0 : at->index;
            at->mark = 2;
            if (at->index < at->dep_count) {
                rt_node *d = at->dep[at->index++];
                if (!d->mark) {
                    d->mark = 1;
                    d->copy = at;
                    at = d;
                }
            } else {
                at = at->copy;
            }
        }
    }
}

/* Has all captured work of other streams been joined to the origin stream? */
static bool are_all_branches_joined(const rt_capture *c)
{
    for (rt_node *n = c->graph->first; n; n = n->next)
        n->mark = 0;
    mark_ancestors(c->origin->tips->node, c->origin->tips->count);
    for (const rt_stream *s = rt_first_stream(); s; s = s->next) {
        for (size_t i = 0; s->capture == c && i < s->tips->count; i++)
            if (!s->tips->node[i]->mark)
                return false;
    }
    return true;
}

/* End the capture of S. OUT NULL: the captured graph is discarded unless the program owns it. */
static cudaError_t finish_capture(rt_stream *s, cudaGraph_t *out)
{
    rt_capture *c = s->capture;
    if (c->origin != s) {
        c->invalid = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    cudaError_t e = c->mode != cudaStreamCaptureModeRelaxed && !is_capture_of_this_thread(c)
                        ? cudaErrorStreamCaptureWrongThread
                    : c->invalid                 ? cudaErrorStreamCaptureInvalidated
                    : are_all_branches_joined(c) ? cudaSuccess
                                                 : cudaErrorStreamCaptureUnjoined;
    rt_graph *g = c->graph;
    const bool drop = (e || !out) && !c->owned_by_program;
    end_capture(c);
    if (drop)
        rt_graph_free(g);
    if (out)
        *out = (cudaGraph_t)(e ? NULL : g);
    return e;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    if (out)
        *out = NULL;
    e = RT_ERROR_IF(e, !s->capture, cudaErrorIllegalState);
    e = e ? e : finish_capture(s, out);
    if (!e && out && *out)
        rt_note_object(RT_GRAPH_OBJECT, (uintptr_t)*out);
    rt_unlock(e);
    rt_destroy_dead_objects();
    return e;
}

/* --- queries ---------------------------------------------------------------------------------- */

static enum cudaStreamCaptureStatus capture_status(const rt_stream *s)
{
    return !s->capture           ? cudaStreamCaptureStatusNone
           : s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
}

static cudaError_t lock_and_get_capture_status(cudaStream_t stream, rt_stream **s,
                                               enum cudaStreamCaptureStatus *status)
{
    cudaError_t e = rt_lock_and_find_stream(stream, s);
    e = RT_INVALID_IF(e, !status);
    e = e ? e : (*s)->id ? cudaSuccess : implicit_capture_error(false);
    if (!e)
        *status = capture_status(*s);
    return e;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    rt_stream *s;
    return rt_unlock(lock_and_get_capture_status(stream, &s, status));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    rt_stream *s;
    cudaError_t e = lock_and_get_capture_status(stream, &s, status);
    if (!e && *status == cudaStreamCaptureStatusActive) {
        if (id)
            *id = s->capture->id;
        if (graph)
            *graph = (cudaGraph_t)s->capture->graph;
        if (deps)
            *deps = (const cudaGraphNode_t *)s->tips->node;
        if (edges)
            *edges = NULL; /* no edge data: all edges are full dependencies */
        if (count)
            *count = s->tips->count;
    }
    return rt_unlock(e);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                const cudaGraphEdgeData *edges, size_t n,
                                                unsigned int flags)
{
    (void)edges;
    rt_stream *s;
    cudaError_t e = rt_lock_and_find_stream(stream, &s);
    e = RT_ERROR_IF(e, !s->capture, cudaErrorIllegalState);
    e = RT_ERROR_IF(e, s->capture->invalid, cudaErrorStreamCaptureInvalidated);
    e = RT_INVALID_IF(e, (n && !deps) || flags > cudaStreamSetCaptureDependencies);
    for (size_t i = 0; !e && i < n; i++) {
        const rt_node *d = rt_node_of(deps[i]);
        e = d && d->graph == s->capture->graph ? cudaSuccess : cudaErrorInvalidValue;
    }
    e = e ? e
          : set_position_nodes(s->tips, s->capture->id, (rt_node *const *)deps, n,
                               flags == cudaStreamAddCaptureDependencies);
    return rt_unlock(e);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (!mode)
        return rt_set_last_error(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = thread_capture_mode;
    thread_capture_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
