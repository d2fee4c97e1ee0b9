/* Snapshots of a debugged run: sleeping copies of the worker process, to which the user can go back
 * quickly. They are sorted by their moment, and bounded in number and memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STEP_MAX_SNAPSHOTS = 48 }; /* maximum number of snapshots that are kept */

typedef struct step_snapshot {
    uint64_t tick;   /* number of the moment at which the process was forked */
    int socket, pid; /* socket and process ID of the sleeping process */
} step_snapshot;

typedef struct step_snapshots {
    step_snapshot list[STEP_MAX_SNAPSHOTS + 1]; /* sorted by tick */
    uint32_t count;                             /* number of snapshots */
    uint64_t now;     /* the moment shown to the user: snapshots near it matter most */
    uint64_t thinned; /* snapshots removed so far to make room */
    void (*give_up)(step_snapshot *gone); /* function that ends the process of a removed snapshot */
} step_snapshots;

/* Add a snapshot; it replaces one of the same moment. If there are too many, one goes. */
void step_snapshots_add(step_snapshots *s, step_snapshot added);
/* Remove the least useful snapshot, but never the first or the last one. False: none can go. */
bool step_snapshots_remove_one(step_snapshots *s);
/* Remove all snapshots later than TICK. */
void step_snapshots_remove_after(step_snapshots *s, uint64_t tick);
/* The latest snapshot that is not later than TICK; NULL: there is none. */
const step_snapshot *step_snapshots_before(const step_snapshots *s, uint64_t tick);
