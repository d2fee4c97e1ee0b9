/* A product and a sum without rounding modifiers become one fma, where the device's assembler makes
 * them one: "mul/add sequences with no rounding modifiers may be optimized to use
 * fused-multiply-add instructions" (PTX ISA 9.7.3.4, 9.7.3.6, 9.7.4.1 and 9.7.4.3). What follows
 * was seen in code that ptxas 13.0 made, of random programs too:
 *
 * - both have the same type and .ftz, and stand in one basic block; the product has no .sat;
 * - an instruction in between that the assembler makes several blocks of keeps them apart, unless
 *   the product is by an immediate;
 * - a product goes into its sums only if they are all that reads it, else it is rounded for all;
 *   to be the summand of another product is to be read otherwise, for the sums that come after;
 * - a sum of f32 that has no product without another sum, and is asked on which side of zero it is,
 *   is asked for by its two summands instead, which are then read otherwise;
 * - of a sum of two products the one with fewer sums goes in, else the first;
 * - sums are taken in order; of f32 and f64 first those whose product has no other sum;
 * - a register's copy, and its negation but for bf16x2, stand for it;
 * - a quotient of f32 that is .approx or .full is a product too: of the dividend and the divisor's
 *   reciprocal.
 *
 * The product stays where it is, so that instructions count as written; nobody reads it. One whose
 * factor is overwritten before its sum is rounded here, not there: nvcc writes no such thing.
 *
 * Code for debugging (nvcc -G) stays as it is. */
#include "contract.h"

#include "../ptx/traits.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

typedef struct sum {
    uint32_t at;
    uint32_t product[2]; /* the instruction behind each operand; NOWHERE: no product */
    bool minus[2];       /* the operand is the product's negation */
    bool done;           /* a product went in */
} sum;

/* What a register holds. */
typedef struct held {
    uint32_t written; /* the last instruction that wrote it; NOWHERE */
    uint32_t product; /* the product of this block, or NOWHERE */
    bool minus;       /* its negation */
} held;

/* Of an instruction that is a product. */
typedef struct factor_pair {
    uint32_t open; /* registers that keep it beyond its block, where somebody may read them */
    uint32_t sums; /* operands of sums */
    uint32_t left; /* sums that it has not gone into, unless it is `read` */
    bool read;     /* also otherwise than by a sum */
    bool rival;    /* one of its sums is of two products */
    bool inside;   /* it went into a sum */
} factor_pair;

typedef struct search {
    ptx_func *f;
    bool *leader;    /* [insn_count + 1] */
    bool *exposed;   /* [reg_count] some block may read what an earlier one left there */
    bool *side;      /* [reg_count] asked on which side of zero it is */
    held *reg;       /* [reg_count] */
    factor_pair *of; /* [insn_count] */
    sum *sums;       /* [insn_count] */
    uint32_t sum_count;
    uint32_t part; /* where the last instruction that branches within ended */
} search;

static bool is_register(const ptx_value *v)
{
    return v->kind == PTX_VAL_REG;
}

static bool means(const ptx_insn *in, ptx_means what)
{
    return ptx_traits_of(in)->means == what;
}

static bool is_half(ptx_type t)
{
    return t == PTX_f16 || t == PTX_f16x2 || t == PTX_bf16 || t == PTX_bf16x2;
}

static bool rounds_as_it_likes(const ptx_insn *in)
{
    const ptx_type t = in->type[0];
    return (t == PTX_f32 || t == PTX_f64 || is_half(t)) && !ptx_has(in, PTX_MOD_rn) &&
           !ptx_has(in, PTX_MOD_rz) && !ptx_has(in, PTX_MOD_rm) && !ptx_has(in, PTX_MOD_rp) &&
           in->operand_count == 3 && is_register(in->opd[0].v);
}

static bool is_product(const ptx_insn *in)
{
    return means(in, PTX_MEANS_product) && rounds_as_it_likes(in) && !ptx_has(in, PTX_MOD_sat) &&
           in->guard == PTX_NOREG;
}

