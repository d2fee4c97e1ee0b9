/* Tests marks: late penalties and overrides of results, reading and writing CSV, escaping of
 * text. */
#include "runner/base/plain.h"
#include "runner/class/csv.h"
#include "runner/class/marks.h"
#include "runner/class/roster.h"

#include "runner/base/files.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *dir;     /* directory of the results */
static results store; /* the results of two students */

static void put_file(const char *name, const char *text)
{
    char *path = xprintf("%s/%s", dir, name);
    assert_true(write_whole_file(path, text, strlen(text)));
    free(path);
}

static int set_up(void **state)
{
    (void)state;
    char err[256];
    dir = mkdtemp(scratch_template("marks-XXXXXX"));
    if (!dir || !results_open(&store, dir, 7, err, sizeof err))
        return 1;
    for (int i = 0; i < 2; i++) {
        json_t *one = json_pack(
            "{s:s, s:s, s:{s:s}, s:s, s:i, s:i, s:{s:{s:[{s:s,s:s,s:i,s:i,s:i,s:s},"
            "{s:s,s:s,s:s,s:i,s:i,s:i,s:s}]}}}",
            "student", i ? "bob" : "alice", "lab", "labs/01-sum", "submission", "submitted",
            "2026-11-21T01:30:00Z", "verdict", "OK", "points", 80, "of", 100, "result", "points",
            "rows", "kind", "check", "name", "sum", "limit", 20, "points", 60, "given", 60,
            "relation", "equal", "kind", "goal", "name", "sum", "metric", "busiest_warp", "limit",
            4, "points", 40, "given", 20, "relation", "at_most");
        assert_non_null(one);
        assert_true(results_write_one(&store, i ? "bob" : "alice", "labs-01-sum", one));
        json_decref(one);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    results_close(&store);
    char *command = xprintf("rm -rf %s", dir);
    int rc = system(command);
    free(command);
    return rc;
}

static marks read_marks(void)
{
    marks m;
    char err[256] = "";
    if (!marks_read(&m, &store, "labs-01-sum", err, sizeof err))
        fail_msg("%s", err);
    assert_int_equal(m.count, 2);
    assert_string_equal(m.list[0].student, "alice");
    return m;
}

static void expect_refused(const char *why)
{
    marks m;
    char err[256] = "";
    assert_false(marks_read(&m, &store, NULL, err, sizeof err));
    assert_non_null(strstr(err, why));
}

static void marks_without_marker_files(void **state)
{
    (void)state;
    marks m = read_marks();
    assert_true(m.list[0].raw == 80 && m.list[0].penalty == 0 && m.list[0].final == 80);
    assert_int_equal(m.list[0].row_count, 2);
    assert_string_equal(m.list[0].rows[0].label, "sum: sizes that are right, of 20");
    assert_string_equal(m.list[0].rows[1].label + strlen(m.list[0].rows[1].label) - 9, "at most 4");
    marks_free(&m);
}

static void test_late_penalties(void **state)
{
    (void)state;
    double days;
    assert_true(marks_penalty(80, 0, 0, 10, 50, &days) == 0 && days == 0);
    assert_true(marks_penalty(80, -5, 0, 10, 50, &days) == 0 && days == 0);
    assert_true(marks_penalty(80, 900, 15, 10, 50, &days) == 0 && days == 0);
    assert_true(marks_penalty(80, 901, 15, 10, 50, &days) == 8 && days == 1);
    assert_true(marks_penalty(80, 86400, 15, 10, 50, &days) == 8 && days == 1);
    assert_true(marks_penalty(80, 86401, 15, 10, 50, &days) == 16 && days == 2);
    assert_true(marks_penalty(80, 86400 * 30, 15, 10, 50, &days) == 40 && days == 30);
    assert_true(marks_penalty(33.3, 1, 0, 5, 100, &days) == 1.7);

    put_file("late.csv", "lab,due,grace minutes,percent per day,cap percent\n"
                         "*,2026-11-01T00:00:00Z,0,50,\nsum,2026-11-21T00:00:00Z,60,10,50\n");
    put_file("overrides.csv", "student,lab,row,points,due,comment\n"
                              "bob,sum,,,2026-11-21T01:00:00Z,was ill\n");
    marks m = read_marks();
    assert_true(m.list[0].raw == 80 && m.list[0].penalty == 8 && m.list[0].final == 72);
    assert_true(m.list[0].days == 1);
    /* within the grace period after the student's own deadline */
    assert_true(m.list[1].penalty == 0 && m.list[1].final == 80);
    assert_string_equal(m.list[1].comment, "was ill");
    assert_false(m.list[1].overridden);
    marks_free(&m);
}

static void test_overrides(void **state)
{
    (void)state;
    put_file("overrides.csv", "student,lab,row,points,due,comment\n"
                              "alice,,2,30,,\"by hand, \"\"as agreed\"\"\"\n"
                              "alice,01-sum,,,,see me\n"
                              "bob,labs/01-sum,total,50,,\n"
                              "bob,labs-01-sum,sum: sizes,10,,\n");
    marks m = read_marks();
    assert_true(m.list[0].judged == 80 && m.list[0].raw == 90 && m.list[0].penalty == 9);
    assert_true(m.list[0].rows[1].judged == 20 && m.list[0].rows[1].given == 30);
    assert_string_equal(m.list[0].rows[1].comment, "by hand, \"as agreed\"");
    assert_string_equal(m.list[0].comment, "see me");
    assert_true(m.list[0].overridden && m.list[1].overridden);
    assert_true(m.list[1].raw == 50 && m.list[1].final == 45);
    marks_free(&m);
    put_file("overrides.csv", "student,lab,row,points,due,comment\nalice,,final,77,,\n");
    m = read_marks();
    assert_true(m.list[0].raw == 80 && m.list[0].penalty == 8 && m.list[0].final == 77);
    marks_free(&m);
}

static void test_mistakes_of_the_marker(void **state)
{
    (void)state;
    put_file("overrides.csv", "student,lab,row,points\nalice,,3,1\n");
    expect_refused("overrides.csv, row 2: `3` is not one row of labs/01-sum");
    put_file("overrides.csv", "student,lab,row,points\ncarol,,1,1\n");
    expect_refused("no result is of the student `carol`: alice, bob");
    put_file("overrides.csv", "student,lab,row,points\nalice,,1,many\n");
    expect_refused("points must be a number");
    put_file("overrides.csv", "student,lab,row,points\nalice,,,5\n");
    expect_refused("points need a row");
    put_file("overrides.csv", "who,lab\nalice,\n");
    expect_refused("the first row names the columns");
    put_file("overrides.csv", "student,due\nalice,tomorrow\n");
    expect_refused("due must be a time");
    put_file("overrides.csv", "student\n\"alice\n");
    expect_refused("quote that is not closed");
    put_file("overrides.csv", "student\n");
    put_file("late.csv", "lab,due\n*,soon\n");
    expect_refused("late.csv, row 2: needs a lab");
    put_file("late.csv", "lab,due,percent per day\n*,2026-11-01,200\n");
    expect_refused("percents up to 100");
    put_file("late.csv", "lab,due\n");
}

static void test_grading_keeps_the_markers_files(void **state)
{
    (void)state;
    char err[256], *path = xprintf("%s/overrides.csv", dir);
    put_file("overrides.csv", "student,row,points\nalice,total,1\n");
    json_t *one = results_read_one(&store, "alice", "labs-01-sum");
    json_object_set_new(one, "points", json_integer(90));
    assert_true(results_write_one(&store, "alice", "labs-01-sum", one));
    json_decref(one);
    results_close(&store);
    assert_true(results_open(&store, dir, 0, err, sizeof err));
    assert_int_equal(store.seed, 7);
    marks m = read_marks();
    assert_true(m.list[0].judged == 90 && m.list[0].final == 1);
    marks_free(&m);
    unlink(path);
    free(path);
}

static void test_csv(void **state)
{
    (void)state;
    csv_table t;
    char err[128];
    sb out = {0};
    csv_write_text(&out, "");
    csv_write_text(&out, "a,\"b\"");
    csv_write_text(&out, "=1+1");
    csv_write_text(&out, " \t@SUM(A1)");
    csv_write_text(&out, "-\x1b[31m\n");
    csv_write_quoted(&out, "-5");
    csv_write_number(&out, 2.5);
    csv_write_number(&out, NAN);
    csv_end_line(&out);
    assert_string_equal(out.s, "\"\",\"a,\"\"b\"\"\",'=1+1,'  @SUM(A1),'-\xEF\xBF\xBD[31m ,-5,2.50,"
                               "\"\"\n");
    assert_true(csv_parse(&t, out.s, err, sizeof err));
    assert_int_equal(t.row[0].count, 8);
    assert_string_equal(t.row[0].fields[1], "a,\"b\"");
    csv_free(&t);
    sb_free(&out);
    assert_true(csv_parse(&t, "A b;C\r\n1;\"x;\r\ny\"\r\n\r\n2", err, sizeof err));
    assert_int_equal(t.rows, 3);
    assert_int_equal(csv_column(&t, (const char *const[]){"none", "a_B", NULL}), 0);
    assert_string_equal(csv_field(&t, 1, 1), "x;\r\ny");
    assert_string_equal(csv_field(&t, 2, 1), "");
    assert_string_equal(csv_field(&t, 2, -1), "");
    csv_free(&t);
    assert_false(csv_parse(&t, "", err, sizeof err));
}

static void test_escaped_text(void **state)
{
    (void)state;
    sb out = {0};
    arena a = {0};
    append_html_text(&out, "<a href='x'>&\"\x1b\xc2\x9b\xe2\x80\xae\xff\n\xc3\xa9\xc0\xbc");
    assert_string_equal(out.s, "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\xEF\xBF\xBD\xEF\xBF\xBD"
                               "\xEF\xBF\xBD\xEF\xBF\xBD\n\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD");
    sb_free(&out);
    assert_string_equal(plain_file_name(&a, "alice.b-1@x"), "alice.b-1@x");
    const char *x = plain_file_name(&a, "a/b"), *y = plain_file_name(&a, "a_b");
    assert_true(strncmp(x, "a_b~", 4) == 0);
    assert_string_equal(y, "a_b");
    assert_true(plain_file_name(&a, "..")[0] == '_' && plain_file_name(&a, "")[0] == '~');
    assert_true(plain_file_name(&a, ".cache")[0] == '_' && plain_file_name(&a, "-rf")[0] == '_');
    assert_non_null(strchr(plain_file_name(&a, "overrides.csv"), '~'));
    assert_non_null(strchr(plain_file_name(&a, "similar-labs.JSON"), '~'));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_without_marker_files),
        cmocka_unit_test(test_late_penalties),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_mistakes_of_the_marker),
        cmocka_unit_test(test_grading_keeps_the_markers_files),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_escaped_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
