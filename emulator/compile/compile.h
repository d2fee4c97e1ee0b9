/* What instruction selectors (exec/) may ask of the translation that calls them. */
#pragma once

#include "../core/code.h"

/* State of a translation, and the helpers that selectors call.
 *
 * When a selector is called, *out already holds:
 * - d, q, a, b, c, e: the slots of the scalar operands (of a vector operand: of its first element),
 *   in the order of ops.def. Immediates have been widened to the operand's lane width (4, 8 or 16
 *   bytes; a predicate is one mask).
 * - for an address operand: the slot of its register, or of the address of its variable (8 bytes
 *   per lane for 64-bit addresses, see compile_register_bytes), and the offset in imm.
 * - site, and the flags SM_I_UNIFORM_*.
 *
 * The selector fills in the rest. Labels, functions and prototypes have no slot. */
typedef struct compile_translation {
    const ptx_module *module;
    const ptx_func *func;
    sm_code *code;
    sm_program *program;
    bool failed;     /* out of memory, or `error` holds a message */
    char error[256]; /* why the instruction is unsupported; empty: no particular reason */
    struct compile_build *build; /* state of the translation that only translate/ uses */
} compile_translation;

/* The slot of a value (register, immediate, address of a variable). An immediate is widened to
 * BYTES (4, 8 or 16) per lane. The sink `_` and an absent value have slot 0: 512 scratch bytes that
 * are never read. */
uint32_t compile_slot_of_value(compile_translation *t, const ptx_value *v, uint32_t bytes);

/* Bytes per lane of a register as declared; 4 for predicates and for 8 to 32 bits. */
uint32_t compile_register_bytes(const compile_translation *t, const ptx_value *v);

/* Slots of a vector operand's elements, for sm_insn.extra of vector accesses. The code owns the
 * array. */
const uint32_t *compile_slots_of_vector(compile_translation *t, const ptx_operand *o,
                                        uint32_t bytes);

/* The only instruction that writes register REG; NULL: there are several, or it is not known. */
const ptx_insn *compile_only_definition(const compile_translation *t, uint32_t reg);

/* The parameter of kernel F that variable V stands for; NULL if F is not a kernel or V is not one
 * of its parameters. */
const ptx_param *compile_kernel_param(const ptx_func *f, const ptx_var *v);

/* Allocate memory that lives as long as the code. NULL when out of memory; sets t->failed. */
void *compile_alloc_with_code(compile_translation *t, size_t bytes);
