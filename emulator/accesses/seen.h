/* Which launches a table already holds. A program that measures repeats a launch many times, and
 * one of them is enough. */
#ifndef WARPBOOK_ACCESSES_SEEN_H
#define WARPBOOK_ACCESSES_SEEN_H

#include "../core/sm.h"

enum { ACC_SEEN_MOST = 512 };

/* The launches that have been written. Must be zero at first. */
typedef struct acc_seen {
    struct acc_seen_launch {
        const ptx_func *kernel;
        uint32_t grid[3], block[3];
        uint64_t params; /* a hash of their bytes */
    } list[ACC_SEEN_MOST];
    uint32_t count;
} acc_seen;

/* Is L the first launch with its kernel, grid, block and parameters? It is remembered. After
 * ACC_SEEN_MOST launches none is. May be called by any thread. */
bool acc_is_first(acc_seen *s, const sm_launch *l);

#endif
