/* The machine instructions that ptxas makes of each PTX instruction, as runs of instruction classes
 * for the modelled clock of warps. From the code that nvcc 13.0 generates for sm_90, and from
 * chains of each instruction timed on an H200 (tests/hardware/clocks/h200/arithmetic.tsv). */
#include "../core/build.h"
#include "../core/warp_clock.h"
#include "../ptx/traits.h"

#include <string.h>

typedef struct parts {
    uint32_t count;
    bool beside;
    sm_step *step;
} parts;

static void add(parts *p, sm_class of, uint32_t times)
{
    if (times && p->count < SM_STEP_PARTS) {
        p->step->part[p->count].of = (uint8_t)of;
        p->step->part[p->count].beside = p->beside;
        p->step->part[p->count++].times = (uint8_t)times;
    }
}

static void add_beside(parts *p, sm_class of, uint32_t times)
{
    p->beside = true;
    add(p, of, times);
    p->beside = false;
}

static ptx_type type_of(const ptx_insn *in, uint32_t n)
{
    return n < in->type_count ? in->type[n] : PTX_b32;
}

static bool is_half(ptx_type t)
{
    return t == PTX_f16 || t == PTX_f16x2 || t == PTX_bf16 || t == PTX_bf16x2;
}

static bool is_float(ptx_type t)
{
    return t == PTX_f32 || t == PTX_f64 || is_half(t);
}

static bool is_wide(ptx_type t)
{
    return ptx_type_bytes(t) == 8;
}

/* The class of floating-point additions, multiplications and fused multiply-adds. */
static sm_class float_class(ptx_type t)
{
    return t == PTX_f64 ? SM_CLASS_double : is_half(t) ? SM_CLASS_half : SM_CLASS_fma;
}

static void product(parts *p, const ptx_insn *in)
{
    const ptx_type t = type_of(in, 0);
    if (is_float(t)) {
        add(p, float_class(t), 1);
    } else if (is_wide(t)) {
        add(p, SM_CLASS_product_wide, 1);
        add_beside(p, SM_CLASS_product, 1);
        add(p, SM_CLASS_product, 2);
    } else if (ptx_has(in, PTX_MOD_hi)) {
        add(p, SM_CLASS_product_wide, 1);
        add(p, SM_CLASS_product, 1);
        add_beside(p, SM_CLASS_product, 1);
    } else {
        add(p, ptx_has(in, PTX_MOD_wide) ? SM_CLASS_product_wide : SM_CLASS_product, 1);
    }
}

/* Division and remainder. Those with branches of their own are function calls in machine code. */
static void quotient(parts *p, const ptx_insn *in)
{
    const ptx_type t = type_of(in, 0);
    if (t == PTX_f64) {
        p->step->apart = true;
        add(p, SM_CLASS_special, 1);
        add(p, SM_CLASS_double, 10);
        add(p, SM_CLASS_fma, 6);
    } else if (t == PTX_f32) {
        const bool exact = ptx_has(in, PTX_MOD_rn);
        p->step->apart = exact;
        add(p, SM_CLASS_fma, exact ? 1 : 2);
        add(p, SM_CLASS_special, 1);
        add(p, SM_CLASS_fma, exact ? 8 : 3);
    } else if (is_wide(t)) {
        p->step->apart = true;
        add(p, SM_CLASS_special, 3);
        add(p, SM_CLASS_product_wide, 30);
        add(p, SM_CLASS_product, 16);
        add(p, SM_CLASS_add, 14);
    } else {
        const bool sign = t == PTX_s32 || t == PTX_s16;
        add(p, SM_CLASS_special, 3);
        add(p, SM_CLASS_product_wide, 3);
        add(p, SM_CLASS_product, 6);
        add(p, SM_CLASS_alu, sign ? 11 : 9);
    }
}

/* rcp, sqrt, rsqrt and other functions that scale denormals. */
static void root(parts *p, const ptx_insn *in)
{
    const bool exact = !ptx_has(in, PTX_MOD_approx), wide = type_of(in, 0) == PTX_f64;
    p->step->apart = exact || wide;
    if (wide) {
        add(p, SM_CLASS_special, 1);
        add(p, SM_CLASS_double, 10);
    } else if (exact) {
        add(p, SM_CLASS_fma, 1);
        add(p, SM_CLASS_special, 1);
        add(p, SM_CLASS_fma, in->op == PTX_OP_rcp ? 12 : 8);
    } else if (ptx_has(in, PTX_MOD_ftz) || in->op == PTX_OP_rcp) {
        add(p, SM_CLASS_special, 1);
    } else {
        add(p, SM_CLASS_alu, 1);
        add(p, SM_CLASS_fma, 1);
        add(p, SM_CLASS_special, 1);
        add(p, SM_CLASS_fma, 1);
    }
}

