/* The handlers of instructions as translated code refers to them. exec/ compiles them three times:
 * for x86-64-v1, -v3 and -v4; each of these builds has one table. */
#pragma once

#include "warp.h"

/* The kind of a branch, by where it jumps to (compile/ptxas/facts.h). */
typedef enum {
    SM_BRA_FORWARD,      /* jump forward, to a later instruction */
    SM_BRA_OVER,         /* likewise, over code that is too long for a predicate */
    SM_BRA_BACK,         /* jump back to the start of a loop */
    SM_BRA_IN_WAIT_LOOP, /* jump back in a loop that may wait for other threads */
    SM_BRA_WITH_CLOCK    /* jump back in a loop that polls a clock */
} sm_branch_kind;        /* kind of a branch, by where it jumps to */

/* Choose the handler for an instruction whose slots have been filled in. Sets the fields that
 * depend on the handler (mode, imm, extra). NULL: this form of the instruction is not supported. */
struct compile_translation;
typedef sm_fn (*sm_selector)(struct compile_translation *t, const ptx_insn *in, sm_insn *out);

typedef struct sm_handlers {
    const char *name;          /* name of the build, for instance "x86-64-v3" */
    const sm_selector *select; /* [PTX_OP_COUNT] the function that chooses the handler of an
                                  operation; NULL: it is not implemented */
    /* Handlers of the pseudo-instructions that the translator emits. */
    sm_fn enter;      /* enter a basic block */
    sm_fn guard;      /* test a guard */
    sm_fn clock_step; /* advance the warp's clock by the instruction that follows */
    sm_fn read_clock; /* read a clock register */
    /* Let other warps run first, before a store to shared memory long after the last barrier, and
     * before the load of a reduction step (compile/ptxas/late.c). */
    sm_fn late_store, reduction_load;
    sm_fn (*pick_bra)(bool guarded, sm_branch_kind to);
    /* The handler that counts how often the exact division, reciprocal or root IN leaves its short
     * path, with the slots of IN, before IN is executed. NULL: IN is none of these. */
    sm_fn (*pick_slow_path)(const ptx_insn *in);
} sm_handlers;
