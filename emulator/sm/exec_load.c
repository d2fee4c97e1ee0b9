/* ld, ldu (PTX ISA 9.7.9.8 and 9.7.9.10): from every space into registers. */
#include "reach_often.h"

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

/* One element of all lanes into the register at SLOT: of lane l at HOST + l * STEP, or at one
 * address, or by rows. */
#define KIND(name, mem, reg, value)                                                               \
    static inline void run_##name(sm_warp *w, uint32_t slot, const uint8_t *host, uint32_t step)  \
    {                                                                                             \
        reg *d = SM_R(reg, w, slot);                                                              \
        const mem *p = (const mem *)host;                                                         \
        if (step == sizeof(mem)) {                                                                \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                      \
            {                                                                                     \
                const mem v = p[l];                                                               \
                d[l] = value;                                                                     \
            }                                                                                     \
        } else if (step == 2 * sizeof(mem)) {                                                     \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                      \
            {                                                                                     \
                const mem v = p[2 * l];                                                           \
                d[l] = value;                                                                     \
            }                                                                                     \
        } else if (step == 4 * sizeof(mem)) {                                                     \
            SM_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)                                      \
            {                                                                                     \
                const mem v = p[4 * l];                                                           \
                d[l] = value;                                                                     \
            }                                                                                     \
        } else {                                                                                  \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                             \
                const mem v = *(const mem *)(host + (size_t)l * step);                            \
                d[l] = value;                                                                     \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
    static inline void same_##name(sm_warp *w, uint32_t slot, const uint8_t *host, uint32_t step) \
    {                                                                                             \
        (void)step;                                                                               \
        reg *d = SM_R(reg, w, slot);                                                              \
        const mem v = *(const mem *)host;                                                         \
        const reg one = value;                                                                    \
        for (uint32_t l = 0; l < SM_LANES; l++) {                                                 \
            d[l] = one;                                                                           \
        }                                                                                         \
    }                                                                                             \
    static inline void rows_##name(sm_warp *w, uint32_t slot, const sm_often *o)                  \
    {                                                                                             \
        reg *d = SM_R(reg, w, slot);                                                              \
        for (uint32_t k = 0; k < SM_ROWS; k++, d += SM_ROW) {                                     \
            const mem *p = (const mem *)o->host[k];                                               \
            if (o->side_by_side) {                                                                \
                SM_IVDEP for (uint32_t l = 0; l < SM_ROW; l++)                                    \
                {                                                                                 \
                    const mem v = p[l];                                                           \
                    d[l] = value;                                                                 \
                }                                                                                 \
            } else {                                                                              \
                const mem v = p[0];                                                               \
                const reg one = value;                                                            \
                for (uint32_t l = 0; l < SM_ROW; l++) {                                           \
                    d[l] = one;                                                                   \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }
KINDS(KIND)
#undef KIND

/* One element of the lanes of MASK into the register at SLOT. STEP: bytes of a lane's whole access;
 * SKIP: from its first byte to the element. */
#define KIND(name, mem, reg, value)                                                   \
    static void move_##name(sm_warp *w, uint32_t slot, uint32_t mask, sm_shape shape, \
                            const sm_reach *r, uint32_t step, uint32_t skip)          \
    {                                                                                 \
        reg *d = SM_R(reg, w, slot);                                                  \
        if (mask != SM_FULL) {                                                        \
            for (uint32_t m = mask; m; m &= m - 1) {                                  \
                const uint32_t l = (uint32_t)__builtin_ctz(m);                        \
                const mem v = *(const mem *)(sm_lane_at(shape, r, l, step) + skip);   \
                d[l] = value;                                                         \
            }                                                                         \
        } else if (shape == SM_SHAPE_RUN) {                                           \
            run_##name(w, slot, r->host + skip, step);                                \
        } else if (shape == SM_SHAPE_SAME) {                                          \
            same_##name(w, slot, r->host + skip, step);                               \
        } else {                                                                      \
            for (uint32_t l = 0; l < SM_LANES; l++) {                                 \
                const mem v = *(const mem *)(uintptr_t)(r->at[l] + skip);             \
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
            const uint8_t *p = sm_lane_at(shape, r, l, step) + skip;                    \
            const mem v = __atomic_load_n((const mem *)p, __ATOMIC_ACQUIRE);            \
            d[l] = value;                                                               \
        }                                                                               \
    }
NARROW_KINDS(KIND)
#undef KIND
#define strong_b128 move_b128

SM_OFTEN(SM_LOAD)
#define KIND(name, mem, reg, value)                                                \
    SM_ACCESS(name, mem, SM_LOAD, i->d)                                            \
    static const sm_insn *constant_##name(sm_warp *w, const sm_insn *i)            \
    {                                                                              \
        return SM_LEVEL(sm_run_space)(w, i, PTX_SPACE_CONST, SM_LOAD, all_##name); \
    }
KINDS(KIND)
#undef KIND

typedef struct load_row {
    uint8_t bytes, reg_bytes; /* in memory, of the register as declared: 2, 4, 8, 16 */
    bool sign;
    sm_by_space in;
} load_row;

#define ROW(bytes, reg, sign, name)                                                     \
    {                                                                                   \
        bytes, reg, sign,                                                               \
        {                                                                               \
            global_##name, shared_##name, local_##name, constant_##name, generic_##name \
        }                                                                               \
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

/* Declared width of the register that V names, from 2. */
static uint32_t register_bytes(const sm_translation *t, const ptx_value *v)
{
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
    uint32_t width;
    if (!SM_LEVEL(sm_one_width)(t, &in->opd[0], register_bytes, &width)) {
        return NULL;
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
        if (row->bytes == element && row->reg_bytes == width && row->sign == sign) {
            return SM_LEVEL(sm_pick_space)(&row->in, in->space);
        }
    }
    return NULL;
}
