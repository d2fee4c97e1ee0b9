/* Detects kernels that can never end. grid.c calls launch_check_for_deadlock after each round in
 * which the resident blocks only waited.
 *
 * While a grid runs alone, only the grid itself changes device memory. If the complete state of a
 * host thread's resident blocks (registers, fragments, barriers, shared memory) is the same as some
 * rounds earlier, and no thread of the grid has changed global or local memory in between, then the
 * blocks repeat the same states for ever. If the blocks of every host thread repeat, the grid never
 * ends. There is no limit on the number of iterations: a loop that computes or counts is never
 * reported.
 *
 * Kernels of other streams may change memory too. Before a grid is stopped, and when it has polled
 * for a long time without a decision, other grids get time to run (sm_launch.run_other_grids).
 *
 * A loop that reads a clock can end without any change in memory, so the state of a launch that
 * reads a clock is not checked. A host write can end a loop as well. If there is pinned or managed
 * memory, only rounds during which the whole program waits for the launch are counted: then no host
 * thread can write that memory (sm_launch.host_waits). Registered memory may belong to another
 * process; a program with registered memory is not checked.
 *
 * Threads that wait at an mbarrier wait only for threads of their own cluster. If a host thread's
 * blocks read no other memory, neither the host nor another block can end the wait. libcu++ reads a
 * clock to sleep for increasing times, so the registers of such a wait change; the wait is taken as
 * endless if shared memory and the set of exited threads do not change for LAUNCH_WATCH_SECONDS of
 * modelled time. */
#pragma once

#include <pthread.h>

#include "resident.h"

#define LAUNCH_WATCH_SECONDS 20 /* modelled time after which a wait at an mbarrier is endless */

/* State of the check for a launch. A change of memory by any thread begins a new epoch; a host
 * thread is stuck for the current epoch only. */
typedef struct launch_deadlock_watch {
    pthread_mutex_t lock; /* protects the fields that several host threads change */
    bool on;              /* the states of the blocks are checked */
    bool clock;           /* the code reads a clock */
    bool registered;      /* memory has been registered, which another process may write */
    /* Do all host threads of the program wait for the launch (sm_launch.host_waits)? NULL: the host
     * can write none of the memory. */
    bool (*host_waits)(void);
    const sm_launch *launch; /* the launch that is checked */
    uint64_t epoch;          /* number of the current epoch, which any change of memory ends */
    uint32_t active;         /* number of host threads that run blocks */
    uint32_t stuck;          /* number of host threads whose blocks only repeat their states */
    uint64_t
        polling_period; /* number of the current polling period, which ends when other grids run */
    uint32_t polling_threads; /* number of host threads that have polled for long in this period */
    bool changed;             /* the grid has changed memory since other grids last ran */
    bool are_others_running;  /* other grids are running */
    pthread_cond_t others_stopped; /* signalled when other grids have stopped running */
} launch_deadlock_watch;

/* State of the check for a host thread. The anchor is a recorded state of its blocks, with which
 * later states are compared. */
typedef struct launch_watcher {
    uint64_t round;          /* number of rounds since the check began */
    uint64_t epoch;          /* epoch in which the anchor was recorded */
    uint64_t anchor_round;   /* the round in which the anchor was recorded */
    uint64_t anchor_hash;    /* hash of the anchor's state */
    uint64_t anchor_changes; /* atomic operations that had changed global memory by then */
    uint64_t anchor_slept;   /* longest time, in modelled ns, that a warp had slept at that time */
    uint64_t *anchor_visits; /* [visit_count] how often each basic block had been executed
                                (sm_worker.visits) when the anchor was recorded */
    bool anchored;           /* an anchor has been recorded */
    bool stuck;              /* the blocks of this host thread repeat their states */
    uint64_t idle_rounds;    /* number of rounds without progress */
    uint64_t polling_period; /* the polling period in which the thread began to wait for long */
    uint32_t next_sleep_us;  /* length of the next sleep of the host thread, in microseconds */
} launch_watcher;

void launch_init_deadlock_watch(launch_deadlock_watch *g, const sm_grid *grid);
void launch_destroy_deadlock_watch(launch_deadlock_watch *g);

/* launch_join_deadlock_watch: a host thread begins to take blocks. launch_leave_deadlock_watch: it
 * has no blocks left. */
void launch_join_deadlock_watch(launch_deadlock_watch *g, launch_watcher *me);
void launch_leave_deadlock_watch(launch_deadlock_watch *g, launch_watcher *me);

/* Restart the check: a block of this host thread has begun or ended. */
static inline void launch_restart_deadlock_watch(launch_watcher *me)
{
    me->round = me->idle_rounds = 0;
    me->next_sleep_us = 0;
}

/* Call after a round in which all COUNT resident blocks only waited and no block is left to begin.
 * Stops the launch if no block of the grid can ever end. */
void launch_check_for_deadlock(launch_deadlock_watch *g, launch_watcher *me, sm_worker *k,
                               launch_resident *const *all, uint32_t count);
