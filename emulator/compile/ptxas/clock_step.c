/* Derives the machine instructions that ptxas generates for each PTX instruction, for the modelled
 * clock of warps, from compile/ptxas/costs.def, and finds PTX instructions that share one machine
 * instruction. The sources are the code that nvcc 13.0 generates for sm_90 and timed chains of each
 * instruction on an H200 (tests/hardware/clocks/h200/arithmetic.tsv). */
#include "../../ptx/traits.h"
#include "../build.h"

#include <string.h>

static ptx_type insn_type(const ptx_insn *in)
{
    return in->type_count ? in->type[0] : PTX_b32;
}

static bool is_float(ptx_type t)
{
    return t == PTX_f16 || t == PTX_f16x2 || t == PTX_bf16 || t == PTX_bf16x2 || t == PTX_f32 ||
           t == PTX_f64;
}

/* --- kinds of clock steps --------------------------------------------------------------------- */

/* How the clock treats memory access IN; SM_STEP_PLAIN: IN is no memory access. */
static sm_step_kind access_step_kind(const ptx_insn *in)
{
    const bool param = in->space == PTX_SPACE_PARAM;
    if (ptx_traits_of(in)->access == PTX_ACCESS_load && ptx_traits_of(in)->reach == PTX_REACH_tex)
        return SM_STEP_TEXTURE;
    if (ptx_is_per_lane_load(in))
        return param ? SM_STEP_FREE : SM_STEP_LOAD;
    if (ptx_is_per_lane_store(in))
        return param ? SM_STEP_FREE : SM_STEP_STORE;
    if (ptx_is_per_lane_atomic(in))
        return ptx_traits_of(in)->access == PTX_ACCESS_red ? SM_STEP_STORE : SM_STEP_ATOMIC;
    return SM_STEP_PLAIN;
}

/* How the clock treats the branch or call IN; SM_STEP_PLAIN: IN is neither. */
static sm_step_kind flow_step_kind(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->flow) {
    case PTX_FLOW__: break;
    case PTX_FLOW_jump:
    case PTX_FLOW_table:
    case PTX_FLOW_exit:
    case PTX_FLOW_stop: return SM_STEP_BRANCH;
    case PTX_FLOW_call:
    case PTX_FLOW_ret: return SM_STEP_CALL;
    }
    return SM_STEP_PLAIN;
}

/* How the clock treats the barrier, fence or sleep IN; SM_STEP_PLAIN: IN is none of them. */
static sm_step_kind wait_step_kind(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->sync) {
    case PTX_SYNC_block:
    case PTX_SYNC_aligned:
        /* a warp barrier costs nothing once all lanes have reached it */
        return ptx_is_block_barrier(in) ? SM_STEP_BARRIER : SM_STEP_PLAIN;
    case PTX_SYNC_cluster: return SM_STEP_BARRIER;
    case PTX_SYNC_fence: return SM_STEP_FENCE;
    case PTX_SYNC_sleep: return SM_STEP_SLEEP;
    default: return SM_STEP_PLAIN;
    }
}

/* How the clock treats the copy or clock read IN; SM_STEP_PLAIN: IN is neither. */
static sm_step_kind copy_step_kind(const ptx_insn *in)
{
    const ptx_result_meaning means = ptx_traits_of(in)->means;
    const ptx_value *v = in->operand_count > 1 && in->opd[1].count == 1 ? in->opd[1].v : NULL;
    if (means == PTX_MEANS_copy && v && v->kind == PTX_VAL_SREG &&
        compile_special_reg_is_clock(v->sreg))
        return SM_STEP_CLOCK;
    /* special registers other than clocks (such as tid) are read only once, at the start of the
     * kernel */
    return means == PTX_MEANS_copy || means == PTX_MEANS_address ? SM_STEP_FREE : SM_STEP_PLAIN;
}

/* Set how the clock treats IN: its kind, and the execution units that it uses. */
static void fill_step_from_insn(sm_step *s, const ptx_insn *in)
{
    typedef sm_step_kind kind_of(const ptx_insn *);
    static kind_of *const kinds[] = {access_step_kind, flow_step_kind, wait_step_kind,
                                     copy_step_kind};
    s->ordered = ptx_is_strong(in);
    s->kind = SM_STEP_PLAIN;
    for (uint32_t k = 0; s->kind == SM_STEP_PLAIN && k < sizeof kinds / sizeof *kinds; k++)
        s->kind = kinds[k](in);
    if (s->kind == SM_STEP_PLAIN) {
        memcpy(s->part, compile_class_runs(in, &s->apart), sizeof s->part);
        s->kind = s->part[0].times ? SM_STEP_PLAIN : SM_STEP_FREE;
    }
}

