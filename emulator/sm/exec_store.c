/* st (PTX ISA 9.7.9.11): from registers into every space but constant and parameters. Lanes write
 * in order: where two write one address, the highest lane's value stays. */
#include "reach.h"

/* Kinds: name, type in memory, type of a register's lane. */
#define NARROW_KINDS(KIND)        \
    KIND(w8, uint8_t, uint32_t)   \
    KIND(d8, uint8_t, uint64_t)   \
    KIND(w16, uint16_t, uint32_t) \
    KIND(d16, uint16_t, uint64_t) \
    KIND(w32, uint32_t, uint32_t) \
    KIND(d32, uint32_t, uint64_t) \
    KIND(d64, uint64_t, uint64_t)
#define KINDS(KIND) NARROW_KINDS(KIND) KIND(b128, quad, quad)

typedef struct quad {
    uint64_t half[2];
} quad;

static inline uint8_t *lane_at(sm_shape shape, const sm_reach *r, uint32_t l, uint32_t step)
{
    return shape == SM_SHAPE_SAME  ? r->host
           : shape == SM_SHAPE_RUN ? r->host + (size_t)l * step
                                   : (uint8_t *)(uintptr_t)r->at[l];
}

/* One element of the lanes of MASK from the register at SLOT. STEP: bytes of a lane's whole access;
 * SKIP: from its first byte to the element. */
#define KIND(name, mem, reg)                                                                   \
    static void move_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape,          \
                            const sm_reach *r, uint32_t step, uint32_t skip)                   \
    {                                                                                          \
        const reg *s = SM_R(const reg, w, slot);                                               \
        if (mask != SM_FULL) {                                                                 \
            for (uint32_t m = mask; m; m &= m - 1) {                                           \
                const uint32_t l = (uint32_t)__builtin_ctz(m);                                 \
                *(mem *)(lane_at(shape, r, l, step) + skip) = s[l];                            \
            }                                                                                  \
        } else if (shape == SM_SHAPE_RUN && step == sizeof(mem)) {                             \
            mem *p = (mem *)r->host;                                                           \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                   \
            {                                                                                  \
                p[l] = s[l];                                                                   \
            }                                                                                  \
        } else if (shape == SM_SHAPE_RUN) {                                                    \
            uint8_t *p = r->host + skip;                                                       \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                          \
                *(mem *)(p + (size_t)l * step) = s[l];                                         \
            }                                                                                  \
        } else if (shape == SM_SHAPE_SAME) {                                                   \
            *(mem *)(r->host + skip) = s[SM_LANES - 1];                                        \
        } else {                                                                               \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                          \
                *(mem *)(uintptr_t)(r->at[l] + skip) = s[l];                                   \
            }                                                                                  \
        }                                                                                      \
    }                                                                                          \
    static inline void all_##name(sm_warp *w, const sm_insn *i, uint32_t mask, sm_shape shape, \
                                  const sm_reach *r)                                           \
    {                                                                                          \
        if (i->vec == 1 && !(i->mode & SM_M_STRONG)) {                                         \
            move_##name(w, i->b, mask, shape, r, sizeof(mem), 0);                              \
            return;                                                                            \
        }                                                                                      \
        const uint32_t *slot = i->vec == 1 ? &i->b : i->extra;                                 \
        for (uint32_t e = 0; e < i->vec; e++) {                                                \
            (i->mode & SM_M_STRONG ? strong_##name : move_##name)(                             \
                w, slot[e], mask, shape, r, i->vec * sizeof(mem), e * sizeof(mem));            \
        }                                                                                      \
    }                                                                                          \
    HANDLER(global, PTX_SPACE_GLOBAL, name)                                                    \
    HANDLER(shared, PTX_SPACE_SHARED, name)                                                    \
    HANDLER(local, PTX_SPACE_LOCAL, name)                                                      \
    static const sm_insn *generic_##name(sm_warp *w, const sm_insn *i)                         \
    {                                                                                          \
        const sm_parts s = SM_LEVEL(sm_split_generic)(w, i);                                   \
        if (s.global == w->mask) {                                                             \
            return global_##name(w, i);                                                        \
        }                                                                                      \
        const uint32_t part[4] = {s.global, s.shared, s.local, s.param};                       \
        for (int k = 0; k < 4; k++) {                                                          \
            sm_reach r;                                                                        \
            sm_shape shape;                                                                    \
            if (part[k] == 0) {                                                                \
                continue;                                                                      \
            }                                                                                  \
            shape = SM_LEVEL(sm_reach)(w, i, part[k], sm_window_bias[k], sm_window_space[k],   \
                                       SM_STORE, &r);                                          \
            if (shape == SM_SHAPE_FAULT) {                                                     \
                return NULL;                                                                   \
            }                                                                                  \
            all_##name(w, i, part[k], shape, &r);                                              \
        }                                                                                      \
        return i + 1;                                                                          \
    }
