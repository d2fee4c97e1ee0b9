/* The work of graph nodes: checks parameters, copies and keeps them, and queues the work to a
 * stream at a launch. */
#include "../code/kernel.h"
#include "../code/launch.h"
#include "../core/call.h"
#include "../memory/copy.h"
#include "../streams/event.h"
#include "../streams/op.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* --- kernels ---------------------------------------------------------------------------------- */

static size_t param_bytes(const rt_launch *l)
{
    const size_t n = l->kernel->func->param_bytes;
    return n ? n : 1;
}

/* Build the array of pointers into the parameter bytes of L, one per argument.
 * cudaGraphKernelNodeGetParams returns the array. */
static void **make_arg_pointers(const rt_launch *l)
{
    const ptx_func *f = l->kernel->func;
    void **args = malloc((f->param_count ? f->param_count : 1) * sizeof *args);
    for (uint32_t i = 0; args && i < f->param_count; i++)
        args[i] = l->params + f->params[i].offset;
    return args;
}

cudaError_t rt_make_launch_work(rt_launch *l, rt_node_work *out)
{
    void **args = make_arg_pointers(l);
    if (!args) {
        free(l->params);
        return cudaErrorMemoryAllocation;
    }
    *out = (rt_node_work){.type = cudaGraphNodeTypeKernel, .kernel = {.launch = *l, .args = args}};
    return cudaSuccess;
}

/* Read arguments that are packed in one buffer, in the format of cuLaunchKernel's `extra` array:
 * key, value, ..., 0. */
static cudaError_t read_packed_args(void *const *extra, rt_launch *l)
{
    const uint8_t *buffer = NULL;
    size_t size = 0;
    for (; *extra; extra += 2) {
        switch ((uintptr_t)extra[0]) {
        case 1: /* key CU_LAUNCH_PARAM_BUFFER_POINTER */ buffer = extra[1]; break;
        case 2: /* key CU_LAUNCH_PARAM_BUFFER_SIZE */ size = *(const size_t *)extra[1]; break;
        default: return cudaErrorInvalidValue;
        }
    }
    if (size > l->kernel->func->param_bytes || (size && !buffer))
        return cudaErrorInvalidValue;
    if (size)
        memcpy(l->params, buffer, size);
    return cudaSuccess;
}

cudaError_t rt_make_kernel_work(const struct cudaKernelNodeParams *p, rt_node_work *out)
{
    if (!p || (p->kernelParams && p->extra))
        return cudaErrorInvalidValue;
    rt_launch l = {.grid = p->gridDim, .block = p->blockDim, .shared = p->sharedMemBytes};
    cudaError_t e = rt_launch_prepare(p->func, p->kernelParams, p->extra != NULL, &l);
    if (!e && p->extra) {
        e = read_packed_args(p->extra, &l);
        if (e)
            free(l.params);
    }
    return e ? e : rt_make_launch_work(&l, out);
}

static cudaError_t clone_kernel_work(const rt_node_work *from, rt_node_work *to)
{
    rt_launch l = from->kernel.launch;
    l.params = malloc(param_bytes(&l));
    if (!l.params)
        return cudaErrorMemoryAllocation;
    memcpy(l.params, from->kernel.launch.params, param_bytes(&l));
    cudaError_t e = rt_make_launch_work(&l, to);
    if (!e && from->kernel.attr) {
        const size_t n = RT_LAUNCH_ATTRIBUTE_COUNT * sizeof *from->kernel.attr;
        to->kernel.attr = malloc(n);
        if (!to->kernel.attr) {
            rt_clear_node_work(to);
            return cudaErrorMemoryAllocation;
        }
        memcpy(to->kernel.attr, from->kernel.attr, n);
    }
    return e;
}

/* --- copies and fills ------------------------------------------------------------------------- */

/* Queue a copy. For a single row the pitch may be 0. */
static cudaError_t queue_copy_node(const struct cudaMemcpy3DParms *p, rt_stream *s)
{
    struct cudaMemcpy3DParms box = *p;
    if (box.extent.height == 1 && box.extent.depth == 1) {
        box.srcPtr.pitch = box.srcPtr.pitch ? box.srcPtr.pitch : box.extent.width;
        box.dstPtr.pitch = box.dstPtr.pitch ? box.dstPtr.pitch : box.extent.width;
    }
    return rt_queue_copy3d("a copy node of a graph", &box, s, true);
}

