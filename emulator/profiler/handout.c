#include "handout.h"

#include "../base/lock.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS_PER_WORKER \
    4u /* groups of SMs per worker thread: several, so that one slow thread delays few SMs */
#define PIECES_PER_WORKER                                                                        \
    64u /* least number of pieces of the grid per worker thread, so that no thread takes a large \
           part of the grid at once */
#define MAX_PIECE_BLOCKS                                                                        \
    64u /* maximum number of blocks that a thread takes at once; enough to make the cost of the \
         * lock negligible                                                                      \
         */

bool profiler_open_distribution(profiler_block_distribution *h, uint64_t clusters, uint64_t sms,
                                uint32_t workers, bool one_at_a_time)
{
    memset(h, 0, sizeof *h);
    h->clusters = clusters;
    h->sms = clusters < sms ? clusters : sms;
    h->sms = h->sms ? h->sms : 1;
    const uint64_t groups = workers < 2 ? 1 : (uint64_t)workers * GROUPS_PER_WORKER;
    h->groups = (uint32_t)(groups < h->sms ? groups : h->sms);
    h->group = calloc(h->groups + 1u, sizeof *h->group);
    uint64_t piece = clusters / (workers * (uint64_t)PIECES_PER_WORKER);
    piece = piece > MAX_PIECE_BLOCKS ? MAX_PIECE_BLOCKS : piece;
    h->rounds = one_at_a_time ? 1 : piece * h->groups / h->sms;
    h->rounds = h->rounds < 1 ? 1 : h->rounds;
    pthread_mutex_init(&h->lock, NULL);
    return h->group != NULL;
}

void profiler_close_distribution(profiler_block_distribution *h)
{
    pthread_mutex_destroy(&h->lock);
    free(h->group);
}

/* Give back the group of SMs that PIECE holds, and take the free group that has progressed least.
 * Returns false if there is none. The caller holds the lock. */
static bool take_next_group(profiler_block_distribution *h, profiler_grid_piece *piece)
{
    if (piece->held)
        h->group[piece->group].taken = false;
    *piece = (profiler_grid_piece){0};
    struct profiler_group *best = NULL;
    for (uint32_t k = 0; k < h->groups; k++) {
        struct profiler_group *g = &h->group[k];
        const uint64_t first = (uint64_t)k * h->sms / h->groups;
        const uint64_t cluster = g->next * h->sms + first + g->ahead;
        if (!g->taken && cluster < h->clusters && (!best || g->next < best->next))
            best = g;
    }
    if (!best)
        return false;
    const uint64_t k = (uint64_t)(best - h->group);
    best->taken = true;
    *piece = (profiler_grid_piece){.group = (uint32_t)k,
                                   .held = true,
                                   .first = k * h->sms / h->groups,
                                   .end = (k + 1) * h->sms / h->groups,
                                   .round = best->next,
                                   .last = best->next + h->rounds};
    piece->sm = piece->first + best->ahead;
    best->next = piece->last;
    best->ahead = 0;
    return true;
}

bool profiler_next_cluster(profiler_block_distribution *h, profiler_grid_piece *piece,
                           uint64_t *cluster)
{
    *cluster = piece->round * h->sms + piece->sm;
    if (!piece->held || piece->round == piece->last || *cluster >= h->clusters) {
        pthread_mutex_lock(&h->lock);
        const bool taken = take_next_group(h, piece);
        pthread_mutex_unlock(&h->lock);
        if (!taken)
            return false;
        *cluster = piece->round * h->sms + piece->sm;
    }
    if (++piece->sm == piece->end) {
        piece->sm = piece->first;
        piece->round++;
    }
    return true;
}

void profiler_give_back(profiler_block_distribution *h, profiler_grid_piece *piece)
{
    HOLD_LOCK(&h->lock);
    if (piece->held) {
        struct profiler_group *g = &h->group[piece->group];
        *g = (struct profiler_group){.next = piece->round, .ahead = piece->sm - piece->first};
    }
    *piece = (profiler_grid_piece){0};
}
