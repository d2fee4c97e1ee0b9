/* Finds loads from shared memory that ptxas merges: loads of two or four adjacent words become one
 * wide load, if the address is aligned in every lane. The alignment is derived from the
 * instructions that compute the address: a row of 32 words starts at a multiple of 128 bytes, a row
 * of 33 words does not. */
#include "../../ptx/traits.h"
#include "facts.h"

#include <stdlib.h>
#include <string.h>

enum {
    VARIABLE_ALIGN_LOG2 = 4, /* log2 of the alignment of variables: ptxas aligns them to 16 bytes */
    MAX_ALIGN_LOG2 = 6,      /* log2 of the largest alignment that is tracked: 64 bytes */
    MAX_OPEN_LOAD_GROUPS = 32 /* the most groups of mergeable loads tracked at the same time */
};

static uint8_t log2_of(uint64_t x)
{
    return x == 0 || __builtin_ctzll(x) > MAX_ALIGN_LOG2 ? MAX_ALIGN_LOG2
                                                         : (uint8_t)__builtin_ctzll(x);
}

static uint8_t min_u8(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* log2 of the largest power of two that is known to divide operand O. ALIGN: this value for each
 * register. */
static uint8_t alignment_log2(const uint8_t *align, const ptx_operand *o)
{
    const ptx_value *v = &o->v[0];
    switch (v->kind) {
    case PTX_VAL_REG: return align[v->reg];
    case PTX_VAL_IMM: return log2_of(v->imm);
    case PTX_VAL_VAR: return min_u8(VARIABLE_ALIGN_LOG2, log2_of((uint64_t)v->offset));
    default: return 0;
    }
}

static uint8_t product_alignment(const uint8_t *align, const ptx_insn *in)
{
    return min_u8(MAX_ALIGN_LOG2, (uint8_t)(alignment_log2(align, &in->opd[1]) +
                                            alignment_log2(align, &in->opd[2])));
}

/* Are the low bits of IN's result equal to the low bits of the full integer result? */
static bool keeps_low_bits(const ptx_insn *in)
{
    for (uint32_t k = 0; k < in->type_count; k++)
        if (!strchr("BUS", ptx_type_class(in->type[k])))
            return false;
    return !ptx_has_modifier(in, PTX_MOD_sat) && !ptx_has_modifier(in, PTX_MOD_hi);
}

static uint8_t result_alignment(const uint8_t *align, const ptx_insn *in)
{
    const ptx_operand *o = in->opd;
    if (!keeps_low_bits(in) || in->operand_count < 2 || o[0].count != 1)
        return 0;
    switch (ptx_traits_of(in)->means) {
    case PTX_MEANS_copy:
    case PTX_MEANS_address:
    case PTX_MEANS_conversion: return o[1].count == 1 ? alignment_log2(align, &o[1]) : 0;
    case PTX_MEANS_sum:
    case PTX_MEANS_difference:
    case PTX_MEANS_union:
    case PTX_MEANS_selection:
        return min_u8(alignment_log2(align, &o[1]), alignment_log2(align, &o[2]));
    case PTX_MEANS_product: return product_alignment(align, in);
    case PTX_MEANS_product_sum:
        return min_u8(product_alignment(align, in), alignment_log2(align, &o[3]));
    case PTX_MEANS_shift:
        return o[2].v[0].kind == PTX_VAL_IMM && o[2].v[0].imm < 64
                   ? min_u8(MAX_ALIGN_LOG2, (uint8_t)(alignment_log2(align, &o[1]) + o[2].v[0].imm))
                   : alignment_log2(align, &o[1]);
    case PTX_MEANS_mask: {
        const uint8_t a = alignment_log2(align, &o[1]), b = alignment_log2(align, &o[2]);
        return a > b ? a : b;
    }
    default: return 0;
    }
}

/* Lower the values of ALIGN until no value changes; a register with several definitions has the
 * smallest value. */
static void find_alignment(const ptx_func *f, uint8_t *align)
{
    memset(align, MAX_ALIGN_LOG2, f->reg_count);
    for (uint32_t k = 0; k < f->param_count; k++)
        if (f->params[k].reg != PTX_NO_REGISTER)
            align[f->params[k].reg] = 0; /* the alignment of a parameter is not known */
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const uint8_t to = result_alignment(align, &f->insns[k]);
            PTX_EACH_WRITTEN(r, &f->insns[k]) {
                more |= align[r.reg] > to;
                align[r.reg] = align[r.reg] > to ? to : align[r.reg];
            }
        }
    }
}

/* Is IN a plain 4-byte load from shared memory, which may be merged? */
static bool is_word_load(const ptx_insn *in)
{
    return ptx_is_per_lane_load(in) && in->space == PTX_SPACE_SHARED && in->vec <= 1 &&
           in->guard == PTX_NO_REGISTER && in->operand_count > 1 &&
           ptx_type_bytes(in->type[0]) == 4 && !ptx_is_strong(in) &&
           (in->opd[1].v[0].kind == PTX_VAL_REG || in->opd[1].v[0].kind == PTX_VAL_VAR);
}

/* May IN write to shared memory, or wait for threads that write to it? */
static bool prevents_merging(const ptx_insn *in)
{
    switch (ptx_traits_of(in)->sync) {
    case PTX_SYNC_fence:
    case PTX_SYNC_proxy:
    case PTX_SYNC_copies:
    case PTX_SYNC_groups:
    case PTX_SYNC_test:
    case PTX_SYNC_try: return true;
    default:
        return ptx_is_per_lane_atomic(in) || ptx_traits_of(in)->access == PTX_ACCESS_copy ||
               (ptx_changes_memory(in) && ptx_may_access(in, PTX_SPACE_SHARED));
    }
}

