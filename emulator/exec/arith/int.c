/* Integer arithmetic on 16 and 32 bits and on pairs of 16 bits (PTX ISA 9.7.1). */
#include "../lanes.h"

#define U16(x)       ((uint32_t)(uint16_t)(x))
#define S16(x)       ((int32_t)(int16_t)(x))
#define PAIR(lo, hi) (U16(lo) | (uint32_t)(hi) << 16)

static inline int32_t clamp32(int64_t x)
{
    x = x < INT32_MIN ? INT32_MIN : x;
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x);
}

static inline int32_t high_product_s32(int32_t a, int32_t b)
{
    return (int32_t)((uint64_t)((int64_t)a * b) >> 32);
}

static inline uint32_t high_product_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

/* --- add, sub ----------------------------------------------------------------------------------*/
EXEC_FN2(add_16, uint32_t, uint32_t, uint32_t, U16(a + b))
EXEC_FN2(add_32, uint32_t, uint32_t, uint32_t, a + b)
EXEC_FN2(add_sat_s32, int32_t, int32_t, int32_t, clamp32((int64_t)a + b))
EXEC_FN2(add_16x2, uint32_t, uint32_t, uint32_t, PAIR(a + b, (a >> 16) + (b >> 16)))
EXEC_FN2(sub_16, uint32_t, uint32_t, uint32_t, U16(a - b))
EXEC_FN2(sub_32, uint32_t, uint32_t, uint32_t, a - b)
EXEC_FN2(sub_sat_s32, int32_t, int32_t, int32_t, clamp32((int64_t)a - b))

EXEC_SELECTOR(add_cc);
EXEC_SELECTOR(sub_cc);

EXEC_SELECT(add_int)
{
    if (ptx_has_modifier(in, PTX_MOD_cc))
        return EXEC_FOR_ISA(exec_sel_add_cc)(t, in, out);
    if (ptx_has_modifier(in, PTX_MOD_sat))
        return in->type[0] == PTX_s32 ? add_sat_s32 : NULL;
    if (in->type[0] == PTX_u16x2 || in->type[0] == PTX_s16x2)
        return add_16x2;
    return exec_handler_by_int_type(in->type[0], add_16, add_16, add_32, add_32, NULL, NULL);
}

EXEC_SELECT(sub_int)
{
    if (ptx_has_modifier(in, PTX_MOD_cc))
        return EXEC_FOR_ISA(exec_sel_sub_cc)(t, in, out);
    if (ptx_has_modifier(in, PTX_MOD_sat))
        return in->type[0] == PTX_s32 ? sub_sat_s32 : NULL;
    return exec_handler_by_int_type(in->type[0], sub_16, sub_16, sub_32, sub_32, NULL, NULL);
}

/* --- mul, mad ----------------------------------------------------------------------------------*/
EXEC_FN2(mul_lo_16, uint32_t, uint32_t, uint32_t, U16(a *b))
EXEC_FN2(mul_hi_u16, uint32_t, uint32_t, uint32_t, U16(a) * U16(b) >> 16)
EXEC_FN2(mul_hi_s16, uint32_t, uint32_t, uint32_t, U16(S16(a) * S16(b) >> 16))
EXEC_FN2(mul_wide_u16, uint32_t, uint32_t, uint32_t, U16(a) * U16(b))
EXEC_FN2(mul_wide_s16, int32_t, uint32_t, uint32_t, S16(a) * S16(b))
EXEC_FN2(mul_lo_32, uint32_t, uint32_t, uint32_t, a *b)
EXEC_FN2(mul_hi_u32, uint32_t, uint32_t, uint32_t, high_product_u32(a, b))
EXEC_FN2(mul_hi_s32, int32_t, int32_t, int32_t, high_product_s32(a, b))
EXEC_FN2(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
EXEC_FN2(mul_wide_s32, int64_t, int32_t, int32_t, (int64_t)a *b)

EXEC_FN3(mad_lo_16, uint32_t, uint32_t, uint32_t, uint32_t, U16(a *b + c))
EXEC_FN3(mad_hi_u16, uint32_t, uint32_t, uint32_t, uint32_t, U16((U16(a) * U16(b) >> 16) + c))
EXEC_FN3(mad_hi_s16, uint32_t, uint32_t, uint32_t, uint32_t,
         U16((uint32_t)(S16(a) * S16(b) >> 16) + c))
EXEC_FN3(mad_wide_u16, uint32_t, uint32_t, uint32_t, uint32_t, U16(a) * U16(b) + c)
EXEC_FN3(mad_wide_s16, uint32_t, uint32_t, uint32_t, uint32_t, (uint32_t)(S16(a) * S16(b)) + c)
EXEC_FN3(mad_lo_32, uint32_t, uint32_t, uint32_t, uint32_t, a *b + c)
EXEC_FN3(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, high_product_u32(a, b) + c)
EXEC_FN3(mad_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint32_t)high_product_s32(a, b) + c)
EXEC_FN3(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t,
         clamp32((int64_t)high_product_s32(a, b) + c))