cudaError_t rt_make_copy3d_work(const struct cudaMemcpy3DParms *p, rt_node_work *out)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (!p->extent.width || !p->extent.height || !p->extent.depth)
        return cudaErrorInvalidValue;
    *out = (rt_node_work){.type = cudaGraphNodeTypeMemcpy, .copy = *p};
    return queue_copy_node(p, NULL);
}

cudaError_t rt_make_linear_copy_work(void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind, rt_node_work *out)
{
    const struct cudaMemcpy3DParms p = {.srcPtr = {.ptr = rt_without_const(src)},
                                        .dstPtr = {.ptr = dst},
                                        .extent = {count, 1, 1},
                                        .kind = kind};
    return rt_make_copy3d_work(&p, out);
}

cudaError_t rt_symbol_check_copy(const void *symbol, enum cudaMemcpyKind kind, bool to)
{
    return !symbol || !rt_find_symbol(symbol)       ? cudaErrorInvalidSymbol
           : rt_is_symbol_copy_kind_valid(kind, to) ? cudaSuccess
                                                    : cudaErrorInvalidMemcpyDirection;
}

cudaError_t rt_make_symbol_copy_work(const void *symbol, size_t offset, void *other, size_t count,
                                     enum cudaMemcpyKind kind, bool to, rt_node_work *work)
{
    rt_symbol *s = symbol ? rt_find_symbol(symbol) : NULL;
    cudaError_t e = s ? rt_symbol_load_once(s) : cudaErrorInvalidSymbol;
    e = RT_INVALID_IF(e, offset > s->size || count > s->size - offset);
    if (e)
        return e;
    void *variable = (void *)(uintptr_t)(s->address + offset);
    return rt_make_linear_copy_work(to ? variable : other, to ? other : variable, count, kind,
                                    work);
}

static cudaError_t queue_fill_node(const struct cudaMemsetParamsV2 *p, rt_stream *s)
{
    const size_t unit = p->elementSize, width = p->width * unit;
    const rt_copy_box to = {(uint64_t)(uintptr_t)p->dst, p->height > 1 ? p->pitch : width, 0};
    return rt_queue_fill("a memset node of a graph", to, p->value, unit, width, p->height, 1, s,
                         true);
}