static void conversion(parts *p, const ptx_insn *in)
{
    const ptx_type to = type_of(in, 0), from = type_of(in, 1);
    if (!is_float(to) && !is_float(from)) {
        /* between integers of at least 32 bits: nothing, or a copy of the sign */
        add(p, SM_CLASS_alu, ptx_type_bytes(from) < 4 || ptx_type_bytes(to) < 4);
        p->step->kind = p->count ? SM_STEP_PLAIN : SM_STEP_FREE;
    } else if (to == PTX_f64 || from == PTX_f64) {
        add(p, SM_CLASS_convert_double, 1);
    } else if (is_half(from) && to == PTX_f32) {
        add(p, SM_CLASS_fma, 1);
    } else if (is_float(to) && is_float(from) && !ptx_has(in, PTX_MOD_rni)) {
        add(p, SM_CLASS_alu, 1);
    } else {
        add(p, is_float(from) || is_wide(from) ? SM_CLASS_convert : SM_CLASS_alu, 1);
    }
}

/* How a special register is read. */
static void moved(parts *p, const ptx_insn *in)
{
    const ptx_value *v = in->operand_count > 1 && in->opd[1].count == 1 ? in->opd[1].v : NULL;
    if (!v || v->kind != PTX_VAL_SREG) {
        p->step->kind = SM_STEP_FREE;
    } else if (sm_sreg_is_clock(v->sreg)) {
        p->step->kind = SM_STEP_CLOCK;
    } else {
        /* tid and the like are read once, at the start of the kernel */
        p->step->kind = SM_STEP_FREE;
    }
}

static void arithmetic(parts *p, const ptx_insn *in)
{
    const ptx_type t = type_of(in, 0);
    switch (in->op) {
    case PTX_OP_add:
    case PTX_OP_sub:
        add(p, is_float(t) ? float_class(t) : SM_CLASS_add, 1);
        add_beside(p, SM_CLASS_add, is_wide(t) && !is_float(t));
        return;
    case PTX_OP_neg:
    case PTX_OP_abs:
        add(p, SM_CLASS_alu, !is_float(t));
        p->step->kind = is_float(t) ? SM_STEP_FREE : SM_STEP_PLAIN; /* negation and absolute value
                                                                     * of floats are operand
                                                                     * modifiers */
        return;
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
        product(p, in);
        return;
    case PTX_OP_mul24:
    case PTX_OP_mad24:
        add(p, SM_CLASS_alu, 1);
        add(p, SM_CLASS_product, 1);
        return;
    case PTX_OP_bfe:
        add(p, SM_CLASS_alu, in->opd[2].v[0].kind == PTX_VAL_IMM ? 2 : 4);
        return;
    case PTX_OP_div:
        quotient(p, in);
        return;
    case PTX_OP_rem:
        quotient(p, in);
        add(p, SM_CLASS_product, 1);
        return;
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
        root(p, in);
        return;
    case PTX_OP_sin:
    case PTX_OP_cos:
        add(p, SM_CLASS_fma, 1);
        add(p, SM_CLASS_special, 1);
        return;
    case PTX_OP_ex2:
    case PTX_OP_lg2:
        root(p, in);
        return;
    case PTX_OP_tanh:
        add(p, SM_CLASS_special, 1);
        return;
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_brev:
        add(p, SM_CLASS_bits, 1);
        add(p, SM_CLASS_add, in->op == PTX_OP_clz);
        return;
    case PTX_OP_cvt:
        conversion(p, in);
        return;
    case PTX_OP_setp:
    case PTX_OP_set:
        add(p, t == PTX_f64 ? SM_CLASS_double : SM_CLASS_predicate, 1);
        return;
    case PTX_OP_shfl:
        add(p, SM_CLASS_shuffle, 1);
        return;
    case PTX_OP_vote:
        add(p, SM_CLASS_vote, 1);
        add(p, SM_CLASS_predicate, !ptx_has(in, PTX_MOD_ballot));
        return;
    case PTX_OP_match:
        add(p, ptx_has(in, PTX_MOD_all) ? SM_CLASS_match_all : SM_CLASS_match, 1);
        return;
    case PTX_OP_redux:
        add(p, SM_CLASS_redux, 1);
        return;
    case PTX_OP_mma:
    case PTX_OP_wmma_mma:
        add(p, SM_CLASS_tensor, 1);
        return;
    default:
        add(p, SM_CLASS_alu, 1);
        add_beside(p, SM_CLASS_alu, is_wide(t)); /* the other half */
        return;
    }
}

