/* State of a translation in progress, and the passes of which it consists. Private to compile/. */
#pragma once

#include "../core/machine_step.h"
#include "compile.h"

typedef struct compile_const {
    uint64_t value; /* the constant's value */
    uint32_t bytes; /* bytes of each lane: 4, 8 or 16; or COMPILE_BYTES_PREDICATE */
    uint32_t slot;  /* position: byte offset in the register window */
} compile_const;

/* What the machine instruction of a PTX instruction computes besides. */
typedef enum compile_merged {
    COMPILE_MERGED_NOTHING,
    COMPILE_MERGED_OTHER,  /* a sum, a shift or a logic operation */
    COMPILE_MERGED_PRODUCT /* a product */
} compile_merged;

typedef struct compile_build {
    uint32_t *reg_slot;      /* [reg_count] byte offset of each register in the register window */
    uint32_t end;            /* size of the register window so far */
    compile_const *constant; /* [const_count] constants with a slot */
    uint64_t *local_offset;  /* offset of each variable in local memory, by ptx_var.index */
    sm_insn *insn;           /* [insn_count] translated instructions */
    uint32_t const_count, insn_count;
    uint32_t info_cap;    /* capacity of the array sm_code.block */
    uint32_t *first_insn; /* index of the first sm_insn of each PTX instruction */
    bool *folded; /* [insn_count] the instruction is a copy that needs no code, because its register
                     shares the slot of the source */
    uint32_t *fold_at; /* [reg_count] index of the only instruction that writes the register, or
                          COMPILE_NO_INSN_INDEX */
    struct compile_memo_key {
        uint32_t reg;    /* number of the address register; PTX_NO_REGISTER: the entry is unused */
        uint32_t mode;   /* size and kind of the access: sm_insn.mode */
        uint32_t vec;    /* number of elements of the access: 1 for a scalar */
        ptx_op op;       /* operation of the access, such as ld or st */
        ptx_space space; /* state space of the access */
    } memo[SM_ADDRESS_MEMOS]; /* address registers of the block whose bounds checks can be shared */
    bool plain;               /* copy of sm_program.plain: optimizations are off */
    uint64_t *tensor_depth;   /* [reg_count] for tensor_cost.c: longest chain of matrix instructions
                                 up to the value of each register */
    uint64_t
        tensor_longest; /* for tensor_cost.c: longest chain of matrix instructions in the region */
    uint32_t
        tensor_region; /* for tensor_cost.c: number of the current region of straight-line code */
    uint64_t *chain_ready; /* [reg_count] for issue_cost.c: latency of the chain of instructions up
                              to the value of each register */
    struct insn_cost *costs; /* rows of costs.def for this device */
    uint64_t
        chain_region; /* for issue_cost.c: number of the current region of straight-line code */
    uint32_t chain_longest, chain_floor; /* for issue_cost.c: longest latency so far in the region;
                                            the same at the region's last barrier */
    const ptx_insn *block_first; /* first instruction of the basic block that is being translated;
                                    used by compile/ptxas/clock_step.c only */
    uint32_t *uses; /* [2 (reg_count + 1)]: reads, then writes, of each register; used by
                     * compile/ptxas/clock_step.c only */
    bool *narrow; /* [insn_count] ptxas computes only the lower word of the instruction's 64 bits */
    bool merged;  /* compile_find_merge: the next reader's machine instruction computes it too */
    compile_merged merges_in; /* likewise: what the machine instruction computes besides */
    char refusal[700];        /* message: why the function cannot be translated */
} compile_build;

#define COMPILE_BYTES_PREDICATE 1 /* compile_const.bytes of a predicate: one mask for 32 lanes */

/* Values of sm_insn.vec of branches and branch tables whose `extra` is set after all instructions
 * are translated. */
enum {
    COMPILE_VEC_PATCH_TARGET = 201, /* a branch whose target is not set yet */
    COMPILE_VEC_PATCH_TABLE = 202   /* a branch table whose targets are not set yet */
};

/* Translate t->func into t->code. Returns false if the function is unsupported (build->refusal is
 * set) or memory is exhausted. Defined in translate.c. */
bool compile_translate_function(compile_translation *t);
/* A malloc'd array [insn_count + 1]: true for each instruction that begins a basic block. */
bool *compile_find_block_leaders(const ptx_func *f);

