/* Graphs, their nodes and edges: creation, copying, topological order, destruction. */
#include "graph.h"

#include "../checks/checks.h"
#include "../core/state.h"
#include "capture.h"

#include <stdlib.h>
#include <string.h>

rt_graph *rt_graph_of(cudaGraph_t handle)
{
    return rt_handle_is_valid(handle, RT_HANDLE_GRAPH) ? (rt_graph *)handle : NULL;
}

rt_node *rt_node_of(cudaGraphNode_t handle)
{
    return rt_handle_is_valid(handle, RT_HANDLE_NODE) ? (rt_node *)handle : NULL;
}

rt_graph *rt_graph_new(void)
{
    rt_graph *g = calloc(1, sizeof *g);
    if (!g || !rt_handle_add(g, RT_HANDLE_GRAPH)) {
        free(g);
        return NULL;
    }
    g->serial = rt.graphs.next_serial++;
    g->next = rt.graphs.first;
    if (rt.graphs.first)
        rt.graphs.first->before = g;
    rt.graphs.first = g;
    return g;
}

static void free_node(rt_node *n)
{
    rt_handle_remove(n);
    rt_capture_forget_node(n);
    rt_clear_node_work(&n->work);
    free(n->dep);
    free(n->edge);
    free(n);
}

void rt_graph_free(rt_graph *g)
{
    for (rt_node *n = g->first, *next; n; n = next) {
        next = n->next;
        free_node(n);
    }
    rt_object_refs_drop(&g->retained_objects);
    rt_graph_drop_conditions(g);
    rt_handle_remove(g);
    *(g->before ? &g->before->next : &rt.graphs.first) = g->next;
    if (g->next)
        g->next->before = g->before;
    free(g);
}

void rt_reset_graphs(void)
{
    for (;;) { /* free top-level graphs; inner graphs are freed with the node that contains them */
        rt_graph *g = rt.graphs.first;
        while (g && g->parent)
            g = g->next;
        if (!g)
            return;
        rt_graph_free(g);
    }
}

/* --- nodes ------------------------------------------------------------------------------------ */

static bool reserve_dependencies(rt_node *n, uint32_t more)
{
    if (n->dep_count + more <= n->dep_cap)
        return true;
    uint32_t cap = n->dep_cap ? n->dep_cap * 2 : 4;
    while (cap < n->dep_count + more)
        cap *= 2;
    rt_node **dep = realloc(n->dep, cap * sizeof(void *));
    if (!dep)
        return false;
    n->dep = dep;
    cudaGraphEdgeData *edge = realloc(n->edge, cap * sizeof *edge);
    if (!edge)
        return false;
    n->edge = edge;
    n->dep_cap = cap;
    return true;
}

static void append_dependency(rt_node *n, rt_node *on, const cudaGraphEdgeData *edge)
{
    n->dep[n->dep_count] = on;
    n->edge[n->dep_count++] = edge ? *edge : (cudaGraphEdgeData){0};
}

static bool is_dependency(const rt_node *n, const rt_node *on)
{
    for (uint32_t i = 0; i < n->dep_count; i++)
        if (n->dep[i] == on)
            return true;
    return false;
}

static void append_node_to_graph(rt_graph *g, rt_node *n)
{
    n->graph = g;
    n->before = g->last;
    *(g->last ? &g->last->next : &g->first) = n;
    g->last = n;
    g->count++;
}

static cudaError_t check_dependencies(const rt_graph *g, rt_node *const *deps,
                                      const cudaGraphEdgeData *edges, size_t n)
{
    if (n && !deps)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        if (!rt_handle_is_valid(deps[i], RT_HANDLE_NODE) || deps[i]->graph != g)
            return cudaErrorInvalidValue;
        for (size_t k = 0; k < i; k++)
            if (deps[k] == deps[i])
                return cudaErrorInvalidValue;
        if (edges && (edges[i].from_port || edges[i].to_port || edges[i].type)) {
            rt_print_message("graphs: programmatic dependencies between kernels are not supported");
            return cudaErrorNotSupported;
        }
    }
    return cudaSuccess;
}

