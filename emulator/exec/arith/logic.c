/* Logic, shifts and selection of bits (PTX ISA 9.7.8, 9.7.9.7). */
#include "../../compile/compile.h"
#include "../lanes.h"

/* --- and, or, xor, not, cnot -------------------------------------------------------------------*/
enum { NEGATE_A = 1, NEGATE_B = 2 }; /* bits of i->mode: predicate source a, b is written as !p */

/* The predicates of source a, complemented if it is written as !p. */
static inline uint32_t source_pred_a(const sm_warp *w, const sm_insn *i)
{
    return SM_P(w, i->a) ^ (i->mode & NEGATE_A ? UINT32_MAX : 0);
}

static inline uint32_t source_pred_b(const sm_warp *w, const sm_insn *i)
{
    return SM_P(w, i->b) ^ (i->mode & NEGATE_B ? UINT32_MAX : 0);
}

static void set_pred_operands(compile_translation *t, const ptx_insn *in, sm_insn *out)
{
    out->a = exec_pred_slot(t, in, 1, out->a);
    out->b = exec_pred_slot(t, in, 2, out->b);
    out->mode = (exec_is_negated(in, 1) ? NEGATE_A : 0) | (exec_is_negated(in, 2) ? NEGATE_B : 0);
}

#define DEFINE_LOGIC_OP(op, symbol)                                             \
    EXEC_FN(op##_pred)                                                          \
    {                                                                           \
        exec_put_pred(w, i->d, source_pred_a(w, i) symbol source_pred_b(w, i)); \
        return i + 1;                                                           \
    }                                                                           \
    EXEC_FN2(op##_32, uint32_t, uint32_t, uint32_t, a symbol b)                 \
    EXEC_FN2(op##_64, uint64_t, uint64_t, uint64_t, a symbol b)                 \
    EXEC_SELECT(op)                                                             \
    {                                                                           \
        if (in->type[0] == PTX_pred) {                                          \
            set_pred_operands(t, in, out);                                      \
            return op##_pred;                                                   \
        }                                                                       \
        return in->type[0] == PTX_b64 ? op##_64 : op##_32;                      \
    }

DEFINE_LOGIC_OP(and, &)
DEFINE_LOGIC_OP(or, |)
DEFINE_LOGIC_OP(xor, ^)

EXEC_FN(not_pred)
{
    exec_put_pred(w, i->d, ~source_pred_a(w, i));
    return i + 1;
}

EXEC_FN1(not_16, uint32_t, uint32_t, (uint16_t)~a)
EXEC_FN1(not_32, uint32_t, uint32_t, ~a)
EXEC_FN1(not_64, uint64_t, uint64_t, ~a)
EXEC_FN1(cnot_16, uint32_t, uint32_t, (uint16_t)a == 0)
EXEC_FN1(cnot_32, uint32_t, uint32_t, a == 0)
EXEC_FN1(cnot_64, uint64_t, uint64_t, a == 0)

EXEC_SELECT(not )
{
    if (in->type[0] == PTX_pred) {
        set_pred_operands(t, in, out);
        return not_pred;
    }
    return exec_handler_by_int_type(in->type[0], not_16, NULL, not_32, NULL, not_64, NULL);
}

EXEC_SELECT(cnot)
{
    return exec_handler_by_int_type(in->type[0], cnot_16, NULL, cnot_32, NULL, cnot_64, NULL);
}

/* --- lop3 --------------------------------------------------------------------------------------*/
/* lop3: TABLE has one result bit for each combination of the bits of A, B and C. */
static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t term = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
        r |= term & (0 - (table >> k & 1));
    }
    return r;
}

EXEC_FN(lop3_32)
{
    const uint32_t *a = SM_R(uint32_t, w, i->a), *b = SM_R(uint32_t, w, i->b);
    const uint32_t *c = SM_R(uint32_t, w, i->c);
    const uint32_t table = (uint32_t)i->imm;
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), lop3(a[l], b[l], c[l], table));
    return i + 1;
}

