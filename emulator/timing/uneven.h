/* How much longer a launch takes because its blocks and warps have unlike amounts to do. */
#ifndef WARPBOOK_TIMING_UNEVEN_H
#define WARPBOOK_TIMING_UNEVEN_H

#include "../counters/work.h"

/* What the model knows of the launch, had all of its warps done the same; ns. */
typedef struct uneven_launch {
    double places;     /* blocks that are resident at once on the whole device */
    double sms;        /* SMs that have one */
    double start;      /* what a block takes whatever its warps do */
    double chain, far; /* of a warp: its own chain of results, and what it waits for L2 and DRAM */
    double issue;      /* of one SM, for all blocks: schedulers and what they feed */
    double requests;   /* of one SM, for all blocks: L1 and the way to L2 */
    double memory;     /* of the device, for all blocks: L2 and DRAM */
} uneven_launch;

/* Nanoseconds that the launch takes longer than BUSY, the time of an even one; 0 where W is even.
 */
double uneven_more(const uneven_launch *l, const launch_work *w, double busy);

#endif
