/* Copies without code: parameters, special registers and constants are read in place. */
#ifndef WARPBOOK_FOLD_H
#define WARPBOOK_FOLD_H

#include "../core/build.h"

/* Find such copies: sets build->folded by instruction and build->fold_at by register. LIVE_IN: from
 * sm_liveness. False: the host is out of memory. */
bool sm_fold(sm_translation *t, const bool *live_in);

/* Does register REG need no slot of its own? */
bool sm_folded(const sm_build *b, uint32_t reg);

/* Give the folded registers the slots of their sources. Call it once constants have slots. */
void sm_fold_slots(sm_translation *t);

#endif
