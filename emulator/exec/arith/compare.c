/* Comparison and selection (PTX ISA 9.7.6): setp, set, selp, slct. */
#include "../../compile/compile.h"
#include "half.h"

/* Comparison operators of setp and set: the column indices of setp_table and set_table. */
enum { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_, COMPARISONS };

/* mode of setp and set: what to do with the result of the comparison. */
enum {
    BOOL_AND = 1,   /* combine the result with predicate c by and */
    BOOL_OR = 2,    /* combine the result with predicate c by or */
    BOOL_XOR = 3,   /* combine the result with predicate c by xor */
    BOOL_OP = 3,    /* mask of BOOL_AND, BOOL_OR and BOOL_XOR */
    NEGATE_C = 4,   /* negate predicate c before it is used */
    HAS_Q = 8,      /* setp also writes the second destination predicate q */
    SET_F32 = 32,   /* set: true is 1.0 instead of all ones */
    SET_F16 = 64,   /* set: true is 1.0 in f16 */
    SET_BF16 = 128, /* set: true is 1.0 in bf16 */
    SET_16 = 256    /* set: true is 0xffff */
};

static inline uint32_t combine_with_c(const sm_warp *w, const sm_insn *i, uint32_t m)
{
    const uint32_t c = SM_P(w, i->c) ^ (i->mode & NEGATE_C ? UINT32_MAX : 0);
    switch (i->mode & BOOL_OP) {
    case BOOL_AND: return m & c;
    case BOOL_OR: return m | c;
    case BOOL_XOR: return m ^ c;
    default: return m;
    }
}

static inline const sm_insn *write_setp_results(sm_warp *w, const sm_insn *i, uint32_t m)
{
    if (__builtin_expect(i->mode == 0, 1)) {
        exec_put_pred(w, i->d, m);
        return i + 1;
    }
    const uint32_t p = combine_with_c(w, i, m), q = combine_with_c(w, i, ~m);
    exec_put_pred(w, i->d, p);
    if (i->mode & HAS_Q)
        exec_put_pred(w, i->q, q);
    return i + 1;
}

static const sm_insn *write_set_result(sm_warp *w, const sm_insn *i, uint32_t m)
{
    const uint32_t r = combine_with_c(w, i, m);
    const uint32_t yes = i->mode & SET_F32    ? 0x3f800000
                         : i->mode & SET_F16  ? 0x3c00
                         : i->mode & SET_BF16 ? 0x3f80
                         : i->mode & SET_16   ? 0xffff
                                              : UINT32_MAX;
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d), r & exec_lane_bit[l] ? yes : 0);
    return i + 1;
}

/* set.f16x2 and set.bf16x2: two comparisons, two 16-bit results. */
static const sm_insn *write_set_results_of_halves(sm_warp *w, const sm_insn *i, uint32_t lo,
                                                  uint32_t hi)
{
    const uint32_t p = combine_with_c(w, i, lo), q = combine_with_c(w, i, hi);
    const uint32_t yes = i->mode & SET_F16 ? 0x3c00 : i->mode & SET_BF16 ? 0x3f80 : 0xffff;
    EXEC_LANES_DO(w, uint32_t, SM_R(uint32_t, w, i->d),
                  (p & exec_lane_bit[l] ? yes : 0) | (q & exec_lane_bit[l] ? yes << 16 : 0));
    return i + 1;
}

