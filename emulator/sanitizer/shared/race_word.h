/* Racecheck's state of a word of shared memory: the thread that wrote it last, and the threads
 * that have read it since. */
#pragma once

#include "../../ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

/* The time of an access: by the clocks of its cluster, block and warp; by the number of releases
 * of its warp; and by the launch's clock (global/view.h), which is not set for copies. */
typedef struct access_time {
    uint32_t cluster_time; /* time on the cluster's clock */
    uint32_t block_time;   /* time on the block's clock */
    uint32_t warp_time;    /* time on the warp's clock */
    uint32_t releases;     /* number of the warp's next release after the access */
    uint32_t launch_time;  /* time on the launch's clock; not set for copies */
} access_time;

/* Readers of a word in one warp. A word keeps the readers of two warps, so that at least one is
 * another warp than the next writer's. */
typedef struct warp_readers {
    access_time when;  /* time of the last read */
    uint32_t lanes[4]; /* for each byte of the word: mask of the lanes that read it */
    uint16_t warp;     /* number of the warp within the cluster */
    const ptx_insn *at;
} warp_readers;

typedef struct word_state {
    access_time when; /* time of the last write */
    uint32_t fences;  /* value of race_shadow.fences at the last write */
    uint16_t thread;  /* writer, numbered within the cluster */
    uint8_t bytes;    /* mask of the bytes written */
    bool atomic;      /* an atomic operation wrote last */
    bool in_flight;   /* written by a cp.async for which no thread has waited */
    const ptx_insn *at;
    warp_readers by[2];
} word_state;

static inline bool san_is_same_time(const access_time *a, const access_time *b)
{
    return a->cluster_time == b->cluster_time && a->block_time == b->block_time &&
           a->warp_time == b->warp_time && a->releases == b->releases;
}

/* The lanes in R that have read any of BYTES (a mask). */
static inline uint32_t san_readers_of(const warp_readers *r, uint8_t bytes)
{
    uint32_t lanes = 0;
    for (int b = 0; b < 4; b++)
        lanes |= bytes >> b & 1 ? r->lanes[b] : 0;
    return lanes;
}

static inline void san_add_reader(warp_readers *r, uint32_t lane, uint8_t bytes)
{
    for (int b = 0; b < 4; b++)
        r->lanes[b] |= bytes >> b & 1 ? lane : 0;
}
