/* Which host thread runs which cluster of a launch. Inside the SM.
 *
 * Cluster c belongs to SM c % count, whose L1 its blocks share, so that the blocks of an SM go one
 * after another, in order. Threads therefore take SMs: a group of neighbouring ones, for some
 * clusters of each. Whoever has a group has its L1s to itself, and nobody waits for anybody. The
 * group that is furthest behind goes first, so that clusters begin nearly in the order of the grid;
 * one thread has all SMs in one group and takes clusters exactly in that order. */
#ifndef WARPBOOK_HANDOUT_H
#define WARPBOOK_HANDOUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sm_handout {
    pthread_mutex_t lock;
    uint64_t clusters, sms;
    uint32_t groups;
    uint64_t rounds; /* clusters of each SM that a thread takes at once */
    struct sm_group {
        uint64_t next; /* round that has not been taken */
        bool taken;
    } * group;
} sm_handout;

/* What a thread has taken: SMs from FIRST on, to END, in rounds up to LAST. Zeros: nothing. */
typedef struct sm_bite {
    uint32_t group;
    bool held;
    uint64_t first, end, sm;
    uint64_t round, last;
} sm_bite;

/* Ready to hand out CLUSTERS to WORKERS threads, on a device of SMS multiprocessors. SINGLY: one of
 * each SM at once, as clusters of all threads must be there together. False: the host is out of
 * memory. */
bool sm_handout_open(sm_handout *h, uint64_t clusters, uint64_t sms, uint32_t workers, bool singly);
void sm_handout_close(sm_handout *h);

/* The next cluster for the thread that has BITE, which must have let the ones before it come to
 * their ends, or have given them L1s of their own. False: there is none for it now. */
bool sm_handout_next(sm_handout *h, sm_bite *bite, uint64_t *cluster);

#endif
