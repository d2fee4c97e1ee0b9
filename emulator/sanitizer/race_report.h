/* What racecheck says of two accesses that nothing orders, and of an asynchronous copy without its
 * fence. */
#ifndef WARPBOOK_RACE_REPORT_H
#define WARPBOOK_RACE_REPORT_H

#include "../core/observer.h"
#include "reports.h"

/* Threads are numbered through the cluster, as many for each block as one may have; the last number
 * stands for asynchronous copies. */
enum {
    SAN_BLOCK_THREADS = 1024,
    SAN_BLOCK_WARPS = SAN_BLOCK_THREADS / SM_LANES,
    SAN_COPIES = UINT16_MAX
};

/* One of the two: who, where, and what it did. */
typedef struct san_side {
    uint32_t thread;
    const ptx_insn *at;
    sm_effect did;
} san_side;

/* SECOND races with FIRST at OFFSET (bytes) of shared memory; W belongs to the cluster. */
void san_report_race(san_reports *r, const sm_warp *w, uint32_t offset, san_side second,
                     san_side first);

/* The copy that COPY issued reads at OFFSET what WRITER wrote, with no fence.proxy.async between.
 */
void san_report_unfenced(san_reports *r, const sm_warp *w, uint32_t offset, san_side copy,
                         san_side writer);

#endif
