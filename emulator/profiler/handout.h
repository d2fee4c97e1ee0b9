/* Distributes the clusters of a launch over host threads. A block without a cluster counts as a
 * cluster of one.
 *
 * Cluster c runs on SM c % count. The blocks of an SM share its L1, so they must run in order.
 * Therefore a thread takes SMs rather than clusters: a group of neighbouring SMs, for some clusters
 * on each SM. A thread has the L1s of its group to itself, and no thread waits for another. The
 * group that has progressed least is taken first, so that clusters begin nearly in the order of the
 * grid. A single thread has all SMs in one group and runs clusters exactly in grid order. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Which clusters of a launch have been taken by a thread. */
typedef struct profiler_block_distribution {
    pthread_mutex_t lock;   /* guards `group` */
    uint64_t clusters, sms; /* number of clusters of the launch; number of SMs of the device */
    uint32_t groups;        /* number of groups of SMs */
    uint64_t rounds;        /* number of clusters of each SM that a thread takes at a time */
    struct profiler_group {
        uint64_t next; /* first round that no thread has taken; a round is one cluster on each SM */
        uint64_t ahead; /* number of SMs of the group that have had their cluster of this round */
        bool taken;     /* a thread holds the group */
    } * group;          /* [groups] the groups */
} profiler_block_distribution;

/* The piece of the grid that a thread has taken: SMs FIRST to END - 1, in rounds ROUND to LAST - 1.
 * All fields zero: the thread has taken nothing. */
typedef struct profiler_grid_piece {
    uint32_t group;       /* index of the group of SMs */
    bool held;            /* the thread holds the group */
    uint64_t first, end;  /* numbers of the first SM and of the SM after the last one */
    uint64_t sm;          /* number of the current SM */
    uint64_t round, last; /* numbers of the current round and of the round after the last one */
} profiler_grid_piece;

/* Prepare to distribute CLUSTERS clusters over WORKERS threads, on a device with SMS
 * multiprocessors. ONE_AT_A_TIME: a thread takes one cluster of each SM at a time, because the
 * clusters of all threads must be resident together. Returns false when the host is out of memory.
 */
bool profiler_open_distribution(profiler_block_distribution *h, uint64_t clusters, uint64_t sms,
                                uint32_t workers, bool one_at_a_time);
void profiler_close_distribution(profiler_block_distribution *h);

/* The next cluster for the thread that has taken PIECE. The thread's earlier clusters must have
 * ended, or have L1s of their own. Returns false if no cluster is left for the thread at present.
 */
bool profiler_next_cluster(profiler_block_distribution *h, profiler_grid_piece *piece,
                           uint64_t *cluster);

/* The thread takes no cluster for some time, and all that it took have ended: others may take the
 * rest of PIECE. */
void profiler_give_back(profiler_block_distribution *h, profiler_grid_piece *piece);
