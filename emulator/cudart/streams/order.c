#include "order.h"

#include "../../sanitizer/kinds.h"
#include "../core/state.h"

#include <stdlib.h>

static bool is_order_tracked(void)
{
    return rt.sanitize & (SAN_RACE | SAN_HOST);
}

static uint64_t last_preceding_seq_of_branch(const rt_preceding_ops *o, uint64_t branch)
{
    for (uint32_t k = 0; o && k < o->count; k++)
        if (o->of[k].branch == branch)
            return o->of[k].seq;
    return 0;
}

/* The position of OP in its branch. All operations that one kernel launched have the same `seq`, so
 * they are ordered by `id`. */
static uint64_t position_in_branch(const rt_op *op)
{
    return op->inside ? op->id : op->seq;
}

static void add_branch_order(rt_preceding_ops *o, uint64_t branch, uint64_t seq)
{
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->of[k].branch == branch) {
            o->of[k].seq = seq > o->of[k].seq ? seq : o->of[k].seq;
            return;
        }
    }
    o->of[o->count++] = (struct rt_branch_order){branch, seq};
}

static void add_branch_orders(rt_preceding_ops *o, const rt_preceding_ops *more)
{
    for (uint32_t k = 0; more && k < more->count; k++)
        add_branch_order(o, more->of[k].branch, more->of[k].seq);
    o->all = more && more->all > o->all ? more->all : o->all;
}

/* Is OP an operation of a stream, and not a wait of the host? */
static bool is_stream_op(const rt_op *op)
{
    return op->kind != RT_HOST_WAIT;
}

/* The operations that precede OP: its dependencies and what precedes them, without those that the
 * host has waited for (`all`). NULL: the host is out of memory. */
static rt_preceding_ops *preceding_ops_of(const rt_op *op)
{
    size_t cap = 0;
    for (uint32_t k = 0; k < op->dep_count; k++)
        cap += 1 + (op->dep[k]->order ? op->dep[k]->order->count : 0);
    rt_preceding_ops *o = calloc(1, sizeof *o + cap * sizeof *o->of);
    for (uint32_t k = 0; o && k < op->dep_count; k++) {
        const rt_op *d = op->dep[k];
        add_branch_orders(o, d->order);
        const bool ends_later = op->kind == RT_HOST_WAIT && d->host_returns_early;
        if (is_stream_op(d) && !ends_later)
            add_branch_order(o, d->branch, position_in_branch(d));
    }
    uint32_t n = 0;
    for (uint32_t k = 0; o && k < o->count; k++)
        if (o->of[k].seq >= o->all)
            o->of[n++] = o->of[k];
    if (o)
        o->count = n;
    return o;
}

void rt_order_store_preceding_ops(rt_op *op)
{
    if (is_order_tracked())
        op->order = preceding_ops_of(op);
}

void rt_order_host_waited(rt_op *op, bool all)
{
    if (!is_order_tracked())
        return;
    op->order = preceding_ops_of(op);
    if (op->order && all) {
        op->order->all = op->seq;
        op->order->count = 0;
    }
    free(rt.queue.host_order);
    rt.queue.host_order = op->order ? malloc(sizeof *rt.queue.host_order +
                                             op->order->count * sizeof *rt.queue.host_order->of)
                                    : NULL;
    if (rt.queue.host_order) {
        *rt.queue.host_order = (rt_preceding_ops){0};
        add_branch_orders(rt.queue.host_order, op->order);
    }
}

static bool includes_op(const rt_preceding_ops *o, const rt_op *op)
{
    return o && (op->seq < o->all ||
                 position_in_branch(op) <= last_preceding_seq_of_branch(o, op->branch));
}

bool rt_order_precedes(const rt_op *a, const rt_op *b)
{
    return !b->order || includes_op(b->order, a) ||
           (a->branch == b->branch && position_in_branch(a) < position_in_branch(b));
}

bool rt_order_host_has_waited_for(const rt_op *op)
{
    return includes_op(rt.queue.host_order, op);
}
