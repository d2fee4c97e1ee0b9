/* Tests floating-point handlers and conversions against exact arithmetic in a wider format. */
#include "emulator/core/handlers.h"
#include "lanes.h"

#include <fenv.h>
#include <math.h>

static float f32_from_bits(uint64_t u)
{
    const uint32_t bits = (uint32_t)u;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint64_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return x != x ? 0x7fffffff : bits;
}

static double f64_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}

static uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* A random operand: an edge case, random bits or a number near 1. */
static uint64_t random_f32_operand(void)
{
    static const uint32_t edge[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x00000001, 0x80000001,
        0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
        0x7fc00000, 0xffc00001, 0x7f800001, 0x3fc00000, 0x40200000, 0x4f000000, 0xcf000000,
        0x4f800000, 0x5f000000, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001};
    const uint64_t r = lanes_random();
    return r % 3 == 0   ? edge[r / 3 % (sizeof edge / sizeof edge[0])]
           : r % 3 == 1 ? (uint32_t)(r >> 16)
                        : (uint32_t)((r >> 16 & 0x807fffff) | (120 + (r >> 8) % 14) << 23);
}

static uint64_t random_f64_operand(void)
{
    const uint64_t r = lanes_random();
    if (r % 3 == 0)
        return bits_of_f64((double)f32_from_bits(random_f32_operand()));
    /* No NaNs: the bits of NaN results are tested with recordings from a GPU instead. */
    const uint64_t u = lanes_random();
    return r % 3 == 1 && (u >> 52 & 0x7ff) != 0x7ff
               ? u
               : (u & 0x800fffffffffffff) | (1010 + r % 30) << 52;
}

/* S + ERROR, rounded to f32 in the given mode. S is the double nearest to the exact number; ERROR
 * has the sign of the remainder. */
static float round_to_f32(double s, double error, int mode)
{
    if (s != s || isinf(s))
        return (float)s;
    const float near = (float)s;
    const double d = (double)near - s;
    const int side = d > 0 ? 1 : d < 0 ? -1 : error < 0 ? 1 : error > 0 ? -1 : 0;
    if (mode == FE_TONEAREST || side == 0)
        return near;
    const bool down = mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && s > 0);
    if (down)
        return side > 0 ? nextafterf(near, -INFINITY) : near;
    return side < 0 ? nextafterf(near, INFINITY) : near;
}

static uint64_t rounded_sum(uint64_t a, uint64_t b, int mode)
{
    const double x = (double)f32_from_bits(a), y = (double)f32_from_bits(b), s = x + y;
    const double part = s - x;
    double error = (x - (s - part)) + (y - part);
    if (isnan(error))
        error = 0;
    if (s == 0 && error == 0 && mode == FE_DOWNWARD && (signbit(x) || signbit(y)))
        return 0x80000000;
    return bits_of_f32(round_to_f32(s, error, mode));
}

#define REF(name, expression)                                \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
    {                                                        \
        (void)a;                                             \
        (void)b;                                             \
        (void)c;                                             \
        return expression;                                   \
    }

static uint64_t flush_to_zero(uint64_t u)
{
    return u & 0x7f800000 ? u : u & 0x80000000;
}

static uint64_t saturate(uint64_t u)
{
    const float x = f32_from_bits(u);
    return x > 1 ? 0x3f800000 : x > 0 ? u : 0;
}

static uint64_t rounded_product(uint64_t a, uint64_t b, int mode)
{
    /* The product has 48 bits, so it is exact in a double. */
    return bits_of_f32(round_to_f32((double)f32_from_bits(a) * (double)f32_from_bits(b), 0, mode));
}

static uint64_t rounded_quotient(uint64_t a, uint64_t b, int mode)
{
    const double x = (double)f32_from_bits(a), y = (double)f32_from_bits(b), q = x / y;
    double error = fma(-q, y, x); /* exact; its sign divided by y's is that of the remainder */
    error = isnan(error) ? 0 : y < 0 ? -error : error;
    return bits_of_f32(round_to_f32(q, error, mode));
}

