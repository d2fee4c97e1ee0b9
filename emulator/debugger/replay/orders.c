/* The order of a recording's operations, for the check of races between operations of different
 * streams (cudart/checks/streams.c). The records `timed`, which follow the operations whose order
 * they give, are read before anything is repeated. */
#include "../../cudart/checks/checks.h"
#include "../../cudart/core/state.h"
#include "../../cudart/streams/order.h"
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a graph are ordered only by their dependencies, so each gets its own branch. */
#define GRAPH_NODE_BRANCH_BIT (UINT64_C(1) << 63)

/* Add the operation of record X to the order; those that it depends on have been added. */
static bool add_ordered_operation(replay *r, const rec_timed *x)
{
    replay_op *o = replay_add_op(r, x->op);
    rt_op *op = o ? &o->op : NULL;
    if (!op || !(op->dep = calloc(x->after.count + 1, sizeof *op->dep)))
        return false;
    op->kind = (rt_op_kind)x->kind;
    op->seq = x->seq;
    op->stream = x->stream;
    op->node = x->node;
    op->branch = x->node ? GRAPH_NODE_BRANCH_BIT | x->op : x->stream;
    op->refs = 1; /* one reference is ours, so the race check never frees the operation */
    op->by = calloc(1, sizeof *op->by);
    for (uint32_t k = 0; k < x->after.count; k++) {
        replay_op *on = replay_find_op(r, x->after.of[k]);
        if (on)
            op->dep[op->dep_count++] = &on->op;
    }
    rt_order_store_preceding_ops(op);
    free(op->dep);
    op->dep = NULL;
    op->dep_count = 0;
    return op->order && op->by;
}

/* Note that operation NUMBER was issued after the host had waited for all earlier operations. */
static void note_wait_for_all(replay *r, uint64_t number)
{
    replay_op *o = replay_find_op(r, number);
    if (o && o->op.order) {
        o->op.order->all = o->op.seq;
        o->op.order->count = 0;
    }
}

void check_order_after_value_wait(replay *r, const rec_met *x)
{
    replay_op *o = r->ordered ? replay_find_op(r, x->op) : NULL;
    if (o && o->op.order)
        rt_race_check_value_wait_done(&o->op, x->address, x->value);
}

/* Whether the recording has a record of KIND. Changes the position of the reader. */
static bool has_record(replay *r, int kind)
{
    bool has = false;
    rec_set_position(r->reader, (rec_position){0});
    for (const rec_item *i; !has && (i = rec_next_item(r->reader));)
        has = (int)i->kind == kind;
    return has;
}

bool read_order_of_operations(replay *r)
{
    if (!(rt.sanitize & SAN_RACE))
        return true;
    bool good = true;
    const bool met = has_record(
        r,
        REC_met); /* recordings before version 3 do not say which write ended a wait for a value */
    const bool old = !has_record(r, REC_waited); /* recordings of version 1 do not say what the host
                                        waited for, so treat every wait as a wait for everything */
    rec_set_position(r->reader, (rec_position){0});
    for (const rec_item *i; good && (i = rec_next_item(r->reader));) {
        if (i->kind == REC_timed) {
            const uint64_t op = i->timed.op;
            if (!met && !strcmp(i->timed.name, RT_VALUE_WAIT_NAME))
                rt_stop_race_search();
            const bool waits = old && i->timed.kind == RT_HOST_WAIT;
            good = add_ordered_operation(r, &i->timed);
            if (waits)
                note_wait_for_all(r, op);
        } else if (i->kind == REC_waited) {
            note_wait_for_all(r, i->waited.op);
        }
    }
    rt_note_replayed_streams();
    r->ordered = true;
    return good || replay_set_error(r, "the host is out of memory");
}

void copy_op_order(const rt_op *from, rt_op *to)
{
    to->seq = from->seq;
    to->branch = from->branch;
    to->refs = from->refs;
    to->by = from->by;
    to->order = from->order;
}

/* What issued operation OP: the recorded call, or, where its place is not known, CALL with the
 * operation's number, "cudaMemcpyAsync (operation 3 of the recording)". */
static void note_call_of_operation(const replay *r, const rt_op *op, const char *call)
{
    const bool known = r->call.call && r->call.recorded->line;
    char text[200];
    snprintf(text, sizeof text, "%.100s (operation %llu of the recording)", call,
             (unsigned long long)op->id);
    free((char *)(uintptr_t)op->by->call);
    *op->by = r->call;
    op->by->call = strdup(known ? r->call.call : text);
}

void check_order_before_op(replay *r, rt_op *op, const char *call)
{
    if (r->ordered && op->by) {
        note_call_of_operation(r, op, call);
        rt_race_check_op_begins(op);
    }
}

void check_order_after_op(replay *r, rt_op *op)
{
    if (r->ordered)
        rt_race_check_op_done(op);
}

void free_op_order(rt_op *op)
{
    free(op->by ? (char *)(uintptr_t)op->by->call : NULL);
    free(op->by);
    free(op->order);
}
