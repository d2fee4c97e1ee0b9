/* Races on global memory: two threads of a launch that touch the same bytes, at least one of them
 * writing, with nothing that orders them (order.h), whichever of them came first this time.
 *
 * Atomic and other strong operations (volatile, relaxed and so on) do not race with one another,
 * unless they are in different blocks and the scope of one of them is .cta, or volatile ones hold
 * data (intent.h). Stores of the same value do not either. The threads of one instruction are as
 * unordered as any others. Lanes of a warp are ordered by bar.warp.sync and not by shuffles and
 * votes (PTX ISA 9.7.9.6).
 *
 * An asynchronous copy reads global memory when it is issued, and writes it when it lands, as the
 * thread that issued it. Texture and surface accesses are not looked at. Blocks run on one host
 * thread, one after another, so that what is found is the same each time. */
#ifndef WARPBOOK_SANITIZER_GLOBAL_H
#define WARPBOOK_SANITIZER_GLOBAL_H

#include "../../core/observer.h"

struct san_touched;

/* The clock of B's launch (view.h), where it is looked for such races; else 0. */
uint32_t san_global_now(const sm_block *b);
/* Is what OTHER (a thread of block OTHER_BLOCK) did at TIME, a READ or not, ordered before what
 * LANE of W does now? */
bool san_global_before(const sm_warp *w, uint32_t lane, uint64_t other_block, uint32_t other,
                       uint32_t time, bool read);

extern const sm_observer san_global_races;

/* What the calling thread's launches touch is added to T; NULL: to nothing. */
void san_global_follow(struct san_touched *t);

#endif
