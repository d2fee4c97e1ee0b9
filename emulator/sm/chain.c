/* Loads that wait for loads, as the clock is modelled from them. Which of a function's addresses
 * come from memory, by way of how many loads one after the other: registers only, and without
 * regard to order; what goes through shared or local memory is not seen. And which loads of a
 * loop's body are under way together: the device's assembler moves them up to where their addresses
 * are known, but not over a barrier, nor over a store that may be to the same place. */
#include "access.h"
#include "facts.h"

#include <stdlib.h>

enum { LOOP = SM_WAIT_LOOP };

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

/* The innermost loop that instruction K is in; facts->loops: none. */
static uint32_t innermost(const sm_facts *facts, uint32_t k)
{
    uint32_t best = facts->loops, span = UINT32_MAX;
    for (uint32_t n = 0; n < facts->loops; n++) {
        const sm_loop *x = &facts->loop[n];
        if (x->first <= k && k <= x->last && x->last - x->first < span) {
            best = n;
            span = x->last - x->first;
        }
    }
    return best;
}

static bool is_barrier(ptx_op op)
{
    return op == PTX_OP_bar || op == PTX_OP_barrier;
}

static bool to_global(const ptx_insn *in)
{
    return in->op == PTX_OP_st && (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_NONE);
}

bool sm_find_waits(sm_translation *t, sm_facts *facts)
{
    const ptx_func *f = t->func;
    uint32_t loads = 0, count = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        loads += from_global(in);
        count += from_global(in) || to_global(in) || is_barrier(in->op);
    }
    if (loads == 0) {
        return true;
    }
    uint8_t *depth = calloc(f->reg_count + 1u, 1);
    facts->wait = sm_code_alloc(t, count * sizeof *facts->wait);
    const bool good = depth && facts->wait;
    if (good) {
        while (pass(f, depth)) {
        }
        for (uint32_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *in = &f->insns[k];
            const bool load = from_global(in);
            if (load || to_global(in) || is_barrier(in->op)) {
                facts->wait[facts->waits++] =
                    (sm_wait){.kind = load                 ? SM_WAIT_LOAD
                                      : is_barrier(in->op) ? SM_WAIT_BARRIER
                                                           : SM_WAIT_STORE,
                              .constant = ptx_has(in, PTX_MOD_nc),
                              .depth = load ? deepest(depth, &in->opd[1]) : 0,
                              .insn = k,
                              .loop = innermost(facts, k)};
            }
        }
    }
    free(depth);
    return good;
}

/* --- at the end of a launch --- */

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

/* A warp that finds the sector that its neighbour has just asked for waits as long. */
static uint64_t waiting(const site_stats *s)
{
    return 2 * s->far < s->requests ? 2 * s->far : s->requests;
}

uint64_t sm_rounds(const sm_code *code, const site_stats *site)
{
    const sm_facts *facts = code->facts;
    uint64_t sum = 0, far = 0;
    for (uint32_t k = 0; k < facts->waits; k++) {
        far += facts->wait[k].kind == SM_WAIT_LOAD ? site[facts->wait[k].insn].far : 0;
    }
    together *part = far ? calloc(facts->loops + 1u, sizeof *part) : NULL;
    if (!part) {
        return 0;
    }
    for (uint32_t k = 0; k < facts->waits; k++) {
        const sm_wait *w = &facts->wait[k];
        const site_stats *s = &site[w->insn];
        together *t = &part[w->loop];
        if (w->kind == SM_WAIT_BARRIER) {
            t->waited = true;
        } else if (w->kind == SM_WAIT_STORE) {
            t->stored = t->stored || s->requests;
        } else if (s->far) {
            if (t->waited || (t->stored && !w->constant)) {
                sum += finish(t);
            }
            const uint64_t waits = waiting(s);
            t->most[w->depth] = waits > t->most[w->depth] ? waits : t->most[w->depth];
        }
    }
    for (uint32_t n = 0; n <= facts->loops; n++) {
        sum += finish(&part[n]);
    }
    free(part);
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