static bool is_strong(const ptx_insn *in)
{
    return ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_relaxed) ||
           ptx_has(in, PTX_MOD_acquire) || ptx_has(in, PTX_MOD_release);
}

static void plan(parts *p, const ptx_insn *in)
{
    sm_step *s = p->step;
    s->ordered = is_strong(in);
    if (ptx_traits_of(in)->access == PTX_ACCESS_load && ptx_traits_of(in)->reach == PTX_REACH_tex) {
        s->kind = SM_STEP_TEXTURE;
        return;
    }
    switch (in->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        s->kind = in->space == PTX_SPACE_PARAM ? SM_STEP_FREE : SM_STEP_LOAD;
        return;
    case PTX_OP_st:
        s->kind = in->space == PTX_SPACE_PARAM ? SM_STEP_FREE : SM_STEP_STORE;
        return;
    case PTX_OP_red:
        s->kind = SM_STEP_STORE;
        return;
    case PTX_OP_atom:
        s->kind = SM_STEP_ATOMIC;
        return;
    case PTX_OP_cvta:
        s->kind = SM_STEP_FREE;
        return;
    case PTX_OP_mov:
        moved(p, in);
        return;
    case PTX_OP_bra:
    case PTX_OP_brx:
    case PTX_OP_exit:
    case PTX_OP_trap:
        s->kind = SM_STEP_BRANCH;
        return;
    case PTX_OP_call:
    case PTX_OP_ret:
        s->kind = SM_STEP_CALL;
        return;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        if (ptx_has(in, PTX_MOD_warp)) {
            add(p, SM_CLASS_vote,
                1); /* an instruction that does nothing, where all lanes are there */
        } else {
            s->kind = SM_STEP_BARRIER;
        }
        return;
    case PTX_OP_barrier_cluster_wait:
        s->kind = SM_STEP_BARRIER;
        return;
    case PTX_OP_membar:
    case PTX_OP_fence:
        s->kind = SM_STEP_FENCE;
        return;
    case PTX_OP_nanosleep:
        s->kind = SM_STEP_SLEEP;
        return;
    default:
        arithmetic(p, in);
        return;
    }
}

/* --- registers --- */

static void count_one(void *context, uint32_t reg, unsigned operand)
{
    (void)reg, (void)operand;
    ++*(uint32_t *)context;
}

static void keep(void *context, uint32_t reg, unsigned operand)
{
    (void)operand;
    *(*(uint32_t **)context)++ = reg;
}

/* --- two PTX instructions in one machine instruction --- */

static bool is_sum(const ptx_insn *in)
{
    const ptx_type t = type_of(in, 0);
    return in->op == PTX_OP_add && !is_float(t) && ptx_type_bytes(t) >= 4 && in->guard == PTX_NOREG;
}

/* Can ptxas merge IN into NEXT, the only instruction that needs its result? IADD3 adds three
 * numbers, LEA shifts and adds, IMAD multiplies and adds, and an addition merges into min and
 * max. */
static bool goes_into(const ptx_insn *in, const ptx_insn *next)
{
    const ptx_type t = type_of(in, 0);
    const bool least = next->op == PTX_OP_min || next->op == PTX_OP_max;
    if (is_float(t) || is_float(type_of(next, 0)) || in->guard != PTX_NOREG) {
        return false;
    }
    switch (in->op) {
    case PTX_OP_add:
        return is_sum(in) && (is_sum(next) || (least && !is_wide(t)));
    case PTX_OP_mul:
        return is_sum(next) && !ptx_has(in, PTX_MOD_hi) && ptx_type_bytes(t) == 4;
    case PTX_OP_shl:
        return is_sum(next) && in->opd[2].v[0].kind == PTX_VAL_IMM && !is_wide(t);
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_not:
        return t != PTX_pred && (next->op == PTX_OP_and || next->op == PTX_OP_or ||
                                 next->op == PTX_OP_xor || next->op == PTX_OP_lop3);
    default:
        return false;
    }
}

static void count_use(void *context, uint32_t reg, unsigned operand)
{
    (void)operand;
    ((uint32_t *)context)[reg]++;
}

/* Three arrays by register: number of reads; number of writes; whether the value is computed by the
 * instruction that reads it. */
