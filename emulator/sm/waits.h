/* Loops in which threads wait for other threads (polling). Iterations that only wait are not
 * counted.
 *
 * How often a thread polls a flag before it is set depends on timing: on a GPU on the clocks of the
 * SMs, here on the host. Counters must not depend on that, so polling iterations are removed from
 * all of them; the modelled time includes at most one failing poll and the successful one. An
 * iteration counts as polling if it leaves the same register values as the iteration before it,
 * stores nothing and changes nothing by an atomic operation. Some polling loops are not recognised
 * and are counted: those that count their iterations, read a clock, or contain a barrier or a call.
 *
 * What a poll finds may also depend on the order of blocks: how far a decoupled look-back goes,
 * which block is the last, which ticket a block draws. Grids that can observe this order run on one
 * host thread, block after block, so that it is always the same. */
#ifndef WARPBOOK_WAITS_H
#define WARPBOOK_WAITS_H

#include "../core/warp.h"

/* The running lanes are about to take branch I, which ends a loop that may wait. Returns true if
 * the iteration only polled; its counts are then removed. */
bool sm_iteration_only_waited(sm_warp *w, const sm_insn *i);
/* The lanes that yielded in the loop that branch I ends, with register hash HASH, resume at the
 * start of the loop. If I is NULL, the lanes that resume do not poll. */
void sm_iteration_begins(sm_warp *w, const sm_insn *i, uint64_t hash);
/* Hash PC and the registers of the running lanes. */
uint64_t sm_registers_hash(const sm_warp *w, const sm_insn *pc);
/* The register hash that the last call of sm_iteration_only_waited computed. */
uint64_t sm_iteration_hash(const sm_worker *k);

/* Call at the end of the launch: subtracts polling iterations from K's counts, frees the state. */
void sm_waits_end(sm_worker *k);
void sm_waits_free(sm_worker *k);

#endif