static uint64_t rounded_root(uint64_t a, int mode)
{
    const double x = (double)f32_from_bits(a), r = sqrt(x);
    const double error = fma(-r, r, x);
    return bits_of_f32(round_to_f32(r, isnan(error) ? 0 : error, mode));
}

REF(add_rn, rounded_sum(a, b, FE_TONEAREST))
REF(sub_rn, rounded_sum(a, b ^ 0x80000000, FE_TONEAREST))
REF(add_rz, rounded_sum(a, b, FE_TOWARDZERO))
REF(add_rm, rounded_sum(a, b, FE_DOWNWARD))
REF(add_rp, rounded_sum(a, b, FE_UPWARD))
REF(add_ftz, flush_to_zero(rounded_sum(flush_to_zero(a), flush_to_zero(b), FE_TONEAREST)))
REF(add_sat, saturate(rounded_sum(a, b, FE_TONEAREST)))
REF(mul_rn, rounded_product(a, b, FE_TONEAREST))
REF(mul_rz, rounded_product(a, b, FE_TOWARDZERO))
REF(mul_rm, rounded_product(a, b, FE_DOWNWARD))
REF(mul_rp, rounded_product(a, b, FE_UPWARD))
REF(fma_rn, bits_of_f32(fmaf(f32_from_bits(a), f32_from_bits(b), f32_from_bits(c))))
REF(div_rn, rounded_quotient(a, b, FE_TONEAREST))
REF(div_rz, rounded_quotient(a, b, FE_TOWARDZERO))
REF(rcp_rp, rounded_quotient(0x3f800000, a, FE_UPWARD))
REF(sqrt_rn, rounded_root(a, FE_TONEAREST))
REF(sqrt_rm, rounded_root(a, FE_DOWNWARD))

/* Operands whose product or quotient is within a few units of 2^-126. */
static uint64_t random_operands_near_least_normal(bool quotient)
{
    static float first[SM_LANES];
    static unsigned count;
    const unsigned k = count++ % (3 * SM_LANES), l = k % SM_LANES;
    const uint64_t r = lanes_random();
    if (k < SM_LANES) {
        first[l] = ldexpf(f32_from_bits(0x3f800000 | (r & 0x807fffff)), quotient ? -20 : -63);
        return bits_of_f32(first[l]);
    }
    const float x = (quotient ? first[l] / 0x1p-126f : 0x1p-126f / first[l]);
    return k < 2 * SM_LANES ? bits_of_f32(x) + r % 3 - 1 : 0;
}

static uint64_t random_factors_near_least_normal(void)
{
    return random_operands_near_least_normal(false);
}

static uint64_t random_quotient_near_least_normal(void)
{
    return random_operands_near_least_normal(true);
}

/* BITS, flushed to zero if X + ERROR would round to less than 2^-126 with unbounded exponents. */
static uint64_t flush_tiny(uint64_t bits, double x, double error, int mode)
{
    const float high = round_to_f32(x * 0x1p64, error, mode);
    return fabsf(high) < 0x1p-62f ? bits & 0x80000000 : bits;
}

static uint64_t product_ftz(uint64_t a, uint64_t b, int mode)
{
    return flush_tiny(rounded_product(a, b, mode),
                      (double)f32_from_bits(a) * (double)f32_from_bits(b), 0, mode);
}

static uint64_t quotient_ftz(uint64_t a, uint64_t b, int mode)
{
    const double x = (double)f32_from_bits(a), y = (double)f32_from_bits(b), q = x / y;
    const double error = fma(-q, y, x);
    return flush_tiny(rounded_quotient(a, b, mode), q, y < 0 ? -error : error, mode);
}

