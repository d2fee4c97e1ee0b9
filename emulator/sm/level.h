/* One build of the handlers: for v1, v3 or v4 of x86-64. */
#ifndef WARPBOOK_LEVEL_H
#define WARPBOOK_LEVEL_H

#include "warp.h"

typedef struct sm_level {
    const char *name;          /* "x86-64-v3" */
    const sm_selector *select; /* [PTX_OP_COUNT]; NULL: not there */
    sm_fn enter, guard, clock;
    sm_fn (*pick_bra)(bool guarded, bool backward, bool waits);
} sm_level;

/* The best that this machine runs, or what WARPBOOK_ISA=v1|v3|v4 asks for where it can. */
const sm_level *sm_level_get(void);

#endif
