/* Tests the list of a GPU's address regions: rounding, merging and lookup
 * (debugger/replay/gpu_regions.c). */
#include "emulator/debugger/replay/gpu_regions.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define UNIT GPU_REGION_UNIT

static void test_regions_are_rounded(void **state)
{
    (void)state;
    gpu_regions r = {0};
    assert_true(gpu_regions_add(&r, 5 * UNIT + 4096, 1));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.list[0].from, 5 * UNIT);
    assert_int_equal(r.list[0].to, 6 * UNIT);
    assert_true(gpu_regions_contain(&r, 5 * UNIT) && gpu_regions_contain(&r, 6 * UNIT - 1));
    assert_false(gpu_regions_contain(&r, 6 * UNIT) || gpu_regions_contain(&r, 5 * UNIT - 1));
    assert_true(gpu_regions_touch(&r, 4 * UNIT, UNIT + 1) &&
                gpu_regions_touch(&r, 6 * UNIT - 1, 9));
    assert_false(gpu_regions_touch(&r, 4 * UNIT, UNIT) || gpu_regions_touch(&r, 6 * UNIT, 9));
    gpu_regions_free(&r);
}

static void test_regions_are_merged(void **state)
{
    (void)state;
    static const uint64_t at[] = {40, 2, 9, 7, 30, 8, 3, 41, 2};
    gpu_regions r = {0};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        assert_true(gpu_regions_add(&r, at[k] * UNIT + 100, UNIT - 100));
    static const gpu_region want[] = {{2, 4}, {7, 10}, {30, 31}, {40, 42}};
    assert_int_equal(r.count, 4);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(r.list[k].from, want[k].from * UNIT);
        assert_int_equal(r.list[k].to, want[k].to * UNIT);
    }
    assert_true(gpu_regions_add(&r, 4 * UNIT, 26 * UNIT)); /* joins three regions */
    assert_int_equal(r.count, 2);
    assert_int_equal(r.list[0].from, 2 * UNIT);
    assert_int_equal(r.list[0].to, 31 * UNIT);
    gpu_regions_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions_are_rounded),
                                       cmocka_unit_test(test_regions_are_merged)};
    return cmocka_run_group_tests_name("regions of a GPU's addresses", tests, NULL, NULL);
}
