/* Tests the times that a GPU measures of a submission and of the book's solution, in rounds in
 * which they alternate: here a clock that drifts and is disturbed once writes the judge's tables.
 */
#include "runner/submission/gpu_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char record_text[] =
    "kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n"
    "check\ttranspose\t-\t64\t-\t-\t-\tpass\tmodelled\tD\t-\n"
    "copy\t-\t-\t64\t512\t1\t1\t-\tmodelled\tD\t-\n"
    "measure\ttranspose\t-\t64\t512\t1\t1\t-\tmodelled\tD\t-\n"
    "measure\tcub\t-\t64\t512\t1\t1\t-\tmodelled\tD\t-\n";

/* What the judge writes about a run whose launches take NS; COPY: it is the reference's. */
static table *judged_table(double ns, bool copy)
{
    char text[512];
    snprintf(text, sizeof text,
             "what\tkernel\tindex\tns\tsentence\ndevice\tH200\t0\t0\t-\n"
             "%slaunch\ttranspose\t0\t%g\t-\nlaunch\ttranspose\t1\t%g\t-\n%s",
             copy ? "other\tlab_copy\t0\t500\t-\n" : "", 7 * ns, ns,
             copy ? "other\tcub::Reduce\t0\t800\t-\nother\tcub::Single\t0\t100\t-\n" : "");
    return table_parse(text);
}

static double number_in(const table *t, const char *kind, const char *name, const char *column)
{
    double value;
    for (size_t i = 0; i < t->rows; i++) {
        const char *is = table_get(t, i, "name");
        if (table_is(t, i, "kind", kind) && is && strcmp(is, name) == 0 &&
            table_number(t, i, column, &value))
            return value;
    }
    fail_msg("no row %s %s", kind, name);
    return 0;
}

static void pairs_of_a_round_are_compared(void **state)
{
    (void)state;
    static const double clock[MEASURE_ROUNDS] = {1, 1.5, 3, 0.8, 2};
    arena memory = {0};
    gpu_times g = {.memory = &memory, .begun = true, .record = table_parse(record_text)};
    for (int k = 0; k < MEASURE_ROUNDS; k++) {
        const double disturbed = k == 3 ? 2 : 1;
        table_free(g.judged[0]);
        table_free(g.judged[1]);
        g.judged[0] = judged_table(1000 * clock[k], true);
        g.judged[1] = judged_table(1200 * clock[k] * disturbed, false);
        assert_int_equal(gpu_times_add_round(&g), k + 1 < MEASURE_ROUNDS);
    }
    char *text = gpu_times_in_record(&g, g.record);
    table *t = table_parse(text);
    const double own = number_in(t, "measure", "transpose", "ms"),
                 reference = number_in(t, "reference", "transpose", "ms");
    /* The medians are 1920 and 1500 ns; in most rounds the submission took 1.2 times as long. */
    assert_float_equal(own, 1920e-6, 1e-9);
    assert_float_equal(own / reference, 1.2, 1e-6);
    /* A call of a library may make several launches; their times add up. */
    assert_float_equal(number_in(t, "measure", "cub", "ms"), 900e-6, 1e-9);
    table_free(t);
    free(text);
    gpu_times_free(&g);
    arena_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_a_round_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
