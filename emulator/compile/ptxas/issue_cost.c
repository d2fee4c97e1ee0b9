/* The cost of a PTX instruction: the machine instructions that ptxas generates for it, the units
 * that execute them, and the latency of the result. The instruction's family in ops.def and its
 * form select a row of costs.def, which has the cost. */
#include "../../ptx/traits.h"
#include "../build.h"

#include <string.h>

/* A row of costs.def, with the latencies of the device for which the program is translated. */
typedef struct insn_cost {
    uint32_t more;     /* machine instructions beyond the first */
    uint32_t alu;      /* machine instructions of the integer unit */
    uint32_t special;  /* machine instructions of the special function unit */
    uint32_t products; /* cycles of the integer multiplier */
    uint32_t doubles;  /* double-precision additions and multiplications */
    uint32_t latency;  /* cycles until a dependent instruction can issue */
} insn_cost;

/* --- forms of the rows of costs.def --- */

/* A form is a property of an instruction that selects a row of costs.def. has_FORM: does IN have
 * the form FORM? Every instruction has the form `any`. */
static bool has_any(const ptx_insn *in)
{
    (void)in;
    return true;
}

static bool is_float_operand(const ptx_insn *in, uint32_t n)
{
    if (in->type_count <= n)
        return false;
    switch (in->type[n]) {
    case PTX_f16:
    case PTX_f16x2:
    case PTX_bf16:
    case PTX_bf16x2:
    case PTX_f32:
    case PTX_f64: return true;
    default: return false;
    }
}

static bool is_int_of_64_bits(const ptx_insn *in, uint32_t n)
{
    return in->type_count > n && ptx_type_bytes(in->type[n]) == 8;
}

static bool has_predicate_type(const ptx_insn *in)
{
    return in->type_count && in->type[0] == PTX_pred;
}

static bool has_all_modifier(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_all);
}

static bool has_ballot_modifier(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_ballot);
}

/* Does IN extract bits at a constant position? */
static bool has_constant_position(const ptx_insn *in)
{
    return in->opd[2].v[0].kind == PTX_VAL_IMM;
}

/* Forms of arithmetic instructions. f64 is a type of 64 bits, too. */

static bool has_type_of_64_bits(const ptx_insn *in)
{
    return is_int_of_64_bits(in, 0);
}

static bool has_f64_type(const ptx_insn *in)
{
    return in->type_count && in->type[0] == PTX_f64;
}

static bool has_f32_type(const ptx_insn *in)
{
    return in->type_count && in->type[0] == PTX_f32;
}

static bool has_float_type(const ptx_insn *in)
{
    return is_float_operand(in, 0);
}

static bool has_float_type_and_rn(const ptx_insn *in)
{
    return is_float_operand(in, 0) && ptx_has_modifier(in, PTX_MOD_rn);
}

static bool has_no_approx(const ptx_insn *in)
{
    return !ptx_has_modifier(in, PTX_MOD_approx);
}

static bool has_int64_type(const ptx_insn *in)
{
    return is_int_of_64_bits(in, 0) && !is_float_operand(in, 0);
}

static bool has_long_hi(const ptx_insn *in)
{
    return has_int64_type(in) && ptx_has_modifier(in, PTX_MOD_hi);
}

/* Does the shift IN move 64 bits by a constant of at least LEAST? */
static bool shifts_words(const ptx_insn *in, uint64_t least)
{
    return has_type_of_64_bits(in) && in->opd[2].v[0].kind == PTX_VAL_IMM &&
           in->opd[2].v[0].imm >= least;
}

static bool has_shift_by_a_word(const ptx_insn *in)
{
    return shifts_words(in, 32) && !shifts_words(in, 33);
}

static bool has_shift_beyond_a_word(const ptx_insn *in)
{
    return shifts_words(in, 33);
}

static bool has_signed_type(const ptx_insn *in)
{
    return in->type_count && (in->type[0] == PTX_s32 || in->type[0] == PTX_s16);
}

static bool has_hi_modifier(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_hi);
}

static bool has_wide_modifier(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_wide);
}

/* Does IN replace subnormal operands and results by zero (.ftz)? */
static bool has_ftz_modifier(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_ftz);
}

/* Forms of conversions, from the type of operand 1 to the type of operand 0. */

static bool has_integer_types(const ptx_insn *in)
{
    return !is_float_operand(in, 0) && !is_float_operand(in, 1);
}

static bool has_narrow_integers(const ptx_insn *in)
{
    return has_integer_types(in) &&
           (ptx_type_bytes(in->type[0]) < 4 || ptx_type_bytes(in->type[1]) < 4);
}

