/* From a parsed function to code: registers get slots, immediates become constant registers,
 * labels become instruction pointers, each instruction gets its handler. */
#ifndef WARPBOOK_TRANSLATE_H
#define WARPBOOK_TRANSLATE_H

#include "warp.h"

/* A value that the window needs when it is made: it differs by thread, block or frame. */
typedef struct sm_fill {
    uint32_t slot;
    uint32_t bytes; /* a lane: 4 or 8 */
    ptx_sreg sreg;  /* PTX_SREG_NONE: the address of local memory at `offset` of the frame, */
    bool param;     /* or, with this, the kernel's parameter there, */
    bool shared;    /* or the address of shared memory there */
    uint64_t offset;
} sm_fill;

/* Where an argument or result of a call lies. */
typedef struct sm_arg {
    uint32_t slot;
    uint32_t bytes;
    bool words; /* a .param variable: words of 4 bytes, 32 lanes each; else a register */
} sm_arg;

/* extra of a call instruction. */
typedef struct sm_call {
    const struct sm_code *callee; /* NULL: by address, or the device runtime's */
    const sm_insn *(*system)(sm_warp *w, const sm_insn *i, const struct sm_call *c);
    uint32_t arg_count, ret_count;
    const sm_arg *arg, *ret;
} sm_call;

/* Code of one function, as part of one kernel. */
typedef struct sm_code {
    const ptx_func *func;
    sm_program *program;
    struct sm_unit *unit;
    uint32_t index;      /* in the unit */
    uint32_t site_base;  /* site of the function's first instruction */
    uint32_t visit_base; /* index of its first basic block in sm_worker.visits */
    sm_fill *fill;
    uint32_t fill_count;
    uint32_t block_fills; /* the first so many of them differ from block to block */
    sm_arg *zero;         /* what may be read before it is written: zero when a frame is made */
    uint32_t zero_count;
    uint32_t *var_slot; /* by ptx_var.index: slot of a call's .param variable; 0: none */
    sm_insn *insn;      /* [insn_count], block-entry instructions included */
    uint32_t insn_count;
    uint32_t window_bytes; /* register window */
    uint32_t const_offset; /* where constant registers begin in it */
    const uint8_t *consts; /* [window_bytes - const_offset], copied into a fresh window */
    uint32_t block_count;  /* basic blocks */
    struct sm_block_info {
        uint32_t insts, branches, barriers, shuffles; /* PTX instructions in it */
        uint32_t folded; /* of insts, those that the device's assembler makes nothing of */
        uint32_t parts;  /* of branches, those that the assembler does not turn into predicates */
        uint32_t alu;    /* of insts, those of the integer unit */
        uint32_t stores; /* of insts, those that write memory, but atomic operations whose result is
                            used */
        uint32_t f64;    /* sums and products of double precision */
        uint32_t more;   /* instructions that the assembler makes of them beyond one each */
        uint32_t special;  /* of all these, those of the special function unit */
        uint32_t products; /* cycles of the integer multiplier */
        uint32_t chain;    /* cycles of the longest chain of results */
        uint32_t cluster_barriers;
        uint32_t requests;                /* to global memory */
        uint32_t far_rounds, near_rounds; /* of waiting for global memory, for memory of the SM */
        uint32_t once; /* bits of such rounds, which a warp waits for once however many it meets */
        uint32_t tensors, tensor_chain; /* of insts, matrix instructions, and the longest chain */
        uint32_t tensor[CTR_tensor_b1 - CTR_tensor_f16 + 1]; /* their multiply-adds by type */
    } * block;                                               /* [block_count] */
    uint64_t local_bytes;                                    /* a thread, of one frame */
    sm_arg *arg, *ret;            /* [func->param_count], [func->ret_count]; functions only */
    uint32_t registers;           /* a thread, 32-bit ones, from the widest live set */
    const struct sm_facts *facts; /* facts.h */
    struct sm_owned {
        struct sm_owned *next;
        _Alignas(16) unsigned char bytes[];
    } * owned; /* what sm_code_alloc gave */
} sm_code;

/* A kernel and every function that it may call, translated together. */
typedef struct sm_unit {
    sm_program *program;
    const ptx_module *module;
    const ptx_func *kernel;
    sm_code **code; /* [code_count], the kernel first */
    uint32_t code_count;
    sm_code **by_func; /* [func_count of the module]; NULL: not part of the unit */
    uint32_t site_count, visit_count;
    uint32_t *site_code;     /* [site_count]: index of the code that has it */
    uint64_t *shared_offset; /* by ptx_var.index; UINT64_MAX: not used by this kernel */
    uint64_t static_shared;  /* bytes; where dynamic shared memory begins is shared_offset's */
    uint64_t dynamic_offset;
    bool calls;      /* some function calls another one, or alloca: a thread has a stack */
    bool heap;       /* some function calls malloc, or the runtime, which takes memory there too */
    bool runtime;    /* some function calls the runtime */
    bool clock;      /* some function reads one */
    bool waits;      /* some function has a loop in which threads may wait for others */
    bool sees_order; /* what a block does may depend on which blocks have run before it */
    bool polls;      /* some function may wait for what another block writes */
} sm_unit;

/* While translating; selectors call these.
 *
 * When a selector is called, *out has: d, q and the sources a b c e, in the order of the sheet, as
 * slots of scalar operands (of a vector the first element's), immediates widened to the lane width
 * of the operand (4, 8 or 16 bytes; predicates: one mask); for an address the slot of its register
 * or of its variable's address (8 bytes a lane if 64-bit addresses, see sm_width) and the offset
 * in imm; site; SM_I_UNIFORM_*. Everything else is the selector's. Pseudo-operands are not slots:
 * labels, functions, prototypes. */
struct sm_translation {
    const ptx_module *module;
    const ptx_func *func;
    sm_code *code;
    sm_program *program;
    bool failed;            /* out of memory, or an error written to `error` */
    char error[256];        /* why a form is refused, when "unsupported" is not enough */
    struct sm_build *build; /* translate.c's own */
};

/* Slot of a value (register, immediate, variable's address), an immediate widened to BYTES (4, 8
 * or 16) a lane. The sink and an absent value are slot 0, 512 scratch bytes that nobody reads. */
uint32_t sm_slot(sm_translation *t, const ptx_value *v, uint32_t bytes);

/* Bytes a lane of a register operand as declared: 4 for predicates, 8-, 16- and 32-bit ones. */
uint32_t sm_width(const sm_translation *t, const ptx_value *v);

/* Slots of a vector operand's elements, owned by the code: extra of vector loads and stores. */
const uint32_t *sm_slots(sm_translation *t, const ptx_operand *o, uint32_t bytes);

/* The parameter that variable V is of kernel F; NULL: F is no kernel, or V none of its own. */
const ptx_param *sm_kernel_param(const ptx_func *f, const ptx_var *v);

/* Memory owned by the code. NULL sets t->failed. */
void *sm_code_alloc(sm_translation *t, size_t bytes);

#endif