EXEC_FN3(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
EXEC_FN3(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)

EXEC_SELECT(mul_int)
{
    if (ptx_has_modifier(in, PTX_MOD_wide)) {
        return exec_handler_by_int_type(in->type[0], mul_wide_u16, mul_wide_s16, mul_wide_u32,
                                        mul_wide_s32, NULL, NULL);
    }
    if (ptx_has_modifier(in, PTX_MOD_hi)) {
        return exec_handler_by_int_type(in->type[0], mul_hi_u16, mul_hi_s16, mul_hi_u32, mul_hi_s32,
                                        NULL, NULL);
    }
    return exec_handler_by_int_type(in->type[0], mul_lo_16, mul_lo_16, mul_lo_32, mul_lo_32, NULL,
                                    NULL);
}

EXEC_SELECTOR(mad_cc);

EXEC_SELECT(mad_int)
{
    if (ptx_has_modifier(in, PTX_MOD_cc))
        return EXEC_FOR_ISA(exec_sel_mad_cc)(t, in, out);
    if (ptx_has_modifier(in, PTX_MOD_wide)) {
        bool narrow = in->type[0] == PTX_u16 || in->type[0] == PTX_s16;
        out->c = exec_operand_slot(t, in, 3, narrow ? 4 : 8, out->c);
        return exec_handler_by_int_type(in->type[0], mad_wide_u16, mad_wide_s16, mad_wide_u32,
                                        mad_wide_s32, NULL, NULL);
    }
    if (ptx_has_modifier(in, PTX_MOD_sat))
        return in->type[0] == PTX_s32 && ptx_has_modifier(in, PTX_MOD_hi) ? mad_hi_sat_s32 : NULL;
    if (ptx_has_modifier(in, PTX_MOD_hi)) {
        return exec_handler_by_int_type(in->type[0], mad_hi_u16, mad_hi_s16, mad_hi_u32, mad_hi_s32,
                                        NULL, NULL);
    }
    return exec_handler_by_int_type(in->type[0], mad_lo_16, mad_lo_16, mad_lo_32, mad_lo_32, NULL,
                                    NULL);
}

/* mul24 and mad24: operands of 24 bits; the result is bits 47 to 16, or 31 to 0, of the product. */
static inline int64_t sign_extend_24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

static inline uint64_t zero_extend_24(uint32_t x)
{
    return x & 0xffffff;
}

EXEC_FN2(mul24_lo_32, uint32_t, uint32_t, uint32_t, sign_extend_24(a) * sign_extend_24(b))
EXEC_FN2(mul24_lo_u32, uint32_t, uint32_t, uint32_t, zero_extend_24(a) * zero_extend_24(b))
EXEC_FN2(mul24_hi_u32, uint32_t, uint32_t, uint32_t, zero_extend_24(a) * zero_extend_24(b) >> 16)
EXEC_FN2(mul24_hi_s32, uint32_t, uint32_t, uint32_t,
         (uint64_t)(sign_extend_24(a) * sign_extend_24(b)) >> 16)
EXEC_FN3(mad24_lo_s32, uint32_t, uint32_t, uint32_t, uint32_t,
         (uint32_t)(sign_extend_24(a) * sign_extend_24(b)) + c)
EXEC_FN3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t,
         (uint32_t)(zero_extend_24(a) * zero_extend_24(b)) + c)
