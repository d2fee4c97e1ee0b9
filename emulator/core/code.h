/* The translated code of a function and of a kernel with everything it calls. In translated code
 * registers have slots in the register window, immediates are constant registers, labels are
 * instruction pointers, and each instruction names its handler. */
#pragma once

#include "cycles.h"
#include "handlers.h"
#include "warp.h"

/* A value written into a register window when the window is made, because it depends on the thread,
 * the block or the function call. */
typedef struct sm_window_fill {
    uint32_t slot;  /* byte offset in the register window */
    uint32_t bytes; /* bytes for each lane: 4 or 8 */
    ptx_sreg sreg; /* the special register; PTX_SREG_NONE: `param` or `shared` says what to fill in,
                      or if neither is set, the address of the frame's local memory */
    bool param;    /* fill in the kernel's parameter at `offset` */
    bool shared;   /* fill in the address of shared memory at `offset` */
    uint64_t offset; /* offset of the parameter among all parameters, or in shared memory */
} sm_window_fill;

/* The location of an argument or result of a call in the register window. */
typedef struct sm_call_operand {
    uint32_t slot;
    uint32_t bytes;
    bool words; /* true: it is a .param variable, stored as 4-byte words of 32 lanes each; false: it
                   is a register */
} sm_call_operand;

/* A call instruction; field `extra` of its sm_insn points to this. */
typedef struct sm_call {
    const struct sm_code *callee; /* the called function; NULL: an indirect call, or a function that
                                     `system` implements */
    const sm_insn *(*system)(sm_warp *w, const sm_insn *i, const struct sm_call *c);
    uint32_t arg_count, ret_count;    /* number of arguments; number of results */
    const sm_call_operand *arg, *ret; /* arguments [arg_count] and results [ret_count] */
} sm_call;

/* The code of one function as translated for one kernel. */
typedef struct sm_code {
    const ptx_func *func;      /* the function in PTX */
    sm_program *program;       /* the program that contains the function */
    struct sm_unit *unit;      /* the kernel's unit, which contains this code */
    uint32_t index;            /* index of this function in sm_unit.code */
    uint32_t site_base;        /* number of the function's first instruction among the unit's */
    uint32_t visit_base;       /* index of the function's first basic block in sm_worker.visits */
    sm_window_fill *fill;      /* values to write into a new register window */
    uint32_t fill_count;       /* number of values in `fill` */
    uint32_t block_fill_count; /* the first so many of fill[] differ from block to block */
    sm_call_operand *zero; /* registers that may be read before they are written: set to zero in a
                              new register window */
    uint32_t zero_count;   /* number of ranges in `zero` */
    uint32_t *reg_slot;  /* [reg_count of func] byte offset of each register in the register window,
                            0: none; NULL unless each register has a place of its own
                            (compile_disable_optimizations) */
    uint32_t *var_slot;  /* [ptx_var.index] byte offset of a call's .param variable in the register
                            window; 0: none */
    sm_insn *insn;       /* [insn_count] translated instructions, one more at each block's entry */
    uint32_t insn_count; /* number of translated instructions */
    uint32_t window_bytes; /* size of the register window in bytes */
    uint32_t const_offset; /* offset of the constant registers in the window */
    const uint8_t *consts; /* [window_bytes - const_offset] values of the constant registers, copied
                              into a new window */
    uint32_t block_count;  /* number of basic blocks */
    struct sm_block_info {
        /* For each counter, the amount that one execution of the block by a warp adds. */
#define COUNTER(...)
#define BLOCK_COUNTER(field, ...) uint32_t field;
#include "../counters/counters.def"
#undef BLOCK_COUNTER
#undef COUNTER
        uint32_t stores;     /* instructions that write memory, but atomics whose result is used */
        uint32_t flops;      /* floating-point operations on f32 that each lane performs */
        uint32_t requests;   /* number of requests to global memory */
        uint32_t far_rounds; /* number of waits for loads from global memory */
        uint32_t
            near_parts; /* number of waits for memory inside the SM, times COMPILE_UNROLL_FACTOR */
        uint32_t once;  /* a bit for each wait for memory that costs a warp time only once per
                           launch, however often it executes the loads */
    } * block;          /* [block_count] costs of each basic block */
    uint64_t local_bytes;       /* bytes of local memory per thread and frame */
    uint32_t kept_across_calls; /* most 32-bit registers that are live before and after a call */
    uint32_t frame_bytes; /* bytes of a thread's stack that a call takes on a GPU: local memory and
                             saved registers */
    sm_call_operand *arg,
        *ret; /* parameters [func->param_count] and results [func->ret_count]; NULL for kernels */
    uint32_t registers; /* 32-bit registers per thread, estimated from the largest live
                         * set */
    const struct compile_facts
        *facts;                /* results of the analysis of the function: compile/ptxas/facts.h */
    struct sm_owned {          /* memory that is freed with the code */
        struct sm_owned *next; /* next allocation in the list */
        _Alignas(16) unsigned char bytes[];
    } * owned; /* list of the allocations made by compile_alloc_with_code */
} sm_code;

