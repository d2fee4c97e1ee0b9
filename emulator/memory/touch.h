/* The bitmaps of sectors that a launch has touched (touch.c), for requests of a warp with scattered
 * addresses. */
#pragma once

#include "memory.h"

enum { MEM_WARP_LINES = 32 }; /* the most lines that a warp's request begins in */

typedef struct mem_touched_window {
    uint64_t base;               /* first address of the window of device addresses */
    uint64_t sectors;            /* number of sectors of the window */
    uint64_t *map[MEM_ACCESSES]; /* [sectors / 64] bitmaps of the sectors, by mem_access */
} mem_touched_window;

extern mem_touched_window mem_touched; /* which sectors have been touched */

/* Mark sectors of N lines, for HOW and for ALSO, which may be the same, as mem_touch_line does.
 * LINE: addresses / 128, SECTORS: masks of 4 bits, or 0; beyond N they repeat a line. Most have
 * been marked before: one look at a bitmap's byte, which holds two lines, shows it. */
static inline __attribute__((always_inline)) void
mem_touch_lines(mem_pending_touches *t, mem_access how, mem_access also, uint32_t n,
                const uint64_t line[MEM_WARP_LINES], const uint8_t sectors[MEM_WARP_LINES])
{
    const uint64_t first = mem_touched.base / 128, lines = mem_touched.sectors / 4;
    uint32_t byte[MEM_WARP_LINES], bits[MEM_WARP_LINES];
    uint64_t beyond = 0;
    for (uint32_t k = 0; k < MEM_WARP_LINES; k++) {
        const uint64_t at = line[k] - first;
        beyond |= at | (lines - 1 - at);
        byte[k] = (uint32_t)(at / 2);
    }
    for (uint32_t k = 0; k < MEM_WARP_LINES; k++)
        bits[k] = (uint32_t)sectors[k] << (((uint32_t)line[k] ^ (uint32_t)first) & 1) * 4;
    const bool writes = how == MEM_WRITE || also == MEM_WRITE;
    if (__builtin_expect(
            beyond >> 63 || (writes && __atomic_load_n(&mem_is_scarce, __ATOMIC_RELAXED)), 0)) {
        for (uint32_t k = 0; k < n; k++) {
            mem_mark_sectors(t, how, line[k] * 128, sectors[k]);
            if (also != how)
                mem_mark_sectors(t, also, line[k] * 128, sectors[k]);
        }
        return;
    }
    const uint8_t *map = (const uint8_t *)mem_touched.map[how],
                  *other = (const uint8_t *)mem_touched.map[also];
    uint64_t word = t->word[how], pending = 0; /* in registers of the CPU */
#pragma GCC unroll 8
    for (uint32_t k = 0; k < n; k++) {
        uint32_t known = __atomic_load_n(&map[byte[k]], __ATOMIC_RELAXED);
        if (also != how)
            known &= __atomic_load_n(&other[byte[k]], __ATOMIC_RELAXED);
        if (__builtin_expect(!(bits[k] & ~known), 1))
            continue;
        if (also != how)
            mem_mark_sectors(t, also, line[k] * 128, sectors[k]);
        if (byte[k] / 8 != word) {
            t->bits[how] |= pending;
            pending = 0;
            mem_mark_sectors(t, how, line[k] * 128, sectors[k]);
            word = t->word[how];
        } else {
            pending |= (uint64_t)bits[k] << byte[k] % 8 * 8;
        }
    }
    t->bits[how] |= pending;
}
