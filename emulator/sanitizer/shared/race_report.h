/* What racecheck reports: two unordered accesses, an access before a copy's wait, or an
 * asynchronous copy without its proxy fence. */
#ifndef WARPBOOK_RACE_REPORT_H
#define WARPBOOK_RACE_REPORT_H

#include "../../core/observer.h"
#include "../reports.h"

/* Threads are numbered within the cluster, with SAN_BLOCK_THREADS numbers per block. The last
 * number stands for asynchronous copies. */
enum {
    SAN_BLOCK_THREADS = 1024,
    SAN_BLOCK_WARPS = SAN_BLOCK_THREADS / SM_LANES,
    SAN_COPIES = UINT16_MAX
};

/* One of the two accesses: by whom, where, and what it did. */
typedef struct san_side {
    uint32_t thread;
    const ptx_insn *at;
    sm_effect did;
} san_side;

/* SECOND races with FIRST at byte OFFSET of shared memory. W is a warp of the cluster. */
void san_report_race(san_reports *r, const sm_warp *w, uint32_t offset, san_side second,
                     san_side first);

/* The same as a note: both store one value. */
void san_report_same(san_reports *r, const sm_warp *w, uint32_t offset, san_side second,
                     san_side first);

/* SECOND accesses byte OFFSET, to which a cp.async issued by COPY is on its way. */
void san_report_unwaited(san_reports *r, const sm_warp *w, uint32_t offset, san_side second,
                         san_side copy);

/* COPY, at its issue, reads at byte OFFSET what WRITER wrote, without a fence.proxy.async
 * between. */
void san_report_unfenced(san_reports *r, const sm_warp *w, uint32_t offset, san_side copy,
                         san_side writer);

#endif
