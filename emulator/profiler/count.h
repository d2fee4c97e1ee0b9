/* What a request costs: sectors, wavefronts, distinct addresses. Exact for every pattern; what is
 * common (side by side, one address, one distance) is recognised before these are called. */
#ifndef WARPBOOK_COUNT_H
#define WARPBOOK_COUNT_H

#include "../core/warp.h"

#include <stdbool.h>

/* Distinct values of KEY[0 .. n), n <= 32. */
uint32_t sm_distinct(const uint64_t *key, uint32_t n);

/* Wavefronts of a shared-memory request: lanes of MASK access BYTES bytes (1 to 16, aligned) at
 * offset[lane]. Shared memory has 32 banks of four bytes; a wavefront serves one word of each
 * bank, to any number of lanes. 64-bit accesses go by half-warps and 128-bit ones by quarters. A
 * load whose neighbouring lanes (l and l ^ 1 throughout, or l and l ^ 2) read the same goes by
 * twice as many lanes, where no bank conflict is in the way. As an H200 does:
 * tests/hardware/counters/run-counters. */
typedef struct sm_passes {
    uint32_t wavefronts;
    uint32_t conflicts; /* wavefronts beyond one for each part of the warp */
} sm_passes;
sm_passes sm_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask, uint32_t bytes, bool load);

/* The same of an atomic: a bank takes the lanes that update its words one after another, those of
 * one word too (but see collect.c). 64-bit ones go by half-warps, as stores do; no GPU has been
 * asked about them. */
sm_passes sm_atomic_wavefronts(const uint32_t offset[SM_LANES], uint32_t mask, uint32_t bytes);

/* Sectors of a local-memory request. Local memory is interleaved: the same 4-byte word of
 * neighbouring lanes lies side by side. */
uint32_t sm_local_sectors(const uint64_t offset[SM_LANES], uint32_t mask, uint32_t bytes);

/* A request to global memory that is neither one run nor one address: ADDRESS[0 .. n) of its n
 * active lanes in order, BYTES each, naturally aligned. */
typedef struct sm_scatter {
    uint32_t sectors; /* distinct 32-byte sectors */
    uint32_t lines;   /* distinct 128-byte lines */
    uint32_t ideal;   /* the sectors that its distinct addresses would fill side by side */
} sm_scatter;
sm_scatter sm_scattered(const uint64_t *address, uint32_t n, uint32_t bytes);

/* Sectors that an atomic request counts: lanes that update one address go one after another, each
 * time with the others of their turn; every turn counts its distinct sectors. */
uint32_t sm_atomic_sectors(const uint64_t *address, uint32_t n);

/* A request to shared memory of other blocks of the cluster: lanes of MASK access ADDRESS[lane].
 * ATOMIC as above. REQUESTS, SECTORS: where it is counted. */
void sm_count_dshared(sm_warp *w, counter_id requests, counter_id sectors,
                      const uint64_t address[SM_LANES], uint32_t mask, bool atomic);

#endif
