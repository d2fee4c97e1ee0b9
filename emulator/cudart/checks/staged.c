/* Reports asynchronous copies from pageable memory that a host function of the stream fills: such a
 * copy reads its source before the function runs (Runtime API, "API synchronization behavior"). */
#include "../core/recorder.h"
#include "../core/state.h"
#include "../streams/order.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_WATCHED = 16, COMPARED_BYTES = 4096 };

/* The copies that follow the running host function and still have the source that they read. */
static __thread struct {
    const rt_op *copy[MAX_WATCHED];
    uint32_t count;
} watched;

/* Is the first part of the source of OP, a copy from pageable memory, what OP has read? The program
 * may have freed the source, so it is read by a call that fails then. */
static bool has_its_source(const rt_op *op)
{
    uint8_t now[COMPARED_BYTES];
    rt_op_info t = {0};
    op->describe(op, &t);
    const size_t n = t.width < sizeof now ? t.width : sizeof now;
    const struct iovec to = {now, n}, from = {(void *)(uintptr_t)t.from.base, n};
    return t.action == RT_ACTION_COPY && t.staged &&
           process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n &&
           memcmp(now, t.staged, n) == 0;
}

void rt_watch_staged_copies(const rt_op *function)
{
    watched.count = 0;
    for (const rt_op *op = rt.sanitize & SAN_HOST ? function->next : NULL;
         op && watched.count < MAX_WATCHED; op = op->next)
        if (op->kind == RT_COPY_H2D && op->by && op->describe && op->state == RT_PENDING &&
            op->order && rt_order_precedes(function, op) && has_its_source(op))
            watched.copy[watched.count++] = op;
}

static void report_stale_copy(const rt_op *op, const rt_op *function)
{
    san_finding f = {.kind = "host",
                     .other_did = "the host function is queued here",
                     .fix = "use pinned memory (cudaMallocHost), which the copy reads when it runs",
                     .chapter = CHAPTER_STREAMS};
    san_call_position_of(op->by, &f.at);
    san_call_position_of(function->by, &f.other);
    snprintf(
        f.sentence, sizeof f.sentence,
        "%s has read its source, pageable memory, when it was called: it copies what was there "
        "before the host function that precedes it in the stream changed it",
        op->by->call ? op->by->call : "this copy");
    rt_report_finding(&f);
}

void rt_report_stale_copies(const rt_op *function)
{
    for (uint32_t k = 0; k < watched.count && function->by; k++)
        if (!has_its_source(watched.copy[k]))
            report_stale_copy(watched.copy[k], function);
    watched.count = 0;
}
