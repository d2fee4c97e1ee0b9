/* Calls and returns (PTX ISA 7.1, 9.7.12.5 and 9.7.12.6). A call makes a frame with its own window.
 * Lanes that have returned wait in the caller for the lanes that are still in the function. */
#include "../../compile/compile.h"
#include "../../compile/program.h"
#include "../../sm/fault.h"
#include "../../sm/sched.h"
#include "../../sm/syscalls.h"
#include "../../sm/windows.h"
#include "../exec.h"

/* Maximum depth of calls. Infinite recursion ends here, or when local memory is exhausted. */
#define CALL_DEPTH_LIMIT 20000

static void copy_words(sm_warp *w, uint8_t *to, const uint8_t *from, uint32_t words)
{
    for (uint32_t k = 0; k < words; k++) {
        uint32_t *t = (uint32_t *)__builtin_assume_aligned(to + k * 4 * SM_LANES, 64);
        const uint32_t *f = (const uint32_t *)__builtin_assume_aligned(from + k * 4 * SM_LANES, 64);
        EXEC_LANES_DO(w, uint32_t, t, f[l]);
    }
}

static void copy_arguments(sm_warp *w, uint8_t *to_window, const sm_call_operand *to,
                           const uint8_t *from_window, const sm_call_operand *from)
{
    if (to->words && from->words) {
        const uint32_t bytes = to->bytes < from->bytes ? to->bytes : from->bytes;
        copy_words(w, to_window + to->slot, from_window + from->slot, (bytes + 3) / 4);
        return;
    }
    SM_EACH_LANE(l, w->mask)
        sm_write_call_argument(to_window, to, l, sm_read_call_argument(from_window, from, l));
}

static const sm_insn *stop_for_full_stack(sm_warp *w, const sm_insn *i, const sm_frame *caller,
                                          const sm_code *callee)
{
    char name[200];
    const sm_grid *g = w->block->grid;
    return sm_stop_launch(w, i, SM_FAULT_STACK, w->mask, 0, 0, PTX_SPACE_LOCAL,
                          "the stack of a thread is full: %s was called at depth %u, which needs "
                          "about %llu bytes, and a thread has %llu (cudaLimitStackSize)",
                          ptx_source_name(callee->func->name, name, sizeof name), caller->depth + 1,
                          (unsigned long long)caller->stack_bytes + callee->frame_bytes,
                          (unsigned long long)sm_stack_limit(g));
}

static const sm_insn *enter_function(sm_warp *w, const sm_insn *i, const sm_call *c,
                                     const sm_code *callee)
{
    struct sm_sched *s = w->sched;
    sm_frame *caller = s->frame;
    const uint64_t base = sm_end_of_frame_locals(caller, w->mask) + 16;
    const uint64_t stack = caller->stack_bytes + callee->frame_bytes;
    if (base + callee->local_bytes > w->local_stride || caller->depth >= CALL_DEPTH_LIMIT ||
        (callee->unit->recurses && stack > sm_stack_limit(w->block->grid)))
        return stop_for_full_stack(w, i, caller, callee);
    sm_frame *f = sm_new_frame(w, callee, base);
    if (!f) {
        return sm_stop_launch(w, i, SM_FAULT_MEMORY, w->mask, 0, 0, PTX_SPACE_NONE,
                              "the host is out of memory for the frame of a call");
    }
    f->caller = caller;
    f->site = i;
    f->lanes = w->mask;
    f->depth = caller->depth + 1;
    f->stack_bytes = stack;
    for (uint32_t k = 0; k < c->arg_count; k++)
        copy_arguments(w, f->window, &callee->arg[k], caller->window, &c->arg[k]);
    sm_set_frame(w, f);
    sm_update_branch_limits(w);
    return callee->insn;
}

static const sm_insn *call(sm_warp *w, const sm_insn *i)
{
    const sm_call *c = i->extra;
    return enter_function(w, i, c, c->callee);
}

static const sm_insn *call_runtime(sm_warp *w, const sm_insn *i)
{
    const sm_call *c = i->extra;
    return c->system(w, i, c);
}

/* Indirect call. Operand a: the register with the function's address. */
static const sm_insn *call_indirect(sm_warp *w, const sm_insn *i)
{
    const sm_call *c = i->extra;
    const uint64_t *address = SM_R(uint64_t, w, i->a);
    const uint32_t all = w->mask;
    const uint64_t to = address[__builtin_ctz(all)];
    uint32_t same = 0;
    SM_EACH_LANE(l, all)
        same |= (uint32_t)(address[l] == to) << l;
    const sm_unit *unit = w->block->grid->unit;
    const ptx_func *function = compile_func_at_address(unit->module, to);
    const sm_code *callee = function ? unit->by_func[function->index] : NULL;
    if (!callee || callee->func->is_entry) {
        return sm_stop_launch(
            w, i, SM_FAULT_PC, same, to, 0, PTX_SPACE_NONE,
            "a call through a pointer that does not point to a device function (0x%llx): was it "
            "set by device code? The device cannot call a function whose address was taken in "
            "host code",
            (unsigned long long)to);
    }
    if (callee->func->param_count != c->arg_count || callee->func->ret_count < c->ret_count) {
        return sm_stop_launch(
            w, i, SM_FAULT_PC, same, to, 0, PTX_SPACE_NONE,
            "a call through a pointer of the wrong type: %s has %u parameters, the "
            "call passes %u",
            callee->func->name, callee->func->param_count, c->arg_count);
    }
    if (same != all) {
        w->worker->extra.v[CTR_divergent_branches]++;
        const uint32_t rest = all & ~same;
        const bool rest_first = __builtin_popcount(rest) < __builtin_popcount(same);
        sm_add_fragment(w, rest_first ? same : rest, w->sched->frame, i);
        sm_set_mask(w, rest_first ? rest : same);
        sm_give_highest_order(w);
        sm_update_branch_limits(w);
        if (rest_first)
            return i;
    }
    return enter_function(w, i, c, callee);
}

