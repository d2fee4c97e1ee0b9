/* Waiting for words that other blocks store, for the modelled clock. A block that waits for a flag
 * goes on once the flag has passed through L2, so a chain of such blocks takes the time of all its
 * passages, however many blocks the device holds.
 *
 * A block has as many passages behind it as the longest chain whose end it reads. What it stores
 * for others counts as of its first such store, since others may go on by that one. So the count is
 * a lower bound: in a scan that looks back over tiles, which first make their own sums known, it is
 * 1; in a chain of n tiles n - 1. A fence, or a store with release, counts as one more. Source:
 * tests/hardware/timings/h200/parts/passages.tsv. */
#pragma once

#include "../core/warp.h"

/* The passages of a launch of BLOCKS blocks; profiler_passages_free releases them. NULL: the host
 * is out of memory. */
struct profiler_passages *profiler_passages_new(uint64_t blocks);
void profiler_passages_free(struct profiler_passages *p);

/* Count a request of W's instruction I to global memory, of the lanes in MASK at AT[lane], if other
 * blocks may see or set its words while the launch runs: a strong load or store, or an exchange. */
void profiler_count_passages(sm_warp *w, const sm_insn *i, uint32_t mask,
                             const uint64_t at[SM_LANES]);

/* W, whose worker counts passages, passes a fence. */
void profiler_count_fence(sm_warp *w);

/* The number of passages of the longest chain. P may be NULL. */
uint64_t profiler_longest_passages(const struct profiler_passages *p);
