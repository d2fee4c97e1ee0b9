/* Tests the rule files of WARPBOOK_SUPPRESS, which hide reports. */
#include "emulator/sanitizer/suppress.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *path; /* path of the file with rules */
static char err[600];    /* message on a refused rule */

static bool read_rules(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return san_read_suppressions(path, err, sizeof err);
}

static void test_rules(void **state)
{
    (void)state;
    assert_true(read_rules("# why\n\nrace sum*   # by design\n* lab.cu:42\nhost timer.h\r\n"));
    assert_true(san_is_report_suppressed("race", "sum_all", "/a/other.cu", 1));
    assert_false(san_is_report_suppressed("race", "product", "/a/other.cu", 1));
    assert_false(san_is_report_suppressed("leak", "sum_all", NULL, 0));
    assert_true(san_is_report_suppressed("leak", NULL, "/a/lab.cu", 42));
    assert_false(san_is_report_suppressed("leak", NULL, "/a/lab.cu", 4));
    assert_true(san_is_report_suppressed("host", NULL, "timer.h", 9));
    assert_false(san_is_report_suppressed("race", NULL, NULL, 0));
}

static void without_a_file(void **state)
{
    (void)state;
    assert_true(san_read_suppressions(NULL, err, sizeof err));
    assert_false(san_is_report_suppressed("race", "sum_all", "lab.cu", 42));
}

static void test_refused_rules(void **state)
{
    (void)state;
    assert_false(read_rules("race a\nrace\n"));
    assert_non_null(strstr(err, ":2: a line is a kind and a pattern"));
    assert_false(read_rules("race a b\n"));
    assert_false(san_read_suppressions("/nonexistent", err, sizeof err));
    assert_non_null(strstr(err, "No such file"));
    assert_false(san_read_suppressions("/tmp", err, sizeof err));
}

static void test_too_many_rules(void **state)
{
    (void)state;
    char *text = calloc(1, 8 * 300);
    for (int k = 0; k < 201; k++)
        strcat(text, "race a\n");
    assert_false(read_rules(text));
    assert_non_null(strstr(err, "more than 200 rules"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules), cmocka_unit_test(without_a_file),
        cmocka_unit_test(test_refused_rules), cmocka_unit_test(test_too_many_rules)};
    char *file = scratch_template("warpbook-suppress-XXXXXX");
    close(mkstemp(file));
    path = file;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
