/* Racecheck: two threads of a block that touch the same byte of shared memory, at least one of them
 * writing, with no barrier between.
 *
 * Order is kept by two clocks. A block-wide barrier advances the block's: everything before it is
 * ordered with everything after. bar.warp.sync (__syncwarp) advances its warp's: it orders the
 * lanes of that warp. Shuffles and votes advance none (PTX ISA 9.7.9.6: no memory ordering).
 * Atomics do not race with atomics. A launch is not stopped: each pair of source lines is reported
 * once, in sm_result.reports. */
#ifndef WARPBOOK_RACE_H
#define WARPBOOK_RACE_H

#include "../sm/warp.h"

#include <stddef.h>

/* What a launch's workers collect together. */
typedef struct san_reports san_reports;
san_reports *san_reports_new(void);
/* Takes the text out (malloc'd, NULL when there was no race) and releases the collection. */
char *san_reports_take(san_reports *reports);

/* The shadow of one resident block: SHARED_BYTES of shared memory, WARPS warps. REPORTS is
 * borrowed. NULL when the host is out of memory. */
struct san_race *san_race_new(uint64_t shared_bytes, uint32_t warps, san_reports *reports);
void san_race_free(struct san_race *race);

/* Another block starts in the same place. */
void san_race_begin(struct san_race *race);
/* All threads of the block have met at a barrier. */
void san_race_block_sync(struct san_race *race);
/* Lanes of one warp have met at bar.warp.sync. */
void san_race_warp_sync(struct san_race *race, uint32_t warp);

typedef enum { SAN_READ, SAN_WRITE, SAN_ATOMIC } san_access;

/* Lanes of MASK access BYTES bytes of shared memory at offset[lane], in bounds. AT is where
 * the access stands in module M. */
void san_race_access(struct san_race *race, const sm_warp *w, const ptx_module *m,
                     const ptx_insn *at, uint32_t mask, const uint64_t offset[SM_LANES],
                     uint32_t bytes, san_access how);

#endif
