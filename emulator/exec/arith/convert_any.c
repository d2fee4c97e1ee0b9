/* All forms of cvt (PTX ISA 9.7.9.21), one lane at a time. The source is an integer or a number
 * held exactly in a double; the destination is computed from it with one rounding. */
#include "double.h"
#include "half.h"
#include "narrow.h"

typedef struct cvt_form {
    ptx_type to, from;                    /* types of the destination and of the source */
    const exec_float_format *to_format;   /* format of the destination; NULL: an integer */
    const exec_float_format *from_format; /* format of the source; NULL: an integer */
    exec_rounding rounding;               /* rounding mode */
    bool integral;                        /* round to an integer first (.rni, .rzi, .rmi, .rpi) */
    bool ftz, sat, satfinite, relu;       /* modifiers of the instruction */
    bool move_to_upper_bits;              /* copy the bits to the upper part of the destination */
    bool truncate_nan;                    /* truncate a NaN's bits, which may leave an infinity */
    bool pair;                            /* convert two sources, a and b, into the halves of d */
    bool halves;                          /* convert both halves of a into the halves of d */
    uint8_t to_bits, from_bits; /* bits of one element of the destination and of the source */
    bool d64, a64;              /* the registers of d and a have 8 bytes per lane */
    uint8_t d_bits;             /* width of the destination register */
} cvt_form;

static const exec_float_format *float_format_of(ptx_type type)
{
    switch (type) {
    case PTX_f16:
    case PTX_f16x2: return &exec_format_f16;
    case PTX_bf16:
    case PTX_bf16x2: return &exec_format_bf16;
    case PTX_tf32: return &exec_format_tf32;
    case PTX_e4m3:
    case PTX_e4m3x2: return &exec_format_e4m3;
    case PTX_e5m2:
    case PTX_e5m2x2: return &exec_format_e5m2;
    case PTX_f32: return &exec_format_f32;
    case PTX_f64: return &exec_format_f64;
    default: return NULL;
    }
}

static bool is_pair(ptx_type type)
{
    return type == PTX_f16x2 || type == PTX_bf16x2 || type == PTX_e4m3x2 || type == PTX_e5m2x2;
}

static double round_to_integer(double x, exec_rounding rounding)
{
    switch (rounding) {
    case EXEC_RZ: return __builtin_trunc(x);
    case EXEC_RM: return __builtin_floor(x);
    case EXEC_RP: return __builtin_ceil(x);
    default: return __builtin_rint(x);
    }
}

/* The number that BITS of the source type represent; a NaN keeps its payload. For conversions to
 * f16, .ftz does not flush the source, because .rm and .rp round a subnormal away from zero. */
static double value_of_source(const cvt_form *c, uint64_t bits)
{
    if (c->from == PTX_f64)
        return exec_f64(bits);
    if (c->from == PTX_f32) {
        const float x = exec_f32((uint32_t)bits);
        const bool ftz = c->ftz && c->to_format != &exec_format_f16;
        return (double)(ftz ? exec_flush_subnormal(exec_canonical_nan(x)) : x);
    }
    return exec_widen_to_double(c->from_format, bits);
}

/* Floating point to integer, clamped to the range. NaN becomes zero; if one of the types has 64
 * bits it becomes the value with only the top bit set. */
static uint64_t number_to_integer(const cvt_form *c, double x)
{
    const unsigned bits = c->to_bits;
    const uint64_t top = UINT64_C(1) << (bits - 1);
    if (x != x)
        return c->from == PTX_f64 || bits == 64 ? top : 0;
    x = round_to_integer(x, c->rounding);
    if (ptx_type_class(c->to) == 'S') {
        const double limit = (double)top;
        return x >= limit   ? top - 1
               : x < -limit ? (uint64_t) - (int64_t)(top - 1) - 1
                            : (uint64_t)(int64_t)x;
    }
    const double limit = (double)top * 2;
    return x >= limit ? top - 1 + top : x <= 0 ? 0 : (uint64_t)x;
}

/* Integer to integer, clamped with .sat. */
static uint64_t convert_integer(const cvt_form *c, uint64_t x, bool negative)
{
    if (!c->sat)
        return x;
    const uint64_t top = UINT64_C(1) << (c->to_bits - 1);
    if (ptx_type_class(c->to) == 'S') {
        if (negative)
            return (int64_t)x < -(int64_t)(top - 1) - 1 ? 0 - top : x;
        return x > top - 1 ? top - 1 : x;
    }
    const uint64_t highest = top - 1 + top;
    return negative ? 0 : x > highest ? highest : x;
}

