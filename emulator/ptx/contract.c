/* A product and a sum without rounding modifiers become one fma, where the device's assembler makes
 * them one: "mul/add sequences with no rounding modifiers may be optimized to use
 * fused-multiply-add instructions" (PTX ISA 9.7.3.4 and 9.7.3.6). What follows was seen in code
 * that ptxas 13.0 made:
 *
 * - both have the same type and .ftz, and stand in one basic block; the product has no .sat;
 * - a product goes into its sums only if that uses it up, else it is rounded for all;
 * - of a sum of two products the first one goes in, and the second is rounded.
 *
 * The product stays where it is, so that instructions count as written; nobody reads it. */
#include "arena.h"
#include "ptx.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

typedef struct sum {
    uint32_t at;
    uint32_t product[2]; /* the instruction behind each operand; NOWHERE: no product */
} sum;

typedef struct search {
    ptx_func *f;
    bool *leader;       /* [insn_count + 1] */
    uint32_t *named;    /* [reg_count] how often a register stands in the function */
    uint32_t *written;  /* [reg_count] the last instruction that wrote it; NOWHERE */
    uint32_t *product;  /* [reg_count] the product of this block that it holds; NOWHERE */
    uint32_t *uses;     /* [insn_count] of a product, by sums of its block */
    bool *sure, *waits; /* [insn_count] while settling */
    bool *goes;         /* [insn_count] this product goes into its sums */
    sum *sums;          /* [insn_count] */
    uint32_t sum_count;
} search;

static bool is_register(const ptx_value *v)
{
    return v->kind == PTX_VAL_REG;
}

static bool rounds_as_it_likes(const ptx_insn *in)
{
    return (in->type[0] == PTX_f32 || in->type[0] == PTX_f64) && !ptx_has(in, PTX_MOD_rn) &&
           !ptx_has(in, PTX_MOD_rz) && !ptx_has(in, PTX_MOD_rm) && !ptx_has(in, PTX_MOD_rp) &&
           in->operand_count == 3 && is_register(in->opd[0].v);
}

static bool is_product(const ptx_insn *in)
{
    return in->op == PTX_OP_mul && rounds_as_it_likes(in) && !ptx_has(in, PTX_MOD_sat) &&
           in->guard == PTX_NOREG;
}

static bool is_sum(const ptx_insn *in)
{
    return (in->op == PTX_OP_add || in->op == PTX_OP_sub) && rounds_as_it_likes(in);
}

static void find_leaders(search *s)
{
    const ptx_func *f = s->f;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        for (unsigned o = 0; o < in->operand_count; o++) {
            for (unsigned e = 0; e < in->opd[o].count; e++) {
                if (in->opd[o].v[e].kind == PTX_VAL_LABEL) {
                    s->leader[in->opd[o].v[e].target] = true;
                }
            }
        }
        for (uint32_t n = 0; n < in->target_count; n++) {
            s->leader[in->targets[n]] = true;
        }
        s->leader[k + 1] |= in->op == PTX_OP_bra || in->op == PTX_OP_brx || in->op == PTX_OP_ret ||
                            in->op == PTX_OP_exit || in->op == PTX_OP_call;
    }
}

static void count_names(search *s)
{
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        const ptx_insn *in = &s->f->insns[k];
        if (in->guard != PTX_NOREG) {
            s->named[in->guard]++;
        }
        for (unsigned o = 0; o < in->operand_count; o++) {
            for (unsigned e = 0; e < in->opd[o].count; e++) {
                if (is_register(&in->opd[o].v[e])) {
                    s->named[in->opd[o].v[e].reg]++;
                }
            }
            if (is_register(&in->opd[o].second)) {
                s->named[in->opd[o].second.reg]++;
            }
        }
    }
}

/* Is V still, at this point, what the instruction AT read? */
static bool unchanged(const search *s, const ptx_value *v, uint32_t at)
{
    return !is_register(v) || s->written[v->reg] == NOWHERE || s->written[v->reg] < at;
}

static uint32_t product_behind(const search *s, const ptx_insn *in, const ptx_value *v)
{
    const uint32_t m = is_register(v) ? s->product[v->reg] : NOWHERE;
    if (m == NOWHERE) {
        return NOWHERE;
    }
    const ptx_insn *mul = &s->f->insns[m];
    const bool fits = mul->type[0] == in->type[0] &&
                      ptx_has(mul, PTX_MOD_ftz) == ptx_has(in, PTX_MOD_ftz) &&
                      unchanged(s, mul->opd[1].v, m) && unchanged(s, mul->opd[2].v, m);
    return fits ? m : NOWHERE;
}

static void note_writes(search *s, uint32_t k)
{
    const ptx_insn *in = &s->f->insns[k];
    if (!in->operand_count || in->opd[0].memory) {
        return;
    }
    for (unsigned e = 0; e <= in->opd[0].count; e++) {
        const ptx_value *v = e < in->opd[0].count ? &in->opd[0].v[e] : &in->opd[0].second;
        if (is_register(v)) {
            s->written[v->reg] = k;
            s->product[v->reg] = is_product(in) ? k : NOWHERE;
        }
    }
}