REF(mul_ftz_rn, product_ftz(a, b, FE_TONEAREST))
REF(mul_ftz_rm, product_ftz(a, b, FE_DOWNWARD))
REF(mul_ftz_rp, product_ftz(a, b, FE_UPWARD))
REF(mul_ftz_sat, saturate(product_ftz(a, b, FE_TONEAREST)))
REF(div_ftz_rn, quotient_ftz(a, b, FE_TONEAREST))
REF(div_ftz_rm, quotient_ftz(a, b, FE_DOWNWARD))

static void test_flush_near_least_normal(void **state)
{
    (void)state;
#define NEAR(op, draw, ref) lanes_check(op " %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, draw, ref)
    NEAR("mul.ftz.f32", random_factors_near_least_normal, mul_ftz_rn);
    NEAR("mul.rm.ftz.f32", random_factors_near_least_normal, mul_ftz_rm);
    NEAR("mul.rp.ftz.f32", random_factors_near_least_normal, mul_ftz_rp);
    NEAR("mul.ftz.sat.f32", random_factors_near_least_normal, mul_ftz_sat);
    NEAR("div.rn.ftz.f32", random_quotient_near_least_normal, div_ftz_rn);
    NEAR("div.rm.ftz.f32", random_quotient_near_least_normal, div_ftz_rm);
#undef NEAR
    lanes_check("fma.rn.ftz.f32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3",
                random_factors_near_least_normal, mul_ftz_rn);
    lanes_check("fma.rp.ftz.f32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3",
                random_factors_near_least_normal, mul_ftz_rp);
}