static bool is_quotient(const ptx_insn *in)
{
    const ptx_value *over = in->opd[1].v;
    return means(in, PTX_MEANS_quotient) && in->type[0] == PTX_f32 &&
           (ptx_has(in, PTX_MOD_approx) || ptx_has(in, PTX_MOD_full)) && in->guard == PTX_NOREG &&
           is_register(in->opd[0].v) &&
           !(over->kind == PTX_VAL_IMM && (over->imm & INT32_MAX) == 0x3f800000);
}

static bool is_sum(const ptx_insn *in)
{
    return (means(in, PTX_MEANS_sum) || means(in, PTX_MEANS_difference)) && rounds_as_it_likes(in);
}

/* Does IN only carry the value of a register of a product's type on, or its negation? */
static bool carries(const ptx_insn *in)
{
    return (means(in, PTX_MEANS_copy) || means(in, PTX_MEANS_negation)) && in->guard == PTX_NOREG &&
           in->operand_count == 2 && in->opd[0].count == 1 && in->opd[1].count == 1 &&
           is_register(in->opd[0].v) && is_register(in->opd[1].v) &&
           in->opd[0].second.kind == PTX_VAL_NONE;
}

/* For the device's assembler, which brings products and sums together over barriers and shuffles.
 */
static bool ends_block(ptx_op op)
{
    const ptx_flow flow = ptx_traits_table[op].flow;
    return flow != PTX_FLOW__ && flow != PTX_FLOW_stop;
}

/* Does the assembler make several basic blocks of it? An exact quotient or root has a way of its
 * own for arguments that are rare. */
static bool branches_within(const ptx_insn *in)
{
    const ptx_type t = in->type[0];
    const ptx_traits *traits = ptx_traits_of(in);
    switch (traits->means) {
    case PTX_MEANS_quotient:
        return t != PTX_u32 && !ptx_has(in, PTX_MOD_approx) && !ptx_has(in, PTX_MOD_full);
    case PTX_MEANS_remainder:
        return t != PTX_u32;
    case PTX_MEANS_reciprocal:
    case PTX_MEANS_root:
        return !ptx_has(in, PTX_MOD_approx);
    case PTX_MEANS_inverse_root:
        return t == PTX_f64 && !ptx_has(in, PTX_MOD_ftz);
    default:
        break;
    }
    const bool choice =
        ptx_is_lane_load(in) || ptx_is_lane_store(in) || traits->flow == PTX_FLOW_stop;
    return traits->sync == PTX_SYNC_fence || (choice && in->guard != PTX_NOREG);
}

/* Where a register is met: instruction K of the block that begins at BLOCK. */
typedef struct place {
    search *s;
    uint32_t k, block;
} place;

static bool written_since(const search *s, uint32_t block, uint32_t reg)
{
    return s->reg[reg].written != NOWHERE && s->reg[reg].written >= block;
}

static void expose(void *context, uint32_t reg, unsigned operand)
{
    (void)operand;
    const place *p = context;
    p->s->exposed[reg] |= !written_since(p->s, p->block, reg);
}

/* What is written under a guard may leave the old value. */
static void overwrite(void *context, uint32_t reg, unsigned operand)
{
    const place *p = context;
    if (p->s->f->insns[p->k].guard != PTX_NOREG) {
        expose(context, reg, operand);
    }
    p->s->reg[reg].written = p->k;
}

static void find_exposed(search *s)
{
    uint32_t block = 0;
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        block = s->leader[k] ? k : block;
        place at = {s, k, block};
        ptx_each_read(&s->f->insns[k], expose, &at);
        ptx_each_write(&s->f->insns[k], overwrite, &at);
    }
}

static void hold_nothing(search *s)
{
    for (size_t r = 0; r < s->f->reg_count; r++) {
        s->reg[r] = (held){NOWHERE, NOWHERE, false};
    }
}

