/* Traits: properties of an instruction, from its row in ops.def, for compiler passes and cost
 * models. A pass tests a trait instead of listing operations. A row without traits does not
 * compile, so every pass covers a new instruction. */
#pragma once

#include "ptx.h"

/* Trait `flow`: which instruction the thread executes next. The names are the words in the
 * column of ops.def; `_` means the next instruction. */
typedef enum ptx_flow {
    PTX_FLOW__,     /* the next instruction */
    PTX_FLOW_jump,  /* the thread continues at a label */
    PTX_FLOW_table, /* the thread continues at one of a list of labels */
    PTX_FLOW_call,  /* calls a function, then continues at the next instruction */
    PTX_FLOW_ret,   /* returns to the caller; in a kernel the thread ends */
    PTX_FLOW_exit,  /* the thread ends */
    PTX_FLOW_stop   /* the launch is stopped */
} ptx_flow;

/* Trait `sync`: what the instruction orders or waits for. */
typedef enum ptx_sync {
    PTX_SYNC__,       /* the instruction orders nothing and waits for nothing */
    PTX_SYNC_lanes,   /* the lanes of the warp wait for each other */
    PTX_SYNC_block,   /* barrier of the block; with .warp, of the warp */
    PTX_SYNC_aligned, /* barrier of the block that is always .aligned */
    PTX_SYNC_arrive,  /* arrives at the cluster barrier without waiting */
    PTX_SYNC_cluster, /* waits at the cluster barrier */
    PTX_SYNC_fence,   /* orders the thread's earlier accesses before its later ones */
    PTX_SYNC_proxy,   /* orders accesses through different proxies */
    PTX_SYNC_copies,  /* waits for asynchronous operations started by the thread itself */
    PTX_SYNC_group,   /* starts a copy that belongs to the thread's next group of copies; the
                       * thread can wait for the group */
    PTX_SYNC_commit,  /* makes a group of the copies that the thread started since the last */
    PTX_SYNC_groups,  /* waits for the thread's groups of asynchronous copies */
    PTX_SYNC_test,    /* tests whether other threads have arrived at a barrier object */
    PTX_SYNC_try, /* tests whether other threads have arrived at a barrier object, and may wait for
                     a limited time */
    PTX_SYNC_admits,  /* lets grids that depend on this one begin */
    PTX_SYNC_depends, /* waits for the grids that this one depends on */
    PTX_SYNC_sleep    /* delays the thread */
} ptx_sync;

/* Trait `access`: what the instruction does to memory at its address, as other threads see it. */
typedef enum ptx_access {
    PTX_ACCESS__,     /* no access to memory */
    PTX_ACCESS_load,  /* reads memory */
    PTX_ACCESS_store, /* writes memory */
    PTX_ACCESS_atom,  /* atomic read-modify-write that returns the old value */
    PTX_ACCESS_red,   /* atomic read-modify-write without a result */
    PTX_ACCESS_copy   /* loads from one address and stores to another */
} ptx_access;

/* Trait `reach`: the state space that the instruction accesses. */
typedef enum ptx_accessed_space {
    PTX_REACH__,      /* no access to memory */
    PTX_REACH_any,    /* the space that the mnemonic names; generic if it names none */
    PTX_REACH_global, /* always global memory */
    PTX_REACH_shared, /* always shared memory */
    PTX_REACH_tex     /* textures and surfaces */
} ptx_accessed_space;

/* Trait `unit`: the hardware unit that executes it, unless an arithmetic one. */
typedef enum ptx_unit {
    PTX_UNIT__,        /* an arithmetic unit */
    PTX_UNIT_lsu,      /* load/store unit: one access per lane */
    PTX_UNIT_matrix,   /* moves a matrix, row by row, between memory and the lanes' registers */
    PTX_UNIT_sums,     /* moves accumulators of a matrix; ptxas turns it into accesses per lane */
    PTX_UNIT_tensor,   /* multiplies matrices */
    PTX_UNIT_texture,  /* fetches from textures */
    PTX_UNIT_surface,  /* loads, stores and reductions of surfaces */
    PTX_UNIT_copier,   /* copies asynchronously while the thread continues */
    PTX_UNIT_mbarrier, /* operates on a barrier object in shared memory */
    PTX_UNIT_shuffle,  /* exchanges values between lanes */
    PTX_UNIT_stack,    /* changes the thread's stack */
    PTX_UNIT_video     /* operates on bytes or halves of registers */
} ptx_unit;

