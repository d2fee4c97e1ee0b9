/* Launches that run on and on although no block ends and no loop comes nearer to its end. Inside
 * the SM.
 *
 * watch.h finds launches whose whole state repeats. A loop that also counts, or that misses the
 * value at which it would end, changes its state each time. For these a launch has a limit of CPU
 * time (sm_launch.patience_ms), which is measured with the clocks of its host threads, so that a
 * busy host does not change the verdict. The time is counted anew whenever a block ends. When it is
 * used up, the comparisons that decide whether the outermost loops are left are looked at: the
 * distance between their operands now and some time before tells when the loop would end. Where
 * that is soon enough for any thread, or where threads have exited or have come to other loops, the
 * launch gets as much time again; otherwise it is stopped. A loop that nothing
 * ends (no branch out of it, no exit) is reported at the first look. */
#ifndef WARPBOOK_PATIENCE_H
#define WARPBOOK_PATIENCE_H

#include "../sm/cluster.h"
#include "../sm/sched.h"

/* A loop that would end within this CPU time may go on. */
#define SM_PATIENCE_SECONDS 60

/* How long a launch may still run. */
typedef struct sm_patience {
    uint64_t limit;         /* limit in ns of CPU time; 0: none */
    _Atomic uint64_t spent; /* CPU time of all host threads since it was reset, ns */
    _Atomic uint32_t epoch; /* how often `spent` has been reset */
} sm_patience;

/* Where a warp of a resident block was. */
typedef struct sm_bearing sm_bearing;

/* What has been noted of the resident blocks of a cluster. */
typedef struct sm_outlook {
    sm_bearing *warp; /* [blocks of the cluster x warps]; NULL: nothing has been noted yet */
    uint32_t epoch;   /* value of sm_patience.epoch when the notes were taken */
    uint32_t exited;  /* number of threads that had exited then */
    uint64_t spent;
} sm_outlook;

void sm_outlook_free(sm_outlook *o);

/* A block of the worker's has ended, or there was help from other grids or the host. */
void sm_patience_reset(sm_patience *p);
/* Add the CPU time of worker K since the last call. True: much of the limit is used up, so that
 * sm_outlook_judge is to be called. */
bool sm_patience_look(sm_patience *p, sm_worker *k);

typedef enum {
    SM_OUTLOOK_OPEN,  /* it cannot be decided yet */
    SM_OUTLOOK_MOVES, /* the launch makes progress, so its time limit starts anew */
    SM_OUTLOOK_NONE   /* the blocks of the cluster come no nearer to their end */
} sm_outlook_verdict;

/* Called between time slices of the blocks of C. */
sm_outlook_verdict sm_outlook_judge(sm_outlook *o, sm_patience *p, const sm_cluster *c);

/* Stop the launch with a report on the first loop in C. */
void sm_patience_report(const sm_patience *p, const sm_cluster *c);

#endif
