/* The blocks resident on one host thread. */
#pragma once

#include "../core/sched.h"

typedef enum {
    LAUNCH_BLOCK_DONE,  /* all threads have exited */
    LAUNCH_BLOCK_POLLS, /* all threads only wait for memory to change */
    LAUNCH_BLOCK_FAULT  /* the launch has been stopped */
} launch_block_state;   /* why running the blocks stopped */

/* The resident blocks of one cluster on a host thread, with all their state. The object is reused
 * for one cluster after another. Without clusters a cluster is one block. */
typedef struct launch_resident launch_resident; /* the blocks of a cluster with all their state */
launch_resident *launch_resident_new(sm_worker *k); /* NULL: the host is out of memory */
void launch_resident_free(launch_resident *r);
/* Begin cluster CLUSTER, given by its linear index in the grid, x fastest. */
void launch_resident_begin(launch_resident *r, uint64_t cluster);
/* Run the blocks until they are done, or until all of their threads only poll. */
launch_block_state launch_resident_run(launch_resident *r);
uint32_t launch_resident_count(const launch_resident *r);
const sm_block *launch_resident_block(const launch_resident *r, uint32_t rank);
/* Hash the state of the blocks without global and local memory: registers, fragments and their
 * order, barriers, shared memory. H: the initial hash. */
uint64_t launch_resident_hash(const launch_resident *r, uint64_t h);
/* Hash the state of the blocks that does not change while threads only wait: shared memory,
 * barriers, exited threads. H: the initial hash. *SLEPT is raised to the longest time, in modelled
 * ns, that a warp has slept. */
uint64_t launch_resident_wait_hash(const launch_resident *r, uint64_t h, uint64_t *slept);
/* Whether no thread has seen anything new in its last time slice. */
bool launch_resident_polls(const launch_resident *r);
