/* Tests which runs count as a find in an exercise to break a kernel. */
#include "runner/judge/broken.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define REPORT(kind, kernel)                                                              \
    "{\"kind\":\"" kind "\",\"kernel\":\"" kernel "\",\"sentence\":\"" kind " of " kernel \
    "\",\"text\":\"text\"}\n"
#define MESSAGE "{\"kind\":\"message\",\"text\":\"a message\"}\n"
#define LEAK    "{\"kind\":\"leak\",\"text\":\"8 bytes are not freed\"}\n"

static verdict v;

/* Judge a run of an exercise that asks kernel k for FAULT: it left the reports REPORTS, its check
 * failed with WRONG (NULL: it passed), and its program ended as KIND says. */
static const char *judge(const char *fault, const char *reports, const char *wrong,
                         verdict_kind kind)
{
    static const break_task none;
    break_task t = none;
    verdict_free(&v);
    check_row check = {.name = "k", .detail = wrong, .sizes = 1, .pass = !wrong};
    t.fault = fault;
    t.kernel = "k";
    v.kind = kind;
    v.checks = &check;
    v.check_count = 1;
    v.found = findings_parse(&v.memory, reports, strlen(reports), false);
    v.output = "before\nThe choice is out of bounds: n is 1.\n";
    judge_broken(&v, &(chapter){.to_break = &t});
    v.checks = NULL;
    v.check_count = 0;
    return v.reason;
}

static void test_finds(void **state)
{
    (void)state;
    assert_string_equal(judge("race", LEAK MESSAGE REPORT("race", "k"), NULL, VERDICT_FAIL),
                        "race of k");
    assert_int_equal(v.kind, VERDICT_PASS);
    assert_string_equal(
        judge("race", REPORT("race", "k") REPORT("init", "k"), "n = 1: wrong", VERDICT_FAIL),
        "race of k");
    assert_int_equal(v.kind, VERDICT_PASS);
    assert_non_null(strstr(judge("race", MESSAGE LEAK, NULL, VERDICT_FAIL), "k withstands"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_string_equal(judge("wrong", MESSAGE, "n = 1: wrong", VERDICT_FAIL), "k: n = 1: wrong");
    assert_int_equal(v.kind, VERDICT_PASS);
}

static void test_other_faults(void **state)
{
    (void)state;
    assert_non_null(
        strstr(judge("race", REPORT("memory", "k") REPORT("race", "k"), NULL, VERDICT_FAIL),
               "another fault, and a race is required: memory of k"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_non_null(strstr(judge("wrong", REPORT("race", "k"), "n = 1: wrong", VERDICT_FAIL),
                           "a wrong value is required: race of k"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_non_null(strstr(judge("race", "", "n = 1: wrong", VERDICT_FAIL),
                           "a value is wrong, but a race is required: n = 1: wrong"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_non_null(strstr(judge("slow", "", "n = 1: wrong", VERDICT_FAIL), "the slowest access"));
    assert_int_equal(v.kind, VERDICT_FAIL);
}

static void test_other_ends(void **state)
{
    (void)state;
    assert_string_equal(judge("wrong", "", NULL, VERDICT_EXIT),
                        "The choice is out of bounds: n is 1.");
    assert_int_equal(v.kind, VERDICT_FAIL);
    judge("progress", "", NULL, VERDICT_CRASH);
    assert_int_equal(v.kind, VERDICT_FAIL);
    judge("wrong", "", "n = 1: wrong", VERDICT_NO_BUILD);
    assert_int_equal(v.kind, VERDICT_NO_BUILD);
    judge("wrong", "", "n = 1: wrong", VERDICT_CANCELLED);
    assert_int_equal(v.kind, VERDICT_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds),
        cmocka_unit_test(test_other_faults),
        cmocka_unit_test(test_other_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
