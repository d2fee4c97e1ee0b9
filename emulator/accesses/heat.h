/* How often a launch fetches each piece of the allocations that it accesses. */
#ifndef WARPBOOK_HEAT_H
#define WARPBOOK_HEAT_H

#include "../core/observer.h"

/* An allocation is divided into at most so many pieces of 32, 64, 128 ... bytes. */
#define ACC_PIECES 1024u

typedef struct acc_piece {
    uint64_t fetched; /* sectors that loads have requested */
    uint64_t written; /* sectors that stores and atomics have requested */
    uint64_t used;    /* bytes that lanes have accessed, each counted once a request */
} acc_piece;

typedef struct acc_heat {
    mem_range range;
    uint64_t piece_bytes;
    uint32_t pieces;
    acc_piece *piece;  /* [pieces] */
    uint64_t *touched; /* a bit for each sector of the allocation */
} acc_heat;

typedef struct acc_heats {
    uint32_t count;
    struct acc_heat_slot {
        mem_range range;
        acc_heat *heat; /* NULL: not accessed yet */
    } * slot;           /* [count], by address */
} acc_heats;

/* Begin to collect the heat of the allocations in MAP. False: the host is out of memory. */
bool acc_heats_open(acc_heats *h, const mem_map *map);
void acc_heats_close(acc_heats *h);

/* Add a request to global memory; called by several host threads at once. False: the host is out of
 * memory. */
bool acc_heats_add(acc_heats *h, const sm_access *a);

/* The place in SLOT of the allocation that holds ADDRESS; -1: none. */
int64_t acc_heats_find(const acc_heats *h, uint64_t address);
/* Distinct sectors of piece P that were accessed. */
uint64_t acc_heat_sectors(const acc_heat *h, uint32_t p);

#endif
