/* What the device's assembler makes of an instruction, which unit of a scheduler takes it, and how
 * long a warp waits for its result, as the clock is modelled from them. By what an H200 took
 * (tests/gpu/h200/timings/chains.tsv, tensor.tsv) and the code that nvcc 13.0 makes for it. */
#include "build.h"

#include <stdlib.h>

typedef struct cost {
    uint8_t more;     /* instructions beyond one that the assembler makes of it */
    uint8_t alu;      /* of them, those of the integer unit */
    uint8_t special;  /* of them, those of the special function unit, conversions among them */
    uint8_t products; /* cycles of a scheduler's integer multiplier */
    uint8_t doubles;  /* sums and products of double precision */
    uint16_t latency; /* cycles until the next one can have its result */
} cost;

static uint32_t bits_of(const ptx_insn *in, uint32_t n)
{
    return in->type_count > n ? 8 * ptx_type_bytes(in->type[n]) : 32;
}

static bool is_float(const ptx_insn *in, uint32_t n)
{
    if (in->type_count <= n) {
        return false;
    }
    switch (in->type[n]) {
    case PTX_f16:
    case PTX_f16x2:
    case PTX_bf16:
    case PTX_bf16x2:
    case PTX_f32:
    case PTX_f64:
        return true;
    default:
        return false;
    }
}

static bool is_f64(const ptx_insn *in)
{
    return in->type_count && in->type[0] == PTX_f64;
}

/* 32 bits in two steps of 16 lanes, a product of twice the length in twice as many. */
static cost product(const ptx_insn *in)
{
    if (is_f64(in)) {
        return (cost){.doubles = 1, .latency = 8};
    }
    if (is_float(in, 0)) {
        return (cost){.latency = in->type[0] == PTX_f32 ? 4 : 8};
    }
    if (bits_of(in, 0) == 64) {
        return (cost){.more = 3, .products = 8, .latency = 16};
    }
    const bool wide = ptx_has(in, PTX_MOD_wide) || ptx_has(in, PTX_MOD_hi);
    return (cost){.products = wide ? 4 : 2, .latency = wide ? 5 : 4};
}

static cost quotient(const ptx_insn *in)
{
    if (is_f64(in)) {
        return (cost){.more = 14, .special = 1, .doubles = 11, .latency = 125};
    }
    if (is_float(in, 0)) {
        return ptx_has(in, PTX_MOD_rn) ? (cost){.more = 10, .special = 2, .latency = 57}
                                       : (cost){.more = 2, .special = 1, .latency = 25};
    }
    return bits_of(in, 0) == 64
               ? (cost){.more = 110, .alu = 40, .special = 2, .products = 60, .latency = 300}
               : (cost){.more = 19, .alu = 6, .special = 3, .products = 16, .latency = 135};
}

/* rcp, sqrt, rsqrt. */
static cost root(const ptx_insn *in)
{
    if (is_f64(in)) {
        return (cost){.more = 14, .special = 1, .doubles = 13, .latency = 100};
    }
    const bool exact = !ptx_has(in, PTX_MOD_approx);
    return exact ? (cost){.more = 9, .special = 1, .latency = 57}
                 : (cost){.special = 1, .latency = in->op == PTX_OP_sqrt ? 22 : 17};
}

static cost conversion(const ptx_insn *in)
{
    const bool to = is_float(in, 0), from = is_float(in, 1);
    const bool wide = bits_of(in, 0) == 64 || bits_of(in, 1) == 64;
    if (!to && !from) {
        return (cost){.latency = 4};
    }
    if (wide || !to || (to && from && ptx_has(in, PTX_MOD_rni))) {
        return (cost){.special = 1, .latency = 14};
    }
    return (cost){.alu = 1, .latency = 5};
}

static bool in_block(const ptx_insn *in)
{
    return ptx_has(in, PTX_MOD_cta) || ptx_has(in, PTX_MOD_cluster);
}

