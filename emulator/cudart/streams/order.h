/* Which operations come before which, whatever order they happen to run in: by streams, events and
 * the host's waits (Programming Guide, "Asynchronous Concurrent Execution"). Kept only where
 * mistakes of the kinds race and host are looked for. With the runtime's lock held. */
#ifndef WARPBOOK_ORDER_H
#define WARPBOOK_ORDER_H

#include "../cudart.h"

/* What comes before an operation: all that was issued before ALL, and of each branch in the list
 * what was issued up to there. A vector clock whose components are streams, and within graphs
 * chains of nodes (rt_op.branch). */
typedef struct rt_order {
    uint64_t all; /* the host has waited for all operations up to this rt_op.seq */
    uint32_t count;
    struct rt_order_of {
        uint64_t branch, seq;
    } of[];
} rt_order;

/* OP has all its dependencies: note what comes before it. */
void rt_order_issued(rt_op *op);
/* The host has waited: for what OP depends on, or (ALL) for all that has been issued. OP is the
 * RT_HOST_WAIT that records it. */
void rt_order_host_waited(rt_op *op, bool all);

/* Does A come before B? True where it is not known. */
bool rt_order_before(const rt_op *a, const rt_op *b);
/* Has the host waited for OP, itself or by way of what comes after it? */
bool rt_order_seen(const rt_op *op);

#endif
