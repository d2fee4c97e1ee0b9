/* Tests handlers of integer, logic, move and comparison instructions against 128-bit arithmetic,
 * for every vector instruction set of the host. */
#include "emulator/core/handlers.h"
#include "lanes.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

/* A random operand: a small number, an edge case or random bits. */
static uint64_t random_int_operand(void)
{
    static const uint64_t edge[] = {0,
                                    1,
                                    2,
                                    31,
                                    32,
                                    33,
                                    64,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff};
    const uint64_t r = lanes_random();
    return r % 3 == 0 ? edge[r / 3 % 16] : r % 3 == 1 ? r >> 8 >> (r % 56) : lanes_random();
}

/* Define a reference function for one lane with sources a, b and c. */
#define REF(name, expression)                                \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
    {                                                        \
        (void)a;                                             \
        (void)b;                                             \
        (void)c;                                             \
        return expression;                                   \
    }

#define S32(x) ((int64_t)(int32_t)(x))
#define S16(x) ((int64_t)(int16_t)(x))
#define S64(x) ((s128)(int64_t)(x))
#define U32(x) ((uint64_t)(uint32_t)(x))

static uint64_t clamp(s128 x, s128 low, s128 high)
{
    return (uint64_t)(x < low ? low : x > high ? high : x);
}

REF(add16, (a + b) & 0xffff)
REF(add32, U32(a + b))
REF(add64, a + b)
REF(add_sat, U32(clamp(S32(a) + S32(b), INT32_MIN, INT32_MAX)))
REF(sub_sat, U32(clamp(S32(a) - S32(b), INT32_MIN, INT32_MAX)))
REF(add16x2, ((a + b) & 0xffff) | U32(((a >> 16) + (b >> 16)) << 16))
REF(sub32, U32(a - b))
REF(sub64, a - b)
REF(mul_lo16, a *b & 0xffff)
REF(mul_hi16s, (uint64_t)(S16(a) * S16(b) >> 16) & 0xffff)
REF(mul_wide16s, U32(S16(a) * S16(b)))
REF(mul_lo32, U32(a *b))
REF(mul_hi32u, a *b >> 32)
REF(mul_hi32s, U32(S32(a) * S32(b) >> 32))
REF(mul_wide32u, a *b)
REF(mul_wide32s, (uint64_t)(S32(a) * S32(b)))
REF(mul_hi64u, (uint64_t)((u128)a *b >> 64))
REF(mul_hi64s, (uint64_t)(S64(a) * S64(b) >> 64))
REF(mad_lo32, U32(a *b + c))
REF(mad_wide32s, (uint64_t)(S32(a) * S32(b)) + c)
REF(mad_hi64, (uint64_t)((u128)a *b >> 64) + c)
REF(mad_sat, U32(clamp((S32(a) * S32(b) >> 32) + S32(c), INT32_MIN, INT32_MAX)))
REF(div32u, b ? a / b : 0xffffffff)
REF(div32s, b ? U32(S32(a) / S32(b)) : 0xffffffff)
REF(div64u, b ? a / b : UINT64_MAX)
REF(div64s, b ? (uint64_t)(S64(a) / S64(b)) : UINT64_MAX)
REF(rem32u, b ? a % b : 0xffffffff)
REF(rem32s, b ? U32(S32(a) % S32(b)) : 0xffffffff)
REF(rem64s, b ? (uint64_t)(S64(a) % S64(b)) : UINT64_MAX)
REF(sad32, U32(c + (uint64_t)(S32(a) > S32(b) ? S32(a) - S32(b) : S32(b) - S32(a))))
REF(min32s, S32(a) < S32(b) ? a : b)
REF(max16s, S16(a) > S16(b) ? a : b)
REF(max64u, a > b ? a : b)
REF(neg32, U32(0 - a))
REF(abs64, (int64_t)a < 0 ? 0 - a : a)

