/* Tests with what a run's cost is compared: with the solution's on the same device alone. */
#include "runner/base/text.h"
#include "runner/book/metrics.h"
#include "runner/judge/cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char rows_of_h200[] = "H200 (warpbook)\tsum\t-\t64\t2\t2\t6\t0\t0\t0\t0\t0\t8\t0\t0\n";

/* The verdict of a run of `sum` on DEVICE, which takes MS; to be freed. */
static verdict judged(const char *device, double ms, bool assignment)
{
    static measure_row row;
    verdict v = {.device = device, .source = "modelled"};
    chapter c = {.assignment = assignment};
    char *header = cost_header(), *text = xprintf("%s%s", header, rows_of_h200);
    table *reference = table_parse(text);
    row = (measure_row){.name = "sum", .n = 64, .ms = ms};
    v.measures = &row;
    v.measure_count = 1;
    judge_costs(&v, &c, reference);
    table_free(reference);
    free(text);
    free(header);
    return v;
}

static void the_same_device_is_compared(void **state)
{
    (void)state;
    verdict v = judged("H200 (warpbook)", 3, false);
    assert_null(v.uncompared);
    assert_int_equal(v.goal_count, 1);
    assert_float_equal(v.goals[0].value, 1.5, 1e-9);
    assert_int_equal(v.goals[0].state, GOAL_MISSED);
    verdict_free(&v);
}

static void another_device_is_not(void **state)
{
    (void)state;
    verdict v = judged("A100 (warpbook)", 3000, false);
    assert_int_equal(v.goal_count, 0);
    assert_string_equal(v.uncompared, "times are not compared with the solution's: those are known "
                                      "on H200 (warpbook), and this is A100 (warpbook)");
    verdict_free(&v);
    v = judged("A100 (warpbook)", 3000, true); /* the rows of its points say it */
    assert_int_equal(v.goal_count, 0);
    assert_null(v.uncompared);
    verdict_free(&v);
}

/* A row of the record may be left out, where what it timed was wrong. The launches' numbers are
 * then those of other rows. */
static void launches_whose_rows_are_unknown_cost_nobody(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        const char *row = known ? "sum" : "?";
        char *header = cost_header(), *text = xprintf("%s%s", header, rows_of_h200);
        char *counted =
            xprintf("launch\tkernel\tgrid\tblock\tmetric\tvalue\tvariant\ttimed\n"
                    "0\tk\t1x1x1\t64x1x1\t%s\t2\t%s\t1\n"
                    "0\tk\t1x1x1\t64x1x1\t%s\t48\t%s\t1\n",
                    counter_names[COUNTED_warps], row, counter_names[COUNTED_barriers], row);
        measure_row sum = {.name = "sum", .n = 64, .ms = 2};
        verdict v = {.device = "H200 (warpbook)", .measures = &sum, .measure_count = 1};
        chapter c = {0};
        table *reference = table_parse(text);
        v.counters = table_parse(counted);
        judge_costs(&v, &c, reference);
        assert_int_equal(v.goal_count, 1);
        assert_int_equal(v.goals[0].state, known ? GOAL_MISSED : GOAL_MET);
        table_free(reference);
        verdict_free(&v);
        free(counted);
        free(text);
        free(header);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_device_is_compared),
        cmocka_unit_test(another_device_is_not),
        cmocka_unit_test(launches_whose_rows_are_unknown_cost_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
