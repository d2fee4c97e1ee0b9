/* Tests which launches decide a check of a submission: those of the kernel that it is named after.
 */
#include "runner/submission/evidence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORD              "kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n"
#define CHECK(name, status) "check\t" name "\t-\t9\t-\t-\t-\t" status "\tmodelled\tD\t-\n"
#define JUDGED              "what\tkernel\tindex\tns\tsentence\n"

/* The record that the judge confirms of a run that was stopped if UNFINISHED, from the texts of its
 * tables. */
static table *confirmed(const char *found, const char *of_reference, const char *its_record,
                        const char *claimed, bool unfinished)
{
    table *judged = table_parse(found), *reference = table_parse(of_reference),
          *record = table_parse(its_record), *claims = table_parse(claimed);
    arena memory = {0};
    const char *wrong, *policy;
    const evidence e = {judged, reference, record, claims, .unfinished = unfinished};
    char *text = evidence_record(&e, &memory, &wrong, &policy);
    table *t = table_parse(text);
    free(text);
    table *const all[] = {reference, record, claims, judged};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        table_free(all[i]);
    arena_free(&memory);
    return t;
}

/* Whether the row of the check NAME passes in the record that the judge confirms, if the launches
 * are FOUND. */
static bool is_confirmed(const char *found, const char *name)
{
    table *t = confirmed(
        found,
        JUDGED "launch\tscan\t0\t900\t-\nlaunch\tscan\t1\t900\t-\n"
               "launch\tlook_back\t2\t900\t-\nlaunch\tscan\t3\t900\t-\n",
        RECORD CHECK("scan", "pass") CHECK("scan_long", "pass")
            CHECK("look_back", "pass") "measure\tscan\t-\t9\t72\t0.001\t72\t-\tmodelled\tD\t-\n",
        RECORD CHECK("scan", "pass") CHECK("scan_long", "pass") CHECK("look_back", "fail"), true);
    bool passes = false;
    for (size_t i = 0; i < t->rows; i++)
        passes |= table_is(t, i, "kind", "check") && table_is(t, i, "name", name) &&
                  table_is(t, i, "status", "pass");
    table_free(t);
    return passes;
}

static void another_kernels_launch_decides_no_further_check(void **state)
{
    (void)state;
    static const char stopped[] = JUDGED "launch\tscan\t0\t900\t-\nlaunch\tscan\t1\t900\t-\n"
                                         "launch\tlook_back\t2\t900\tit was stopped\n";
    assert_true(is_confirmed(stopped, "scan"));
    assert_true(is_confirmed(stopped, "scan_long"));
    assert_false(is_confirmed(stopped, "look_back"));
}

static void its_own_does(void **state)
{
    (void)state;
    static const char wrong[] =
        JUDGED "launch\tscan\t0\t900\t-\nlaunch\tscan\t1\t900\tout[3] is 4\n"
               "launch\tlook_back\t2\t900\tit was stopped\n";
    assert_true(is_confirmed(wrong, "scan"));
    assert_false(is_confirmed(wrong, "scan_long"));
}

/* A sweep over the instances of a template: the second, slower by 500 ns, has its own time. */
static void a_templates_instances_have_their_own_times(void **state)
{
    (void)state;
    static const char two[] =
        RECORD CHECK("staged", "pass") "measure\tstaged\t1\t9\t72\t0.001\t72\t-\tmodelled\tD\t-\n"
                                       "measure\tstaged\t2\t9\t72\t0.001\t72\t-\tmodelled\tD\t-\n";
    table *t = confirmed(JUDGED "launch\tstaged<1>\t0\t900\t-\n"
                                "launch\tstaged<1>\t1\t900\t-\n"
                                "launch\tstaged<2>\t2\t1400\t-\n",
                         JUDGED "launch\tstaged<1>\t0\t900\t-\n"
                                "launch\tstaged<1>\t1\t900\t-\n"
                                "launch\tstaged<2>\t2\t900\t-\n",
                         two, two, false);
    assert_int_equal(t->rows, 3);
    assert_string_equal(table_get(t, 1, "ms"), "0.001");
    assert_string_equal(table_get(t, 2, "ms"), "0.0015");
    table_free(t);
}

/* The row `copied` times a launch of scan, which decides no check of it; then the run stopped. */
static void a_timed_launch_decides_no_check(void **state)
{
    (void)state;
    table *t = confirmed(
        JUDGED "launch\tscan\t0\t900\t-\n"
               "launch\tblur\t1\t900\tit was stopped\n",
        JUDGED "launch\tscan\t0\t900\t-\nlaunch\tblur\t1\t900\t-\n"
               "timed\t-\t2\t0\t-\nlaunch\tscan\t2\t900\t-\n"
               "launch\tscan\t3\t900\t-\n",
        RECORD CHECK("scan", "pass")
            CHECK("blur", "pass") "measure\tcopied\t-\t9\t72\t0.001\t72\t-\tmodelled\tD\t-\n"
                                  "measure\tscan\t-\t9\t72\t0.001\t72\t-\tmodelled\tD\t-\n",
        RECORD CHECK("scan", "pass") CHECK("blur", "fail"), true);
    assert_true(table_is(t, 0, "name", "scan") && table_is(t, 0, "status", "pass"));
    assert_true(table_is(t, 1, "name", "blur") && table_is(t, 1, "status", "fail"));
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_kernels_launch_decides_no_further_check),
        cmocka_unit_test(its_own_does),
        cmocka_unit_test(a_templates_instances_have_their_own_times),
        cmocka_unit_test(a_timed_launch_decides_no_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
