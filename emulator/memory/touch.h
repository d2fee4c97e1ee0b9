/* The bitmaps of sectors that a launch has touched (touch.c), for requests of a warp with scattered
 * addresses. */
#pragma once

#include "memory.h"

enum {
    MEM_WARP_LINES = 32,       /* the most lines that a warp's request begins in */
    MEM_CHUNK_MAP_BYTES = 4096 /* bytes of a bitmap for the sectors of a chunk */
};

typedef struct mem_touched_window {
    uint64_t base;    /* first address of the window of device addresses */
    uint64_t sectors; /* number of sectors of the window */
} mem_touched_window;

extern mem_touched_window mem_touched;

/* The bitmaps in which one host thread marks sectors at a time. */
typedef struct mem_touched_set {
    uint64_t *map[MEM_ACCESSES];  /* [sectors / 64] bitmaps of the sectors, by mem_access */
    uint64_t *used[MEM_ACCESSES]; /* [chunks / 64] bitmaps of the chunks with a bit in MAP */
    struct mem_touched_set *next; /* in the list of all sets, touch.c */
    bool taken;                   /* a thread marks sectors in it */
    bool marked;                  /* it may have bits */
} mem_touched_set;

/* Mark the bits BITS[k] of byte BYTE[k], which stands for two lines, of the bitmap of HOW, k < N;
 * from N on, BITS are 0. */
static inline __attribute__((always_inline)) void mem_mark_bits(mem_pending_touches *t,
                                                                mem_access how, uint32_t n,
                                                                const uint32_t byte[MEM_WARP_LINES],
                                                                const uint32_t bits[MEM_WARP_LINES])
{
    uint8_t *map = (uint8_t *)t->set->map[how];
#pragma GCC unroll 8
    for (uint32_t k = 0; k < n; k++)
        map[byte[k]] |= (uint8_t)bits[k];
    uint64_t chunks = 0, far = 0;
    const uint32_t first = byte[0] / MEM_CHUNK_MAP_BYTES / 64;
    for (uint32_t k = 0; k < MEM_WARP_LINES; k++) {
        const uint32_t chunk = byte[k] / MEM_CHUNK_MAP_BYTES;
        far |= chunk / 64 ^ first;
        chunks |= (uint64_t)(bits[k] != 0) << chunk % 64;
    }
    uint64_t *used = t->set->used[how];
    if (__builtin_expect(far != 0, 0)) {
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t chunk = byte[k] / MEM_CHUNK_MAP_BYTES;
            used[chunk / 64] |= (uint64_t)(bits[k] != 0) << chunk % 64;
        }
    } else {
        used[first] |= chunks;
    }
}

/* Must writes be marked one by one, since memory is scarce? */
static inline bool mem_must_count_writes(mem_access how, mem_access also)
{
    return (how == MEM_WRITE || also == MEM_WRITE) &&
           __builtin_expect(__atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED), 0);
}

/* Mark sectors of N lines, for HOW and for ALSO, which may be the same, as mem_touch_line does.
 * LINE: addresses / 128, SECTORS: masks of 4 bits, or 0; beyond N they repeat a line. */
static inline __attribute__((always_inline)) void
mem_touch_lines(mem_pending_touches *t, mem_access how, mem_access also, uint32_t n,
                const uint64_t line[MEM_WARP_LINES], const uint8_t sectors[MEM_WARP_LINES])
{
    const uint64_t first = mem_touched.base / 128, lines = mem_touched.sectors / 4;
    uint32_t byte[MEM_WARP_LINES] __attribute__((aligned(64))),
        bits[MEM_WARP_LINES] __attribute__((aligned(64)));
    uint64_t beyond = 0;
    for (uint32_t k = 0; k < MEM_WARP_LINES; k++) {
        const uint64_t at = line[k] - first;
        beyond |= at | (lines - 1 - at);
        byte[k] = (uint32_t)(at / 2);
    }
    for (uint32_t k = 0; k < MEM_WARP_LINES; k++)
        bits[k] = (uint32_t)sectors[k] << (((uint32_t)line[k] ^ (uint32_t)first) & 1) * 4;
    if (__builtin_expect(!(beyond >> 63 || mem_must_count_writes(how, also)), 1)) {
        mem_mark_bits(t, how, n, byte, bits);
        if (also != how)
            mem_mark_bits(t, also, n, byte, bits);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        mem_mark_sectors(t, how, line[k] * 128, sectors[k]);
        if (also != how)
            mem_mark_sectors(t, also, line[k] * 128, sectors[k]);
    }
}