static void test_rounding(void **state)
{
    (void)state;
    lanes_check("add.rn.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, add_rn);
    lanes_check("sub.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, sub_rn);
    lanes_check("add.rz.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, add_rz);
    lanes_check("add.rm.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, add_rm);
    lanes_check("add.rp.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, add_rp);
    lanes_check("add.ftz.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand,
                add_ftz);
    lanes_check("add.sat.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand,
                add_sat);
    lanes_check("mul.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, mul_rn);
    lanes_check("mul.rz.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, mul_rz);
    lanes_check("mul.rm.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, mul_rm);
    lanes_check("mul.rp.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, mul_rp);
    lanes_check("fma.rn.f32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", random_f32_operand,
                fma_rn);
    lanes_check("div.rn.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, div_rn);
    lanes_check("div.rz.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, div_rz);
    lanes_check("rcp.rp.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, rcp_rp);
    lanes_check("sqrt.rn.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, sqrt_rn);
    lanes_check("sqrt.rm.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, sqrt_rm);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

/* --- min, max, comparisons ---------------------------------------------------------------------*/
/* Map f32 bits to integers of the same order, with -0 below +0. */
static int64_t order_key(uint64_t u)
{
    return u & 0x80000000 ? -(int64_t)(u & 0x7fffffff) - 1 : (int64_t)u;
}

static bool is_f32_nan(uint64_t u)
{
    return (u & 0x7fffffff) > 0x7f800000;
}

static uint64_t min_or_max(uint64_t a, uint64_t b, bool greater)
{
    if (is_f32_nan(a) || is_f32_nan(b))
        return is_f32_nan(a) && is_f32_nan(b) ? 0x7fffffff : is_f32_nan(a) ? b : a;
    return (order_key(a) < order_key(b)) != greater ? a : b;
}

REF(min32, min_or_max(a, b, false))
REF(max32, min_or_max(a, b, true))
REF(max_nan, is_f32_nan(a) || is_f32_nan(b) ? 0x7fffffff : min_or_max(a, b, true))
REF(min_xorsign, is_f32_nan(a) && is_f32_nan(b)
                     ? 0x7fffffff
                     : min_or_max(a & 0x7fffffff, b & 0x7fffffff, false) | ((a ^ b) & 0x80000000))
REF(lt, f32_from_bits(a) < f32_from_bits(b))
REF(ne, !is_f32_nan(a) && !is_f32_nan(b) && f32_from_bits(a) != f32_from_bits(b))
REF(neu, f32_from_bits(a) != f32_from_bits(b))
REF(geu, is_f32_nan(a) || is_f32_nan(b) || f32_from_bits(a) >= f32_from_bits(b))
REF(is_nan, is_f32_nan(a) || is_f32_nan(b))

static void test_order(void **state)
{
    (void)state;
    lanes_check("min.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, min32);
    lanes_check("max.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand, max32);
    lanes_check("max.NaN.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand,
                max_nan);
    lanes_check("min.xorsign.abs.f32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_f32_operand,
                min_xorsign);
    lanes_check("setp.lt.f32 %p0, %r1, %r2;", "%p0", "%r1", "%r2", NULL, random_f32_operand, lt);
    lanes_check("setp.ne.f32 %p0, %r1, %r2;", "%p0", "%r1", "%r2", NULL, random_f32_operand, ne);
    lanes_check("setp.neu.f32 %p0, %r1, %r2;", "%p0", "%r1", "%r2", NULL, random_f32_operand, neu);
    lanes_check("setp.geu.f32 %p0, %r1, %r2;", "%p0", "%r1", "%r2", NULL, random_f32_operand, geu);
    lanes_check("setp.nan.f32 %p0, %r1, %r2;", "%p0", "%r1", "%r2", NULL, random_f32_operand,
                is_nan);
}

/* --- conversions -------------------------------------------------------------------------------*/
static uint64_t saturated_int(double x, double low, double high)
{
    return x != x ? 0 : (uint64_t)(int64_t)(x < low ? low : x > high ? high : x);
}

REF(rzi_s32, (uint32_t)saturated_int(trunc((double)f32_from_bits(a)), -0x1p31, 0x1p31 - 1))
REF(rni_s32, (uint32_t)saturated_int(rint((double)f32_from_bits(a)), -0x1p31, 0x1p31 - 1))
REF(rmi_s32, (uint32_t)saturated_int(floor((double)f32_from_bits(a)), -0x1p31, 0x1p31 - 1))
REF(rzi_u32, saturated_int(trunc((double)f32_from_bits(a)), 0, 0x1p32 - 1))
REF(rpi_u32, saturated_int(ceil((double)f32_from_bits(a)), 0, 0x1p32 - 1))
REF(rzi_s8, saturated_int(trunc((double)f32_from_bits(a)), -128, 127) & 0xffff)
REF(rzi_u16, saturated_int(trunc((double)f32_from_bits(a)), 0, 65535))
REF(s32_f32, bits_of_f32(round_to_f32((double)(int32_t)a, 0, FE_TONEAREST)))
REF(u32_f32_rz, bits_of_f32(round_to_f32((double)(uint32_t)a, 0, FE_TOWARDZERO)))
REF(s64_f32_rn, bits_of_f32((float)(int64_t)a))
REF(u64_f64, bits_of_f64((double)a))

/* A NaN of f64 in a format of FRACTION and EXPONENT bits: quiet, with its sign and upper payload.
 */
static uint64_t nan_of_f64(uint64_t u, unsigned fraction, unsigned exponent)
{
    const uint64_t field = ((1u << exponent) - 1) << 1 | 1;
    return (u >> 63) << (fraction + exponent) | field << (fraction - 1) |
           (u & 0x7ffffffffffff) >> (52 - fraction);
}

static uint64_t f64_to_f32_bits(uint64_t u, int mode)
{
    const double x = f64_from_bits(u);
    return x != x ? nan_of_f64(u, 23, 8) : bits_of_f32(round_to_f32(x, 0, mode));
}

REF(f64_f32_rn, f64_to_f32_bits(a, FE_TONEAREST))
REF(f64_f32_rm, f64_to_f32_bits(a, FE_DOWNWARD))
REF(f64_f32_rp, f64_to_f32_bits(a, FE_UPWARD))
REF(sext, (uint64_t)(int64_t)(int32_t)a)
REF(low16, a & 0xffff)
REF(s8_s32, (uint64_t)(int64_t)(int8_t)a & 0xffffffff)
REF(sat_u8_s32, (int32_t)a<0 ? 0 : (int32_t)a> 255 ? 255 : a)
REF(sat_s16_s64, (uint16_t)((int64_t)a<-32768 ? -32768 : (int64_t)a> 32767 ? 32767 : (int64_t)a))

static double f16_to_double(uint64_t h)
{
    const int e = (int)(h >> 10 & 31);
    const double m = (double)(h & 0x3ff);
    const double x = e == 31 ? (h & 0x3ff ? NAN : INFINITY)
                     : e     ? ldexp(1024 + m, e - 25)
                             : ldexp(m, -24);
    return h & 0x8000 ? -x : x;
}

/* The f16 nearest to X, by search: follows the definition in the PTX ISA and shares no code with
 * the handlers. */
static uint64_t f16_from_double(double x)
{
    if (x != x)
        return 0x7fff;
    const uint64_t sign = signbit(x) ? 0x8000 : 0;
    x = fabs(x);
    if (x >= 65520)
        return sign | 0x7c00;
    uint64_t low = 0, high = 0x7bff; /* binary search for the largest f16 that is not above x */
    while (low < high) {
        const uint64_t middle = (low + high + 1) / 2;
        if (f16_to_double(middle) <= x)
            low = middle;
        else
            high = middle - 1;
    }
    const double above = low == 0x7bff ? 65536 : f16_to_double(low + 1);
    const double down = x - f16_to_double(low), up = above - x;
    return sign | (down < up || (down == up && !(low & 1)) ? low : low + 1);
}

REF(f32_f16, f16_from_double((double)f32_from_bits(a)))
REF(f16_f32, bits_of_f32((float)f16_to_double(a)))
REF(f64_f16,
    f64_from_bits(a) != f64_from_bits(a) ? nan_of_f64(a, 10, 5) : f16_from_double(f64_from_bits(a)))
REF(f16_add, f16_from_double(f16_to_double(a) + f16_to_double(b)))
REF(f16_mul, f16_from_double(f16_to_double(a) * f16_to_double(b)))
REF(f16_rni_s32, (uint32_t)saturated_int(rint(f16_to_double(a)), -0x1p31, 0x1p31 - 1))

static uint64_t f16_fma(uint64_t a, uint64_t b, uint64_t c)
{
    /* The 64-bit mantissa of long double holds the sum exactly unless it spans 2^16 to 2^-48;
     * operands are chosen to avoid that. */
    return f16_from_double((double)((long double)f16_to_double(a) * (long double)f16_to_double(b) +
                                    (long double)f16_to_double(c)));
}

/* Pairs of halves. */
#define PAIR_REF(name, of)                                                     \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                   \
    {                                                                          \
        return of(a & 0xffff, b & 0xffff, c & 0xffff) |                        \
               of(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16; \
    }

PAIR_REF(pair_add, f16_add)
PAIR_REF(pair_mul, f16_mul)
PAIR_REF(pair_fma, f16_fma)

static uint64_t random_f16_operand(void)
{
    return lanes_random() >> 13 & 0xffff;
}

/* A random f16 with an exponent near the others, so that a double holds products and sums
 * exactly. */
static uint64_t random_f16_near_others(void)
{
    const uint64_t r = lanes_random();
    return (r & 0x83ff) | (8 + (r >> 20) % 14) << 10;
}

static uint64_t random_pair(void)
{
    return lanes_random() >> 13 & 0xffffffff;
}

static uint64_t random_pair_near_others(void)
{
    return random_f16_near_others() | random_f16_near_others() << 16;
}

static void test_pairs_of_halves(void **state)
{
    (void)state;
    lanes_check("add.rn.f16x2 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_pair, pair_add);
    lanes_check("mul.rn.f16x2 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_pair, pair_mul);
    lanes_check("fma.rn.f16x2 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", random_pair,
                pair_fma);
    lanes_check("fma.rn.f16x2 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3",
                random_pair_near_others, pair_fma);
}

static void test_conversions(void **state)
{
    (void)state;
    lanes_check("cvt.rzi.s32.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, rzi_s32);
    lanes_check("cvt.rni.s32.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, rni_s32);
    lanes_check("cvt.rmi.s32.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, rmi_s32);
    lanes_check("cvt.rzi.u32.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, rzi_u32);
    lanes_check("cvt.rpi.u32.f32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_f32_operand, rpi_u32);
    lanes_check("cvt.rzi.s8.f32 %h0, %r1;", "%h0", "%r1", NULL, NULL, random_f32_operand, rzi_s8);
    lanes_check("cvt.rzi.u16.f32 %h0, %r1;", "%h0", "%r1", NULL, NULL, random_f32_operand, rzi_u16);
    lanes_check("cvt.rn.f32.s32 %r0, %r1;", "%r0", "%r1", NULL, NULL, lanes_random, s32_f32);
    lanes_check("cvt.rz.f32.u32 %r0, %r1;", "%r0", "%r1", NULL, NULL, lanes_random, u32_f32_rz);
    lanes_check("cvt.rn.f32.s64 %r0, %d1;", "%r0", "%d1", NULL, NULL, lanes_random, s64_f32_rn);
    lanes_check("cvt.rn.f64.u64 %d0, %d1;", "%d0", "%d1", NULL, NULL, lanes_random, u64_f64);
    lanes_check("cvt.rn.f32.f64 %r0, %d1;", "%r0", "%d1", NULL, NULL, random_f64_operand,
                f64_f32_rn);
    lanes_check("cvt.rm.f32.f64 %r0, %d1;", "%r0", "%d1", NULL, NULL, random_f64_operand,
                f64_f32_rm);
    lanes_check("cvt.rp.f32.f64 %r0, %d1;", "%r0", "%d1", NULL, NULL, random_f64_operand,
                f64_f32_rp);
    lanes_check("cvt.s64.s32 %d0, %r1;", "%d0", "%r1", NULL, NULL, lanes_random, sext);
    lanes_check("cvt.u16.u32 %h0, %r1;", "%h0", "%r1", NULL, NULL, lanes_random, low16);
    lanes_check("cvt.u64.u16 %d0, %h1;", "%d0", "%h1", NULL, NULL, lanes_random, low16);
    lanes_check("cvt.s32.s8 %r0, %r1;", "%r0", "%r1", NULL, NULL, lanes_random, s8_s32);
    lanes_check("cvt.sat.u8.s32 %r0, %r1;", "%r0", "%r1", NULL, NULL, lanes_random, sat_u8_s32);
    lanes_check("cvt.sat.s16.s64 %h0, %d1;", "%h0", "%d1", NULL, NULL, lanes_random, sat_s16_s64);
}

static void test_half(void **state)
{
    (void)state;
    lanes_check("cvt.rn.f16.f32 %h0, %r1;", "%h0", "%r1", NULL, NULL, random_f32_operand, f32_f16);
    lanes_check("cvt.rn.f16.f64 %h0, %d1;", "%h0", "%d1", NULL, NULL, random_f64_operand, f64_f16);
    lanes_check("cvt.f32.f16 %r0, %h1;", "%r0", "%h1", NULL, NULL, random_f16_operand, f16_f32);
    lanes_check("cvt.rni.s32.f16 %r0, %h1;", "%r0", "%h1", NULL, NULL, random_f16_operand,
                f16_rni_s32);
    lanes_check("add.f16 %h0, %h1, %h2;", "%h0", "%h1", "%h2", NULL, random_f16_operand, f16_add);
    lanes_check("mul.f16 %h0, %h1, %h2;", "%h0", "%h1", "%h2", NULL, random_f16_operand, f16_mul);
    lanes_check("fma.rn.f16 %h0, %h1, %h2, %h3;", "%h0", "%h1", "%h2", "%h3",
                random_f16_near_others, f16_fma);
}

/* (1 + 2^-10) * 1.5 = 1.5 + 1.5 * 2^-10 is a tie for 11 bits; adding +-2^-24 decides the tie, but
 * would have no effect if the product were rounded first. */
static void check_ties(const char *text, const char *const name[4], uint64_t both)
{
    for (const sm_handlers *const *level = lanes_levels(); *level; level++) {
        lanes_insn x;
        assert_true(lanes_prepare(&x, *level, text));
        uint64_t v[4][SM_LANES];
        for (uint32_t l = 0; l < SM_LANES; l++) {
            v[1][l] = (l & 2 ? 0xbc01 : 0x3c01) * both;
            v[2][l] = 0x3e00 * both;
            v[3][l] = (l & 1 ? 0x8001 : 0x0001) * both;
        }
        for (uint32_t k = 1; k < 4; k++)
            lanes_write_register(&x, name[k], v[k]);
        lanes_run(&x, SM_FULL, NULL);
        lanes_read_register(&x, name[0], v[0]);
        static const uint64_t want[4] = {0x3e02, 0x3e01, 0xbe01, 0xbe02};
        for (uint32_t l = 0; l < SM_LANES; l++)
            assert_int_equal(v[0][l], want[l % 4] * both);
        lanes_free(&x);
    }
}

static void test_fma_rounds_once(void **state)
{
    (void)state;
    check_ties("fma.rn.f16 %h0, %h1, %h2, %h3;", (const char *[]){"%h0", "%h1", "%h2", "%h3"}, 1);
    check_ties("fma.rn.f16x2 %r0, %r1, %r2, %r3;", (const char *[]){"%r0", "%r1", "%r2", "%r3"},
               0x10001);
}

/* --- approximations ----------------------------------------------------------------------------*/
/* Check results against FUNCTION with a relative error of at most 2^-22 or an absolute error of at
 * most ABSOLUTE. */
static void check_approximation(const char *text, double (*function)(double), double low,
                                double high, double absolute)
{
    for (const sm_handlers *const *level = lanes_levels(); *level; level++) {
        lanes_insn x;
        assert_true(lanes_prepare(&x, *level, text));
        for (unsigned round = 0; round < 20; round++) {
            uint64_t a[SM_LANES], d[SM_LANES];
            for (uint32_t l = 0; l < SM_LANES; l++) {
                const double u = (double)(lanes_random() >> 11) * 0x1p-53;
                a[l] = bits_of_f32((float)(low + (high - low) * u));
            }
            lanes_write_register(&x, "%r1", a);
            lanes_run(&x, SM_FULL, NULL);
            lanes_read_register(&x, "%r0", d);
            for (uint32_t l = 0; l < SM_LANES; l++) {
                const double want = function((double)f32_from_bits(a[l])),
                             got = (double)f32_from_bits(d[l]);
                assert_true(fabs(got - want) <= fmax(0x1p-22 * fmax(fabs(want), 1e-3), absolute));
            }
        }
        lanes_free(&x);
    }
}

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static void test_approximations(void **state)
{
    (void)state;
    check_approximation("sin.approx.f32 %r0, %r1;", sin, -3.1, 3.1, 0x1p-21);
    check_approximation("cos.approx.f32 %r0, %r1;", cos, -3.1, 3.1, 0x1p-21);
    check_approximation("ex2.approx.f32 %r0, %r1;", exp2, -20, 20, 0);
    check_approximation("lg2.approx.f32 %r0, %r1;", log2, 0.01, 100, 0x1p-22); /* near 1 */
    check_approximation("tanh.approx.f32 %r0, %r1;", tanh, -3, 3, 0x1p-11);
    check_approximation("rsqrt.approx.f32 %r0, %r1;", rsqrt, 1e-6, 1e6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),        cmocka_unit_test(test_flush_near_least_normal),
        cmocka_unit_test(test_order),           cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_pairs_of_halves), cmocka_unit_test(test_half),
        cmocka_unit_test(test_fma_rounds_once), cmocka_unit_test(test_approximations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