/* Add to OUT the counters of basic block INFO, which warps executed TIMES times with LANES active
 * lanes in total. */
static inline void sm_count_block(const struct sm_block_info *info, uint64_t times, uint64_t lanes,
                                  counters *out)
{
    out->v[CTR_thread_inst] += lanes * info->inst;
    out->v[CTR_flops] += lanes * info->flops;
#define COUNTER(...)
#define BLOCK_COUNTER(field, ...) out->v[CTR_##field] += times * info->field;
#include "../counters/counters.def"
#undef BLOCK_COUNTER
#undef COUNTER
}

/* Whether launches of a kernel are faster on one host thread than on all (launch/trial.h). */
typedef struct sm_threads_habit {
    _Atomic bool alone;       /* one thread was as fast */
    _Atomic uint32_t left;    /* number of launches that need not try it */
    _Atomic uint32_t skipped; /* value of `left` after the last trial */
} sm_threads_habit;

/* A kernel and every function that it may call, translated together. */
typedef struct sm_unit {
    sm_program *program;
    const ptx_module *module; /* the module that contains the functions */
    const ptx_func *kernel;   /* the kernel in PTX */
    sm_code **code;           /* [code_count] code of each function, the kernel first */
    uint32_t code_count;      /* number of entries in `code` */
    uint32_t machine; /* estimated number of machine instructions in all functions; only set if some
                         function reads a clock */
    sm_code **by_func; /* [func_count of the module] each function's code; NULL: never called */
    uint32_t site_count, visit_count; /* how many instructions the unit has (their numbers are
                                         called sites); how many basic blocks */
    uint32_t *site_code; /* [site_count] for each instruction, the index in code[] of the function
                            that contains it */
    const ptx_insn **site_insn; /* [site_count] each instruction; for the end of a function, its
                                   last instruction */
    uint64_t *shared_offset; /* [ptx_var.index] offset of each shared variable in the block's shared
                                memory; UINT64_MAX: the kernel does not use it */
    uint64_t static_shared;  /* bytes of static shared memory */
    uint64_t dynamic_offset; /* offset of dynamic shared memory */
    bool calls;              /* some function calls another, or uses alloca: threads need a stack */
    bool recurses;   /* some function may call itself, directly or not: the size of a thread's stack
                      * is   the device's limit */
    bool heap;       /* a function calls malloc or the device runtime, which uses the same heap */
    bool runtime;    /* some function calls the device runtime */
    bool clock;      /* some function reads a clock */
    bool waits;      /* some function has a loop in which threads may wait for other threads */
    bool sees_order; /* the behaviour of a block may depend on which blocks have run before it */
    bool polls;      /* some function may wait for a value that another block writes */
    bool updates;    /* some function has an atomic operation on global memory */
    sm_threads_habit *habit; /* [2] of launches without and with counters of memory accesses */
} sm_unit;

/* A module bound to the addresses of its variables, with the code of its kernels. */
struct sm_program {
    const sm_handlers *handlers;      /* the handlers that translated code calls */
    const ptx_module *module;         /* the module that the program was made from */
    uint64_t *var_address;            /* [variable of the module] its device address */
    struct compile_unit_table *units; /* translated kernels, with the functions that they call */
    sm_cycles cycles;                 /* latencies of the device that runs the program */
    bool
        plain; /* set by compile_disable_optimizations: translated code is not optimized (no folding
                  of copies, no shared register slots, and each access is checked lane by lane) */
};

/* The parsed instruction that I was translated from. */
static inline const ptx_insn *sm_site_insn(const sm_warp *w, const sm_insn *i)
{
    return w->block->grid->unit->site_insn[i->site];
}
