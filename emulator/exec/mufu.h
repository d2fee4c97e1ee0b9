/* The special function unit (MUFU): rcp, rsqrt, sqrt, lg2, ex2, sin, cos and tanh in single
 * precision, with the same bits as an H200 (PTX ISA 9.7.3, the .approx forms).
 *
 * The unit splits the 23 fraction bits of the argument. The upper bits select a row of a table. The
 * lower bits, x, are the argument of the row's polynomial c0 + c1 * x + c2 * x^2, whose result is
 * truncated. The squarer omits partial products below a certain column. Coefficients and columns
 * were determined from recordings of all fractions;
 * tests/hardware/programs/arithmetic/approximations.cu compares all of them. */
#ifndef WARPBOOK_SM_MUFU_H
#define WARPBOOK_SM_MUFU_H

#include "arith/float.h"

typedef struct mufu_row {
    int64_t c0; /* constant coefficient, in units of 2^-17 of the last place of the 24-bit result */
    int32_t c1, c2; /* linear and quadratic coefficients, in the same units */
} mufu_row;

/* Tables: 128 rows (rsqrt and sqrt: 64 for even and 64 for odd exponents) or 64 rows. */
extern const mufu_row mufu_rcp_row[128], mufu_rsqrt_row[128], mufu_sqrt_row[128];
extern const mufu_row mufu_lg2_row[64], mufu_ex2_row[64], mufu_sin_row[64];
extern const mufu_row mufu_tanh_row[51]; /* rows for all exponents, one exponent after another */

#define MUFU_FRACTION UINT32_C(0x7fffff)

/* x^2 without partial products below 2^CUT, in units of 2^CUT. x has BITS bits. */
static inline uint32_t mufu_square(uint32_t x, int bits, int cut)
{
    uint32_t s = 0;
    for (int i = (cut + 1) / 2; i < bits; i++) {
        const uint32_t row = ((x & ((1u << i) - 1)) >> (cut - 1 - i)) + (1u << (2 * i - cut));
        s += x >> i & 1 ? row : 0;
    }
    return s;
}

/* The squares of the lower bits of a fraction, for tables of 128 and of 64 rows. Other bits of
 * FRACTION are ignored. */
static inline uint32_t mufu_square_128_rows(uint32_t fraction)
{
    return mufu_square(fraction & 0xffff, 16, 17);
}

static inline uint32_t mufu_square_64_rows(uint32_t fraction)
{
    return mufu_square(fraction & 0x1ffff, 17, 19);
}

/* The value of the polynomial for FRACTION, in units of 2^-17 of the result's last place. SQUARE:
 * by mufu_square_128_rows. A handler computes it for all lanes at once. */
static inline int64_t mufu_polynomial_128_rows(const mufu_row *rows, uint32_t fraction,
                                               uint32_t square)
{
    const mufu_row *r = &rows[fraction >> 16];
    return r->c0 + (int64_t)r->c1 * (fraction & 0xffff) + (int64_t)r->c2 * square;
}

/* Likewise; SQUARE: by mufu_square_64_rows. */
static inline int64_t mufu_polynomial_64_rows(const mufu_row *rows, uint32_t fraction,
                                              uint32_t square)
{
    const mufu_row *r = &rows[fraction >> 17];
    return r->c0 + (int64_t)r->c1 * (fraction & 0x1ffff) + (int64_t)r->c2 * square;
}

/* A float from its SIGN, biased EXPONENT (0 or less: zero; 255 or more: infinity) and 24 bits
 * including the leading one. */
static inline float mufu_float_of_fields(uint32_t sign, int exponent, uint32_t bits)
{
    const uint32_t u = exponent <= 0     ? 0
                       : exponent >= 255 ? 0x7f800000
                                         : (uint32_t)exponent << 23 | (bits & MUFU_FRACTION);
    return exec_f32(sign | u);
}

/* The float with SIGN and MAGNITUDE * 2^-SCALE, truncated to 24 bits. */
static inline float mufu_float_of_scaled(uint32_t sign, uint64_t magnitude, int scale)
{
    if (magnitude == 0)
        return exec_f32(sign);
    const int high = 63 - __builtin_clzll(magnitude);
    const uint64_t bits = high >= 23 ? magnitude >> (high - 23) : magnitude << (23 - high);
    return mufu_float_of_fields(sign, high - scale + 127, (uint32_t)bits);
}

/* All functions treat subnormal arguments as zero, flush subnormal results to zero and return the
 * canonical NaN. SQUARE: of the fraction of A, for rcp by mufu_square_128_rows, for the others by
 * mufu_square_64_rows. */
static inline float mufu_rcp(float a, uint32_t square)
{
    const uint32_t u = exec_bits32(a), sign = u & 0x80000000, f = u & MUFU_FRACTION;
    const int e = (int)(u >> 23 & 255);
    if (e == 255)
        return f ? exec_f32(EXEC_NAN_F32) : exec_f32(sign);
    if (e == 0)
        return exec_f32(sign | 0x7f800000);
    const uint32_t r = (uint32_t)(mufu_polynomial_128_rows(mufu_rcp_row, f, square) >> 17);
    return mufu_float_of_fields(sign, 253 - e + (f == 0), r);
}

static inline float mufu_rsqrt(float a, uint32_t square)
{
    const uint32_t u = exec_bits32(a), f = u & MUFU_FRACTION;
    const int e = (int)(u >> 23 & 255);
    if (e == 0)
        return exec_f32((u & 0x80000000) | 0x7f800000);
    if (u > 0x7f800000)
        return exec_f32(EXEC_NAN_F32);
    if (e == 255)
        return 0;
    const int odd = (e - 127) & 1, half = (e - 127 - odd) / 2;
    if (!odd && !f)
        return mufu_float_of_fields(0, 127 - half, 0);
    const uint32_t r =
        (uint32_t)(mufu_polynomial_64_rows(mufu_rsqrt_row + 64 * odd, f, square) >> 17);
    return mufu_float_of_fields(0, 126 - half, r);
}