static void test_arithmetic(void **state)
{
    (void)state;
    lanes_check("add.s16 %h0, %h1, %h2;", "%h0", "%h1", "%h2", NULL, random_int_operand, add16);
    lanes_check("add.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, add32);
    lanes_check("add.s64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, add64);
    lanes_check("add.sat.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand,
                add_sat);
    lanes_check("sub.sat.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand,
                sub_sat);
    lanes_check("add.u16x2 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, add16x2);
    lanes_check("sub.u32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, sub32);
    lanes_check("sub.s64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, sub64);
    lanes_check("mul.lo.s16 %h0, %h1, %h2;", "%h0", "%h1", "%h2", NULL, random_int_operand,
                mul_lo16);
    lanes_check("mul.hi.s16 %h0, %h1, %h2;", "%h0", "%h1", "%h2", NULL, random_int_operand,
                mul_hi16s);
    lanes_check("mul.wide.s16 %r0, %h1, %h2;", "%r0", "%h1", "%h2", NULL, random_int_operand,
                mul_wide16s);
    lanes_check("mul.lo.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand,
                mul_lo32);
    lanes_check("mul.hi.u32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand,
                mul_hi32u);
    lanes_check("mul.hi.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand,
                mul_hi32s);
    lanes_check("mul.wide.u32 %d0, %r1, %r2;", "%d0", "%r1", "%r2", NULL, random_int_operand,
                mul_wide32u);
    lanes_check("mul.wide.s32 %d0, %r1, %r2;", "%d0", "%r1", "%r2", NULL, random_int_operand,
                mul_wide32s);
    lanes_check("mul.hi.u64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand,
                mul_hi64u);
    lanes_check("mul.hi.s64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand,
                mul_hi64s);
    lanes_check("mad.lo.s32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", random_int_operand,
                mad_lo32);
    lanes_check("mad.wide.s32 %d0, %r1, %r2, %d3;", "%d0", "%r1", "%r2", "%d3", random_int_operand,
                mad_wide32s);
    lanes_check("mad.hi.u64 %d0, %d1, %d2, %d3;", "%d0", "%d1", "%d2", "%d3", random_int_operand,
                mad_hi64);
    lanes_check("mad.hi.sat.s32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3",
                random_int_operand, mad_sat);
    lanes_check("sad.s32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", random_int_operand,
                sad32);
    lanes_check("min.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, min32s);
    lanes_check("max.s16 %h0, %h1, %h2;", "%h0", "%h1", "%h2", NULL, random_int_operand, max16s);
    lanes_check("max.u64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, max64u);
    lanes_check("neg.s32 %r0, %r1;", "%r0", "%r1", NULL, NULL, random_int_operand, neg32);
    lanes_check("abs.s64 %d0, %d1;", "%d0", "%d1", NULL, NULL, random_int_operand, abs64);
    /* The destination may also be a source. */
    lanes_check("mul.lo.s32 %r1, %r1, %r2;", "%r1", "%r1", "%r2", NULL, random_int_operand,
                mul_lo32);
}

static void test_division(void **state)
{
    (void)state;
    lanes_check("div.u32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, div32u);
    lanes_check("div.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, div32s);
    lanes_check("div.u64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, div64u);
    lanes_check("div.s64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, div64s);
    lanes_check("rem.u32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, rem32u);
    lanes_check("rem.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, rem32s);
    lanes_check("rem.s64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, rem64s);
}

/* --- logic and shifts --------------------------------------------------------------------------*/
REF(and32, a &b)
REF(not16, ~a & 0xffff)
REF(lop3_ca, U32((a & b) | (~a & c)))
REF(shl32, b < 32 ? U32(a << b) : 0)
REF(shl64, b < 64 ? a << b : 0)
REF(shl_3, U32(a << 3))
REF(shl_40, 0)
REF(shr16s, (uint64_t)(S16(a) >> (b < 16 ? b : 15)) & 0xffff)
REF(shr32s, U32(S32(a) >> (b < 32 ? b : 31)))
REF(shr64u, b < 64 ? a >> b : 0)
REF(shf_l_wrap, U32((b << 32 | a) << (c & 31) >> 32))
REF(shf_r_clamp, U32((u128)(b << 32 | a) >> (c < 32 ? c : 32)))

static uint64_t prmt(uint64_t a, uint64_t b, uint64_t c)
{
    uint8_t byte[8];
    const uint64_t both = b << 32 | a;
    memcpy(byte, &both, 8);
    uint64_t r = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned n = c >> (4 * k) & 15;
        const unsigned value = n & 8 ? (byte[n & 7] >> 7) * 255u : byte[n & 7];
        r |= (uint64_t)value << (8 * k);
    }
    return r;
}

static uint64_t bfe_s32(uint64_t a, uint64_t b, uint64_t c)
{
    /* Bit by bit, following the definition in the ISA. */
    const int msb = 31, pos = b & 0xff, len = c & 0xff;
    const int sign_at = pos + len - 1 < msb ? pos + len - 1 : msb;
    const bool sign = len && a >> sign_at & 1;
    uint64_t r = 0;
    for (int k = 0; k <= msb; k++) {
        const bool bit = k < len && pos + k <= msb ? a >> (pos + k) & 1 : sign;
        r |= (uint64_t)bit << k;
    }
    return r;
}

static uint64_t draw_shift_count(void)
{
    const uint64_t r = lanes_random();
    return r & 1 ? r >> 8 : (r >> 8) % 72;
}

static void test_logic(void **state)
{
    (void)state;
    lanes_check("and.b32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand, and32);
    lanes_check("and.b64 %d0, %d1, %d2;", "%d0", "%d1", "%d2", NULL, random_int_operand, and32);
    lanes_check("not.b16 %h0, %h1;", "%h0", "%h1", NULL, NULL, random_int_operand, not16);
    lanes_check("lop3.b32 %r0, %r1, %r2, %r3, 0xca;", "%r0", "%r1", "%r2", "%r3",
                random_int_operand, lop3_ca);
    lanes_check("shl.b32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, draw_shift_count, shl32);
    lanes_check("shl.b64 %d0, %d1, %r2;", "%d0", "%d1", "%r2", NULL, draw_shift_count, shl64);
    lanes_check("shl.b32 %r0, %r1, 3;", "%r0", "%r1", NULL, NULL, random_int_operand, shl_3);
    lanes_check("shl.b32 %r0, %r1, 40;", "%r0", "%r1", NULL, NULL, random_int_operand, shl_40);
    lanes_check("shr.s16 %h0, %h1, %r2;", "%h0", "%h1", "%r2", NULL, draw_shift_count, shr16s);
    lanes_check("shr.s32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, draw_shift_count, shr32s);
    lanes_check("shr.u64 %d0, %d1, %r2;", "%d0", "%d1", "%r2", NULL, draw_shift_count, shr64u);
    lanes_check("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", draw_shift_count,
                shf_l_wrap);
    lanes_check("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", draw_shift_count,
                shf_r_clamp);
    lanes_check("prmt.b32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", random_int_operand,
                prmt);
    lanes_check("bfe.s32 %r0, %r1, %r2, %r3;", "%r0", "%r1", "%r2", "%r3", draw_shift_count,
                bfe_s32);
}

/* --- predicates --------------------------------------------------------------------------------*/
REF(lt32s, S32(a) < S32(b))
REF(ge16s, S16(a) >= S16(b))
REF(gt64u, a > b)
REF(lt_and, S32(a) < S32(b) && c)
REF(ne_xor_not, (a != b) != !c)
REF(selp, c ? a : b)
REF(and_not, a && !b)
REF(set_ge, a >= b ? 0xffffffff : 0)
REF(is_true, 1)

static void test_predicates(void **state)
{
    (void)state;
    lanes_check("setp.lt.s32 %p0, %r1, %r2;", "%p0", "%r1", "%r2", NULL, random_int_operand, lt32s);
    lanes_check("setp.ge.s16 %p0, %h1, %h2;", "%p0", "%h1", "%h2", NULL, random_int_operand, ge16s);
    lanes_check("setp.hi.u64 %p0, %d1, %d2;", "%p0", "%d1", "%d2", NULL, random_int_operand, gt64u);
    lanes_check("setp.lt.and.s32 %p0, %r1, %r2, %p3;", "%p0", "%r1", "%r2", "%p3",
                random_int_operand, lt_and);
    lanes_check("setp.ne.xor.u32 %p0, %r1, %r2, !%p3;", "%p0", "%r1", "%r2", "%p3",
                random_int_operand, ne_xor_not);
    lanes_check("selp.b32 %r0, %r1, %r2, %p3;", "%r0", "%r1", "%r2", "%p3", random_int_operand,
                selp);
    lanes_check("selp.b64 %d0, %d1, %d2, %p3;", "%d0", "%d1", "%d2", "%p3", random_int_operand,
                selp);
    lanes_check("and.pred %p0, %p1, !%p2;", "%p0", "%p1", "%p2", NULL, random_int_operand, and_not);
    lanes_check("set.ge.u32.u32 %r0, %r1, %r2;", "%r0", "%r1", "%r2", NULL, random_int_operand,
                set_ge);
    lanes_check("mov.pred %p0, 1;", "%p0", NULL, NULL, NULL, random_int_operand, is_true);
}

/* --- carry chains ------------------------------------------------------------------------------*/
/* A 96-bit sum and difference of three 32-bit words agree with 128-bit arithmetic. */
static void test_carry(void **state)
{
    (void)state;
    static const char *const add[] = {"add.cc.u32 %r0, %r1, %r2;", "addc.cc.u32 %r0, %r1, %r2;",
                                      "addc.u32 %r0, %r1, %r2;"};
    static const char *const sub[] = {"sub.cc.u32 %r0, %r1, %r2;", "subc.cc.u32 %r0, %r1, %r2;",
                                      "subc.u32 %r0, %r1, %r2;"};
    for (const sm_handlers *const *level = lanes_levels(); *level; level++) {
        for (unsigned round = 0; round < 40; round++) {
            uint64_t a[3][SM_LANES], b[3][SM_LANES], r[3][SM_LANES];
            uint32_t carry = (uint32_t)lanes_random();
            for (unsigned k = 0; k < 3; k++) {
                lanes_insn x;
                assert_true(lanes_prepare(&x, *level, round & 1 ? sub[k] : add[k]));
                for (uint32_t l = 0; l < SM_LANES; l++) {
                    a[k][l] = (uint32_t)random_int_operand();
                    b[k][l] = (uint32_t)random_int_operand();
                }
                lanes_write_register(&x, "%r1", a[k]);
                lanes_write_register(&x, "%r2", b[k]);
                lanes_run(&x, SM_FULL, &carry);
                lanes_read_register(&x, "%r0", r[k]);
                lanes_free(&x);
            }
            for (uint32_t l = 0; l < SM_LANES; l++) {
                const u128 p = (u128)a[2][l] << 64 | a[1][l] << 32 | a[0][l];
                const u128 q = (u128)b[2][l] << 64 | b[1][l] << 32 | b[0][l];
                const u128 want = round & 1 ? p - q : p + q;
                for (unsigned k = 0; k < 3; k++)
                    assert_int_equal(r[k][l], (uint32_t)(want >> (32 * k)));
            }
        }
    }
}

/* --- vectors of mov ----------------------------------------------------------------------------*/
REF(pack, b << 32 | a)
REF(unpack_hi, a >> 32)
REF(pack16, b << 16 | a)

static void test_pack(void **state)
{
    (void)state;
    lanes_check("mov.b64 %d0, {%r1, %r2};", "%d0", "%r1", "%r2", NULL, random_int_operand, pack);
    lanes_check("mov.b64 {%r1, %r0}, %d1;", "%r0", "%d1", NULL, NULL, random_int_operand,
                unpack_hi);
    lanes_check("mov.b64 {_, %r0}, %d1;", "%r0", "%d1", NULL, NULL, random_int_operand, unpack_hi);
    lanes_check("mov.b32 %r0, {%h1, %h2};", "%r0", "%h1", "%h2", NULL, random_int_operand, pack16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_division),
        cmocka_unit_test(test_logic),      cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_carry),      cmocka_unit_test(test_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
