/* Changes existing nodes: sets their parameters in a graph or an executable graph, disables them,
 * and updates an executable graph from another graph (Runtime API, "Graph Management"). */
#include "../../memory/memory.h"
#include "../code/cluster.h"
#include "../code/launch.h"
#include "../core/call.h"
#include "../streams/op.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* --- which changes are allowed ---------------------------------------------------------------- */

static bool is_in_device_memory(const void *p)
{
    mem_range r;
    return mem_find_range((uint64_t)(uintptr_t)p, &r) && r.kind != MEM_PINNED &&
           r.kind != MEM_REGISTERED;
}

static bool is_single_row(const struct cudaMemcpy3DParms *p)
{
    return p->extent.height <= 1 && p->extent.depth <= 1 && !p->srcArray && !p->dstArray;
}

/* Is it allowed to replace the work WAS by IS in an executable graph? A copy must have a single
 * row, before and after, and keep its direction; a fill must have a single row. */
static bool may_replace_work(const rt_node_work *was, const rt_node_work *is)
{
    switch (was->type) {
    case cudaGraphNodeTypeMemcpy:
        return is_single_row(&was->copy) && is_single_row(&is->copy) && is->copy.extent.width &&
               is_in_device_memory(was->copy.srcPtr.ptr) ==
                   is_in_device_memory(is->copy.srcPtr.ptr) &&
               is_in_device_memory(was->copy.dstPtr.ptr) ==
                   is_in_device_memory(is->copy.dstPtr.ptr);
    case cudaGraphNodeTypeMemset: return was->fill.height <= 1 && is->fill.height <= 1;
    default: return true;
    }
}

/* Replace the work of node N by WORK; takes ownership of WORK, even on failure. */
static cudaError_t replace_work(rt_node *n, rt_node_work *work, bool executable)
{
    if (n->work.type != work->type || (executable && !may_replace_work(&n->work, work))) {
        rt_clear_node_work(work);
        return cudaErrorInvalidValue;
    }
    if (work->type ==
        cudaGraphNodeTypeKernel) { /* keep the launch attributes of the previous work */
        cudaLaunchAttributeValue *attr = n->work.kernel.attr;
        n->work.kernel.attr = work->kernel.attr;
        work->kernel.attr = attr;
        work->kernel.launch.cooperative = n->work.kernel.launch.cooperative;
        work->kernel.launch.cluster = n->work.kernel.launch.cluster;
    }
    rt_clear_node_work(&n->work);
    n->work = *work;
    return cudaSuccess;
}

/* --- finding a node --------------------------------------------------------------------------- */

/* The node in the copy G of an executable graph that was made from N, or NULL. */
static rt_node *find_copy_of_node(const rt_graph *g, const rt_node *n)
{
    for (rt_node *m = g->first; m; m = m->next) {
        if (m->origin == n->serial)
            return m;
        for (uint32_t k = 0; rt_work_inner_graph(&m->work, k); k++) {
            rt_node *inside = find_copy_of_node(rt_work_inner_graph(&m->work, k), n);
            if (inside)
                return inside;
        }
    }
    return NULL;
}

/* A launch reads the bodies of conditional nodes only when it reaches these nodes. So before a
 * change of X, wait for the end of its last launch. */
static void wait_for_conditionals(rt_graph_exec *x)
{
    if (x && x->graph->has_conditional_node && !rt_this_thread_runs_op())
        rt_finish_op(x->last);
}

/* Take the lock and find the node to change: in the executable graph if EXEC is not NULL, else in
 * the graph of HANDLE. */
static cudaError_t lock_and_find_node_to_change(const cudaGraphExec_t *exec, cudaGraphNode_t handle,
                                                enum cudaGraphNodeType type, const void *params,
                                                rt_node **n)
{
    cudaError_t e = rt_lock();
    rt_node *node = rt_node_of(handle);
    *n = node;
    if (e || !node || !params || node->work.type != type)
        return e ? e : cudaErrorInvalidValue;
    if (exec) {
        rt_graph_exec *x = rt_graph_exec_of(*exec);
        *n = x ? find_copy_of_node(x->graph, node) : NULL;
        wait_for_conditionals(x);
    }
    return *n ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_node_work(const cudaGraphExec_t *exec, cudaError_t e, rt_node *n,
                                 rt_node_work *work)
{
    return rt_unlock(e ? e : replace_work(n, work, exec != NULL));
}

/* The call cudaGraphNAME, which changes NODE of a graph, and cudaGraphExecNAME, which changes its
 * copy in an executable graph: what SET says with the further arguments. */
#define IN_GRAPH_AND_EXEC(name, params, set, ...)                               \
    cudaError_t cudaGraph##name(cudaGraphNode_t node, RT_PARAMETERS params)     \
    {                                                                           \
        return set(NULL, node, __VA_ARGS__);                                    \
    }                                                                           \
    cudaError_t cudaGraphExec##name(cudaGraphExec_t exec, cudaGraphNode_t node, \
                                    RT_PARAMETERS params)                       \
    {                                                                           \
        return set(&exec, node, __VA_ARGS__);                                   \
    }

