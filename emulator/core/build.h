/* State of a translation in progress, private to translate/ and the passes of ptxas/ that it
 * runs. */
#ifndef WARPBOOK_BUILD_H
#define WARPBOOK_BUILD_H

#include "code.h"

typedef struct sm_const {
    uint64_t value; /* constant in the register window */
    uint32_t bytes; /* bytes of each lane: 4, 8 or 16; or SM_BYTES_PREDICATE */
    uint32_t slot;  /* slot: byte offset in the register window */
} sm_const;

typedef struct sm_build {
    uint32_t *reg_slot;               /* [reg_count] slot of each register */
    uint32_t end;                     /* size of the register window so far */
    sm_const *constant;               /* [const_count] constants with a slot */
    uint32_t const_count, const_room; /* entries used; capacity of `constant` */
    uint32_t fill_room;               /* capacity of code->fill */
    uint64_t *local_offset; /* offset of each variable in local memory, by ptx_var.index */
    sm_insn *insn;          /* [insn_count] translated instructions */
    uint32_t insn_count, insn_room,
        info_room;        /* entries of `insn`; capacities of `insn` and of basic-block infos */
    uint32_t *first_insn; /* index of the first sm_insn of each PTX instruction */
    bool *folded;      /* [insn_count]: a copy without code of its own; its register shares the slot
                        * of the source */
    uint32_t *fold_at; /* [reg_count]: the only instruction that writes the register, or SM_NEVER */
    struct sm_memo_key {
        uint32_t reg; /* the address register that the memo describes; PTX_NO_REGISTER: none */
        uint32_t mode, vec; /* of the access: sm_insn.mode and .vec */
        ptx_op op;
        ptx_space space;      /* state space of the access */
    } memo[SM_ADDRESS_MEMOS]; /* memos of the basic block being translated */
    bool plain;               /* copy of sm_program.plain: no optimizations */
    uint64_t *tensor_depth;   /* [reg_count]: used by tensor_cost.c only, as are the next two */
    uint64_t tensor_longest;  /* longest chain of matrix instructions in the region */
    uint32_t tensor_region;   /* number of the current region */
    uint64_t *chain_ready;    /* [reg_count]: used by issue_cost.c only, as are the next four */
    struct insn_cost *costs;  /* rows of costs.def for this device */
    uint64_t chain_region;    /* number of the current region */
    uint32_t chain_longest, chain_floor; /* latency so far in the region; at its last barrier */
    const ptx_insn
        *block_first;  /* first instruction of the basic block; used by clock/plan.c only */
    uint32_t *uses;    /* [2 (reg_count + 1)]: reads, then writes, of each register; used by
                        * clock/plan.c only */
    char refusal[700]; /* message: why the function cannot be translated */
} sm_build;

#define SM_BYTES_PREDICATE 1 /* sm_const.bytes of a predicate: one mask for 32 lanes */

/* Values of sm_insn.vec of branches and branch tables whose `extra` is set after all instructions
 * are translated. */
enum { SM_VEC_PATCH_TARGET = 201, SM_VEC_PATCH_TABLE = 202 };

/* Translate t->func into t->code. Returns false if the function is unsupported (build->refusal is
 * set) or memory is exhausted. Defined in translate.c. */
bool sm_translate(sm_translation *t);
/* A malloc'd array [insn_count + 1]: true for each instruction that begins a basic block. */
bool *sm_find_block_leaders(const ptx_func *f);

/* slots.c */
bool sm_assign_reg_slots(sm_translation *t, const bool *leader);
bool sm_finish_reg_slots(sm_translation *t);
/* The slot of BYTES bytes of the kernel's parameters at OFFSET. */
uint32_t sm_slot_of_param(sm_translation *t, uint64_t offset, uint32_t bytes);
/* Like sm_slot_of_value, but BYTES is the size of the operand's type: narrow immediates are
 * truncated to it, and SM_BYTES_PREDICATE makes a mask. */
uint32_t sm_slot_of_typed_value(sm_translation *t, const ptx_value *v, uint32_t bytes);
bool sm_special_reg_is_clock(ptx_sreg s);
bool sm_reads_clock(const ptx_insn *in);
/* Does the value of special register S differ from block to block? Defined in windows.c. */
bool sm_sreg_is_per_block(ptx_sreg s);
uint32_t sm_special_reg_bytes(ptx_sreg s);

/* Add the tensor-core work of IN to INFO, its basic block. Returns false if out of memory. Defined
 * in tensor_cost.c. */
bool sm_tensor_cost(sm_translation *t, const ptx_insn *in, struct sm_block_info *info);

/* Add the machine instructions that ptxas emits for IN, and the latency of its result, to INFO, its
 * basic block. BEGINS: IN follows a label or a branch. Returns false if out of memory. Defined in
 * issue_cost.c. */
bool sm_issue_cost(sm_translation *t, const ptx_insn *in, bool begins, struct sm_block_info *info);

/* The value of sm_insn.memo for I, the translation of IN. Also drops the memos of the registers
 * that IN writes. Defined in memo.c. */
uint32_t sm_address_memo_of(sm_build *b, const ptx_insn *in, const sm_insn *i);
/* Forget the memos of REG, or all memos for PTX_NO_REGISTER (at the start of a basic block). */
void sm_address_memo_drop(sm_build *b, uint32_t reg);

/* unit.c */
struct sm_program {
    const ptx_module *module;
    uint64_t *var_address;       /* device addresses of the module's variables */
    struct sm_unit_table *units; /* translated kernels */
    sm_cycles cycles;            /* latencies of the device that runs the program */
    bool plain; /* set by sm_disable_optimizations: optimizations of the translated code are off: no
                 * folding, no       shared slots, and each access checked lane by lane. */
};

/* The translated code of KERNEL; it is translated at the first call. NULL on failure, with *fault
 * set. */
sm_unit *sm_translated_unit(sm_program *p, const ptx_func *kernel, sm_fault *fault);

#endif
