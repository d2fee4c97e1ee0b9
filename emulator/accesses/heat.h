/* Counts, for each piece of an allocation, how often a launch accesses it. */
#pragma once

#include "../core/observer.h"

/* An allocation is divided into at most ACC_MAX_PIECES pieces, of 32, 64, 128 ... bytes each. */
#define ACC_MAX_PIECES 1024u /* most pieces of an allocation */

/* How often a launch has accessed one piece of an allocation. */
typedef struct acc_piece {
    uint64_t fetched; /* sectors that loads have requested */
    uint64_t written; /* sectors that stores and atomics have requested */
    uint64_t used;    /* bytes that lanes have accessed, each counted once per request */
} acc_piece;

typedef struct acc_heat_map {
    mem_range range;      /* address range of the allocation */
    uint64_t piece_bytes; /* size of a piece */
    uint32_t pieces;      /* number of pieces */
    acc_piece *piece;     /* [pieces] counts of each piece */
    uint64_t *touched;    /* a bit for each sector of the allocation: 1 if accessed */
} acc_heat_map;

typedef struct acc_heat_maps {
    uint32_t count; /* number of allocations */
    struct acc_heat_map_slot {
        mem_range range;    /* address range of the allocation, without its guards */
        acc_heat_map *heat; /* counts of its pieces; NULL: it has not been accessed yet */
    } * slot;               /* [count] allocations, sorted by address */
} acc_heat_maps;

/* Begin to count accesses to the allocations in MAP. Returns false if the host is out of memory. */
bool acc_heat_maps_open(acc_heat_maps *h, const mem_map *map);
void acc_heat_maps_close(acc_heat_maps *h);

/* Count request A to global memory. Several host threads may call this function at once. Returns
 * false if the host is out of memory. */
bool acc_heat_maps_count_request(acc_heat_maps *h, const sm_access *a);

/* The index in h->slot of the allocation that holds ADDRESS, in its guards too; -1: no allocation
 * holds it. */
int64_t acc_heat_maps_find_allocation(const acc_heat_maps *h, uint64_t address);
/* The number of distinct sectors accessed in piece P of allocation H. */
uint64_t acc_heat_map_sectors(const acc_heat_map *h, uint32_t p);