/* --- two PTX instructions in one machine instruction --- */

static bool is_integer_sum(const ptx_insn *in)
{
    const ptx_type t = insn_type(in);
    return ptx_traits_of(in)->means == PTX_MEANS_sum && !is_float(t) && ptx_type_bytes(t) >= 4 &&
           in->guard == PTX_NO_REGISTER;
}

/* Is IN a bitwise logic operation on two or three registers? */
static bool is_logic_of_several_registers(const ptx_insn *in)
{
    const ptx_cost family = ptx_traits_of(in)->cost;
    return family == PTX_COST_logic_of_three || (family == PTX_COST_logic && in->operand_count > 2);
}

/* Does NEXT ask whether the result of a logic operation is zero? LOP3 computes that predicate, too.
 */
static bool is_test_for_zero(const compile_translation *t, const ptx_insn *next)
{
    ptx_insn half;
    const ptx_value *v = next->operand_count == 3 ? next->opd[2].v : NULL;
    return ptx_traits_of(next)->means == PTX_MEANS_comparison && v && v->kind == PTX_VAL_IMM &&
           v->imm == 0 &&
           (ptx_has_modifier(next, PTX_MOD_eq) || ptx_has_modifier(next, PTX_MOD_ne)) &&
           ptx_type_bytes(insn_type(compile_as_computed(t, next, &half))) == 4;
}

/* Can ptxas merge IN into some reader of its result? IADD3 adds three numbers, LEA shifts and adds,
 * IMAD multiplies and adds, LOP3 is any function of three registers. */
static bool can_be_merged(const ptx_insn *in)
{
    const ptx_type t = insn_type(in);
    if (is_float(t) || in->guard != PTX_NO_REGISTER)
        return false;
    switch (ptx_traits_of(in)->means) {
    case PTX_MEANS_sum: return is_integer_sum(in);
    case PTX_MEANS_product: return !ptx_has_modifier(in, PTX_MOD_hi) && ptx_type_bytes(t) == 4;
    case PTX_MEANS_shift: return in->opd[2].v[0].kind == PTX_VAL_IMM && ptx_type_bytes(t) < 8;
    default: return ptx_traits_of(in)->cost == PTX_COST_logic && t != PTX_pred;
    }
}

/* Can ptxas merge IN, which can_be_merged, into NEXT, the only instruction that needs its result?
 * Minima and maxima take a sum along as well. */
static bool can_merge_into(const ptx_insn *in, const ptx_insn *next)
{
    const ptx_traits *of = ptx_traits_of(in);
    if (is_float(insn_type(next)))
        return false;
    if (of->cost == PTX_COST_logic)
        return is_logic_of_several_registers(next);
    return is_integer_sum(next) ||
           (of->means == PTX_MEANS_sum && ptx_traits_of(next)->cost == PTX_COST_extreme &&
            ptx_type_bytes(insn_type(in)) < 8);
}

/* Three arrays indexed by register: number of reads, number of writes, and whether the value is
 * computed in the machine instruction that reads it. */
static uint32_t *register_uses(compile_translation *t)
{
    compile_build *b = t->build;
    const uint32_t count = t->func->reg_count + 1u;
    if (!b->uses) {
        b->uses = compile_alloc_with_code(t, 3 * count * sizeof *b->uses);
        if (b->uses) {
            memset(b->uses, 0, 3 * count * sizeof *b->uses);
            for (uint32_t k = 0; k < t->func->insn_count; k++) {
                PTX_EACH_READ(r, &t->func->insns[k])
                    b->uses[r.reg]++;
                PTX_EACH_WRITTEN(r, &t->func->insns[k])
                    b->uses[count + r.reg]++;
            }
        }
    }
    return b->uses;
}

/* Whether exactly one source operand of IN, addresses aside, is register REG. */
static bool reads_register_once(const ptx_insn *in, uint32_t reg)
{
    uint32_t times = 0;
    for (uint32_t o = 1; o < in->operand_count; o++) {
        for (uint32_t v = 0; v < in->opd[o].count; v++) {
            const ptx_value *value = &in->opd[o].v[v];
            times += value->kind == PTX_VAL_REG && value->reg == reg && !in->opd[o].memory;
        }
    }
    return times == 1;
}

/* The register that IN writes; PTX_NO_REGISTER: IN writes none or several. */
static uint32_t only_result_register(const ptx_insn *in)
{
    const ptx_operand *o = in->operand_count > 1 ? &in->opd[0] : NULL;
    return o && !o->memory && o->count == 1 && o->v[0].kind == PTX_VAL_REG ? o->v[0].reg
                                                                           : PTX_NO_REGISTER;
}

