/* Shared by the files that make code: translate.c, slots.c, unit.c. */
#ifndef WARPBOOK_BUILD_H
#define WARPBOOK_BUILD_H

#include "translate.h"

typedef struct sm_const {
    uint64_t value;
    uint32_t bytes; /* a lane: 4, 8, 16; SM_BYTES_PREDICATE */
    uint32_t slot;
} sm_const;

typedef struct sm_build {
    uint32_t *reg_slot; /* [reg_count] */
    uint32_t end;       /* of the window so far */
    sm_const *constant;
    uint32_t const_count, const_room;
    uint32_t fill_room;
    uint64_t *local_offset; /* by ptx_var.index */
    sm_insn *insn;
    uint32_t insn_count, insn_room, info_room;
    uint32_t *place; /* of each PTX instruction's first sm_insn */
    char refusal[700];
} sm_build;

#define SM_BYTES_PREDICATE 1 /* as the bytes of a constant: one mask for 32 lanes */

/* sm_insn.vec of instructions whose extra is filled in when all are placed. */
enum { SM_PATCH_TARGET = 201, SM_PATCH_TABLE = 202 };

/* translate.c: code of t->func into t->code. False with build->refusal, or out of memory. */
bool sm_translate(sm_translation *t);
/* [insn_count + 1], malloc'd: does a basic block begin there? */
bool *sm_leaders(const ptx_func *f);

/* Operands of an operation as the sheet writes them. */
const char *sm_operand_words(ptx_op op);

/* slots.c */
bool sm_slots_assign(sm_translation *t, const bool *leader);
bool sm_slots_finish(sm_translation *t);
/* As sm_slot, but BYTES is the type's own size: narrow immediates are cut to it, and
 * SM_BYTES_PREDICATE makes a mask. */
uint32_t sm_slot_typed(sm_translation *t, const ptx_value *v, uint32_t bytes);
bool sm_sreg_is_clock(ptx_sreg s);
uint32_t sm_sreg_bytes(ptx_sreg s);

/* unit.c */
struct sm_program {
    const ptx_module *module;
    uint64_t *var_address;
    struct sm_units *units;
};

/* The kernel's unit, made at first use; NULL with *fault. */
sm_unit *sm_unit_get(sm_program *p, const ptx_func *kernel, sm_fault *fault);

#endif