/* The groups of loads from the same 16 bytes in the current basic block. */
typedef struct open_groups {
    struct open_group {
        const ptx_value *base; /* variable or register from which the address is counted */
        int64_t at;            /* offset of the 16 bytes from `base` */
        uint32_t word[4];      /* the instruction that loads each word */
    } of[MAX_OPEN_LOAD_GROUPS];
    uint32_t count;       /* number of groups in `of` */
    const uint8_t *align; /* [reg_count] log2 of the alignment of each register's value */
    compile_facts *facts; /* the facts of the function, to be filled in */
} open_groups;

static void close_group(open_groups *o, uint32_t k)
{
    const struct open_group *q = &o->of[k];
    const uint8_t is = q->base->kind == PTX_VAL_REG ? o->align[q->base->reg] : VARIABLE_ALIGN_LOG2;
    const bool low = q->word[0] != COMPILE_NO_WORD && q->word[1] != COMPILE_NO_WORD;
    const bool high = q->word[2] != COMPILE_NO_WORD && q->word[3] != COMPILE_NO_WORD;
    if (is >= 3 && (low || high)) {
        compile_word_loads *to = &o->facts->quad[o->facts->quads++];
        memcpy(to->word, q->word, sizeof to->word);
        to->whole = is >= 4 && low && high;
    }
    o->of[k] = o->of[--o->count];
}

static void close_all_groups(open_groups *o)
{
    while (o->count)
        close_group(o, o->count - 1);
}

/* End the groups with address register REG, because REG changes. */
static void close_groups_with_base(open_groups *o, uint32_t reg)
{
    for (uint32_t k = o->count; k-- > 0;)
        if (o->of[k].base->kind == PTX_VAL_REG && o->of[k].base->reg == reg)
            close_group(o, k);
}

static bool is_same_base(const ptx_value *a, const ptx_value *b)
{
    return a->kind == b->kind && (a->kind == PTX_VAL_REG ? a->reg == b->reg : a->var == b->var);
}

static void add_word_to_group(open_groups *o, const ptx_value *a, uint32_t insn)
{
    const int64_t at = a->offset & ~INT64_C(15);
    uint32_t q = 0;
    while (q < o->count && (o->of[q].at != at || !is_same_base(o->of[q].base, a)))
        q++;
    if (q == o->count) {
        o->of[o->count++] = (struct open_group){
            a, at, {COMPILE_NO_WORD, COMPILE_NO_WORD, COMPILE_NO_WORD, COMPILE_NO_WORD}};
    }
    o->of[q].word[a->offset / 4 & 3] = insn;
}

bool compile_find_word_loads(compile_translation *t, const bool *leader, compile_facts *facts)
{
    const ptx_func *f = t->func;
    uint32_t words = 0;
    for (uint32_t k = 0; k < f->insn_count; k++)
        words += is_word_load(&f->insns[k]);
    if (words < 2)
        return true;
    uint8_t *align = malloc(f->reg_count + 1u);
    facts->quad = compile_alloc_with_code(t, words * sizeof *facts->quad);
    if (!align || !facts->quad) {
        free(align);
        return false;
    }
    find_alignment(f, align);
    open_groups open = {.align = align, .facts = facts};
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (leader[k] || prevents_merging(in) || open.count == MAX_OPEN_LOAD_GROUPS)
            close_all_groups(&open);
        if (is_word_load(in))
            add_word_to_group(&open, &in->opd[1].v[0], k);
        PTX_EACH_WRITTEN(r, in)
            close_groups_with_base(&open, r.reg);
    }
    close_all_groups(&open);
    free(align);
    return true;
}

/* --- counting merged loads at the end of a launch --- */

static void count_merged_loads(const insn_stats *site, const uint32_t *word, uint32_t n,
                               uint64_t *v)
{
    const insn_stats *first = &site[word[0]];
    uint64_t wavefronts = 0, conflicts = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (site[word[k]].requests != first->requests)
            return; /* the launch was stopped between the loads */
        wavefronts += site[word[k]].sectors;
        conflicts += site[word[k]].conflicts;
    }
    /* 16 bytes per lane take at least two passes, even if all lanes read the same address */
    const uint64_t fewest = first->requests * (n / 2);
    const uint64_t left = first->sectors > fewest ? first->sectors : fewest;
    v[CTR_shared_widened] += (n - 1) * first->requests;
    v[CTR_shared_widened_wavefronts] += wavefronts > left ? wavefronts - left : 0;
    v[CTR_shared_widened_conflicts] += conflicts - first->conflicts;
}

void compile_count_merged_loads(const sm_code *code, const insn_stats *site, counters *out)
{
    const compile_facts *facts = code->facts;
    for (uint32_t k = 0; k < facts->quads; k++) {
        const compile_word_loads *q = &facts->quad[k];
        if (q->whole) {
            count_merged_loads(site, q->word, 4, out->v);
            continue;
        }
        for (uint32_t half = 0; half < 4; half += 2)
            if (q->word[half] != COMPILE_NO_WORD && q->word[half + 1] != COMPILE_NO_WORD)
                count_merged_loads(site, q->word + half, 2, out->v);
    }
}
