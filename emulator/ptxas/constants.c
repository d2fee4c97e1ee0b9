/* What the device's assembler makes of approximations before it brings products and sums together,
 * seen in code that ptxas 13.0 made:
 *
 * - a quotient by a constant is a product with its reciprocal, rounded to nearest;
 * - an approximation of a constant is a constant, rounded to nearest;
 * - rcp of what ex2 gave, with .ftz both and no other reader, is ex2 of the negated exponent.
 *
 * Each instruction stays one instruction, so that they count as written. */
#include "../ptx/arena.h"
#include "../ptx/traits.h"
#include "contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fold {
    ptx_func *f;
    ptx_arena *arena;
    uint32_t *writes, *reads; /* [reg_count] */
    const ptx_insn **by;      /* [reg_count] the last that writes it */
} fold;

static bool is_register(const ptx_value *v)
{
    return v->kind == PTX_VAL_REG;
}

static void count(void *of, uint32_t reg, unsigned operand)
{
    (void)operand;
    ((uint32_t *)of)[reg]++;
}

static void count_all(fold *x)
{
    for (uint32_t k = 0; k < x->f->insn_count; k++) {
        const ptx_insn *in = &x->f->insns[k];
        ptx_each_read(in, count, x->reads);
        ptx_each_write(in, count, x->writes);
        if (ptx_is_result(in, 0) && in->opd[0].count == 1 && is_register(in->opd[0].v)) {
            x->by[in->opd[0].v->reg] = in;
        }
    }
}

static float to_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float v;
    memcpy(&v, &low, sizeof v);
    return v;
}

/* The one float that V can be, in *OUT. */
static bool constant(const fold *x, const ptx_value *v, float *out)
{
    const ptx_insn *in = is_register(v) && x->writes[v->reg] == 1 ? x->by[v->reg] : NULL;
    if (in && ptx_traits_of(in)->means == PTX_MEANS_copy && in->guard == PTX_NOREG &&
        in->opd[1].count == 1) {
        v = in->opd[1].v;
    }
    *out = v->kind == PTX_VAL_IMM ? to_float(v->imm) : NAN;
    return !isnan(*out);
}

static bool set_constant(fold *x, ptx_operand *o, float value)
{
    ptx_value *v = ptx_arena_alloc(x->arena, sizeof *v);
    uint32_t bits;
    if (v) {
        memcpy(&bits, &value, sizeof bits);
        *v = (ptx_value){.kind = PTX_VAL_IMM, .imm = bits};
        o->v = v;
    }
    return v != NULL;
}

static void drop(ptx_insn *in, ptx_mod m)
{
    in->mods[m / 64] &= ~(UINT64_C(1) << (m % 64));
}

static bool quotient(fold *x, ptx_insn *in)
{
    float by;
    if (!constant(x, in->opd[2].v, &by) || !(fabsf(by) >= 0x1p-126f && fabsf(by) <= 0x1p126f)) {
        return true;
    }
    in->op = PTX_OP_mul;
    drop(in, PTX_MOD_approx);
    drop(in, PTX_MOD_full);
    return set_constant(x, &in->opd[2], 1 / by);
}

/* What WHAT gives for A; NAN where that is better asked of the device's unit. */
static float approximation(ptx_means what, float a)
{
    const bool usual = fabsf(a) >= 0x1p-126f && fabsf(a) <= 0x1p126f;
    const double d = a;
    switch (what) {
    case PTX_MEANS_logarithm:
        return usual && a > 0 ? (float)log2(d) : NAN;
    case PTX_MEANS_power:
        return fabsf(a) <= 126 ? (float)exp2(d) : NAN;
    case PTX_MEANS_reciprocal:
        return usual ? 1 / a : NAN;
    case PTX_MEANS_root:
        return usual && a > 0 ? sqrtf(a) : NAN;
    case PTX_MEANS_inverse_root:
        return usual && a > 0 ? (float)(1 / sqrt(d)) : NAN;
    case PTX_MEANS_sine:
        return fabsf(a) <= 100 ? (float)sin(d) : NAN;
    case PTX_MEANS_cosine:
        return fabsf(a) <= 100 ? (float)cos(d) : NAN;
    default:
        return NAN;
    }
}

static bool unary(fold *x, ptx_insn *in)
{
    float a;
    const float v =
        constant(x, in->opd[1].v, &a) ? approximation(ptx_traits_of(in)->means, a) : NAN;
    if (isnan(v)) {
        return true;
    }
    in->op = PTX_OP_mov;
    drop(in, PTX_MOD_approx);
    drop(in, PTX_MOD_ftz);
    return set_constant(x, &in->opd[1], v);
}

/* AT is ex2, and what reads it only rcp. */
static void turn_exponent(const fold *x, ptx_insn *rcp)
{
    const ptx_value *v = rcp->opd[1].v;
    const bool lone = is_register(v) && x->writes[v->reg] == 1 && x->reads[v->reg] == 1;
    const ptx_insn *by = lone ? x->by[v->reg] : NULL;
    if (!by || ptx_traits_of(by)->means != PTX_MEANS_power || by->type[0] != PTX_f32 ||
        by->guard != PTX_NOREG || !ptx_has(by, PTX_MOD_ftz) || !ptx_has(rcp, PTX_MOD_ftz)) {
        return;
    }
    ptx_insn *ex2 = &x->f->insns[by - x->f->insns];
    ex2->op = PTX_OP_neg;
    drop(ex2, PTX_MOD_approx);
    rcp->op = PTX_OP_ex2;
}

static bool fold_all(fold *x)
{
    for (uint32_t k = 0; k < x->f->insn_count; k++) {
        ptx_insn *in = &x->f->insns[k];
        const bool approx = ptx_has(in, PTX_MOD_approx) || ptx_has(in, PTX_MOD_full);
        if (!approx || in->type[0] != PTX_f32 || !in->operand_count || in->opd[0].count != 1) {
            continue;
        }
        const ptx_means means = ptx_traits_of(in)->means;
        const bool good = means == PTX_MEANS_quotient && in->operand_count == 3 ? quotient(x, in)
                          : in->operand_count == 2                              ? unary(x, in)
                                                                                : true;
        if (!good) {
            return false;
        }
        if (ptx_traits_of(in)->means == PTX_MEANS_reciprocal) {
            turn_exponent(x, in);
        }
    }
    return true;
}

bool ptx_fold(ptx_func *f, ptx_arena *arena)
{
    const size_t regs = f->reg_count + 1u;
    fold x = {.f = f,
              .arena = arena,
              .writes = calloc(regs, sizeof(uint32_t)),
              .reads = calloc(regs, sizeof(uint32_t)),
              .by = calloc(regs, sizeof(const ptx_insn *))};
    bool good = x.writes && x.reads && x.by;
    if (good) {
        count_all(&x);
        good = fold_all(&x);
    }
    free(x.writes);
    free(x.reads);
    free(x.by);
    return good;
}
