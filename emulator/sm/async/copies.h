/* Copies of cp.async in flight (PTX ISA 9.7.9.25.3), and the arrivals at mbarriers that wait for
 * them (9.7.13.15.15).
 *
 * The data is read at issue. It becomes visible in shared memory as late as the ISA allows, so that
 * a program which forgets to wait sees the old data: when the issuing thread waits for the copy's
 * group, or when any thread waits at an mbarrier at which the copy arrives. A copy that nobody
 * waits for never becomes visible. */
#ifndef WARPBOOK_COPIES_H
#define WARPBOOK_COPIES_H

#include "mbarrier.h"

/* The copies of a warp's cp.async, for the lanes of LANES; or an arrival that waits for them. */
typedef struct sm_copy {
    const sm_insn *insn; /* the cp.async instruction */
    uint32_t lanes;      /* mask of the lanes whose copy is still in flight */
    uint32_t bytes; /* bytes that each lane copies; 0: an arrival at an mbarrier, which follows the
                       lane's earlier copies */
    uint64_t offset[SM_LANES]; /* destination of each lane: a byte offset in the shared memory of
                                  the block that issued the copy */
    uint32_t group[SM_LANES]; /* group of each lane's copy, numbered from 1; 0: not committed yet */
    uint8_t data[SM_LANES][16]; /* the bytes to copy */
    /* The bytes of global memory that each lane reads, and the address range that contains them
     * all; set only if the launch has an observer. */
    uint64_t from[SM_LANES];      /* source address of each lane */
    uint64_t from_low, from_high; /* lowest and highest source address */
    uint8_t from_bytes[SM_LANES]; /* bytes that each lane reads */
} sm_copy;

/* At most this many entries of a warp's list are in flight; before another one is added, the older
 * half is completed. No GPU keeps as many copies of a warp in flight. */
enum { SM_MAX_COPIES = 4096 }; /* most cp.async instructions of a warp in flight */

/* Append a copy without lanes, to be filled in, to the list of warp W. Returns NULL, with the
 * launch stopped, when the host is out of memory. The result is valid until the next call. */
sm_copy *sm_copies_add(sm_warp *w, const sm_insn *i, uint32_t bytes);

/* Make one group of the running lanes' copies that have no group yet. */
void sm_copies_commit(sm_warp *w);

/* The next two functions complete copies (their bytes become visible) and execute the arrivals that
 * follow them. They return false if the launch has been stopped. */

/* Complete the groups of the running lanes, except the last KEEP[lane] groups of each lane. */
bool sm_copies_complete_groups(sm_warp *w, const uint32_t keep[SM_LANES]);
/* Complete the copies that arrive at mbarrier M. */
bool sm_copies_complete_for_mbarrier(const sm_mbarrier *m);

/* One lane's copy in flight. */
typedef struct sm_lane_copy {
    const sm_copy *copy; /* the cp.async instruction in flight, of which this is one lane's copy */
    const sm_warp *warp; /* the warp whose lane issued it */
    uint32_t lane;       /* the lane that issued it */
} sm_lane_copy;

/* Find a copy of block B in flight that reads one of BYTES bytes at ADDRESS of global memory. */
bool sm_copies_find_copy_reading(const sm_block *b, uint64_t address, uint32_t bytes,
                                 sm_lane_copy *out);
/* A function that sm_copies_visit_all calls for a block's copies in flight, by instruction. */
typedef void sm_copy_visitor(void *context, const sm_warp *w, const sm_copy *c);
void sm_copies_visit_all(const sm_block *b, sm_copy_visitor *fn, void *context);

void sm_copies_discard(sm_block *b); /* discard all copies when a block begins */
void sm_copies_free(sm_block *b);

#endif
