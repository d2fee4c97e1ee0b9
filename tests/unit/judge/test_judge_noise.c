/* Tests the random inputs ("noise") with which the judge repeats a submission: equal for equal
 * seeds, different for different seeds, and of a kind that a kernel accepts. */
#include "emulator/debugger/judge/noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 1000, LONG_COUNT = 1 << 17 };

static void fills_by_seed(void **state)
{
    (void)state;
    static const rule_type types[] = {RULE_I8, RULE_I32, RULE_I64, RULE_F16, RULE_F32, RULE_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t bytes = COUNT * rule_element_bytes(types[t]);
        uint8_t a[COUNT * 8] = {0}, b[COUNT * 8] = {0}, c[COUNT * 8] = {0};
        fill_with_random_values(a, bytes, types[t], 1);
        fill_with_random_values(b, bytes, types[t], 1);
        fill_with_random_values(c, bytes, types[t], 2);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_not_equal(a, c, bytes);
        for (size_t k = bytes; k < sizeof a; k++)
            assert_int_equal(a[k], 0);
    }
}

static void fills_with_numbers(void **state)
{
    (void)state;
    float real[COUNT];
    int32_t whole[COUNT];
    fill_with_random_values(real, sizeof real, RULE_F32, 3);
    fill_with_random_values(whole, sizeof whole, RULE_I32, 3);
    for (size_t k = 0; k < COUNT; k++) {
        assert_true(fabsf(real[k]) <= 1);
        /* small, because a kernel may add up millions of numbers */
        assert_in_range(whole[k], 0, 999);
        assert_true(k == 0 || real[k] != real[k - 1]);
    }
}

/* Halves are numbers below 1, and among the first thousand are more than half of all that are
 * drawn. */
static void fills_with_halves(void **state)
{
    (void)state;
    uint16_t half[COUNT];
    bool seen[1 << 16] = {false};
    size_t different = 0, negative = 0;
    fill_with_random_values(half, sizeof half, RULE_F16, 3);
    for (size_t k = 0; k < COUNT; k++) {
        const double size = fabs(read_rule_value(RULE_F16, &half[k]));
        assert_true(size >= 0.25 && size < 1);
        different += !seen[half[k]];
        seen[half[k]] = true;
        negative += half[k] >> 15;
    }
    assert_in_range(different, COUNT / 2, COUNT);
    assert_in_range(negative, COUNT / 3, COUNT - COUNT / 3);
}