cudaError_t rt_node_add(rt_graph *g, rt_node *const *deps, const cudaGraphEdgeData *edges, size_t n,
                        rt_node_work *work, rt_node **out)
{
    cudaError_t e = check_dependencies(g, deps, edges, n);
    rt_node *node = e ? NULL : calloc(1, sizeof *node);
    if (!e &&
        (!node || !reserve_dependencies(node, (uint32_t)n) || !rt_handle_add(node, RT_HANDLE_NODE)))
        e = cudaErrorMemoryAllocation;
    if (e) {
        if (node) {
            free(node->dep);
            free(node->edge);
            free(node);
        }
        rt_clear_node_work(work);
        return e;
    }
    node->serial = rt.graphs.next_serial++;
    node->work = *work;
    for (size_t i = 0; i < n; i++)
        append_dependency(node, deps[i], edges ? &edges[i] : NULL);
    for (uint32_t k = 0; rt_work_inner_graph(work, k); k++)
        rt_work_inner_graph(work, k)->parent = node;
    g->has_conditional_node = g->has_conditional_node || work->type == cudaGraphNodeTypeConditional;
    g->has_memory = g->has_memory || work->type == cudaGraphNodeTypeMemAlloc ||
                    work->type == cudaGraphNodeTypeMemFree;
    append_node_to_graph(g, node);
    if (out)
        *out = node;
    return cudaSuccess;
}

static void remove_dependency(rt_node *n, const rt_node *on)
{
    for (uint32_t i = 0; i < n->dep_count; i++) {
        if (n->dep[i] == on) {
            n->dep_count--;
            memmove(&n->dep[i], &n->dep[i + 1], (n->dep_count - i) * sizeof(void *));
            memmove(&n->edge[i], &n->edge[i + 1], (n->dep_count - i) * sizeof *n->edge);
            return;
        }
    }
}

static void remove_node(rt_node *n)
{
    rt_graph *g = n->graph;
    for (rt_node *m = g->first; m; m = m->next)
        remove_dependency(m, n);
    *(n->before ? &n->before->next : &g->first) = n->next;
    *(n->next ? &n->next->before : &g->last) = n->before;
    g->count--;
    free_node(n);
}

/* --- copying a graph, and ordering its nodes -------------------------------------------------- */

static cudaError_t copy_node(rt_graph *to, rt_node *n)
{
    rt_node_work work;
    cudaError_t e = rt_clone_node_work(&n->work, &work);
    e = e ? e : rt_node_add(to, NULL, NULL, 0, &work, &n->copy);
    if (!e) {
        n->copy->origin = n->serial;
        n->copy->disabled = n->disabled;
    }
    return e;
}

cudaError_t rt_graph_copy(const rt_graph *g, rt_graph **out)
{
    rt_graph *to = rt_graph_new();
    if (!to)
        return cudaErrorMemoryAllocation;
    cudaError_t e = rt_object_refs_copy(g->retained_objects, &to->retained_objects);
    for (rt_node *n = g->first; !e && n; n = n->next)
        e = copy_node(to, n);
    /* Edges are copied after all nodes: an edge may lead to a node that was created earlier. */
    for (rt_node *n = g->first; !e && n; n = n->next) {
        e = reserve_dependencies(n->copy, n->dep_count) ? cudaSuccess : cudaErrorMemoryAllocation;
        for (uint32_t i = 0; !e && i < n->dep_count; i++)
            append_dependency(n->copy, n->dep[i]->copy, &n->edge[i]);
    }
    if (e) {
        rt_graph_free(to);
        return e;
    }
    to->origin = g->serial;
    *out = to;
    return cudaSuccess;
}

/* Topological order by a depth-first traversal without recursion. `mark` is 1 + the number of
 * dependencies visited so far, or UINT32_MAX when the node has been placed; `copy` is the node from
 * which the traversal came. */
cudaError_t rt_graph_sort_topologically(rt_graph *g, rt_node ***out)
{
    rt_node **order = malloc((g->count ? g->count : 1) * sizeof(void *));
    if (!order)
        return cudaErrorMemoryAllocation;
    size_t n = 0;
    for (rt_node *m = g->first; m; m = m->next)
        m->mark = 0;
    for (rt_node *root = g->first; root; root = root->next) {
        rt_node *at = root;
        if (at->mark)
            continue;
        at->copy = NULL;
        at->mark = 1;
        while (at) {
            if (at->mark <= at->dep_count) {
                rt_node *d = at->dep[at->mark++ - 1];
                if (!d->mark) {
                    d->mark = 1;
                    d->copy = at;
                    at = d;
                } else if (d->mark != UINT32_MAX) {
                    free(order);
                    return cudaErrorInvalidValue;
                }
            } else {
                at->mark = UINT32_MAX;
                at->index = (uint32_t)n;
                order[n++] = at;
                at = at->copy;
            }
        }
    }
    *out = order;
    return cudaSuccess;
}