/* The next instruction that reads REG, directly or through copies, within the same straight-line
 * code and at most MAX_DISTANCE instructions away. NULL: none. */
static const ptx_insn *only_reader_of(const ptx_func *f, const ptx_insn *in, uint32_t reg)
{
    enum { MAX_DISTANCE = 16 };
    const ptx_insn *end = f->insns + f->insn_count;
    for (const ptx_insn *k = in + 1; k < end && k <= in + MAX_DISTANCE && !ptx_is_branch(k); k++) {
        if (!reads_register_once(k, reg))
            continue;
        if (ptx_traits_of(k)->means != PTX_MEANS_copy || only_result_register(k) == PTX_NO_REGISTER)
            return k;
        reg = only_result_register(k);
    }
    return NULL;
}

/* Is NEXT the only instruction that needs the result of IN? Either NEXT overwrites the register, or
 * no other instruction reads it. */
static bool is_only_reader(const ptx_func *f, const uint32_t *uses, const ptx_insn *in,
                           const ptx_insn *next)
{
    const uint32_t reg = only_result_register(in), changed = reads_register_once(in, reg);
    return (only_result_register(next) == reg && next->guard == PTX_NO_REGISTER) ||
           (uses[reg] == 1 + changed && uses[f->reg_count + 1 + reg] == 1 + changed);
}

/* Is IN merged into the instruction that reads its result? It is not if another instruction is
 * merged into IN (*DOES says which kind then). */
static bool is_merged_into_reader(const compile_translation *t, uint32_t *uses, const ptx_insn *in,
                                  compile_merged *does)
{
    const ptx_func *f = t->func;
    uint32_t *done = uses + 2 * (f->reg_count + 1u);
    const uint32_t reg = only_result_register(in);
    if (reg == PTX_NO_REGISTER)
        return false;
    for (uint32_t o = 1; o < in->operand_count; o++) {
        for (uint32_t v = 0; v < in->opd[o].count; v++) {
            const ptx_value *value = &in->opd[o].v[v];
            if (value->kind == PTX_VAL_REG && done[value->reg] > *does)
                *does = (compile_merged)done[value->reg];
        }
    }
    if (ptx_traits_of(in)->means == PTX_MEANS_copy) {
        done[reg] = *does;
        return false;
    }
    const ptx_insn *next = can_be_merged(in) ? only_reader_of(f, in, reg) : NULL;
    const bool tested =
        next && ptx_traits_of(in)->cost == PTX_COST_logic && is_test_for_zero(t, next);
    const bool merged = next && (tested || (!*does && can_merge_into(in, next))) &&
                        is_only_reader(f, uses, in, next);
    done[reg] = !merged                                         ? COMPILE_MERGED_NOTHING
                : ptx_traits_of(in)->means == PTX_MEANS_product ? COMPILE_MERGED_PRODUCT
                                                                : COMPILE_MERGED_OTHER;
    return merged;
}

bool compile_find_merge(compile_translation *t, const ptx_insn *in)
{
    compile_build *b = t->build;
    uint32_t *uses = register_uses(t);
    b->merges_in = COMPILE_MERGED_NOTHING;
    b->merged = uses && is_merged_into_reader(t, uses, in, &b->merges_in);
    return uses;
}

/* Make S run on the integer ALU: only the ALU adds three numbers, the multiplier does not. */
static void use_integer_alu(sm_step *s)
{
    for (uint32_t p = 0; p < SM_STEP_MAX_RUNS; p++)
        s->part[p].of = s->part[p].times ? SM_CLASS_alu : s->part[p].of;
}

/* --- loads whose value an earlier load has left in registers ---------------------------------- */

static bool is_same_value(const ptx_value *a, const ptx_value *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->imm == b->imm && a->var == b->var &&
           a->offset == b->offset;
}

/* Whether loads A and B read the same address in the same way. */
static bool is_same_load(const ptx_insn *a, const ptx_insn *b)
{
    bool same = a->op == b->op && a->space == b->space && a->vec == b->vec &&
                a->guard == PTX_NO_REGISTER && insn_type(a) == insn_type(b) &&
                !memcmp(a->mods, b->mods, sizeof a->mods) && a->opd[1].count == b->opd[1].count;
    for (uint32_t v = 0; same && v < a->opd[1].count; v++)
        same = is_same_value(&a->opd[1].v[v], &b->opd[1].v[v]);
    return same;
}

