/* Finds facts about atomic operations from the code: whether the old value is used, and whether all
 * lanes use the same address. */
#include "facts.h"

#include "../../ptx/traits.h"
#include "../compile.h"
#include "liveness.h"

#include <stdlib.h>

typedef struct register_uses {
    const ptx_func *f; /* the function that is examined */
    uint32_t *at;      /* [reg_count] the only instruction that writes each register;
                          COMPILE_NO_INSN_INDEX:      none, or several */
    bool *read;        /* [reg_count] at least one instruction reads the register */
} register_uses;

static bool is_old_value_used(const register_uses *s, const ptx_insn *atom)
{
    for (uint32_t e = 0; e < atom->opd[0].count; e++) {
        const ptx_value *v = &atom->opd[0].v[e];
        if (v->kind == PTX_VAL_REG && s->read[v->reg])
            return true;
    }
    return false;
}

/* Does IN add one? For such an atomic an H200 counts the lanes that update a word and adds the
 * count in one pass. Other amounts are added lane by lane. */
static bool adds_one(const ptx_insn *in)
{
    const ptx_value *amount = &in->opd[ptx_is_result_operand(in, 0) ? 2 : 1].v[0];
    return ptx_has_modifier(in, PTX_MOD_add) &&
           (in->type[0] == PTX_u32 || in->type[0] == PTX_s32) && amount->kind == PTX_VAL_IMM &&
           amount->imm == 1;
}

/* Does V certainly have the same value in all lanes: is V a parameter, a constant, or computed from
 * parameters and constants in at most STEPS instructions? */
static bool is_warp_uniform(const register_uses *s, const ptx_value *v, int steps)
{
    if (v->kind != PTX_VAL_REG)
        return v->kind == PTX_VAL_IMM || v->kind == PTX_VAL_VAR;
    const uint32_t at = s->at[v->reg];
    if (at == COMPILE_NO_INSN_INDEX || steps == 0)
        return false;
    const ptx_insn *made = &s->f->insns[at];
    if (ptx_is_per_lane_load(made))
        return made->space == PTX_SPACE_PARAM && s->f->is_entry;
    const ptx_result_meaning means = ptx_traits_of(made)->means;
    if (means != PTX_MEANS_copy && means != PTX_MEANS_sum && means != PTX_MEANS_address)
        return false;
    for (uint32_t o = 1; o < made->operand_count; o++) {
        for (uint32_t e = 0; e < made->opd[o].count; e++)
            if (!is_warp_uniform(s, &made->opd[o].v[e], steps - 1))
                return false;
    }
    return true;
}

/* Is IN a red of 32-bit integers at one address? For such a red ptxas first combines the values of
 * the lanes of the warp. */
static bool combines_lanes(const register_uses *s, const ptx_insn *in)
{
    const ptx_value *address = &in->opd[ptx_is_result_operand(in, 0) ? 1 : 0].v[0];
    return (in->type[0] == PTX_u32 || in->type[0] == PTX_s32 || in->type[0] == PTX_b32) &&
           !ptx_has_modifier(in, PTX_MOD_inc) && !ptx_has_modifier(in, PTX_MOD_dec) &&
           is_warp_uniform(s, address, 6);
}

static uint8_t atomic_facts(const register_uses *s, const ptx_insn *in)
{
    const bool used = ptx_is_result_operand(in, 0) && is_old_value_used(s, in);
    return (uint8_t)((used ? COMPILE_FACT_OLD_USED : 0) |
                     (!used && adds_one(in) ? COMPILE_FACT_COUNTS : 0) |
                     (combines_lanes(s, in) ? COMPILE_FACT_COMBINED : 0));
}

static bool find_atomics(compile_translation *t, compile_facts *facts)
{
    const ptx_func *f = t->func;
    uint32_t atomics = 0;
    facts->of = compile_alloc_with_code(t, (f->insn_count + 1u) * sizeof *facts->of);
    for (uint32_t k = 0; k < f->insn_count; k++)
        atomics += ptx_is_per_lane_atomic(&f->insns[k]);
    if (!facts->of || atomics == 0)
        return facts->of;
    register_uses s = {.f = f,
                       .at = malloc((f->reg_count + 1u) * sizeof *s.at),
                       .read = calloc(f->reg_count + 1u, sizeof *s.read)};
    const bool good = s.at && s.read;
    if (good) {
        compile_find_single_definitions(f, s.at);
        for (uint32_t k = 0; k < f->insn_count; k++)
            PTX_EACH_READ(r, &f->insns[k])
                s.read[r.reg] = true;
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            if (ptx_is_per_lane_atomic(in))
                facts->of[k] = atomic_facts(&s, in);
        }
    }
    free(s.at);
    free(s.read);
    return good;
}

bool compile_find_insn_facts(compile_translation *t, const bool *leader)
{
    compile_facts *facts = compile_alloc_with_code(t, sizeof *facts);
    t->code->facts = facts;
    if (!facts || !find_atomics(t, facts) || !compile_find_loops(t, leader, facts))
        return false;
    compile_find_unrolled(t->func, facts);
    return compile_find_word_loads(t, leader, facts) && compile_find_memory_waits(t, facts) &&
           compile_find_catch_up_points(t, facts) && compile_find_reconvergence(t, leader, facts);
}
