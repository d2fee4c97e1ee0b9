/* The modelled work of each warp and block. A warp's time is the length of its dependency chains
 * plus its waits. The part of it that depends on the code alone is known for each basic block and
 * added at the block's entry, which costs almost nothing. Effects of addresses (sectors, misses,
 * conflicts) are spread evenly over requests and chains. */
#include "effort.h"

#include <string.h>

void sm_effort_flush_sums(sm_warp *w)
{
    for (uint32_t k = 0; k < WORK_FIELDS; k++) {
        w->sched->effort[k] += w->effort[k];
        w->effort[k] = 0;
    }
}

/* Compute all work of warp W, which has ended. The sums in W are not reset. */
static void sum_warp_work(const sm_warp *w, uint64_t effort[WORK_FIELDS])
{
    for (uint32_t k = 0; k < WORK_FIELDS; k++)
        effort[k] = w->sched->effort[k] + w->effort[k];
    if (w->once)
        effort[WORK_ROUNDS] += (uint32_t)__builtin_popcount(w->once);
}

static uint64_t estimated_cycles(const uint64_t effort[WORK_FIELDS])
{
    return effort[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * effort[WORK_ROUNDS];
}

/* Whether block A takes longer than block B. This is a total order, so the result does not depend
 * on the order of comparisons. */
static bool is_longer_block(const block_work *a, const block_work *b)
{
    const float x = a->of[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * a->of[WORK_ROUNDS];
    const float y = b->of[WORK_CHAIN] + WORK_CYCLES_PER_WAIT * b->of[WORK_ROUNDS];
    if (x != y)
        return x > y;
    for (uint32_t k = 0; k < WORK_FIELDS; k++)
        if (a->of[k] != b->of[k])
            return a->of[k] > b->of[k];
    return false;
}

/* Let WORK, of block BLOCK, be the longest of TO if it takes longest, or is the first of equals. */
static void keep_longest(launch_work *to, const block_work *work, uint64_t block, uint32_t warp)
{
    const bool shorter = to->blocks && is_longer_block(&to->longest, work);
    if (shorter ||
        (to->blocks && !is_longer_block(work, &to->longest) && to->longest_block < block))
        return;
    to->longest = *work;
    to->longest_block = block;
    to->longest_warp = warp;
}

void sm_effort_add_block_to_launch(const sm_block *b)
{
    launch_work *sum = &b->warp->worker->work;
    uint64_t longest = 0, all[WORK_FIELDS] = {0}, effort[WORK_FIELDS];
    uint64_t most[WORK_FIELDS] = {0};
    uint32_t longest_warp = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        sum_warp_work(&b->warp[n], effort);
        const uint64_t now = estimated_cycles(effort);
        sum->waiting += effort[WORK_ROUNDS] != 0;
        for (uint32_t k = 0; k < WORK_FIELDS; k++)
            all[k] += effort[k];
        if (n == 0 || now > longest) {
            memcpy(most, effort, sizeof most);
            longest = now;
            longest_warp = n;
        }
    }
    const block_work work = {.of = {[WORK_ISSUE] = (float)all[WORK_ISSUE],
                                    [WORK_CHAIN] = (float)most[WORK_CHAIN],
                                    [WORK_ROUNDS] = (float)most[WORK_ROUNDS],
                                    [WORK_REQUESTS] = (float)all[WORK_REQUESTS]}};
    keep_longest(sum, &work, b->linear, longest_warp);
    for (uint32_t k = 0; k < WORK_FIELDS; k++)
        sum->all[k] += all[k];
    sum->blocks++;
    sum->warps += b->warp_count;
    sum->chain += most[WORK_CHAIN];
    sum->rounds += most[WORK_ROUNDS];
    if (b->grid->work)
        b->grid->work[b->linear] = work;
}

void sm_effort_add_launch(launch_work *to, const launch_work *from)
{
    if (from->blocks)
        keep_longest(to, &from->longest, from->longest_block, from->longest_warp);
    for (uint32_t k = 0; k < WORK_FIELDS; k++)
        to->all[k] += from->all[k];
    to->blocks += from->blocks;
    to->warps += from->warps;
    to->waiting += from->waiting;
    to->chain += from->chain;
    to->rounds += from->rounds;
}
