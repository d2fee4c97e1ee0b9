/* Remembers which launches a table already holds. A benchmark repeats a launch many times, and the
 * table needs only one of them. */
#pragma once

#include "../core/sm.h"

enum { ACC_MAX_SEEN_LAUNCHES = 512 }; /* largest number of launches in an acc_seen_launches */

/* The launches already written. Must be zero-initialized. */
typedef struct acc_seen_launches {
    struct acc_launch_key {
        const ptx_func *kernel;     /* the launched kernel */
        uint32_t grid[3], block[3]; /* dimensions of the launch: x, y, z */
        uint64_t params;            /* hash of the parameters' bytes */
    } list[ACC_MAX_SEEN_LAUNCHES];  /* launches seen so far */
    uint32_t count;                 /* number of launches in `list` */
} acc_seen_launches;

/* Is L the first launch with its kernel, grid, block and parameters? Adds L to S. Always returns
 * false once S holds ACC_MAX_SEEN_LAUNCHES launches. Any thread may call this function. */
bool acc_is_first_launch(acc_seen_launches *s, const sm_launch *l);
