/* Detection of kernels that can never end. After each round in which its blocks only waited, grid.c
 * calls sm_watch_round.
 *
 * While a grid runs alone, only the grid itself changes device memory. If the complete state of a
 * host thread's resident blocks (registers, fragments, barriers, shared memory) is the same as some
 * rounds before, and no thread of the grid has changed global or local memory in between, then
 * these blocks will repeat themselves for ever. If this holds for every host thread, the grid never
 * ends. There is no limit on the number of iterations: a loop that computes or counts is never
 * reported.
 *
 * Kernels of other streams may change memory too. Before a grid is stopped, and when it has polled
 * for a long time without a decision, other grids get time to run (sm_launch.others).
 *
 * A clock lets a loop end without any change in memory, so launches that read one are not checked
 * as a whole. Memory that the host can write is similar. If there is pinned or managed memory, only
 * rounds count during which the whole program waits for the launch: then no host thread can write
 * to it (sm_launch.host_waits). Registered memory may belong to another process; with it, launches
 * are not checked as a whole.
 *
 * Threads that wait at an mbarrier depend on their own cluster only. If a host thread's blocks read
 * nothing else, neither the host nor another block can help them. libcu++ reads a clock to sleep
 * for increasing times, so there any register may change; then SM_WATCH_SECONDS of modelled time
 * without a change of shared memory and of the set of exited threads counts as for ever. */
#ifndef WARPBOOK_WATCH_H
#define WARPBOOK_WATCH_H

#include "../sm/sched.h"

#define SM_WATCH_SECONDS 20

/* State of a launch. A change by any thread begins a new epoch; host threads are stuck within
 * one. */
typedef struct sm_watch {
    pthread_mutex_t lock;
    bool on;
    bool clock;               /* the code reads a clock */
    bool registered;          /* there is memory that another process may write */
    bool (*host_waits)(void); /* NULL: the host writes nothing that the grid sees */
    const sm_launch *launch;
    uint64_t epoch;
    uint32_t active, stuck; /* host threads in all; host threads that are stuck */
    uint64_t look;          /* number of the polling period, which ends when other grids run */
    uint32_t spinning;      /* number of host threads that have polled for long in this period */
    bool changed;           /* the grid has changed memory since other grids last ran */
    bool aside;             /* other grids are running */
    pthread_cond_t back;
} sm_watch;

/* State of a host thread. */
typedef struct sm_watcher {
    uint64_t round, epoch;
    uint64_t anchor_round, anchor_hash, anchor_changes, anchor_slept;
    uint64_t *anchor_visits; /* [visit_count]: sm_worker.visits[].times at the anchor */
    bool anchored, stuck;
    uint64_t spins, look; /* rounds without progress; period in which they became too many */
    uint32_t nap;         /* next sleep, in microseconds */
} sm_watcher;

void sm_watch_init(sm_watch *g, const sm_grid *grid);
void sm_watch_destroy(sm_watch *g);

/* A host thread begins to take blocks; it has no blocks left. */
void sm_watch_join(sm_watch *g, sm_watcher *me);
void sm_watch_leave(sm_watch *g, sm_watcher *me);

/* A block of this host thread has begun or ended: start the check again. */
static inline void sm_watch_moved(sm_watcher *me)
{
    me->round = me->spins = 0;
    me->nap = 0;
}

/* Call after a round in which all COUNT resident blocks only waited and no block is left to begin.
 * Stops the launch if no block of the grid can ever end. */
void sm_watch_round(sm_watch *g, sm_watcher *me, sm_worker *k, sm_resident *const *all,
                    uint32_t count);

#endif