/* lop3.and and lop3.or: additionally p = (result != 0) BoolOp q. */
EXEC_FN(lop3_pred)
{
    const uint32_t *a = SM_R(uint32_t, w, i->a), *b = SM_R(uint32_t, w, i->b);
    const uint32_t *c = SM_R(uint32_t, w, i->c);
    const uint32_t table = (uint32_t)i->imm;
    EXEC_TEST(m, lop3(a[l], b[l], c[l], table) != 0);
    const uint32_t q = SM_P(w, i->e) ^ (i->mode & 2 ? UINT32_MAX : 0);
    if (i->vec == 1)
        EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), lop3(a[l], b[l], c[l], table));
    exec_put_pred(w, i->q, i->mode & 1 ? m | q : m & q);
    return i + 1;
}

EXEC_SELECT(lop3)
{
    const ptx_value *table = exec_operand_value(in, 4);
    if (!table || table->kind != PTX_VAL_IMM)
        return NULL;
    out->imm = table->imm & 0xff;
    if (!ptx_has_modifier(in, PTX_MOD_and) && !ptx_has_modifier(in, PTX_MOD_or))
        return lop3_32;
    /* lop3.BoolOp.b32 d|p, a, b, c, immLut, q */
    const ptx_value *q = exec_operand_value(in, 5);
    if (!q || in->opd[0].second.kind != PTX_VAL_REG)
        return NULL;
    out->e = q->kind == PTX_VAL_IMM ? exec_pred_slot(t, in, 5, 0) : compile_slot_of_value(t, q, 4);
    out->vec = in->opd[0].v[0].kind == PTX_VAL_REG;
    out->mode = (ptx_has_modifier(in, PTX_MOD_or) ? 1 : 0) | (q->negate ? 2 : 0);
    return lop3_pred;
}

/* --- shifts ------------------------------------------------------------------------------------*/
EXEC_FN2(shl_16, uint32_t, uint32_t, uint32_t, b < 16 ? (uint16_t)(a << (b & 15)) : 0)
EXEC_FN2(shl_32, uint32_t, uint32_t, uint32_t, b < 32 ? a << (b & 31) : 0)
EXEC_FN2(shl_64, uint64_t, uint64_t, uint32_t, b < 64 ? a << (b & 63) : 0)
EXEC_FN2(shr_u16, uint32_t, uint32_t, uint32_t, b < 16 ? (uint16_t)a >> (b & 15) : 0)
EXEC_FN2(shr_s16, uint32_t, uint32_t, uint32_t, (uint16_t)((int16_t)a >> (b < 15 ? b : 15)))
EXEC_FN2(shr_u32, uint32_t, uint32_t, uint32_t, b < 32 ? a >> (b & 31) : 0)
EXEC_FN2(shr_s32, int32_t, int32_t, uint32_t, a >> (b < 31 ? b : 31))
EXEC_FN2(shr_u64, uint64_t, uint64_t, uint32_t, b < 64 ? a >> (b & 63) : 0)
EXEC_FN2(shr_s64, int64_t, int64_t, uint32_t, a >> (b < 63 ? b : 63))

/* Shifts by an immediate less than the width: one count for all lanes. */
#define DEFINE_IMMEDIATE_SHIFT(name, T, expression) \
    EXEC_FN(name)                                   \
    {                                               \
        const T *pa = SM_R(T, w, i->a);             \
        const unsigned n = (unsigned)i->imm;        \
        EXEC_LANES_DO(w, T, SM_R(T, w, i->d), ({    \
                          const T a = pa[l];        \
                          (T)(expression);          \
                      }));                          \
        return i + 1;                               \
    }

DEFINE_IMMEDIATE_SHIFT(shl_imm_32, uint32_t, a << n)
DEFINE_IMMEDIATE_SHIFT(shl_imm_64, uint64_t, a << n)
DEFINE_IMMEDIATE_SHIFT(shr_imm_u32, uint32_t, a >> n)
DEFINE_IMMEDIATE_SHIFT(shr_imm_s32, int32_t, a >> n)
DEFINE_IMMEDIATE_SHIFT(shr_imm_u64, uint64_t, a >> n)
DEFINE_IMMEDIATE_SHIFT(shr_imm_s64, int64_t, a >> n)

