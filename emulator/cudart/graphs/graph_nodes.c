/* Adds nodes of each kind and queries their parameters (Runtime API, "Graph Management"). */
#include "../core/call.h"
#include "graph.h"

#include <string.h>

/* Take the lock and look up the graph. */
static cudaError_t lock_and_find_graph_to_extend(cudaGraph_t handle, const void *params,
                                                 rt_graph **g)
{
    cudaError_t e = rt_lock();
    *g = rt_graph_of(handle);
    return e ? e : *g && params ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t add_node(cudaGraphNode_t *out, rt_graph *g, const cudaGraphNode_t *deps,
                            const cudaGraphEdgeData *edges, size_t n, cudaError_t e,
                            rt_node_work *work)
{
    if (!e && !out) {
        rt_clear_node_work(work);
        e = cudaErrorInvalidValue;
    }
    rt_node *node = NULL;
    e = e ? e : rt_node_add(g, (rt_node *const *)deps, edges, n, work, &node);
    return RT_UNLOCK_WITH(e, out, (cudaGraphNode_t)node);
}

/* The call NAME, which adds a node with the work that MAKE makes; GIVEN must not be NULL. */
#define ADD_NODE(name, params, given, make)                                                \
    cudaError_t name(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps, \
                     size_t n, RT_PARAMETERS params)                                       \
    {                                                                                      \
        rt_graph *g;                                                                       \
        rt_node_work work;                                                                 \
        cudaError_t e = lock_and_find_graph_to_extend(graph, given, &g);                   \
        return add_node(out, g, deps, NULL, n, e ? e : make, &work);                       \
    }

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaKernelNodeParams *params)
{
    rt_graph *g;
    rt_node_work work;
    cudaError_t e = lock_and_find_graph_to_extend(graph, params, &g);
    if (params && !params->func)
        e = cudaErrorInvalidDeviceFunction; /* as on an H200, this is checked before all else */
    e = e ? e : rt_make_kernel_work(params, &work);
    return add_node(out, g, deps, NULL, n, e, &work);
}

ADD_NODE(cudaGraphAddMemcpyNode, (const struct cudaMemcpy3DParms *params), params,
         rt_make_copy3d_work(params, &work))
ADD_NODE(cudaGraphAddMemcpyNode1D,
         (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), graph,
         rt_make_linear_copy_work(dst, src, count, kind, &work))

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                           const cudaGraphNode_t *deps, size_t n,
                                           const void *symbol, const void *src, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    rt_graph *g;
    rt_node_work work;
    const cudaError_t begun = lock_and_find_graph_to_extend(graph, graph, &g),
                      refused = rt_symbol_check_copy(symbol, kind, true);
    cudaError_t e = refused ? refused : begun;
    e = e ? e
          : rt_make_symbol_copy_work(symbol, offset, rt_without_const(src), count, kind, true,
                                     &work);
    return add_node(out, g, deps, NULL, n, e, &work);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                             const cudaGraphNode_t *deps, size_t n, void *dst,
                                             const void *symbol, size_t count, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    rt_graph *g;
    rt_node_work work;
    const cudaError_t begun = lock_and_find_graph_to_extend(graph, graph, &g),
                      refused = rt_symbol_check_copy(symbol, kind, false);
    cudaError_t e = refused ? refused : begun;
    e = e ? e : rt_make_symbol_copy_work(symbol, offset, dst, count, kind, false, &work);
    return add_node(out, g, deps, NULL, n, e, &work);
}

static struct cudaMemsetParamsV2 convert_memset_params_to_v2(const struct cudaMemsetParams *p)
{
    return (struct cudaMemsetParamsV2){.dst = p->dst,
                                       .pitch = p->pitch,
                                       .value = p->value,
                                       .elementSize = p->elementSize,
                                       .width = p->width,
                                       .height = p->height};
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaMemsetParams *params)
{
    rt_graph *g;
    rt_node_work work;
    cudaError_t e = lock_and_find_graph_to_extend(graph, params, &g);
    if (!e) {
        const struct cudaMemsetParamsV2 p = convert_memset_params_to_v2(params);
        e = rt_make_memset_work(&p, &work);
    }
    return add_node(out, g, deps, NULL, n, e, &work);
}

ADD_NODE(cudaGraphAddHostNode, (const struct cudaHostNodeParams *params), params,
         rt_make_host_work(params, &work))

/* Add a node of any kind that struct cudaGraphNodeParams describes. */
static cudaError_t add_node_of_params(cudaGraphNode_t *out, cudaGraph_t graph,
                                      const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
                                      size_t n, struct cudaGraphNodeParams *params)
{
    rt_graph *g;
    rt_node_work work;
    cudaError_t e = lock_and_find_graph_to_extend(graph, params, &g);
    if (params && params->type == cudaGraphNodeTypeKernel && !params->kernel.func)
        e = cudaErrorInvalidDeviceFunction;
    e = e ? e : rt_make_work_from_params(params, &work);
    return add_node(out, g, deps, edges, n, e, &work);
}