/* Is V still, at this point, what the instruction AT read? */
static bool unchanged(const search *s, const ptx_value *v, uint32_t at)
{
    return !is_register(v) || s->reg[v->reg].written == NOWHERE || s->reg[v->reg].written < at;
}

/* The product of the block that begins at BLOCK that V stands for, as IN may take it. */
static uint32_t product_behind(const search *s, const ptx_insn *in, const ptx_value *v,
                               uint32_t block)
{
    const uint32_t m = is_register(v) ? s->reg[v->reg].product : NOWHERE;
    if (m == NOWHERE || m < block) {
        return NOWHERE;
    }
    const ptx_insn *mul = &s->f->insns[m];
    if (m < s->part && is_register(mul->opd[1].v) && is_register(mul->opd[2].v)) {
        return NOWHERE;
    }
    const bool alike =
        means(in, PTX_MEANS_copy) ||
        (mul->type[0] == in->type[0] && ptx_has(mul, PTX_MOD_ftz) == ptx_has(in, PTX_MOD_ftz));
    /* The reciprocal will lie where the quotient did. */
    const bool kept =
        is_quotient(mul) ? s->reg[mul->opd[0].v->reg].written == m : unchanged(s, mul->opd[2].v, m);
    return alike && kept && unchanged(s, mul->opd[1].v, m) ? m : NOWHERE;
}

/* The instruction is no sum of this product, nor a copy. */
static void read_otherwise(void *context, uint32_t reg, unsigned operand)
{
    (void)operand;
    const search *s = ((const place *)context)->s;
    if (s->reg[reg].product != NOWHERE) {
        s->of[s->reg[reg].product].read = true;
    }
}

/* The product that instruction K is, or that it copies into its register. */
static uint32_t product_made(const search *s, uint32_t k, uint32_t block, bool *minus)
{
    const ptx_insn *in = &s->f->insns[k];
    *minus = false;
    if (is_product(in) || is_quotient(in)) {
        return k;
    }
    if (!carries(in) || (means(in, PTX_MEANS_negation) && in->type[0] == PTX_bf16x2)) {
        return NOWHERE;
    }
    *minus = s->reg[in->opd[1].v->reg].minus != means(in, PTX_MEANS_negation);
    return product_behind(s, in, in->opd[1].v, block);
}

static void let_go(void *context, uint32_t reg, unsigned operand)
{
    (void)operand;
    const place *p = context;
    search *s = p->s;
    held *h = &s->reg[reg];
    if (h->product != NOWHERE && s->f->insns[p->k].guard != PTX_NOREG) {
        s->of[h->product].read = true;
    }
    if (h->product != NOWHERE && h->product >= p->block && s->exposed[reg]) {
        s->of[h->product].open--;
    }
    *h = (held){p->k, NOWHERE, false};
}

static void note_sum(place *at)
{
    search *s = at->s;
    const uint32_t k = at->k;
    const ptx_insn *in = &s->f->insns[k];
    sum *a = &s->sums[s->sum_count];
    a->at = k;
    for (unsigned o = 0; o < 2; o++) {
        const ptx_value *v = in->opd[o + 1].v;
        a->product[o] = product_behind(s, in, v, at->block);
        if (a->product[o] != NOWHERE) {
            a->minus[o] = s->reg[v->reg].minus;
            s->of[a->product[o]].sums++;
        } else if (is_register(v)) {
            read_otherwise(at, v->reg, o + 1);
        }
    }
    if (a->product[0] != NOWHERE && a->product[1] != NOWHERE) {
        s->of[a->product[0]].rival = s->of[a->product[1]].rival = true;
    }
    s->sum_count += a->product[0] != NOWHERE || a->product[1] != NOWHERE;
}

