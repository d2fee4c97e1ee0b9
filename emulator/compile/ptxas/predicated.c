/* Short code that ptxas executes under a predicate instead of branching over it: read from machine
 * code for sm_90 of bodies of 1 to 20 arithmetic instructions, loads and stores. */
#include "../../ptx/traits.h"
#include "../build.h"

/* Most instructions of a body, of either side of an if with an else, and of a body with loads from
 * global memory, which warps then need not wait for at a branch. */
enum { MOST = 8, MOST_OF_A_SIDE = 7, MOST_WITH_LOADS = 20 };

/* Can ptxas execute IN under a predicate that lanes of a warp may have in different values? */
static bool can_have_predicate(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    bool apart;
    compile_class_runs(in, &apart);
    return in->guard == PTX_NO_REGISTER && !apart && t->flow == PTX_FLOW__ &&
           t->sync == PTX_SYNC__ &&
           (t->unit == PTX_UNIT__ || t->unit == PTX_UNIT_lsu || t->unit == PTX_UNIT_video) &&
           (t->access == PTX_ACCESS__ || ptx_is_per_lane_load(in) || ptx_is_per_lane_store(in));
}

/* Are the instructions FIRST .. END - 1 of F one basic block that ptxas executes under a predicate,
 * MOST at most if it loads nothing from global memory? */
static bool is_short_body(const ptx_func *f, const bool *leader, uint32_t first, uint32_t end,
                          uint32_t most)
{
    uint32_t count = 0;
    bool loads = false;
    for (uint32_t k = first; k < end && count <= MOST_WITH_LOADS; k++) {
        const ptx_insn *in = &f->insns[k];
        if ((k > first && leader[k]) || !can_have_predicate(in))
            return false;
        loads |= ptx_is_per_lane_load(in) && in->space == PTX_SPACE_GLOBAL;
        count += !compile_has_no_code(in);
    }
    return count <= (loads ? MOST_WITH_LOADS : most);
}

/* Where the code below branch K ends if it stands under a predicate, else K. */
static uint32_t end_of_predicated_code(const ptx_func *f, const bool *leader, uint32_t k)
{
    const ptx_insn *in = &f->insns[k];
    const uint32_t to = ptx_branch_target(in);
    if (in->guard == PTX_NO_REGISTER || to == PTX_NO_TARGET || to <= k + 1)
        return k;
    if (is_short_body(f, leader, k + 1, to, MOST))
        return to;
    const ptx_insn *last = &f->insns[to - 1];
    const uint32_t end = ptx_branch_target(last);
    return last->guard == PTX_NO_REGISTER && end != PTX_NO_TARGET && end > to &&
                   is_short_body(f, leader, k + 1, to - 1, MOST_OF_A_SIDE) &&
                   is_short_body(f, leader, to, end, MOST_OF_A_SIDE)
               ? end
               : k;
}

bool compile_may_diverge(const ptx_func *f, uint32_t k)
{
    const ptx_insn *in = &f->insns[k];
    const uint32_t to = ptx_branch_target(in);
    return in->guard != PTX_NO_REGISTER && to != PTX_NO_TARGET && to > k + MOST &&
           to < f->insn_count && !ptx_never_falls_through(&f->insns[to]);
}

uint32_t compile_predicated_end(const ptx_func *f, const bool *leader, uint32_t k, uint32_t *moves)
{
    enum { FAR = 32 }; /* instructions above K in which a register's value is looked for */
    const uint32_t end = end_of_predicated_code(f, leader, k);
    *moves = 0;
    if (end != ptx_branch_target(&f->insns[k]))
        return end; /* of two sides, each gives the registers their values */
    for (uint32_t n = k + 1; n < end; n++) {
        const ptx_insn *in = &f->insns[n];
        const ptx_value *v = in->operand_count && !in->opd[0].memory ? in->opd[0].v : NULL;
        const ptx_insn *before = v && v->kind == PTX_VAL_REG
                                     ? ptx_writer_before(f, k > FAR ? k - FAR : 0, k, v->reg)
                                     : NULL;
        *moves += before && ptx_traits_of(before)->means == PTX_MEANS_copy;
    }
    return end;
}