/* slots.c */
bool compile_assign_reg_slots(compile_translation *t, const bool *leader);
bool compile_finish_reg_slots(compile_translation *t);
/* The slot of BYTES bytes of the kernel's parameters at OFFSET. */
uint32_t compile_slot_of_kernel_param(compile_translation *t, uint64_t offset, uint32_t bytes);
/* The slot of value V as an operand of a type of BYTES bytes: a narrow immediate is truncated to
 * that size, and an immediate predicate (COMPILE_BYTES_PREDICATE) becomes a mask. */
uint32_t compile_slot_of_typed_value(compile_translation *t, const ptx_value *v, uint32_t bytes);
uint32_t compile_special_reg_bytes(ptx_sreg s);
bool compile_special_reg_is_clock(ptx_sreg s);
bool compile_reads_clock(const ptx_insn *in);

/* Add the tensor-core work of IN to INFO, its basic block. Returns false if out of memory. Defined
 * in tensor_cost.c. */
bool compile_tensor_cost(compile_translation *t, const ptx_insn *in, struct sm_block_info *info);

/* Add the machine instructions that ptxas emits for IN, and the latency of its result, to INFO, its
 * basic block. BEGINS: IN follows a label or a branch. Returns false if out of memory. Defined in
 * issue_cost.c. */
bool compile_issue_cost(compile_translation *t, const ptx_insn *in, bool begins,
                        struct sm_block_info *info);

/* Find instructions of 64 bits of which ptxas computes the lower words only. Returns false if out
 * of memory. compile_as_computed: IN, or *HALF, the instruction of 32 bits. Defined in halves.c. */
bool compile_find_halves(compile_translation *t);
const ptx_insn *compile_as_computed(const compile_translation *t, const ptx_insn *in,
                                    ptx_insn *half);

/* Does ptxas emit no code for IN: a parameter, a move? Defined in issue_cost.c. */
bool compile_has_no_code(const ptx_insn *in);

/* If ptxas executes what branch K skips, and the other side of an if, under a predicate, the
 * instruction after that code; else K. *MOVES: the moves to registers that the code writes, which
 * are no mere names then. LEADER[n]: instruction n begins a basic block. Defined in predicated.c.
 */
uint32_t compile_predicated_end(const ptx_func *f, const bool *leader, uint32_t k, uint32_t *moves);

/* Is K a branch at which lanes may diverge, over code that is too long for a predicate? Where
 * compile_predicated_end finds none. Defined in predicated.c. */
bool compile_may_diverge(const ptx_func *f, uint32_t k);

/* The value of field `memo` of I, the translation of IN: it identifies earlier accesses through the
 * same address register, so that they share a bounds check. Registers that IN writes are forgotten.
 * Defined in memo.c. */
uint32_t compile_address_memo_of(compile_build *b, const ptx_insn *in, const sm_insn *i);
/* Forget what the translation knows about address register REG or, if REG is PTX_NO_REGISTER, about
 * all of them (at the start of a basic block). */
void compile_forget_address_memos(compile_build *b, uint32_t reg);

/* The SM_STEP_MAX_RUNS runs of machine instructions of IN. The first run is empty if ptxas emits no
 * code for IN. Sets *APART to sm_step.apart. Defined in compile/ptxas/issue_cost.c. */
const sm_class_run *compile_class_runs(const ptx_insn *in, bool *apart);
/* Create the clock step of IN. NULL: out of memory, and t->failed is set. Defined in
 * compile/ptxas/clock_step.c.
 */
/* Finds whether IN and another instruction become one machine instruction: sets merged and
 * merges_in of the build. False: out of memory. */
bool compile_find_merge(compile_translation *t, const ptx_insn *in);

const sm_step *compile_new_step(compile_translation *t, const ptx_insn *in);
/* Create the clock step of a basic block's entry. NULL: out of memory, and t->failed is set. */
const sm_step *compile_new_entry_step(compile_translation *t);

/* Store the work of each basic block of CODE, computed with the latencies of T's device, in the
 * instruction at its entry, once the function is translated. Defined in block_work.c. */
void compile_store_block_work(sm_code *code, const sm_program *p);
