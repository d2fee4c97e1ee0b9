#include "counted.h"

#include "../../ptx/traits.h"

/* Does IN write memory, or arrive at a barrier object? Atomics whose old value is used are
 * excluded: their handlers record whether the memory changed. */
static bool is_store(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return (ptx_changes_memory(in) && t->access != PTX_ACCESS_atom &&
            ptx_space_of(in) != PTX_SPACE_PARAM) ||
           t->sync == PTX_SYNC_arrive;
}

/* The number of f32 floating-point operations of a lane that executes IN. */
static uint32_t flop_count(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->means) {
    case PTX_MEANS_fused:
    case PTX_MEANS_product_sum: return in->type[0] == PTX_f32 ? 2 : 0;
    case PTX_MEANS_sum:
    case PTX_MEANS_difference:
    case PTX_MEANS_product: return in->type[0] == PTX_f32;
    default: return 0;
    }
}

static bool is_half_type(ptx_type t)
{
    return t == PTX_f16 || t == PTX_f16x2 || t == PTX_bf16 || t == PTX_bf16x2;
}

/* Whether IN computes a product that nothing reads: it is part of an fma (ptxas/contract.h). */
static bool is_product_inside_fma(const ptx_func *f, const ptx_insn *in)
{
    if (ptx_traits_of(in)->means != PTX_MEANS_product || in->opd[0].v[0].kind != PTX_VAL_REG)
        return false;
    for (uint32_t k = 0; k < f->insn_count; k++)
        PTX_EACH_READ(r, &f->insns[k])
            if (r.reg == in->opd[0].v[0].reg)
                return false;
    return true;
}

/* Add instruction IN to the counters of arithmetic in double and in half precision. */
static void count_precisions(const ptx_func *f, const ptx_insn *in, struct sm_block_info *info)
{
    const ptx_traits *traits = ptx_traits_of(in);
    bool is_double = false, is_half = false;
    if (traits->access != PTX_ACCESS__ || traits->unit != PTX_UNIT__ ||
        traits->means == PTX_MEANS_copy || traits->means == PTX_MEANS_selection)
        return;
    for (uint8_t k = 0; k < in->type_count; k++) {
        is_double |= in->type[k] == PTX_f64;
        is_half |= is_half_type(in->type[k]);
    }
    info->inst_double += is_double;
    info->inst_half += is_half && !is_product_inside_fma(f, in);
}

/* Add instruction IN to the counters of fences if it waits until other blocks can see what its
 * thread has written. */
static void count_fences(const ptx_insn *in, struct sm_block_info *info)
{
    const bool release =
        ptx_has_modifier(in, PTX_MOD_release) || ptx_has_modifier(in, PTX_MOD_acq_rel);
    const bool stores = ptx_is_per_lane_store(in) || ptx_is_per_lane_atomic(in);
    if (ptx_traits_of(in)->sync != PTX_SYNC_fence && !(stores && release))
        return;
    const bool system = ptx_has_modifier(in, PTX_MOD_sys);
    info->system_fences += system;
    info->device_fences +=
        !system && !ptx_has_modifier(in, PTX_MOD_cta) && !ptx_has_modifier(in, PTX_MOD_cluster);
}

/* Does IN read shared memory, as far as its mnemonic says? */
static bool may_read_shared(const ptx_insn *in)
{
    const ptx_space space = ptx_space_of(in);
    const ptx_traits *t = ptx_traits_of(in);
    return (t->access == PTX_ACCESS_load || t->access == PTX_ACCESS_atom) &&
           (space == PTX_SPACE_SHARED || space == PTX_SPACE_NONE);
}

/* Is a group of copies committed after wait K, and before shared memory is read? A loop with one
 * barrier an iteration waits, and starts the next copy before it uses what it waited for. The cases
 * of a copy's size are branches: instructions count in the order of the text, up to a jump back. */
static bool begins_group_before_use(const ptx_func *f, uint32_t k)
{
    for (uint32_t n = k + 1; n < f->insn_count; n++) {
        const ptx_insn *in = &f->insns[n];
        const uint32_t to = ptx_branch_target(in);
        const ptx_sync sync = ptx_traits_of(in)->sync;
        if (sync == PTX_SYNC_commit)
            return true;
        if (may_read_shared(in) || sync == PTX_SYNC_groups || (to != PTX_NO_TARGET && to <= n))
            return false;
    }
    return false;
}

/* Add K to the counters of its basic block if it is a cp.async or a wait for cp.async groups. */
static void count_async_copies(const ptx_func *f, uint32_t k, struct sm_block_info *info)
{
    enum { MAX_GROUPS = 64 }; /* limits the operand of the wait, which may be any number */
    const ptx_insn *in = &f->insns[k];
    const ptx_sync sync = ptx_traits_of(in)->sync;
    const ptx_value *left =
        &in->opd[0].v[0]; /* number of cp.async groups that may still be in flight */
    info->async_copies += sync == PTX_SYNC_group;
    if (sync != PTX_SYNC_groups)
        return;
    info->copy_waits++;
    if (in->operand_count > 0)
        info->copy_groups_left +=
            left->kind == PTX_VAL_IMM && left->imm < MAX_GROUPS ? (uint32_t)left->imm : MAX_GROUPS;
    info->copy_groups_left += begins_group_before_use(f, k);
}

void compile_count_insn(const ptx_func *f, uint32_t k, bool unrolled_away, bool diverges,
                        struct sm_block_info *info)
{
    const ptx_insn *in = &f->insns[k];
    info->flops += unrolled_away ? 0 : flop_count(in);
    info->branch_parts += diverges;
    info->inst_folded += unrolled_away;
    info->branches += ptx_is_branch(in);
    info->barriers += ptx_is_block_barrier(in);
    info->shuffles += ptx_traits_of(in)->unit == PTX_UNIT_shuffle;
    info->read_only += ptx_has_modifier(in, PTX_MOD_nc);
    count_fences(in, info);
    count_async_copies(f, k, info);
    count_precisions(f, in, info);
    info->stores += is_store(in);
    info->cluster_barriers += ptx_traits_of(in)->sync == PTX_SYNC_cluster;
}
