/* Copies of cp.async in flight (PTX ISA 9.7.9.25.3), and the arrivals at mbarriers that wait for
 * them (9.7.13.15.15).
 *
 * The data is read at issue. It becomes visible in shared memory as late as the ISA allows, so that
 * a program which forgets to wait sees what was there before: when the thread that issued the copy
 * waits for its group, or when any thread waits at an mbarrier at which the copy is to arrive. What
 * nobody waits for is never visible. */
#ifndef WARPBOOK_COPIES_H
#define WARPBOOK_COPIES_H

#include "mbarrier.h"

/* One instruction of a warp, for the lanes of LANES. */
typedef struct sm_copy {
    const sm_insn *insn;
    uint32_t lanes; /* those whose copy has not landed */
    uint32_t bytes; /* of each lane; 0: an arrival at an mbarrier, which follows the lane's earlier
                     * copies */
    uint64_t offset[SM_LANES]; /* in the shared memory of the warp's block */
    uint32_t group[SM_LANES];  /* of the lane, numbered from 1; 0: not committed yet */
    uint8_t data[SM_LANES][16];
} sm_copy;

/* A copy without lanes, to be filled in, at the end of the warp's list. NULL: the host is out of
 * memory, and the launch has been stopped. Valid until the next call. */
sm_copy *sm_copies_add(sm_warp *w, const sm_insn *i, uint32_t bytes);

/* The running lanes' copies without a group become a group. */
void sm_copies_commit(sm_warp *w);

/* Copies that land, each with what follows them. False: the launch has been stopped. */

/* Groups of the running lanes, except the last KEEP[lane] of each. */
bool sm_copies_land_groups(sm_warp *w, const uint32_t keep[SM_LANES]);
/* Copies whose end is to arrive at M. */
bool sm_copies_land_for_mbarrier(const sm_mbarrier *m);

void sm_copies_forget(sm_block *b); /* when a block begins */
void sm_copies_free(sm_block *b);

#endif
