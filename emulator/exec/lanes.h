/* Helpers of the handlers that work lane by lane: handler templates, choice by type, predicates.
 * EXEC_FN1, EXEC_FN2 and EXEC_FN3 define a handler from an expression in one lane's operands a, b,
 * c; the loops are vectorised. EXEC_EACH1, EXEC_EACH2 and EXEC_EACH3 define a handler from an
 * expression too complex to vectorise: they visit the active lanes one by one. The expression can
 * use the handler's arguments w and i. */
#ifndef WARPBOOK_EXEC_LANES_H
#define WARPBOOK_EXEC_LANES_H

#include "exec.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define EXEC_FN(name) \
    static const sm_insn *name(__attribute__((unused)) sm_warp *w, const sm_insn *i)

#define EXEC_FN1(name, D, A, expression)         \
    EXEC_FN(name)                                \
    {                                            \
        const A *pa = SM_R(A, w, i->a);          \
        EXEC_LANES_DO(w, D, SM_R(D, w, i->d), ({ \
                          const A a = pa[l];     \
                          (D)(expression);       \
                      }));                       \
        return i + 1;                            \
    }

#define EXEC_FN2(name, D, A, B, expression)      \
    EXEC_FN(name)                                \
    {                                            \
        const A *pa = SM_R(A, w, i->a);          \
        const B *pb = SM_R(B, w, i->b);          \
        EXEC_LANES_DO(w, D, SM_R(D, w, i->d), ({ \
                          const A a = pa[l];     \
                          const B b = pb[l];     \
                          (D)(expression);       \
                      }));                       \
        return i + 1;                            \
    }

#define EXEC_FN3(name, D, A, B, C, expression)   \
    EXEC_FN(name)                                \
    {                                            \
        const A *pa = SM_R(A, w, i->a);          \
        const B *pb = SM_R(B, w, i->b);          \
        const C *pc = SM_R(C, w, i->c);          \
        EXEC_LANES_DO(w, D, SM_R(D, w, i->d), ({ \
                          const A a = pa[l];     \
                          const B b = pb[l];     \
                          const C c = pc[l];     \
                          (D)(expression);       \
                      }));                       \
        return i + 1;                            \
    }

/* Execute the following statement for each lane l of MASK. */
#define EXEC_EACH_LANE(mask) SM_EACH_LANE(l, mask)

#define EXEC_EACH1(name, D, A, expression)         \
    EXEC_FN(name)                                  \
    {                                              \
        EXEC_EACH_LANE(w->mask) {                  \
            const A a = SM_R(A, w, i->a)[l];       \
            SM_R(D, w, i->d)[l] = (D)(expression); \
        }                                          \
        return i + 1;                              \
    }

#define EXEC_EACH2(name, D, A, B, expression)      \
    EXEC_FN(name)                                  \
    {                                              \
        EXEC_EACH_LANE(w->mask) {                  \
            const A a = SM_R(A, w, i->a)[l];       \
            const B b = SM_R(B, w, i->b)[l];       \
            SM_R(D, w, i->d)[l] = (D)(expression); \
        }                                          \
        return i + 1;                              \
    }

#define EXEC_EACH3(name, D, A, B, C, expression)   \
    EXEC_FN(name)                                  \
    {                                              \
        EXEC_EACH_LANE(w->mask) {                  \
            const A a = SM_R(A, w, i->a)[l];       \
            const B b = SM_R(B, w, i->b)[l];       \
            const C c = SM_R(C, w, i->c)[l];       \
            SM_R(D, w, i->d)[l] = (D)(expression); \
        }                                          \
        return i + 1;                              \
    }

/* Declare a selector defined in another file of exec/. */
#define EXEC_SELECTOR(name) \
    sm_fn EXEC_FOR_ISA(exec_sel_##name)(compile_translation * t, const ptx_insn *in, sm_insn *out)

static inline uint32_t exec_bits32(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}

static inline float exec_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}

static inline uint64_t exec_bits64(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

static inline double exec_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}

/* Collect the sign bits of 32 lanes in a mask. */
static inline uint32_t exec_movemask(const int32_t *lane)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask(_mm512_load_si512(lane)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(lane + 16)) << 16;
#elif defined(__AVX2__)
    uint32_t m = 0;
    for (int k = 0; k < 4; k++)
        m |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)lane + 8 * k)) << (8 * k);
    return m;
#elif defined(__SSE2__)
    uint32_t m = 0;
    for (int k = 0; k < 8; k++)
        m |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)lane + 4 * k)) << (4 * k);
    return m;
#else
    uint32_t m = 0;
    for (uint32_t l = 0; l < SM_LANES; l++)
        m |= (uint32_t)(lane[l] < 0) << l;
    return m;
#endif
}

