/* Run a warp under observers that follow every PTX instruction (sm_observer.insn_begins): a
 * dispatch loop of its own, so that the usual one pays nothing. The program must keep its registers
 * apart (sm_keep_registers), or copies have no instruction of their own. Inside the SM. */
#ifndef WARPBOOK_FOLLOW_H
#define WARPBOOK_FOLLOW_H

#include "../core/warp.h"

/* Run W from I until it must wait, is done, has used up its time slice, or an observer lets other
 * warps run. */
void sm_follow(sm_warp *w, const sm_insn *i);

#endif
