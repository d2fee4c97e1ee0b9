/* Queues the work that kernels requested.
 *
 * After a kernel that may launch kernels, the queue holds a second operation, which ends when all
 * requested work is done. Its `decide` callback is called once the kernel has ended, and queues the
 * work before it. Nested launches are queued in the same way, so a grid is complete only when its
 * children are complete.
 *
 * The NULL stream of each block, each stream that device code created, and each fire-and-forget
 * launch depend only on the parent. Blocks run in order. Within a block, the operation issued last
 * runs first among the runnable ones, as in queue_run.c, so that a missing dependency shows. */
#include "nested.h"

#include "../../sm/heap.h"
#include "../code/launch.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "../memory/copy.h"

#include <stdlib.h>
#include <string.h>

void rt_nested_free(rt_nested *n)
{
    for (uint32_t i = 0; i < n->work.count; i++)
        if (n->work.of[i].kind == NESTED_KERNEL)
            free(n->work.of[i].launch.params);
    for (uint32_t i = 0; i < n->strings.count; i++)
        sm_heap_free(n->strings.of[i].address);
    free(n->work.of);
    free(n->streams.of);
    free(n->events.of);
    free(n->errors.of);
    free(n->strings.of);
    free(n);
}

static void dispose_nested_op(rt_op *op)
{
    rt_nested *n = *(rt_nested **)op->data;
    RT_CALL_RECORDER(nested_done, n->op);
    rt_nested_free(n);
}

/* Maximum number of grids that run at the same time. There may be tens of thousands of NULL streams
 * and fire-and-forget launches; beyond this number each launch waits for an earlier one. */
#define MAX_CONCURRENT_GRIDS 128u

/* --- queueing --------------------------------------------------------------------------------- */

/* State while the work that a kernel requested is being queued. */
typedef struct issue_state {
    rt_nested *nested;   /* the requests */
    rt_op *parent;       /* operation of the kernel that made them: all their work depends on it */
    rt_stream temporary; /* temporary stream into which the work is queued */
    rt_op *after;        /* operation on which the next operation of `temporary` depends */
    rt_op **end;         /* [nested->work.count] the last operation queued for each request */
    /* Unnamed streams: NULL streams of blocks, and fire-and-forget launches. */
    rt_op *recent[MAX_CONCURRENT_GRIDS]; /* last operations of the newest unnamed streams */
    uint32_t begun;                      /* number of unnamed streams begun so far */
} issue_state;

/* Queue an operation that marks when a launch reaches the device: after the parent's end, or, for a
 * tail launch, after the work before it. On a GPU, children start while the parent is still
 * launching. The emulator starts children after the parent ends, and counts the launch time of the
 * parent's threads from the parent's end, which gives the same total. */
static rt_op *add_kernel_arrival(issue_state *q, const nested_work *w, rt_op *after)
{
    const bool tail = q->nested->streams.of[w->stream].tail;
    rt_op *op = rt_queue_op(&q->temporary, RT_EVENT_WAIT, 0, q->parent);
    if (op) {
        op->since = tail ? after : q->parent;
        op->issued = rt.profile.device_launch_us * 1e3 + (tail ? 0 : w->issued);
    }
    return op;
}

static cudaError_t queue_nested_work(issue_state *q, uint32_t index)
{
    nested_work *w = &q->nested->work.of[index];
    nested_stream *stream = &q->nested->streams.of[w->stream];
    q->temporary.request = index + 1;
    const bool begins = !stream->end && !stream->named;
    rt_op **recent = &q->recent[begins ? q->begun++ % MAX_CONCURRENT_GRIDS : 0];
    rt_op *after = stream->end ? stream->end : begins && *recent ? *recent : q->parent;
    q->after = after;
    q->temporary.after = &q->after;
    q->temporary.after_count = 1;
    q->temporary.last = NULL;
    const nested_copy *b = &w->box;
    cudaError_t e = cudaSuccess;
    switch (w->kind) {
    case NESTED_KERNEL:
        q->after = add_kernel_arrival(q, w, after);
        if (!q->after) {
            e = cudaErrorMemoryAllocation;
            break;
        }
        e = rt_launch_queue(&w->launch, &q->temporary);
        w->launch.params = NULL;
        break;
    case NESTED_COPY:
        e = rt_queue_copy("a copy by a kernel", b->dst, b->src, b->width, b->height, 1, b->kind,
                          &q->temporary, true);
        break;
    case NESTED_FILL:
        e = rt_queue_fill("a fill by a kernel", b->dst, b->value, 1, b->width, b->height, 1,
                          &q->temporary, true);
        break;
    case NESTED_EVENT_RECORD: q->temporary.last = after; break;
    case NESTED_EVENT_WAIT:
        q->temporary.last = rt_queue_op(&q->temporary, RT_EVENT_WAIT, 0, q->end[w->event]);
        e = q->temporary.last ? cudaSuccess : cudaErrorMemoryAllocation;
        break;
    }
    if (!e && q->temporary.last)
        stream->end = q->temporary.last;
    if (begins)
        *recent = stream->end;
    q->end[index] = stream->end ? stream->end : q->parent;
    return e;
}

