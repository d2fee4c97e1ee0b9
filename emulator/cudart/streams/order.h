/* Which operations precede which, in whatever order they happen to run: determined by streams,
 * events and the host's waits (Programming Guide, "Asynchronous Concurrent Execution"). Kept only
 * if WARPBOOK_SANITIZE selects the kinds race or host. Call with the runtime's lock held. */
#pragma once

#include "../core/call.h"
#include "op.h"

/* The operations that precede an operation: all operations with an issue number (rt_op.seq) up to
 * `all`, and of each branch in the list the operations up to that branch's `seq`. This is a vector
 * clock whose components are streams, and within graphs chains of nodes (rt_op.branch). */
typedef struct rt_preceding_ops {
    uint64_t all;   /* the host has waited for all operations up to this rt_op.seq */
    uint32_t count; /* number of entries in `of` */
    struct rt_branch_order {
        uint64_t branch; /* id of the branch (rt_op.branch) */
        uint64_t seq;    /* issue number of the branch's last operation that precedes */
    } of[];              /* [count] one entry for each branch */
} rt_preceding_ops;

/* All dependencies of OP are known: store in OP which operations precede it. */
void rt_order_store_preceding_ops(rt_op *op);
/* The host has waited for the dependencies of OP, or, if ALL, for all issued operations. OP is the
 * RT_HOST_WAIT operation that records the wait. */
void rt_order_host_waited(rt_op *op, bool all);

/* Does A precede B? Returns true if the order is not known. */
bool rt_order_precedes(const rt_op *a, const rt_op *b);
/* Has the host waited for OP, or for an operation that follows OP? */
bool rt_order_host_has_waited_for(const rt_op *op);