static const sm_insn *ret(sm_warp *w, const sm_insn *i)
{
    (void)i;
    struct sm_sched *s = w->sched;
    sm_frame *f = s->frame, *caller = f->caller;
    if (!caller)
        return sm_exit_lanes(w);
    const sm_call *c = f->site->extra;
    for (uint32_t k = 0; k < c->ret_count; k++)
        copy_arguments(w, caller->window, &c->ret[k], f->window, &f->code->ret[k]);
    const sm_insn *back = f->site + 1;
    f->lanes &= ~w->mask;
    if (f->lanes == 0) {
        sm_recycle_frame(w, f);
        if (s->count == 0) {
            sm_set_frame(w, caller);
            sm_update_branch_limits(w);
            return back;
        }
    }
    sm_add_fragment(w, w->mask, caller, back);
    return sm_next_fragment(w);
}

EXEC_SELECT(ret)
{
    return ret;
}

static bool add_result_slots(compile_translation *t, const ptx_operand *o, sm_call_operand **list,
                             uint32_t *count)
{
    sm_call_operand *arg = o->count ? compile_alloc_with_code(t, o->count * sizeof *arg) : NULL;
    *list = arg;
    *count = arg ? o->count : 0;
    for (uint32_t k = 0; k < *count; k++) {
        const ptx_value *v = &o->v[k];
        if (v->kind == PTX_VAL_VAR) {
            arg[k] =
                (sm_call_operand){t->code->var_slot[v->var->index], (uint32_t)v->var->size, true};
        } else if (v->kind == PTX_VAL_REG) {
            arg[k] = (sm_call_operand){compile_slot_of_value(t, v, 4), compile_register_bytes(t, v),
                                       false};
        } else if (v->kind == PTX_VAL_IMM) {
            arg[k] = (sm_call_operand){compile_slot_of_value(t, v, 8), 8, false};
        } else if (v->kind == PTX_VAL_SINK) {
            arg[k] = (sm_call_operand){0, 8, false};
        } else {
            return false;
        }
    }
    return o->count == 0 || arg;
}

/* Select the handler of call (results), function, (arguments), prototype. */
EXEC_SELECT(call)
{
    sm_call *c = compile_alloc_with_code(t, sizeof *c);
    sm_call_operand *arg, *result;
    if (!c || !add_result_slots(t, &in->opd[0], &result, &c->ret_count) ||
        !add_result_slots(t, &in->opd[2], &arg, &c->arg_count))
        return NULL;
    c->ret = result;
    c->arg = arg;
    out->extra = c;
    const ptx_value *to = &in->opd[1].v[0];
    if (to->kind == PTX_VAL_REG) {
        out->a = compile_slot_of_value(t, to, 8);
        return call_indirect;
    }
    if (to->kind != PTX_VAL_FUNC)
        return NULL;
    const ptx_func *f = to->func;
    if (!f->has_body) {
        const ptx_func *body = ptx_find_func(t->module, f->name);
        f = body ? body : f;
    }
    if (!f->has_body) {
        c->system = sm_syscall_find(f->name, c->arg_count);
        if (!c->system) {
            static const char runtime[] = "__cudaCDP2";
            const size_t prefix = sizeof runtime - 1;
            if (strncmp(f->name, runtime, prefix) == 0) {
                snprintf(t->error, sizeof t->error,
                         "it calls the runtime from the device (cuda%s): only the host can do that "
                         "here",
                         f->name + prefix);
            } else {
                snprintf(t->error, sizeof t->error,
                         "it calls %s, which is neither in this program nor in the device runtime "
                         "here",
                         f->name);
            }
            return NULL;
        }
        const bool runtime = sm_runtime_find(f->name, c->arg_count) != NULL;
        t->code->unit->runtime |= runtime;
        t->code->unit->heap |= runtime || strcmp(f->name, "malloc") == 0;
        return call_runtime;
    }
    c->callee = t->code->unit->by_func[f->index];
    if (f->param_count != c->arg_count || f->ret_count < c->ret_count) {
        snprintf(t->error, sizeof t->error,
                 "it calls %s with %u arguments, and the function has %u parameters", f->name,
                 c->arg_count, f->param_count);
        return NULL;
    }
    return c->callee ? call : NULL;
}
