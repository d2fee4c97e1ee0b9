/* Reports of racecheck: two unordered accesses, an access before the wait for a copy, or an
 * asynchronous copy without its proxy fence. */
#pragma once

#include "../../core/observer.h"
#include "../reports.h"

/* Threads and warps are numbered within the cluster: the numbers of a block's threads and warps
 * begin at the block's rank times the first two constants. */
enum {
    SAN_BLOCK_THREADS = 1024, /* thread numbers set aside for each block of the cluster */
    SAN_BLOCK_WARPS = SAN_BLOCK_THREADS / SM_LANES, /* warp numbers set aside for each block */
    SAN_THREAD_OF_COPY = UINT16_MAX /* thread number that stands for an asynchronous copy */
};

/* One of the two accesses of a report: its thread, instruction and effect. */
typedef struct san_racing_thread {
    uint32_t thread; /* number of the thread within the cluster */
    const ptx_insn *at;
    sm_effect did; /* read, write or update */
} san_racing_thread;

/* Report that SECOND races with FIRST at byte OFFSET of shared memory. W: a warp of the cluster. */
void san_report_race(san_reports *r, const sm_warp *w, uint32_t offset, san_racing_thread second,
                     san_racing_thread first);

/* Report, as a note, that SECOND and FIRST store the same value without order. */
void san_report_same_value(san_reports *r, const sm_warp *w, uint32_t offset,
                           san_racing_thread second, san_racing_thread first);

/* Report that SECOND accesses byte OFFSET while a cp.async by COPY that writes it is in flight. */
void san_report_unwaited(san_reports *r, const sm_warp *w, uint32_t offset,
                         san_racing_thread second, san_racing_thread copy);

/* Report that SECOND accesses by the `extern __shared__` ARRAY what FIRST wrote by OTHER. */
void san_report_other_array(san_reports *r, const sm_warp *w, uint32_t offset,
                            san_racing_thread second, san_racing_thread first, const ptx_var *array,
                            const ptx_var *other);

/* Report that COPY, when it is issued, reads at byte OFFSET a value that WRITER wrote, without a
 * fence.proxy.async between. */
void san_report_unfenced(san_reports *r, const sm_warp *w, uint32_t offset, san_racing_thread copy,
                         san_racing_thread writer);