EXEC_FN3(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t,
         (uint32_t)(zero_extend_24(a) * zero_extend_24(b) >> 16) + c)
EXEC_FN3(mad24_hi_s32, uint32_t, uint32_t, uint32_t, uint32_t,
         (uint32_t)((uint64_t)(sign_extend_24(a) * sign_extend_24(b)) >> 16) + c)
EXEC_FN3(mad24_hi_sat_s32, int32_t, uint32_t, uint32_t, int32_t,
         clamp32((int64_t)(int32_t)((uint64_t)(sign_extend_24(a) * sign_extend_24(b)) >> 16) + c))

EXEC_SELECT(mul24)
{
    bool sign = in->type[0] == PTX_s32;
    if (ptx_has_modifier(in, PTX_MOD_hi))
        return sign ? mul24_hi_s32 : mul24_hi_u32;
    return sign ? mul24_lo_32 : mul24_lo_u32;
}

EXEC_SELECT(mad24)
{
    bool sign = in->type[0] == PTX_s32;
    if (ptx_has_modifier(in, PTX_MOD_sat))
        return sign && ptx_has_modifier(in, PTX_MOD_hi) ? mad24_hi_sat_s32 : NULL;
    if (ptx_has_modifier(in, PTX_MOD_hi))
        return sign ? mad24_hi_s32 : mad24_hi_u32;
    return sign ? mad24_lo_s32 : mad24_lo_u32;
}

/* --- sad, div, rem -----------------------------------------------------------------------------*/
EXEC_FN3(sad_u16, uint32_t, uint32_t, uint32_t, uint32_t,
         U16(c + (U16(a) < U16(b) ? b - a : a - b)))
EXEC_FN3(sad_s16, uint32_t, uint32_t, uint32_t, uint32_t,
         U16(c + (S16(a) < S16(b) ? b - a : a - b)))
EXEC_FN3(sad_u32, uint32_t, uint32_t, uint32_t, uint32_t, c + (a < b ? b - a : a - b))
EXEC_FN3(sad_s32, uint32_t, uint32_t, uint32_t, uint32_t,
         c + ((int32_t)a < (int32_t)b ? b - a : a - b))

EXEC_SELECT(sad_int)
{
    return exec_handler_by_int_type(in->type[0], sad_u16, sad_s16, sad_u32, sad_s32, NULL, NULL);
}

/* Divide 32-bit integers in f64: a single rounding error cannot carry the quotient across an
 * integer. Vector units can divide f64 but not integers. */
static inline uint32_t truncated_quotient(double a, double b)
{
#ifdef __SSE4_1__
    return (uint32_t)exec_bits64(__builtin_trunc(a / b) + 0x1.8p52);
#else
    return (uint32_t)(int64_t)(a / b);
#endif
}

static inline uint32_t div_u(uint32_t a, uint32_t b)
{
    return b ? truncated_quotient(a, b ? b : 1) : UINT32_MAX;
}

static inline uint32_t div_s(int32_t a, int32_t b)
{
    return b ? truncated_quotient(a, b ? b : 1) : UINT32_MAX;
}

static inline uint32_t rem_u(uint32_t a, uint32_t b)
{
    return b ? a - div_u(a, b) * b : UINT32_MAX;
}

static inline uint32_t rem_s(int32_t a, int32_t b)
{
    return b ? (uint32_t)a - div_s(a, b) * (uint32_t)b : UINT32_MAX;
}

EXEC_FN2(div_u16, uint32_t, uint32_t, uint32_t, U16(div_u(U16(a), U16(b))))
EXEC_FN2(div_s16, uint32_t, uint32_t, uint32_t, U16(div_s(S16(a), S16(b))))
EXEC_FN2(div_u32, uint32_t, uint32_t, uint32_t, div_u(a, b))
EXEC_FN2(div_s32, uint32_t, int32_t, int32_t, div_s(a, b))
EXEC_FN2(rem_u16, uint32_t, uint32_t, uint32_t, U16(rem_u(U16(a), U16(b))))
EXEC_FN2(rem_s16, uint32_t, uint32_t, uint32_t, U16(rem_s(S16(a), S16(b))))
EXEC_FN2(rem_u32, uint32_t, uint32_t, uint32_t, rem_u(a, b))
EXEC_FN2(rem_s32, uint32_t, int32_t, int32_t, rem_s(a, b))

