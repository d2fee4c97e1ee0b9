/* Views: what a thread knows of other threads' past, for race detection by happens-before.
 *
 * A launch has one clock, which advances at each event that orders anything. A view says for some
 * threads up to when their accesses are ordered before what its owner does next: an entry names a
 * whole block, a warp or one thread, and a time. Views are immutable and counted; NULL knows
 * nothing. One host thread works on those of a launch. */
#ifndef WARPBOOK_SANITIZER_VIEW_H
#define WARPBOOK_SANITIZER_VIEW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct san_view san_view;

/* The accesses of WHO with a time below UNTIL. */
typedef struct san_entry {
    uint64_t who;
    uint32_t until;
} san_entry;

/* Who an entry is of; blocks are numbered through the grid, warps and threads in their block. */
static inline uint64_t san_who_block(uint64_t block)
{
    return block << 16;
}

static inline uint64_t san_who_warp(uint64_t block, uint32_t warp)
{
    return block << 16 | (warp + 1);
}

static inline uint64_t san_who_thread(uint64_t block, uint32_t thread)
{
    return block << 16 | 0x400 | thread;
}

san_view *san_view_keep(san_view *v); /* adds an owner; returns V */
void san_view_drop(san_view *v);      /* removes an owner */

/* A new view that knows what A and B know; if the host is out of memory, one of the two. */
san_view *san_view_join(san_view *a, san_view *b);
/* V with COUNT entries more, in any order. */
san_view *san_view_add(san_view *v, const san_entry *entry, uint32_t count);
/* Make *V know what it knew and what MORE knows. */
void san_view_into(san_view **v, san_view *more);

/* Are accesses of THREAD of BLOCK at TIME known to V? */
bool san_view_knows(const san_view *v, uint64_t block, uint32_t thread, uint32_t time);

#endif
