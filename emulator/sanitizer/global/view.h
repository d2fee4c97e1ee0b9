/* Views: the accesses of other threads that a thread is ordered after, for race detection by
 * happens-before.
 *
 * A launch has one clock, which advances at each event that orders accesses. An entry of a view
 * names a block, a warp or one thread, and a time: accesses before that time are ordered before
 * the next access of the view's owner. Views are immutable and reference-counted; NULL is the
 * empty view. One host thread uses all views of a launch. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct san_view san_view; /* accesses that a thread's next access is ordered after */

/* All accesses of block, warp or thread WHO before time UNTIL. */
typedef struct san_view_entry {
    uint64_t who;   /* block, warp or thread: a value of san_block_owner() and so on */
    uint32_t until; /* time: accesses before it are known */
} san_view_entry;

/* The `who` of a block, a warp or a thread. Blocks count in the grid, warps and threads in the
 * block. */
static inline uint64_t san_block_owner(uint64_t block)
{
    return block << 16;
}

static inline uint64_t san_warp_owner(uint64_t block, uint32_t warp)
{
    return block << 16 | (warp + 1);
}

static inline uint64_t san_thread_owner(uint64_t block, uint32_t thread)
{
    return block << 16 | 0x400 | thread;
}

san_view *san_view_keep(san_view *v); /* adds a reference; returns V */
void san_view_drop(san_view *v);      /* removes a reference */

/* A new view with the entries of A and B; if the host is out of memory, A or B. */
san_view *san_view_merge(san_view *a, san_view *b);
/* A new view with the entries of V and the COUNT entries ENTRY, in any order. */
san_view *san_view_add_entries(san_view *v, const san_view_entry *entry, uint32_t count);
/* Replace *V by a view that also contains the entries of MORE. */
void san_view_merge_into(san_view **v, san_view *more);

/* Does V contain the accesses of THREAD of BLOCK at TIME? */
bool san_view_contains(const san_view *v, uint64_t block, uint32_t thread, uint32_t time);
