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

typedef enum { SM_READS, SM_WRITES, SM_UPDATES } sm_effect; /* SM_UPDATES: atomic operations */

/* Spaces whose accesses an observer is told of; the spaces that nobody sees keep their fast
 * paths. */
enum { SM_SEES_SHARED = 1, SM_SEES_GLOBAL = 2, SM_SEES_LOCAL = 4, SM_SEES_CONST = 8 };

/* How an access or a fence is ordered (PTX ISA 8.3), and with whom (8.5). */
typedef enum {
    SM_WEAK,
    SM_VOLATILE, /* ordered as SM_RELAXED, but not meant to synchronise threads */
    SM_RELAXED,
    SM_ACQUIRE,
    SM_RELEASE,
    SM_ACQ_REL
} sm_order;
typedef enum { SM_SCOPE_CTA, SM_SCOPE_CLUSTER, SM_SCOPE_GPU, SM_SCOPE_SYS } sm_scope;

/* Of a load, store, atomic operation, mbarrier operation or fence, as it is written. */
sm_order sm_order_of(const ptx_insn *in);
sm_scope sm_scope_of(const ptx_insn *in);

/* How the addresses of an access lie, as far as is known: no way in particular; side by side, of
 * lane after lane of the mask, which has no gap; or all the same. */
typedef enum { SM_APART, SM_SIDE_BY_SIDE, SM_TOGETHER } sm_layout;

/* Lanes of MASK access BYTES bytes each at address[lane], in bounds and aligned, by instruction
 * INSN of WARP; it is about to happen. Addresses of shared memory are offsets in the memory of the
 * observed block, which in a cluster may be another one than the warp's; those of local memory are
 * offsets in the lane's; those of global and constant memory are device addresses. Kernel
 * parameters are not reported. */
typedef struct sm_access {
    const sm_warp *warp;
    const ptx_insn *insn;
    uint32_t site; /* sm_insn.site of INSN: unique in the launch */
    ptx_space space;
    uint32_t mask;
    const uint64_t *address; /* [SM_LANES] address of each lane */
    sm_layout layout;
    uint32_t bytes;
    sm_effect effect;
    /* Of st: element k of lane l is the first bytes / elements bytes at
     * warp->r + slot[k] + l * lane_bytes. NULL: another instruction, whose values are not told. */
    const uint32_t *slot;
    uint32_t elements, lane_bytes;
} sm_access;

/* What lane LANE of a st writes: fills VALUE with a->bytes bytes. False: not known. */
bool sm_access_value(const sm_access *a, uint32_t lane, void *value);

struct sm_observer {
    bool strict;   /* results that the PTX ISA leaves undefined stop the launch with a report */
    bool serial;   /* blocks of a launch run on one host thread, in the order of their index */
    uint32_t sees; /* the state spaces whose accesses it sees: SM_SEES_* bits */

    /* G->launch has kernel, grid, block, parameters, number and stream. NULL: the host is out of
     * memory. */
    void *(*launch_begins)(const sm_grid *g);
    /* The launch has been stopped; launch_ends follows. */
    void (*launch_faults)(void *launch_kernel, const sm_fault *fault);
    /* What was found, a list (malloc'd), NULL: nothing. Releases the launch's object. */
    sm_report *(*launch_ends)(void *launch_kernel);

    /* A place for one block after another: B stays the same, and its id changes. NULL likewise. */
    void *(*block_opens)(void *launch_kernel, const sm_block *b);
    void (*block_closes)(void *block);
    void (*block_begins)(void *block);
    void (*block_ends)(void *block); /* all its threads have exited */

