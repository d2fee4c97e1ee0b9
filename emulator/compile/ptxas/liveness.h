/* Live ranges of registers, for sharing slots of the window and for the number of registers that a
 * kernel needs. */
#pragma once

#include "../../ptx/ptx.h"

#define COMPILE_NO_INSN_INDEX UINT32_MAX

/* The first and last instruction at which a register is live; COMPILE_NO_INSN_INDEX: unused. */
typedef struct compile_live_range {
    uint32_t first, last; /* first and last instruction at which the register is live */
} compile_live_range;

/* Compute the live ranges of F. Fills span[] and live_in[] (the register may be read before it is
 * written), both [reg_count], `alive` of the loops in FACTS that have this field, and *REGISTERS,
 * the largest live set in 32-bit registers, and *ACROSS_CALLS, likewise of the values that a call
 * must preserve. LEADER: basic block starts
 * (compile_find_block_leaders). Returns false if the host is out of memory. */
struct compile_facts;
bool compile_find_live_ranges(const ptx_func *f, const bool *leader,
                              const struct compile_facts *facts, compile_live_range *span,
                              uint32_t *registers, uint32_t *across_calls, bool *live_in);

/* Set at[reg] to the instruction that writes register REG if exactly one instruction writes it and
 * that instruction has no guard; otherwise to COMPILE_NO_INSN_INDEX. */
void compile_find_single_definitions(const ptx_func *f, uint32_t *at);
