/* Issues the operations of streams with their dependencies, and gives modelled times once they have
 * run. An operation does not run when it is issued: queue_run.c runs it when the program waits. */
#include "queue.h"

#include "order.h"

#include "../checks/checks.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "idle.h"
#include "op_times.h"

#include <stdlib.h>

/* Maximum number of queued operations: a full launch queue makes the host wait, as on a GPU. */
#define MAX_QUEUED_OPS 1024u

rt_op *rt_queue_first_op(void)
{
    return rt.queue.head;
}

uint64_t rt_issued_count(void)
{
    return rt.queue.next_seq;
}

rt_op *rt_op_ref(rt_op *op)
{
    if (op)
        op->refs++;
    return op;
}

static void drop_dependencies(rt_op *op)
{
    uint32_t n = op->dep_count;
    op->dep_count = 0;
    for (uint32_t i = 0; i < n; i++)
        rt_op_unref(op->dep[i]);
    free(op->dep);
    op->dep = NULL;
}

void rt_op_drop_data(rt_op *op)
{
    if (op->data) {
        if (op->dispose)
            op->dispose(op);
        free(op->data);
        op->data = NULL;
    }
}

void rt_op_unref(rt_op *op)
{
    if (op && --op->refs == 0) {
        rt_op_drop_data(op);
        drop_dependencies(op);
        rt_op_unref(op->inside);
        rt_op_unref(op->kernel);
        free(op->by);
        free(op->order);
        free(op);
    }
}

static void add_dependency(rt_op *op, rt_op *on)
{
    if (on)
        op->dep[op->dep_count++] = rt_op_ref(on);
}

/* Create an operation with space for DEPS dependencies and append it to the list. */
static rt_op *allocate_op(rt_op_kind kind, size_t bytes, uint32_t deps)
{
    rt_op *op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->dep = malloc(deps * sizeof(void *));
    op->data = bytes ? calloc(1, bytes) : NULL;
    if (!op->dep || (bytes && !op->data)) {
        free(op->dep);
        free(op->data);
        free(op);
        return NULL;
    }
    op->seq = rt.queue.next_seq++;
    op->id = ++rt.queue.made;
    op->kind = kind;
    op->refs = 1; /* the reference held by the list of operations */
    *rt.queue.tail = op;
    rt.queue.tail = &op->next;
    rt.queue.untimed++;
    return op;
}

/* The branch number of OP in a graph launch. The first operation that depends on the last one of a
 * branch continues the branch; any other operation begins a new one. Graphs launched into one
 * stream run one after another, so they may use the same branch numbers. */
static uint64_t branch_number_of(rt_stream *s, const rt_op *op)
{
    for (uint32_t i = 0; i < op->dep_count; i++) {
        rt_op *d = op->dep[i];
        if (d->node && d->stream == s->id && d->inside == s->inside && !d->continued) {
            d->continued = true;
            return d->branch;
        }
    }
    return UINT64_C(1) << 63 | s->id << 24 | s->branches++;
}

/* Queue an operation in a temporary stream (rt_stream.temporary). */
static rt_op *queue_in_temporary_stream(rt_stream *s, rt_op_kind kind, size_t bytes, rt_op *extra)
{
    rt_op *op = allocate_op(kind, bytes, s->after_count + 1);
    if (op) {
        op->stream = s->id;
        op->node = true;
        op->inside = rt_op_ref(s->inside);
        op->request = s->request;
        for (uint32_t i = 0; i < s->after_count; i++)
            add_dependency(op, s->after[i]);
        add_dependency(op, extra);
        op->branch = branch_number_of(s, op);
        op->by = rt_new_position_of_call();
        rt_order_store_preceding_ops(op);
        s->last = op;
    }
    return op;
}

void rt_queue_insert_before(rt_op *op)
{
    rt.queue.saved_tail = rt.queue.tail;
    rt.queue.tail = &rt.queue.head;
    while (*rt.queue.tail != op)
        rt.queue.tail = &(*rt.queue.tail)->next;
    *rt.queue.tail = NULL;
    rt.queue.insertion_point = rt.queue.tail;
}

void rt_queue_end_insertion(rt_op *op)
{
    *rt.queue.tail = op;
    rt.queue.tail = rt.queue.saved_tail;
    for (rt_op *new = *rt.queue.insertion_point; new != op; new = new->next)
        new->seq = op->seq;
}