    void (*access)(void *block, const sm_access *a);
    /* All threads of the block have reached a barrier. */
    void (*block_barrier)(void *block);
    /* All threads of the cluster have reached its barrier; called for each block of the cluster. */
    void (*cluster_barrier)(void *block);
    /* Barrier ID of some of the block's threads (PTX ISA 9.7.13.1): LANES of WARP arrive, and the
     * warps of mask WARPS, all of whose threads that waited have been let go, go on. */
    void (*barrier_arrives)(void *block, uint32_t id, uint32_t warp, uint32_t lanes);
    void (*barrier_releases)(void *block, uint32_t id, uint32_t warps);
    /* LANES of WARP have met at bar.warp.sync (9.7.13.2). */
    void (*warp_barrier)(void *block, uint32_t warp, uint32_t lanes);
    /* The running lanes of W execute membar or fence (9.7.13.4). */
    void (*fence)(void *block, const sm_warp *w, const ptx_insn *in);
    /* LANES of W, the running ones, arrive by IN at barrier ID of the block: bar, barrier (PTX ISA
     * 9.7.13.1). EXPECTED: the number of threads that the instruction says; 0: it says none. */
    void (*threads_arrive)(void *block, const sm_warp *w, const ptx_insn *in, uint32_t id,
                           uint32_t expected);
    /* As many threads as barrier ID counts on have arrived; the next arrival is for another phase.
     */
    void (*barrier_completes)(void *block, uint32_t id);
    /* The running lanes of W wait at IN for other lanes of member mask MEMBER: shfl, vote, match,
     * redux, elect, bar.warp (9.7.9.6, 9.7.13). MISSING: lanes of it that are still to come. */
    void (*lanes_wait)(void *block, const sm_warp *w, const ptx_insn *in, uint32_t member,
                       uint32_t missing);
    /* Lanes that waited with MEMBER go on: the last have come, or have exited. */
    void (*lanes_meet)(void *block, const sm_warp *w, uint32_t member);
    /* LANES of W exit. */
    void (*lanes_exit)(void *block, const sm_warp *w, uint32_t lanes);
    /* malloc() in device code returns BYTES bytes at ADDRESS to lane LANE of W. */
    void (*heap_gives)(void *block, const sm_warp *w, uint32_t lane, uint64_t address,
                       uint64_t bytes);
    /* The running lanes of W execute a fence between the generic and the async proxy (9.7.13.4). */
    void (*proxy_fence)(void *block, const sm_warp *w);

    /* W is about to execute I, one PTX instruction (sm_site_insn), for the lanes of MASK, which is
     * 0 where its guard is false for all of them. False: the warp gives way first, and this is
     * called again when it runs next. Lanes that come to a shfl or the like and wait for others
     * execute it again, together, when the last has come. */
    bool (*insn_begins)(void *block, const sm_warp *w, const sm_insn *i, uint32_t mask);
    /* It has been executed. WINDOW: the registers that it read and wrote. */
    void (*insn_ends)(void *block, const sm_warp *w, const sm_insn *i, uint32_t mask,
                      const uint8_t *window);
    /* The warp that runs next, before NEXT; it must be one that can. NEXT: no other one. */
    uint32_t (*warp_chosen)(void *block, uint32_t next);
    /* Another observer has found a mistake, for the first time in this block: R says which. */
    void (*finds)(void *block, const sm_report *r);

    /* An asynchronous copy (9.7.9.25.4) reads the block's memory, or global memory, when a lane
     * issues it: one lane in A's mask. */
    void (*copy_reads)(void *block, const sm_access *a);
    /* W issues an asynchronous copy. Returns a malloc'd object that records what W's block has
     * synchronized with so far, or NULL. The caller releases it with free(). */
    void *(*copy_issued)(void *block, const sm_warp *w);
    /* The copy lands in the block's memory, or in global memory: A says who issued it, with one
     * lane in its mask. ISSUED is what copy_issued gave. */
    void (*copy_lands)(void *block, void *issued, const sm_access *a);
    /* The running lanes of a warp store to a surface, or reduce there (9.7.11): A as for `access`,
     * with addresses of global memory. */
    void (*surface_writes)(void *block, const sm_access *a);
    /* Copies of cp.async (9.7.9.25.3) that A's lanes issued, and whose start access() has told of,
     * become visible: WAITED: because the lanes have waited for their groups; else because they
     * arrive at an mbarrier that some thread looks at. */
    void (*copies_land)(void *block, const sm_access *a, bool waited);
};

