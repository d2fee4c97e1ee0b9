/* Thread block clusters (PTX ISA 5.1.6, 9.7.13.3): blocks that are resident together, reach each
 * other's shared memory and have a barrier of their own. Inside the SM. A launch without clusters
 * has one block in each.
 *
 * Addresses. The shared memory of the block with rank r begins at r << SM_RANK_SHIFT in that of the
 * cluster, in the 32-bit addresses of .shared as in the generic window, so that a block's own
 * address means the same memory in all blocks of the cluster, as it does on a GPU. */
#ifndef WARPBOOK_CLUSTER_H
#define WARPBOOK_CLUSTER_H

#include "../core/warp.h"

#define SM_CLUSTER_MOST 16 /* blocks of a cluster, where the kernel allows as many */
#define SM_RANK_SHIFT   24
#define SM_RANK_OFFSET  ((UINT64_C(1) << SM_RANK_SHIFT) - 1)

/* One host thread runs all blocks of a cluster: nothing here is shared between threads. */
typedef struct sm_cluster {
    uint32_t count;
    sm_block *block[SM_CLUSTER_MOST];
    bool over[SM_CLUSTER_MOST]; /* every thread of the block has exited */
    /* The barrier: threads that have not exited, those of them that its phase still waits for, and
     * the phase's parity. */
    uint32_t live, missing, phase;
    struct sm_flights *flights; /* asynchronous copies that are under way: flight.h */
} sm_cluster;

/* Which block has BYTES bytes at ADDRESS of the cluster's shared memory, as FROM says it (the
 * generic window taken off); *offset in its memory. NULL: none, or one that is over. */
sm_block *sm_cluster_find(const sm_block *from, uint64_t address, uint64_t bytes, uint64_t *offset);

/* Lane L's access of BYTES bytes at ADDRESS of the cluster's shared memory is to none of its
 * blocks: says why, and stops the launch. VERB: "reads". */
void sm_cluster_fault(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address, uint64_t bytes,
                      const char *verb);

/* Everything that the blocks did is ordered before what they do from now on: observers are told. */
void sm_cluster_synced(const sm_cluster *c);

/* A new cluster begins: threads of all its blocks. */
void sm_cluster_begin(sm_cluster *c);

/* --- its barrier: barrier.c --- */

/* The running lanes arrive. False: one of them has not waited since it last did; the launch has
 * been stopped. */
bool sm_cluster_arrive(sm_warp *w, const sm_insn *i);
/* They wait for the phase in which they arrived; returns what runs next. */
const sm_insn *sm_cluster_wait(sm_warp *w, const sm_insn *i);
/* LANES of W have exited. */
void sm_cluster_exit(sm_warp *w, uint32_t lanes);

#endif