/* Trait `means`: the meaning of the result, for passes that need it. */
typedef enum ptx_result_meaning {
    PTX_MEANS__,            /* no compiler pass needs the meaning */
    PTX_MEANS_copy,         /* the result is the source */
    PTX_MEANS_address,      /* the result is the address converted to another state space */
    PTX_MEANS_peer_address, /* the result is the address in another block of the cluster */
    PTX_MEANS_conversion,   /* the source in another type */
    PTX_MEANS_sum,          /* a + b */
    PTX_MEANS_difference,   /* a - b */
    PTX_MEANS_product,      /* a * b */
    PTX_MEANS_product_sum,  /* a * b + c */
    PTX_MEANS_fused,        /* product and sum with a single rounding */
    PTX_MEANS_quotient,     /* a / b */
    PTX_MEANS_remainder,    /* remainder of a / b */
    PTX_MEANS_negation,     /* -a */
    PTX_MEANS_reciprocal,   /* 1 / a */
    PTX_MEANS_root,         /* square root of a */
    PTX_MEANS_inverse_root, /* 1 / square root of a */
    PTX_MEANS_sine,         /* sine of a */
    PTX_MEANS_cosine,       /* cosine of a */
    PTX_MEANS_logarithm,    /* logarithm of a to base 2 (lg2) */
    PTX_MEANS_power,        /* power of two (ex2) */
    PTX_MEANS_comparison,   /* compares the first two sources; the result is a predicate */
    PTX_MEANS_outcome,      /* compares the first two sources; the result is a number (set) */
    PTX_MEANS_selection,    /* selects one of the first two sources */
    PTX_MEANS_union,        /* bitwise or */
    PTX_MEANS_mask,         /* bitwise and */
    PTX_MEANS_shift         /* left shift */
} ptx_result_meaning;

/* Trait `cost`: a family of compile/ptxas/costs.def. It says which machine instructions ptxas
 * generates for the instruction, and how long they take. */
typedef enum ptx_cost {
    PTX_COST_plain,          /* instructions without a family of their own */
    PTX_COST_elsewhere,      /* bra and wgmma: other code of the cost model counts their cost */
    PTX_COST_tensor,         /* mma and wmma.mma */
    PTX_COST_barrier,        /* bar and barrier */
    PTX_COST_shift_left,     /* shl */
    PTX_COST_shift_right,    /* shr */
    PTX_COST_logic,          /* and, or, xor and not */
    PTX_COST_logic_of_three, /* lop3 */
    PTX_COST_integer,        /* bfi, prmt, selp, shf and slct */
    PTX_COST_extreme,        /* min and max */
    PTX_COST_field,          /* bfe: extracts bits */
    PTX_COST_comparison,     /* setp and set */
    PTX_COST_vote,           /* vote */
    PTX_COST_sum,            /* add and sub */
    PTX_COST_sign,           /* neg and abs */
    PTX_COST_product,        /* mul, mad and fma */
    PTX_COST_product24,      /* mul24 and mad24 */
    PTX_COST_quotient,       /* div */
    PTX_COST_remainder,      /* rem */
    PTX_COST_reciprocal,     /* rcp */
    PTX_COST_inverse_root,   /* rsqrt */
    PTX_COST_root,           /* sqrt */
    PTX_COST_sine,           /* sin and cos */
    PTX_COST_power,          /* ex2 and lg2 */
    PTX_COST_tangent,        /* tanh */
    PTX_COST_bits,           /* popc, brev and bfind */
    PTX_COST_leading_zeros,  /* clz */
    PTX_COST_conversion,     /* cvt */
    PTX_COST_shuffle,        /* shfl */
    PTX_COST_match,          /* match */
    PTX_COST_redux,          /* redux */
    PTX_COST_fence,          /* fence and membar */
    PTX_COST_atom            /* atom */
} ptx_cost;

