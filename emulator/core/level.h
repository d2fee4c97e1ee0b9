/* One build of the handlers: for v1, v3 or v4 of x86-64. */
#ifndef WARPBOOK_LEVEL_H
#define WARPBOOK_LEVEL_H

#include "warp.h"

/* Where a branch goes: on, or back to the beginning of a loop, of which facts.h says more. */
typedef enum { SM_BRA_FORWARD, SM_BRA_BACK, SM_BRA_WAITS, SM_BRA_CLOCK } sm_bra;

typedef struct sm_level {
    const char *name;          /* "x86-64-v3" */
    const sm_selector *select; /* [PTX_OP_COUNT]; NULL: not there */
    sm_fn enter, guard, clock;
    sm_fn (*pick_bra)(bool guarded, sm_bra to);
} sm_level;

/* The best that this machine runs, or what WARPBOOK_ISA=v1|v3|v4 asks for where it can. */
const sm_level *sm_level_get(void);

#endif