#define DEFINE_COMPARISON(name, T, CONVERT, expression)                    \
    static inline uint32_t test_##name(const sm_warp *w, const sm_insn *i) \
    {                                                                      \
        const T *pa = SM_R(T, w, i->a), *pb = SM_R(T, w, i->b);            \
        EXEC_TEST(m, ({                                                    \
                      const __auto_type a = CONVERT(pa[l]);                \
                      const __auto_type b = CONVERT(pb[l]);                \
                      expression;                                          \
                  }));                                                     \
        return m;                                                          \
    }                                                                      \
    EXEC_FN(setp_##name)                                                   \
    {                                                                      \
        return write_setp_results(w, i, test_##name(w, i));                \
    }                                                                      \
    EXEC_FN(set_##name)                                                    \
    {                                                                      \
        return write_set_result(w, i, test_##name(w, i));                  \
    }

#define UNCHANGED(x) (x)
#define LOW_U16(x)   ((uint16_t)(x))
#define LOW_S16(x)   ((int16_t)(x))

#define INTEGER_COMPARISONS(type, T, CONVERT)        \
    DEFINE_COMPARISON(eq_##type, T, CONVERT, a == b) \
    DEFINE_COMPARISON(ne_##type, T, CONVERT, a != b) \
    DEFINE_COMPARISON(lt_##type, T, CONVERT, a < b)  \
    DEFINE_COMPARISON(le_##type, T, CONVERT, a <= b) \
    DEFINE_COMPARISON(gt_##type, T, CONVERT, a > b)  \
    DEFINE_COMPARISON(ge_##type, T, CONVERT, a >= b)

#define FLOAT_COMPARISONS(type, T, CONVERT)                         \
    DEFINE_COMPARISON(eq_##type, T, CONVERT, a == b)                \
    DEFINE_COMPARISON(ne_##type, T, CONVERT, (a < b) | (a > b))     \
    DEFINE_COMPARISON(lt_##type, T, CONVERT, a < b)                 \
    DEFINE_COMPARISON(le_##type, T, CONVERT, a <= b)                \
    DEFINE_COMPARISON(gt_##type, T, CONVERT, a > b)                 \
    DEFINE_COMPARISON(ge_##type, T, CONVERT, a >= b)                \
    DEFINE_COMPARISON(equ_##type, T, CONVERT, !((a < b) | (a > b))) \
    DEFINE_COMPARISON(neu_##type, T, CONVERT, a != b)               \
    DEFINE_COMPARISON(ltu_##type, T, CONVERT, !(a >= b))            \
    DEFINE_COMPARISON(leu_##type, T, CONVERT, !(a > b))             \
    DEFINE_COMPARISON(gtu_##type, T, CONVERT, !(a <= b))            \
    DEFINE_COMPARISON(geu_##type, T, CONVERT, !(a < b))             \
    DEFINE_COMPARISON(num_##type, T, CONVERT, (a == a) & (b == b))  \
    DEFINE_COMPARISON(nan_##type, T, CONVERT, (a != a) | (b != b))

#define INTEGER_ROW(kind, type)                                                                   \
    {                                                                                             \
        kind##_eq_##type, kind##_ne_##type, kind##_lt_##type, kind##_le_##type, kind##_gt_##type, \
            kind##_ge_##type                                                                      \
    }

#define FLOAT_ROW(kind, type)                                                                     \
    {                                                                                             \
        kind##_eq_##type, kind##_ne_##type, kind##_lt_##type, kind##_le_##type, kind##_gt_##type, \
            kind##_ge_##type, kind##_equ_##type, kind##_neu_##type, kind##_ltu_##type,            \
            kind##_leu_##type, kind##_gtu_##type, kind##_geu_##type, kind##_num_##type,           \
            kind##_nan_##type                                                                     \
    }

INTEGER_COMPARISONS(u16, uint32_t, LOW_U16)
INTEGER_COMPARISONS(s16, uint32_t, LOW_S16)
INTEGER_COMPARISONS(u32, uint32_t, UNCHANGED)
INTEGER_COMPARISONS(s32, int32_t, UNCHANGED)
INTEGER_COMPARISONS(u64, uint64_t, UNCHANGED)
INTEGER_COMPARISONS(s64, int64_t, UNCHANGED)
FLOAT_COMPARISONS(f32, float, UNCHANGED)
FLOAT_COMPARISONS(f32_ftz, float, exec_flush_subnormal)
FLOAT_COMPARISONS(f64, double, UNCHANGED)

static const sm_fn setp_table[][COMPARISONS] = {
    INTEGER_ROW(setp, u16), INTEGER_ROW(setp, s16), INTEGER_ROW(setp, u32),
    INTEGER_ROW(setp, s32), INTEGER_ROW(setp, u64), INTEGER_ROW(setp, s64),
    FLOAT_ROW(setp, f32),   FLOAT_ROW(setp, f64),   FLOAT_ROW(setp, f32_ftz),
};

static const sm_fn set_table[][COMPARISONS] = {
    INTEGER_ROW(set, u16), INTEGER_ROW(set, s16), INTEGER_ROW(set, u32),
    INTEGER_ROW(set, s32), INTEGER_ROW(set, u64), INTEGER_ROW(set, s64),
    FLOAT_ROW(set, f32),   FLOAT_ROW(set, f64),   FLOAT_ROW(set, f32_ftz),
};

/* --- halves: f16 and bf16, alone or in pairs ---------------------------------------------------*/
static bool compare_halves(unsigned comparison, float a, float b)
{
    const bool ordered = a == a && b == b;
    switch (comparison) {
    case EQ: return a == b;
    case NE: return ordered && a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQU: return !ordered || a == b;
    case NEU: return a != b;
    case LTU: return !(a >= b);
    case LEU: return !(a > b);
    case GTU: return !(a <= b);
    case GEU: return !(a < b);
    case NUM: return ordered;
    default: return !ordered;
    }
}

/* Compare one half of two registers. i->imm: the comparison operator in bits 0 to 7, then the
 * format in bit 8 (1: bf16, 0: f16), and .ftz in bit 9. */
static uint32_t compare_half_in_all_lanes(const sm_warp *w, const sm_insn *i, unsigned shift)
{
    const uint32_t *a = SM_R(uint32_t, w, i->a), *b = SM_R(uint32_t, w, i->b);
    uint32_t m = 0;
    for (uint32_t l = 0; l < SM_LANES; l++) {
        const uint16_t ha = (uint16_t)(a[l] >> shift), hb = (uint16_t)(b[l] >> shift);
        const bool bf = i->imm >> 8 & 1, ftz = i->imm >> 9 & 1;
        const float x = bf ? exec_from_bf16(ha) : exec_from_f16(ftz ? exec_flush_f16(ha) : ha);
        const float y = bf ? exec_from_bf16(hb) : exec_from_f16(ftz ? exec_flush_f16(hb) : hb);
        m |= (uint32_t)compare_halves((unsigned)i->imm & 0xff, x, y) << l;
    }
    return m;
}

EXEC_FN(setp_half)
{
    return write_setp_results(w, i, compare_half_in_all_lanes(w, i, 0));
}

/* setp.f16x2 and setp.bf16x2: predicate p compares the lower halves, q the upper ones. */
EXEC_FN(setp_halves)
{
    const uint32_t lo = combine_with_c(w, i, compare_half_in_all_lanes(w, i, 0));
    const uint32_t hi = combine_with_c(w, i, compare_half_in_all_lanes(w, i, 16));
    exec_put_pred(w, i->d, lo);
    exec_put_pred(w, i->q, hi);
    return i + 1;
}

EXEC_FN(set_half)
{
    return write_set_result(w, i, compare_half_in_all_lanes(w, i, 0));
}

EXEC_FN(set_halves)
{
    return write_set_results_of_halves(w, i, compare_half_in_all_lanes(w, i, 0),
                                       compare_half_in_all_lanes(w, i, 16));
}

/* --- choice ------------------------------------------------------------------------------------*/
/* The comparison of the mnemonic, or -1. lo, ls, hi, hs mean lt, le, gt, ge for unsigned types. */
static int comparison_of_mnemonic(const ptx_insn *in)
{
    static const struct {
        ptx_mod mod;
        int code;
    } word[] = {
        {PTX_MOD_eq, EQ},   {PTX_MOD_ne, NE},     {PTX_MOD_lt, LT},   {PTX_MOD_le, LE},
        {PTX_MOD_gt, GT},   {PTX_MOD_ge, GE},     {PTX_MOD_lo, LT},   {PTX_MOD_ls, LE},
        {PTX_MOD_hi, GT},   {PTX_MOD_hs, GE},     {PTX_MOD_equ, EQU}, {PTX_MOD_neu, NEU},
        {PTX_MOD_ltu, LTU}, {PTX_MOD_leu, LEU},   {PTX_MOD_gtu, GTU}, {PTX_MOD_geu, GEU},
        {PTX_MOD_num, NUM}, {PTX_MOD_nanp, NAN_},
    };
    for (size_t k = 0; k < sizeof word / sizeof word[0]; k++)
        if (ptx_has_modifier(in, word[k].mod))
            return word[k].code;
    return -1;
}

/* Row of setp_table and set_table for a type, or -1. */
static int row_of_type(ptx_type type, bool ftz)
{
    switch (type) {
    case PTX_b16:
    case PTX_u16: return 0;
    case PTX_s16: return 1;
    case PTX_b32:
    case PTX_u32: return 2;
    case PTX_s32: return 3;
    case PTX_b64:
    case PTX_u64: return 4;
    case PTX_s64: return 5;
    case PTX_f32: return ftz ? 8 : 6;
    case PTX_f64: return 7;
    default: return -1;
    }
}

static uint16_t select_bool_op(compile_translation *t, const ptx_insn *in, sm_insn *out)
{
    const uint16_t op = ptx_has_modifier(in, PTX_MOD_and)   ? BOOL_AND
                        : ptx_has_modifier(in, PTX_MOD_or)  ? BOOL_OR
                        : ptx_has_modifier(in, PTX_MOD_xor) ? BOOL_XOR
                                                            : 0;
    if (op)
        out->c = exec_pred_slot(t, in, 3, out->c);
    return op ? op | (exec_is_negated(in, 3) ? NEGATE_C : 0) : 0;
}

static bool is_bf16(ptx_type type)
{
    return type == PTX_bf16 || type == PTX_bf16x2;
}

static bool is_half(ptx_type type)
{
    return type == PTX_f16 || type == PTX_f16x2 || is_bf16(type);
}

static uint64_t half_comparison_immediate(const ptx_insn *in, ptx_type type, int code)
{
    return (uint64_t)code | (uint64_t)is_bf16(type) << 8 |
           (uint64_t)ptx_has_modifier(in, PTX_MOD_ftz) << 9;
}

EXEC_SELECT(setp)
{
    const ptx_type type = in->type[0];
    const int code = comparison_of_mnemonic(in);
    if (code < 0)
        return NULL;
    out->mode = select_bool_op(t, in, out);
    if (is_half(type)) {
        out->imm = half_comparison_immediate(in, type, code);
        if (type == PTX_f16x2 || type == PTX_bf16x2)
            return setp_halves;
    }
    out->mode |= in->opd[0].second.kind == PTX_VAL_REG ? HAS_Q : 0;
    if (is_half(type))
        return setp_half;
    const int row = row_of_type(type, ptx_has_modifier(in, PTX_MOD_ftz));
    return row < 0 ? NULL : setp_table[row][code];
}

EXEC_SELECT(set)
{
    const ptx_type to = in->type[0], type = in->type[1];
    const int code = comparison_of_mnemonic(in);
    if (code < 0)
        return NULL;
    const uint32_t bytes = ptx_type_bytes(type) == 8 ? 8 : 4;
    out->a = exec_operand_slot(t, in, 1, bytes, out->a);
    out->b = exec_operand_slot(t, in, 2, bytes, out->b);
    out->mode = select_bool_op(t, in, out);
    switch (to) {
    case PTX_u32:
    case PTX_s32: break;
    case PTX_u16:
    case PTX_s16: out->mode |= SET_16; break;
    case PTX_f32: out->mode |= SET_F32; break;
    case PTX_f16:
    case PTX_f16x2: out->mode |= SET_F16; break;
    case PTX_bf16:
    case PTX_bf16x2: out->mode |= SET_BF16; break;
    default: return NULL;
    }
    if (is_half(type)) {
        out->imm = half_comparison_immediate(in, type, code);
        return type == PTX_f16x2 || type == PTX_bf16x2 ? set_halves : set_half;
    }
    const int row = row_of_type(type, ptx_has_modifier(in, PTX_MOD_ftz));
    return row < 0 ? NULL : set_table[row][code];
}

/* --- selp, slct --------------------------------------------------------------------------------*/
#define DEFINE_SELP(name, T)                                                      \
    EXEC_FN(name)                                                                 \
    {                                                                             \
        const T *a = SM_R(T, w, i->a), *b = SM_R(T, w, i->b);                     \
        const uint32_t p = SM_P(w, i->c) ^ (i->mode & NEGATE_C ? UINT32_MAX : 0); \
        EXEC_LANES_DO(w, T, SM_R(T, w, i->d), p &exec_lane_bit[l] ? a[l] : b[l]); \
        return i + 1;                                                             \
    }

DEFINE_SELP(selp_32, uint32_t)
DEFINE_SELP(selp_64, uint64_t)

EXEC_SELECT(selp)
{
    out->c = exec_pred_slot(t, in, 3, out->c);
    out->mode = exec_is_negated(in, 3) ? NEGATE_C : 0;
    return ptx_type_bytes(in->type[0]) == 8 ? selp_64 : selp_32;
}

EXEC_FN3(slct_s32_32, uint32_t, uint32_t, uint32_t, int32_t, c >= 0 ? a : b)
EXEC_FN3(slct_s32_64, uint64_t, uint64_t, uint64_t, int32_t, c >= 0 ? a : b)
EXEC_FN3(slct_f32_32, uint32_t, uint32_t, uint32_t, float, c >= 0 ? a : b)
EXEC_FN3(slct_f32_64, uint64_t, uint64_t, uint64_t, float, c >= 0 ? a : b)
EXEC_FN3(slct_ftz_32, uint32_t, uint32_t, uint32_t, float, exec_flush_subnormal(c) >= 0 ? a : b)
EXEC_FN3(slct_ftz_64, uint64_t, uint64_t, uint64_t, float, exec_flush_subnormal(c) >= 0 ? a : b)

EXEC_SELECT(slct)
{
    const bool wide = ptx_type_bytes(in->type[0]) == 8;
    out->c = exec_operand_slot(t, in, 3, 4, out->c);
    if (in->type[1] == PTX_s32)
        return wide ? slct_s32_64 : slct_s32_32;
    if (in->type[1] != PTX_f32)
        return NULL;
    if (ptx_has_modifier(in, PTX_MOD_ftz))
        return wide ? slct_ftz_64 : slct_ftz_32;
    return wide ? slct_f32_64 : slct_f32_32;
}
