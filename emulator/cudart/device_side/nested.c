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
#include "../checks/checks.h"
#include "../core/recorder.h"

#include <stdlib.h>
#include <string.h>

void *nested_list_append(void **of, uint32_t *count, uint32_t *room, size_t size)
{
    if (*count == *room) {
        const uint32_t more = *room ? *room * 2 : 16;
        void *grown = realloc(*of, more * size);
        if (!grown) {
            return NULL;
        }
        *of = grown;
        *room = more;
    }
    void *new = (char *)*of + (*count)++ *size;
    return memset(new, 0, size);
}

void rt_nested_free(rt_nested *n)
{
    for (uint32_t i = 0; i < n->work.count; i++) {
        if (n->work.of[i].kind == NESTED_KERNEL) {
            free(n->work.of[i].launch.params);
        }
    }
    for (uint32_t i = 0; i < n->strings.count; i++) {
        sm_heap_free(n->strings.of[i].address);
    }
    free(n->work.of);
    free(n->lanes.of);
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

/* Maximum number of grids that run concurrently on the device. There may be tens of thousands of
 * NULL streams and fire-and-forget launches; beyond this number each launch waits for an earlier
 * one. */
#define MAX_CONCURRENT_GRIDS 128u

/* --- queueing --------------------------------------------------------------------------------- */

/* State while the work that a kernel requested is being queued. */
typedef struct issue_state {
    rt_nested *nested; /* the requests */
    rt_op *parent;     /* operation of the kernel that made them: all their work depends on it */
    rt_stream lane;    /* temporary stream into which the work is queued */
    rt_op *after;      /* operation on which the next operation of `lane` depends */
    rt_op **end;       /* [nested->work.count] the last operation queued for each request */
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
    const bool tail = q->nested->lanes.of[w->lane].tail;
    rt_op *op = rt_queue_op(&q->lane, RT_EVENT_WAIT, 0, q->parent);
    if (op) {
        op->since = tail ? after : q->parent;
        op->issued = rt.profile.device_launch_us * 1e3 + (tail ? 0 : w->issued);
    }
    return op;
}

static cudaError_t queue_nested_work(issue_state *q, uint32_t index)
{
    nested_work *w = &q->nested->work.of[index];
    nested_stream *lane = &q->nested->lanes.of[w->lane];
    q->lane.request = index + 1;
    const bool begins = !lane->end && !lane->named;
    rt_op **recent = &q->recent[begins ? q->begun++ % MAX_CONCURRENT_GRIDS : 0];
    rt_op *after = lane->end ? lane->end : begins && *recent ? *recent : q->parent;
    q->after = after;
    q->lane.after = &q->after;
    q->lane.after_count = 1;
    q->lane.last = NULL;
    const nested_copy *b = &w->box;
    cudaError_t e = cudaSuccess;
    switch (w->kind) {
    case NESTED_KERNEL:
        q->after = add_kernel_arrival(q, w, after);
        if (!q->after) {
            e = cudaErrorMemoryAllocation;
            break;
        }
        e = rt_launch_queue(&w->launch, &q->lane);
        w->launch.params = NULL;
        break;
    case NESTED_COPY:
        e = rt_queue_copy("a copy by a kernel", b->dst, b->src, b->width, b->height, 1, b->kind,
                          &q->lane, true);
        break;
    case NESTED_FILL:
        e = rt_queue_fill("a fill by a kernel", b->dst, b->value, 1, b->width, b->height, 1,
                          &q->lane, true);
        break;
    case NESTED_EVENT_RECORD:
        q->lane.last = after;
        break;
    case NESTED_EVENT_WAIT:
        q->lane.last = rt_queue_op(&q->lane, RT_EVENT_WAIT, 0, q->end[w->event]);
        e = q->lane.last ? cudaSuccess : cudaErrorMemoryAllocation;
        break;
    }
    if (!e && q->lane.last) {
        lane->end = q->lane.last;
    }
    if (begins) {
        *recent = lane->end;
    }
    q->end[index] = lane->end ? lane->end : q->parent;
    return e;
}

/* Collect the last operations of all lanes in *TO so that blocks run in order and, within a block,
 * the newest lane runs first. Returns their number. */
static uint32_t collect_last_ops_of_streams(const rt_nested *n, rt_op **to)
{
    uint32_t count = 0;
    for (uint32_t first = 0, next; first < n->lanes.count; first = next) {
        for (next = first;
             next < n->lanes.count && n->lanes.of[next].block == n->lanes.of[first].block;) {
            next++;
        }
        for (uint32_t k = next; k-- > first;) {
            if (n->lanes.of[k].end) {
                to[count++] = n->lanes.of[k].end;
            }
        }
    }
    return count;
}

/* Queue the work of the grid before OP: its tail launches if TAIL, else all other work. */
static cudaError_t queue_all_nested(rt_nested *n, rt_op *op, bool tail)
{
    const uint64_t stream = op->stream;
    issue_state q = {.nested = n,
                     .lane = {.id = stream, .lane = true, .inside = op},
                     .end = calloc(n->work.count, sizeof *q.end)};
    rt_op **ends = calloc(n->lanes.count, sizeof *ends);
    cudaError_t e = q.end && ends ? cudaSuccess : cudaErrorMemoryAllocation;
    rt_queue_insert_before(op);
    q.lane.after = op->dep;
    q.lane.after_count = op->dep_count;
    q.parent = e ? NULL : rt_queue_op(&q.lane, RT_EVENT_WAIT, 0, NULL);
    e = !e && !q.parent ? cudaErrorMemoryAllocation : e;
    for (uint32_t k = 0; k < n->lanes.count; k++) {
        n->lanes.of[k].end = NULL;
    }
    for (uint32_t k = 0; !e && k < n->work.count; k++) {
        if (n->lanes.of[n->work.of[k].lane].tail == tail) {
            e = queue_nested_work(&q, k);
        }
    }
    if (!e) {
        q.lane.after = ends;
        q.lane.after_count = collect_last_ops_of_streams(n, ends);
        rt_op *end = rt_queue_op(&q.lane, RT_EVENT_WAIT, 0, q.parent);
        if (end) {
            rt_op_set_dependency(op, end);
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    if (e && q.parent) {
        rt_queue_cancel_after(q.parent);
    }
    rt_queue_end_insertion(op);
    free(q.end);
    free(ends);
    return e;
}

/* The first call queues the work that the grid's threads requested; the second call queues its tail
 * launches. */
static bool queue_nested_when_done(rt_op *op)
{
    rt_nested *n = *(rt_nested **)op->data;
    while (n->work.count && n->asked < 2) {
        const bool tail = n->asked++ == 1;
        bool any = false;
        for (uint32_t k = 0; k < n->work.count && !any; k++) {
            any = n->lanes.of[n->work.of[k].lane].tail == tail;
        }
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
    rt_op *end = rt_queue_op(s, RT_EVENT_WAIT, sizeof(rt_nested *), s->lane ? op : NULL);
    if (!end) {
        return false;
    }
    *(rt_nested **)end->data = n;
    n->op = op->id;
    end->kernel = rt_op_ref(op);
    op->makes_requests = true;
    end->decide = queue_nested_when_done;
    end->dispose = dispose_nested_op;
    return true;
}
