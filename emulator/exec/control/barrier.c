/* Block-wide barriers, fences and nanosleep (PTX ISA 9.7.13.1, 9.7.13.4, 9.7.19.2). */
#include "../../sm/barrier.h"
#include "../../compile/compile.h"
#include "../../observe/observe.h"
#include "../../profiler/passages.h"
#include "../../sm/fault.h"
#include "../../sm/sched.h"
#include "../exec.h"

sm_fn EXEC_FOR_ISA(exec_sel_bar_warp)(compile_translation *t, const ptx_insn *in, sm_insn *out);

/* bar and barrier. Operand a: barrier, b: number of threads, c: predicate; i->imm: negation of
 * c; i->vec: 1 if b is given. */
static const sm_insn *block_barrier(sm_warp *w, const sm_insn *i)
{
    const uint32_t *id = SM_R(uint32_t, w, i->a), *count = SM_R(uint32_t, w, i->b);
    const uint32_t all = w->mask;
    const bool votes = i->mode >= SM_BAR_RED_POPC;
    const uint32_t yes = votes ? SM_P(w, i->c) ^ (uint32_t)i->imm : 0;
    for (uint32_t rest = all; rest;) {
        const uint32_t first = (uint32_t)__builtin_ctz(rest);
        uint32_t same = i->flags & SM_I_UNIFORM_A ? rest : 0;
        SM_EACH_LANE(l, rest & ~same)
            same |= (uint32_t)(id[l] == id[first]) << l;
        if (id[first] >= 16) {
            return sm_stop_launch(w, i, SM_FAULT_SYNC, same, 0, 0, PTX_SPACE_NONE,
                                  "barrier %u: a block has barriers 0 to 15", id[first]);
        }
        const uint32_t expected = i->vec ? count[first] : 0;
        if (i->vec && (expected == 0 || expected % SM_LANES)) {
            return sm_stop_launch(w, i, SM_FAULT_SYNC, same, 0, 0, PTX_SPACE_NONE,
                                  "barrier %u for %u threads: the number must be a multiple of 32",
                                  id[first], expected);
        }
        w->mask = same;
        sm_barrier_arrive(w, i, id[first], expected, (uint32_t)__builtin_popcount(yes & same),
                          votes ? (uint32_t)__builtin_popcount(same) : 0, i->mode != SM_BAR_ARRIVE);
        rest &= ~same;
    }
    if (i->mode == SM_BAR_ARRIVE) {
        w->mask = all;
        return i + 1;
    }
    return sm_next_fragment(w);
}

/* A bar.sync of all threads of the block whose number is a constant. */
static const sm_insn *whole_block_barrier(sm_warp *w, const sm_insn *i)
{
    const uint32_t id = *SM_R(uint32_t, w, i->a);
    if (id >= SM_BAR_COUNT)
        return block_barrier(w, i);
    sm_barrier_arrive(w, i, id, 0, 0, 0, true);
    return sm_next_fragment(w);
}

EXEC_SELECT(bar)
{
    if (ptx_has_modifier(in, PTX_MOD_cluster))
        return NULL;
    if (ptx_has_modifier(in, PTX_MOD_warp))
        return EXEC_FOR_ISA(exec_sel_bar_warp)(t, in, out);
    uint32_t n = 0, operands = 0;
    while (operands < in->operand_count && in->opd[operands].count)
        operands++;
    const bool red = ptx_has_modifier(in, PTX_MOD_red);
    out->mode = ptx_has_modifier(in, PTX_MOD_arrive) ? SM_BAR_ARRIVE
                : !red                               ? SM_BAR_SYNC
                : ptx_has_modifier(in, PTX_MOD_popc) ? SM_BAR_RED_POPC
                : ptx_has_modifier(in, PTX_MOD_and)  ? SM_BAR_RED_AND
                                                     : SM_BAR_RED_OR;
    out->a = out->b = out->c = out->d = 0;
    out->imm = 0;
    if (red) {
        out->d = compile_slot_of_value(t, &in->opd[n++].v[0], 4);
        const ptx_value *p = &in->opd[--operands].v[0];
        out->c = compile_slot_of_value(t, p, 4);
        out->imm = p->negate ? SM_FULL : 0;
    }
    if (n >= operands)
        return NULL;
    out->flags = in->opd[n].v[0].kind == PTX_VAL_IMM ? SM_I_UNIFORM_A : 0;
    out->a = compile_slot_of_value(t, &in->opd[n++].v[0], 4);
    out->vec = n < operands;
    if (out->vec)
        out->b = compile_slot_of_value(t, &in->opd[n].v[0], 4);
    if (out->mode == SM_BAR_ARRIVE && !out->vec)
        return NULL;
    return out->mode == SM_BAR_SYNC && !out->vec && out->flags & SM_I_UNIFORM_A
               ? whole_block_barrier
               : block_barrier;
}

static const sm_insn *proxy_fence(sm_warp *w, const sm_insn *i)
{
    (void)w;
    atomic_thread_fence(memory_order_seq_cst);
    return i + 1;
}

static const sm_insn *memory_fence(sm_warp *w, const sm_insn *i)
{
    if (w->block->observed)
        observe_fence(w, i);
    if (w->worker->passages)
        profiler_count_fence(w);
    return proxy_fence(w, i);
}

/* A fence between the generic and the async proxy. */
static const sm_insn *fence_async(sm_warp *w, const sm_insn *i)
{
    if (w->block->observed)
        observe_proxy_fence(w);
    return proxy_fence(w, i);
}

EXEC_SELECT(membar)
{
    const bool async =
        ptx_has_modifier(in, PTX_MOD_async) || ptx_has_modifier(in, PTX_MOD_async_generic);
    const bool shared = in->space != PTX_SPACE_GLOBAL;
    return in->op == PTX_OP_fence_proxy && async && shared     ? fence_async
           : in->op == PTX_OP_membar || in->op == PTX_OP_fence ? memory_fence
                                                               : proxy_fence;
}

/* nanosleep: while the warp sleeps, other warps run and the modelled time advances. */
static const sm_insn *nanosleep_(sm_warp *w, const sm_insn *i)
{
    w->sched->slept += SM_R(uint32_t, w, i->a)[__builtin_ctz(w->mask)];
    return sm_nanosleep(w, i);
}

EXEC_SELECT(nanosleep)
{
    return nanosleep_;
}
