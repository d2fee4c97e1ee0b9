/* The exact cost of a memory request: sectors, wavefronts, distinct addresses. The handlers in
 * exec/ have fast paths for common access patterns and call these functions for all others. */
#ifndef WARPBOOK_COUNT_H
#define WARPBOOK_COUNT_H

#include "../core/warp.h"

#include <stdbool.h>

/* Number of distinct values among KEY[0 .. n), n <= 32. */
uint32_t profiler_count_distinct(const uint64_t *key, uint32_t n);

/* Wavefronts of a shared-memory request: the lanes of MASK access BYTES bytes (1 to 16, aligned) at
 * offset[lane]. Shared memory has 32 banks of four bytes; a wavefront serves one word per bank, to
 * any number of lanes. 64-bit accesses are served half a warp at a time, 128-bit ones a quarter. A
 * load in which neighbouring lanes (l and l ^ 1, or l and l ^ 2, throughout) read the same address
 * is served twice as many lanes at a time, if that causes no bank conflict. Source: measured on an
 * H200, tests/hardware/counters/run-counters. */
typedef struct profiler_wavefront_cost {
    uint32_t wavefronts; /* number of wavefronts (passes through shared memory) */
    uint32_t conflicts;  /* wavefronts beyond the minimum of one for each part of the warp (half or
                            quarter) */
} profiler_wavefront_cost;
profiler_wavefront_cost profiler_shared_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes, bool load);

/* Wavefronts of an atomic shared-memory request. A bank serves the lanes that update its words one
 * after another, also if they update the same word (for exceptions see collect.c). 64-bit atomics
 * are assumed to be served half a warp at a time, like stores; that has not been measured. */
profiler_wavefront_cost profiler_atomic_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask,
                                                   uint32_t bytes);

/* Number of sectors of a local-memory request. Local memory is interleaved: the same 4-byte word of
 * neighbouring lanes is contiguous. */
uint32_t profiler_local_sectors(const uint64_t offset[SM_LANES], uint32_t mask, uint32_t bytes);

/* The cost of a global-memory request with scattered addresses: ADDRESS[0 .. n) are the addresses
 * of the n active lanes, in order, with BYTES bytes each, naturally aligned. */
typedef struct profiler_global_request_cost {
    uint32_t sectors; /* number of distinct 32-byte sectors */
    uint32_t lines;   /* number of distinct 128-byte lines */
    uint32_t ideal;   /* number of sectors if the distinct addresses were contiguous */
    uint32_t words;   /* number of distinct words at which a lane's access begins */
} profiler_global_request_cost;
profiler_global_request_cost profiler_cost_of_global_request(const uint64_t *address, uint32_t n,
                                                             uint32_t bytes);

/* Lanes that update the same address with one atomic request are served in successive passes, one
 * lane per address and pass. TURN[k]: the pass that serves ADDRESS[k]. */
void profiler_atomic_turns(const uint64_t *address, uint32_t n, uint8_t turn[SM_LANES]);

/* Number of sectors of an atomic request: each pass counts its distinct sectors. */
uint32_t profiler_atomic_sectors(const uint64_t *address, uint32_t n);

/* Count a request to shared memory of other blocks of the cluster: the lanes of MASK access
 * ADDRESS[lane]. ATOMIC: count sectors as profiler_atomic_sectors does. REQUESTS and SECTORS are
 * the counters. */
void profiler_count_distributed_shared(sm_warp *w, counter_id requests, counter_id sectors,
                                       const uint64_t address[SM_LANES], uint32_t mask,
                                       bool atomic);

#endif