/* Is the shift count an immediate less than WIDTH? Then store it in out->imm. */
static bool store_immediate_count(compile_translation *t, const ptx_insn *in, sm_insn *out,
                                  uint32_t width)
{
    out->b = exec_operand_slot(t, in, 2, 4, out->b);
    if (!exec_is_imm(in, 2) || (uint32_t)in->opd[2].v[0].imm >= width)
        return false;
    out->imm = (uint32_t)in->opd[2].v[0].imm;
    return true;
}

EXEC_SELECT(shl)
{
    const uint32_t bytes = ptx_type_bytes(in->type[0]);
    if (store_immediate_count(t, in, out, bytes * 8) && bytes >= 4)
        return bytes == 8 ? shl_imm_64 : shl_imm_32;
    return exec_handler_by_int_type(in->type[0], shl_16, NULL, shl_32, NULL, shl_64, NULL);
}

EXEC_SELECT(shr)
{
    if (store_immediate_count(t, in, out, ptx_type_bytes(in->type[0]) * 8)) {
        return exec_handler_by_int_type(in->type[0], shr_u16, shr_s16, shr_imm_u32, shr_imm_s32,
                                        shr_imm_u64, shr_imm_s64);
    }
    return exec_handler_by_int_type(in->type[0], shr_u16, shr_s16, shr_u32, shr_s32, shr_u64,
                                    shr_s64);
}

/* Funnel shift of the 64-bit concatenation b:a. */
static inline uint32_t funnel_l(uint32_t lo, uint32_t hi, uint32_t n)
{
    return (uint32_t)((((uint64_t)hi << 32 | lo) << n) >> 32);
}

static inline uint32_t funnel_r(uint32_t lo, uint32_t hi, uint32_t n)
{
    return (uint32_t)(((uint64_t)hi << 32 | lo) >> n);
}

EXEC_FN3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_l(a, b, c & 31))
EXEC_FN3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, funnel_r(a, b, c & 31))
EXEC_FN3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_l(a, b, c < 32 ? c : 32))
EXEC_FN3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, funnel_r(a, b, c < 32 ? c : 32))

EXEC_SELECT(shf)
{
    if (ptx_has_modifier(in, PTX_MOD_l))
        return ptx_has_modifier(in, PTX_MOD_wrap) ? shf_l_wrap : shf_l_clamp;
    return ptx_has_modifier(in, PTX_MOD_wrap) ? shf_r_wrap : shf_r_clamp;
}

/* --- prmt --------------------------------------------------------------------------------------*/
/* prmt: the byte of b:a that NIBBLE selects; the nibble's top bit gives the byte's sign instead. */
static inline uint32_t prmt_byte(uint64_t ba, uint32_t nibble)
{
    uint32_t byte = (uint32_t)(ba >> ((nibble & 7) * 8)) & 0xff;
    return nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t ba = (uint64_t)b << 32 | a;
    return prmt_byte(ba, selector) | prmt_byte(ba, selector >> 4) << 8 |
           prmt_byte(ba, selector >> 8) << 16 | prmt_byte(ba, selector >> 12) << 24;
}

EXEC_FN3(prmt_index, uint32_t, uint32_t, uint32_t, uint32_t, prmt(a, b, c))

/* The special modes of prmt (.f4e, .b4e, ...): two bits of c choose a selector. */
EXEC_FN(prmt_mode)
{
    static const uint16_t selector[][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
    };
    const uint32_t *a = SM_R(uint32_t, w, i->a), *b = SM_R(uint32_t, w, i->b);
    const uint32_t *c = SM_R(uint32_t, w, i->c);
    EXEC_EACH_LANE(w->mask)
        SM_R(uint32_t, w, i->d)[l] = prmt(a[l], b[l], selector[i->mode][c[l] & 3]);
    return i + 1;
}

EXEC_SELECT(prmt)
{
    static const ptx_mod mode[] = {PTX_MOD_f4e, PTX_MOD_b4e, PTX_MOD_rc8,
                                   PTX_MOD_ecl, PTX_MOD_ecr, PTX_MOD_rc16};
    for (uint16_t k = 0; k < 6; k++) {
        if (ptx_has_modifier(in, mode[k])) {
            out->mode = k;
            return prmt_mode;
        }
    }
    return prmt_index;
}