/* Apply .relu, .sat and .satfinite, which come last for every floating-point result. */
static uint64_t apply_result_modifiers(const cvt_form *c, uint64_t bits, bool nan)
{
    const exec_float_format *f = c->to_format;
    const unsigned sign_at = f->fraction + f->exponent;
    const uint64_t sign = UINT64_C(1) << sign_at;
    if (c->ftz && c->to == PTX_f32 && !(bits & 0x7f800000))
        bits &= sign;
    if (c->sat) { /* clamp to [0, 1] */
        const uint64_t one = ((UINT64_C(1) << (f->exponent - 1)) - 1) << f->fraction;
        return nan || bits & sign ? 0 : bits > one ? one : bits;
    }
    if (nan)
        return bits;
    if (c->satfinite && (bits & ~sign) > f->highest)
        bits = (bits & sign) | f->highest;
    if (c->relu && bits & sign)
        return 0;
    return bits;
}

/* A NaN from f64 keeps the upper bits of its payload. All other NaNs become canonical if the
 * destination format is narrower. */
static uint64_t converted_nan(const cvt_form *c, double x)
{
    const exec_float_format *f = c->to_format;
    const uint64_t u = exec_bits64(x), sign = (u >> 63) << (f->fraction + f->exponent);
    const uint64_t payload = (u & ((UINT64_C(1) << 52) - 1)) >> (52 - f->fraction);
    if (c->from == PTX_f64 && f->infinity)
        return sign | f->infinity | UINT64_C(1) << (f->fraction - 1) | payload;
    return c->to == PTX_f64 ? exec_bits64(exec_quiet_nan(x)) : f->nan;
}

/* Round the exact X. .ftz flushes a result that would be subnormal with unlimited exponents. */
static uint64_t round_to_destination(const cvt_form *c, double x)
{
    const exec_float_format *f = c->to_format;
    const uint64_t bits = exec_round_double_to_format(f, c->rounding, x);
    if (c->ftz && c->to == PTX_f32 && exec_is_tiny_in_format(f, c->rounding, x, bits))
        return bits & 0x80000000;
    return bits;
}

static uint64_t number_to_float(const cvt_form *c, double x)
{
    const exec_float_format *f = c->to_format;
    if (x != x)
        return apply_result_modifiers(c, converted_nan(c, x), true);
    if (c->integral) {
        x = round_to_integer(x, c->rounding);
        return apply_result_modifiers(c, exec_round_double_to_format(f, EXEC_RN, x), false);
    }
    return apply_result_modifiers(c, round_to_destination(c, x), false);
}

static uint64_t convert_element(const cvt_form *c, uint64_t bits)
{
    if (c->move_to_upper_bits)
        return bits << (c->to_bits - c->from_bits);
    if (c->truncate_nan && (bits & 0x7fffffff) > 0x7f800000) {
        /* An H200 lowers the highest exponent by one for .satfinite, even in a NaN. */
        return (bits >> (c->from_bits - c->to_bits)) - c->satfinite;
    }
    if (c->from_format) {
        const double x = value_of_source(c, bits);
        return c->to_format ? number_to_float(c, x) : number_to_integer(c, x);
    }
    bool negative = false;
    if (ptx_type_class(c->from) == 'S') {
        const unsigned spare = 64 - c->from_bits;
        bits = (uint64_t)((int64_t)(bits << spare) >> spare);
        negative = (int64_t)bits < 0;
    }
    if (!c->to_format)
        return convert_integer(c, bits, negative);
    const exec_float_format *f = c->to_format;
    const uint64_t sign = (uint64_t)negative << (f->fraction + f->exponent);
    const uint64_t m = negative ? 0 - bits : bits;
    return apply_result_modifiers(c, sign | exec_round_to_format(f, c->rounding, negative, m, 0),
                                  false);
}

static inline uint64_t mask_of_low_bits(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}

static inline uint64_t register_bits_of_lane(const sm_warp *w, uint32_t slot, bool wide, uint32_t l)
{
    return wide ? SM_R(uint64_t, w, slot)[l] : SM_R(uint32_t, w, slot)[l];
}

/* Convert two elements and pack the results; elements of a pair have at most 16 bits. */
static uint64_t convert_pair(const cvt_form *c, uint64_t high, uint64_t low)
{
    return convert_element(c, high & mask_of_low_bits(c->from_bits)) << c->to_bits % 32 |
           convert_element(c, low & mask_of_low_bits(c->from_bits));
}