/* Define mask M: bit l is set if EXPRESSION is true for lane l. */
#define EXEC_TEST(m, expression)                             \
    uint32_t m;                                              \
    {                                                        \
        int32_t sm_t[SM_LANES] __attribute__((aligned(64))); \
        EXEC_IVDEP for (uint32_t l = 0; l < SM_LANES; l++)   \
        {                                                    \
            sm_t[l] = -(int32_t)(bool)(expression);          \
        }                                                    \
        m = exec_movemask(sm_t);                             \
    }

/* Write a predicate register in the active lanes. */
static inline void exec_put_pred(sm_warp *w, uint32_t slot, uint32_t value)
{
    uint32_t *p = &SM_P(w, slot);
    *p = (*p & ~w->mask) | (value & w->mask);
}

/* exec_lane_bit[l] is 1 << l, for testing a predicate in lane l. */
static const uint32_t exec_lane_bit[SM_LANES] __attribute__((aligned(64), unused)) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Define lesser() and greater() of two numbers of type REAL; BITS and OF convert to bits and
 * back. If one number is NaN the result is the other; -0 is less than +0. FINISH computes the
 * final value from r, a and b. */
#define EXEC_EXTREMES(real, bits, of, finish)   \
    static inline real lesser(real a, real b)   \
    {                                           \
        real r = a < b ? a : b;                 \
        r = a == b ? of(bits(a) | bits(b)) : r; \
        r = a != a ? b : r;                     \
        r = b != b ? a : r;                     \
        return finish;                          \
    }                                           \
    static inline real greater(real a, real b)  \
    {                                           \
        real r = a > b ? a : b;                 \
        r = a == b ? of(bits(a) & bits(b)) : r; \
        r = a != a ? b : r;                     \
        r = b != b ? a : r;                     \
        return finish;                          \
    }

/* The first value of operand K, or NULL if the operand was omitted. */
static inline const ptx_value *exec_operand_value(const ptx_insn *in, unsigned k)
{
    return k < in->operand_count && in->opd[k].count ? &in->opd[k].v[0] : NULL;
}

/* The window slot of operand K. If it is not a register, it becomes a constant register of BYTES
 * per lane. Returns SLOT if the operand was omitted. */
static inline uint32_t exec_operand_slot(compile_translation *t, const ptx_insn *in, unsigned k,
                                         uint32_t bytes, uint32_t slot)
{
    const ptx_value *v = exec_operand_value(in, k);
    return v ? compile_slot_of_value(t, v, bytes) : slot;
}

/* FN for OUT, whose `extra` becomes a copy of FORM. NULL: the host is out of memory. */
static inline sm_fn exec_fn_with_form(compile_translation *t, sm_insn *out, sm_fn fn,
                                      const void *form, size_t bytes)
{
    void *kept = compile_alloc_with_code(t, bytes);
    out->extra = kept ? memcpy(kept, form, bytes) : NULL;
    return kept ? fn : NULL;
}

/* The window slot of a predicate operand; an immediate becomes all ones or all zeros. Returns
 * SLOT if the operand was omitted. */
static inline uint32_t exec_pred_slot(compile_translation *t, const ptx_insn *in, unsigned k,
                                      uint32_t slot)
{
    const ptx_value *v = exec_operand_value(in, k);
    if (!v)
        return slot;
    if (v->kind != PTX_VAL_IMM)
        return compile_slot_of_value(t, v, 4);
    ptx_value all = *v;
    all.imm = v->imm ? UINT32_MAX : 0;
    return compile_slot_of_value(t, &all, 4);
}

static inline bool exec_is_imm(const ptx_insn *in, unsigned k)
{
    const ptx_value *v = exec_operand_value(in, k);
    return v && v->kind == PTX_VAL_IMM;
}

static inline bool exec_is_negated(const ptx_insn *in, unsigned k)
{
    const ptx_value *v = exec_operand_value(in, k);
    return v && v->negate;
}

/* Declared width in bits of the register that operand K names; BITS if it is not a register. */
static inline uint32_t exec_operand_reg_bits(const compile_translation *t, const ptx_insn *in,
                                             unsigned k, uint32_t bits)
{
    const ptx_value *v = exec_operand_value(in, k);
    if (!v || v->kind != PTX_VAL_REG || v->reg >= t->func->reg_count)
        return bits;
    return ptx_type_bytes(t->func->regs[v->reg].type) * 8;
}

/* Choose a handler by integer type; bit types count as unsigned. */
static inline sm_fn exec_handler_by_int_type(ptx_type type, sm_fn u16, sm_fn s16, sm_fn u32,
                                             sm_fn s32, sm_fn u64, sm_fn s64)
{
    switch (type) {
    case PTX_u16:
    case PTX_b16: return u16;
    case PTX_s16: return s16;
    case PTX_u32:
    case PTX_b32: return u32;
    case PTX_s32: return s32;
    case PTX_u64:
    case PTX_b64: return u64;
    case PTX_s64: return s64;
    default: return NULL;
    }
}

#endif
