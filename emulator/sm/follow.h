/* Runs a warp while observers follow every PTX instruction (sm_observer.insn_begins). This has a
 * dispatch loop of its own, so that unobserved warps pay nothing. The translated program must keep
 * its registers separate (compile_disable_optimizations); otherwise register copies have no
 * instruction of their own. */
#ifndef WARPBOOK_FOLLOW_H
#define WARPBOOK_FOLLOW_H

#include "../core/warp.h"

/* Run W from instruction I until it must wait, has ended, has used up its time slice, or an
 * observer lets other warps run. */
void sm_run_observed(sm_warp *w, const sm_insn *i);

#endif
