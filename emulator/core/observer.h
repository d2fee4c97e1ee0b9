/* The interface through which the race detector and other tools observe a launch. The caller of
 * sm_run lists the observers in sm_launch.observers; a launch without any calls nothing here.
 *
 * An observer is a table of functions. It keeps one object for the launch and one for each place
 * where blocks become resident; successive blocks reuse the place. launch_* functions are called by
 * one host thread. The others are called by the host thread that runs the block, for several blocks
 * at the same time. A function that an observer does not need is NULL, except those for the launch
 * and block_opens and block_closes. */
#ifndef WARPBOOK_OBSERVER_H
#define WARPBOOK_OBSERVER_H

#include "warp.h"

typedef enum { SM_READS, SM_WRITES, SM_UPDATES } sm_effect; /* SM_UPDATES: an atomic operation */

/* The lanes in MASK access BYTES bytes each at address[lane]; the access is in bounds and aligned.
 * INSN is the instruction of WARP. SPACE is always shared, and an address is an offset into the
 * shared memory of the observed block, which in a cluster may be another block than the warp's. */
typedef struct sm_access {
    const sm_warp *warp;
    const ptx_insn *insn;
    ptx_space space;
    uint32_t mask;
    const uint64_t *address; /* [SM_LANES] */
    uint32_t bytes;
    sm_effect effect;
} sm_access;

struct sm_observer {
    bool strict; /* stop the launch with a report where the PTX ISA leaves a result undefined */

    void *(*launch_begins)(void); /* NULL: the host is out of memory */
    /* The reports of the launch, a malloc'd list, or NULL. Releases the launch's object. */
    sm_report *(*launch_ends)(void *launch);

    /* A place for blocks with SHARED_BYTES of shared memory and WARPS warps. NULL: out of
     * memory. */
    void *(*block_opens)(void *launch, uint64_t shared_bytes, uint32_t warps);
    void (*block_closes)(void *block);
    void (*block_begins)(void *block);

    void (*access)(void *block, const sm_access *a);
    /* All threads of the block have reached a barrier. */
    void (*block_barrier)(void *block);
    /* All threads of the cluster have reached its barrier; called for each block of the cluster. */
    void (*cluster_barrier)(void *block);
    /* A numbered barrier of some threads of the block (PTX ISA 9.7.13.1): WARP has arrived; the
     * warps in mask WARPS are released, and none of their threads waits at it any more. */
    void (*barrier_arrives)(void *block, uint32_t id, uint32_t warp);
    void (*barrier_releases)(void *block, uint32_t id, uint32_t warps);
    /* Lanes of WARP have synchronized at bar.warp.sync (PTX ISA 9.7.13.2). */
    void (*warp_barrier)(void *block, uint32_t warp);
    /* The active lanes of W execute a fence between the generic and the async proxy (9.7.13.4). */
    void (*proxy_fence)(void *block, const sm_warp *w);

    /* A lane issues an asynchronous copy that reads the block's memory (9.7.9.25.4). A's mask has
     * that one lane. */
    void (*copy_reads)(void *block, const sm_access *a);
    /* W issues an asynchronous copy. Returns a malloc'd object that records what W's block has
     * synchronized with so far, or NULL. The caller releases it with free(). */
    void *(*copy_issued)(void *block, const sm_warp *w);
    /* The copy writes to the block's memory. A names the instruction and the lane that issued it;
     * ISSUED is what copy_issued returned. */
    void (*copy_lands)(void *block, void *issued, const sm_access *a);
};

/* --- called by the SM where sm_block.observed is set --- */

/* Start the observers in the NULL-terminated list BY. False: out of memory; none is started. */
bool sm_observers_begin(sm_observed *watch, const sm_observer *const *by);
bool sm_observers_strict(const sm_observed *watch);
/* Stop the observers and release them. Returns their reports as one list, or NULL. */
sm_report *sm_observers_end(sm_observed *watch);
/* Release a list of reports; LIST may be NULL. */
void sm_reports_free(sm_report *list);

bool sm_observe_open(sm_block *b);
void sm_observe_close(sm_block *b);
void sm_observe_begin(const sm_block *b);

/* Report access A to the observers of B, the block whose memory is accessed. */
void sm_observe_access(const sm_block *b, const sm_access *a);
/* Report an access of one lane to shared memory at OFFSET. */
void sm_observe_lane(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                     uint64_t offset, uint32_t bytes, sm_effect effect);
void sm_observe_block_barrier(const sm_block *b);
void sm_observe_cluster_barrier(const sm_block *b);
void sm_observe_arrival(const sm_block *b, uint32_t id, uint32_t warp);
void sm_observe_release(const sm_block *b, uint32_t id, uint32_t warps);
void sm_observe_warp_barrier(const sm_warp *w);
void sm_observe_proxy_fence(const sm_warp *w);

void sm_observe_copy_reads(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                           uint64_t offset, uint32_t bytes);
/* Let each observer fill in its element of ISSUED; sm_observe_copy_drop releases them. */
void sm_observe_copy_issued(const sm_warp *w, void *issued[SM_OBSERVERS]);
void sm_observe_copy_lands(const sm_block *b, void *issued[SM_OBSERVERS], const sm_warp *w,
                           const sm_insn *i, uint32_t lane, uint64_t offset, uint32_t bytes,
                           sm_effect effect);
void sm_observe_copy_drop(void *const issued[SM_OBSERVERS]);

#endif
