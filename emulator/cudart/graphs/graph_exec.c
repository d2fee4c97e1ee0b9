/* Executable graphs: instantiation, launch, destruction (Runtime API, "Graph Management"). */
#include "../checks/checks.h"
#include "../core/state.h"
#include "capture.h"
#include "graph.h"

#include <stdlib.h>

rt_graph_exec *rt_graph_exec_of(cudaGraphExec_t handle)
{
    return rt_handle_is_valid(handle, RT_HANDLE_EXEC) ? (rt_graph_exec *)handle : NULL;
}

static void free_executable_graph(rt_graph_exec *x)
{
    rt_handle_remove(x);
    rt_graph_exec **p = &rt.graphs.execs;
    while (*p != x)
        p = &(*p)->next;
    *p = x->next;
    rt_op_unref(x->last);
    rt_graph_free(x->graph);
    free(x->order);
    free(x);
}

void rt_reset_executable_graphs(void)
{
    while (rt.graphs.execs)
        free_executable_graph(rt.graphs.execs);
}

/* --- instantiation ---------------------------------------------------------------------------- */

/* Check that G and the graphs inside its nodes have no cycle. */
static cudaError_t check_graph_has_no_cycle(rt_graph *g)
{
    rt_node **order;
    cudaError_t e = rt_graph_sort_topologically(g, &order);
    if (!e)
        free(order);
    for (rt_node *n = g->first; !e && n; n = n->next)
        for (uint32_t k = 0; !e && rt_work_inner_graph(&n->work, k); k++)
            e = check_graph_has_no_cycle(rt_work_inner_graph(&n->work, k));
    return e;
}

static bool has_executable(const rt_graph *g)
{
    for (const rt_graph_exec *x = rt.graphs.execs; x; x = x->next)
        if (x->source == g->serial)
            return true;
    return false;
}

/* Flags that cudaGraphInstantiate accepts. */
#define KNOWN_INSTANTIATE_FLAGS                                                  \
    (cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | \
     cudaGraphInstantiateFlagUseNodePriority | cudaGraphInstantiateFlagDeviceLaunch)