typedef struct ptx_traits {
    ptx_flow flow;            /* the next instruction */
    ptx_sync sync;            /* what the instruction orders or waits for */
    ptx_access access;        /* load, store or atomic */
    ptx_accessed_space reach; /* state space of the access */
    ptx_unit unit;            /* hardware unit */
    ptx_result_meaning means; /* what the result means */
    ptx_cost cost;            /* family of costs.def */
} ptx_traits;

extern const ptx_traits ptx_traits_table[PTX_OP_COUNT];

static inline const ptx_traits *ptx_traits_of(const ptx_insn *in)
{
    return &ptx_traits_table[in->op];
}

/* The state space that IN accesses; PTX_SPACE_NONE: generic, or no access. */
ptx_space ptx_space_of(const ptx_insn *in);
/* Can IN access memory of SPACE, because it names the space or has a generic address? */
bool ptx_may_access(const ptx_insn *in, ptx_space space);
/* May other threads see what memory access IN does while the launch runs: is it volatile, or does
 * it have a memory order (PTX ISA 8.4, strong operations)? */
bool ptx_is_strong(const ptx_insn *in);
/* Does each lane of IN access its own address? Loads: ld, ldu; stores: st; atomics: atom, red. */
bool ptx_is_per_lane_load(const ptx_insn *in);
bool ptx_is_per_lane_store(const ptx_insn *in);
bool ptx_is_per_lane_atomic(const ptx_insn *in);
/* Does IN write memory, either at once or through an asynchronous copy? */
bool ptx_changes_memory(const ptx_insn *in);

/* Is IN a barrier of the block or, with .warp, of the warp? */
bool ptx_is_barrier(const ptx_insn *in);
/* Is IN a barrier of the block? */
bool ptx_is_block_barrier(const ptx_insn *in);
/* Must all lanes of a warp execute IN together (PTX ISA: .aligned)? */
bool ptx_needs_whole_warp(const ptx_insn *in);
/* Does IN test whether other threads have arrived at an mbarrier? */
bool ptx_tests_mbarrier(const ptx_insn *in);

/* The instruction index that a branch jumps to; PTX_NO_TARGET: IN is not a branch to a label. */
#define PTX_NO_TARGET UINT32_MAX
uint32_t ptx_branch_target(const ptx_insn *in);
/* Is IN a branch, to a label or to one of a list of labels? */
bool ptx_is_branch(const ptx_insn *in);
/* Does IN never continue at the next instruction, as an unconditional branch, return or exit? */
bool ptx_never_falls_through(const ptx_insn *in);

/* Does IN write its operand I, which only 0 can be? It may be read, too: ptx_reads_its_result. */
bool ptx_is_result_operand(const ptx_insn *in, unsigned i);
/* The last of F's instructions FIRST .. K - 1 whose only result is register REG, or NULL. */
const ptx_insn *ptx_writer_before(const ptx_func *f, uint32_t first, uint32_t k, uint32_t reg);

/* Is IN a mov with braces but without .v2 or .v4, which packs several values or unpacks them? */
bool ptx_is_packing_mov(const ptx_insn *in);
bool ptx_reads_its_result(const ptx_insn *in);

/* PTX_EACH_READ: the registers that IN reads, one after another as W->reg: operand by operand,
 * including an updated result, then the guard; one used twice comes twice. PTX_EACH_WRITTEN: those
 * that IN writes when its guard is true. */
#define PTX_EACH_READ(w, in) \
    for (ptx_register_walk w = ptx_registers_read(in); ptx_next_register(&w);)
#define PTX_EACH_WRITTEN(w, in) \
    for (ptx_register_walk w = ptx_registers_written(in); ptx_next_register(&w);)
#define PTX_GUARD_OPERAND PTX_MAX_OPERANDS
typedef struct ptx_register_walk {
    uint32_t reg;     /* the present register */
    unsigned operand; /* the operand that names it, or PTX_GUARD_OPERAND */
    unsigned value, end;
    const ptx_insn *in;
    bool guard; /* the guard is still to come */
} ptx_register_walk;
ptx_register_walk ptx_registers_read(const ptx_insn *in);
ptx_register_walk ptx_registers_written(const ptx_insn *in);
bool ptx_next_register(ptx_register_walk *w);
