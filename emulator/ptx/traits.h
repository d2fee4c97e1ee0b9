/* What an instruction does, from its row of ops.def: for passes that reckon with instructions
 * without running them. A pass asks for a trait, never for a list of operations, so that a new row
 * is either said to have it or does not compile. */
#ifndef WARPBOOK_PTX_TRAITS_H
#define WARPBOOK_PTX_TRAITS_H

#include "ptx.h"

/* Where the thread goes on. Each word is that of the sheet's column; _ is the next instruction. */
typedef enum ptx_flow {
    PTX_FLOW__,
    PTX_FLOW_jump,  /* at a label */
    PTX_FLOW_table, /* at a label of a list */
    PTX_FLOW_call,  /* in a function, and then at the next instruction */
    PTX_FLOW_ret,   /* behind the call; a kernel ends */
    PTX_FLOW_exit,  /* nowhere: the thread ends */
    PTX_FLOW_stop   /* nowhere: the launch is stopped */
} ptx_flow;

/* What it orders, or waits for. */
typedef enum ptx_sync {
    PTX_SYNC__,
    PTX_SYNC_lanes,   /* convergent: lanes of the warp wait for one another */
    PTX_SYNC_block,   /* a barrier of the block; under .warp of the warp */
    PTX_SYNC_arrive,  /* the first half of the cluster's barrier, which waits for nobody */
    PTX_SYNC_cluster, /* the second half, which does */
    PTX_SYNC_fence,   /* the thread's accesses before it come before those behind it */
    PTX_SYNC_proxy,   /* likewise for accesses that take different ways to memory */
    PTX_SYNC_copies,  /* waits for asynchronous work that the thread itself began */
    PTX_SYNC_test,    /* asks whether others have come as far */
    PTX_SYNC_try,     /* likewise, and may wait for them for a time */
    PTX_SYNC_sleep    /* lets time pass */
} ptx_sync;

/* What it does to memory that others see, by its address. */
typedef enum ptx_access {
    PTX_ACCESS__,
    PTX_ACCESS_load,
    PTX_ACCESS_store,
    PTX_ACCESS_atom, /* changes it in one step, and gives the old value */
    PTX_ACCESS_red,  /* changes it in one step */
    PTX_ACCESS_copy  /* loads here and stores there */
} ptx_access;

/* State space of that memory. */
typedef enum ptx_reach {
    PTX_REACH__,
    PTX_REACH_any, /* as its mnemonic says, generic where it says nothing */
    PTX_REACH_global,
    PTX_REACH_shared,
    PTX_REACH_tex
} ptx_reach;

/* Who serves it, apart from the units that reckon. */
typedef enum ptx_unit {
    PTX_UNIT__,
    PTX_UNIT_lsu,    /* an access a lane */
    PTX_UNIT_matrix, /* a matrix, row by row, between memory and the lanes' registers */
    PTX_UNIT_sums,   /* likewise of sums, which the assembler makes accesses of the lanes */
    PTX_UNIT_tensor, /* products of matrices */
    PTX_UNIT_texture,
    PTX_UNIT_surface,
    PTX_UNIT_copier,   /* asynchronously, when the thread has gone on */
    PTX_UNIT_mbarrier, /* a barrier in shared memory */
    PTX_UNIT_shuffle,  /* values of other lanes */
    PTX_UNIT_stack     /* the thread's stack */
} ptx_unit;

/* How the result comes from the sources, where a pass wants to know. */
typedef enum ptx_means {
    PTX_MEANS__,
    PTX_MEANS_copy,
    PTX_MEANS_address, /* the same place, as an address of another space */
    PTX_MEANS_conversion,
    PTX_MEANS_sum,
    PTX_MEANS_difference,
    PTX_MEANS_product,
    PTX_MEANS_product_sum,
    PTX_MEANS_fused, /* likewise, rounded once */
    PTX_MEANS_quotient,
    PTX_MEANS_remainder,
    PTX_MEANS_negation,
    PTX_MEANS_reciprocal,
    PTX_MEANS_root,
    PTX_MEANS_inverse_root,
    PTX_MEANS_sine,
    PTX_MEANS_cosine,
    PTX_MEANS_logarithm,
    PTX_MEANS_power,
    PTX_MEANS_comparison, /* what it says of the first two sources */
    PTX_MEANS_outcome,    /* likewise, as a number */
    PTX_MEANS_selection,  /* one of the first two sources */
    PTX_MEANS_union,      /* bits of either */
    PTX_MEANS_mask,       /* bits of both */
    PTX_MEANS_shift       /* to the left */
} ptx_means;

