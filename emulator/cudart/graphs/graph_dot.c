/* Writes a graph as text for Graphviz (Runtime API, cudaGraphDebugDotPrint). */
#include "../code/kernel.h"
#include "../code/launch.h"
#include "../core/call.h"
#include "graph.h"

#include <stdio.h>

#define PRINT_ALL_DETAILS cudaGraphDebugDotFlagsVerbose

static const char *node_kind_name(enum cudaGraphNodeType type)
{
    switch (type) {
    case cudaGraphNodeTypeKernel: return "KERNEL";
    case cudaGraphNodeTypeMemcpy: return "MEMCPY";
    case cudaGraphNodeTypeMemset: return "MEMSET";
    case cudaGraphNodeTypeHost: return "HOST";
    case cudaGraphNodeTypeGraph: return "CHILD_GRAPH";
    case cudaGraphNodeTypeEmpty: return "EMPTY";
    case cudaGraphNodeTypeWaitEvent: return "EVENT_WAIT";
    case cudaGraphNodeTypeEventRecord: return "EVENT_RECORD";
    case cudaGraphNodeTypeMemAlloc: return "MEM_ALLOC";
    case cudaGraphNodeTypeMemFree: return "MEM_FREE";
    case cudaGraphNodeTypeConditional: return "CONDITIONAL";
    default: return "?";
    }
}

static void write_node_label(FILE *f, const rt_node *n, unsigned flags)
{
    const rt_node_work *w = &n->work;
    fprintf(f, "%s", node_kind_name(w->type));
    if (flags & (PRINT_ALL_DETAILS | cudaGraphDebugDotFlagsHandles))
        fprintf(f, "\\nnode %p", (const void *)n);
    switch (w->type) {
    case cudaGraphNodeTypeKernel:
        fprintf(f, "\\n%s", rt_kernel_display_name(w->kernel.launch.kernel));
        if (flags & (PRINT_ALL_DETAILS | cudaGraphDebugDotFlagsKernelNodeParams)) {
            const rt_launch *l = &w->kernel.launch;
            fprintf(f, "\\n\\<\\<\\<(%u,%u,%u), (%u,%u,%u), %zu\\>\\>\\>", l->grid.x, l->grid.y,
                    l->grid.z, l->block.x, l->block.y, l->block.z, l->shared);
        }
        break;
    case cudaGraphNodeTypeMemcpy:
        if (flags & (PRINT_ALL_DETAILS | cudaGraphDebugDotFlagsMemcpyNodeParams)) {
            fprintf(f, "\\n%p to %p\\n%zu x %zu x %zu", w->copy.srcPtr.ptr, w->copy.dstPtr.ptr,
                    w->copy.extent.width, w->copy.extent.height, w->copy.extent.depth);
        }
        break;
    case cudaGraphNodeTypeMemset:
        if (flags & (PRINT_ALL_DETAILS | cudaGraphDebugDotFlagsMemsetNodeParams)) {
            fprintf(f, "\\n%p\\nvalue %u, %zu x %zu of %u bytes", w->fill.dst, w->fill.value,
                    w->fill.width, w->fill.height, w->fill.elementSize);
        }
        break;
    case cudaGraphNodeTypeHost:
        if (flags & (PRINT_ALL_DETAILS | cudaGraphDebugDotFlagsHostNodeParams))
            fprintf(f, "\\ndata %p", w->host.userData);
        break;
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
        if (flags & (PRINT_ALL_DETAILS | cudaGraphDebugDotFlagsEventNodeParams))
            fprintf(f, "\\nevent %p", (void *)w->event);
        break;
    default: break;
    }
}

static void write_graph(FILE *f, rt_graph *g, unsigned flags)
{
    fprintf(f, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n",
            (unsigned long long)g->serial, (unsigned long long)g->serial);
    for (const rt_node *n = g->first; n; n = n->next) {
        fprintf(f, "\"node_%llu\"[style=\"bold\" shape=\"rectangle\" label=\"",
                (unsigned long long)n->serial);
        write_node_label(f, n, flags);
        fprintf(f, "\"];\n");
    }
    for (const rt_node *n = g->first; n; n = n->next) {
        for (uint32_t i = 0; i < n->dep_count; i++) {
            fprintf(f, "\"node_%llu\" -> \"node_%llu\";\n", (unsigned long long)n->dep[i]->serial,
                    (unsigned long long)n->serial);
        }
    }
    fprintf(f, "}\n");
    for (const rt_node *n = g->first; n; n = n->next)
        for (uint32_t k = 0; rt_work_inner_graph(&n->work, k); k++)
            write_graph(f, rt_work_inner_graph(&n->work, k), flags);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    cudaError_t e = rt_lock();
    rt_graph *g = rt_graph_of(graph);
    e = RT_INVALID_IF(e, !g || !path);
    FILE *f = e ? NULL : fopen(path, "we");
    e = RT_ERROR_IF(e, !f, cudaErrorOperatingSystem);
    if (!e) {
        fprintf(f, "digraph dot {\n");
        write_graph(f, g, flags);
        fprintf(f, "}\n");
        if (fclose(f))
            e = cudaErrorOperatingSystem;
    }
    return rt_unlock(e);
}
