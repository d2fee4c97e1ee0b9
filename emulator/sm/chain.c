/* Loads that wait for loads, as the clock is modelled from them. Which of a function's addresses
 * come from memory, by way of how many loads one after the other: registers only, and without
 * regard to order; what goes through shared or local memory is not seen. And which loads of a
 * loop's body are under way together: the device's assembler moves them up to where their addresses
 * are known, but not over a barrier, nor over a store that may be to the same place. */
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

/* The loops of F, each from where a branch goes back to, to that branch. */
typedef struct loops {
    struct loop {
        uint32_t first, last;
    } * of;
    uint32_t count;
} loops;

static bool find_loops(const ptx_func *f, loops *l)
{
    *l = (loops){0};
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (in->op != PTX_OP_bra || in->operand_count == 0 || in->opd[0].count == 0 ||
            in->opd[0].v[0].target > k) {
            continue;
        }
        struct loop *more = realloc(l->of, (l->count + 1u) * sizeof *more);
        if (!more) {
            return false;
        }
        l->of = more;
        l->of[l->count++] = (struct loop){in->opd[0].v[0].target, k};
    }
    return true;
}

/* The innermost loop that instruction K is in; loops.count: none. */
static uint32_t innermost(const loops *l, uint32_t k)
{
    uint32_t best = l->count, span = UINT32_MAX;
    for (uint32_t n = 0; n < l->count; n++) {
        const struct loop *x = &l->of[n];
        if (x->first <= k && k <= x->last && x->last - x->first < span) {
            best = n;
            span = x->last - x->first;
        }
    }
    return best;
}

/* Loads of one loop body, or outside all loops, since the last thing that parts them. */
typedef struct together {
    uint64_t most[LOOP + 1]; /* requests of the load that went far most often, by depth */
    bool stored, waited;     /* a global store, a barrier has come since */
} together;

static uint64_t finish(together *t)
{
    uint64_t sum = 0;
    for (uint32_t d = 0; d <= LOOP; d++) {
        sum += t->most[d];
        t->most[d] = 0;
    }
    t->stored = t->waited = false;
    return sum;
}

static bool is_barrier(ptx_op op)
{
    return op == PTX_OP_bar || op == PTX_OP_barrier;
}

/* A warp that finds the sector that its neighbour has just asked for waits as long. */
static uint64_t waiting(const site_stats *s)
{
    return 2 * s->far < s->requests ? 2 * s->far : s->requests;
}

uint64_t sm_rounds(const sm_code *code, const site_stats *site)
{
    const ptx_func *f = code->func;
    uint64_t sum = 0, far = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        far += site[k].far;
    }
    if (far == 0) {
        return 0;
    }
    loops l;
    const bool found = find_loops(f, &l);
    uint8_t *depth = calloc(f->reg_count + 1u, 1);
    together *part = calloc(l.count + 1u, sizeof *part);
    if (found && depth && part) {
        while (pass(f, depth)) {
        }
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            if (is_barrier(in->op)) {
                part[innermost(&l, k)].waited = true;
            } else if (site[k].requests && in->op == PTX_OP_st &&
                       (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE)) {
                part[innermost(&l, k)].stored = true;
            } else if (site[k].far && from_global(in) && in->operand_count > 1) {
                together *t = &part[innermost(&l, k)];
                if (t->waited || (t->stored && !ptx_has(in, PTX_MOD_nc))) {
                    sum += finish(t);
                }
                uint64_t *most = &t->most[deepest(depth, &in->opd[1])];
                const uint64_t waits = waiting(&site[k]);
                *most = waits > *most ? waits : *most;
            }
        }
        for (uint32_t n = 0; n <= l.count; n++) {
            sum += finish(&part[n]);
        }
    }
    free(part);
    free(depth);
    free(l.of);
    return sum;
}

void sm_stored_in_part(const sm_code *code, const site_stats *site, counters *out)
{
    const ptx_func *f = code->func;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (in->op == PTX_OP_st && site[k].sectors > site[k].ideal &&
            (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE)) {
            out->v[CTR_st_part_sectors] += site[k].sectors;
            out->v[CTR_st_part_bytes] += site[k].lanes * ptx_type_bytes(in->type[0]) * in->vec;
        }
    }
}