/* --- calls ------------------------------------------------------------------------------------ */

static cudaError_t lock_and_find_graph(cudaGraph_t handle, rt_graph **g)
{
    cudaError_t e = rt_lock();
    *g = rt_graph_of(handle);
    return e ? e : *g ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t lock_and_find_node(cudaGraphNode_t handle, rt_node **n)
{
    cudaError_t e = rt_lock();
    *n = rt_node_of(handle);
    return e ? e : *n ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned int flags)
{
    rt_lock(); /* result ignored: this call works after a sticky error too */
    cudaError_t e = rt_device_unusable_reason();
    e = RT_INVALID_IF(e, !out || flags);
    if (!e) {
        rt_graph *g = rt_graph_new();
        *out = (cudaGraph_t)g;
        e = g ? cudaSuccess : cudaErrorMemoryAllocation;
        if (g)
            rt_note_object(RT_GRAPH_OBJECT, (uintptr_t)g);
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle)
{
    rt_lock(); /* result ignored: this call works after a sticky error too */
    rt_graph *g = rt_graph_of(handle);
    cudaError_t e = rt_device_unusable_reason();
    rt_note_object_destroyed(RT_GRAPH_OBJECT, (uintptr_t)handle);
    e = RT_INVALID_IF(e, !(g && !g->parent && !g->internal));
    e = RT_ERROR_IF(e, rt_is_capture_target(g), cudaErrorIllegalState);
    if (!e)
        rt_graph_free(g);
    rt_unlock(e);
    rt_destroy_dead_objects();
    return e;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node(handle, &n);
    if (!e &&
        (n->work.type == cudaGraphNodeTypeMemAlloc || n->work.type == cudaGraphNodeTypeMemFree))
        e = cudaErrorNotSupported;
    if (!e)
        remove_node(n);
    rt_unlock(e);
    rt_destroy_dead_objects();
    return e;
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t original)
{
    rt_graph *g;
    cudaError_t e = lock_and_find_graph(original, &g);
    e = RT_INVALID_IF(e, !out);
    e = RT_ERROR_IF(e, g->has_memory || g->has_conditional_node, cudaErrorNotSupported);
    rt_graph *copy = NULL;
    e = e ? e : rt_graph_copy(g, &copy);
    if (!e) {
        *out = (cudaGraph_t)copy;
        rt_note_object(RT_GRAPH_OBJECT, (uintptr_t)copy);
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    rt_graph *g;
    cudaError_t e = lock_and_find_graph(clone, &g);
    rt_node *n = rt_node_of(original), *found = NULL;
    e = RT_INVALID_IF(e, !out || !n || n->graph->serial != g->origin);
    for (rt_node *m = e ? NULL : g->first; m && !found; m = m->next)
        found = m->origin == n->serial ? m : NULL;
    e = RT_INVALID_IF(e, !found);
    return RT_UNLOCK_WITH(e, out, (cudaGraphNode_t)found);
}

/* --- edges ------------------------------------------------------------------------------------ */

static cudaError_t change_edges(cudaGraph_t handle, const cudaGraphNode_t *from,
                                const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                size_t count, bool add)
{
    rt_graph *g;
    cudaError_t e = lock_and_find_graph(handle, &g);
    e = RT_INVALID_IF(e, count && (!from || !to));
    for (size_t i = 0; !e && i < count; i++) {
        rt_node *a = rt_node_of(from[i]), *b = rt_node_of(to[i]);
        if (!a || !b || a == b || a->graph != g || b->graph != g || is_dependency(b, a) == add) {
            e = cudaErrorInvalidValue;
        } else if (add) {
            e = check_dependencies(g, &a, data ? &data[i] : NULL, 1);
            e = e ? e : reserve_dependencies(b, 1) ? cudaSuccess : cudaErrorMemoryAllocation;
            if (!e)
                append_dependency(b, a, data ? &data[i] : NULL);
        } else {
            remove_dependency(b, a);
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t count)
{
    return change_edges(graph, from, to, data, count, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t count)
{
    return change_edges(graph, from, to, data, count, false);
}

/* --- calls that return lists ---------------------------------------------------------------------
 * All calls that return lists take the capacity in *COUNT, and set unused entries to NULL. Without
 * an array they only store the count. */

/* The arrays of the program that receive such a list. */
typedef struct node_list {
    cudaGraphNode_t *node;   /* receives nodes, or the first node of each edge; NULL: only count */
    cudaGraphNode_t *second; /* receives the second node of each edge; may be NULL */
    cudaGraphEdgeData *edge; /* receives the kind of each edge; may be NULL */
    size_t cap;              /* capacity of the arrays */
    size_t count;            /* number of entries so far, also those beyond the capacity */
} node_list;

static void append_list_entry(node_list *l, rt_node *a, rt_node *b, const cudaGraphEdgeData *edge)
{
    if (l->count < l->cap) {
        l->node[l->count] = (cudaGraphNode_t)a;
        if (l->second)
            l->second[l->count] = (cudaGraphNode_t)b;
        if (l->edge)
            l->edge[l->count] = *edge;
    }
    l->count++;
}

static void finish_node_list(node_list *l, size_t *count)
{
    if (!l->node) {
        *count = l->count;
        return;
    }
    *count = l->count < l->cap ? l->count : l->cap;
    for (size_t i = *count; i < l->cap; i++) {
        l->node[i] = NULL;
        if (l->second)
            l->second[i] = NULL;
    }
}

/* Was a list passed with no capacity, or a list of edge data without lists of nodes? */
static bool is_list_invalid(const void *nodes, const void *edges, size_t cap)
{
    return (nodes && !cap) || (edges && !nodes);
}

static cudaError_t list_nodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
    rt_graph *g;
    cudaError_t e = lock_and_find_graph(handle, &g);
    e = RT_INVALID_IF(e, !count || is_list_invalid(nodes, NULL, *count));
    if (!e) {
        node_list l = {.node = nodes, .cap = nodes ? *count : 0};
        for (rt_node *n = g->first; n; n = n->next)
            if (!roots || !n->dep_count)
                append_list_entry(&l, n, NULL, NULL);
        finish_node_list(&l, count);
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, true);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *count)
{
    rt_graph *g;
    cudaError_t e = lock_and_find_graph(graph, &g);
    e = RT_INVALID_IF(e, !count || !from != !to || is_list_invalid(from, data, *count));
    if (!e) {
        node_list l = {.node = from, .second = to, .edge = data, .cap = from ? *count : 0};
        for (rt_node *n = g->first; n; n = n->next)
            for (uint32_t i = 0; i < n->dep_count; i++)
                append_list_entry(&l, n->dep[i], n, &n->edge[i]);
        finish_node_list(&l, count);
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *count)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node(handle, &n);
    e = RT_INVALID_IF(e, !count || is_list_invalid(nodes, data, *count));
    if (!e) {
        node_list l = {.node = nodes, .edge = data, .cap = nodes ? *count : 0};
        for (uint32_t i = 0; i < n->dep_count; i++)
            append_list_entry(&l, n->dep[i], NULL, &n->edge[i]);
        finish_node_list(&l, count);
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *count)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node(handle, &n);
    e = RT_INVALID_IF(e, !count || is_list_invalid(nodes, data, *count));
    if (!e) {
        node_list l = {.node = nodes, .edge = data, .cap = nodes ? *count : 0};
        for (rt_node *m = n->graph->first; m; m = m->next) {
            for (uint32_t i = 0; i < m->dep_count; i++)
                if (m->dep[i] == n)
                    append_list_entry(&l, m, NULL, &m->edge[i]);
        }
        finish_node_list(&l, count);
    }
    return rt_unlock(e);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, enum cudaGraphNodeType *type)
{
    rt_node *n;
    cudaError_t e = lock_and_find_node(handle, &n);
    e = RT_INVALID_IF(e, !type);
    return RT_UNLOCK_WITH(e, type, n->work.type);
}
