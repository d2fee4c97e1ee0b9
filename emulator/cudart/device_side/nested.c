/* Launches of kernels by kernels, in the queue. Behind the operation of a kernel that may launch
 * stands another one, which ends when all is done that the kernel's threads asked for; when it is
 * asked what to wait for, the kernel has ended, and it puts the launches before itself. So a launch
 * of a launch has its own, and a grid is done when its children are.
 *
 * A block's stream without a name, each named stream and each launch that is fired and forgotten
 * depend on nothing but the parent. Blocks come in order; within a block, of what may run, what was
 * issued last goes first, as in queue.c, so that a missing dependency shows. */
#include "nested.h"

#include "../../sm/heap.h"

#include <stdlib.h>
#include <string.h>

void *nested_more(void **of, uint32_t *count, uint32_t *room, size_t size)
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

static void release(rt_op *op)
{
    rt_nested *n = *(rt_nested **)op->data;
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

/* As many grids run at once as the device takes: the streams without names, of which there may be
 * tens of thousands, wait for one another where there are more. */
#define AT_ONCE 128u

/* --- into the queue ----------------------------------------------------------------------------
 */

typedef struct issue {
    rt_nested *nested;
    rt_op *parent; /* what all come after */
    rt_stream lane;
    rt_op *after;           /* what the next operation of the lane comes after */
    rt_op **end;            /* [work.count]: of each piece of work that is in the queue */
    rt_op *recent[AT_ONCE]; /* ends of the streams without names that began last */
    uint32_t begun;
} issue;

/* When a launch gets to the device: behind the parent's end, or for a tail launch behind what is
 * before it. On a GPU children begin while their parent still launches others; the time that its
 * threads take for that is counted from its end here, which comes to the same. */
static rt_op *arrive(issue *q, const nested_work *w, rt_op *after)
{
    const bool tail = q->nested->lanes.of[w->lane].tail;
    rt_op *op = rt_queue(&q->lane, RT_WAIT, 0, q->parent);
    if (op) {
        op->since = tail ? after : q->parent;
        op->issued = rt.profile.device_launch_us * 1e3 + (tail ? 0 : w->issued);
    }
    return op;
}

static cudaError_t issue_one(issue *q, uint32_t index)
{
    nested_work *w = &q->nested->work.of[index];
    nested_lane *lane = &q->nested->lanes.of[w->lane];
    const bool begins = !lane->end && !lane->named;
    rt_op **recent = &q->recent[begins ? q->begun++ % AT_ONCE : 0];
    rt_op *after = lane->end ? lane->end : begins && *recent ? *recent : q->parent;
    q->after = after;
    q->lane.after = &q->after;
    q->lane.after_count = 1;
    q->lane.last = NULL;
    const nested_box *b = &w->box;
    cudaError_t e = cudaSuccess;
    switch (w->kind) {
    case NESTED_KERNEL:
        q->after = arrive(q, w, after);
        if (!q->after) {
            e = cudaErrorMemoryAllocation;
            break;
        }
        e = rt_launch_queue(&w->launch, &q->lane);
        w->launch.params = NULL;
        break;
    case NESTED_COPY:
        e = rt_copy("a copy by a kernel", b->dst, b->src, b->width, b->height, 1, b->kind, &q->lane,
                    true);
        break;
    case NESTED_FILL:
        e = rt_fill("a fill by a kernel", b->dst, b->value, 1, b->width, b->height, 1, &q->lane,
                    true);
        break;
    case NESTED_RECORD:
        q->lane.last = after;
        break;
    case NESTED_WAIT:
        q->lane.last = rt_queue(&q->lane, RT_WAIT, 0, q->end[w->event]);
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

/* Ends of lanes in the order in which they are to run: blocks upwards, in a block the newest first.
 */
static uint32_t ends_in_order(const rt_nested *n, rt_op **to)
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

/* Put the work of the grid, or what comes behind all of it, into the queue before OP. */
static cudaError_t issue_all(rt_nested *n, rt_op *op, bool tail)
{
    const uint64_t stream = op->stream;
    issue q = {.nested = n,
               .lane = {.id = stream, .lane = true},
               .end = calloc(n->work.count, sizeof *q.end)};
    rt_op **ends = calloc(n->lanes.count, sizeof *ends);
    cudaError_t e = q.end && ends ? cudaSuccess : cudaErrorMemoryAllocation;
    rt_queue_before(op);
    q.lane.after = op->dep;
    q.lane.after_count = op->dep_count;
    q.parent = e ? NULL : rt_queue(&q.lane, RT_WAIT, 0, NULL);
    e = !e && !q.parent ? cudaErrorMemoryAllocation : e;
    for (uint32_t k = 0; k < n->lanes.count; k++) {
        n->lanes.of[k].end = NULL;
    }
    for (uint32_t k = 0; !e && k < n->work.count; k++) {
        if (n->lanes.of[n->work.of[k].lane].tail == tail) {
            e = issue_one(&q, k);
        }
    }
    if (!e) {
        q.lane.after = ends;
        q.lane.after_count = ends_in_order(n, ends);
        rt_op *end = rt_queue(&q.lane, RT_WAIT, 0, q.parent);
        if (end) {
            rt_op_wait(op, end);
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    if (e && q.parent) {
        rt_queue_cancel(q.parent);
    }
    rt_queue_resume(op);
    free(q.end);
    free(ends);
    return e;
}

/* First what the grid's threads launched, then what is to be done behind all that. */
static bool decide(rt_op *op)
{
    rt_nested *n = *(rt_nested **)op->data;
    while (n->work.count && n->asked < 2) {
        const bool tail = n->asked++ == 1;
        bool any = false;
        for (uint32_t k = 0; k < n->work.count && !any; k++) {
            any = n->lanes.of[n->work.of[k].lane].tail == tail;
        }
        if (any) {
            op->fault = issue_all(n, op, tail);
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
    rt_op *end = rt_queue(s, RT_WAIT, sizeof(rt_nested *), s->lane ? op : NULL);
    if (!end) {
        return false;
    }
    *(rt_nested **)end->data = n;
    end->decide = decide;
    end->dispose = release;
    return true;
}
