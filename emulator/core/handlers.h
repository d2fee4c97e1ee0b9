/* The handlers of PTX instructions are compiled three times: for x86-64-v1, -v3 and -v4. A level is
 * one of these builds. */
#ifndef WARPBOOK_LEVEL_H
#define WARPBOOK_LEVEL_H

#include "warp.h"

/* The kind of a branch, by where it jumps to (compile/ptxas/facts.h). */
typedef enum {
    SM_BRA_FORWARD,      /* jump forward, to a later instruction */
    SM_BRA_BACK,         /* jump back to the start of a loop */
    SM_BRA_IN_WAIT_LOOP, /* jump back in a loop that may wait for other threads */
    SM_BRA_WITH_CLOCK    /* jump back in a loop that polls a clock */
} sm_branch_kind;        /* kind of a branch, by where it jumps to */

typedef struct sm_handlers {
    const char *name;          /* name of the build, for instance "x86-64-v3" */
    const sm_selector *select; /* [PTX_OP_COUNT] the function that chooses the handler of an
                                  operation; NULL: it is not implemented */
    sm_fn enter, guard, clock; /* handlers: enter a basic block, test a guard, advance the clock */
    sm_fn (*pick_bra)(bool guarded, sm_branch_kind to);
} sm_handlers;

/* The best level that this CPU can run, or the one that WARPBOOK_ISA=v1|v3|v4 selects if the CPU
 * can run it. */
const sm_handlers *exec_handlers(void);

#endif