static uint32_t *uses_of(sm_translation *t)
{
    sm_build *b = t->build;
    const uint32_t count = t->func->reg_count + 1u;
    if (!b->uses) {
        b->uses = sm_code_alloc(t, 3 * count * sizeof *b->uses);
        if (b->uses) {
            memset(b->uses, 0, 3 * count * sizeof *b->uses);
            for (uint32_t k = 0; k < t->func->insn_count; k++) {
                ptx_each_read(&t->func->insns[k], count_use, b->uses);
                ptx_each_write(&t->func->insns[k], count_use, b->uses + count);
            }
        }
    }
    return b->uses;
}

static bool reads_once(const ptx_insn *in, uint32_t reg)
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

static uint32_t result(const ptx_insn *in)
{
    const ptx_operand *o = in->operand_count > 1 ? &in->opd[0] : NULL;
    return o && !o->memory && o->count == 1 && o->v[0].kind == PTX_VAL_REG ? o->v[0].reg
                                                                           : PTX_NOREG;
}

/* The next instruction that reads REG, directly or through copies, within the same straight-line
 * code and at most FAR instructions away. NULL: none. */
static const ptx_insn *reader(const ptx_func *f, const ptx_insn *in, uint32_t reg)
{
    enum { FAR = 16 };
    const ptx_insn *end = f->insns + f->insn_count;
    for (const ptx_insn *k = in + 1; k < end && k <= in + FAR && !ptx_is_branch(k); k++) {
        if (!reads_once(k, reg)) {
            continue;
        }
        if (ptx_traits_of(k)->means != PTX_MEANS_copy || result(k) == PTX_NOREG) {
            return k;
        }
        reg = result(k);
    }
    return NULL;
}

/* Is NEXT the only instruction that needs the result of IN? Either NEXT overwrites the register, or
 * nothing else reads it. */
static bool is_only_reader(const ptx_func *f, const uint32_t *uses, const ptx_insn *in,
                           const ptx_insn *next)
{
    const uint32_t reg = result(in), changed = reads_once(in, reg);
    return (result(next) == reg && next->guard == PTX_NOREG) ||
           (uses[reg] == 1 + changed && uses[f->reg_count + 1 + reg] == 1 + changed);
}

/* Is IN merged into the instruction that reads its result? Not if IN itself absorbs another
 * (*DOES). */
static bool is_done_later(const ptx_func *f, uint32_t *uses, const ptx_insn *in, bool *does)
{
    uint32_t *done = uses + 2 * (f->reg_count + 1u);
    const uint32_t reg = result(in);
    if (reg == PTX_NOREG) {
        return false;
    }
    for (uint32_t o = 1; o < in->operand_count; o++) {
        for (uint32_t v = 0; v < in->opd[o].count; v++) {
            const ptx_value *value = &in->opd[o].v[v];
            *does = *does || (value->kind == PTX_VAL_REG && done[value->reg]);
        }
    }
    if (ptx_traits_of(in)->means == PTX_MEANS_copy) {
        done[reg] = *does;
        return false;
    }
    const ptx_insn *next = *does ? NULL : reader(f, in, reg);
    done[reg] = next && goes_into(in, next) && is_only_reader(f, uses, in, next);
    return done[reg];
}

/* Only the integer ALU adds three numbers, the multiplier does not. */
static void three_numbers(sm_step *s)
{
    for (uint32_t p = 0; p < SM_STEP_PARTS; p++) {
        s->part[p].of = s->part[p].times ? SM_CLASS_alu : s->part[p].of;
    }
}

const sm_step *sm_step_of(sm_translation *t, const ptx_insn *in)
{
    uint32_t results = 0, sources = 0;
    ptx_each_write(in, count_one, &results);
    ptx_each_read(in, count_one, &sources);
    sm_step *s = sm_code_alloc(t, sizeof *s + (results + sources) * sizeof s->reg[0]);
    if (!s) {
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->in = in;
    s->guard = in->guard;
    s->results = results;
    s->sources = sources;
    uint32_t *to = s->reg;
    ptx_each_write(in, keep, &to);
    ptx_each_read(in, keep, &to);
    plan(&(parts){.step = s}, in);
    uint32_t *uses = uses_of(t);
    if (!uses) {
        return NULL;
    }
    bool does = false;
    if (is_done_later(t->func, uses, in, &does) && s->kind == SM_STEP_PLAIN) {
        s->kind = SM_STEP_FREE;
    } else if (does && is_sum(in)) {
        three_numbers(s);
    }
    return s;
}

const sm_step *sm_step_entry(sm_translation *t)
{
    sm_step *s = sm_code_alloc(t, sizeof *s);
    if (s) {
        memset(s, 0, sizeof *s);
        s->kind = SM_STEP_ENTRY;
        s->guard = PTX_NOREG;
    }
    return s;
}
