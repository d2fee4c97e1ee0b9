/* Scheduling of the fragments (groups of converged lanes, core/sched.h) of a warp. */
#ifndef WARPBOOK_SCHED_H
#define WARPBOOK_SCHED_H

#include "../core/sched.h"

/* A value of sm_sched.limit that no pc reaches. */
#define SM_NO_BRANCH_LIMIT ((const sm_insn *)UINTPTR_MAX)

/* Start with all lanes of the warp at the kernel's first instruction. */
void sm_sched_start_warp(sm_warp *w, const sm_insn *entry);
/* Run the warp until it must wait, is done or has used up its time slice. */
void sm_sched_run_warp(sm_warp *w);

/* The next functions return the next instruction to run, or NULL if the warp must stop. */

/* The running lanes diverge: the lanes TAKEN continue at TARGET, the other lanes at NEXT. GUARD:
 * the branch was made from a guard predicate, and NEXT, the guarded instruction, runs first. */
const sm_insn *sm_diverge(sm_warp *w, uint32_t taken, const sm_insn *target, const sm_insn *next,
                          bool guard);
/* The running lanes have reached PC, the entry of a basic block at which other fragments may be or
 * to which they may come (sm_sched.limit): wait there, merge with other fragments, or continue. */
const sm_insn *sm_reconverge(sm_warp *w, const sm_insn *pc);
/* The running fragment has used up its budget at PC: run another fragment or another warp. ALL:
 * also fragments that wait for the running one at a reconvergence point. */
const sm_insn *sm_yield_to_others(sm_warp *w, const sm_insn *pc, bool all);
/* The running lanes nanosleep at I: let other fragments run now, or as the polling loop ends. */
const sm_insn *sm_nanosleep(sm_warp *w, const sm_insn *i);
/* The running lanes poll in the loop that LOOP ends, and go on at PC: let another fragment run. */
const sm_insn *sm_yield_polling(sm_warp *w, const sm_insn *loop, const sm_insn *pc);
/* The running lanes have exited or must wait: run the next fragment. */
const sm_insn *sm_next_fragment(sm_warp *w);
/* Make a new ready fragment of the lanes MASK of the running fragment, at PC of FRAME. */
void sm_add_fragment(sm_warp *w, uint32_t mask, sm_frame *frame, const sm_insn *pc);
/* Suspend the running fragment at PC in the state WAIT_STATE. */
sm_fragment *sm_make_fragment_wait(sm_warp *w, const sm_insn *pc, sm_wait_state wait_state);
/* The lanes of the running fragment exit; runs the next fragment. */
const sm_insn *sm_exit_lanes(sm_warp *w);
/* Handlers of pseudo-instructions that let other warps run first: before a store to shared memory
 * long after the last barrier, and before the load of a reduction step (compile/ptxas/late.c). */
const sm_insn *sm_yield_before_late_store(sm_warp *w, const sm_insn *i);
const sm_insn *sm_yield_before_reduction_load(sm_warp *w, const sm_insn *i);
/* Update sm_sched.limit after the list of fragments has changed. */
void sm_update_branch_limits(sm_warp *w);
/* Give the running fragment the highest order, so that it runs before the others. */
void sm_give_highest_order(sm_warp *w);
void sm_set_frame(sm_warp *w, sm_frame *f);

#endif
