/* Loads from shared memory that the device's assembler joins: two or four words side by side make
 * one load of 8 or 16 bytes, where all of it is aligned for every lane. Alignment is what the
 * instructions tell: a row of 32 words starts at a multiple of 128 bytes, one of 33 does not. */
#include "access.h"

#include "build.h"

#include <stdlib.h>
#include <string.h>

enum {
    STATIC_LOG2 = 4, /* the assembler lays variables out itself, at multiples of 16 bytes */
    MOST_LOG2 = 6,
    GROUPS = 32 /* under construction at once */
};

static uint8_t log2_of(uint64_t x)
{
    return x == 0 || __builtin_ctzll(x) > MOST_LOG2 ? MOST_LOG2 : (uint8_t)__builtin_ctzll(x);
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* ALIGN: by register, the power of two that divides what it holds. */
static uint8_t aligned(const uint8_t *align, const ptx_operand *o)
{
    const ptx_value *v = &o->v[0];
    switch (v->kind) {
    case PTX_VAL_REG:
        return align[v->reg];
    case PTX_VAL_IMM:
        return log2_of(v->imm);
    case PTX_VAL_VAR:
        return least(STATIC_LOG2, log2_of((uint64_t)v->offset));
    default:
        return 0;
    }
}

static uint8_t result(const uint8_t *align, const ptx_insn *in)
{
    const ptx_operand *o = in->opd;
    switch (in->op) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
    case PTX_OP_cvt:
        return in->operand_count > 1 && o[1].count == 1 ? aligned(align, &o[1]) : 0;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_or:
        return least(aligned(align, &o[1]), aligned(align, &o[2]));
    case PTX_OP_selp:
        return least(aligned(align, &o[1]), aligned(align, &o[2]));
    case PTX_OP_mul:
        return least(MOST_LOG2, (uint8_t)(aligned(align, &o[1]) + aligned(align, &o[2])));
    case PTX_OP_mad:
        return least(least(MOST_LOG2, (uint8_t)(aligned(align, &o[1]) + aligned(align, &o[2]))),
                     aligned(align, &o[3]));
    case PTX_OP_shl:
        return o[2].v[0].kind == PTX_VAL_IMM && o[2].v[0].imm < 64
                   ? least(MOST_LOG2, (uint8_t)(aligned(align, &o[1]) + o[2].v[0].imm))
                   : aligned(align, &o[1]);
    case PTX_OP_and: {
        const uint8_t a = aligned(align, &o[1]), b = aligned(align, &o[2]);
        return a > b ? a : b;
    }
    default:
        return 0;
    }
}

/* Lowers ALIGN until nothing changes: a register that is set in several places has the least. */
static void find_alignment(const ptx_func *f, uint8_t *align)
{
    memset(align, MOST_LOG2, f->reg_count);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            const ptx_operand *to = &in->opd[0];
            if (in->operand_count < 2 || (to->memory && in->op != PTX_OP_call)) {
                continue;
            }
            const uint8_t now = to->count == 1 ? result(align, in) : 0;
            for (uint32_t e = 0; e < to->count; e++) {
                if (to->v[e].kind == PTX_VAL_REG && align[to->v[e].reg] > now) {
                    align[to->v[e].reg] = now;
                    more = true;
                }
            }
        }
    }
}

/* A word of a warp's own, loaded from shared memory: what may be joined. */
static bool is_word(const ptx_insn *in)
{
    return in->op == PTX_OP_ld && in->space == PTX_SPACE_SHARED && in->vec <= 1 &&
           in->guard == PTX_NOREG && in->operand_count > 1 && ptx_type_bytes(in->type[0]) == 4 &&
           !ptx_has(in, PTX_MOD_volatile) &&
           (in->opd[1].v[0].kind == PTX_VAL_REG || in->opd[1].v[0].kind == PTX_VAL_VAR);
}

/* 16 bytes of shared memory of which words are loaded. */
typedef struct quad {
    const ptx_value *base;
    int64_t at;
    const site_stats *word[4];
} quad;

static void join(const site_stats *const *word, uint32_t n, uint64_t *v)
{
    uint64_t wavefronts = 0, conflicts = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!word[k] || word[k]->requests != word[0]->requests) {
            return;
        }
        wavefronts += word[k]->sectors;
        conflicts += word[k]->conflicts;
    }
    /* 16 bytes a lane take two passes at least, even where all lanes read the same. */
    const uint64_t fewest = word[0]->requests * (n / 2);
    const uint64_t left = word[0]->sectors > fewest ? word[0]->sectors : fewest;
    v[CTR_shared_widened] += (n - 1) * word[0]->requests;
    v[CTR_shared_widened_wavefronts] += wavefronts > left ? wavefronts - left : 0;
    v[CTR_shared_widened_conflicts] += conflicts - word[0]->conflicts;
}

static void close_quads(quad *open, uint32_t *count, const uint8_t *align, uint64_t *v)
{
    for (uint32_t k = 0; k < *count; k++) {
        const quad *q = &open[k];
        const uint8_t is = q->base->kind == PTX_VAL_REG ? align[q->base->reg] : STATIC_LOG2;
        if (is >= 4 && q->word[0] && q->word[1] && q->word[2] && q->word[3]) {
            join(q->word, 4, v);
            continue;
        }
        for (uint32_t half = 0; half < 4 && is >= 3; half += 2) {
            if (q->word[half] && q->word[half + 1]) {
                join(q->word + half, 2, v);
            }
        }
    }
    *count = 0;
}

static bool same_base(const ptx_value *a, const ptx_value *b)
{
    return a->kind == b->kind && (a->kind == PTX_VAL_REG ? a->reg == b->reg : a->var == b->var);
}

void sm_widened(const sm_code *code, const site_stats *site, counters *out)
{
    const ptx_func *f = code->func;
    uint32_t words = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        words += site[k].requests && is_word(&f->insns[k]);
    }
    if (words < 2) {
        return;
    }
    uint8_t *align = malloc(f->reg_count + 1u);
    bool *leader = sm_leaders(f);
    if (align && leader) {
        quad open[GROUPS];
        uint32_t count = 0;
        find_alignment(f, align);
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            /* What may write there, or wait for others that do, parts loads. */
            const bool writes = in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_NONE;
            if (leader[k] || (in->op == PTX_OP_st && writes) || in->op == PTX_OP_atom ||
                in->op == PTX_OP_red || count == GROUPS) {
                close_quads(open, &count, align, out->v);
            }
            if (!site[k].requests || !is_word(in)) {
                continue;
            }
            const ptx_value *a = &in->opd[1].v[0];
            uint32_t q = 0;
            while (q < count &&
                   (open[q].at != (a->offset & ~INT64_C(15)) || !same_base(open[q].base, a))) {
                q++;
            }
            if (q == count) {
                open[count++] = (quad){.base = a, .at = a->offset & ~INT64_C(15)};
            }
            open[q].word[a->offset / 4 & 3] = &site[k];
        }
        close_quads(open, &count, align, out->v);
    }
    free(leader);
    free(align);
}
