/* Loops in which threads wait for others: what a waiting turn is, and that it counts for nothing.
 * Inside the SM.
 *
 * How often a thread looks at a flag before it is set depends on who runs when: on a GPU on its
 * clocks, here on the host. So turns of a loop that got nowhere are taken out of all counters, and
 * the modelled time is that of one look that fails, at most, and one that succeeds. A turn got
 * nowhere where it hands the next one the same registers as the turn before it did, stored nothing
 * and changed nothing by an atomic operation. Not seen as such, and counted: turns in which the
 * thread counts its looks or reads a clock, and those with a barrier or a call in them.
 *
 * What a thread finds when it looks may depend on the order of the blocks, too: how far a
 * look-back goes, who is the last block, which ticket a block draws. Grids that can see that order
 * run on one host thread, block after block, so that it is always the same. */
#ifndef WARPBOOK_WAITS_H
#define WARPBOOK_WAITS_H

#include "../core/warp.h"

/* The running fragment stands at branch I, which ends a loop that may wait, and goes round again.
 * True when it got nowhere since it last stood there: then that turn is taken out of the counts. */
bool sm_turn_waited(sm_warp *w, const sm_insn *i);
/* The fragment that waits in the loop that branch I ends, its registers' PRINT as then, runs again
 * from the loop's beginning. I NULL: another fragment, or one that does not wait. */
void sm_turn_begins(sm_warp *w, const sm_insn *i, uint64_t print);
/* The running fragment's registers and PC as one number. */
uint64_t sm_turn_print(const sm_warp *w, const sm_insn *pc);
/* What sm_turn_waited made of the turn that it was asked about last. */
uint64_t sm_turn_last(const sm_worker *k);

/* The launch is over: take the turns that waited out of K's counts. Then free. */
void sm_waits_settle(sm_worker *k);
void sm_waits_free(sm_worker *k);

#endif
