/* Finds loops with several basic blocks that ptxas unrolls: loops with a number of iterations that
 * is known from the code. In such a loop a register counts from one constant to another, and the
 * exit compares the register. After unrolling, the loop's control instructions disappear, and its
 * loads move before their first use. */
#include "../../ptx/traits.h"
#include "facts.h"

enum { MAX_UNROLLED_INSNS = 64 }; /* a loop with more instructions is not unrolled */

static bool is_inside(const compile_loop *l, uint32_t k)
{
    return l->first <= k && k <= l->last;
}

static bool writes_register(const ptx_insn *in, uint32_t reg)
{
    const ptx_operand *o = in->operand_count ? &in->opd[0] : NULL;
    return o && !o->memory && ptx_is_result_operand(in, 0) && o->count == 1 &&
           o->v[0].kind == PTX_VAL_REG && o->v[0].reg == reg;
}

static bool is_constant(const ptx_operand *o)
{
    return o->count == 1 && o->v[0].kind == PTX_VAL_IMM;
}

/* The only instruction of loop L that writes REG; NULL: none, or several. */
static const ptx_insn *single_writer_in_loop(const ptx_func *f, const compile_loop *l, uint32_t reg)
{
    const ptx_insn *found = NULL;
    for (uint32_t k = l->first; k <= l->last; k++) {
        if (writes_register(&f->insns[k], reg)) {
            if (found || f->insns[k].guard != PTX_NO_REGISTER)
                return NULL;
            found = &f->insns[k];
        }
    }
    return found;
}

/* Is register REG a constant before loop L, and does L add a constant to REG? */
static bool is_loop_counter(const ptx_func *f, const compile_loop *l, uint32_t reg)
{
    const ptx_insn *step = single_writer_in_loop(f, l, reg);
    if (!step || ptx_traits_of(step)->means != PTX_MEANS_sum || !is_constant(&step->opd[2]) ||
        step->opd[1].v[0].kind != PTX_VAL_REG || step->opd[1].v[0].reg != reg)
        return false;
    uint32_t begins = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (!is_inside(l, k) && writes_register(in, reg)) {
            if (ptx_traits_of(in)->means != PTX_MEANS_copy || !is_constant(&in->opd[1]))
                return false;
            begins++;
        }
    }
    return begins == 1;
}

/* The exit branch of loop L, if it is the only conditional branch in L and no instruction of L
 * prevents unrolling; otherwise PTX_NO_TARGET. */
static uint32_t single_loop_exit(const ptx_func *f, const compile_loop *l)
{
    uint32_t exit = PTX_NO_TARGET;
    for (uint32_t k = l->first; k <= l->last; k++) {
        const ptx_insn *in = &f->insns[k];
        const ptx_traits *t = ptx_traits_of(in);
        const uint32_t to = ptx_branch_target(in);
        if (t->flow == PTX_FLOW_call || t->flow == PTX_FLOW_table || ptx_is_barrier(in))
            return PTX_NO_TARGET;
        if (to == PTX_NO_TARGET)
            continue;
        if (in->guard == PTX_NO_REGISTER) {
            if (k != l->last)
                return PTX_NO_TARGET;
        } else if (exit != PTX_NO_TARGET || k == l->last || is_inside(l, to)) {
            return PTX_NO_TARGET;
        } else {
            exit = k;
        }
    }
    return exit;
}

static void mark_if_unrolled(const ptx_func *f, compile_facts *facts, compile_loop *l)
{
    const uint32_t exit =
        l->last - l->first < MAX_UNROLLED_INSNS ? single_loop_exit(f, l) : PTX_NO_TARGET;
    if (exit == PTX_NO_TARGET)
        return;
    const uint32_t guard = f->insns[exit].guard;
    const ptx_insn *test = single_writer_in_loop(f, l, guard);
    if (!test || ptx_traits_of(test)->means != PTX_MEANS_comparison || test->operand_count != 3 ||
        test->opd[1].v[0].kind != PTX_VAL_REG || !is_constant(&test->opd[2]) ||
        !is_loop_counter(f, l, test->opd[1].v[0].reg))
        return;
    l->unrolled = true;
    for (uint32_t k = l->first; k <= l->last; k++) {
        const ptx_insn *in = &f->insns[k];
        const bool counter = writes_register(in, test->opd[1].v[0].reg) || in == test;
        facts->of[k] |= counter || ptx_is_branch(in) ? COMPILE_FACT_UNROLLED_AWAY : 0;
    }
}

void compile_find_unrolled(const ptx_func *f, compile_facts *facts)
{
    for (uint32_t n = 0; n < facts->loops; n++)
        if (!facts->loop[n].alive) /* a loop in which threads may wait is not unrolled */
            mark_if_unrolled(f, facts, &facts->loop[n]);
}
