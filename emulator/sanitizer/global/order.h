/* Happens-before between the threads of a launch: barriers, fences, and words of memory through
 * which threads release and acquire (PTX ISA 8.8 to 8.10).
 *
 * A fence makes what its thread knows fit to be passed on; a strong store or atomic operation
 * behind it passes that on to whoever reads the word by a strong operation. A fence of .cta scope
 * does so for its block only; .cluster counts as .gpu where the launch has clusters. An operation
 * of too small a scope is a race of its own, and nothing more is made of it. A strong store without
 * a fence passes on what has been read: a load whose value decided that store is over. An atomic
 * operation that reads the word acquires at once, another strong load at the next fence or barrier
 * of its thread: until then strong operations alone come after what it has seen. A relaxed
 * compare-and-swap that may change the word takes a lock, and what follows it comes after the last
 * owner's work by a fence or barrier only. */
#ifndef WARPBOOK_SANITIZER_ORDER_H
#define WARPBOOK_SANITIZER_ORDER_H

#include "../../core/observer.h"
#include "view.h"

/* How far a scope reaches: the block, or the device. */
typedef enum { SAN_IN_BLOCK, SAN_IN_GRID, SAN_REACHES } san_reach;

/* What one thread knows beyond its warp and block. */
typedef struct san_lane {
    san_view *knows, *seen[SAN_REACHES]; /* accesses that the lane knows; those seen by strong
                                            loads, until a fence makes them known */
    san_view
        *taken[SAN_REACHES]; /* accesses seen by taking locks, until a fence makes them known */
    san_view *fenced[SAN_REACHES];    /* accesses known at its last fence, without its own */
    san_view *reads;                  /* the reads that the lane knows of */
    uint32_t fence_time[SAN_REACHES]; /* time of its last fence, by reach; 0: no fence yet */
} san_lane;

typedef struct san_warp {
    uint32_t floor; /* up to this time all lanes of the warp know each other's accesses */
    uint32_t *row;  /* [SM_LANES][SM_LANES] time up to which one lane knows another; NULL: `floor`
                       for all */
    san_view *knows, *fenced[SAN_REACHES], *reads;
    san_lane *lane;   /* [SM_LANES] what each lane knows; NULL: nothing yet */
    bool fences_open; /* a lane has executed a fence since the last barrier */
} san_warp;

typedef struct san_order san_order; /* who knows which accesses in one launch */

typedef struct san_block {
    san_order *order;
    const sm_block *of;
    uint64_t id;    /* index of the block in the grid */
    uint32_t floor; /* up to this time all threads of the block know each other's accesses */
    san_view *knows, *fenced[SAN_REACHES], *reads;
    struct {
        san_view *knows, *fenced[SAN_REACHES];
    } arrived[16]; /* what the threads that arrived at each numbered barrier know */
    san_warp *warp;
} san_block;

san_order *san_order_new(const sm_grid *g); /* NULL: the host is out of memory */
void san_order_free(san_order *o);
/* The current time of the launch's clock, from 1. */
uint32_t san_order_now(const san_order *o);

san_block *san_block_new(san_order *o, const sm_block *of); /* NULL: the host is out of memory */
void san_block_free(san_block *b);
/* Start anew, as another block takes the place. */
void san_block_begins(san_block *b);

void san_block_barrier(san_block *b);
void san_block_cluster(san_block *b);
void san_block_arrives(san_block *b, uint32_t id, uint32_t warp, uint32_t lanes);
void san_block_releases(san_block *b, uint32_t id, uint32_t warps);
void san_block_warp(san_block *b, uint32_t warp, uint32_t lanes);
/* Lanes of a warp execute a fence that reaches as far as REACH. */
void san_block_fence(san_block *b, uint32_t warp, uint32_t lanes, san_reach reach);

/* Where a scope reaches in this launch. */
san_reach san_reach_of(const san_order *o, sm_scope scope);

/* LANE of WARP performs a strong operation on the word KEY: reads it, writes it, or both. REACH: of
 * the fence that is part of it, where ORDER has one. TAKES: it is a compare-and-swap that may
 * change the word. */
void san_block_strong(san_block *b, uint32_t warp, uint32_t lane, uint64_t key, bool reads,
                      bool writes, bool takes, sm_order order, san_reach reach);

/* Is what OTHER (thread of block OTHER_BLOCK) did at TIME ordered before what LANE of WARP does
 * now? STRONG: that is a strong operation. READ: what OTHER did was a read. */
bool san_block_before(const san_block *b, uint32_t warp, uint32_t lane, bool strong,
                      uint64_t other_block, uint32_t other, uint32_t time, bool read);

#endif
