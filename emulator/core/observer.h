/* Observers watch what a launch does: the SM declares what they are told, and includes none of
 * them. Who calls sm_run names those that are to watch (sm_launch.observers); without any, nothing
 * of this is called.
 *
 * An observer is a table of functions. It keeps an object for the launch and one for each place
 * that a resident block takes, which blocks use one after another. Functions for a launch are
 * called by one host thread; those for a block by the host thread that runs it, and blocks of one
 * launch run on several at once. A function that an observer does not need is NULL. */
#ifndef WARPBOOK_OBSERVER_H
#define WARPBOOK_OBSERVER_H

#include "warp.h"

typedef enum { SM_READS, SM_WRITES, SM_UPDATES } sm_effect; /* SM_UPDATES: atomically */

/* Lanes of MASK access BYTES bytes each at address[lane], in bounds and aligned, by instruction
 * INSN of WARP. SPACE is shared, and addresses are offsets in the memory of the observed block,
 * which in a cluster may be another one than the warp's. */
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
    bool strict; /* results that the PTX ISA leaves undefined stop the launch with a report */

    void *(*launch_begins)(void); /* NULL: the host is out of memory */
    /* What was found, a list (malloc'd), NULL: nothing. Releases the launch's object. */
    sm_report *(*launch_ends)(void *launch);

    /* A place for blocks of SHARED_BYTES of shared memory and WARPS warps. NULL likewise. */
    void *(*block_opens)(void *launch, uint64_t shared_bytes, uint32_t warps);
    void (*block_closes)(void *block);
    void (*block_begins)(void *block);

    void (*access)(void *block, const sm_access *a);
    /* All threads of the block have met at a barrier. */
    void (*block_barrier)(void *block);
    /* All threads of the cluster have; called for each of its blocks. */
    void (*cluster_barrier)(void *block);
    /* Barrier ID of some of the block's threads (PTX ISA 9.7.13.1): WARP arrives, and the warps of
     * mask WARPS, all of whose threads that waited have been let go, go on. */
    void (*barrier_arrives)(void *block, uint32_t id, uint32_t warp);
    void (*barrier_releases)(void *block, uint32_t id, uint32_t warps);
    /* Lanes of WARP have met at bar.warp.sync (9.7.13.2). */
    void (*warp_barrier)(void *block, uint32_t warp);
    /* The running lanes of W execute a fence between the generic and the async proxy (9.7.13.4). */
    void (*proxy_fence)(void *block, const sm_warp *w);

    /* An asynchronous copy (9.7.9.25.4) reads the block's memory when a lane issues it: one lane
     * in A's mask. */
    void (*copy_reads)(void *block, const sm_access *a);
    /* Now, as BLOCK of W sees it, for a copy that W issues: a malloc'd object of the observer's
     * own, or NULL. It is dropped with free() after the copy has landed or been forgotten. */
    void *(*copy_issued)(void *block, const sm_warp *w);
    /* The copy lands in the block's memory: A says who issued it, with one lane in its mask. ISSUED
     * is what copy_issued gave. */
    void (*copy_lands)(void *block, void *issued, const sm_access *a);
};

/* --- what the SM calls, where sm_block.observed says that somebody looks -------------------------
 */

/* All of NULL-terminated BY begin to watch. False: the host is out of memory; nothing is kept. */
bool sm_observers_begin(sm_observed *watch, const sm_observer *const *by);
bool sm_observers_strict(const sm_observed *watch);
/* What all have found, one list after another, or NULL; they are released. */
sm_report *sm_observers_end(sm_observed *watch);
/* Release a list of reports, which may be NULL. */
void sm_reports_free(sm_report *list);

bool sm_observe_open(sm_block *b);
void sm_observe_close(sm_block *b);
void sm_observe_begin(const sm_block *b);

/* One access; the block is the one whose memory it is. */
void sm_observe_access(const sm_block *b, const sm_access *a);
/* The same of one lane, in shared memory. */
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
/* Fills ISSUED, an object of each observer; sm_observe_copy_drop releases them. */
void sm_observe_copy_issued(const sm_warp *w, void *issued[SM_OBSERVERS]);
void sm_observe_copy_lands(const sm_block *b, void *issued[SM_OBSERVERS], const sm_warp *w,
                           const sm_insn *i, uint32_t lane, uint64_t offset, uint32_t bytes,
                           sm_effect effect);
void sm_observe_copy_drop(void *const issued[SM_OBSERVERS]);

#endif
