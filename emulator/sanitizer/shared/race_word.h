/* The state of a word of shared memory for racecheck: who wrote it last, and who has read it since.
 */
#ifndef WARPBOOK_RACE_WORD_H
#define WARPBOOK_RACE_WORD_H

#include "../../ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

/* The time of an access, by the clocks of its cluster, block and warp, and by the number of
 * releases that its warp has made; and by the launch's clock (global/view.h), which says nothing of
 * copies. */
typedef struct moment {
    uint32_t cluster_time, block_time, warp_time, releases;
    uint32_t launch_time;
} moment;

/* Readers of a word that belong to one warp. Two warps are kept, so that whoever writes next, at
 * least one of them is another warp. */
typedef struct readers {
    moment when;
    uint32_t lanes[4]; /* for each byte of the word: mask of the lanes that read it */
    uint16_t warp;
    const ptx_insn *at;
} readers;

typedef struct cell {
    moment when;     /* time of the last write */
    uint32_t fences; /* value of race_shadow.fences at the last write */
    uint16_t thread;
    uint8_t bytes; /* mask of the bytes written */
    bool atomic;
    bool in_flight; /* written by a cp.async for which nobody has waited */
    const ptx_insn *at;
    readers by[2];
} cell;

static inline bool san_same_moment(const moment *a, const moment *b)
{
    return a->cluster_time == b->cluster_time && a->block_time == b->block_time &&
           a->warp_time == b->warp_time && a->releases == b->releases;
}

/* The lanes that have read any of BYTES. */
static inline uint32_t san_readers_of(const readers *r, uint8_t bytes)
{
    uint32_t lanes = 0;
    for (int b = 0; b < 4; b++) {
        lanes |= bytes >> b & 1 ? r->lanes[b] : 0;
    }
    return lanes;
}

static inline void san_note_lane(readers *r, uint32_t lane, uint8_t bytes)
{
    for (int b = 0; b < 4; b++) {
        r->lanes[b] |= bytes >> b & 1 ? lane : 0;
    }
}

#endif
