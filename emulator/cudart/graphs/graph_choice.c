/* Conditional nodes of graphs: IF, WHILE and SWITCH (Programming Guide, "Conditional Graph Nodes").
 * A conditional handle is the address of a value in device memory, which kernels set with
 * cudaGraphSetConditional. The condition is evaluated when a launch reaches the node: the `decide`
 * function of the node's operation then queues a body before that operation, and is called again
 * when the body is done.
 * A graph with conditional nodes can have only one executable graph at a time, so that each handle
 * has one value. */
#include "../../base/list.h"
#include "../../memory/memory.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "graph.h"

#include <stdlib.h>

/* A condition on which conditional nodes depend. */
struct rt_condition {
    uint64_t value_address; /* device address of the condition's value */
    uint32_t value;         /* the default value of the condition */
    bool resets;            /* cudaGraphCondAssignDefault: every launch begins with the default */
    bool taken;             /* creating a node with this handle was tried; it works only once */
    unsigned refs;          /* number of graphs and nodes that refer to the condition */
    struct rt_condition *next; /* next in the list of all conditions */
};

static sm_condition *pointer_to_condition_value(const rt_condition *c)
{
    return mem_host_pointer(c->value_address, sizeof(sm_condition));
}

static void store_default_value(const rt_condition *c)
{
    sm_condition *value_address = pointer_to_condition_value(c);
    if (value_address) {
        value_address->value = c->value;
        RT_CALL_RECORDER(poked, c->value_address, sizeof *value_address);
    }
}

static void drop_condition_reference(rt_condition *c)
{
    if (--c->refs)
        return;
    rt_condition **p = &rt.graphs.conditions;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
    mem_free_range(c->value_address);
    free(c);
}

static rt_condition *condition_of_handle(cudaGraphConditionalHandle handle)
{
    rt_condition *c = rt.graphs.conditions;
    while (c && c->value_address != handle)
        c = c->next;
    return c;
}

static cudaError_t make_condition(rt_graph *g, unsigned value, unsigned flags, rt_condition **out)
{
    rt_condition **listed = LIST_ADD(g->condition, g->condition_count);
    rt_condition *c = listed ? calloc(1, sizeof *c) : NULL;
    const uint64_t value_address =
        c ? mem_alloc(sizeof(sm_condition), 256, MEM_MODULE, "a condition") : 0;
    if (!value_address) {
        g->condition_count -= listed != NULL;
        free(c);
        return cudaErrorMemoryAllocation;
    }
    *c = (rt_condition){.value_address = value_address, .value = value, .resets = flags, .refs = 1};
    c->next = rt.graphs.conditions;
    rt.graphs.conditions = c;
    *pointer_to_condition_value(c) = (sm_condition){SM_CONDITION_MARK, value, 0};
    RT_CALL_RECORDER(poked, value_address, sizeof(sm_condition));
    *out = *listed = c;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t graph,
                                             unsigned int value, unsigned int flags)
{
    cudaError_t e = rt_lock();
    rt_graph *g = rt_graph_of(graph);
    rt_condition *c = NULL;
    e = RT_INVALID_IF(e, !out || !g || flags & ~(unsigned)cudaGraphCondAssignDefault);
    e = e ? e : make_condition(g, value, flags, &c);
    return RT_UNLOCK_WITH(e, out, c->value_address);
}

