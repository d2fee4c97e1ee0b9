/* Racecheck: finds two threads of a block that access the same byte of shared memory, at least one
 * of them writing, without a barrier between the accesses.
 *
 * Order is tracked with clocks. A block-wide barrier advances the block's clock: all accesses
 * before it are ordered before all accesses after it. __syncwarp (bar.warp.sync) advances the clock
 * of its warp: it orders the lanes of that warp. Shuffles and votes advance no clock (PTX
 * ISA 9.7.9.6: they order no memory accesses). If one warp releases a word of shared memory and
 * another acquires it, the two warps are ordered. The same holds for a barrier of part of a block's
 * threads: arriving releases, waiting acquires. Atomics do not race with each other. Racecheck does
 * not stop the launch; it reports each pair of source lines once, in sm_result.reports.
 *
 * Blocks of a cluster can access each other's shared memory. Accesses of different blocks are
 * ordered by barriers of the cluster and by mbarriers, which advance the clocks of all blocks of
 * the cluster, but not by a barrier of one block. A bulk copy counts as a read by its thread
 * when it is issued. It counts as a write by no thread when it completes: after all accesses that
 * precede its issue, and before all accesses that follow a completed phase of its mbarrier.
 *
 * A cp.async counts as a write by its thread, when it is issued and again when the thread has
 * waited for it; an access to the words between these times is a race. If it arrives at an
 * mbarrier, it counts as a bulk copy after its completion.
 *
 * cp.async.bulk and similar copies access shared memory through the async proxy (PTX ISA 8.9.1.1,
 * 9.7.9.25.2). Threads write through the generic proxy, so such a copy may miss their writes
 * unless a fence.proxy.async is ordered between the write and the copy. A missing fence is reported
 * too, except for writes by other blocks of the cluster. */
#pragma once

#include "../../core/observer.h"

/* Racecheck as the only observer, for sm_launch.observers. */
extern const sm_observer *const san_race_observers[2]; /* racecheck, and NULL */
