/* What a single instruction adds to the counters of its basic block. */
#pragma once

#include "../build.h"

/* Add what one execution of instruction K of F by a warp counts to INFO. UNROLLED_AWAY: ptxas
 * removes the instruction when it unrolls the loop. DIVERGES: lanes may
 * diverge at it, over code that is too long for a predicate. */
void compile_count_insn(const ptx_func *f, uint32_t k, bool unrolled_away, bool diverges,
                        struct sm_block_info *info);
