/* Round an exact number to any floating-point format with any rounding mode. Slow; used for all
 * rare conversions. */
#ifndef WARPBOOK_EXEC_NARROW_H
#define WARPBOOK_EXEC_NARROW_H

#include "../lanes.h"

typedef enum exec_rounding {
    EXEC_RN, /* to nearest, ties to even */
    EXEC_RZ, /* toward zero */
    EXEC_RM, /* toward minus infinity */
    EXEC_RP, /* toward plus infinity */
    EXEC_RNA /* to nearest, ties away from zero */
} exec_rounding;

/* A binary floating-point format: bits of fraction and exponent; highest finite magnitude;
 * infinity, or 0 for e4m3, which has none; canonical NaN. */
typedef struct exec_float_format {
    uint8_t fraction, exponent; /* number of bits of the fraction; of the exponent */
    uint64_t highest;           /* bits of the highest finite magnitude */
    uint64_t infinity;          /* bits of infinity; 0: the format has none */
    uint64_t nan;               /* bits of the canonical NaN */
} exec_float_format;

static const exec_float_format exec_format_f16
    __attribute__((unused)) = {10, 5, 0x7bff, 0x7c00, 0x7fff};
static const exec_float_format exec_format_bf16
    __attribute__((unused)) = {7, 8, 0x7f7f, 0x7f80, 0x7fff};
static const exec_float_format exec_format_tf32
    __attribute__((unused)) = {10, 8, 0x3fbff, 0x3fc00, 0x3ffff};
static const exec_float_format exec_format_e4m3 __attribute__((unused)) = {3, 4, 0x7e, 0, 0x7f};
static const exec_float_format exec_format_e5m2 __attribute__((unused)) = {2, 5, 0x7b, 0x7c, 0x7f};
static const exec_float_format exec_format_f32
    __attribute__((unused)) = {23, 8, 0x7f7fffff, 0x7f800000, 0x7fffffff};
static const exec_float_format exec_format_f64
    __attribute__((unused)) = {52, 11, UINT64_C(0x7fefffffffffffff), UINT64_C(0x7ff0000000000000),
                               UINT64_C(0x7fffffffffffffff)};

/* Round the magnitude M * 2^E to F; returns its bits without the sign. On overflow the result is
 * infinity or the highest finite number, depending on the rounding mode. */
static inline uint64_t exec_round_to_format(const exec_float_format *f, exec_rounding rounding,
                                            bool negative, uint64_t m, int e)
{
    if (m == 0)
        return 0;
    const int zeros = __builtin_clzll(m);
    m <<= zeros;
    e -= zeros;
    const int bias = (1 << (f->exponent - 1)) - 1;
    const int biased = e + 63 + bias;
    /* number of low bits of M that are rounded off */
    const int cut = 63 - f->fraction + (biased < 1 ? 1 - biased : 0);
    uint64_t kept, rest, half;
    if (cut > 64)
        kept = 0, rest = 1, half = 2;
    else if (cut == 64)
        kept = 0, rest = m, half = UINT64_C(1) << 63;
    else
        kept = m >> cut, rest = m & ((UINT64_C(1) << cut) - 1), half = UINT64_C(1) << (cut - 1);
    bool up = false;
    switch (rounding) {
    case EXEC_RN: up = rest > half || (rest == half && (kept & 1)); break;
    case EXEC_RNA: up = rest >= half; break;
    case EXEC_RM: up = rest && negative; break;
    case EXEC_RP: up = rest && !negative; break;
    case EXEC_RZ: break;
    }
    kept += up;
    /* the leading bit of a normal number, and a carry, add one to the exponent field */
    const uint64_t bits = biased < 1 ? kept : ((uint64_t)(biased - 1) << f->fraction) + kept;
    if (bits <= f->highest)
        return bits;
    const bool nearest = rounding == EXEC_RN || rounding == EXEC_RNA;
    const bool away =
        nearest || (rounding == EXEC_RM && negative) || (rounding == EXEC_RP && !negative);
    return away ? (f->infinity ? f->infinity : f->nan) : f->highest;
}

/* Split a finite double into magnitude M and exponent: M * 2^E. */
static inline uint64_t exec_split_double(double x, int *e)
{
    const uint64_t u = exec_bits64(x);
    const int field = (int)(u >> 52 & 0x7ff);
    const uint64_t fraction = u & ((UINT64_C(1) << 52) - 1);
    *e = (field ? field : 1) - 1075;
    return field ? fraction | UINT64_C(1) << 52 : fraction;
}

/* Round X, not NaN, to the format F; the sign is in bit F->fraction + F->exponent of the result. */
static inline uint64_t exec_round_double_to_format(const exec_float_format *f,
                                                   exec_rounding rounding, double x)
{
    const bool negative = exec_bits64(x) >> 63;
    const uint64_t sign = (uint64_t)negative << (f->fraction + f->exponent);
    if (x - x != 0) /* an infinity */
        return sign | (f->infinity ? f->infinity : f->nan);
    int e;
    const uint64_t m = exec_split_double(x, &e);
    return sign | exec_round_to_format(f, rounding, negative, m, e);
}

/* Would X, rounded to BITS of F, be below the smallest normal number with unlimited exponents? An
 * H200 flushes such a result even if rounding raised it to the smallest normal number. */
static inline bool exec_is_tiny_in_format(const exec_float_format *f, exec_rounding rounding,
                                          double x, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << (f->fraction + f->exponent);
    const uint64_t least = UINT64_C(1) << f->fraction;
    if ((bits & ~sign) != least)
        return (bits & ~sign) < least;
    /* Round the value times 2^16, which is far above the smallest normal number. */
    const uint64_t up = exec_round_double_to_format(f, rounding, x * 0x1p16) & ~sign;
    return up < least * 17;
}

/* The number that BITS of a format represent; exact for formats with at most the range of f32. A
 * NaN becomes quiet and keeps its sign and payload. */
static inline double exec_widen_to_double(const exec_float_format *f, uint64_t bits)
{
    const uint64_t magnitude = bits & ((UINT64_C(1) << (f->fraction + f->exponent)) - 1);
    const bool negative = bits >> (f->fraction + f->exponent) & 1;
    if (magnitude > (f->infinity ? f->infinity : f->highest)) {
        const uint64_t payload = (magnitude << (52 - f->fraction)) & ((UINT64_C(1) << 52) - 1);
        return exec_f64((uint64_t)negative << 63 | UINT64_C(0x7ff8000000000000) | payload);
    }
    double x;
    if (f->infinity && magnitude == f->infinity) {
        x = (double)INFINITY;
    } else {
        const int bias = (1 << (f->exponent - 1)) - 1;
        const int field = (int)(magnitude >> f->fraction);
        const uint64_t fraction = magnitude & ((UINT64_C(1) << f->fraction) - 1);
        const uint64_t m = field ? fraction | UINT64_C(1) << f->fraction : fraction;
        const int e = (field ? field : 1) - bias - f->fraction;
        x = (double)m * exec_f64((uint64_t)(e + 1023) << 52);
    }
    return negative ? -x : x;
}

#endif