static void reads_halves(void **state)
{
    (void)state;
    static const struct {
        uint16_t bits;
        double value;
    } known[] = {{0x0000, 0},       {0x0001, 0x1p-24},   {0x03ff, 0x3ffp-24},
                 {0x0400, 0x1p-14}, {0x3555, 0x555p-12}, {0x3c00, 1},
                 {0xc100, -2.5},    {0x7bff, 65504},     {0xfc00, -INFINITY}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        assert_true(read_rule_value(RULE_F16, &known[k].bits) == known[k].value);
    const uint16_t nan = 0x7e00, one = 0x3c00, next = 0x3c01;
    assert_true(isnan(read_rule_value(RULE_F16, &nan)));
    const judge_rule close = {.type = RULE_F16, .tolerance = 0x1p-10}, exact = {.type = RULE_F16};
    assert_true(rule_is_element_same(&close, &next, &one));
    assert_false(rule_is_element_same(&exact, &next, &one));
    assert_false(rule_is_element_same(&close, &nan, &one));
}

/* Check that every value of NEW occurs in OLD. */
static void assert_drawn_from(const int32_t *new, const int32_t *old, size_t count)
{
    bool *seen = calloc(COUNT, sizeof *seen);
    for (size_t k = 0; k < count; k++)
        seen[old[k]] = true;
    for (size_t k = 0; k < count; k++)
        assert_true(seen[new[k]]);
    free(seen);
}

static void test_resampled_values(void **state)
{
    (void)state;
    for (size_t count = 2; count <= LONG_COUNT; count *= 16) {
        int32_t *old = malloc(count * sizeof *old), *a = malloc(count * sizeof *a);
        int32_t *b = malloc(count * sizeof *b);
        for (size_t k = 0; k < count; k++)
            old[k] = a[k] = b[k] = (int32_t)(k * 7 % COUNT);
        assert_true(resample_values(a, count * sizeof *a, RULE_I32, 5));
        assert_true(resample_values(b, count * sizeof *b, RULE_I32, 5));
        assert_memory_equal(a, b, count * sizeof *a);
        assert_true(count < 16 || memcmp(a, old, count * sizeof *a));
        assert_drawn_from(a, old, count);
        free(old);
        free(a);
        free(b);
    }
    int32_t one = 4;
    assert_true(resample_values(&one, sizeof one, RULE_I32, 5) && one == 4);
}

static void replaces_value_by_value(void **state)
{
    (void)state;
    const float given[] = {0.5f, -2, 0.5f, 0, 0.5f, 1e30f};
    float a[6], b[6], halo[3];
    memcpy(a, given, sizeof a);
    memcpy(b, given, sizeof b);
    memcpy(halo, given + 3, sizeof halo);
    replace_values(a, sizeof a, RULE_F32, 0, 7);
    replace_values(b, sizeof b, RULE_F32, 0, 8);
    replace_values(halo, sizeof halo, RULE_F32, 3, 7);
    assert_memory_equal(halo, a + 3, sizeof halo); /* a halo is copied twice */
    assert_true(a[0] != a[2] && a[2] != a[4]);     /* and equal elements do not stay equal */
    assert_true(a[0] != a[1] && a[1] != a[3] && a[3] != a[5]);
    for (size_t k = 0; k < 6; k++)
        assert_true(a[k] != given[k] && a[k] != b[k] && fabsf(a[k]) <= 0.5f);
    memcpy(a, given, sizeof a);
    replace_values(a, sizeof a, RULE_F32, NOISE_NO_POSITION, 7);
    assert_true(a[0] == a[2] && a[2] == a[4] && a[0] != a[1]);
}

/* Integers are few, below 1000, so a hundred of them are counted. */
static void replaces_integers_by_key_and_position(void **state)
{
    (void)state;
    static const rule_type types[] = {RULE_I8, RULE_I32, RULE_I64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t size = rule_element_bytes(types[t]);
        uint8_t a[100 * 8] = {0}, b[100 * 8] = {0}, plain[100 * 8] = {0};
        size_t same_place = 0, same_key = 0;
        replace_values(a, 100 * size, types[t], 0, 7);
        replace_values(b, 100 * size, types[t], 0, 8);
        replace_values(plain, 100 * size, types[t], NOISE_NO_POSITION, 7);
        for (size_t k = 0; k < 100; k++) {
            same_place += !memcmp(a + k * size, b + k * size, size);
            same_key += !memcmp(a + k * size, a, size);
            assert_memory_equal(plain + k * size, plain, size);
        }
        assert_in_range(same_place, 0, 10);
        assert_in_range(same_key, 1, 10);
    }
}

static void test_positions_depend_on_seed(void **state)
{
    (void)state;
    bool seen[16] = {false};
    size_t places = 0;
    for (uint64_t k = 0; k < 400; k++) {
        const uint64_t at = noise_sample_index(9, k, 16);
        assert_in_range(at, 0, 15);
        assert_int_equal(at, noise_sample_index(9, k, 16));
        places += !seen[at];
        seen[at] = true;
    }
    assert_int_equal(places, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_by_seed),
                                       cmocka_unit_test(fills_with_numbers),
                                       cmocka_unit_test(fills_with_halves),
                                       cmocka_unit_test(reads_halves),
                                       cmocka_unit_test(test_resampled_values),
                                       cmocka_unit_test(replaces_value_by_value),
                                       cmocka_unit_test(replaces_integers_by_key_and_position),
                                       cmocka_unit_test(test_positions_depend_on_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
