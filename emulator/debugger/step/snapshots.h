/* The moments that a walk can go back to at once: sleeping copies of the process, ordered by their
 * moment, bounded in number and memory. */
#ifndef WARPBOOK_STEP_SNAPSHOTS_H
#define WARPBOOK_STEP_SNAPSHOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { STEP_SNAPSHOTS = 48 };

typedef struct step_snapshot {
    uint64_t tick;
    int socket, pid;
} step_snapshot;

typedef struct step_snapshots {
    step_snapshot list[STEP_SNAPSHOTS + 1]; /* sorted by tick */
    uint32_t count;
    uint64_t now;     /* the moment shown to the user: snapshots near it matter most */
    uint64_t thinned; /* snapshots removed so far to make room */
    void (*give_up)(step_snapshot *gone); /* ends the snapshot's process */
} step_snapshots;

/* Add a snapshot; one of the same moment that is there already is given up. Where there are too
 * many, one is given up. */
void step_snapshots_add(step_snapshots *s, step_snapshot added);
/* Give up the one that is missed least. The first and the last one stay. False: there is none. */
bool step_snapshots_thin(step_snapshots *s);
/* Give up all later than TICK. */
void step_snapshots_drop(step_snapshots *s, uint64_t tick);
/* The latest one that is not later than TICK; NULL: none. */
const step_snapshot *step_snapshots_before(const step_snapshots *s, uint64_t tick);

#endif
