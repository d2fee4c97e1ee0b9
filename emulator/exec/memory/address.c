/* Address conversion: cvta (PTX ISA 9.7.9.20), isspacep (9.7.9.19), prefetch (9.7.9.15).
 *
 * A device address is its own generic address. The generic address of an offset in shared memory,
 * local memory or kernel parameters is the offset plus the start of that space's window. */
#include "../../sm/cluster.h"
#include "reach.h"

/* cvta handlers: d = a + imm, between registers of 32 and 64 bits. */
#define DEFINE_CVTA(name, D, A)                                     \
    static const sm_insn *cvta_##name(sm_warp *w, const sm_insn *i) \
    {                                                               \
        const A *a = SM_R(const A, w, i->a);                        \
        EXEC_LANES_DO(w, D, SM_R(D, w, i->d), (D)(a[l] + i->imm));  \
        return i + 1;                                               \
    }
DEFINE_CVTA(64, uint64_t, uint64_t)
DEFINE_CVTA(32, uint32_t, uint32_t)
DEFINE_CVTA(64_32, uint64_t, uint32_t)
DEFINE_CVTA(32_64, uint32_t, uint64_t)

static bool window_start(ptx_space space, uint64_t *base)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST: *base = 0; return true;
    case PTX_SPACE_SHARED: *base = SM_SHARED_WINDOW; return true;
    case PTX_SPACE_LOCAL: *base = SM_LOCAL_WINDOW; return true;
    case PTX_SPACE_PARAM: *base = SM_PARAM_WINDOW; return true;
    default: return false;
    }
}

EXEC_SELECT(cvta)
{
    if (in->operand_count < 2 || in->opd[0].count < 1 || in->opd[1].count < 1)
        return NULL;
    const bool to = ptx_has_modifier(in, PTX_MOD_to);
    const ptx_space space = to && in->space == PTX_SPACE_NONE ? in->space2 : in->space;
    uint64_t base;
    if (!window_start(space, &base))
        return NULL;
    const ptx_value *a = &in->opd[1].v[0];
    const uint32_t from =
        a->kind == PTX_VAL_REG ? compile_register_bytes(t, a) : t->module->address_bytes;
    const uint32_t into = compile_register_bytes(t, &in->opd[0].v[0]);
    if (into == 4 && base != 0) {
        snprintf(t->error, sizeof t->error,
                 "a 32-bit generic address cannot tell shared and local memory from global memory");
        return NULL;
    }
    out->imm = to ? -base : base;
    if (into == 8)
        return from == 8 ? cvta_64 : cvta_64_32;
    return from == 8 ? cvta_32_64 : cvta_32;
}

/* isspacep: predicate d = is generic address a in the state space i->mode? */
static const sm_insn *isspacep(sm_warp *w, const sm_insn *i)
{
    const uint64_t *a = SM_R(const uint64_t, w, i->a);
    const ptx_space space = (ptx_space)i->mode;
    uint32_t is = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint64_t window = a[l] & SM_WINDOW_MASK;
        bool yes = false;
        switch (space) {
        case PTX_SPACE_SHARED: /* the block's own shared memory; with imm, also that of other
                                * blocks of the cluster */
            yes = window == SM_SHARED_WINDOW &&
                  (i->imm || (a[l] - SM_SHARED_WINDOW) >> SM_RANK_SHIFT == w->block->rank);
            break;
        case PTX_SPACE_LOCAL: yes = window == SM_LOCAL_WINDOW; break;
        case PTX_SPACE_PARAM: yes = window == SM_PARAM_WINDOW; break;
        case PTX_SPACE_CONST:
        case PTX_SPACE_GLOBAL: {
            const bool device = window != SM_SHARED_WINDOW && window != SM_LOCAL_WINDOW &&
                                window != SM_PARAM_WINDOW;
            const mem_range *h =
                space == PTX_SPACE_CONST ? mem_find_in_snapshot(w->worker->grid->map, a[l]) : NULL;
            yes = space == PTX_SPACE_GLOBAL ? device : h && h->kind == MEM_CONSTANT;
            break;
        }
        default: break;
        }
        is |= (uint32_t)yes << l;
    }
    uint32_t *p = &SM_P(w, i->d);
    *p = (*p & ~w->mask) | (is & w->mask);
    return i + 1;
}

EXEC_SELECT(isspacep)
{
    uint64_t base;
    if (in->operand_count < 2 || !window_start(in->space, &base) || t->module->address_bytes != 8)
        return NULL;
    const ptx_value *a = &in->opd[1].v[0];
    if (a->kind == PTX_VAL_REG && compile_register_bytes(t, a) != 8)
        return NULL;
    out->mode = (uint16_t)in->space;
    out->imm = ptx_has_modifier(in, PTX_MOD_shared_cluster);
    return isspacep;
}

/* Prefetch is a hint: the address is not checked, since a bad one has no effect. */
static const sm_insn *prefetch(sm_warp *w, const sm_insn *i)
{
    (void)w;
    return i + 1;
}

EXEC_SELECT(prefetch)
{
    return prefetch;
}
