/* Tests points for the lines that the checks reach: rows `lines` of a rubric. */
#include "runner/base/files.h"
#include "runner/judge/score.h"
#include "scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TOP     "points\tkind\tname\tmetric\trelation\tlimit\tsentence\n"
#define CHECK   "50\tcheck\tk\t-\tequal\t1\tright\n"
#define RECORD  "kind\tname\tx\tn\tstatus\tdetail\ncheck\tk\t-\t1\t"
#define COVERED "function\tpath\tline\tinsn\tentry\tconditional\tlanes\ttaken\tleft\tstays\n"

/* Lines 4 to 7 are the student's. */
static const char lab[] = "// HELPERS: yours\n// END HELPERS\n// TODO 1 (about 4 lines): all\n"
                          "a\nb\nc\nd\n// END TODO 1\n";

static char *write_scratch(const char *text)
{
    char *path = strdup(scratch_template("lines-XXXXXX"));
    close(mkstemp(path));
    assert_true(write_whole_file(path, text, strlen(text)));
    return path;
}

/* The row `lines` of kernel k, which may miss MOST lines, in a run whose check has STATUS and of
 * which the table of coverage has these ROWS; NULL: there is none. */
static point_row score_rows(verdict *v, const char *status, const char *most, const char *rows)
{
    static const chapter empty;
    char err[256] = "",
         *text = xprintf("%s%s50\tlines\tk\t-\tat_most\t%s\ttested\n", TOP, CHECK, most),
         *record = xprintf("%s%s\t-\n", RECORD, status),
         *covered = xprintf("%s%s", COVERED, rows ? rows : ""), *coverage = write_scratch(covered),
         *source = write_scratch(lab);
    *v = (verdict){0};
    table *t = table_parse(record);
    verdict_judge(v, &empty, t, NULL, NULL, JOB_EXITED, strcmp(status, "fail") == 0, 10, NULL);
    table_free(t);
    if (!rows)
        unlink(coverage);
    score_take_coverage(v, coverage, "/somewhere/lab.cu", source);
    rubric *r = rubric_parse(text, &v->memory, err, sizeof err);
    assert_string_equal(err, "");
    score_verdict(v, r);
    unlink(coverage);
    unlink(source);
    free(coverage);
    free(source);
    free(covered);
    free(record);
    free(text);
    return v->score.rows[1];
}

#define ROW(function, line, taken, stays) \
    function "\t/other/lab.cu\t" line "\t0\t0\t0\t" taken "\t" taken "\t0\t" stays "\n"

static void test_lines_that_no_check_reached(void **unused)
{
    (void)unused;
    verdict v;
    point_row p =
        score_rows(&v, "pass", "0", ROW("_Z1kPf", "4", "32", "0") ROW("_Z1kPf", "6", "1", "2"));
    assert_int_equal(p.state, POINT_REACHED);
    assert_true(p.given == 50 && p.reached == 0 && !p.remark);
    assert_int_equal(v.kind, VERDICT_PASS);
    verdict_free(&v);

    static const char missed[] =
        ROW("_Z1kPf", "7", "0", "2") ROW("_Z1kPf", "4", "0", "0") ROW("_Z1kPf", "5", "32", "1");
    p = score_rows(&v, "pass", "0", missed);
    assert_int_equal(p.state, POINT_MISSED);
    assert_true(p.given == 0 && p.reached == 2);
    assert_string_equal(p.remark, "no check reached lines 4, 7");
    assert_string_equal(v.reason, "right, but only 50 of 100 points");
    verdict_free(&v);
    p = score_rows(&v, "pass", "2", missed);
    assert_int_equal(p.state, POINT_REACHED);
    verdict_free(&v);
    p = score_rows(&v, "fail", "0", missed);
    assert_int_equal(p.state, POINT_WAITING);
    verdict_free(&v);
}

static void test_what_may_run_earlier_reaches_no_line(void **unused)
{
    (void)unused;
    verdict v;
    const point_row p =
        score_rows(&v, "pass", "0",
                   ROW("k", "4", "32", "0") ROW("k", "4", "0", "2") ROW("k", "4", "32", "1")
                       ROW("k", "5", "0", "0") ROW("k", "5", "32", "1") ROW("k", "6", "0", "2")
                           ROW("k", "6", "32", "2"));
    assert_string_equal(p.remark, "no check reached line 4");
    verdict_free(&v);
}

static void test_only_lines_of_the_kernel_in_the_regions(void **unused)
{
    (void)unused;
    verdict v;
    point_row p =
        score_rows(&v, "pass", "0",
                   ROW("_Z1kIiEvPf", "4", "0", "2") ROW("_Z1kIfEvPf", "4", "1", "2")
                       ROW("_Z2kkPf", "5", "0", "2") ROW("_Z12a_kernel__1kPf", "6", "0", "2")
                           ROW("_ZN2of1kEPf", "8", "0",
                               "2") "_Z1kPf\t/other/other.cu\t7\t0\t0\t0\t0\t0\t0\t2\n");
    assert_int_equal(p.state, POINT_REACHED);
    verdict_free(&v);
    p = score_rows(&v, "pass", "0", ROW("_Z2kkPf", "5", "1", "2"));
    assert_int_equal(p.state, POINT_MISSED);
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_string_equal(p.remark, "no line of yours is in this kernel");
    verdict_free(&v);
    p = score_rows(&v, "pass", "0", NULL);
    assert_int_equal(p.state, POINT_UNKNOWN);
    assert_int_equal(v.kind, VERDICT_LACKS);
    assert_string_equal(p.remark, "not counted on this machine");
    verdict_free(&v);
}

static void assert_refused(const char *row)
{
    char err[256] = "", *text = xprintf("%s%s%s", TOP, CHECK, row);
    arena a = {0};
    assert_null(rubric_parse(text, &a, err, sizeof err));
    assert_non_null(
        strstr(err, "rubric.tsv:3: lines have no metric (write -) and the relation at_most"));
    arena_free(&a);
    free(text);
}

static void test_bad_rows(void **unused)
{
    (void)unused;
    assert_refused("50\tlines\tk\tpercent\tat_most\t0\ttested\n");
    assert_refused("50\tlines\tk\t-\tequal\t0\ttested\n");
    assert_refused("50\tlines\tk\t-\tat_most\t-1\ttested\n");
    assert_refused("50\tlines\tk\t-\tat_most\t0.5\ttested\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_that_no_check_reached),
        cmocka_unit_test(test_what_may_run_earlier_reaches_no_line),
        cmocka_unit_test(test_only_lines_of_the_kernel_in_the_regions),
        cmocka_unit_test(test_bad_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
