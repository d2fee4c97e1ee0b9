/* Copies that need no code: parameters, special registers and constants are read where they lie. */
#ifndef WARPBOOK_FOLD_H
#define WARPBOOK_FOLD_H

#include "../core/build.h"

/* Find them: build->folded by instruction, build->fold_at by register. LIVE_IN: sm_liveness. False
 * when the host is out of memory. */
bool sm_fold(sm_translation *t, const bool *live_in);

/* Needs register REG no room of its own? */
bool sm_folded(const sm_build *b, uint32_t reg);

/* Give them the slots of what they copy, once constants can be placed. */
void sm_fold_slots(sm_translation *t);

#endif
