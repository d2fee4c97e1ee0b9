/* The fast sums of tensor cores against those for any numbers, bit by bit: for every combination of
 * types and steps of mma, wmma and wgmma, and numbers of many kinds. What a GPU sums is compared in
 * tests/hardware/values. */
#include "emulator/debugger/recording/mix.h"
#define EXEC_ISA v1
#include "emulator/exec/matrix/tensor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef bool sums_fn(const exec_matrix_product *p, const uint32_t *a, const uint32_t *b,
                     const uint32_t *c, uint32_t *d);
sums_fn exec_sums_ordinary_v3, exec_sums_ordinary_v4;

/* What this machine can run, NULL-terminated. */
static sums_fn *const *fast_sums(void)
{
    static sums_fn *list[4] = {exec_sums_ordinary_v1};
#ifdef EXEC_VECTOR_LEVELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[1] = exec_sums_ordinary_v3;
    if (list[1] && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        list[2] = exec_sums_ordinary_v4;
#endif
    return list;
}

#define F16  &exec_format_f16
#define BF16 &exec_format_bf16
#define TF32 &exec_format_tf32
#define E4M3 &exec_format_e4m3
#define E5M2 &exec_format_e5m2
#define F32  &exec_format_f32

#define PRODUCT(m_, n_, k_, a_, b_, d_, step_, fraction_)                                     \
    .m = m_, .n = n_, .k = k_, .batch = 1, .a = a_, .b = b_, .c = d_, .d = d_, .step = step_, \
    .fraction = fraction_
#define UPPER_19 .drop_a = 13, .drop_b = 13

static const exec_matrix_product products[] = {
    {PRODUCT(16, 8, 16, F16, F16, F32, 16, 25)},
    {PRODUCT(16, 8, 8, F16, F16, F16, 16, 25)},
    {PRODUCT(16, 16, 16, F16, F16, F16, 16, 25)},
    {PRODUCT(32, 8, 16, F16, F16, F32, 16, 25)},
    {PRODUCT(8, 32, 16, BF16, BF16, F32, 16, 25)},
    {PRODUCT(16, 8, 8, BF16, BF16, F32, 16, 25)},
    {PRODUCT(16, 8, 8, TF32, TF32, F32, 8, 25), UPPER_19},
    {PRODUCT(16, 8, 4, TF32, TF32, F32, 8, 25), UPPER_19},
    {PRODUCT(16, 16, 8, TF32, TF32, F32, 4, 25), UPPER_19},
    {PRODUCT(16, 8, 32, E4M3, E4M3, F32, 16, 25), .c_last = true},
    {PRODUCT(16, 8, 32, E4M3, E5M2, F16, 16, 25), .c_last = true},
    {PRODUCT(16, 8, 16, E5M2, E5M2, F16, 8, 25), .c_last = true},
    {PRODUCT(16, 32, 32, E4M3, E4M3, F32, 32, 13), .keep = 14},
    {PRODUCT(16, 24, 32, E5M2, E4M3, F32, 32, 13), .keep = 14},
    {PRODUCT(16, 8, 32, E5M2, E5M2, F16, 32, 13)},
    {PRODUCT(16, 32, 16, F16, F16, F32, 16, 25)},
};

static uint64_t state = 1;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(rec_draw_random(&state) >> 16) % n;
}

/* Kinds of numbers. */
typedef enum { NEAR, ANY, TINY, WIDE, LOW, HIGH, LARGEST, ONE_SPECIAL, KINDS } kind;

static int32_t beyond; /* how far LOW and HIGH numbers are beyond what the fast sums take */

/* A number of format F; its unused low bits are random. */
static uint32_t draw(const exec_float_format *f, uint32_t drop, kind how, bool is_sum)
{
    const uint32_t bits = (uint32_t)(rec_draw_random(&state) >> 16), fraction = f->fraction;
    const uint32_t ones = (1u << (fraction + f->exponent)) - 1, low = (1u << fraction) - 1;
    const int32_t bias = (1 << (f->exponent - 1)) - 1, turn = (int32_t)random_below(8);
    const int32_t limit = is_sum ? 100 : 50;
    int32_t e = turn - 4;
    if (how == WIDE)
        e = (int32_t)random_below(2 * (uint32_t)limit + 1) - limit;
    if (how == LOW || how == HIGH)
        e = how == LOW ? -limit - beyond : limit + beyond;
    const int32_t field = e + bias < 0 ? 0 : e + bias >= 2 * bias ? 2 * bias : e + bias;
    uint32_t magnitude = (uint32_t)field << fraction | (bits & low);
    if (how == ANY || (how == ONE_SPECIAL && random_below(300) == 0))
        magnitude = bits & ones;
    if (how == TINY)
        magnitude = turn < 3 ? 0 : bits & (turn < 6 ? low : 4 * low + 3);
    if (how == LARGEST)
        magnitude = (uint32_t)f->highest - (random_below(3) == 0);
    if (how == NEAR && turn == 7)
        magnitude = 0;
    const uint32_t sign = how == LARGEST ? 0 : bits >> 31;
    return (sign << (fraction + f->exponent) | magnitude) << drop | (bits & ((1u << drop) - 1));
}

/* Compare a product of numbers of one kind; returns whether the fast sums computed it. */
static bool compare(sums_fn *fast, const exec_matrix_product *p, kind how, bool cancel)
{
    uint32_t a[EXEC_MAX_TILE_ELEMENTS], b[EXEC_MAX_TILE_ELEMENTS], c[EXEC_MAX_TILE_ELEMENTS];
    uint32_t want[EXEC_MAX_TILE_ELEMENTS], got[EXEC_MAX_TILE_ELEMENTS];
    beyond = (int32_t)(random_below(2) * random_below(25));
    for (uint32_t k = 0; k < (uint32_t)p->m * p->k; k++)
        a[k] = draw(p->a, p->drop_a, how, false);
    for (uint32_t k = 0; k < (uint32_t)p->k * p->n; k++)
        b[k] = draw(p->b, p->drop_b, how, false);
    beyond = (int32_t)(random_below(2) * random_below(25));
    for (uint32_t k = 0; k < (uint32_t)p->m * p->n; k++)
        c[k] = cancel ? 0 : draw(p->c, 0, how, true);
    exec_sums_any_v1(p, a, b, c, want);
    if (cancel) { /* c takes away the sum of the products, but for its last bit */
        for (uint32_t k = 0; k < (uint32_t)p->m * p->n; k++)
            c[k] = (want[k] ^ 1u << (p->d->fraction + p->d->exponent)) ^ random_below(2);
        exec_sums_any_v1(p, a, b, c, want);
    }
    if (!fast(p, a, b, c, got))
        return false;
    for (uint32_t k = 0; k < (uint32_t)p->m * p->n; k++)
        if (got[k] != want[k])
            fail_msg("product %d, numbers of kind %d: element %u is %08x, not %08x",
                     (int)(p - products), how, k, got[k], want[k]);
    return true;
}

static void fast_sums_equal_the_others(void **unused)
{
    (void)unused;
    enum { TURNS = 24 };
    for (sums_fn *const *fast = fast_sums(); *fast; fast++) {
        for (size_t n = 0; n < sizeof products / sizeof *products; n++) {
            for (kind how = 0; how < KINDS; how++) {
                for (uint32_t turn = 0; turn < TURNS; turn++) {
                    const bool cancel = turn % 4 == 3;
                    const bool computed = compare(*fast, &products[n], how, cancel);
                    assert_true(computed || how != NEAR || cancel);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_sums_equal_the_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
