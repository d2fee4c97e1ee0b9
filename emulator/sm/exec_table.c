/* Handlers by operation, from the one sheet. A row whose handler is not in this build is NULL: the
 * translator refuses the instruction by name. */
#include "exec.h"
#include "level.h"

#define OP(name, operands, types, mods, handler, isa) \
    extern __attribute__((weak))                      \
    sm_fn SM_LEVEL(sm_sel_##handler)(sm_translation * t, const ptx_insn *in, sm_insn *out);
#include "../ptx/ops.def"
#undef OP

const sm_selector SM_LEVEL(sm_select_table)[PTX_OP_COUNT] = {
#define OP(name, operands, types, mods, handler, isa) [PTX_OP_##name] = SM_LEVEL(sm_sel_##handler),
#include "../ptx/ops.def"
#undef OP
};

const sm_insn *SM_LEVEL(sm_run_enter)(sm_warp *w, const sm_insn *i);
const sm_insn *SM_LEVEL(sm_run_guard)(sm_warp *w, const sm_insn *i);
const sm_insn *SM_LEVEL(sm_run_clock)(sm_warp *w, const sm_insn *i);
sm_fn SM_LEVEL(sm_pick_bra)(bool guarded, bool backward);

#define TEXT2(s) #s
#define TEXT(s)  TEXT2(s)

extern const sm_level SM_LEVEL(sm_level);
const sm_level SM_LEVEL(sm_level) = {
    .name = "x86-64-" TEXT(SM_ISA),
    .select = SM_LEVEL(sm_select_table),
    .enter = SM_LEVEL(sm_run_enter),
    .guard = SM_LEVEL(sm_run_guard),
    .clock = SM_LEVEL(sm_run_clock),
    .pick_bra = SM_LEVEL(sm_pick_bra),
};
