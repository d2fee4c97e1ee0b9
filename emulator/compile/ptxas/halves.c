/* Values of 64 bits whose upper word ptxas does not compute, since nothing needs it or it is zero:
 * their instructions cost what those of 32 bits do. */
#include "../../ptx/traits.h"
#include "../build.h"
#include "liveness.h"

#include <stdlib.h>

typedef struct upper_words {
    const ptx_func *f;
    uint32_t *at;      /* [reg_count] the only instruction that writes each register */
    bool *zero, *used; /* [reg_count] the register's upper word is zero; an instruction needs it */
} upper_words;

static bool is_integer_of_64_bits(const ptx_insn *in, uint32_t n)
{
    return in->type_count > n && ptx_type_bytes(in->type[n]) == 8 && in->type[n] != PTX_f64;
}

static bool is_short_integer(ptx_type t)
{
    return t == PTX_u32 || t == PTX_s32 || t == PTX_u16 || t == PTX_s16 || t == PTX_u8 ||
           t == PTX_s8;
}

static bool is_zero_above(const upper_words *u, const ptx_value *v)
{
    return v->kind == PTX_VAL_REG ? u->zero[v->reg]
                                  : v->kind == PTX_VAL_IMM && (uint64_t)v->imm >> 32 == 0;
}

/* Does IN compute each word of its result from the same words of its operands, or from lower ones?
 */
static bool goes_upwards(const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    return is_integer_of_64_bits(in, 0) && in->opd[0].count == 1 &&
           in->opd[0].v[0].kind == PTX_VAL_REG &&
           (t->cost == PTX_COST_logic || t->cost == PTX_COST_sum ||
            t->cost == PTX_COST_shift_left || t->means == PTX_MEANS_selection ||
            (t->cost == PTX_COST_product && !ptx_has_modifier(in, PTX_MOD_hi) &&
             !ptx_has_modifier(in, PTX_MOD_wide)) ||
            (t->means == PTX_MEANS_copy && in->opd[1].count == 1));
}

/* Is the upper word of IN's result zero? */
static bool makes_zero_above(const upper_words *u, const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    if (!is_integer_of_64_bits(in, 0) || in->guard != PTX_NO_REGISTER)
        return false;
    const ptx_value *a = in->opd[1].v, *b = in->opd[2].v;
    if (t->means == PTX_MEANS_mask)
        return is_zero_above(u, a) || is_zero_above(u, b);
    if (t->means == PTX_MEANS_conversion)
        return in->type[1] == PTX_u32 || in->type[1] == PTX_u16 || in->type[1] == PTX_u8;
    if (t->cost == PTX_COST_shift_right)
        return in->type[0] != PTX_s64 && b->kind == PTX_VAL_IMM && b->imm >= 32;
    return t->cost == PTX_COST_logic && in->operand_count == 3 && is_zero_above(u, a) &&
           is_zero_above(u, b);
}

/* Does IN ask whether two numbers of 64 bits whose upper words are zero are equal? For their order
 * ptxas compares both words. */
static bool compares_lower_words(const upper_words *u, const ptx_insn *in)
{
    return ptx_traits_of(in)->means == PTX_MEANS_comparison && is_integer_of_64_bits(in, 0) &&
           (ptx_has_modifier(in, PTX_MOD_eq) || ptx_has_modifier(in, PTX_MOD_ne)) &&
           is_zero_above(u, in->opd[1].v) && is_zero_above(u, in->opd[2].v);
}

/* Does IN need the upper word of register REG, which it reads? */
static bool needs_upper_word(const upper_words *u, const ptx_insn *in, uint32_t reg)
{
    const ptx_traits *t = ptx_traits_of(in);
    if (goes_upwards(in)) {
        const ptx_value *a = in->opd[1].v, *b = in->opd[2].v;
        return u->used[in->opd[0].v[0].reg] &&
               !(t->means == PTX_MEANS_mask &&
                 is_zero_above(u, a->kind == PTX_VAL_REG && a->reg == reg ? b : a));
    }
    if (t->means == PTX_MEANS_conversion)
        return !is_integer_of_64_bits(in, 1) || !is_short_integer(in->type[0]) ||
               ptx_has_modifier(in, PTX_MOD_sat);
    if (ptx_is_per_lane_store(in) && ptx_type_bytes(in->type[0]) <= 4)
        return in->opd[1].v[0].kind != PTX_VAL_REG || in->opd[1].v[0].reg != reg;
    return !compares_lower_words(u, in);
}

/* Mark the registers whose upper word an instruction needs, until no more are found. */
static void find_used(upper_words *u)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = u->f->insn_count; k-- > 0;) {
            const ptx_insn *in = &u->f->insns[k];
            PTX_EACH_READ(r, in)
                if (!u->used[r.reg] && needs_upper_word(u, in, r.reg))
                    more = u->used[r.reg] = true;
        }
    }
}

static bool is_narrow(const upper_words *u, const ptx_insn *in)
{
    const ptx_traits *t = ptx_traits_of(in);
    const bool shifts = t->cost == PTX_COST_shift_right || t->cost == PTX_COST_shift_left;
    if (shifts && in->opd[2].v[0].kind == PTX_VAL_IMM && in->opd[2].v[0].imm >= 32)
        return false; /* moves words, which costs less */
    if (!goes_upwards(in) && t->cost != PTX_COST_shift_right)
        return compares_lower_words(u, in);
    return is_integer_of_64_bits(in, 0) && in->opd[0].v[0].kind == PTX_VAL_REG &&
           (!u->used[in->opd[0].v[0].reg] || u->zero[in->opd[0].v[0].reg]);
}

bool compile_find_halves(compile_translation *t)
{
    const ptx_func *f = t->func;
    const uint32_t regs = f->reg_count + 1u;
    bool *narrow = compile_alloc_with_code(t, (f->insn_count + 1u) * sizeof *narrow);
    bool *flags = calloc(2 * (size_t)regs, sizeof *flags);
    upper_words u = {f, malloc(regs * sizeof *u.at), flags, flags ? flags + regs : NULL};
    const bool good = narrow && flags && u.at;
    if (good) {
        compile_find_single_definitions(f, u.at);
        for (uint32_t k = 0; k < f->insn_count; k++)
            PTX_EACH_WRITTEN(r, &f->insns[k])
                u.zero[r.reg] = u.at[r.reg] == k && makes_zero_above(&u, &f->insns[k]);
        /* what nothing reads at all is no result that ptxas would shorten */
        for (uint32_t r = 0; r < regs; r++)
            u.used[r] = true;
        for (uint32_t k = 0; k < f->insn_count; k++)
            PTX_EACH_READ(r, &f->insns[k])
                u.used[r.reg] = false;
        find_used(&u);
        for (uint32_t k = 0; k < f->insn_count; k++)
            narrow[k] = is_narrow(&u, &f->insns[k]);
        t->build->narrow = narrow;
    }
    free(u.at);
    free(flags);
    return good;
}

const ptx_insn *compile_as_computed(const compile_translation *t, const ptx_insn *in,
                                    ptx_insn *half)
{
    if (!t->build->narrow || !t->build->narrow[in - t->func->insns])
        return in;
    *half = *in;
    half->type[0] = in->type[0] == PTX_s64 ? PTX_s32 : in->type[0] == PTX_u64 ? PTX_u32 : PTX_b32;
    return half;
}