/* Likewise, with the parameters that follow. */
#define ADD_NODE_OF_PARAMS(name, params, ...)                                              \
    cudaError_t name(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps, \
                     size_t n RT_PARAMETERS params)                                        \
    {                                                                                      \
        return add_node_of_params(out, graph, deps, NULL, n,                               \
                                  &(struct cudaGraphNodeParams)__VA_ARGS__);               \
    }

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *edges, size_t n,
                             struct cudaGraphNodeParams *params)
{
    return add_node_of_params(out, graph, deps, edges, n, params);
}

ADD_NODE_OF_PARAMS(cudaGraphAddChildGraphNode, (, cudaGraph_t child),
                   {.type = cudaGraphNodeTypeGraph, .graph = {.graph = child}})
ADD_NODE_OF_PARAMS(cudaGraphAddEmptyNode, (), {.type = cudaGraphNodeTypeEmpty})
ADD_NODE_OF_PARAMS(cudaGraphAddEventRecordNode, (, cudaEvent_t event),
                   {.type = cudaGraphNodeTypeEventRecord, .eventRecord = {.event = event}})
ADD_NODE_OF_PARAMS(cudaGraphAddEventWaitNode, (, cudaEvent_t event),
                   {.type = cudaGraphNodeTypeWaitEvent, .eventWait = {.event = event}})
ADD_NODE(cudaGraphAddMemAllocNode, (struct cudaMemAllocNodeParams * params), params,
         rt_make_alloc_work(params, (rt_node *const *)deps, n, &work))
ADD_NODE_OF_PARAMS(cudaGraphAddMemFreeNode, (, void *p),
                   {.type = cudaGraphNodeTypeMemFree, .free = {.dptr = p}})

/* --- queries ---------------------------------------------------------------------------------- */

/* Take the lock and look up a node of the given kind. */
static cudaError_t lock_and_find_node_of_type(cudaGraphNode_t handle, enum cudaGraphNodeType type,
                                              const void *out, rt_node **n)
{
    cudaError_t e = rt_lock();
    *n = rt_node_of(handle);
    return e ? e : *n && out && (*n)->work.type == type ? cudaSuccess : cudaErrorInvalidValue;
}

/* The call NAME: *OUT becomes what follows, about the node N of kind TYPE. */
#define NODE_QUERY(name, type, out_type, ...)                                               \
    cudaError_t name(cudaGraphNode_t node, out_type out)                                    \
    {                                                                                       \
        rt_node *n;                                                                         \
        cudaError_t e = lock_and_find_node_of_type(node, cudaGraphNodeType##type, out, &n); \
        return RT_UNLOCK_WITH(e, out, __VA_ARGS__);                                         \
    }

NODE_QUERY(cudaGraphKernelNodeGetParams, Kernel, struct cudaKernelNodeParams *,
           (struct cudaKernelNodeParams){
               .func = rt_without_const(n->work.kernel.launch.kernel->host),
               .gridDim = n->work.kernel.launch.grid,
               .blockDim = n->work.kernel.launch.block,
               .sharedMemBytes = (unsigned)n->work.kernel.launch.shared,
               .kernelParams = n->work.kernel.args})
NODE_QUERY(cudaGraphMemcpyNodeGetParams, Memcpy, struct cudaMemcpy3DParms *, n->work.copy)
NODE_QUERY(cudaGraphMemsetNodeGetParams, Memset, struct cudaMemsetParams *,
           (struct cudaMemsetParams){n->work.fill.dst, n->work.fill.pitch, n->work.fill.value,
                                     n->work.fill.elementSize, n->work.fill.width,
                                     n->work.fill.height})
NODE_QUERY(cudaGraphHostNodeGetParams, Host, struct cudaHostNodeParams *, n->work.host)
NODE_QUERY(cudaGraphChildGraphNodeGetGraph, Graph, cudaGraph_t *, (cudaGraph_t)n->work.child)
NODE_QUERY(cudaGraphEventRecordNodeGetEvent, EventRecord, cudaEvent_t *, n->work.event)
NODE_QUERY(cudaGraphEventWaitNodeGetEvent, WaitEvent, cudaEvent_t *, n->work.event)
NODE_QUERY(cudaGraphMemAllocNodeGetParams, MemAlloc, struct cudaMemAllocNodeParams *,
           n->work.alloc.params)

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node_of_type(node, cudaGraphNodeTypeMemFree, out, &n);
    if (!e) {
        void *at = (void *)(uintptr_t)rt_graph_memory_address(n->work.alloc.memory);
        memcpy(out, &at, sizeof at);
    }
    return rt_unlock(e);
}