/* --- called by the SM where sm_block.observed is set --- */

/* All of NULL-terminated BY begin to watch G: fills g->observed, strict and sees. False: the host
 * is out of memory; nothing is kept. */
bool sm_observers_begin(sm_grid *g, const sm_observer *const *by);
bool sm_observers_serial(const sm_observer *const *by);
void sm_observers_fault(sm_grid *g, const sm_fault *fault);
/* What all have found, one list after another, or NULL; they are released. */
sm_report *sm_observers_end(sm_grid *g);
/* Release a list of reports, which may be NULL. */
void sm_reports_free(sm_report *list);

bool sm_observe_open(sm_block *b);
void sm_observe_close(sm_block *b);
void sm_observe_begin(const sm_block *b);
void sm_observe_end(const sm_block *b);

/* One access; the block is the one whose memory it is, of global memory the warp's. Those that do
 * not see the space are left out. */
void sm_observe_access(const sm_block *b, const sm_access *a);
/* Report an access of one lane to shared memory at OFFSET. */
void sm_observe_lane(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                     uint64_t offset, uint32_t bytes, sm_effect effect);
void sm_observe_block_barrier(const sm_block *b);
void sm_observe_cluster_barrier(const sm_block *b);
void sm_observe_arrival(const sm_warp *w, uint32_t id);
void sm_observe_release(const sm_block *b, uint32_t id, uint32_t warps);
void sm_observe_warp_barrier(const sm_warp *w, uint32_t lanes);
void sm_observe_fence(const sm_warp *w, const sm_insn *i);
void sm_observe_threads_arrive(const sm_warp *w, const sm_insn *i, uint32_t id, uint32_t expected);
void sm_observe_barrier_completes(const sm_block *b, uint32_t id);
void sm_observe_lanes_wait(const sm_warp *w, const sm_insn *i, uint32_t member, uint32_t missing);
void sm_observe_lanes_meet(const sm_warp *w, uint32_t member);
void sm_observe_exit(const sm_warp *w, uint32_t lanes);
void sm_observe_heap(const sm_warp *w, uint32_t lane, uint64_t address, uint64_t bytes);
void sm_observe_proxy_fence(const sm_warp *w);

bool sm_observe_insn_begins(const sm_warp *w, const sm_insn *i, uint32_t mask);
void sm_observe_insn_ends(const sm_warp *w, const sm_insn *i, uint32_t mask, const uint8_t *window);
uint32_t sm_observe_warp_chosen(const sm_block *b, uint32_t next);
void sm_observe_finds(const sm_block *b, const sm_report *r);

/* SPACE is shared, and B has the memory; or global, and B is the warp's block. */
void sm_observe_copy_reads(const sm_block *b, const sm_warp *w, const sm_insn *i, uint32_t lane,
                           ptx_space space, uint64_t address, uint32_t bytes);
/* Fills ISSUED, an object of each observer; sm_observe_copy_drop releases them. */
void sm_observe_copy_issued(const sm_warp *w, void *issued[SM_OBSERVERS]);
void sm_observe_copy_lands(const sm_block *b, void *issued[SM_OBSERVERS], const sm_warp *w,
                           const sm_insn *i, uint32_t lane, ptx_space space, uint64_t address,
                           uint32_t bytes, sm_effect effect);
/* A store to a surface. */
void sm_observe_surface_writes(const sm_access *a);
/* cp.async of LANES of W, BYTES bytes each at OFFSET[lane] of its block's shared memory. */
void sm_observe_copies_land(const sm_warp *w, const sm_insn *i, uint32_t lanes,
                            const uint64_t offset[SM_LANES], uint32_t bytes, bool waited);
void sm_observe_copy_drop(void *const issued[SM_OBSERVERS]);

#endif
