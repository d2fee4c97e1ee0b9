/* The steps of a ladder and a run's own place among them. */
#include "runner/show/ladder.h"
#include "scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char steps[] = "step\tchapter\troof\tmodelled\tmeasured\tsentence\n"
                            "naive\t01-first-kernel\troof\t1\t-\tone thread each\n"
                            "tiled\t05-shared-memory\troof\t17.5\t16\ttiles\n"
                            "tensor\t-\ttensor_roof\t54\t-\tthe last\n";

/* The text for a run that reaches PERCENT, by the clock SOURCE; to be freed. */
static char *ladder_of(double percent, const char *source)
{
    char *dir = scratch_template("ladder-XXXXXX");
    assert_non_null(mkdtemp(dir));
    char *path = xprintf("%s/ladder.tsv", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(steps, f);
    fclose(f);
    point_row rows[] = {
        {.kind = "bandwidth", .name = "multiply", .reached = 3},
        {.kind = "ratio", .name = "multiply", .metric = "roof", .reached = percent}};
    verdict v = {.source = source, .score = {.rows = rows, .count = 2}};
    chapter c = {.dir = dir};
    sb text = {0};
    report_ladder(&text, &c, &v);
    remove(path);
    rmdir(dir);
    free(path);
    return text.s ? text.s : xstrdup("");
}

/* Expect the words of LIST, separated by |, one after another in TEXT. */
static void expect_in_order(const char *text, const char *list)
{
    char *words = xstrdup(list), *rest = words, *word;
    for (const char *at = text; (word = strsep(&rest, "|")); at += strlen(word))
        if (!(at = strstr(at, word)))
            fail_msg("no %s at its place in\n%s", word, text);
    free(words);
}

static void test_own_place(void **state)
{
    (void)state;
    static const struct {
        double percent;
        const char *source, *order;
    } cases[] = {
        {0.5, "modelled", "modelled|> yours|0.5 %|naive|chapter 1|1.0 %|tiled|tensor"},
        {15, "modelled", "naive|> yours|15.0 %|tiled|chapter 5|17.5 %|tensor"},
        {16.5, "measured", "measured|naive|not measured|tiled|16.0 %|> yours|tensor"},
        {99, "modelled", "naive|tiled|> yours|99.0 %|tensor|54.0 %"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = ladder_of(cases[i].percent, cases[i].source);
        expect_in_order(text, cases[i].order);
        free(text);
    }
}

static void test_no_percent_no_ladder(void **state)
{
    (void)state;
    char *text = ladder_of(NAN, "modelled");
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_place),
        cmocka_unit_test(test_no_percent_no_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
