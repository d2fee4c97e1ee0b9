/* alloca, stacksave and stackrestore (PTX ISA 9.7.17). A thread's stack is in local memory, after
 * the local variables of the running function. */
#include "../../core/sched.h"
#include "../../sm/fault.h"
#include "../lanes.h"

static sm_frame *frame_of_stack(sm_warp *w)
{
    sm_frame *f = w->sched->frame;
    if (!f->allocates) {
        memset(f->taken, 0, sizeof f->taken);
        f->allocates = true;
    }
    return f;
}

static void write_address(sm_warp *w, const sm_insn *i, uint32_t lane, uint64_t at)
{
    if (i->vec == 8)
        SM_R(uint64_t, w, i->d)[lane] = at;
    else
        SM_R(uint32_t, w, i->d)[lane] = (uint32_t)at;
}

static uint64_t read_operand_a(const sm_warp *w, const sm_insn *i, uint32_t lane)
{
    return i->vec == 8 ? SM_R(const uint64_t, w, i->a)[lane] : SM_R(const uint32_t, w, i->a)[lane];
}

/* alloca. Operand a: number of bytes; i->imm: alignment. */
EXEC_FN(run_alloca)
{
    sm_frame *f = frame_of_stack(w);
    const uint64_t variables = f->local_base + f->code->local_bytes;
    EXEC_EACH_LANE(w->mask) {
        const uint64_t bytes = read_operand_a(w, i, l);
        const uint64_t at = (variables + f->taken[l] + i->imm - 1) / i->imm * i->imm;
        if (at > w->local_stride || bytes > w->local_stride - at) {
            return sm_stop_launch(
                w, i, SM_FAULT_STACK, 1u << l, 0, 0, PTX_SPACE_LOCAL,
                "the stack is full: alloca of %llu bytes, with %llu in use (raise it "
                "with cudaDeviceSetLimit(cudaLimitStackSize, bytes))",
                (unsigned long long)bytes, (unsigned long long)at);
        }
        f->taken[l] = at + bytes - variables;
        write_address(w, i, l, at);
    }
    return i + 1;
}

/* Set out->vec to the bytes per lane of the instruction's register. False: neither 4 nor 8. */
static bool set_lane_width(const ptx_insn *in, sm_insn *out)
{
    out->vec = (uint8_t)ptx_type_bytes(in->type[0]);
    return out->vec == 4 || out->vec == 8;
}

EXEC_SELECT(alloca)
{
    const ptx_value *align = exec_operand_value(in, 2);
    const uint64_t bytes = align ? align->imm : 8;
    if (!set_lane_width(in, out) || (align && align->kind != PTX_VAL_IMM) || bytes == 0 ||
        (bytes & (bytes - 1)))
        return NULL;
    out->a = exec_operand_slot(t, in, 1, out->vec, 0);
    out->imm = bytes;
    return run_alloca;
}

EXEC_FN(save)
{
    sm_frame *f = frame_of_stack(w);
    EXEC_EACH_LANE(w->mask)
        write_address(w, i, l, f->local_base + f->code->local_bytes + f->taken[l]);
    return i + 1;
}

EXEC_SELECT(stacksave)
{
    return set_lane_width(in, out) ? save : NULL;
}

EXEC_FN(restore)
{
    sm_frame *f = frame_of_stack(w);
    const uint64_t variables = f->local_base + f->code->local_bytes;
    EXEC_EACH_LANE(w->mask) {
        const uint64_t to = read_operand_a(w, i, l);
        if (to < variables || to - variables > f->taken[l]) {
            return sm_stop_launch(w, i, SM_FAULT_STACK, 1u << l, to, 0, PTX_SPACE_LOCAL,
                                  "stackrestore of a value that stacksave did not return in this "
                                  "function");
        }
        f->taken[l] = to - variables;
    }
    return i + 1;
}

EXEC_SELECT(stackrestore)
{
    out->a = exec_operand_slot(t, in, 0, (uint32_t)ptx_type_bytes(in->type[0]), 0);
    return set_lane_width(in, out) ? restore : NULL;
}