/* What it costs to issue it and to wait for its result: families of the SM's table of costs. */
typedef enum ptx_cost {
    PTX_COST_plain,
    PTX_COST_elsewhere, /* what it waits for is counted elsewhere */
    PTX_COST_logic,
    PTX_COST_integer,
    PTX_COST_comparison,
    PTX_COST_sum,
    PTX_COST_product,
    PTX_COST_quotient,
    PTX_COST_remainder,
    PTX_COST_reciprocal,
    PTX_COST_root,
    PTX_COST_sine,
    PTX_COST_power,
    PTX_COST_bits,
    PTX_COST_conversion,
    PTX_COST_shuffle,
    PTX_COST_match,
    PTX_COST_redux,
    PTX_COST_fence,
    PTX_COST_atom
} ptx_cost;

typedef struct ptx_traits {
    ptx_flow flow;
    ptx_sync sync;
    ptx_access access;
    ptx_reach reach;
    ptx_unit unit;
    ptx_means means;
    ptx_cost cost;
} ptx_traits;

extern const ptx_traits ptx_traits_table[PTX_OP_COUNT];

static inline const ptx_traits *ptx_traits_of(const ptx_insn *in)
{
    return &ptx_traits_table[in->op];
}

/* State space of the memory that IN accesses; PTX_SPACE_NONE: generic, or no access at all. */
ptx_space ptx_space_of(const ptx_insn *in);
/* Can IN access memory of SPACE: does it say so, or has it a generic address? */
bool ptx_may_access(const ptx_insn *in, ptx_space space);
/* An access of each lane: ld, ldu, st, atom, red. */
bool ptx_is_lane_load(const ptx_insn *in);
bool ptx_is_lane_store(const ptx_insn *in);
bool ptx_is_lane_atomic(const ptx_insn *in);
/* Does it write memory, at once or when its copy has come? */
bool ptx_changes_memory(const ptx_insn *in);

/* A barrier of the block. */
bool ptx_is_block_barrier(const ptx_insn *in);
/* Does a thread that waits for others ask here whether they have come? */
bool ptx_asks_mbarrier(const ptx_insn *in);

/* The instruction that a branch goes to; PTX_NOWHERE: IN is none to a label. */
#define PTX_NOWHERE UINT32_MAX
uint32_t ptx_branch_target(const ptx_insn *in);
/* A branch, to a label or to one of a list. */
bool ptx_is_branch(const ptx_insn *in);
/* Is control never at the next instruction behind IN: an unconditional branch, return or exit? */
bool ptx_never_goes_on(const ptx_insn *in);

/* Is operand I written? Operand 0 alone can be. It may be read as well (ptx_is_updated). */
bool ptx_is_result(const ptx_insn *in, unsigned i);

/* A mov without .v2 or .v4: braces make one value of several, or several of one. */
bool ptx_is_packing(const ptx_insn *in);
bool ptx_is_updated(const ptx_insn *in);

/* FN for each register that IN reads: operand by operand, an updated result among them, then its
 * guard; OPERAND is the operand's index, PTX_GUARD for the guard. A register that stands there
 * twice comes twice. */
#define PTX_GUARD PTX_MAX_OPERANDS
typedef void ptx_visit(void *context, uint32_t reg, unsigned operand);
void ptx_each_read(const ptx_insn *in, ptx_visit *fn, void *context);
/* FN for each register that IN writes, where its guard is true. */
void ptx_each_write(const ptx_insn *in, ptx_visit *fn, void *context);

#endif
