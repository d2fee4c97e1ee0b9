/* Tests the snapshots of the stepper: their order, their largest number, and which snapshots are
 * discarded. */
#include "emulator/debugger/step/snapshots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t discarded_count;     /* number of snapshots that were discarded */
static uint64_t last_discarded_tick; /* tick of the snapshot that was discarded last */

static void discard_snapshot(step_snapshot *s)
{
    discarded_count++;
    last_discarded_tick = s->tick;
}

static void add_snapshot(step_snapshots *s, uint64_t tick)
{
    step_snapshots_add(s, (step_snapshot){.tick = tick, .socket = -1});
}

static void expect_sorted_by_tick(const step_snapshots *s)
{
    for (uint32_t k = 1; k < s->count; k++)
        assert_true(s->list[k - 1].tick < s->list[k].tick);
}

static void test_order(void **state)
{
    (void)state;
    static const uint64_t ticks[] = {50, 0, 70, 60, 10};
    step_snapshots s = {.give_up = discard_snapshot};
    for (uint32_t k = 0; k < 5; k++)
        add_snapshot(&s, ticks[k]);
    assert_int_equal(s.count, 5);
    expect_sorted_by_tick(&s);
    assert_int_equal(step_snapshots_before(&s, 59)->tick, 50);
    assert_int_equal(step_snapshots_before(&s, 60)->tick, 60);
    assert_int_equal(step_snapshots_before(&s, UINT64_MAX)->tick, 70);
    discarded_count = 0;
    add_snapshot(&s, 60); /* the same tick again */
    assert_int_equal(s.count, 5);
    assert_int_equal(discarded_count, 1);
    step_snapshots_remove_after(&s, 55);
    assert_int_equal(s.count, 3);
    assert_int_equal(discarded_count, 3);
    s.list[0].tick = 5;
    assert_null(step_snapshots_before(&s, 4));
}

/* After a long run few snapshots remain, including the first and the last; they are dense near the
 * current moment. */
static void test_thinning(void **state)
{
    (void)state;
    step_snapshots s = {.give_up = discard_snapshot};
    enum { MANY = 100000 };
    discarded_count = 0;
    for (uint64_t k = 0; k < MANY; k++) {
        s.now = k;
        add_snapshot(&s, k);
    }
    assert_int_equal(s.count, STEP_MAX_SNAPSHOTS);
    assert_int_equal(discarded_count, MANY - STEP_MAX_SNAPSHOTS);
    assert_int_equal(s.thinned, discarded_count);
    expect_sorted_by_tick(&s);
    assert_int_equal(s.list[0].tick, 0);
    assert_int_equal(s.list[s.count - 1].tick, MANY - 1);
    /* gaps grow with the distance from the current moment, and each gap is a small part of that
     * distance */
    for (uint32_t k = 1; k + 1 < s.count; k++) {
        const uint64_t gap = s.list[k].tick - s.list[k - 1].tick, far = MANY - s.list[k].tick;
        assert_true(gap <= far + 8);
    }
}

static void test_too_few_to_thin(void **state)
{
    (void)state;
    step_snapshots s = {.give_up = discard_snapshot};
    add_snapshot(&s, 1);
    add_snapshot(&s, 2);
    assert_false(step_snapshots_remove_one(&s));
    add_snapshot(&s, 3);
    assert_true(step_snapshots_remove_one(&s));
    assert_int_equal(last_discarded_tick, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_too_few_to_thin),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
