/* Kernels that can never end are told from long ones. Inside the SM: grid.c asks after every round
 * in which all that its blocks did was wait.
 *
 * Nothing but the grid itself changes the device's memory while it runs alone. So when all that a
 * host thread's resident blocks consist of (registers, fragments, barriers, shared memory) is as it
 * was some rounds before, and no thread of the grid has changed global or local memory in between,
 * these blocks go the same way for ever; when that holds of every host thread, so does the grid. No
 * number of turns is taken for "too many": a loop that computes or counts is never reported.
 *
 * Other kernels may change it, of streams that do not wait for this one: before a grid is stopped,
 * and where nothing can be said of it when it has only spun for long, others are asked to have a
 * turn (sm_launch.others).
 *
 * Clocks let a loop end without the grid: launches that read them are not watched as a whole. So
 * does memory that the host may write while the kernel runs. Where there is any that is pinned or
 * managed, only what is seen while all of the program waits for the launch counts, as then nobody
 * on the host can write, nor a thread come that could (sm_launch.host_waits). Registered memory may
 * be another process's as well: beside it nothing is watched as a whole.
 *
 * Threads that wait at mbarriers need their own cluster only. Where a host thread's blocks have
 * looked at nothing else, neither the host nor another block can help them. Waits of libcu++ read a
 * clock to sleep longer and longer; there, where every register may change, SM_WATCH_SECONDS of
 * modelled time in which neither shared memory nor who has exited changes are taken for ever. */
#ifndef WARPBOOK_WATCH_H
#define WARPBOOK_WATCH_H

#include "../sm/sched.h"

#define SM_WATCH_SECONDS 20

/* Of a launch. A change by any thread begins a new epoch; host threads are stuck in one. */
typedef struct sm_watch {
    pthread_mutex_t lock;
    bool on;
    bool clock;               /* the code reads one */
    bool registered;          /* there is memory that another process may write */
    bool (*host_waits)(void); /* NULL: the host writes nothing that the grid sees */
    const sm_launch *launch;
    uint64_t epoch;
    uint32_t active, stuck; /* host threads */
    uint64_t look;          /* of the spinning ones; another begins when others have had a turn */
    uint32_t spinning;      /* host threads that have spun for long, in this look */
    bool changed;           /* the grid has changed memory since others were asked last */
    bool aside;             /* others have their turn */
    pthread_cond_t back;
} sm_watch;

/* Of a host thread. */
typedef struct sm_watcher {
    uint64_t round, epoch;
    uint64_t anchor_round, anchor_print, anchor_changes, anchor_slept;
    uint64_t *anchor_visits; /* [visit_count]: sm_worker.visits[].times at the anchor */
    bool anchored, stuck;
    uint64_t spins, look; /* rounds without an end; the look in which they were too many */
    uint32_t nap;         /* microseconds */
} sm_watcher;

void sm_watch_init(sm_watch *g, const sm_grid *grid);
void sm_watch_destroy(sm_watch *g);

/* A host thread begins to take blocks, and has none any more. */
void sm_watch_join(sm_watch *g, sm_watcher *me);
void sm_watch_leave(sm_watch *g, sm_watcher *me);

/* A block of the host thread has begun or ended: nothing that was seen before counts. */
static inline void sm_watch_moved(sm_watcher *me)
{
    me->round = me->spins = 0;
    me->nap = 0;
}

/* All COUNT resident blocks have had a turn in which they got nowhere, and none is left to begin.
 * Stops the launch when none of the grid's can ever end. */
void sm_watch_round(sm_watch *g, sm_watcher *me, sm_worker *k, sm_resident *const *all,
                    uint32_t count);

#endif
