/* Tests with what a run's cost is compared: with the solution's on the same device alone. */
#include "runner/base/text.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_device_is_compared),
        cmocka_unit_test(another_device_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