void rt_graph_drop_conditions(rt_graph *g)
{
    for (size_t k = 0; k < g->condition_count; k++)
        drop_condition_reference(g->condition[k]);
    free(g->condition);
    g->condition = NULL;
    g->condition_count = 0;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static bool is_branch_count_valid(enum cudaGraphConditionalNodeType type, unsigned size)
{
    switch (type) {
    case cudaGraphCondTypeIf: return size == 1 || size == 2;
    case cudaGraphCondTypeWhile: return size == 1;
    case cudaGraphCondTypeSwitch: return size > 0;
    default: return false;
    }
}

static cudaError_t create_branch_graphs(rt_node_work *out, const rt_node_work *from)
{
    const uint32_t size = from->conditional.size;
    *out = *from;
    out->conditional.on->refs++;
    out->conditional.body = calloc(size, sizeof(void *));
    cudaError_t e = out->conditional.body ? cudaSuccess : cudaErrorMemoryAllocation;
    for (uint32_t k = 0; !e && k < size; k++) {
        if (from->conditional.body) {
            e = rt_graph_copy(from->conditional.body[k], &out->conditional.body[k]);
        } else {
            out->conditional.body[k] = rt_graph_new();
            e = out->conditional.body[k] ? cudaSuccess : cudaErrorMemoryAllocation;
        }
    }
    if (e)
        rt_clear_node_work(out);
    return e;
}

cudaError_t rt_make_conditional_work(struct cudaConditionalNodeParams *p, rt_node_work *out)
{
    rt_condition *c = condition_of_handle(p->handle);
    if (!c || c->taken)
        return cudaErrorInvalidValue;
    c->taken = true; /* set now, because the handle is used up even if a check below fails */
    if (!is_branch_count_valid(p->type, p->size))
        return cudaErrorInvalidValue;
    const rt_node_work empty = {.type = cudaGraphNodeTypeConditional,
                                .conditional = {.on = c, .type = p->type, .size = p->size}};
    cudaError_t e = create_branch_graphs(out, &empty);
    if (!e)
        p->phGraph_out = (cudaGraph_t *)out->conditional.body;
    return e;
}

cudaError_t rt_clone_conditional_work(const rt_node_work *from, rt_node_work *to)
{
    return create_branch_graphs(to, from);
}

void rt_clear_conditional_work(rt_node_work *w)
{
    for (uint32_t k = 0; w->conditional.body && k < w->conditional.size; k++)
        if (w->conditional.body[k])
            rt_graph_free(w->conditional.body[k]);
    free(w->conditional.body);
    drop_condition_reference(w->conditional.on);
}

/* --- instantiation ---------------------------------------------------------------------------- */

static bool is_device_address(const void *p)
{
    mem_range r;
    return mem_find_range((uint64_t)(uintptr_t)p, &r);
}

/* May a node be inside a body? Allowed are kernels, fills, copies within device memory, and graphs
 * of these nodes. */
static bool is_allowed_in_body(const rt_node *n)
{
    const struct cudaMemcpy3DParms *p = &n->work.copy;
    switch (n->work.type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeConditional: return true;
    case cudaGraphNodeTypeMemcpy:
        return (p->srcArray || is_device_address(p->srcPtr.ptr)) &&
               (p->dstArray || is_device_address(p->dstPtr.ptr));
    default: return false;
    }
}

static cudaError_t check_conditions(const rt_graph *g, bool inside,
                                    enum cudaGraphInstantiateResult *why)
{
    for (size_t k = 0; k < g->condition_count; k++) {
        if (g->condition[k]->refs ==
            1) { /* only the graph refers to the condition: no node uses its handle */
            *why = cudaGraphInstantiateConditionalHandleUnused;
            return cudaErrorInvalidValue;
        }
    }
    cudaError_t e = cudaSuccess;
    for (const rt_node *n = g->first; !e && n; n = n->next) {
        if (inside && !is_allowed_in_body(n))
            return cudaErrorInvalidValue;
        const bool conditional = n->work.type == cudaGraphNodeTypeConditional;
        for (uint32_t k = 0; !e && rt_work_inner_graph(&n->work, k); k++)
            e = check_conditions(rt_work_inner_graph(&n->work, k), inside || conditional, why);
    }
    return e;
}

cudaError_t rt_check_conditional_nodes(const rt_graph *g, enum cudaGraphInstantiateResult *why)
{
    enum cudaGraphInstantiateResult nobody;
    return check_conditions(g, false, why ? why : &nobody);
}

/* --- launching -------------------------------------------------------------------------------- */

/* The data of an operation that runs a conditional node. */
typedef struct conditional_op {
    const rt_node_work *work; /* what the conditional node does, owned by the executable graph */
    uint64_t stream;          /* id of the stream of the graph launch */
    unsigned flags;           /* flags of that stream */
    bool decided;             /* the condition has been evaluated */
} conditional_op;

static rt_graph *chosen_branch(conditional_op *c)
{
    const rt_node_work *w = c->work;
    const bool again = c->decided;
    const sm_condition *value_address = pointer_to_condition_value(w->conditional.on);
    const uint32_t value = value_address ? value_address->value : 0;
    c->decided = true;
    switch (w->conditional.type) {
    case cudaGraphCondTypeWhile: return value ? w->conditional.body[0] : NULL;
    case cudaGraphCondTypeIf: return again ? NULL : rt_work_inner_graph(w, value ? 0 : 1);
    default: return again ? NULL : rt_work_inner_graph(w, value);
    }
}

static bool evaluate_and_queue_branch(rt_op *op)
{
    conditional_op *c = op->data;
    rt_graph *body = chosen_branch(c);
    if (!body)
        return false;
    rt_stream temporary = {.id = c->stream,
                           .flags = c->flags,
                           .temporary = true,
                           .after = op->dep,
                           .after_count = op->dep_count};
    rt_queue_insert_before(op);
    rt_op *begin = rt_queue_op(&temporary, RT_EVENT_WAIT, 0, NULL), *end = NULL;
    cudaError_t e =
        begin ? rt_graph_queue_nodes(body, &temporary, begin, &end) : cudaErrorMemoryAllocation;
    if (e && begin)
        rt_queue_cancel_after(begin);
    if (!e)
        rt_op_set_dependency(op, end);
    rt_queue_end_insertion(op);
    op->fault = e;
    return !e;
}

rt_op *rt_issue_conditional(const rt_node_work *w, rt_stream *s)
{
    rt_op *op = rt_queue_op(s, RT_EVENT_WAIT, sizeof(conditional_op), NULL);
    if (op) {
        *(conditional_op *)op->data =
            (conditional_op){.work = w, .stream = s->id, .flags = s->flags};
        op->decide = evaluate_and_queue_branch;
    }
    return op;
}

/* The data of an operation that sets conditions to their default values. */
typedef struct default_values {
    size_t count;             /* number of conditions */
    const rt_condition *of[]; /* [count] the conditions */
} default_values;

static void store_defaults(rt_op *op)
{
    const default_values *d = op->data;
    for (size_t k = 0; k < d->count; k++)
        store_default_value(d->of[k]);
}

static size_t gather_conditions(const rt_graph *g, const rt_condition **to)
{
    size_t count = 0;
    for (const rt_node *n = g->first; n; n = n->next) {
        if (n->work.type == cudaGraphNodeTypeConditional && n->work.conditional.on->resets) {
            if (to)
                to[count] = n->work.conditional.on;
            count++;
        }
        for (uint32_t k = 0; rt_work_inner_graph(&n->work, k); k++)
            count += gather_conditions(rt_work_inner_graph(&n->work, k), to ? to + count : NULL);
    }
    return count;
}

cudaError_t rt_issue_condition_defaults(const rt_graph *g, rt_stream *s, rt_op **out)
{
    const size_t count = gather_conditions(g, NULL);
    *out = NULL;
    if (!count)
        return cudaSuccess;
    *out = rt_queue_op(s, RT_EVENT_WAIT, sizeof(default_values) + count * sizeof(void *), NULL);
    if (!*out)
        return cudaErrorMemoryAllocation;
    default_values *d = (*out)->data;
    d->count = gather_conditions(g, d->of);
    (*out)->run = store_defaults;
    return cudaSuccess;
}
