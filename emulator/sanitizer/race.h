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

#include "../sm/warp.h"

#include <stddef.h>

/* What a launch's workers collect together: reports.h. */
typedef struct san_reports san_reports;

/* The shadow of one resident block: SHARED_BYTES of shared memory, WARPS warps. REPORTS is
 * borrowed. NULL when the host is out of memory. */
struct san_race *san_race_new(uint64_t shared_bytes, uint32_t warps, san_reports *reports);
void san_race_free(struct san_race *race);

/* Another block starts in the same place. */
void san_race_begin(struct san_race *race);
/* All threads of the block have met at a barrier. */
void san_race_block_sync(struct san_race *race);
/* Threads of WARP arrive at a barrier of some of the block's threads, with number ID. */
void san_race_arrive(struct san_race *race, uint32_t id, uint32_t warp);
/* It is complete, and those who waited go on: threads of the warps of mask WARPS. */
void san_race_go_on(struct san_race *race, uint32_t id, uint32_t warps);
/* Those of all the blocks of its cluster have; to be called for each block. */
void san_race_cluster_sync(struct san_race *race);
/* Lanes of one warp have met at bar.warp.sync. */
void san_race_warp_sync(struct san_race *race, uint32_t warp);

typedef enum { SAN_READ, SAN_WRITE, SAN_ATOMIC } san_access;

/* Lanes of MASK access BYTES bytes of shared memory at offset[lane], in bounds. AT is where
 * the access stands in module M. */
void san_race_access(struct san_race *race, const sm_warp *w, const ptx_module *m,
                     const ptx_insn *at, uint32_t mask, const uint64_t offset[SM_LANES],
                     uint32_t bytes, san_access how);

/* The same of one lane, in the memory of RACE's block, be it W's own or another one's. */
void san_race_access_one(struct san_race *race, const sm_warp *w, const ptx_module *m,
                         const ptx_insn *at, uint32_t lane, uint64_t offset, uint32_t bytes,
                         san_access how);

/* Bytes of the block's own memory that an asynchronous copy reads, which lane LANE of W issues: an
 * access through the async proxy. */
void san_race_copy_reads(struct san_race *race, const sm_warp *w, const ptx_module *m,
                         const ptx_insn *at, uint32_t lane, uint64_t offset, uint32_t bytes);
/* The running lanes of W execute a fence.proxy.async that is good for shared memory. */
void san_race_proxy_fence(struct san_race *race, const sm_warp *w);

/* When something was done, for an asynchronous copy: RACE is the issuing block's. */
typedef struct san_moment {
    uint32_t block_time, cluster_time;
    uint32_t *behind; /* releases of each of the block's warps that it is behind; NULL: none */
} san_moment;
/* Now, for W of RACE's block. Where the host is out of memory, nothing is known to be before it but
 * by barriers of all. To be dropped with free(behind). */
san_moment san_race_moment(const struct san_race *race, const sm_warp *w);

/* A copy that a thread of W issued at MOMENT with AT writes BYTES bytes, in bounds. */
void san_race_copy(struct san_race *race, const sm_warp *w, san_moment issued, const ptx_module *m,
                   const ptx_insn *at, uint64_t offset, uint32_t bytes, san_access how);

#endif