cudaError_t rt_make_memset_work(const struct cudaMemsetParamsV2 *p, rt_node_work *out)
{
    if (!p || !p->width || !p->height ||
        (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    *out = (rt_node_work){.type = cudaGraphNodeTypeMemset, .fill = *p};
    return queue_fill_node(p, NULL);
}

/* --- work of the other kinds of nodes --------------------------------------------------------- */

cudaError_t rt_make_host_work(const struct cudaHostNodeParams *p, rt_node_work *out)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *out = (rt_node_work){.type = cudaGraphNodeTypeHost, .host = *p};
    return cudaSuccess;
}

static cudaError_t make_event_work(enum cudaGraphNodeType type, cudaEvent_t event,
                                   rt_node_work *out)
{
    *out = (rt_node_work){.type = type, .event = event};
    return rt_is_event(event) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t make_child_graph_work(cudaGraph_t handle, rt_node_work *out)
{
    rt_graph *g = rt_graph_of(handle), *copy = NULL;
    if (!g)
        return cudaErrorInvalidValue;
    if (g->has_memory || g->has_conditional_node)
        return cudaErrorNotSupported;
    cudaError_t e = rt_graph_copy(g, &copy);
    *out = (rt_node_work){.type = cudaGraphNodeTypeGraph, .child = copy};
    return e;
}

cudaError_t rt_make_work_from_params(struct cudaGraphNodeParams *p, rt_node_work *out)
{
    if (!p)
        return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams k = {.func = p->kernel.func,
                                               .gridDim = p->kernel.gridDim,
                                               .blockDim = p->kernel.blockDim,
                                               .sharedMemBytes = p->kernel.sharedMemBytes,
                                               .kernelParams = p->kernel.kernelParams,
                                               .extra = p->kernel.extra};
        return rt_make_kernel_work(&k, out);
    }
    case cudaGraphNodeTypeMemcpy: return rt_make_copy3d_work(&p->memcpy.copyParams, out);
    case cudaGraphNodeTypeMemset: return rt_make_memset_work(&p->memset, out);
    case cudaGraphNodeTypeHost:
        return rt_make_host_work(&(struct cudaHostNodeParams){p->host.fn, p->host.userData}, out);
    case cudaGraphNodeTypeGraph: return make_child_graph_work(p->graph.graph, out);
    case cudaGraphNodeTypeEmpty:
        *out = (rt_node_work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent: return make_event_work(p->type, p->eventWait.event, out);
    case cudaGraphNodeTypeEventRecord: return make_event_work(p->type, p->eventRecord.event, out);
    case cudaGraphNodeTypeMemAlloc: {
        struct cudaMemAllocNodeParams m = {.poolProps = p->alloc.poolProps,
                                           .accessDescs = p->alloc.accessDescs,
                                           .accessDescCount = p->alloc.accessDescCount,
                                           .bytesize = p->alloc.bytesize};
        cudaError_t e = rt_make_alloc_work(&m, NULL, 0, out);
        p->alloc.dptr = m.dptr;
        return e;
    }
    case cudaGraphNodeTypeMemFree: return rt_make_free_work(p->free.dptr, out);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        rt_print_message("graphs: external semaphores are not supported");
        return cudaErrorNotSupported;
    case cudaGraphNodeTypeConditional: return rt_make_conditional_work(&p->conditional, out);
    default: return cudaErrorInvalidValue;
    }
}

rt_graph *rt_work_inner_graph(const rt_node_work *w, uint32_t k)
{
    switch (w->type) {
    case cudaGraphNodeTypeGraph: return k ? NULL : w->child;
    case cudaGraphNodeTypeConditional:
        return k < w->conditional.size ? w->conditional.body[k] : NULL;
    default: return NULL;
    }
}

cudaError_t rt_clone_node_work(const rt_node_work *from, rt_node_work *to)
{
    switch (from->type) {
    case cudaGraphNodeTypeKernel: return clone_kernel_work(from, to);
    case cudaGraphNodeTypeGraph: *to = *from; return rt_graph_copy(from->child, &to->child);
    case cudaGraphNodeTypeConditional: return rt_clone_conditional_work(from, to);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        *to = *from;
        rt_graph_memory_ref(to->alloc.memory);
        return cudaSuccess;
    default: *to = *from; return cudaSuccess;
    }
}

void rt_clear_node_work(rt_node_work *w)
{
    switch (w->type) {
    case cudaGraphNodeTypeKernel:
        free(w->kernel.launch.params);
        free(w->kernel.args);
        free(w->kernel.attr);
        break;
    case cudaGraphNodeTypeGraph: rt_graph_free(w->child); break;
    case cudaGraphNodeTypeConditional: rt_clear_conditional_work(w); break;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree: rt_graph_memory_unref(w->alloc.memory); break;
    default: break;
    }
    *w = (rt_node_work){.type = cudaGraphNodeTypeEmpty};
}

cudaError_t rt_queue_node_work(const rt_node_work *w, rt_stream *s)
{
    switch (w->type) {
    case cudaGraphNodeTypeKernel: {
        rt_launch l = w->kernel.launch;
        cudaError_t e = rt_kernel_load_once(l.kernel);
        l.params = e ? NULL : malloc(param_bytes(&l));
        if (!l.params)
            return e ? e : cudaErrorMemoryAllocation;
        memcpy(l.params, w->kernel.launch.params, param_bytes(&l));
        return rt_launch_queue(&l, s);
    }
    case cudaGraphNodeTypeMemcpy: return queue_copy_node(&w->copy, s);
    case cudaGraphNodeTypeMemset: return queue_fill_node(&w->fill, s);
    case cudaGraphNodeTypeHost: return rt_queue_host_function(s, w->host.fn, w->host.userData);
    case cudaGraphNodeTypeEventRecord: return rt_event_record(w->event, s);
    case cudaGraphNodeTypeWaitEvent: return rt_event_wait(w->event, s);
    case cudaGraphNodeTypeConditional:
        return rt_issue_conditional(w, s) ? cudaSuccess : cudaErrorMemoryAllocation;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        return rt_graph_memory_queue_op(w->alloc.memory, w->type == cudaGraphNodeTypeMemAlloc, s)
                   ? cudaSuccess
                   : cudaErrorMemoryAllocation;
    default: break;
    }
    return rt_queue_op(s, RT_EVENT_WAIT, 0, NULL) ? cudaSuccess : cudaErrorMemoryAllocation;
}
