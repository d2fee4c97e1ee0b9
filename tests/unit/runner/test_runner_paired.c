/* Tests times of pairs, in rounds in which a lab and the solution are timed in turn: here by a
 * clock that drifts, and is disturbed once. */
#include "runner/run/paired.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char header[] = "kind\tname\tx\tn\tbytes\tms\tgbs\n";

static table *record_of(double ms, double other_ms)
{
    char text[512];
    snprintf(text, sizeof text,
             "%scheck\tsum\t-\t64\t-\t-\t-\ncopy\t-\t-\t64\t512\t1\t1\n"
             "measure\tsum\t1\t64\t512\t%g\t1\nmeasure\tsum\t2\t64\t512\t%g\t1\n",
             header, ms, other_ms);
    return table_parse(text);
}

static void the_median_of_the_ratios_counts(void **state)
{
    (void)state;
    static const double clock[] = {1, 1.5, 3, 0.8, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    paired_times p = {0};
    table *record = record_of(6, 3);
    bool again = true;
    for (int k = 0; again; k++) {
        table *solution = record_of(5 * clock[k], 3 * clock[k]),
              *lab = record_of(6 * clock[k] * (k == 3 ? 2 : 1), 3 * clock[k]);
        again = paired_add_round(&p, record, solution, lab);
        table_free(solution);
        table_free(lab);
    }
    /* One round was on the other side of the limit: the rounds go on. */
    assert_int_equal(p.rounds, MAX_PAIRED_ROUNDS);
    char *rows = paired_reference_rows(&p, record);
    assert_string_equal(rows, "reference\tsum\t1\t64\t512\t5\t0.0001024\n"
                              "reference\tsum\t2\t64\t512\t3\t0.000170666667\n");
    free(rows);
    table_free(record);
}

static void a_row_that_one_run_lacks_is_not_compared(void **state)
{
    (void)state;
    paired_times p = {0};
    char text[256];
    snprintf(text, sizeof text, "%smeasure\tsum\t1\t64\t512\t5\t1\n", header);
    table *record = record_of(6, 3), *solution = table_parse(text), *lab = record_of(6, 3);
    while (paired_add_round(&p, record, solution, lab))
        ;
    assert_int_equal(p.rounds, PAIRED_ROUNDS);
    char *rows = paired_reference_rows(&p, record);
    assert_string_equal(rows, "reference\tsum\t1\t64\t512\t5\t0.0001024\n");
    free(rows);
    table_free(record);
    table_free(solution);
    table_free(lab);
}

static void one_run_is_enough_where_it_is_clear(void **state)
{
    (void)state;
    paired_times p = {0};
    table *record = record_of(6, 3), *beside = record_of(5.6, 3.5), *slower = record_of(5, 3),
          *disturbed = record_of(9, 3), *none = table_parse(header);
    assert_false(paired_is_clear(&p, record, slower)); /* 1.2 times */
    assert_false(paired_is_clear(&p, record, disturbed));
    assert_false(paired_is_clear(&p, record, none));
    assert_int_equal(p.rounds, 0);
    assert_true(paired_is_clear(&p, record, beside));
    char *rows = paired_reference_rows(&p, record);
    assert_string_equal(rows, "reference\tsum\t1\t64\t512\t5.6\t9.14285714e-05\n"
                              "reference\tsum\t2\t64\t512\t3.5\t0.000146285714\n");
    free(rows);
    table *const all[] = {record, beside, slower, disturbed, none};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        table_free(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_the_ratios_counts),
        cmocka_unit_test(one_run_is_enough_where_it_is_clear),
        cmocka_unit_test(a_row_that_one_run_lacks_is_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
