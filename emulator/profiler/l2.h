/* Where atomic operations on global memory meet, as the clock is modelled from them: each line of
 * L2 has its home in one slice, which takes the updates one after another. Inside the SM.
 *
 * A warp's request goes to L2 as packets: one for each line, and where lanes update one word, one
 * more for each of them after the first. A home takes a packet's sectors one by one, and for a
 * packet of one sector as long as for 5/4. Recorded: tests/hardware/timings/h200/parts/atomics.tsv,
 * and with ncu's lts__t_sectors.max, which lines share a home: pairs of lines alternate between two
 * slices, and each KB of memory has such a pair of its own. */
#ifndef WARPBOOK_L2_H
#define WARPBOOK_L2_H

#include "../core/warp.h"

/* The atomic request I of N active lanes in order, each of a word at address[]. */
void sm_l2_atomic(sm_worker *k, const sm_insn *i, const uint64_t *address, uint32_t n);

/* What was noted since the last mark has been a turn that waited (waits.h): forget it. */
void sm_l2_mark(sm_worker *k);
void sm_l2_undo(sm_worker *k);

/* Add what FROM noted to TO, and turn TO's notes into counters in OUT. */
void sm_l2_add(sm_worker *to, const sm_worker *from);
void sm_l2_collect(const sm_worker *k, counters *out);
void sm_l2_free(sm_worker *k);

#endif