static cudaError_t make_executable(rt_graph_exec **out, rt_graph *g, uint64_t flags)
{
    if (!out || !g || flags & ~(uint64_t)KNOWN_INSTANTIATE_FLAGS)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
        rt_print_message("cudaGraphInstantiate: graphs that a kernel launches are not supported");
        return cudaErrorNotSupported;
    }
    if ((g->has_memory || g->has_conditional_node) && has_executable(g))
        return cudaErrorNotSupported;
    cudaError_t e = check_graph_has_no_cycle(g);
    e = e ? e : rt_check_conditional_nodes(g, NULL);
    if (e)
        return e;
    rt_graph_exec *x = calloc(1, sizeof *x);
    if (!x)
        return cudaErrorMemoryAllocation;
    e = rt_graph_copy(g, &x->graph);
    e = e ? e : rt_graph_sort_topologically(x->graph, &x->order);
    e = RT_ERROR_IF(e, !rt_handle_add(x, RT_HANDLE_EXEC), cudaErrorMemoryAllocation);
    if (e) {
        if (x->graph)
            rt_graph_free(x->graph);
        free(x->order);
        free(x);
        return e;
    }
    x->graph->internal = true;
    x->flags = flags;
    x->source = g->serial;
    x->next = rt.graphs.execs;
    rt.graphs.execs = x;
    *out = x;
    rt_note_object(RT_GRAPH_EXEC_OBJECT, (uintptr_t)x);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    return rt_unlock(e ? e : make_executable((rt_graph_exec **)out, rt_graph_of(graph), flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p)
{
    cudaError_t e = rt_lock();
    if (!p)
        return rt_unlock(e ? e : cudaErrorInvalidValue);
    rt_graph *g = rt_graph_of(graph);
    e = e ? e : make_executable((rt_graph_exec **)out, g, p->flags);
    p->errNode_out = NULL;
    p->result_out = e ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    if (g && e == cudaErrorInvalidValue) {
        if (check_graph_has_no_cycle(g))
            p->result_out = cudaGraphInstantiateInvalidStructure;
        else
            rt_check_conditional_nodes(g, &p->result_out);
    }
    return rt_unlock(e);
}

static cudaError_t lock_and_find_executable(cudaGraphExec_t handle, rt_graph_exec **x)
{
    cudaError_t e = rt_lock();
    *x = rt_graph_exec_of(handle);
    return e ? e : *x ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long *flags)
{
    rt_graph_exec *x;
    cudaError_t e = lock_and_find_executable(handle, &x);
    e = RT_INVALID_IF(e, !flags);
    return RT_UNLOCK_WITH(e, flags, x->flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle)
{
    rt_lock(); /* result ignored: this call works after a sticky error too */
    rt_graph_exec *x = rt_graph_exec_of(handle);
    cudaError_t e = rt_device_unusable_reason();
    e = e ? e : x ? rt_capture_check_unsafe() : cudaErrorInvalidValue;
    rt_note_object_destroyed(RT_GRAPH_EXEC_OBJECT, (uintptr_t)handle);
    if (!e) {
        if ((x->graph->has_memory || x->graph->has_conditional_node) && !rt_this_thread_runs_op()) {
            /* The graph's memory and its conditional nodes' bodies are freed with the executable
             * graph. */
            rt_finish_op(x->last);
        }
        free_executable_graph(x);
    }
    rt_unlock(e);
    rt_destroy_dead_objects();
    return e;
}

/* --- launching a graph ---------------------------------------------------------------------------
 * Each node becomes an operation that depends on the operations of the nodes it depends on. Of
 * unordered operations the one issued last runs first, so that a missing dependency shows. */

/* Make a temporary stream (rt_stream.temporary) into which the nodes are queued one by one. */
static rt_stream make_temporary_stream(const rt_stream *s)
{
    return (rt_stream){.id = s->id, .flags = s->flags, .temporary = true};
}

static cudaError_t queue_graph(rt_stream *temporary, rt_graph *g, rt_node *const *order,
                               rt_op *begin, rt_op **end);

/* Queue the operation of one node. DEPS has room for as many entries as the graph has nodes. */
static cudaError_t queue_node(rt_stream *temporary, rt_node *n, rt_op *begin, rt_op **deps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->dep_count; i++)
        deps[count++] = n->dep[i]->op;
    if (!count)
        deps[count++] = begin;
    temporary->after = deps;
    temporary->after_count = count;
    temporary->last = NULL;
    cudaError_t e = cudaSuccess;
    if (n->work.type == cudaGraphNodeTypeGraph && !n->disabled) {
        rt_node **order = NULL;
        rt_op *first = rt_queue_op(temporary, RT_EVENT_WAIT, 0, NULL);
        e = first ? rt_graph_sort_topologically(n->work.child, &order) : cudaErrorMemoryAllocation;
        e = e ? e : queue_graph(temporary, n->work.child, order, first, &n->op);
        free(order);
        return e;
    }
    if (!n->disabled)
        e = rt_queue_node_work(&n->work, temporary);
    if (!e && !temporary->last && !rt_queue_op(temporary, RT_EVENT_WAIT, 0, NULL)) {
        e = cudaErrorMemoryAllocation; /* NULL is no error for a node without an operation: a copy
                                          of 0 bytes, or a disabled node */
    }
    n->op = temporary->last;
    return e;
}

static cudaError_t queue_graph(rt_stream *temporary, rt_graph *g, rt_node *const *order,
                               rt_op *begin, rt_op **end)
{
    rt_op **deps = malloc((g->count + 1) * sizeof(void *));
    cudaError_t e = deps ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; i < g->count; i++)
        order[i]->mark = 0;
    for (size_t i = 0; !e && i < g->count; i++) {
        e = queue_node(temporary, order[i], begin, deps);
        for (uint32_t k = 0; k < order[i]->dep_count; k++)
            order[i]->dep[k]->mark = 1; /* mark: another node depends on this node */
    }
    uint32_t count = 0;
    for (size_t i = 0; !e && i < g->count; i++)
        if (!order[i]->mark)
            deps[count++] = order[i]->op;
    if (!e && !count)
        deps[count++] = begin;
    if (!e) {
        temporary->after = deps;
        temporary->after_count = count;
        *end = rt_queue_op(temporary, RT_EVENT_WAIT, 0, NULL);
        e = *end ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    free(deps);
    return e;
}

static cudaError_t check_graph_memory_is_free(const rt_graph_exec *x)
{
    for (size_t i = 0; x->graph->has_memory && i < x->graph->count; i++) {
        const rt_node_work *w = &x->order[i]->work;
        if (w->type == cudaGraphNodeTypeMemAlloc && rt_graph_memory_is_live(w->alloc.memory) &&
            !(x->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch))
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t rt_graph_queue_nodes(rt_graph *g, const rt_stream *s, rt_op *begin, rt_op **end)
{
    rt_stream temporary = make_temporary_stream(s);
    rt_node **order = NULL;
    cudaError_t e = rt_graph_sort_topologically(g, &order);
    e = e ? e : queue_graph(&temporary, g, order, begin, end);
    free(order);
    return e;
}

static bool is_launch_unfinished(const rt_graph_exec *x)
{
    return x->last && x->last->state != RT_DONE;
}

/* Launches in one stream run one after another, so each stream counts with its largest launch. */
uint64_t rt_temporary_bytes_of_launches(const rt_stream *except)
{
    uint64_t sum = 0;
    for (const rt_graph_exec *x = rt.graphs.execs; x; x = x->next) {
        const uint64_t need = is_launch_unfinished(x) ? rt_graph_temporary_bytes(x->graph) : 0;
        bool most = need && !(except && x->stream == except->id), before = true;
        for (const rt_graph_exec *y = rt.graphs.execs; most && y; y = y->next) {
            before = before && y != x;
            if (y != x && is_launch_unfinished(y) && y->stream == x->stream) {
                const uint64_t other = rt_graph_temporary_bytes(y->graph);
                most = before ? other < need : other <= need;
            }
        }
        sum += most ? need : 0;
    }
    return sum;
}

/* Queue a launch of the executable graph X to stream S. */
static cudaError_t queue_graph_launch(rt_graph_exec *x, rt_stream *s)
{
    cudaError_t e = check_graph_memory_is_free(x);
    if (e)
        return e;
    rt_op *begin = rt_queue_op(s, RT_EVENT_WAIT, 0, x->last), *end = NULL;
    if (!begin)
        return cudaErrorMemoryAllocation;
    rt_stream temporary = make_temporary_stream(s);
    rt_op *defaults = NULL;
    if (x->graph->has_conditional_node) {
        temporary.after = &begin;
        temporary.after_count = 1;
        e = rt_issue_condition_defaults(x->graph, &temporary, &defaults);
    }
    e = e ? e : queue_graph(&temporary, x->graph, x->order, defaults ? defaults : begin, &end);
    if (e) {
        rt_queue_cancel_after(begin); /* a graph launch is queued completely or not at all */
        return e;
    }
    rt_op_unref(s->last);
    s->last = rt_op_ref(end);
    rt_op_unref(x->last);
    x->last = rt_op_ref(end);
    x->stream = s->id;
    rt_graph_memory_reserve(rt_graph_temporary_bytes(x->graph) + rt_temporary_bytes_of_launches(s));
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream)
{
    rt_graph_exec *x;
    cudaError_t e = lock_and_find_executable(handle, &x);
    rt_stream *s = rt_stream_of(stream);
    e = RT_ERROR_IF(e, !s, cudaErrorInvalidResourceHandle);
    e = e ? e : rt_capture_check_work(s);
    if (!e && rt_is_capturing(s)) {
        e = rt_capture_check_wait(s); /* a graph launch cannot be captured as a node */
    } else if (!e) {
        rt_check_graph_variables(x->graph, (uint64_t)(uintptr_t)__builtin_frame_address(0));
        e = queue_graph_launch(x, s);
    }
    return rt_unlock(e);
}

/* Check the arguments only: the emulator has nothing to upload. */
cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream)
{
    rt_graph_exec *x;
    cudaError_t e = lock_and_find_executable(handle, &x);
    e = RT_ERROR_IF(e, !rt_stream_of(stream), cudaErrorInvalidResourceHandle);
    return rt_unlock(e);
}