static bool has_from_or_to_f64(const ptx_insn *in)
{
    return in->type[0] == PTX_f64 || in->type[1] == PTX_f64;
}

static bool has_half_to_f32(const ptx_insn *in)
{
    return is_float_operand(in, 1) && ptx_type_bytes(in->type[1]) <= 4 && in->type[1] != PTX_f32 &&
           in->type[0] == PTX_f32;
}

static bool has_from_or_to_b64(const ptx_insn *in)
{
    return is_int_of_64_bits(in, 0) || is_int_of_64_bits(in, 1);
}

static bool has_integer_result(const ptx_insn *in)
{
    return !is_float_operand(in, 0);
}

static bool has_float_and_rni(const ptx_insn *in)
{
    return is_float_operand(in, 0) && is_float_operand(in, 1) && ptx_has_modifier(in, PTX_MOD_rni);
}

static bool has_cta_or_cluster(const ptx_insn *in)
{
    return ptx_has_modifier(in, PTX_MOD_cta) || ptx_has_modifier(in, PTX_MOD_cluster);
}

static bool has_shared_space(const ptx_insn *in)
{
    return in->space == PTX_SPACE_SHARED;
}

static const struct {
    ptx_cost family;                      /* cost family of the row: column `cost` of ops.def */
    bool (*has_form)(const ptx_insn *in); /* does an instruction have the form of the row? */
    bool apart; /* ptxas expands it to code with branches, so nothing overlaps with it */
    sm_class_run run[SM_STEP_MAX_RUNS]; /* machine instructions that ptxas emits */
} rows[] = {
#define RUN(class, n)  {SM_CLASS_##class, n, false},
#define SIDE(class, n) {SM_CLASS_##class, n, true},
#define NONE \
    {        \
        0    \
    }
#define COST(family, form, more, alu, special, products, doubles, latency, apart, runs) \
    {PTX_COST_##family, has_##form, apart, {runs}},
#include "costs.def"
#undef COST
#undef NONE
#undef SIDE
#undef RUN
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void fill_costs(insn_cost *out, const sm_cycles *y)
{
#define L(class)               y->latency_##class
#define P(class)               y->pace_##class
#define Y(field)               y->field
#define SHARE(n, whole, field) (((n)*y->field + (whole) / 2) / (whole))
#define COST(family, form, more, alu, special, products, doubles, latency, apart, runs) \
    {more, alu, special, products, doubles, latency},
    const insn_cost costs[ROW_COUNT] = {
#include "costs.def"
    };
#undef COST
#undef SHARE
#undef Y
#undef P
#undef L
    memcpy(out, costs, sizeof costs);
}

static uint32_t cost_row_of(const ptx_insn *in)
{
    const ptx_cost family = ptx_traits_of(in)->cost;
    uint32_t k = 0;
    while (rows[k].family != family || !rows[k].has_form(in))
        k++; /* every family ends with the form `any` (checked by tests/ptx/run-sheet) */
    return k;
}

const sm_class_run *compile_class_runs(const ptx_insn *in, bool *apart)
{
    const uint32_t k = cost_row_of(in);
    *apart = rows[k].apart;
    return rows[k].run;
}

/* --- chains --- */

/* Parameters are operands in constant memory, and a move only renames a register. */
bool compile_has_no_code(const ptx_insn *in)
{
    const bool plain = in->operand_count > 1 && in->opd[1].count == 1;
    const ptx_result_meaning means = ptx_traits_of(in)->means;
    return (ptx_is_per_lane_load(in) && in->space == PTX_SPACE_PARAM) ||
           means == PTX_MEANS_address ||
           (means == PTX_MEANS_copy && plain && in->opd[1].v[0].kind != PTX_VAL_SREG);
}

/* Do all later instructions wait for all instructions before IN? */
static bool is_full_barrier(const ptx_insn *in)
{
    return ptx_is_block_barrier(in) || ptx_traits_of(in)->sync == PTX_SYNC_fence;
}

/* The cycles by which IN lengthens the longest chain of dependent instructions; they belong to IN's
 * basic block. A chain ends at branches and labels. Memory latency is not included. APART: nothing
 * after IN begins before its result is there. */
static uint32_t extend_dependency_chain(compile_build *b, const ptx_insn *in, uint32_t latency,
                                        bool apart)
{
    /* When IN begins, then when its result is ready, in cycles since the start of the region. */
    uint32_t at = is_full_barrier(in) ? b->chain_longest : b->chain_floor;
    PTX_EACH_READ(r, in) {
        const uint64_t ready = b->chain_ready[r.reg];
        if (ready >> 32 == b->chain_region && (uint32_t)ready > at)
            at = (uint32_t)ready;
    }
    at += latency;
    b->chain_floor = apart && at > b->chain_floor ? at : b->chain_floor;
    PTX_EACH_WRITTEN(r, in)
        b->chain_ready[r.reg] = b->chain_region << 32 | at;
    const uint32_t longer = at > b->chain_longest ? at - b->chain_longest : 0;
    b->chain_longest += longer;
    if (is_full_barrier(in))
        b->chain_floor = b->chain_longest;
    return longer;
}

/* Machine instructions that move constant operands of f64 to registers: an instruction holds the
 * high word of one, if the low word is 0. */
static uint32_t constant_moves(const ptx_insn *in)
{
    uint32_t moves = 0;
    const ptx_cost family = ptx_traits_of(in)->cost;
    if (!has_f64_type(in) || (family != PTX_COST_sum && family != PTX_COST_product))
        return 0;
    for (uint32_t o = 1; o < in->operand_count; o++)
        if (in->opd[o].v[0].kind == PTX_VAL_IMM && (uint32_t)in->opd[o].v[0].imm)
            moves += 2;
    return moves;
}

/* Is IN arithmetic for which ptxas emits nothing: the sign of a float, a wider integer, the upper
 * word of 64 bits? */
static bool is_operand_of_reader(const ptx_insn *in, uint32_t row)
{
    const ptx_cost family = ptx_traits_of(in)->cost;
    return !rows[row].run[0].times &&
           (family == PTX_COST_sign || family == PTX_COST_conversion ||
            family == PTX_COST_shift_left || family == PTX_COST_shift_right);
}

/* The instructions of the unit for f32 among the machine instructions of ROW, whose cost is C. The
 * runs of an exact quotient or root have more, for the clock of a warp, than a launch's time
 * counts. */
static uint32_t f32_insns(uint32_t row, const insn_cost *c)
{
    uint32_t count = 0;
    for (unsigned k = 0; k < SM_STEP_MAX_RUNS; k++)
        if (rows[row].run[k].of == SM_CLASS_fma)
            count += rows[row].run[k].times;
    const uint32_t others = c->alu + c->special + c->doubles, all = 1 + c->more;
    return all < others + count ? (all > others ? all - others : 0) : count;
}

/* Add to INFO the machine instructions of IN, of ROW, whose cost is C. Those of an instruction that
 * its reader computes are the reader's; only the integer unit adds three numbers. The product of an
 * address and the sum of 64 bits that takes it up are one IMAD.WIDE, which takes two turns of a
 * scheduler, as the sum alone does. */
static void count_machine_insns(const compile_build *b, const ptx_insn *in, uint32_t row,
                                struct sm_block_info *info)
{
    const insn_cost *c = &b->costs[row];
    const bool adds = ptx_traits_of(in)->cost == PTX_COST_sum;
    info->inst_more += constant_moves(in);
    info->inst_special += c->special;
    info->imul_cycles += c->products;
    info->inst_f64 += c->doubles;
    if (b->merged)
        return;
    info->inst_more += c->more;
    info->inst_fma += f32_insns(row, c);
    info->inst_alu += adds && b->merges_in == COMPILE_MERGED_OTHER ? 1 + c->more : c->alu;
}

bool compile_issue_cost(compile_translation *t, const ptx_insn *in, bool begins,
                        struct sm_block_info *info)
{
    compile_build *b = t->build;
    if (!b->chain_ready) {
        b->chain_ready =
            compile_alloc_with_code(t, (t->func->reg_count + 1u) * sizeof *b->chain_ready);
        b->costs = compile_alloc_with_code(t, ROW_COUNT * sizeof *b->costs);
        if (!b->chain_ready || !b->costs || !compile_find_halves(t))
            return false;
        fill_costs(b->costs, &t->program->cycles);
    }
    if (begins) {
        b->chain_region++;
        b->chain_longest = b->chain_floor = 0;
    }
    if (!compile_find_merge(t, in))
        return false;
    ptx_insn half;
    const uint32_t row = cost_row_of(compile_as_computed(t, in, &half));
    const bool folds = compile_has_no_code(in) || is_operand_of_reader(in, row);
    const insn_cost *c = &b->costs[row];
    info->inst_folded += folds || b->merged;
    count_machine_insns(b, in, row, info);
    info->chain_cycles += extend_dependency_chain(b, in, folds ? 0 : c->latency, rows[row].apart);
    return true;
}
