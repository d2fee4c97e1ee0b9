/* Loads that wait for loads: which of a function's addresses come from memory, by way of how many
 * loads one after the other. Registers only, and without regard to order; what goes through shared
 * or local memory is not seen. */
#include "access.h"

#include <stdlib.h>

/* A chain this long goes round a loop: a list that is followed. */
enum { LOOP = 6 };

static bool is_load(const ptx_insn *in)
{
    return in->op == PTX_OP_ld || in->op == PTX_OP_ldu || in->op == PTX_OP_atom;
}

static bool from_global(const ptx_insn *in)
{
    return is_load(in) && (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE);
}

static uint8_t deepest(const uint8_t *depth, const ptx_operand *opd)
{
    uint8_t most = 0;
    for (uint32_t e = 0; e < opd->count; e++) {
        if (opd->v[e].kind == PTX_VAL_REG && depth[opd->v[e].reg] > most) {
            most = depth[opd->v[e].reg];
        }
    }
    return most;
}

static bool deepen(uint8_t *depth, const ptx_value *v, uint8_t to)
{
    if (v->kind != PTX_VAL_REG || depth[v->reg] >= to) {
        return false;
    }
    depth[v->reg] = to;
    return true;
}

/* One pass over F; true where it found more. */
static bool pass(const ptx_func *f, uint8_t *depth)
{
    bool more = false;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const ptx_operand *to = &in->opd[0];
        if (in->operand_count < 2 || to->memory || in->op == PTX_OP_call) {
            continue;
        }
        uint8_t d = 0;
        for (uint32_t o = 1; o < in->operand_count; o++) {
            const uint8_t of = deepest(depth, &in->opd[o]);
            d = of > d ? of : d;
        }
        d += from_global(in) && d < LOOP;
        for (uint32_t e = 0; e < to->count; e++) {
            more |= deepen(depth, &to->v[e], d);
        }
        more |= deepen(depth, &to->second, d);
    }
    return more;
}

uint64_t sm_chained(const sm_code *code, const site_stats *site, uint64_t warps)
{
    const ptx_func *f = code->func;
    uint64_t at[LOOP + 1] = {0}, sum = 0;
    uint8_t *depth = calloc(f->reg_count + 1u, 1);
    if (!depth) {
        return 0;
    }
    while (pass(f, depth)) {
    }
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (site[k].far && from_global(in) && in->operand_count > 1) {
            at[deepest(depth, &in->opd[1])] += site[k].far;
        }
    }
    free(depth);
    /* Those of one depth overlap, whatever they wait for. */
    for (uint32_t d = 1; d < LOOP; d++) {
        sum += at[d] < warps ? at[d] : warps;
    }
    return sum + at[LOOP];
}
