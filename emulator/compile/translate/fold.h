/* Folding of copies: instructions read parameters, special registers and constants directly instead
 * of a copy in a register. */
#pragma once

#include "../build.h"

/* Find copies that need no code. Sets build->folded for each instruction and build->fold_at for
 * each register. LIVE_IN: result of compile_find_live_ranges. False: the host is out of memory. */
bool compile_find_folded_copies(compile_translation *t, const bool *live_in);

/* Does register REG need no slot of its own? */
bool compile_is_register_folded(const compile_build *b, uint32_t reg);

/* Assign the slots of their sources to the folded registers. Call it after constants have slots. */
void compile_assign_folded_slots(compile_translation *t);
