/* ld, ldu (PTX ISA 9.7.9.8 and 9.7.9.10): from every space into registers. */
#include "reach.h"

/* Kinds: name, type in memory, type of a register's lane, value. Narrow values are zero-extended in
 * 32-bit lanes; a signed one is extended to the register's own width first. */
#define NARROW_KINDS(KIND)                     \
    KIND(u8w, uint8_t, uint32_t, v)            \
    KIND(s8h, int8_t, uint32_t, (uint16_t)v)   \
    KIND(s8w, int8_t, uint32_t, (uint32_t)v)   \
    KIND(u8d, uint8_t, uint64_t, v)            \
    KIND(s8d, int8_t, uint64_t, (uint64_t)v)   \
    KIND(u16w, uint16_t, uint32_t, v)          \
    KIND(s16w, int16_t, uint32_t, (uint32_t)v) \
    KIND(u16d, uint16_t, uint64_t, v)          \
    KIND(s16d, int16_t, uint64_t, (uint64_t)v) \
    KIND(u32w, uint32_t, uint32_t, v)          \
    KIND(u32d, uint32_t, uint64_t, v)          \
    KIND(s32d, int32_t, uint64_t, (uint64_t)v) \
    KIND(u64d, uint64_t, uint64_t, v)
#define KINDS(KIND) NARROW_KINDS(KIND) KIND(b128, quad, quad, v)

typedef struct quad {
    uint64_t half[2];
} quad;

/* Where lane L's access begins. */
static inline const uint8_t *lane_at(sm_shape shape, const sm_reach *r, uint32_t l, uint32_t step)
{
    return shape == SM_SHAPE_SAME  ? r->host
           : shape == SM_SHAPE_RUN ? r->host + (size_t)l * step
                                   : (const uint8_t *)(uintptr_t)r->at[l];
}

/* One element of the lanes of MASK into the register at SLOT. STEP: bytes of a lane's whole access;
 * SKIP: from its first byte to the element. */
#define KIND(name, mem, reg, value)                                                   \
    static void move_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape, \
                            const sm_reach *r, uint32_t step, uint32_t skip)          \
    {                                                                                 \
        reg *d = SM_R(reg, w, slot);                                                  \
        const mem *p = (const mem *)(r->host + skip);                                 \
        if (mask != SM_FULL) {                                                        \
            for (uint32_t m = mask; m; m &= m - 1) {                                  \
                const uint32_t l = (uint32_t)__builtin_ctz(m);                        \
                const mem v = *(const mem *)(lane_at(shape, r, l, step) + skip);      \
                d[l] = value;                                                         \
            }                                                                         \
        } else if (shape == SM_SHAPE_RUN && step == sizeof(mem)) {                    \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                          \
            {                                                                         \
                const mem v = p[l];                                                   \
                d[l] = value;                                                         \
            }                                                                         \
        } else if (shape == SM_SHAPE_RUN && step == 2 * sizeof(mem)) {                \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                          \
            {                                                                         \
                const mem v = p[2 * l];                                               \
                d[l] = value;                                                         \
            }                                                                         \
        } else if (shape == SM_SHAPE_RUN && step == 4 * sizeof(mem)) {                \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                          \
            {                                                                         \
                const mem v = p[4 * l];                                               \
                d[l] = value;                                                         \
            }                                                                         \
        } else if (shape == SM_SHAPE_SAME) {                                          \
            const mem v = p[0];                                                       \
            const reg one = value;                                                    \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                 \
                d[l] = one;                                                           \
            }                                                                         \
        } else if (shape == SM_SHAPE_EACH) {                                          \
            const uint64_t *at = r->at;                                               \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                 \
                const mem v = *(const mem *)(uintptr_t)(at[l] + skip);                \
                d[l] = value;                                                         \
            }                                                                         \
        } else {                                                                      \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                 \
                const mem v = *(const mem *)(r->host + (size_t)l * step + skip);      \
                d[l] = value;                                                         \
            }                                                                         \
        }                                                                             \
    }
KINDS(KIND)
#undef KIND

/* The same with one host access a lane, in order: what other threads write meanwhile is seen whole
 * (PTX ISA 8: strong operations are single-copy atomic up to 64 bits). */
#define KIND(name, mem, reg, value)                                                     \
    static void strong_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape, \
                              const sm_reach *r, uint32_t step, uint32_t skip)          \
    {                                                                                   \
        reg *d = SM_R(reg, w, slot);                                                    \
        for (uint32_t m = mask; m; m &= m - 1) {                                        \
            const uint32_t l = (uint32_t)__builtin_ctz(m);                              \
            const uint8_t *p = lane_at(shape, r, l, step) + skip;                       \
            const mem v = __atomic_load_n((const mem *)p, __ATOMIC_ACQUIRE);            \
            d[l] = value;                                                               \
        }                                                                               \
    }
NARROW_KINDS(KIND)
#undef KIND
#define strong_b128 move_b128

/* Every element, then a handler for each space. */
#define HANDLER(space_name, space, name)                                                 \
    static const sm_insn *space_name##_##name(sm_warp *w, const sm_insn *i)              \
    {                                                                                    \
        sm_reach r;                                                                      \
        const sm_shape shape = SM_LEVEL(sm_reach)(w, i, w->mask, 0, space, SM_LOAD, &r); \
        if (shape == SM_SHAPE_FAULT) {                                                   \
            return NULL;                                                                 \
        }                                                                                \
        all_##name(w, i, w->mask, shape, &r);                                            \
        return i + 1;                                                                    \
    }
