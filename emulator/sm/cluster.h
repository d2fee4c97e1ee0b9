/* Thread block clusters (PTX ISA 5.1.6, 9.7.13.3): blocks that are resident together, can access
 * each other's shared memory and share a barrier. Without clusters every block is a cluster of one.
 *
 * Addresses: the shared memory of the block with rank r begins at r << SM_RANK_SHIFT in the
 * cluster's shared memory, both for 32-bit .shared addresses and in the generic window. A block's
 * own address therefore means the same memory in all blocks of the cluster, as on a GPU. */
#ifndef WARPBOOK_CLUSTER_H
#define WARPBOOK_CLUSTER_H

#include "../core/warp.h"

#define SM_MAX_CLUSTER_BLOCKS 16 /* maximum number of blocks of a cluster (non-portable size) */
#define SM_RANK_SHIFT         24 /* position of the block rank in an address of shared memory */
/* The bits of an address of shared memory that hold the offset in the block. */
#define SM_RANK_OFFSET_MASK ((UINT64_C(1) << SM_RANK_SHIFT) - 1)

/* The state of a cluster. One host thread runs all of its blocks, so nothing here needs a lock. */
typedef struct sm_cluster {
    uint32_t count;                         /* number of blocks */
    sm_block *block[SM_MAX_CLUSTER_BLOCKS]; /* [count] the blocks, by their rank in the cluster */
    bool has_ended[SM_MAX_CLUSTER_BLOCKS];  /* [block] true: all threads of the block have exited */
    uint32_t live;    /* number of threads of the cluster that have not exited */
    uint32_t missing; /* threads that have not arrived in this phase of the cluster barrier */
    uint32_t phase;   /* parity of the phase of the cluster barrier */
    struct sm_bulk_copies *bulk_copies; /* asynchronous copies in flight (see flight.h) */
} sm_cluster;

/* The block that holds BYTES bytes at ADDRESS of the cluster's shared memory (without the generic
 * window); FROM is the accessing block. *offset receives the offset in that block. NULL: no block
 * holds them, or the block has exited. */
sm_block *sm_cluster_find_block(const sm_block *from, uint64_t address, uint64_t bytes,
                                uint64_t *offset);

/* Stop the launch because LANE accesses BYTES bytes at ADDRESS of the cluster's shared memory,
 * which belong to no block. VERB: the access as a verb, such as "reads". */
void sm_stop_bad_cluster_address(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t address,
                                 uint64_t bytes, const char *verb);

/* Tell the observers that the cluster's earlier accesses are ordered before all later ones. */
void sm_cluster_note_barrier(const sm_cluster *c);

/* Begin a new cluster: count the threads of its blocks. */
void sm_cluster_begin(sm_cluster *c);

/* --- the cluster barrier (barrier.c) ---------------------------------------------------------- */

/* The active lanes arrive at the cluster barrier. Returns false, with the launch stopped, if a lane
 * arrives twice without waiting in between. */
bool sm_cluster_barrier_arrive(sm_warp *w, const sm_insn *i);
/* The active lanes wait for the phase of the cluster barrier in which they arrived. Returns the
 * next instruction. */
const sm_insn *sm_cluster_barrier_wait(sm_warp *w, const sm_insn *i);
/* Tell the cluster barrier that LANES of W have exited. */
void sm_cluster_lanes_exit(sm_warp *w, uint32_t lanes);

#endif