/* --- kernels ---------------------------------------------------------------------------------- */

static cudaError_t set_params_of_kernel_node(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    rt_node *n;
    rt_node_work work;
    cudaError_t e = lock_and_find_node_to_change(exec, node, cudaGraphNodeTypeKernel, params, &n);
    if (params && !params->func)
        e = cudaErrorInvalidDeviceFunction;
    return set_node_work(exec, e ? e : rt_make_kernel_work(params, &work), n, &work);
}

IN_GRAPH_AND_EXEC(KernelNodeSetParams, (const struct cudaKernelNodeParams *params),
                  set_params_of_kernel_node, params)

/* --- copies ----------------------------------------------------------------------------------- */

static cudaError_t set_copy3d_node_params(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                          const struct cudaMemcpy3DParms *params)
{
    rt_node *n;
    rt_node_work work;
    cudaError_t e = lock_and_find_node_to_change(exec, node, cudaGraphNodeTypeMemcpy, params, &n);
    return set_node_work(exec, e ? e : rt_make_copy3d_work(params, &work), n, &work);
}

static cudaError_t set_linear_copy_node_params(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    rt_node *n;
    rt_node_work work;
    cudaError_t e = lock_and_find_node_to_change(exec, node, cudaGraphNodeTypeMemcpy, node, &n);
    if ((unsigned)kind > cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    return set_node_work(exec, e ? e : rt_make_linear_copy_work(dst, src, count, kind, &work), n,
                         &work);
}

static cudaError_t set_symbol_copy_node_params(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                               const void *symbol, void *other, size_t count,
                                               size_t offset, enum cudaMemcpyKind kind, bool to)
{
    rt_node *n;
    rt_node_work work;
    const cudaError_t begun = lock_and_find_node_to_change(exec, node, cudaGraphNodeTypeMemcpy,
                                                           node, &n),
                      refused = rt_symbol_check_copy(symbol, kind, to);
    const cudaError_t e = refused ? refused : begun;
    return set_node_work(
        exec, e ? e : rt_make_symbol_copy_work(symbol, offset, other, count, kind, to, &work), n,
        &work);
}

IN_GRAPH_AND_EXEC(MemcpyNodeSetParams, (const struct cudaMemcpy3DParms *params),
                  set_copy3d_node_params, params)

IN_GRAPH_AND_EXEC(MemcpyNodeSetParams1D,
                  (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind),
                  set_linear_copy_node_params, dst, src, count, kind)

IN_GRAPH_AND_EXEC(MemcpyNodeSetParamsToSymbol,
                  (const void *symbol, const void *src, size_t count, size_t offset,
                   enum cudaMemcpyKind kind),
                  set_symbol_copy_node_params, symbol, rt_without_const(src), count, offset, kind,
                  true)

IN_GRAPH_AND_EXEC(MemcpyNodeSetParamsFromSymbol,
                  (void *dst, const void *symbol, size_t count, size_t offset,
                   enum cudaMemcpyKind kind),
                  set_symbol_copy_node_params, symbol, dst, count, offset, kind, false)

/* --- changing nodes of the other kinds -------------------------------------------------------- */

static cudaError_t set_node_params(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                   struct cudaGraphNodeParams *params)
{
    rt_node *n;
    rt_node_work work;
    cudaError_t e = lock_and_find_node_to_change(
        exec, node, params ? params->type : cudaGraphNodeTypeEmpty, params, &n);
    if (params && params->type == cudaGraphNodeTypeKernel && !params->kernel.func)
        e = cudaErrorInvalidDeviceFunction;
    if (!e &&
        (params->type == cudaGraphNodeTypeMemAlloc || params->type == cudaGraphNodeTypeMemFree ||
         params->type == cudaGraphNodeTypeConditional))
        e = cudaErrorNotSupported;
    return set_node_work(exec, e ? e : rt_make_work_from_params(params, &work), n, &work);
}

IN_GRAPH_AND_EXEC(NodeSetParams, (struct cudaGraphNodeParams * params), set_node_params, params)

static cudaError_t set_memset_node_params(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                          const struct cudaMemsetParams *p)
{
    struct cudaGraphNodeParams g = {.type = cudaGraphNodeTypeMemset};
    if (p) {
        g.memset = (struct cudaMemsetParamsV2){.dst = p->dst,
                                               .pitch = p->pitch,
                                               .value = p->value,
                                               .elementSize = p->elementSize,
                                               .width = p->width,
                                               .height = p->height};
    }
    return set_node_params(exec, node, p ? &g : NULL);
}

IN_GRAPH_AND_EXEC(MemsetNodeSetParams, (const struct cudaMemsetParams *p), set_memset_node_params,
                  p)

static cudaError_t set_host_node_params(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                        const struct cudaHostNodeParams *p)
{
    struct cudaGraphNodeParams g = {.type = cudaGraphNodeTypeHost};
    if (p) {
        g.host.fn = p->fn;
        g.host.userData = p->userData;
    }
    return set_node_params(exec, node, p ? &g : NULL);
}

IN_GRAPH_AND_EXEC(HostNodeSetParams, (const struct cudaHostNodeParams *p), set_host_node_params, p)

static cudaError_t set_event_of_node(const cudaGraphExec_t *exec, cudaGraphNode_t node,
                                     enum cudaGraphNodeType type, cudaEvent_t event)
{
    struct cudaGraphNodeParams g = {.type = type};
    if (type == cudaGraphNodeTypeEventRecord)
        g.eventRecord.event = event;
    else
        g.eventWait.event = event;
    return set_node_params(exec, node, &g);
}

IN_GRAPH_AND_EXEC(EventRecordNodeSetEvent, (cudaEvent_t event), set_event_of_node,
                  cudaGraphNodeTypeEventRecord, event)
IN_GRAPH_AND_EXEC(EventWaitNodeSetEvent, (cudaEvent_t event), set_event_of_node,
                  cudaGraphNodeTypeWaitEvent, event)

/* --- disabling nodes -------------------------------------------------------------------------- */

static cudaError_t lock_and_find_node_that_can_be_disabled(cudaGraphExec_t exec,
                                                           cudaGraphNode_t handle, rt_node **n)
{
    rt_take_lock_again(); /* read the type here, since lock_and_find_node_to_change() takes the
                     required type as an argument */
    rt_node *node = rt_node_of(handle);
    const enum cudaGraphNodeType type = node ? node->work.type : cudaGraphNodeTypeEmpty;
    rt_release_lock();
    cudaError_t e = lock_and_find_node_to_change(&exec, handle, type, handle, n);
    return e || type <= cudaGraphNodeTypeMemset ? e : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int on)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node_that_can_be_disabled(exec, node, &n);
    if (!e)
        n->disabled = !on;
    return rt_unlock(e);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *on)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node_that_can_be_disabled(exec, node, &n);
    e = RT_INVALID_IF(e, !on);
    return RT_UNLOCK_WITH(e, on, !n->disabled);
}

