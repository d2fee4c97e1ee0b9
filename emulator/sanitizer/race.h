/* Racecheck: two threads of a block that touch the same byte of shared memory, at least one of them
 * writing, with no barrier between.
 *
 * Order is kept by two clocks. A block-wide barrier advances the block's: everything before it is
 * ordered with everything after. bar.warp.sync (__syncwarp) advances its warp's: it orders the
 * lanes of that warp. Shuffles and votes advance none (PTX ISA 9.7.9.6: no memory ordering).
 * A word of shared memory that one warp releases and another acquires orders the two, and so does a
 * barrier of some of the block's threads: who arrives releases, who has waited acquires.
 * Atomics do not race with atomics. A launch is not stopped: each pair of source lines is reported
 * once, in sm_result.reports.
 *
 * Blocks of a cluster reach each other's memory: what two of them do is ordered by the barrier of
 * the cluster and by mbarriers, which advance the clocks of all its blocks, and not by the barrier
 * of one block. An asynchronous copy reads when it is issued, as its thread; it writes when it
 * lands, as nobody's thread, after all that was ordered before its issue and before what follows a
 * completed phase of its mbarrier.
 *
 * Copies between shared memory and elsewhere by cp.async.bulk and its kin go through the async
 * proxy (PTX ISA 8.9.1.1, 9.7.9.25.2): what threads of the block wrote, which is in the generic
 * one, they need not find without a fence.proxy.async between, after the write and before the copy
 * by the same order. That too is reported. Writes from other blocks of the cluster are not looked
 * at. */
#ifndef WARPBOOK_RACE_H
#define WARPBOOK_RACE_H

#include "../core/observer.h"

/* Racecheck alone, as sm_launch.observers takes it. It is strict: a shuffle from a lane that is not
 * there stops the launch. */
extern const sm_observer *const san_racecheck[2];

#endif