#define KIND(name, mem, reg, value)                                                               \
    static inline void all_##name(sm_warp *w, const sm_insn *i, uint32_t mask, sm_shape shape,    \
                                  const sm_reach *r)                                              \
    {                                                                                             \
        if (i->vec == 1 && !(i->mode & SM_M_STRONG)) {                                            \
            move_##name(w, i->d, mask, shape, r, sizeof(mem), 0);                                 \
            return;                                                                               \
        }                                                                                         \
        const uint32_t *slot = i->vec == 1 ? &i->d : i->extra;                                    \
        for (uint32_t e = 0; e < i->vec; e++) {                                                   \
            (i->mode & SM_M_STRONG ? strong_##name : move_##name)(                                \
                w, slot[e], mask, shape, r, i->vec * sizeof(mem), e * sizeof(mem));               \
        }                                                                                         \
    }                                                                                             \
    HANDLER(global, PTX_SPACE_GLOBAL, name)                                                       \
    HANDLER(shared, PTX_SPACE_SHARED, name)                                                       \
    HANDLER(local, PTX_SPACE_LOCAL, name)                                                         \
    HANDLER(constant, PTX_SPACE_CONST, name)                                                      \
    static const sm_insn *generic_##name(sm_warp *w, const sm_insn *i)                            \
    {                                                                                             \
        const sm_parts s = SM_LEVEL(sm_split_generic)(w, i);                                      \
        if (s.global == w->mask) {                                                                \
            return global_##name(w, i);                                                           \
        }                                                                                         \
        /* A later part must not see what an earlier one put into the address register. */        \
        sm_reach r[4];                                                                            \
        sm_shape shape[4];                                                                        \
        const uint32_t part[4] = {s.global, s.shared, s.local, s.param};                          \
        for (int k = 0; k < 4; k++) {                                                             \
            if (part[k] && (shape[k] = SM_LEVEL(sm_reach)(w, i, part[k], sm_window_bias[k],       \
                                                          sm_window_space[k], SM_LOAD, &r[k])) == \
                               SM_SHAPE_FAULT) {                                                  \
                return NULL;                                                                      \
            }                                                                                     \
        }                                                                                         \
        for (int k = 0; k < 4; k++) {                                                             \
            if (part[k]) {                                                                        \
                all_##name(w, i, part[k], shape[k], &r[k]);                                       \
            }                                                                                     \
        }                                                                                         \
        return i + 1;                                                                             \
    }
KINDS(KIND)
#undef KIND

typedef struct load_row {
    uint8_t bytes, reg_bytes; /* in memory, of the register as declared: 2, 4, 8, 16 */
    bool sign;
    sm_fn global, shared, local, constant, generic;
} load_row;

#define ROW(bytes, reg, sign, name)                                                    \
    {                                                                                  \
        bytes, reg, sign, global_##name, shared_##name, local_##name, constant_##name, \
            generic_##name                                                             \
    }
static const load_row rows[] = {
    ROW(1, 2, false, u8w),    ROW(1, 4, false, u8w),  ROW(1, 8, false, u8d),
    ROW(1, 2, true, s8h),     ROW(1, 4, true, s8w),   ROW(1, 8, true, s8d),
    ROW(2, 2, false, u16w),   ROW(2, 4, false, u16w), ROW(2, 8, false, u16d),
    ROW(2, 2, true, u16w),    ROW(2, 4, true, s16w),  ROW(2, 8, true, s16d),
    ROW(4, 4, false, u32w),   ROW(4, 8, false, u32d), ROW(4, 4, true, u32w),
    ROW(4, 8, true, s32d),    ROW(8, 8, false, u64d), ROW(8, 8, true, u64d),
    ROW(16, 16, false, b128),
};

/* exec_param.c: parameters of kernels and calls. */
sm_fn SM_LEVEL(sm_sel_ld_param)(sm_translation *t, const ptx_insn *in, sm_insn *out);

/* Declared width of the register that V names; 0 for the sink. */
static uint32_t register_bytes(const sm_translation *t, const ptx_value *v)
{
    if (v->kind != PTX_VAL_REG) {
        return 0;
    }
    const uint32_t bytes = ptx_type_bytes(t->func->regs[v->reg].type);
    return bytes < 2 ? 2 : bytes;
}

SM_SELECT(ld)
{
    if (in->space == PTX_SPACE_PARAM) {
        return SM_LEVEL(sm_sel_ld_param)(t, in, out);
    }
    if (in->operand_count < 2 || in->type_count < 1 || in->opd[0].count < 1) {
        return NULL;
    }
    const ptx_type type = in->type[0];
    const uint32_t element = ptx_type_bytes(type);
    if (!SM_LEVEL(sm_set_access)(t, in, &in->opd[1], element, out)) {
        return NULL;
    }
    /* One kind must fit all elements of a vector; sinks fit any. */
    uint32_t width = 0;
    for (uint32_t e = 0; e < in->opd[0].count; e++) {
        const uint32_t bytes = register_bytes(t, &in->opd[0].v[e]);
        if (width != 0 && bytes != 0 && bytes != width) {
            return NULL;
        }
        width = bytes ? bytes : width;
    }
    width = width ? width : element < 2 ? 2 : element;
    if (out->vec > 1) {
        if (in->opd[0].count != out->vec) {
            return NULL;
        }
        out->extra = sm_slots(t, &in->opd[0], width < 4 ? 4 : width);
    }
    const bool sign = ptx_type_class(type) == 'S';
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const load_row *row = &rows[k];
        if (row->bytes != element || row->reg_bytes != width || row->sign != sign) {
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
        case PTX_SPACE_CONST:
            return row->constant;
        default:
            return NULL;
        }
    }
    return NULL;
}
