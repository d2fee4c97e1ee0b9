/* Barriers of a block. */
#ifndef WARPBOOK_BARRIER_H
#define WARPBOOK_BARRIER_H

#include "../core/sched.h"

/* What a barrier instruction does: values of field `mode` of its sm_insn. */
enum {
    SM_BAR_SYNC,     /* bar.sync: arrive and wait */
    SM_BAR_ARRIVE,   /* bar.arrive: arrive without waiting */
    SM_BAR_RED_POPC, /* bar.red.popc: wait, and count the threads whose predicate is true */
    SM_BAR_RED_AND,  /* bar.red.and: wait; is the predicate true in all threads? */
    SM_BAR_RED_OR    /* bar.red.or: wait; is the predicate true in any thread? */
};

enum {
    SM_BAR_COUNT = 16,                   /* number of barriers of a block */
    SM_CLUSTER_BARRIER_ID = SM_BAR_COUNT /* barrier number that stands for the cluster's barrier */
};

typedef struct sm_barrier {
    uint32_t arrived;  /* number of threads that have arrived; at a barrier with a thread count,
                          exited lanes of arriving warps are included */
    uint32_t expected; /* number of threads expected; 0: all threads that have not exited */
    uint32_t ones;     /* threads that arrived with a true predicate */
    uint32_t voters;   /* threads that arrived with a predicate */
    uint32_t waiting;  /* number of threads that wait */
} sm_barrier;

struct sm_barriers {
    uint32_t live;              /* number of threads that have not exited */
    uint32_t open;              /* bit k: some threads have arrived at barrier b[k] */
    sm_barrier b[SM_BAR_COUNT]; /* the barriers, by number */
};

/* The running lanes of W arrive at barrier ID with instruction I. ONES of VOTERS threads have a
 * true predicate. WAIT: the lanes wait there. Releases the barrier if this arrival completes it. */
void sm_barrier_arrive(sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected, uint32_t ones,
                       uint32_t voters, bool wait);
/* Tell the barriers of the block that LANES of W have exited. */
void sm_barrier_lanes_exit(sm_warp *w, uint32_t lanes);

#endif
