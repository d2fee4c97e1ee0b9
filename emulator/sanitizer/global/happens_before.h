/* Happens-before between the threads of a launch: barriers, fences, and memory words through
 * which threads release and acquire (PTX ISA 8.8 to 8.10).
 *
 * "Known" accesses are those ordered before a thread's next access. A fence makes the accesses
 * that its thread knows ready for release; a strong store or atomic operation after the fence
 * releases them to every thread that reads the word by a strong operation. A fence of .cta scope
 * does so for its block only; .cluster counts as .gpu if the launch has clusters. An operation
 * of too small a scope is reported as a race of its own and has no further effect here. A strong
 * store without a fence releases only the thread's reads: a load whose value led to that store
 * has completed. An operation that releases is the half of a fence that releases, and acquires
 * nothing. An operation with acquire semantics that reads the word acquires at once. Any
 * other strong read, atomic or not, has only seen what was released: its thread acquires that at
 * its next fence, and until then only strong operations, and loads from L2, are ordered after it.
 * A barrier passes on to all its threads what any of them has seen; they still need a fence. A
 * relaxed compare-and-swap that may change the word takes a lock: here not even strong operations
 * are ordered before the next fence or barrier, since volatile data under a lock needs it too. */
#pragma once

#include "../../core/observer.h"
#include "view.h"

/* How far an operation's scope extends: the block, or the device. */
typedef enum {
    SAN_IN_BLOCK,   /* the operation's block */
    SAN_IN_GRID,    /* the device */
    SAN_SCOPE_COUNT /* number of scopes */
} san_scope;        /* the threads that an operation synchronises with */

/* The accesses that one thread knows (is ordered after), beyond those of its warp and block. */
typedef struct san_lane {
    san_view *knows;                   /* accesses ordered before the lane's next access */
    san_view *seen[SAN_SCOPE_COUNT];   /* accesses released through words that the lane has read by
                                        * strong loads: its next fence moves them to `knows` */
    san_view *taken[SAN_SCOPE_COUNT];  /* accesses released through words that the lane has taken as
                                          locks: its next fence moves them to `knows` */
    san_view *fenced[SAN_SCOPE_COUNT]; /* accesses known at the lane's last fence, but its own */
    san_view *reads; /* reads by other threads that are ordered before this lane's next access */
    uint32_t
        fence_time[SAN_SCOPE_COUNT]; /* time of the lane's last fence, by scope; 0: no fence yet */
} san_lane;

typedef struct san_warp {
    uint32_t common_until; /* accesses before this time are known to all lanes of the warp */
    uint32_t *known_until; /* [SM_LANES][SM_LANES] time up to which one lane knows the accesses of
                            * another; NULL: common_until for all lanes */
    san_view *knows;       /* accesses ordered before the next access of every lane */
    san_view *seen[SAN_SCOPE_COUNT];   /* accesses that any lane acquires at its next fence */
    san_view *fenced[SAN_SCOPE_COUNT]; /* accesses that every lane may release, by scope */
    san_view *reads;  /* reads by other threads ordered before the next access of every lane */
    san_lane *lane;   /* [SM_LANES] accesses known to each lane only; NULL: none yet */
    bool fences_open; /* a lane has executed a fence since the last barrier */
} san_warp;

typedef struct san_order san_order; /* happens-before state of one launch */

typedef struct san_block {
    san_order *order;      /* happens-before state of the launch */
    const sm_block *of;    /* the resident block */
    uint64_t id;           /* index of the block in the grid */
    uint32_t common_until; /* accesses before this time are known to all threads of the block */
    san_view *knows;       /* accesses ordered before the next access of every thread */
    san_view *seen[SAN_SCOPE_COUNT];     /* accesses that any thread acquires at its next fence */
    bool seen_is_known[SAN_SCOPE_COUNT]; /* a thread has acquired `seen` since the last barrier */
    san_view *fenced[SAN_SCOPE_COUNT];   /* accesses that every thread may release, by scope */
    san_view *reads; /* reads by other threads ordered before the next access of every thread */
    struct {
        san_view *knows;                   /* accesses ordered before the arrivals */
        san_view *seen[SAN_SCOPE_COUNT];   /* accesses that the threads have seen, by scope */
        san_view *fenced[SAN_SCOPE_COUNT]; /* accesses that the threads may release, by scope */
    } arrived[16];  /* accesses known by the threads that have arrived at each numbered barrier */
    san_warp *warp; /* [warps of the block] state of each warp */
} san_block;

san_order *san_order_new(const sm_grid *g); /* NULL: the host is out of memory */
void san_order_free(san_order *o);
/* Pointer to the current time on the launch's clock, which begins at 1 and advances at each event
 * that orders accesses. */
const uint32_t *san_order_clock(const san_order *o);

san_block *san_block_new(san_order *o, const sm_block *of); /* NULL: the host is out of memory */
void san_block_free(san_block *b);
/* Reset the state B, because another block begins in the same place of the SM. */
void san_block_begins(san_block *b);

/* All accesses that LANES of WARP know, and their earlier ones; the caller drops the view. */
san_view *san_order_known_accesses(san_block *b, uint32_t warp, uint32_t lanes);
/* Advance the launch's clock, so that later accesses are not in earlier views. Returns the time. */
uint32_t san_order_advance_clock(san_block *b);

void san_order_block_barrier(san_block *b);
void san_order_cluster_barrier(san_block *b);
void san_order_barrier_arrive(san_block *b, uint32_t id, uint32_t warp, uint32_t lanes);
void san_order_barrier_release(san_block *b, uint32_t id, uint32_t warps);
void san_order_warp_barrier(san_block *b, uint32_t warp, uint32_t lanes);
/* The lanes LANES of WARP execute a fence of scope REACH. */
void san_order_fence(san_block *b, uint32_t warp, uint32_t lanes, san_scope reach);

/* The san_scope that stands for scope SCOPE in this launch. */
san_scope san_order_scope_of(const san_order *o, sm_scope scope);

/* LANE of WARP performs a strong operation on the word KEY: reads it, writes it, or both. ORDER:
 * its memory order. REACH: the scope of the fence that ORDER implies. TAKES: it is a
 * compare-and-swap that may change the word. */
void san_order_strong_access(san_block *b, uint32_t warp, uint32_t lane, uint64_t key, bool reads,
                             bool writes, bool takes, sm_order order, san_scope reach);

/* Is the access of thread OTHER of block OTHER_BLOCK at TIME ordered before the current access of
 * LANE of WARP? STRONG: the current access is strong. READ: OTHER's was a read. */
bool san_order_is_access_before(const san_block *b, uint32_t warp, uint32_t lane, bool strong,
                                uint64_t other_block, uint32_t other, uint32_t time, bool read);
/* Would a fence of LANE of WARP order that access before LANE's next one? */
bool san_order_has_seen(const san_block *b, uint32_t warp, uint32_t lane, uint64_t other_block,
                        uint32_t other, uint32_t time);
