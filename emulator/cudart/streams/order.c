#include "order.h"

#include "../../sanitizer/kinds.h"
#include "queue.h"

#include <stdlib.h>

static bool order_is_kept(void)
{
    return rt.sanitize & (SAN_RACE | SAN_HOST);
}

static uint64_t ordered_up_to(const rt_preceding_ops *o, uint64_t branch)
{
    for (uint32_t k = 0; o && k < o->count; k++) {
        if (o->of[k].branch == branch) {
            return o->of[k].seq;
        }
    }
    return 0;
}

/* The position of OP in its branch. Work that a kernel requested has the `seq` of the operation
 * that ends it, and positions of its own. */
static uint64_t place_of(const rt_op *op)
{
    return op->inside ? op->id : op->seq;
}

static void add_branch(rt_preceding_ops *o, uint64_t branch, uint64_t seq)
{
    for (uint32_t k = 0; k < o->count; k++) {
        if (o->of[k].branch == branch) {
            o->of[k].seq = seq > o->of[k].seq ? seq : o->of[k].seq;
            return;
        }
    }
    o->of[o->count++] = (struct rt_branch_order){branch, seq};
}

static void add_branches(rt_preceding_ops *o, const rt_preceding_ops *more)
{
    for (uint32_t k = 0; more && k < more->count; k++) {
        add_branch(o, more->of[k].branch, more->of[k].seq);
    }
    o->all = more && more->all > o->all ? more->all : o->all;
}

/* Is OP an operation of a stream, and not a wait of the host? */
static bool is_stream_op(const rt_op *op)
{
    return op->kind != RT_HOST_WAIT;
}

/* The union of the orders of OP's dependencies, without what ALL covers; NULL: the host is out of
 * memory. */
static rt_preceding_ops *preceding_ops_of(const rt_op *op)
{
    size_t room = 0;
    for (uint32_t k = 0; k < op->dep_count; k++) {
        room += 1 + (op->dep[k]->order ? op->dep[k]->order->count : 0);
    }
    rt_preceding_ops *o = calloc(1, sizeof *o + room * sizeof *o->of);
    for (uint32_t k = 0; o && k < op->dep_count; k++) {
        const rt_op *d = op->dep[k];
        add_branches(o, d->order);
        if (is_stream_op(d)) {
            add_branch(o, d->branch, place_of(d));
        }
    }
    uint32_t n = 0;
    for (uint32_t k = 0; o && k < o->count; k++) {
        if (o->of[k].seq >= o->all) {
            o->of[n++] = o->of[k];
        }
    }
    if (o) {
        o->count = n;
    }
    return o;
}

void rt_order_of_issued_op(rt_op *op)
{
    if (order_is_kept()) {
        op->order = preceding_ops_of(op);
    }
}

void rt_order_host_waited(rt_op *op, bool all)
{
    if (!order_is_kept()) {
        return;
    }
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
        add_branches(rt.queue.host_order, op->order);
    }
}

static bool order_covers(const rt_preceding_ops *o, const rt_op *op)
{
    return o && (op->seq < o->all || place_of(op) <= ordered_up_to(o, op->branch));
}

bool rt_order_precedes(const rt_op *a, const rt_op *b)
{
    return !b->order || order_covers(b->order, a) ||
           (a->branch == b->branch && place_of(a) < place_of(b));
}

bool rt_order_host_has_seen(const rt_op *op)
{
    return order_covers(rt.queue.host_order, op);
}