static inline float mufu_sqrt(float a, uint32_t square)
{
    const uint32_t u = exec_bits32(a), f = u & MUFU_FRACTION;
    const int e = (int)(u >> 23 & 255);
    if (e == 0)
        return exec_f32(u & 0x80000000);
    if (u > 0x7f800000)
        return exec_f32(EXEC_NAN_F32);
    if (e == 255)
        return a;
    const int odd = (e - 127) & 1, half = (e - 127 - odd) / 2;
    const uint32_t r =
        (uint32_t)(mufu_polynomial_64_rows(mufu_sqrt_row + 64 * odd, f, square) >> 17);
    return mufu_float_of_fields(0, 127 + half, r);
}

/* log2 of A, computed in fixed point with 36 fraction bits; a negative logarithm is negated by
 * one's complement. */
static inline float mufu_lg2(float a, uint32_t square)
{
    const uint32_t u = exec_bits32(a), f = u & MUFU_FRACTION;
    const int e = (int)(u >> 23 & 255);
    if (e == 0)
        return -(float)INFINITY;
    if (u > 0x7f800000)
        return exec_f32(EXEC_NAN_F32);
    if (e == 255 || u == 0x3f800000)
        return e == 255 ? a : 0;
    const int64_t l = (int64_t)(e - 127) * (INT64_C(1) << 36) +
                      (mufu_polynomial_64_rows(mufu_lg2_row, f, square) >> 4);
    return mufu_float_of_scaled(l < 0 ? 0x80000000 : 0, (uint64_t)(l < 0 ? ~l : l), 36);
}

/* A in units of 2^-23, truncated, for mufu_ex2. A negative argument is negated by one's complement,
 * unless the fraction bits are zero. */
static inline int32_t mufu_ex2_argument(float a)
{
    const float size = __builtin_fabsf(a);
    const int32_t q = (int32_t)((size < 255 ? size : 255) * 0x1p23f), whole = !(q & MUFU_FRACTION);
    return a < 0 ? whole - 1 - q : q; /* ~q is -1 - q */
}

/* 2^A. SQUARE: of mufu_ex2_argument(A), by mufu_square_64_rows. */
static inline float mufu_ex2(float a, uint32_t square)
{
    if (a != a)
        return exec_f32(EXEC_NAN_F32);
    const int32_t v = mufu_ex2_argument(a);
    const uint32_t r =
        (uint32_t)(mufu_polynomial_64_rows(mufu_ex2_row, (uint32_t)v & MUFU_FRACTION, square) >>
                   17);
    return mufu_float_of_fields(0, (v >> 23) + 127, r);
}

/* Sine and cosine. The argument is converted to turns: A / (2 pi) in single precision, rounded
 * toward zero, with 25 fraction bits. QUARTERS is added: 0 for the sine, 1 for the cosine. Every
 * second quarter uses the one's complement of the fraction in the same table. */
static inline float mufu_sine(float a, uint32_t quarters)
{
    const double exact = (double)a * (double)exec_f32(0x3e22f983);
    const double turns = exec_f64(exec_bits64(__builtin_fabs(exact)) & ~UINT64_C(0x1fffffff));
    if (!(turns < (double)INFINITY))
        return exec_f32(EXEC_NAN_F32);
    const uint32_t v = (uint32_t)((turns - __builtin_floor(turns)) * 0x1p25);
    const uint32_t quarter = (v >> 23) + quarters, f = v & MUFU_FRACTION;
    const uint32_t minus = exec_bits32(a) & (quarters ? 0 : 0x80000000);
    const uint32_t sign = minus ^ (quarter & 2 ? 0x80000000 : 0);
    if (quarter & 1 && !f)
        return exec_f32(sign | 0x3f800000);
    const uint32_t g = quarter & 1 ? ~f & MUFU_FRACTION : f;
    return mufu_float_of_scaled(
        sign, (uint64_t)mufu_polynomial_64_rows(mufu_sin_row, g, mufu_square_64_rows(g)) >> 1, 39);
}

/* tanh of A. Below 2^-8 the result is the argument; from 8 on it is one. Between 2^-8 and 8,
 * each exponent has 1, 2, 4, 8 or 16 table rows; 17 further bits of the fraction are used, and
 * the result has 41 fraction bits. */
static inline float mufu_tanh(float a)
{
    static const uint8_t first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43}; /* row */
    static const uint8_t bits[] = {
        0, 0, 0, 1, 1, 2,
        2, 2, 3, 4, 3}; /* base-2 logarithm of the number of rows of each exponent */
    const uint32_t u = exec_bits32(a), sign = u & 0x80000000, f = u & MUFU_FRACTION;
    const int e = (int)(u >> 23 & 255) - 0x77;
    if (e < 0)
        return a;
    if (e > 10)
        return a == a ? exec_f32(sign | 0x3f800000) : exec_f32(EXEC_NAN_F32);
    const mufu_row *r = &mufu_tanh_row[first[e] + (f >> (23 - bits[e]))];
    const uint32_t x = f >> (6 - bits[e]) & 0x1ffff;
    return mufu_float_of_scaled(
        sign, (uint64_t)(r->c0 + (int64_t)r->c1 * x + (int64_t)r->c2 * mufu_square(x, 17, 19)), 41);
}

#endif