static void find_sums(search *s)
{
    uint32_t block = 0;
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        const ptx_insn *in = &s->f->insns[k];
        block = s->leader[k] ? k : block;
        if (is_sum(in)) {
            sum *a = &s->sums[s->sum_count];
            a->at = k;
            for (unsigned o = 0; o < 2; o++) {
                const uint32_t m = product_behind(s, in, in->opd[o + 1].v);
                a->product[o] = m != NOWHERE && m >= block ? m : NOWHERE;
                if (a->product[o] != NOWHERE) {
                    s->uses[m]++;
                }
            }
            s->sum_count += a->product[0] != NOWHERE || a->product[1] != NOWHERE;
        }
        note_writes(s, k);
    }
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        s->goes[k] = s->uses[k] && s->named[s->f->insns[k].opd[0].v->reg] == 1 + s->uses[k];
    }
}

/* Which operand of A is a product that goes in: 0, 1, or 2 for none. */
static unsigned chosen(const search *s, const sum *a)
{
    for (unsigned o = 0; o < 2; o++) {
        if (a->product[o] != NOWHERE && s->goes[a->product[o]]) {
            return o;
        }
    }
    return 2;
}

/* Only a second product can stay out, and does where the first goes in for sure. A product goes in
 * for sure when no sum has an undecided one before it. */
static void settle(search *s)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < s->f->insn_count; k++) {
            s->waits[k] = false;
        }
        for (uint32_t n = 0; n < s->sum_count; n++) {
            const uint32_t one = s->sums[n].product[0], two = s->sums[n].product[1];
            if (one == NOWHERE || two == NOWHERE || !s->goes[one] || !s->goes[two]) {
                continue;
            }
            if (s->sure[one]) {
                s->goes[two] = false;
                again = true;
            } else {
                s->waits[two] = true;
            }
        }
        for (uint32_t k = 0; k < s->f->insn_count; k++) {
            const bool sure = s->goes[k] && !s->waits[k];
            again |= sure && !s->sure[k];
            s->sure[k] = sure;
        }
    }
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        s->goes[k] = s->sure[k]; /* those that wait for each other, or for themselves, stay out */
    }
}

/* O with the other sign, with a value of its own. */
static bool turn_sign(ptx_arena *arena, ptx_operand *o, ptx_type type)
{
    ptx_value *v = ptx_arena_alloc(arena, sizeof *v);
    if (!v) {
        return false;
    }
    *v = *o->v;
    if (v->kind == PTX_VAL_IMM) {
        v->imm ^= UINT64_C(1) << (type == PTX_f32 ? 31 : 63);
    } else {
        v->negate = true;
    }
    o->v = v;
    return true;
}

/* The sum becomes d = a * b + c; a difference has one of a and c with the other sign. */
static bool rewrite(search *s, ptx_arena *arena, const sum *a)
{
    const unsigned o = chosen(s, a);
    if (o == 2) {
        return true;
    }
    ptx_insn *in = &s->f->insns[a->at];
    const ptx_insn *mul = &s->f->insns[a->product[o]];
    const ptx_operand other = in->opd[2 - o];
    const bool difference = in->op == PTX_OP_sub;
    in->op = PTX_OP_fma;
    in->mods[PTX_MOD_rn / 64] |= UINT64_C(1) << (PTX_MOD_rn % 64);
    in->opd[1] = mul->opd[1];
    in->opd[2] = mul->opd[2];
    in->opd[3] = other;
    in->operand_count = 4;
    return !difference || turn_sign(arena, &in->opd[o == 0 ? 3 : 1], in->type[0]);
}

static bool contract(ptx_func *f, ptx_arena *arena)
{
    const size_t n = f->insn_count + 1u, regs = f->reg_count + 1u;
    search s = {.f = f,
                .leader = calloc(n, sizeof(bool)),
                .named = calloc(regs, sizeof(uint32_t)),
                .written = malloc(regs * sizeof(uint32_t)),
                .product = malloc(regs * sizeof(uint32_t)),
                .uses = calloc(n, sizeof(uint32_t)),
                .sure = calloc(n, sizeof(bool)),
                .waits = calloc(n, sizeof(bool)),
                .goes = calloc(n, sizeof(bool)),
                .sums = calloc(n, sizeof(sum))};
    bool good = s.leader && s.named && s.written && s.product && s.uses && s.sure && s.waits &&
                s.goes && s.sums;
    if (good) {
        for (size_t r = 0; r < regs; r++) {
            s.written[r] = s.product[r] = NOWHERE;
        }
        find_leaders(&s);
        count_names(&s);
        find_sums(&s);
        settle(&s);
        for (uint32_t k = 0; good && k < s.sum_count; k++) {
            good = rewrite(&s, arena, &s.sums[k]);
        }
        f->contracted = true;
    }
    free(s.leader);
    free(s.named);
    free(s.written);
    free(s.product);
    free(s.uses);
    free(s.sure);
    free(s.waits);
    free(s.goes);
    free(s.sums);
    return good;
}

bool ptx_contract(ptx_module *m)
{
    for (uint32_t k = 0; k < m->func_count; k++) {
        if (m->funcs[k]->has_body && !contract(m->funcs[k], m->arena)) {
            return false;
        }
    }
    return true;
}