static cost of(const ptx_insn *in)
{
    static const cost integer = {.alu = 1, .latency = 5}, nothing = {.latency = 0};
    switch (in->op) {
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_not:
        return in->type_count && in->type[0] != PTX_pred ? integer : (cost){.latency = 5};
    /* Logic, shifts to the right, comparisons and selections, which no other unit of a scheduler
     * can do; additions and shifts to the left can be had from the multipliers. */
    case PTX_OP_lop3:
    case PTX_OP_shr:
    case PTX_OP_shf:
    case PTX_OP_prmt:
    case PTX_OP_bfe:
    case PTX_OP_bfi:
    case PTX_OP_selp:
    case PTX_OP_slct:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_vote:
        return integer;
    case PTX_OP_setp:
    case PTX_OP_set:
        return (cost){.alu = 1, .latency = 13};
    case PTX_OP_add:
    case PTX_OP_sub:
        return is_f64(in) ? (cost){.doubles = 1, .latency = 8}
                          : (cost){.latency = is_float(in, 0) ? 4 : 5};
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_fma:
        return product(in);
    case PTX_OP_div:
        return quotient(in);
    case PTX_OP_rem: {
        cost c = quotient(in);
        c.more += 2;
        return c;
    }
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
        return root(in);
    case PTX_OP_sin:
    case PTX_OP_cos:
        return (cost){.more = 1, .special = 1, .latency = 23};
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_tanh:
        return (cost){.special = 1, .latency = 17};
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_brev:
        return (cost){.special = 1, .latency = 18};
    case PTX_OP_cvt:
        return conversion(in);
    case PTX_OP_shfl:
        return (cost){.latency = 23};
    case PTX_OP_match:
        return (cost){.special = 3, .latency = 51};
    /* A fence waits until L2 has what was stored before it. */
    case PTX_OP_membar:
    case PTX_OP_fence:
        return (cost){.latency = in_block(in) ? 10 : 270};
    /* Beyond what a load from there takes. */
    case PTX_OP_atom:
        return (cost){.latency = in->space == PTX_SPACE_SHARED ? 18 : 178};
    case PTX_OP_redux:
        return (cost){.special = 1, .latency = 44};
    /* What these wait for is counted elsewhere. */
    case PTX_OP_bra:
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_mma:
    case PTX_OP_wmma_mma:
        return nothing;
    default:
        return (cost){.latency = 5};
    }
}

/* The assembler has no instruction for it: parameters are operands from constant memory, and a
 * move is another name. */
static bool folds_away(const ptx_insn *in)
{
    const bool plain = in->operand_count > 1 && in->opd[1].count == 1;
    return (in->op == PTX_OP_ld && in->space == PTX_SPACE_PARAM) || in->op == PTX_OP_cvta ||
           (in->op == PTX_OP_mov && plain && in->opd[1].v[0].kind != PTX_VAL_SREG);
}

/* When a value is ready: cycles since the region began, in the low half. */
static uint32_t ready(const sm_build *b, const ptx_value *v)
{
    return v->kind == PTX_VAL_REG && b->chain_ready[v->reg] >> 32 == b->chain_region
               ? (uint32_t)b->chain_ready[v->reg]
               : 0;
}

static uint32_t ready_all(const sm_build *b, const ptx_operand *o)
{
    uint32_t last = 0;
    for (uint32_t e = 0; e < o->count; e++) {
        const uint32_t at = ready(b, &o->v[e]);
        last = at > last ? at : last;
    }
    return last;
}

static void make_ready(sm_build *b, const ptx_operand *o, uint32_t at)
{
    for (uint32_t e = 0; e < o->count; e++) {
        if (o->v[e].kind == PTX_VAL_REG) {
            b->chain_ready[o->v[e].reg] = b->chain_region << 32 | at;
        }
    }
    if (o->second.kind == PTX_VAL_REG) {
        b->chain_ready[o->second.reg] = b->chain_region << 32 | at;
    }
}

/* Does all that follows wait for all that came before? */
static bool parts(const ptx_insn *in)
{
    return ((in->op == PTX_OP_bar || in->op == PTX_OP_barrier) && !ptx_has(in, PTX_MOD_warp)) ||
           in->op == PTX_OP_membar || in->op == PTX_OP_fence;
}

/* Chains go from branch to branch. Each step that makes the longest one longer counts in its own
 * block. What a load waits for memory is not in it. */
static uint32_t lengthen(sm_build *b, const ptx_insn *in, uint32_t latency)
{
    const bool writes = in->operand_count > 1 && !in->opd[0].memory;
    uint32_t at = parts(in) ? b->chain_longest : b->chain_floor;
    for (uint32_t o = writes; o < in->operand_count; o++) {
        const uint32_t from = ready_all(b, &in->opd[o]);
        at = from > at ? from : at;
    }
    if (in->guard != PTX_NOREG) {
        const ptx_value guard = {.kind = PTX_VAL_REG, .reg = in->guard};
        const uint32_t from = ready(b, &guard);
        at = from > at ? from : at;
    }
    at += latency;
    if (writes) {
        make_ready(b, &in->opd[0], at);
    }
    const uint32_t longer = at > b->chain_longest ? at - b->chain_longest : 0;
    b->chain_longest += longer;
    if (parts(in)) {
        b->chain_floor = b->chain_longest;
    }
    return longer;
}

bool sm_issue_cost(sm_translation *t, const ptx_insn *in, bool begins, struct sm_block_info *info)
{
    sm_build *b = t->build;
    if (!b->chain_ready) {
        b->chain_ready = sm_code_alloc(t, (t->func->reg_count + 1u) * sizeof *b->chain_ready);
        if (!b->chain_ready) {
            return false;
        }
    }
    if (begins) {
        b->chain_region++;
        b->chain_longest = b->chain_floor = 0;
    }
    const bool folds = folds_away(in);
    const cost c = of(in);
    info->folded += folds;
    info->more += c.more;
    info->alu += c.alu;
    info->special += c.special;
    info->products += c.products;
    info->f64 += c.doubles;
    info->chain += lengthen(b, in, folds ? 0 : c.latency);
    return true;
}