static void find_sums(search *s)
{
    uint32_t block = 0;
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        const ptx_insn *in = &s->f->insns[k];
        block = s->leader[k] ? k : block;
        place at = {s, k, block};
        bool minus;
        const uint32_t made = product_made(s, k, block, &minus);
        if (is_sum(in)) {
            note_sum(&at);
        } else if (made == NOWHERE || made == k) {
            ptx_each_read(in, read_otherwise, &at);
        }
        ptx_each_write(in, let_go, &at);
        s->part = branches_within(in) ? k + 1 : s->part;
        if (made != NOWHERE) {
            held *h = &s->reg[in->opd[0].v->reg];
            h->product = made;
            h->minus = minus;
            s->of[made].open += s->exposed[in->opd[0].v->reg];
        }
    }
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        s->of[k].left = s->of[k].sums;
        s->of[k].read |= s->of[k].open > 0;
    }
}

/* Does IN ask on which side of zero a register is, in a way that a difference and its two operands
 * answer alike, infinities too? */
static bool asks_side(const ptx_insn *in, unsigned *which)
{
    const bool set = means(in, PTX_MEANS_outcome);
    if ((!means(in, PTX_MEANS_comparison) && !set) || in->type[set] != PTX_f32 ||
        in->operand_count != 3 ||
        !(ptx_has(in, PTX_MOD_lt) || ptx_has(in, PTX_MOD_gt) || ptx_has(in, PTX_MOD_leu) ||
          ptx_has(in, PTX_MOD_geu) || ptx_has(in, PTX_MOD_equ))) {
        return false;
    }
    for (unsigned o = 1; o < 3; o++) {
        const ptx_value *zero = in->opd[3 - o].v;
        if (is_register(in->opd[o].v) && zero->kind == PTX_VAL_IMM &&
            !(zero->imm & UINT32_MAX >> 1)) {
            *which = o;
            return true;
        }
    }
    return false;
}

static void find_sides(search *s)
{
    for (uint32_t k = s->f->insn_count; k-- > 0;) {
        const ptx_insn *in = &s->f->insns[k];
        unsigned o;
        if (asks_side(in, &o)) {
            s->side[in->opd[o].v->reg] = true;
        } else if (carries(in) && s->side[in->opd[0].v->reg]) {
            s->side[in->opd[1].v->reg] = true;
        }
    }
}

/* Sums that are asked for by their summands: the products among these stay. */
static void ask_summands(search *s)
{
    for (uint32_t k = 0; k < s->sum_count; k++) {
        const sum *a = &s->sums[k];
        const ptx_insn *in = &s->f->insns[a->at];
        for (unsigned o = 0; o < 2; o++) {
            if (!a->done && in->type[0] == PTX_f32 && !ptx_has(in, PTX_MOD_ftz) &&
                !ptx_has(in, PTX_MOD_sat) && s->side[in->opd[0].v->reg] &&
                a->product[o] != NOWHERE) {
                s->of[a->product[o]].read = true;
            }
        }
    }
}

/* Which operand of A is a product that goes in: 0, 1, or 2 for none. LONE: only one without
 * another sum. */
static unsigned chosen(const search *s, const sum *a, bool lone)
{
    bool can[2];
    for (unsigned o = 0; o < 2; o++) {
        const factor_pair *p = a->product[o] == NOWHERE ? NULL : &s->of[a->product[o]];
        /* A quotient is made a reciprocal, so that it has to go into all. */
        can[o] = p && !p->read && (!lone || p->left == 1) &&
                 (p->sums == 1 || !p->rival || !is_quotient(&s->f->insns[a->product[o]]));
    }
    if (a->product[0] == a->product[1]) {
        return 2; /* twice the same: rounded */
    }
    if (can[0] && can[1]) {
        return s->of[a->product[1]].sums < s->of[a->product[0]].sums;
    }
    return can[0] ? 0 : can[1] ? 1 : 2;
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
        v->imm ^= type == PTX_f64                           ? UINT64_C(1) << 63
                  : type == PTX_f32                         ? UINT64_C(1) << 31
                  : type == PTX_f16x2 || type == PTX_bf16x2 ? UINT64_C(0x80008000)
                                                            : UINT64_C(0x8000);
    } else {
        v->negate = true;
    }
    o->v = v;
    return true;
}

