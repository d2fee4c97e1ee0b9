/* The modelled clock of a warp. It exists only in units in which some function reads a clock; other
 * code runs without clock overhead. The clock computes when each instruction can issue: its
 * operands must be ready, and a unit of the SM must be free.
 *
 * ptxas reorders instructions within a basic block to hide latency. The model therefore lets an
 * instruction issue as soon as its operands are ready and the scheduler and the unit are free, but
 * not before instructions that it must not pass: a read of a clock, a barrier, a branch, and stores
 * and loads of the same memory. Clocks count cycles since the device was created; all warps of an
 * SM share one time. */
#pragma once

#include "../core/code.h"
#include "../core/machine_step.h"

/* The functions of clock/sm_clock.c: the reserved cycles of an SM's units, and its caches. */

/* Create the SM clocks for the launch of grid G. NULL: the host is out of memory. */
sm_all_clocks *clock_new_all(const sm_grid *g);
void clock_free_all(sm_all_clocks *c);
/* The clock of the SM that block LINEAR runs on. */
sm_clock *clock_of_block(sm_all_clocks *c, uint64_t linear);
/* Create an SM clock that is shared with no other block. NULL: the host is out of memory. */
sm_clock *clock_new(const sm_grid *g);
void clock_free(sm_clock *c);
/* Reset the SM clock to the state before any block has run. */
void clock_reset(sm_clock *c);
/* Start block LINEAR with WARPS warps on clock C. Returns the cycle at which the block starts.
 * clock_end_block records that a block ends at cycle AT. */
uint64_t clock_begin_block(sm_clock *c, uint64_t linear, uint32_t warps);
void clock_end_block(sm_clock *c, uint64_t at);

/* Called before W runs: set how far its clock may run ahead of the other warps of its block. */
bool clock_set_time_slice(sm_warp *w);
/* Issue the instruction that follows the pseudo-instruction I at the clock of W. False: the time
 * slice of W has ended; the instruction issues in the next one. */
bool clock_issue_step(sm_warp *w, const sm_insn *i);
/* All warps of B begin at cycle START. */
void clock_begin_warps(sm_block *b, uint64_t start);
/* The highest clock value of B's warps. */
uint64_t clock_latest_cycle(const sm_block *b);
/* W issues no instruction before cycle UNTIL, at which a barrier releases it. */
void clock_set_earliest(sm_warp *w, uint64_t until);
/* Defined in clock/pass.c. All lanes of W are about to repeat a loop that polls a clock and ends
   with branch I. Skips at most MOST iterations and returns how many were skipped; the branch must
   then be executed. */
uint64_t clock_skip_loop(sm_warp *w, const sm_insn *i, uint64_t most);
/* Defined in clock/pass.c. Each warp of B that can run has had a turn. If all of them are in loops
   that poll a clock, may skip rounds of turns: passed[n] is the number of iterations that warp n
   has skipped. False: none. */
bool clock_skip_rounds(sm_block *b, uint32_t passed[SM_LANES]);
uint64_t clock_now(const sm_warp *w);
/* The value that a read of special register SREG returns; advances the warp's clock. */
uint64_t clock_read_sreg(sm_warp *w, ptx_sreg sreg);

/* The texture fetch that W executes now needs LINE (an address / 128), which is not in L1. */
void clock_add_texel_miss(sm_warp *w, uint64_t line);

/* The cycle at which memory instruction S, translated as M, has its result for the lanes in MASK if
 * it issues at cycle T. Defined in clock/memory.c. */
uint64_t clock_access_done_cycle(sm_warp *w, const sm_step *s, const sm_insn *m, uint32_t mask,
                                 uint64_t t);
