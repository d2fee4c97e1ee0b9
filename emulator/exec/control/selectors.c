/* The table of selectors, the functions that select the handler of an instruction, indexed by PTX
 * operation. Its rows are those of ops.def. */
#include "../../compile/compile.h"
#include "../../core/handlers.h"
#include "../../sm/sched.h"
#include "../exec.h"
#include "../level.h"

/* Selector of what is parsed but not implemented: the translator reports the instruction's name. */
EXEC_SELECT(none)
{
    return NULL;
}

/* The translator handles branches itself; see exec_pick_bra. */
EXEC_SELECT(bra)
{
    return NULL;
}

#define OP(name, flow, sync, access, reach, unit, means, cost, handler, ...)            \
    sm_fn EXEC_FOR_ISA(exec_sel_##handler)(compile_translation * t, const ptx_insn *in, \
                                           sm_insn *out);
#include "../../ptx/ops.def"
#undef OP

const sm_selector EXEC_FOR_ISA(exec_select_table)[PTX_OP_COUNT] = {
#define OP(name, flow, sync, access, reach, unit, means, cost, handler, ...) \
    [PTX_OP_##name] = EXEC_FOR_ISA(exec_sel_##handler),
#include "../../ptx/ops.def"
#undef OP
};

const sm_insn *EXEC_FOR_ISA(exec_run_enter)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_run_guard)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_read_clock)(sm_warp *w, const sm_insn *i);
const sm_insn *EXEC_FOR_ISA(exec_run_clock_step)(sm_warp *w, const sm_insn *i);
sm_fn EXEC_FOR_ISA(exec_pick_bra)(bool guarded, sm_branch_kind to);
sm_fn EXEC_FOR_ISA(exec_pick_slow_path)(const ptx_insn *in);

#define TEXT2(s) #s
#define TEXT(s)  TEXT2(s)

extern const sm_handlers EXEC_FOR_ISA(exec_handlers);
const sm_handlers EXEC_FOR_ISA(exec_handlers) = {
    .name = "x86-64-" TEXT(EXEC_ISA),
    .select = EXEC_FOR_ISA(exec_select_table),
    .enter = EXEC_FOR_ISA(exec_run_enter),
    .guard = EXEC_FOR_ISA(exec_run_guard),
    .clock_step = EXEC_FOR_ISA(exec_run_clock_step),
    .read_clock = EXEC_FOR_ISA(exec_read_clock),
    .late_store = sm_yield_before_late_store,
    .reduction_load = sm_yield_before_reduction_load,
    .pick_bra = EXEC_FOR_ISA(exec_pick_bra),
    .pick_slow_path = EXEC_FOR_ISA(exec_pick_slow_path),
};