#define HANDLER(space_name, space, name)                                                  \
    static const sm_insn *space_name##_##name(sm_warp *w, const sm_insn *i)               \
    {                                                                                     \
        sm_reach r;                                                                       \
        const sm_shape shape = SM_LEVEL(sm_reach)(w, i, w->mask, 0, space, SM_STORE, &r); \
        if (shape == SM_SHAPE_FAULT) {                                                    \
            return NULL;                                                                  \
        }                                                                                 \
        all_##name(w, i, w->mask, shape, &r);                                             \
        return i + 1;                                                                     \
    }

/* The same with one host access a lane. */
#define STRONG(name, mem, reg)                                                          \
    static void strong_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape, \
                              const sm_reach *r, uint32_t step, uint32_t skip)          \
    {                                                                                   \
        const reg *s = SM_R(const reg, w, slot);                                        \
        for (uint32_t m = mask; m; m &= m - 1) {                                        \
            const uint32_t l = (uint32_t)__builtin_ctz(m);                              \
            mem *p = (mem *)(lane_at(shape, r, l, step) + skip);                        \
            __atomic_store_n(p, s[l], __ATOMIC_RELEASE);                                \
        }                                                                               \
    }
NARROW_KINDS(STRONG)
#define strong_b128 move_b128
KINDS(KIND)

typedef struct store_row {
    uint8_t bytes, lane; /* in memory, of a register's lane */
    sm_fn global, shared, local, generic;
} store_row;

#define ROW(bytes, lane, name)                                                  \
    {                                                                           \
        bytes, lane, global_##name, shared_##name, local_##name, generic_##name \
    }
static const store_row rows[] = {
    ROW(1, 4, w8),  ROW(1, 8, d8),  ROW(2, 4, w16), ROW(2, 8, d16),
    ROW(4, 4, w32), ROW(4, 8, d32), ROW(8, 8, d64), ROW(16, 16, b128),
};

/* exec_param.c: parameters of kernels and calls. */
sm_fn SM_LEVEL(sm_sel_st_param)(sm_translation *t, const ptx_insn *in, sm_insn *out);

SM_SELECT(st)
{
    if (in->space == PTX_SPACE_PARAM) {
        return SM_LEVEL(sm_sel_st_param)(t, in, out);
    }
    if (in->operand_count < 2 || in->type_count < 1 || in->opd[1].count < 1) {
        return NULL;
    }
    const uint32_t element = ptx_type_bytes(in->type[0]);
    if (!SM_LEVEL(sm_set_access)(t, in, &in->opd[0], element, out)) {
        return NULL;
    }
    /* One kind must fit all elements of a vector; immediates are made as wide as the rest. */
    uint32_t lane = 0;
    for (uint32_t e = 0; e < in->opd[1].count; e++) {
        const ptx_value *v = &in->opd[1].v[e];
        const uint32_t bytes = v->kind == PTX_VAL_REG ? sm_width(t, v) : 0;
        if (lane != 0 && bytes != 0 && bytes != lane) {
            return NULL;
        }
        lane = bytes ? bytes : lane;
    }
    if (lane == 0) {
        lane = element < 4 ? 4 : element;
    }
    if (out->vec > 1) {
        if (in->opd[1].count != out->vec) {
            return NULL;
        }
        out->extra = sm_slots(t, &in->opd[1], lane);
    } else {
        out->b = sm_slot(t, &in->opd[1].v[0], lane);
    }
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const store_row *row = &rows[k];
        if (row->bytes != element || row->lane != lane) {
            continue;
        }
        switch (in->space) {
        case PTX_SPACE_NONE:
            return row->generic;
        case PTX_SPACE_GLOBAL:
            return row->global;
        case PTX_SPACE_SHARED:
            return row->shared;
        case PTX_SPACE_LOCAL:
            return row->local;
        default:
            return NULL;
        }
    }
    return NULL;
}
