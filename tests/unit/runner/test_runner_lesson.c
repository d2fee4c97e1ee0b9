/* Tests the rendering of Markdown lessons as lines, and of plain text as pages. */
#include "runner/book/lesson.h"
#include "runner/book/markdown.h"
#include "runner/slides/slides.h"
#include "runner/slides/wrong.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *render(const char *markdown, size_t width, const lesson_insertions *marks)
{
    page p = {0};
    sb text = {0};
    lesson_render(&p, markdown, width, marks);
    for (size_t i = 0; i < p.count; i++)
        sb_printf(&text, "%s\n", p.lines[i].s);
    page_free(&p);
    return sb_take(&text);
}

static void expect_rendering(const char *markdown, size_t width, const char *expected)
{
    char *text = render(markdown, width, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static void test_prose(void **state)
{
    (void)state;
    expect_rendering("# Title\nOne *two* **three**\n`four` five.\n\nNext.\n", 16,
                     "Title\n\nOne two three\nfour five.\n\nNext.\n");
    expect_rendering("A word, supercalifragilistic\n", 12, "A word,\nsupercalifra\ngilistic\n");
    expect_rendering("[text](https://x.org) and [here](other.md)\n", 60,
                     "text <https://x.org> and here\n");
    expect_rendering("", 20, "");
    expect_rendering("a<br>b <!-- c --> d\n", 20, "ab  d\n");
}

/* In CommonMark a line that begins with an HTML comment is an HTML block, including the text after
 * the comment. */
static void text_beside_a_comment(void **state)
{
    (void)state;
    expect_rendering("One\n<!-- figure -->7<!-- /figure --> % of it.\nTwo.\n", 40,
                     "One 7 % of it. Two.\n");
    expect_rendering("- <!-- c -->a\n- b\n", 40, "• a\n• b\n");
    expect_rendering("- a 5\n  <!-- figures\n  5 = x ms\n  -->\n- b\n", 40, "• a 5\n• b\n");
    expect_rendering("```html\n<!-- c --> kept\n<!-- figures\n```\nY.\n", 40,
                     "  <!-- c --> kept\n  <!-- figures\n\nY.\n");
}

/* Which link stands where, also where one is wrapped and two touch. */
static void words_link_to_the_glossary(void **state)
{
    (void)state;
    const lesson_insertions with = {.links = true};
    const char *text = "A [bank conflict](d/GLOSSARY.md#bank)[lane](GLOSSARY.md#lane) [x](y.md).\n";
    page p = {0};
    bool on;
    lesson_render(&p, text, 14, &with);
    assert_string_equal(p.lines[0].s, "A bank");
    assert_string_equal(p.lines[1].s, "conflictlane");
    assert_int_equal(p.link_count, 2);
    assert_string_equal(p.links[1].target, "lane");
    assert_int_equal(page_link_from(&p, 0, 0, &on), 0);
    assert_false(on);
    assert_int_equal(page_link_from(&p, 0, 2, &on), 0);
    assert_true(on);
    assert_int_equal(page_link_from(&p, 1, 7, &on), 0);
    assert_true(on);
    assert_int_equal(page_link_from(&p, 1, 8, &on), 1);
    assert_true(on);
    assert_int_equal(page_link_from(&p, 2, 0, &on), 2);
    assert_false(on);
    page_free(&p);
    lesson_render(&p, text, 14, NULL);
    assert_int_equal(p.link_count, 0);
    page_free(&p);
}

static void code_keeps_its_lines(void **state)
{
    (void)state;
    expect_rendering("```c\nint a_long_line_of_code = 1;\n\n    x;\n```\n", 12,
                     "  int a_long_line_of_code = 1;\n  \n      x;\n");
}

static void test_lists(void **state)
{
    (void)state;
    expect_rendering("- one two three\n- two\n  1. a\n  2. b\n", 12,
                     "• one two\n  three\n• two\n  1. a\n  2. b\n");
    expect_rendering("3. x\n\n   y\n4. z\n", 20, "3. x\n\n   y\n\n4. z\n");
    expect_rendering("- a) one two\n- b) `x` y\n- c\n", 9, "a) one\n   two\nb) x y\n• c\n");
    expect_rendering("> a b c d e f\n", 11, "│ a b c d e\n│ f\n");
}

static void test_tables(void **state)
{
    (void)state;
    expect_rendering("| a | right |\n| --- | ---: |\n| `x` | 1 |\n| longer | 22 |\n", 40,
                     "a       right\n──────  ─────\nx           1\nlonger     22\n");
    expect_rendering("Text:\n| a | b |\n|---|---|\n| 1 | 2\\|3 |\n", 40,
                     "Text:\n\na    b\n───  ───\n1    2|3\n");
    /* In a cell, the mark of a list is plain text; a row may have fewer cells than the header. */
    expect_rendering("| a | b |\n| :-: | - |\n| - | `x\\|y` |\n| 1. z |\n", 40,
                     "a     b\n────  ───\n-     x|y\n1. z  \n");
    /* If the columns are too narrow for words, each cell gets a line of its own. */
    expect_rendering(
        "| | head | second |\n|---|---|---|\n| **row** | abcdefgh | ijklmnop |\n| | x | |\n", 14,
        "row\n  head:\n    abcdefgh\n  second:\n    ijklmnop\nhead: x\n");
    /* The comment with a table's figures leaves nothing in the output, not even a blank line
     * between two blocks. */
    expect_rendering(
        "| a | b |\n| --- | --- |\n| x | 0.5 % |\n<!-- figures\nx.tsv\n0.5 = x ms\n-->\n\nY.\n", 40,
        "a    b\n───  ─────\nx    0.5 %\n\nY.\n");
    /* Cells are wrapped where the table is too wide, the first with an indent: it is no row of its
     * own. */
    expect_rendering(
        "| a | b |\n|---|---|\n| one two three four | five six seven |\n| x | y |\n", 22,
        "a           b\n──────────  ──────────\none two     five six\n  three     seven\n"
        "  four      \nx           y\n");
    /* A column is not made so narrow that a word breaks. */
    expect_rendering("| a | b |\n|---|---|\n| one three | fivesixseven |\n", 20,
                     "a       b\n──────  ────────────\none     fivesixseven\nthree   \n");
}

static void expect_section(const char *markdown, const char *name, const char *expected)
{
    char *text = markdown_section(markdown, name);
    assert_string_equal(text, expected);
    free(text);
}

static void test_sections(void **state)
{
    (void)state;
    static const char lesson[] =
        "# T\n\n## One\n\na\n\n```\n## Two\n```\n### b\n\n## Two\nc\n# U\nd\n";
    expect_section(lesson, "One", "\na\n\n```\n## Two\n```\n### b\n\n");
    expect_section(lesson, "Two", "c\n");
    expect_section(lesson, "b", "");
    expect_section("## Last\n1\n2", "Last", "1\n2\n");
    expect_section("## Last", "Last", "");
}

static void marks_and_hints(void **state)
{
    (void)state;
    const char *asks[] = {"first", NULL};
    lesson_insertions m = {.predictions = asks, .prediction_count = 1, .picture = "PICTURE"};
    char *text = render("## Predict\n<!-- predict kernel=a metric=b -->\nHow many?\n\n"
                        "<!-- predict kernel=a metric=c -->\nAnd?\n\n<!-- plot x -->\n\n"
                        "<!-- plot y -->\n\n"
                        "## Hints\n### TODO 1\n1. secret\n\n## Further questions\nWhy?\n",
                        40, &m);
    assert_string_equal(
        text, "Predict\n\nHow many?\nfirst\n\nAnd?\n\nPICTURE\n\nFurther questions\n\nWhy?\n");
    free(text);
}

static void every_line_fits(void **state)
{
    (void)state;
    static const char markdown[] = "# A title that is rather long for the page\n\nSome *prose* "
                                   "with `code` and **more** — of it, αβγδ εζηθ ικλμ.\n\n"
                                   "- item with several words in it\n  - and a nested one, too\n\n"
                                   "> quoted words that go on\n";
    for (size_t width = 20; width < 60; width++) {
        page p = {0};
        lesson_render(&p, markdown, width, NULL);
        assert_true(page_width(&p) <= width);
        for (size_t i = 0; i < p.count; i++)
            for (size_t b = 0; b < p.lines[i].len; b++)
                assert_true(p.lines[i].styles[b] < STYLE_COUNT);
        page_free(&p);
    }
}

static void test_text_outside_sections(void **state)
{
    (void)state;
    page p = {0};
    page_add_terminal_text(&p, STYLE_NORMAL,
                           "a\tb\n\x1b[31mred\x1b[0m\x07\nold\rnew\ncr\r\n\xff\xc3(\n\x1b\n\x1b[3");
    static const char *const expected[] = {"a       b",
                                           "red?",
                                           "new",
                                           "cr",
                                           ("?"
                                            "?("), /* no trigraph */
                                           ""};
    assert_int_equal(p.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(p.lines[i].s, expected[i]);
    page_free(&p);
}

static void test_utf8(void **state)
{
    (void)state;
    size_t n;
    assert_int_equal(utf8_decode("\xe2\x80\x94", 3, &n), 0x2014);
    assert_int_equal(n, 3);
    assert_int_equal(utf8_decode("\xe2\x80", 2, &n), 0xFFFD);
    assert_int_equal(n, 1);
    assert_int_equal(utf8_decode("\xf0\x9f\x98\x80", 4, &n), 0x1F600);
    static const char *const invalid[] = {/* too long, halves of pairs, above the last, cut */
                                          "\xc0\x80",         "\xe0\x80\x80", "\xf0\x80\x80\x80",
                                          "\xed\xa0\x80",     "\xed\xbf\xbf", "\xf4\x90\x80\x80",
                                          "\xf5\x80\x80\x80", "\x80",         "\xff",
                                          "\xe2\x80x"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        assert_int_equal(utf8_decode(invalid[i], strlen(invalid[i]), &n), 0xFFFD);
        assert_int_equal(n, 1);
    }
    assert_int_equal(utf8_width("aé—", 6), 3);
    assert_int_equal(utf8_fit("aé—", 6, 2), 3);
}

static void test_numbers(void **state)
{
    (void)state;
    char b[32];
    double v;
    assert_string_equal(nice_number(9, b, sizeof b), "9");
    assert_string_equal(nice_number(3.666, b, sizeof b), "3.67");
    assert_string_equal(nice_number(1234.56, b, sizeof b), "1234.6");
    assert_string_equal(nice_number(0.0031, b, sizeof b), "0.0031");
    assert_true(parse_number(" 4.5 ", &v));
    assert_false(parse_number("4x", &v));
    assert_false(parse_number("nan", &v));
    assert_false(parse_number("", &v));
    assert_false(parse_number(NULL, &v));
}

/* --- slides --- */

static void test_wrong_versions(void **state)
{
    (void)state;
    static const char solution[] = "a\n// TODO 1\nright\n// END TODO 1\nb\n// TODO 2: t\ntwo\n"
                                   "// END TODO 2\nc\n";
    char err[128] = "";
    char *text = wrong_version_join(
        solution, "// goal: k m\n  // TODO 2\nwrong\nx\n// END TODO 2\n", err, sizeof err);
    assert_string_equal(text, "a\n// TODO 1\nright\n// END TODO 1\nb\n// TODO 2: t\nwrong\nx\n"
                              "// END TODO 2\nc\n");
    free(text);
    assert_null(wrong_version_join(solution, "// TODO 3\n// END TODO 3\n", err, sizeof err));
    assert_string_equal(err, "the solution has no TODO 3");
    assert_null(wrong_version_join(solution, "nothing\n", err, sizeof err));
    assert_string_equal(err, "it has no TODO region");
    assert_null(wrong_version_join(solution, "// TODO 1\nright\n", err, sizeof err));
    assert_non_null(strstr(err, "no END TODO 1"));
}

static void slides_of_a_lesson(void **state)
{
    (void)state;
    static const char lesson[] =
        "# 3. Three\n\n## What you will learn\n\n- a\n- b\n\n## The "
        "idea\n\nFirst idea:\n\n    drawing\n\n"
        "Second.\nMore of it.\n\n```\ncode\n\nmore\n```\n\n| t |\n| --- "
        "|\n| x |\n\nThird.\n\n## Predict\n\n"
        "<!-- predict kernel=k metric=m -->\n1. one?\n\n<!-- predict "
        "kernel=k metric=n -->\n2. two?\n\n3. three?\n\n"
        "## Your task\n\n1. do\n\n## What to look at\n\n<!-- plot "
        "bandwidth -->\n<!-- plot sweep -->\n\n- here\n\n"
        "## On hardware\n\n<!-- c -->4<!-- /c --> GB/s.\n\n## Hints\n\n### TODO 1\n\n1. "
        "secret\n\n## Further questions\n\n- why?\n";
    static const struct {
        slide_kind kind;
        const char *section, *text;
    } expected[] = {
        {SLIDE_TITLE, NULL, NULL},
        {SLIDE_TEXT, "What you will learn", "- a\n- b"},
        {SLIDE_TEXT, "The idea", "First idea:\n\n    drawing"},
        {SLIDE_TEXT, "The idea",
         "Second. More of it.\n\n```\ncode\n\nmore\n```\n\n| t |\n| --- |\n| x |"},
        {SLIDE_TEXT, "The idea", "Third."},
        {SLIDE_VOTE, "Predict", "<!-- predict kernel=k metric=m -->\n\n1. one?"},
        {SLIDE_VOTE, "Predict", "<!-- predict kernel=k metric=n -->\n\n2. two?"},
        {SLIDE_TEXT, "Predict", "3. three?"},
        {SLIDE_TEXT, "Your task", "1. do"},
        {SLIDE_CODE, "Your task", NULL},
        {SLIDE_ANSWER, "Your task", NULL},
        {SLIDE_LIVE, "Your task", NULL},
        {SLIDE_TEXT, "What to look at", "here"},
        {SLIDE_PICTURE, "What to look at", NULL},
        {SLIDE_PICTURE, "What to look at", NULL},
        {SLIDE_TEXT, "On hardware", "4 GB/s."},
        {SLIDE_TEXT, "Further questions", "why?"},
    };
    slides s = {0};
    todo_region only = {.number = 1};
    chapter c = {.picture_count = 2,
                 .prediction_count = 2,
                 .todos = &only,
                 .todo_count = 1,
                 .has_solution = true};
    slides_add(&s, &c, lesson);
    assert_int_equal(s.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < s.count; i++) {
        assert_int_equal(s.list[i].kind, expected[i].kind);
        assert_ptr_equal(s.list[i].c, &c);
        if (expected[i].section)
            assert_string_equal(s.list[i].section, expected[i].section);
        if (expected[i].text) {
            char *text = xstrdup(s.list[i].markdown);
            assert_string_equal(strip(text), expected[i].text);
            free(text);
        }
    }
    assert_int_equal(s.list[14].picture, 1);
    assert_int_equal(s.list[6].prediction, 1);
    assert_int_equal(s.list[9].todo, 1);
    slides_free(&s);

    /* Without a lesson there are the title, the run and the one picture. */
    c.picture_count = c.todo_count = 0;
    slides_add(&s, &c, NULL);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.list[1].kind, SLIDE_LIVE);
    slides_free(&s);
}

static void slides_are_points(void **state)
{
    (void)state;
    static const char lesson[] =
        "# 3. Three\n\n## The idea\n\nThe first paragraph makes a point (in `a. B`). It says "
        "more.\n\nWhy is that? Because a *warp* is wide. And so on.\n\n"
        "**The halo.** Each block needs what lies beside\nits own elements. Four are enough:\n\n"
        "    drawing\n\nThis paragraph is about [banks](../../docs/GLOSSARY.md#banks). More.\n\n"
        "**Older texts** name other sizes than those of today. No more.\n\n"
        "## On hardware\n\nMedians (`tests/a/b`) of times, and clocks (of one SM, `tests/c`) of "
        "each. (`tests/d`; two rows)\n";
    static const struct {
        const char *heading, *text;
    } expected[] = {
        {"The idea", "- The first paragraph makes a point (in `a. B`).\n"
                     "- Why is that? Because a *warp* is wide.\n"},
        {"The halo", "Each block needs what lies beside its own elements. Four are enough:\n\n"
                     "    drawing\n\n"},
        {"Banks", "This paragraph is about [banks](../../docs/GLOSSARY.md#banks).\n"},
        {"Older texts", "**Older texts** name other sizes than those of today.\n"},
        {"On hardware", "Medians of times, and clocks (of one SM) of each.\n"},
    };
    slides s = {0};
    chapter c = {0};
    slides_add(&s, &c, lesson);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_string_equal(s.list[i + 1].heading, expected[i].heading);
        assert_string_equal(s.list[i + 1].markdown, expected[i].text);
    }
    assert_non_null(strstr(s.list[1].notes, "It says more."));
    slides_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prose),
        cmocka_unit_test(text_beside_a_comment),
        cmocka_unit_test(words_link_to_the_glossary),
        cmocka_unit_test(code_keeps_its_lines),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(slides_of_a_lesson),
        cmocka_unit_test(slides_are_points),
        cmocka_unit_test(test_wrong_versions),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(marks_and_hints),
        cmocka_unit_test(every_line_fits),
        cmocka_unit_test(test_text_outside_sections),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_numbers),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
