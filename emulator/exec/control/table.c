/* The table of selectors, the functions that select the handler of an instruction, indexed by PTX
 * operation. Its rows are those of ops.def. */
#include "../../core/level.h"
#include "../exec.h"

/* Selector of instructions that are parsed but not implemented: the translator reports the
 * instruction's name. */
SM_SELECT(none)
{
    (void)t;
    (void)in;
    (void)out;
    return NULL;
}

/* The translator handles branches itself; see sm_pick_bra. */
SM_SELECT(bra)
{
    (void)t;
    (void)in;
    (void)out;
    return NULL;
}

#define OP(name, flow, sync, access, reach, unit, means, cost, handler, ...) \
    sm_fn SM_FOR_ISA(sm_sel_##handler)(sm_translation * t, const ptx_insn *in, sm_insn *out);
#include "../../ptx/ops.def"
#undef OP

const sm_selector SM_FOR_ISA(sm_select_table)[PTX_OP_COUNT] = {
#define OP(name, flow, sync, access, reach, unit, means, cost, handler, ...) \
    [PTX_OP_##name] = SM_FOR_ISA(sm_sel_##handler),
#include "../../ptx/ops.def"
#undef OP
};

const sm_insn *SM_FOR_ISA(sm_run_enter)(sm_warp *w, const sm_insn *i);
const sm_insn *SM_FOR_ISA(sm_run_guard)(sm_warp *w, const sm_insn *i);
const sm_insn *SM_FOR_ISA(sm_run_clock)(sm_warp *w, const sm_insn *i);
sm_fn SM_FOR_ISA(sm_pick_bra)(bool guarded, sm_branch_kind to);

#define TEXT2(s) #s
#define TEXT(s)  TEXT2(s)

extern const sm_isa_build SM_FOR_ISA(sm_isa_build);
const sm_isa_build SM_FOR_ISA(sm_isa_build) = {
    .name = "x86-64-" TEXT(SM_ISA),
    .select = SM_FOR_ISA(sm_select_table),
    .enter = SM_FOR_ISA(sm_run_enter),
    .guard = SM_FOR_ISA(sm_run_guard),
    .clock = SM_FOR_ISA(sm_run_clock),
    .pick_bra = SM_FOR_ISA(sm_pick_bra),
};
