/* Shared by the files that make code: translate.c, slots.c, unit.c. */
#ifndef WARPBOOK_BUILD_H
#define WARPBOOK_BUILD_H

#include "code.h"

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
    uint32_t *place;   /* of each PTX instruction's first sm_insn */
    bool *folded;      /* [insn_count]: no code, its register is where what it copies lies */
    uint32_t *fold_at; /* [reg_count]: the only instruction that writes it, or SM_NEVER */
    struct sm_memo_key {
        uint32_t reg; /* whose distances the memo tells; PTX_NOREG: none */
        uint32_t mode, vec;
        ptx_op op;
        ptx_space space;
    } memo[SM_MEMOS];       /* of the basic block that is being made */
    bool plain;             /* sm_program.plain */
    uint64_t *tensor_depth; /* [reg_count]: tensor_cost.c's own */
    uint64_t tensor_longest;
    uint32_t tensor_region;
    uint64_t *chain_ready; /* [reg_count]: issue_cost.c's own, as is what follows */
    uint64_t chain_region;
    uint32_t chain_longest, chain_floor;
    uint32_t *uses; /* [2 (reg_count + 1)]: reads, then writes, of each: clock/plan.c's own */
    char refusal[700];
} sm_build;

#define SM_BYTES_PREDICATE 1 /* as the bytes of a constant: one mask for 32 lanes */

/* sm_insn.vec of instructions whose extra is filled in when all are placed. */
enum { SM_PATCH_TARGET = 201, SM_PATCH_TABLE = 202 };

/* translate.c: code of t->func into t->code. False with build->refusal, or out of memory. */
bool sm_translate(sm_translation *t);
/* [insn_count + 1], malloc'd: does a basic block begin there? */
bool *sm_leaders(const ptx_func *f);

/* slots.c */
bool sm_slots_assign(sm_translation *t, const bool *leader);
bool sm_slots_finish(sm_translation *t);
/* Slot of BYTES of the kernel's parameters at OFFSET. */
uint32_t sm_slot_param(sm_translation *t, uint64_t offset, uint32_t bytes);
/* As sm_slot, but BYTES is the type's own size: narrow immediates are cut to it, and
 * SM_BYTES_PREDICATE makes a mask. */
uint32_t sm_slot_typed(sm_translation *t, const ptx_value *v, uint32_t bytes);
bool sm_sreg_is_clock(ptx_sreg s);
/* windows.c: one that differs from block to block. */
bool sm_sreg_is_block(ptx_sreg s);
uint32_t sm_sreg_bytes(ptx_sreg s);

/* tensor_cost.c: add what IN asks of the tensor cores to its basic block. False: out of memory. */
bool sm_tensor_cost(sm_translation *t, const ptx_insn *in, struct sm_block_info *info);

/* What else the assembler makes of it, and how long a warp waits for its result. BEGINS: it stands
 * at a label or behind a branch. False likewise. */
bool sm_issue_cost(sm_translation *t, const ptx_insn *in, bool begins, struct sm_block_info *info);

/* memo.c: sm_insn.memo of IN, which has been made into I; behind it, what a register that IN writes
 * was is forgotten. */
uint32_t sm_memo_of(sm_build *b, const ptx_insn *in, const sm_insn *i);
/* Forget what is known of REG; PTX_NOREG: of all, where a basic block begins. */
void sm_memo_forget(sm_build *b, uint32_t reg);

/* unit.c */
struct sm_program {
    const ptx_module *module;
    uint64_t *var_address;
    struct sm_units *units;
    bool plain; /* For tests, from before the first launch: without all that only makes code faster.
                 * Nothing is folded, slots are not shared, every access goes the long way, lane by
                 * lane. What is computed and counted must not differ. */
};

/* The kernel's unit, made at first use; NULL with *fault. */
sm_unit *sm_unit_get(sm_program *p, const ptx_func *kernel, sm_fault *fault);

#endif
