/* The additional time of a launch whose blocks take unequal time. Blocks are assigned in order to
 * free slots for resident blocks. A block alone on the device takes as long as its longest warp, or
 * as long as its work occupies an SM. Resident blocks share schedulers and memory, and all slow
 * down equally if their demand exceeds the throughput of schedulers or memory. */
#include "uneven.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define NEGLIGIBLE_DIFFERENCE 0.02 /* smaller relative differences are ignored */

/* The time of a block that runs alone, and the times for which the block keeps an SM and the
 * device's memory busy. */
typedef struct block_span {
    double ns, sm, memory; /* ns */
} block_span;

static double max_double(double x, double limit)
{
    return x > limit ? x : limit;
}

static double ratio_or_zero(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The time of a block whose longest warp takes ALONE and which keeps an SM busy for SM. The warps
 * of one block execute similar code at the same time, so ALONE and SM overlap less than with many
 * blocks: the exponent is from copies by one block, of 128 to 1024 threads
 * (tests/hardware/timings/h200/parts/few.tsv). */
static double combine_block_times(double alone, double sm)
{
    return cbrt(alone * alone * alone + sm * sm * sm);
}

/* The time that a warp waits for L2 and DRAM in ROUNDS rounds. Warps that wait more often than
 * other warps of their block mostly hit lines in L1 that the other warps have fetched or stored.
 * Therefore rounds above the average take no time, unless they exceed the mean of the longest warps
 * of all blocks. */
static double far_wait_time(const uneven_launch *l, const launch_work *w, double rounds)
{
    const double waiting = ratio_or_zero((double)w->waiting, (double)w->warps);
    const double mean = ratio_or_zero((double)w->all[WORK_ROUNDS], (double)w->waiting);
    const double longest = (double)w->rounds / (double)w->blocks;
    const double beyond = max_double(rounds - longest, 0);
    const double within = rounds - beyond < mean ? ratio_or_zero(rounds - beyond, mean) : 1;

    return ratio_or_zero(l->far, waiting) * (within + ratio_or_zero(beyond, mean));
}

/* The time of a block: work CHAIN and ROUNDS of its longest warp, ISSUE and REQUESTS of all its
 * warps. */
static block_span span_of_work(const uneven_launch *l, const launch_work *w, double chain,
                               double rounds, double issue, double requests)
{
    const double warps = (double)w->warps;
    const double of_issue = ratio_or_zero(issue, (double)w->all[WORK_ISSUE]);
    const double of_requests = ratio_or_zero(requests, (double)w->all[WORK_REQUESTS]);
    const double alone = l->start +
                         l->chain * ratio_or_zero(chain * warps, (double)w->all[WORK_CHAIN]) +
                         far_wait_time(l, w, rounds);
    const double sm = max_double(l->issue * of_issue, l->requests * of_requests);

    return (block_span){combine_block_times(alone, sm), sm, l->memory * of_requests};
}

/* The time of block B. */
static block_span span_of_block(const uneven_launch *l, const launch_work *w, const block_work *b)
{
    return span_of_work(l, w, b->of[WORK_CHAIN], b->of[WORK_ROUNDS], b->of[WORK_ISSUE],
                        b->of[WORK_REQUESTS]);
}

/* Slowdown of BLOCKS resident blocks that together would keep SM_DEMAND SMs busy, and the device's
 * memory MEMORY_DEMAND times over, relative to one block alone. */
static double slowdown_when_shared(const uneven_launch *l, double blocks, double sm_demand,
                                   double memory_demand)
{
    const double sms = blocks < l->sms ? blocks : l->sms;
    return max_double(max_double(ratio_or_zero(sm_demand, sms), memory_demand), 1);
}

/* The time of BLOCKS equal blocks that each take S. */
static double equal_blocks_time(const uneven_launch *l, double blocks, block_span s)
{
    const double waves = max_double(blocks / l->places, 1);
    const double count = blocks < l->places ? blocks : l->places;

    return waves * s.ns *
           slowdown_when_shared(l, count, count * ratio_or_zero(s.sm, s.ns),
                                count * ratio_or_zero(s.memory, s.ns));
}

/* --- assigning blocks one by one -------------------------------------------------------------- */

typedef struct running_block {
    /* end: time at which the block ends, on a clock that slows down with the resident blocks; sm,
     * memory: demand per ns. */
    double end, sm, memory; /* end time; demand for the SM and for memory */
} running_block;

/* Restore the order of HEAP, earliest end first, after element AT has got a later end. */
static void sift_down(running_block *heap, size_t count, size_t at)
{
    const running_block moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        child += child + 1 < count && heap[child + 1].end < heap[child].end;
        if (heap[child].end >= moved.end)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Restore the order of HEAP after element AT has been added at its end. */
static void sift_up(running_block *heap, size_t at)
{
    const running_block moved = heap[at];
    while (at && heap[(at - 1) / 2].end > moved.end) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

/* The time of all blocks of W, assigned in order to PLACES slots for resident blocks. HEAP has
 * PLACES elements. */
static double assigned_blocks_time(const uneven_launch *l, const launch_work *w,
                                   running_block *heap, size_t places)
{
    size_t count = 0;
    uint64_t next = 0;
    double now = 0, ns = 0, sm = 0, memory = 0;
    while (count || next < w->blocks) {
        const bool full = count == places || next == w->blocks;
        if (full) {
            const running_block done = heap[0];
            ns += (done.end - now) * slowdown_when_shared(l, (double)count, sm, memory);
            now = done.end;
            sm = max_double(sm - done.sm, 0);
            memory = max_double(memory - done.memory, 0);
            heap[0] = heap[--count];
            sift_down(heap, count, 0);
        }
        if (next < w->blocks && count < places) {
            const block_span s = span_of_block(l, w, &w->block[next++]);
            heap[count] = (running_block){now + s.ns, ratio_or_zero(s.sm, s.ns),
                                          ratio_or_zero(s.memory, s.ns)};
            sm += heap[count].sm;
            memory += heap[count].memory;
            sift_up(heap, count++);
        }
    }
    return ns;
}

double uneven_extra_time(const uneven_launch *l, const launch_work *w, double busy)
{
    if (w->blocks == 0 || w->warps == 0)
        return 0;
    const double blocks = (double)w->blocks, warps = (double)w->warps;
    const double issue = (double)w->all[WORK_ISSUE] / blocks;
    const double requests = (double)w->all[WORK_REQUESTS] / blocks;
    const double even =
        equal_blocks_time(l, blocks,
                          span_of_work(l, w, (double)w->all[WORK_CHAIN] / warps,
                                       (double)w->all[WORK_ROUNDS] / warps, issue, requests));
    const block_span mean =
        span_of_work(l, w, (double)w->chain / blocks, (double)w->rounds / blocks, issue, requests);
    const block_span longest = span_of_block(l, w, &w->longest);
    const double by_warps = equal_blocks_time(l, blocks, mean);
    double ns = max_double(by_warps, longest.ns);

    if (w->block && longest.ns > (1 + NEGLIGIBLE_DIFFERENCE) * mean.ns &&
        longest.ns > NEGLIGIBLE_DIFFERENCE * ns) {
        const size_t places = (size_t)(blocks < l->places ? blocks : l->places);
        running_block *heap = malloc(places * sizeof *heap);
        ns = heap ? assigned_blocks_time(l, w, heap, places) : ns;
        free(heap);
    }
    /* If another part of the device bounds an even launch, that part hides the waiting of long
     * warps. */
    const double by_blocks = blocks <= l->sms ? max_double(even - busy, 0) : 0;
    return by_blocks + max_double(by_warps - max_double(even, busy), 0) +
           max_double(ns - by_warps, 0);
}
