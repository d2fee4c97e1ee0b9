/* Detects launches that make no progress: no block ends, and no loop approaches its end. Private to
 * the SM.
 *
 * deadlock_watch.h finds launches whose whole state repeats. An endless loop that counts, or that
 * misses the value at which it would end, changes its state in each iteration. To detect such
 * loops, a launch has a limit of CPU time (sm_launch.patience_ms), which is measured with the
 * clocks of its host threads, so that a busy host does not change the verdict. The time restarts
 * from 0 whenever a block ends. When the limit is reached, the comparisons that end the loops are
 * examined: if the operands of one thread's comparison have approached each other, however slowly,
 * or if threads have exited or have entered other loops, the time restarts; otherwise the launch is
 * stopped. So a kernel that is only slow goes on. A loop without any exit (no branch out of it, no
 * exit instruction) is reported at the first check. */
#pragma once

#include "../sm/cluster.h"

/* The limit of CPU time without progress, and the time used. */
typedef struct launch_time_limit {
    uint64_t limit;         /* limit of CPU time in ns; 0: no limit */
    _Atomic uint64_t spent; /* CPU time of all host threads since the last reset, in ns */
    _Atomic uint32_t epoch; /* how often `spent` has been reset */
} launch_time_limit;

/* The loop of a warp of a resident block, and the distance from the loop's end. */
typedef struct launch_loop_progress launch_loop_progress; /* a warp's progress in a loop */

/* The recorded progress of the resident blocks of a cluster. */
typedef struct launch_progress_record {
    launch_loop_progress *warp; /* [blocks of the cluster x warps of a block] progress of each warp;
                               NULL: nothing is recorded yet */
    uint32_t epoch;  /* value of launch_time_limit.epoch when the progress was recorded */
    uint32_t exited; /* number of exited threads when the progress was recorded */
    uint64_t spent;
} launch_progress_record;

void launch_progress_free(launch_progress_record *o);

/* Restart the time limit, because a block has ended, or other grids or the host have run. */
void launch_time_limit_reset(launch_time_limit *p);
/* CPU time of this host thread in nanoseconds; 0: it is not known. */
uint64_t launch_thread_cpu_ns(void);
/* Add the CPU time of worker K since the last call. Returns true if so much of the limit is used
 * that launch_progress_judge must be called. */
bool launch_time_limit_check(launch_time_limit *p, sm_worker *k);

typedef enum {
    LAUNCH_PROGRESS_UNKNOWN, /* no decision yet */
    LAUNCH_PROGRESS_MADE,    /* the launch makes progress, so its time restarts */
    LAUNCH_PROGRESS_NONE     /* the blocks of the cluster make no progress: stop the launch */
} launch_progress_verdict;   /* do the blocks of a cluster make progress? */

/* Decide whether the blocks of C make progress. Called between their time slices. */
launch_progress_verdict launch_progress_judge(launch_progress_record *o, launch_time_limit *p,
                                              const sm_cluster *c);

/* Stop the launch with a report on the first loop that a thread of C has gone round since O. */
void launch_report_no_progress(const launch_progress_record *o, const launch_time_limit *p,
                               const sm_cluster *c);