/* Can instruction K change what load IN reads, or let another thread change it? */
static bool may_change_loaded_value(const ptx_insn *k, const ptx_insn *in)
{
    const ptx_traits *traits = ptx_traits_of(k);
    if (traits->sync != PTX_SYNC__ || traits->flow != PTX_FLOW__)
        return true;
    if (traits->access == PTX_ACCESS__ || traits->access == PTX_ACCESS_load)
        return ptx_is_strong(k);
    return traits->access != PTX_ACCESS_store || k->space == in->space ||
           k->space == PTX_SPACE_NONE || in->space == PTX_SPACE_NONE;
}

/* Is REG the address register of LOAD or its result? */
static bool is_register_of_load(const ptx_insn *load, uint32_t reg)
{
    for (uint32_t n = 0; n < 2; n++)
        for (uint32_t v = 0; v < load->opd[n].count; v++)
            if (load->opd[n].v[v].kind == PTX_VAL_REG && load->opd[n].v[v].reg == reg)
                return true;
    return false;
}

/* The earlier load of IN's basic block, which begins at FIRST, that reads the same value. ptxas
 * keeps that load's result and emits no code for IN. NULL: none. */
static const ptx_insn *same_load_before(const ptx_insn *first, const ptx_insn *in)
{
    enum { MAX_DISTANCE = 256 };
    if (!ptx_is_per_lane_load(in) || ptx_is_strong(in) || in->guard != PTX_NO_REGISTER ||
        in->space == PTX_SPACE_PARAM)
        return NULL;
    for (const ptx_insn *k = in;
         k-- > first && in - k <= MAX_DISTANCE && !may_change_loaded_value(k, in);) {
        if (is_same_load(k, in)) {
            for (const ptx_insn *between = k + 1; between < in; between++)
                PTX_EACH_WRITTEN(r, between)
                    if (is_register_of_load(k, r.reg))
                        return NULL;
            return k;
        }
    }
    return NULL;
}

/* --- the step of an instruction --------------------------------------------------------------- */

/* Does nothing read the result of atomic operation IN? Then ptxas makes a reduction of it. */
static bool is_reduction(const ptx_insn *in, const uint32_t *uses)
{
    const uint32_t result = only_result_register(in);
    return ptx_is_per_lane_atomic(in) && (ptx_traits_of(in)->access == PTX_ACCESS_red ||
                                          (result != PTX_NO_REGISTER && !uses[result]));
}

/* The number of machine instructions of step S. */
static uint32_t machine_insn_count(const sm_step *s)
{
    uint32_t count = s->kind != SM_STEP_PLAIN && s->kind != SM_STEP_FREE;
    for (uint32_t p = 0; s->kind == SM_STEP_PLAIN && p < SM_STEP_MAX_RUNS; p++)
        count += s->part[p].times;
    return count;
}

/* The registers that IN needs. If BEFORE, an earlier equal load, replaces IN, these are the
 * registers that BEFORE writes; NULL: the registers that IN reads. */
static ptx_register_walk sources_of(const ptx_insn *in, const ptx_insn *before)
{
    return before ? ptx_registers_written(before) : ptx_registers_read(in);
}

const sm_step *compile_new_step(compile_translation *t, const ptx_insn *in)
{
    compile_build *b = t->build;
    b->block_first = b->block_first ? b->block_first : in;
    const ptx_insn *before = same_load_before(b->block_first, in);
    uint32_t results = 0, sources = 0;
    PTX_EACH_WRITTEN(r, in)
        results++;
    for (ptx_register_walk r = sources_of(in, before); ptx_next_register(&r);)
        sources++;
    sm_step *s = compile_alloc_with_code(t, sizeof *s + (results + sources) * sizeof s->reg[0]);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->in = in;
    s->guard = in->guard;
    s->results = results;
    s->sources = sources;
    uint32_t *to = s->reg;
    PTX_EACH_WRITTEN(r, in)
        *to++ = r.reg;
    for (ptx_register_walk r = sources_of(in, before); ptx_next_register(&r);)
        *to++ = r.reg;
    fill_step_from_insn(s, in);
    s->reduces = is_reduction(in, b->uses);
    s->kind = before ? SM_STEP_FREE : s->reduces ? SM_STEP_STORE : s->kind;
    if (b->merged && s->kind == SM_STEP_PLAIN)
        s->kind = SM_STEP_FREE;
    else if (b->merges_in && is_integer_sum(in))
        use_integer_alu(s);
    s->at = t->code->unit->machine;
    t->code->unit->machine += machine_insn_count(s);
    return s;
}

const sm_step *compile_new_entry_step(compile_translation *t)
{
    sm_step *s = compile_alloc_with_code(t, sizeof *s);
    t->build->block_first = NULL;
    if (s) {
        memset(s, 0, sizeof *s);
        s->kind = SM_STEP_ENTRY;
        s->at = t->code->unit->machine;
        s->guard = PTX_NO_REGISTER;
    }
    return s;
}
