/* The additional time of a launch whose blocks and warps do unequal amounts of work. */
#ifndef WARPBOOK_TIMING_UNEVEN_H
#define WARPBOOK_TIMING_UNEVEN_H

#include "../counters/work.h"

/* Properties of a launch, computed as if all warps did equal work; in ns unless stated otherwise.
 */
typedef struct uneven_launch {
    double places; /* largest number of blocks resident on the whole device */
    double sms;    /* number of SMs that have a block */
    double start;  /* time in ns that each block needs in addition, whatever its work */
    /* Time of a warp: its chain of dependent results, and its waiting for L2 and DRAM. */
    double chain, far; /* ns of the chain of dependent results; ns of waiting for L2 and DRAM */
    double issue;      /* busy time of one SM's schedulers and execution units, for all blocks */
    double requests;   /* busy time of one SM's L1 and its path to L2, for all blocks */
    double memory;     /* busy time of L2 and DRAM, for all blocks */
} uneven_launch;

/* The additional time of launch L in ns, if a launch with equal work takes BUSY; 0 if the work W is
 * equal. */
double uneven_extra_time(const uneven_launch *l, const launch_work *w, double busy);

#endif