/* The sum becomes d = a * b + c with product O of A; a difference has a or c with the other sign.
 */
static bool rewrite(search *s, ptx_arena *arena, const sum *a, unsigned o)
{
    ptx_insn *in = &s->f->insns[a->at];
    const ptx_insn *mul = &s->f->insns[a->product[o]];
    const ptx_operand other = in->opd[2 - o];
    const bool difference = means(in, PTX_MEANS_difference);
    in->op = PTX_OP_fma;
    in->mods[PTX_MOD_rn / 64] |= UINT64_C(1) << (PTX_MOD_rn % 64);
    in->opd[1] = mul->opd[1];
    in->opd[2] = mul->opd[is_quotient(mul) ? 0 : 2];
    in->opd[3] = other;
    in->operand_count = 4;
    const bool minus_c = difference && o == 0, minus_a = (difference && o == 1) != a->minus[o];
    return (!minus_a || turn_sign(arena, &in->opd[1], in->type[0])) &&
           (!minus_c || turn_sign(arena, &in->opd[3], in->type[0]));
}

static bool take_sums(search *s, ptx_arena *arena, bool lone)
{
    for (uint32_t k = 0; k < s->sum_count; k++) {
        sum *a = &s->sums[k];
        if (a->done || (lone && is_half(s->f->insns[a->at].type[0]))) {
            continue;
        }
        const unsigned o = chosen(s, a, lone);
        if (o == 2) {
            continue;
        }
        if (!rewrite(s, arena, a, o)) {
            return false;
        }
        a->done = s->of[a->product[o]].inside = true;
        s->of[a->product[o]].left--;
        if (a->product[1 - o] != NOWHERE) {
            s->of[a->product[1 - o]].left--;
            s->of[a->product[1 - o]].read = true;
        }
    }
    return true;
}

/* Quotients that went into their sums become the reciprocals that the products want. Beyond 2^126
 * the assembler scales dividend and divisor; a reciprocal that small has lost bits. */
static void leave_reciprocals(search *s)
{
    for (uint32_t k = 0; k < s->f->insn_count; k++) {
        ptx_insn *div = &s->f->insns[k];
        if (!s->of[k].inside || !is_quotient(div)) {
            continue;
        }
        div->op = PTX_OP_rcp;
        div->opd[1] = div->opd[2];
        div->operand_count = 2;
        div->mods[PTX_MOD_full / 64] &= ~(UINT64_C(1) << (PTX_MOD_full % 64));
        div->mods[PTX_MOD_approx / 64] |= UINT64_C(1) << (PTX_MOD_approx % 64);
    }
}

static bool contract(ptx_func *f, ptx_arena *arena)
{
    const size_t n = f->insn_count + 1u, regs = f->reg_count + 1u;
    search s = {.f = f,
                .leader = ptx_leaders(f, ends_block),
                .exposed = calloc(regs, sizeof(bool)),
                .side = calloc(regs, sizeof(bool)),
                .reg = calloc(regs, sizeof(held)),
                .of = calloc(n, sizeof(factor_pair)),
                .sums = calloc(n, sizeof(sum))};
    bool good = s.leader && s.exposed && s.side && s.reg && s.of && s.sums && ptx_fold(f, arena);
    if (good) {
        hold_nothing(&s);
        find_exposed(&s);
        hold_nothing(&s);
        find_sums(&s);
        find_sides(&s);
        good = take_sums(&s, arena, true);
        ask_summands(&s);
        good = good && take_sums(&s, arena, false);
        leave_reciprocals(&s);
        f->contracted = true;
    }
    free(s.leader);
    free(s.exposed);
    free(s.side);
    free(s.reg);
    free(s.of);
    free(s.sums);
    return good;
}

bool ptx_contract(ptx_module *m)
{
    for (uint32_t k = 0; !m->debug && k < m->func_count; k++) {
        if (m->funcs[k]->has_body && !contract(m->funcs[k], m->arena)) {
            return false;
        }
    }
    return true;
}