EXEC_FN(convert)
{
    const cvt_form *c = i->extra;
    EXEC_EACH_LANE(w->mask) {
        const uint64_t a = register_bits_of_lane(w, i->a, c->a64, l);
        uint64_t r;
        if (c->pair) {
            const uint64_t b = register_bits_of_lane(w, i->b, c->a64, l);
            r = convert_pair(c, a, b);
        } else if (c->halves) {
            r = convert_pair(c, a >> c->from_bits, a);
        } else {
            r = convert_element(c, a & mask_of_low_bits(c->from_bits)) &
                mask_of_low_bits(c->to_bits);
            if (ptx_type_class(c->to) == 'S') { /* sign-extend to a wider register */
                const unsigned spare = 64 - c->to_bits;
                r = (uint64_t)((int64_t)(r << spare) >> spare) & mask_of_low_bits(c->d_bits);
            } else if (c->to == PTX_tf32) {
                r <<= 13;
            }
        }
        if (c->d64)
            SM_R(uint64_t, w, i->d)[l] = r;
        else
            SM_R(uint32_t, w, i->d)[l] = (uint32_t)r;
    }
    return i + 1;
}

static void read_rounding(cvt_form *c, const ptx_insn *in)
{
    c->integral = true;
    if (ptx_has_modifier(in, PTX_MOD_rni)) {
        c->rounding = EXEC_RN;
    } else if (ptx_has_modifier(in, PTX_MOD_rzi)) {
        c->rounding = EXEC_RZ;
    } else if (ptx_has_modifier(in, PTX_MOD_rmi)) {
        c->rounding = EXEC_RM;
    } else if (ptx_has_modifier(in, PTX_MOD_rpi)) {
        c->rounding = EXEC_RP;
    } else {
        c->integral = false;
        c->rounding = ptx_has_modifier(in, PTX_MOD_rz)    ? EXEC_RZ
                      : ptx_has_modifier(in, PTX_MOD_rm)  ? EXEC_RM
                      : ptx_has_modifier(in, PTX_MOD_rp)  ? EXEC_RP
                      : ptx_has_modifier(in, PTX_MOD_rna) ? EXEC_RNA
                                                          : EXEC_RN;
    }
}

EXEC_SELECT(cvt_any)
{
    cvt_form c = {.to = in->type[0], .from = in->type[1]};
    c.to_format = float_format_of(c.to);
    c.from_format = float_format_of(c.from);
    if ((!c.to_format && ptx_type_class(c.to) == 'F') ||
        (!c.from_format && ptx_type_class(c.from) == 'F') || ptx_has_modifier(in, PTX_MOD_rs))
        return NULL;
    read_rounding(&c, in);
    if (c.from_format && !c.to_format && !c.integral)
        return NULL; /* conversions to integers require an integer rounding mode */
    c.ftz = ptx_has_modifier(in, PTX_MOD_ftz);
    c.sat = ptx_has_modifier(in, PTX_MOD_sat);
    c.satfinite = ptx_has_modifier(in, PTX_MOD_satfinite);
    c.relu = ptx_has_modifier(in, PTX_MOD_relu);
    c.to_bits = (uint8_t)(ptx_type_bytes(c.to) * 8);
    c.from_bits = (uint8_t)(ptx_type_bytes(c.from) * 8);
    if (is_pair(c.to)) {
        c.to_bits /= 2;
        c.pair = !is_pair(c.from);
        c.halves = !c.pair;
        if (c.pair && (c.from != PTX_f32 || in->operand_count < 3))
            return NULL;
    }
    if (is_pair(c.from)) {
        c.from_bits /= 2;
        if (!c.halves)
            return NULL;
    }
    if (c.to == PTX_tf32)
        c.to_bits = 19;
    const bool plain = !c.integral && !c.ftz && !c.sat && !c.satfinite && !c.relu;
    c.move_to_upper_bits =
        plain && ((c.to == PTX_f32 && (c.from == PTX_bf16 || c.from == PTX_f32)) ||
                  (c.to == PTX_f64 && c.from == PTX_f64));
    c.truncate_nan =
        (plain || c.satfinite) && c.to == PTX_tf32 && c.from == PTX_f32 && c.rounding == EXEC_RNA;
    c.d_bits = (uint8_t)exec_operand_reg_bits(t, in, 0, c.to_bits);
    c.d64 = c.d_bits == 64;
    c.a64 = exec_operand_reg_bits(t, in, 1, ptx_type_bytes(c.from) * 8) == 64;
    return exec_fn_with_form(t, out, convert, &c, sizeof c);
}