EXEC_SELECT(div_int)
{
    return exec_handler_by_int_type(in->type[0], div_u16, div_s16, div_u32, div_s32, NULL, NULL);
}

EXEC_SELECT(rem_int)
{
    return exec_handler_by_int_type(in->type[0], rem_u16, rem_s16, rem_u32, rem_s32, NULL, NULL);
}

/* --- abs, neg, min, max ------------------------------------------------------------------------*/
EXEC_FN1(abs_s16, uint32_t, uint32_t, U16(S16(a) < 0 ? 0 - a : a))
EXEC_FN1(abs_s32, uint32_t, uint32_t, (int32_t)a < 0 ? 0 - a : a)
EXEC_FN1(neg_s16, uint32_t, uint32_t, U16(0 - a))
EXEC_FN1(neg_s32, uint32_t, uint32_t, 0 - a)

EXEC_SELECT(abs_int)
{
    return exec_handler_by_int_type(in->type[0], NULL, abs_s16, NULL, abs_s32, NULL, NULL);
}

EXEC_SELECT(neg_int)
{
    return exec_handler_by_int_type(in->type[0], NULL, neg_s16, NULL, neg_s32, NULL, NULL);
}

#define LESSER(a, b)  ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define RELU(x)       ((x) > 0 ? (x) : 0)

#define DEFINE_MIN_MAX(op, CHOOSE)                                                                 \
    EXEC_FN2(op##_u16, uint32_t, uint32_t, uint32_t, CHOOSE(U16(a), U16(b)))                       \
    EXEC_FN2(op##_s16, uint32_t, uint32_t, uint32_t, U16(CHOOSE(S16(a), S16(b))))                  \
    EXEC_FN2(op##_u32, uint32_t, uint32_t, uint32_t, CHOOSE(a, b))                                 \
    EXEC_FN2(op##_s32, int32_t, int32_t, int32_t, CHOOSE(a, b))                                    \
    EXEC_FN2(op##_relu_s32, int32_t, int32_t, int32_t, RELU(CHOOSE(a, b)))                         \
    EXEC_FN2(op##_u16x2, uint32_t, uint32_t, uint32_t,                                             \
             PAIR(CHOOSE(U16(a), U16(b)), CHOOSE(a >> 16, b >> 16)))                               \
    EXEC_FN2(op##_s16x2, uint32_t, uint32_t, uint32_t,                                             \
             PAIR(CHOOSE(S16(a), S16(b)), CHOOSE(S16(a >> 16), S16(b >> 16))))                     \
    EXEC_FN2(op##_relu_s16x2, uint32_t, uint32_t, uint32_t,                                        \
             PAIR(RELU(CHOOSE(S16(a), S16(b))), RELU(CHOOSE(S16(a >> 16), S16(b >> 16)))))         \
    EXEC_SELECT(op##_int)                                                                          \
    {                                                                                              \
        bool relu = ptx_has_modifier(in, PTX_MOD_relu);                                            \
        if (in->operand_count > 3)                                                                 \
            return NULL; /* a third source is for floating point only */                           \
        if (in->type[0] == PTX_s16x2)                                                              \
            return relu ? op##_relu_s16x2 : op##_s16x2;                                            \
        if (relu)                                                                                  \
            return in->type[0] == PTX_s32 ? op##_relu_s32 : NULL;                                  \
        if (in->type[0] == PTX_u16x2)                                                              \
            return op##_u16x2;                                                                     \
        return exec_handler_by_int_type(in->type[0], op##_u16, op##_s16, op##_u32, op##_s32, NULL, \
                                        NULL);                                                     \
    }

DEFINE_MIN_MAX(min, LESSER)
DEFINE_MIN_MAX(max, GREATER)