/* Collect the last operations of all streams in *TO so that blocks run in order and, within a
 * block, the newest stream runs first. Returns their number. */
static uint32_t collect_last_ops_of_streams(const rt_nested *n, rt_op **to)
{
    uint32_t count = 0;
    for (uint32_t first = 0, next; first < n->streams.count; first = next) {
        for (next = first;
             next < n->streams.count && n->streams.of[next].block == n->streams.of[first].block;)
            next++;
        for (uint32_t k = next; k-- > first;)
            if (n->streams.of[k].end)
                to[count++] = n->streams.of[k].end;
    }
    return count;
}

/* Queue the work of the grid before OP: its tail launches if TAIL, else all other work. */
static cudaError_t queue_all_nested(rt_nested *n, rt_op *op, bool tail)
{
    const uint64_t stream = op->stream;
    issue_state q = {.nested = n,
                     .temporary = {.id = stream, .temporary = true, .inside = op},
                     .end = calloc(n->work.count, sizeof *q.end)};
    rt_op **ends = calloc(n->streams.count, sizeof *ends);
    cudaError_t e = q.end && ends ? cudaSuccess : cudaErrorMemoryAllocation;
    rt_queue_insert_before(op);
    q.temporary.after = op->dep;
    q.temporary.after_count = op->dep_count;
    q.parent = e ? NULL : rt_queue_op(&q.temporary, RT_EVENT_WAIT, 0, NULL);
    e = !e && !q.parent ? cudaErrorMemoryAllocation : e;
    for (uint32_t k = 0; k < n->streams.count; k++)
        n->streams.of[k].end = NULL;
    for (uint32_t k = 0; !e && k < n->work.count; k++)
        if (n->streams.of[n->work.of[k].stream].tail == tail)
            e = queue_nested_work(&q, k);
    if (!e) {
        q.temporary.after = ends;
        q.temporary.after_count = collect_last_ops_of_streams(n, ends);
        rt_op *end = rt_queue_op(&q.temporary, RT_EVENT_WAIT, 0, q.parent);
        if (end)
            rt_op_set_dependency(op, end);
        else
            e = cudaErrorMemoryAllocation;
    }
    if (e && q.parent)
        rt_queue_cancel_after(q.parent);
    rt_queue_end_insertion(op);
    free(q.end);
    free(ends);
    return e;
}

/* Called when the kernel has ended, and again when the queued work has ended: first queues the work
 * that the kernel's threads requested, then their tail launches. */
static bool queue_nested_when_done(rt_op *op)
{
    rt_nested *n = *(rt_nested **)op->data;
    while (n->work.count && n->asked < 2) {
        const bool tail = n->asked++ == 1;
        bool any = false;
        for (uint32_t k = 0; k < n->work.count && !any; k++)
            any = n->streams.of[n->work.of[k].stream].tail == tail;
        if (any) {
            op->fault = queue_all_nested(n, op, tail);
            return !op->fault;
        }
    }
    return false;
}

rt_nested *rt_nested_new(const rt_launch *l)
{
    rt_nested *n = calloc(1, sizeof *n);
    if (n) {
        n->module = l->kernel->module;
        n->depth = l->depth;
        n->blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    }
    return n;
}

bool rt_nested_queue(rt_nested *n, rt_op *op, rt_stream *s)
{
    rt_op *end = rt_queue_op(s, RT_EVENT_WAIT, sizeof(rt_nested *), s->temporary ? op : NULL);
    if (!end)
        return false;
    *(rt_nested **)end->data = n;
    n->op = op->id;
    end->kernel = rt_op_ref(op);
    op->makes_requests = true;
    end->decide = queue_nested_when_done;
    end->dispose = dispose_nested_op;
    return true;
}
