#include "handout.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS_PER_WORKER \
    4u /* several groups of SMs per worker thread, so that one slow thread delays few SMs */
#define BITES_PER_WORKER \
    64u /* so many pieces of the grid that one thread never takes a large part of it at once */
#define MAX_BITE_BLOCKS                                                                            \
    64u /* most blocks that a thread takes at once; enough to make the cost of the lock negligible \
         */

bool sm_open_distribution(sm_block_distribution *h, uint64_t clusters, uint64_t sms,
                          uint32_t workers, bool singly)
{
    memset(h, 0, sizeof *h);
    h->clusters = clusters;
    h->sms = clusters < sms ? clusters : sms;
    h->sms = h->sms ? h->sms : 1;
    const uint64_t groups = workers < 2 ? 1 : (uint64_t)workers * GROUPS_PER_WORKER;
    h->groups = (uint32_t)(groups < h->sms ? groups : h->sms);
    h->group = calloc(h->groups + 1u, sizeof *h->group);
    uint64_t bite = clusters / (workers * (uint64_t)BITES_PER_WORKER);
    bite = bite > MAX_BITE_BLOCKS ? MAX_BITE_BLOCKS : bite;
    h->rounds = singly ? 1 : bite * h->groups / h->sms;
    h->rounds = h->rounds < 1 ? 1 : h->rounds;
    pthread_mutex_init(&h->lock, NULL);
    return h->group != NULL;
}

void sm_close_distribution(sm_block_distribution *h)
{
    pthread_mutex_destroy(&h->lock);
    free(h->group);
}

/* The caller holds the lock. Return the group of SMs that BITE holds, and take the free group that
 * has progressed least. */
static bool take_next_group(sm_block_distribution *h, sm_grid_piece *bite)
{
    if (bite->held) {
        h->group[bite->group].taken = false;
    }
    *bite = (sm_grid_piece){0};
    struct sm_group *best = NULL;
    for (uint32_t k = 0; k < h->groups; k++) {
        struct sm_group *g = &h->group[k];
        const uint64_t first = (uint64_t)k * h->sms / h->groups;
        if (!g->taken && g->next * h->sms + first < h->clusters &&
            (!best || g->next < best->next)) {
            best = g;
        }
    }
    if (!best) {
        return false;
    }
    const uint64_t k = (uint64_t)(best - h->group);
    best->taken = true;
    *bite = (sm_grid_piece){.group = (uint32_t)k,
                            .held = true,
                            .first = k * h->sms / h->groups,
                            .end = (k + 1) * h->sms / h->groups,
                            .round = best->next,
                            .last = best->next + h->rounds};
    bite->sm = bite->first;
    best->next = bite->last;
    return true;
}

bool sm_next_cluster(sm_block_distribution *h, sm_grid_piece *bite, uint64_t *cluster)
{
    *cluster = bite->round * h->sms + bite->sm;
    if (!bite->held || bite->round == bite->last || *cluster >= h->clusters) {
        pthread_mutex_lock(&h->lock);
        const bool taken = take_next_group(h, bite);
        pthread_mutex_unlock(&h->lock);
        if (!taken) {
            return false;
        }
        *cluster = bite->round * h->sms + bite->sm;
    }
    if (++bite->sm == bite->end) {
        bite->sm = bite->first;
        bite->round++;
    }
    return true;
}