void rt_op_set_dependency(rt_op *op, rt_op *on)
{
    rt_op_ref(on);
    if (op->extended)
        rt_op_unref(op->dep[--op->dep_count]);
    op->extended = true;
    op->dep[op->dep_count++] = on;
}

void rt_queue_cancel_after(rt_op *last_kept)
{
    for (rt_op *op = last_kept->next; op; op = op->next) {
        op->run = NULL;
        op->decide = NULL;
        op->state = RT_DONE;
        rt_op_drop_data(op);
    }
}

/* Add the time of the host's call: the operation cannot begin before the call. An event record
 * takes effect at the end of its call. */
static void set_issue_time(rt_op *op)
{
    const device_profile *p = &rt.profile;
    double ns = 0;
    switch (op->kind) {
    case RT_KERNEL: ns = p->call_launch_us * 1e3; break;
    case RT_COPY_H2D:
    case RT_COPY_D2H: ns = p->call_copy_us * 1e3; break;
    case RT_EVENT_RECORD: ns = p->call_record_us * 1e3; break;
    default: break;
    }
    op->since = rt.queue.host_last;
    op->issued = rt.queue.host_ns + (op->kind == RT_EVENT_RECORD ? ns : 0);
    rt.queue.host_ns += ns;
}

rt_op *rt_queue_op(rt_stream *s, rt_op_kind kind, size_t bytes, rt_op *extra)
{
    if (s->temporary)
        return queue_in_temporary_stream(s, kind, bytes, extra);
    const rt_stream *legacy = rt_legacy_stream();
    rt_op_ref(extra); /* EXTRA may otherwise be freed: its event may be recorded again while
                         rt_finish_all runs work */
    if (rt.queue.untimed >= MAX_QUEUED_OPS && !rt_this_thread_runs_op())
        rt_finish_all();
    rt_op *op = allocate_op(kind, bytes, 5 + (s == legacy ? rt_stream_count() : 0));
    if (!op) {
        rt_op_unref(extra);
        return NULL;
    }
    op->stream = op->branch = s->id;
    op->by = rt_new_position_of_call();
    rt_note_issued_work(op);
    set_issue_time(op);
    add_dependency(op, s->last);
    add_dependency(op, rt.queue.host_last);
    add_dependency(op, extra);
    rt_op_unref(extra);
    rt_start_idle_thread();
    if (s == legacy) {
        for (rt_stream *t = rt_first_stream(); t; t = t->next)
            if (t != s && rt_stream_syncs_with_default(t))
                add_dependency(op, t->last);
    } else if (rt_stream_syncs_with_default(s)) {
        add_dependency(op, legacy->last);
    }
    rt_order_store_preceding_ops(op);
    rt_op_unref(s->last);
    s->last = rt_op_ref(op);
    return op;
}

void rt_queue_assign_times(void)
{
    size_t n = 0;
    for (rt_op *op = rt.queue.head; op && op->state == RT_DONE; op = op->next)
        n++;
    if (!n)
        return;
    rt_op **batch = malloc(n * sizeof(void *));
    if (!batch)
        return; /* the host is out of memory: tried again at the next call */
    size_t i = 0;
    while (i < n) {
        batch[i++] = rt.queue.head;
        rt.queue.head = rt.queue.head->next;
    }
    if (!rt.queue.head)
        rt.queue.tail = &rt.queue.head;
    rt.queue.untimed -= (uint32_t)n;
    rt_clock_set_times(batch, n);
    RT_CALL_RECORDER(settled, batch, n);
    for (i = 0; i < n; i++) {
        batch[i]->next = NULL;
        drop_dependencies(batch[i]);
    }
    for (i = 0; i < n; i++)
        rt_op_unref(batch[i]);
    free(batch);
}

void rt_queue_host_wait(rt_op *on)
{
    rt_op *op = allocate_op(RT_HOST_WAIT, 0, 1 + (on ? 1 : rt_stream_count()));
    if (!op)
        return;
    op->state = RT_DONE;
    set_issue_time(op);
    add_dependency(op, rt.queue.host_last);
    if (on)
        add_dependency(op, on);
    else
        for (rt_stream *s = rt_first_stream(); s; s = s->next)
            add_dependency(op, s->last);
    op->all = !on;
    rt_order_host_waited(op, !on);
    rt_op_unref(rt.queue.host_last);
    rt.queue.host_last = rt_op_ref(op);
    rt.queue.host_ns = 0;
    rt_note_wait_of_host(false);
    RT_CALL_RECORDER(waited);
}
