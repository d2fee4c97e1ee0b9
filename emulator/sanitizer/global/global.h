/* Races on global memory: two threads of a launch access the same bytes, at least one of them
 * writes, and nothing orders the accesses (happens_before.h). A race is reported whichever access
 * comes first in this run.
 *
 * Atomic and other strong operations (volatile, relaxed and so on) do not race with one another.
 * Exceptions: the operations are in different blocks and one of them has scope .cta; or both are
 * volatile, hold data (intent.h) and are in different warps, or are one store of several lanes.
 * Stores of the same value do not race either. The threads that execute one instruction are not
 * ordered among each other. bar.warp.sync orders the lanes of a warp; shuffles and votes do not
 * (PTX ISA 9.7.9.6).
 *
 * An asynchronous copy reads global memory when it is issued, and writes it when it completes,
 * as the thread that issued it. A texture or surface is read weakly, and
 * no order within the launch lets it see what the launch has written. Blocks run on one
 * host thread, one after another, so that every run finds the same races. */
#pragma once

#include "../../core/observer.h"

struct san_touched;

/* The clock of B's launch (see view.h); NULL if races on global memory are not checked. */
const uint32_t *san_launch_clock(const sm_block *b);
/* Is the access of thread OTHER of block OTHER_BLOCK at TIME ordered before LANE's current
 * access? READ: it was a read. */
bool san_is_ordered_before_lane(const sm_warp *w, uint32_t lane, uint64_t other_block,
                                uint32_t other, uint32_t time, bool read);

extern const sm_observer san_global_race_observer; /* finds races on global memory */

/* Add the bytes that launches of the calling host thread touch to T; NULL: do not record them. */
void san_global_record_touched(struct san_touched *t);
