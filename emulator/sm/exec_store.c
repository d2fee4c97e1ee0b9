/* st (PTX ISA 9.7.9.11): from registers into every space but constant and parameters. Where lanes
 * write to one address the ISA leaves open whose value stays; here as on an H200, which stores 32
 * lanes at a time, 16 where each has 8 bytes, 8 where each has 16: the last time counts, and of
 * those in it the lowest lane. So lanes write from the highest to the lowest of each time. */
#include "reach_often.h"

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

/* Lanes that store at a time where each has BYTES. */
static inline uint32_t at_a_time(uint32_t bytes)
{
    return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
}

/* The lanes of MASK that store in the same time as the lowest of them. */
static inline uint32_t first_time(uint32_t mask, uint32_t lanes)
{
    const uint32_t first = (uint32_t)__builtin_ctz(mask) / lanes * lanes;
    return mask & (lanes == 32 ? SM_FULL : ((1u << lanes) - 1) << first);
}

/* One element of the lanes of MASK from the register at SLOT. STEP: bytes of a lane's whole access;
 * SKIP: from its first byte to the element. */
#define KIND(name, mem, reg)                                                                \
    static inline void run_##name(sm_warp *w, uint32_t slot, uint8_t *host, uint32_t step)  \
    {                                                                                       \
        const reg *s = SM_R(const reg, w, slot);                                            \
        mem *p = (mem *)host;                                                               \
        if (step == sizeof(mem)) {                                                          \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                \
            {                                                                               \
                p[l] = s[l];                                                                \
            }                                                                               \
            return;                                                                         \
        }                                                                                   \
        for (uint32_t l = 0; l < SM_LANES; l++) {                                           \
            *(mem *)(host + (size_t)l * step) = s[l];                                       \
        }                                                                                   \
    }                                                                                       \
    static inline void same_##name(sm_warp *w, uint32_t slot, uint8_t *host, uint32_t step) \
    {                                                                                       \
        *(mem *)host = SM_R(const reg, w, slot)[SM_LANES - at_a_time(step)];                \
    }                                                                                       \
    static inline void rows_##name(sm_warp *w, uint32_t slot, const sm_often *o)            \
    {                                                                                       \
        const reg *s = SM_R(const reg, w, slot);                                            \
        for (uint32_t n = 0; n < SM_ROWS; n++) {                                            \
            const uint32_t k = n ^ (at_a_time(sizeof(mem)) / SM_ROW - 1);                   \
            mem *p = (mem *)o->host[k];                                                     \
            if (!o->side_by_side) {                                                         \
                *p = s[k * SM_ROW];                                                         \
                continue;                                                                   \
            }                                                                               \
            for (uint32_t l = 0; l < SM_ROW; l++) {                                         \
                p[l] = s[k * SM_ROW + l];                                                   \
            }                                                                               \
        }                                                                                   \
    }                                                                                       \
    static void move_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape,       \
                            const sm_reach *r, uint32_t step, uint32_t skip)                \
    {                                                                                       \
        const reg *s = SM_R(const reg, w, slot);                                            \
        if (mask != SM_FULL) {                                                              \
            const uint32_t lanes = at_a_time(step);                                         \
            for (uint32_t rest = mask, now; rest; rest &= ~now) {                           \
                now = first_time(rest, lanes);                                              \
                for (uint32_t m = now; m;) {                                                \
                    const uint32_t l = 31 - (uint32_t)__builtin_clz(m);                     \
                    *(mem *)(sm_lane_at(shape, r, l, step) + skip) = s[l];                  \
                    m ^= 1u << l;                                                           \
                }                                                                           \
            }                                                                               \
        } else if (shape == SM_SHAPE_RUN) {                                                 \
            run_##name(w, slot, r->host + skip, step);                                      \
        } else if (shape == SM_SHAPE_SAME) {                                                \
            same_##name(w, slot, r->host + skip, step);                                     \
        } else {                                                                            \
            const uint32_t turn = at_a_time(step) - 1;                                      \
            for (uint32_t k = 0; k < SM_LANES; k++) {                                       \
                const uint32_t l = k ^ turn;                                                \
                *(mem *)(uintptr_t)(r->at[l] + skip) = s[l];                                \
            }                                                                               \
        }                                                                                   \
    }
KINDS(KIND)
#undef KIND

/* The same with one host access a lane. */
#define KIND(name, mem, reg)                                                            \
    static void strong_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape, \
                              const sm_reach *r, uint32_t step, uint32_t skip)          \
    {                                                                                   \
        const reg *s = SM_R(const reg, w, slot);                                        \
        for (uint32_t rest = mask, now; rest; rest &= ~now) {                           \
            now = first_time(rest, at_a_time(step));                                    \
            for (uint32_t m = now; m;) {                                                \
                const uint32_t l = 31 - (uint32_t)__builtin_clz(m);                     \
                mem *p = (mem *)(sm_lane_at(shape, r, l, step) + skip);                 \
                __atomic_store_n(p, s[l], __ATOMIC_RELEASE);                            \
                m ^= 1u << l;                                                           \
            }                                                                           \
        }                                                                               \
    }
NARROW_KINDS(KIND)
#undef KIND
#define strong_b128 move_b128

SM_OFTEN(SM_STORE)
#define KIND(name, mem, reg) SM_ACCESS(name, mem, SM_STORE, i->b)
KINDS(KIND)
#undef KIND

typedef struct store_row {
    uint8_t bytes, lane; /* in memory, of a register's lane */
    sm_by_space in;
} store_row;

#define ROW(bytes, lane, name)                                                       \
    {                                                                                \
        bytes, lane,                                                                 \
        {                                                                            \
            .global = global_##name, .shared = shared_##name, .local = local_##name, \
            .generic = generic_##name                                                \
        }                                                                            \
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
    uint32_t lane;
    if (!SM_LEVEL(sm_one_width)(t, &in->opd[1], sm_width, &lane)) {
        return NULL;
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
        if (row->bytes == element && row->lane == lane) {
            return SM_LEVEL(sm_pick_space)(&row->in, in->space);
        }
    }
    return NULL;
}