/* --- attributes of kernel nodes --------------------------------------------------------------- */

static bool is_known_attribute(cudaLaunchAttributeID attr)
{
    switch (attr) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout: return true;
    default: return false;
    }
}

static cudaError_t lock_and_find_kernel_node(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                             const void *value, rt_node **n)
{
    cudaError_t e = lock_and_find_node_to_change(NULL, node, cudaGraphNodeTypeKernel, value, n);
    return e || is_known_attribute(attr) ? e : cudaErrorInvalidValue;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value)
{
    rt_node *n;
    cudaError_t e = lock_and_find_kernel_node(node, attr, value, &n);
    if (!e) {
        *value = n->work.kernel.attr ? n->work.kernel.attr[attr] : (cudaLaunchAttributeValue){0};
        if (attr == cudaLaunchAttributeCooperative)
            value->cooperative = n->work.kernel.launch.cooperative;
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value)
{
    rt_node *n;
    cudaError_t e = lock_and_find_kernel_node(node, attr, value, &n);
    if (!e && attr == cudaLaunchAttributeClusterDimension) {
        rt_launch *l = &n->work.kernel.launch;
        const dim3 asked = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
        dim3 shape;
        e = rt_cluster_shape(l->kernel, l->grid, asked, &shape);
        l->cluster = e ? l->cluster : asked;
    }
    if (!e && !n->work.kernel.attr) {
        n->work.kernel.attr = calloc(RT_LAUNCH_ATTRIBUTE_COUNT, sizeof *value);
        e = n->work.kernel.attr ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (!e) {
        n->work.kernel.attr[attr] = *value;
        if (attr == cudaLaunchAttributeCooperative)
            n->work.kernel.launch.cooperative = value->cooperative;
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src)
{
    rt_node *to;
    cudaError_t e = lock_and_find_node_to_change(NULL, dst, cudaGraphNodeTypeKernel, dst, &to);
    const rt_node *from = rt_node_of(src);
    e = RT_INVALID_IF(e, !from || from->work.type != cudaGraphNodeTypeKernel);
    if (!e && from->work.kernel.attr && from != to) {
        cudaLaunchAttributeValue *copy = malloc(RT_LAUNCH_ATTRIBUTE_COUNT * sizeof *copy);
        if (copy) {
            memcpy(copy, from->work.kernel.attr, RT_LAUNCH_ATTRIBUTE_COUNT * sizeof *copy);
            free(to->work.kernel.attr);
            to->work.kernel.attr = copy;
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    if (!e) {
        to->work.kernel.launch.cooperative = from->work.kernel.launch.cooperative;
        to->work.kernel.launch.cluster = from->work.kernel.launch.cluster;
    }
    return rt_unlock(e);
}

/* --- updating a whole executable graph -----------------------------------------------------------
 * Nodes of the two graphs correspond by their order of creation. */

static uint32_t assign_node_numbers(rt_graph *g)
{
    uint32_t n = 0;
    for (rt_node *m = g->first; m; m = m->next)
        m->mark = n++;
    return n;
}

static bool have_same_edges(const rt_node *a, const rt_node *b)
{
    for (uint32_t i = 0; i < a->dep_count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b->dep_count && !found; k++)
            found = a->dep[i]->mark == b->dep[k]->mark;
        if (!found)
            return false;
    }
    return a->dep_count == b->dep_count;
}

static enum cudaGraphExecUpdateResult compare_graphs(rt_graph *x, rt_graph *g, rt_node **bad)
{
    *bad = NULL;
    if (assign_node_numbers(x) != assign_node_numbers(g))
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (rt_node *a = x->first, *b = g->first; a; a = a->next, b = b->next) {
        *bad = b;
        if (a->work.type != b->work.type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!have_same_edges(a, b))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (!may_replace_work(&a->work, &b->work))
            return cudaGraphExecUpdateErrorParametersChanged;
        for (uint32_t k = 0; rt_work_inner_graph(&a->work, k); k++) {
            rt_graph *inside = rt_work_inner_graph(&b->work, k);
            enum cudaGraphExecUpdateResult r =
                inside ? compare_graphs(rt_work_inner_graph(&a->work, k), inside, bad)
                       : cudaGraphExecUpdateErrorTopologyChanged;
            if (r)
                return r;
        }
    }
    *bad = NULL;
    return cudaGraphExecUpdateSuccess;
}

static cudaError_t copy_work_to_exec(rt_graph *x, const rt_graph *g)
{
    cudaError_t e = cudaSuccess;
    for (rt_node *a = x->first, *b = g->first; !e && a; a = a->next, b = b->next) {
        if (rt_work_inner_graph(&a->work, 0)) {
            for (uint32_t k = 0; !e && rt_work_inner_graph(&a->work, k); k++) {
                e = copy_work_to_exec(rt_work_inner_graph(&a->work, k),
                                      rt_work_inner_graph(&b->work, k));
            }
            continue;
        }
        rt_node_work work;
        e = rt_clone_node_work(&b->work, &work);
        if (!e) {
            rt_clear_node_work(&a->work);
            a->work = work;
        }
    }
    return e;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaError_t e = rt_lock();
    rt_graph_exec *x = rt_graph_exec_of(exec);
    rt_graph *g = rt_graph_of(graph);
    rt_node *bad = NULL;
    enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateError;
    e = RT_INVALID_IF(e, !x || !g);
    if (!e && g->has_memory) {
        r = cudaGraphExecUpdateErrorNotSupported;
        e = cudaErrorGraphExecUpdateFailure;
    }
    if (!e) {
        wait_for_conditionals(x);
        r = compare_graphs(x->graph, g, &bad);
        e = r ? cudaErrorGraphExecUpdateFailure : copy_work_to_exec(x->graph, g);
    }
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){.result = r, .errorNode = (cudaGraphNode_t)bad};
    return rt_unlock(e);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    rt_node *n, *bad;
    cudaError_t e = lock_and_find_node_to_change(&exec, node, cudaGraphNodeTypeGraph, child, &n);
    rt_graph *g = rt_graph_of(child);
    e = RT_INVALID_IF(e, !g || compare_graphs(n->work.child, g, &bad));
    return rt_unlock(e ? e : copy_work_to_exec(n->work.child, g));
}
