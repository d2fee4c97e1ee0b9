/* Tests what the runner reports: its JSON must be valid for any text that a lab writes, its lines
 * say each thing once, and its columns stay apart. */
#include "runner/show/report.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static session d;

/* Print the JSON value and parse it again, like a program that reads the output. */
static json_t *dump_and_parse(void *json)
{
    json_error_t error;
    char *text = json_dumps(json, 0);
    assert_non_null(text);
    json_t *parsed = json_loads(text, 0, &error);
    assert_non_null(parsed);
    free(text);
    json_decref(json);
    return parsed;
}

static const char *string_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void test_verdicts(void **unused)
{
    (void)unused;
    prediction asked = {.kernel = "k", .metric = "m", .question = "How many?"};
    chapter c = {.name = "01-one", .title = "One", .predictions = &asked, .prediction_count = 1};
    check_row check = {.name = "k", .sizes = 20, .pass = false, .detail = "n = 1: \"bad\"\t\x01"};
    measure_row measure = {.name = "k", .n = 1024, .bytes = NAN, .ms = 0.5, .gbs = INFINITY};
    goal_row goal = {.kernel = "k",
                     .metric = "m",
                     .relation = "at_most",
                     .limit = 4,
                     .state = GOAL_WAITING,
                     .sentence = "s"};
    prediction_row guess = {.kernel = "k", .metric = "m", .said = 4, .answered = true};
    finding race = {
        .kind = "race", .text = "\x80", .at = {.file = "lab.cu", .line = 9}, .times = 2};
    const char *why = "because", *curve = "k/sizes";
    verdict v = {.kind = VERDICT_FAIL,
                 .reason = "r",
                 .output = "x\xff\xed\xa0\x80\xc0\xaf\x1b\xc3\xa9",
                 .checks = &check,
                 .check_count = 1,
                 .measures = &measure,
                 .measure_count = 1,
                 .left_out = &curve,
                 .left_out_count = 1,
                 .goals = &goal,
                 .goal_count = 1,
                 .guesses = &guess,
                 .guess_count = 1,
                 .why = &why,
                 .why_count = 1,
                 .found = {.rows = &race, .count = 1, .damage = "\xff"},
                 .source = "modelled"};
    json_t *j = dump_and_parse(report_json(&d, &c, &v));
    assert_string_equal(string_of(j, "verdict"), "fail");
    assert_string_equal(string_of(j, "source"), "modelled");
    assert_true(json_is_false(json_object_get(j, "pass")));
    assert_true(json_is_null(json_object_get(j, "device")));
#define BAD "\xEF\xBF\xBD"
    assert_string_equal(string_of(j, "output"), "x" BAD BAD BAD BAD BAD BAD "\x1b\xc3\xa9");
    json_t *one = json_array_get(json_object_get(j, "checks"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "sizes")), 20);
    assert_string_equal(string_of(one, "detail"), check.detail);
    one = json_array_get(json_object_get(j, "measures"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "n")), 1024);
    assert_true(json_is_null(json_object_get(one, "bytes")));
    assert_true(json_is_null(json_object_get(one, "gbs")));
    one = json_array_get(json_object_get(j, "left_out"), 0);
    assert_string_equal(json_string_value(one), "k/sizes");
    one = json_array_get(json_object_get(j, "goals"), 0);
    assert_string_equal(string_of(one, "state"), "waiting");
    assert_true(json_is_null(json_object_get(one, "value")));
    one = json_array_get(json_object_get(j, "predictions"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "said")), 4);
    assert_true(json_is_null(json_object_get(one, "counted")));
    one = json_array_get(json_object_get(j, "reports"), 0);
    assert_string_equal(string_of(one, "kind"), "race");
    assert_int_equal(json_integer_value(json_object_get(one, "times")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(one, "at"), "line")), 9);
    assert_true(json_is_null(json_object_get(one, "other")));
    assert_string_equal(string_of(j, "reports_damage"), BAD);
    json_decref(j);
}

static void every_verdict_has_its_words(void **unused)
{
    (void)unused;
    for (int k = VERDICT_PASS; k <= VERDICT_LACKS; k++) {
        verdict v = {.kind = (verdict_kind)k};
        chapter c = {.name = "01-one", .title = "One"};
        json_t *j = dump_and_parse(report_json(&d, &c, &v));
        assert_int_equal(verdict_from_id(string_of(j, "verdict")), k);
        assert_true(*verdict_word(v.kind) != '\0');
        assert_int_equal(verdict_exit_code(v.kind), k == VERDICT_PASS    ? 0
                                                    : k == VERDICT_LACKS ? 3
                                                                         : 1);
        json_decref(j);
    }
}

static void test_chapters(void **unused)
{
    (void)unused;
    d.state.root = json_pack("{s:i, s:{}}", "version", 1, "chapters");
    const char *problem = "lab.cu is missing";
    todo_region t = {.number = 1, .lines = 3, .text = "do \xff it", .hint_count = 2};
    chapter c = {.name = "01-one",
                 .title = "One",
                 .number = 1,
                 .todos = &t,
                 .todo_count = 1,
                 .problems = &problem,
                 .problem_count = 1};
    json_t *j = dump_and_parse(report_chapter_json(&d, &c));
    assert_string_equal(string_of(j, "state"), "new");
    assert_string_equal(json_string_value(json_array_get(json_object_get(j, "problems"), 0)),
                        problem);
    json_t *one = json_array_get(json_object_get(j, "todos"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "hints")), 2);
    json_decref(j);
    json_decref(d.state.root);
    d.state.root = NULL;
}

static void a_counter_is_reported_once(void **state)
{
    (void)state;
    goal_row rows[] = {
        {.kernel = "k", .metric = "flops_per_byte", .value = 15, .state = GOAL_MET},
        {.kernel = "k", .metric = "flops_per_byte", .value = 15, .state = GOAL_MET},
        {.kernel = "k", .metric = "waits_per_async_copy", .value = 1, .state = GOAL_MET},
    };
    verdict v = {.goals = rows, .goal_count = 3};
    page p = {0};
    report_goals(&p, &v, 200);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.lines[0].s,
                        "✓ k: 15 flops for each byte of memory, 1 wait for each asynchronous copy");
    page_free(&p);
}

static void report_columns_are_separated(void **state)
{
    (void)state;
    measure_row rows[] = {{.name = "-", .copy = true, .ms = 0.0095634, .gbs = 3509},
                          {.name = "k", .x = NULL, .ms = 0.12345, .gbs = 1775}};
    verdict v = {.measures = rows, .measure_count = 2, .source = "modelled"};
    sb text = {0};
    report_measures(&text, &v, NULL);
    assert_non_null(strstr(text.s, "the device's copy 0.00956   3509"));
    assert_non_null(strstr(text.s, "  0.1235   1775"));
    sb_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(every_verdict_has_its_words),
        cmocka_unit_test(test_chapters),
        cmocka_unit_test(a_counter_is_reported_once),
        cmocka_unit_test(report_columns_are_separated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
