/* Tests pages as JSON, which one program makes and another shows. */
#include "runner/base/json.h"
#include "runner/book/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void come_back_as_they_were(void **unused)
{
    (void)unused;
    page made = {0}, shown = {0};
    styled t = {0};
    styled_puts(&t, STYLE_BAD, "✗ \"copy\"");
    styled_puts(&t, STYLE_NORMAL, ": ");
    styled_puts(&t, STYLE_BAD, "n = 1\t");
    page_add_line(&made, &t);
    page_add_blank_line(&made);
    page_line_add(&made, STYLE_DIM, "last");
    json_t *lines = page_json(&made);
    char *text = json_dumps(lines, JSON_COMPACT);
    assert_null(strchr(text, '\n'));
    json_t *read = json_loads(text, 0, NULL);
    page_add_json(&shown, read);
    assert_int_equal(shown.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(shown.lines[i].s, made.lines[i].s);
        assert_int_equal(shown.lines[i].len, made.lines[i].len);
        assert_memory_equal(shown.lines[i].styles, made.lines[i].styles, made.lines[i].len);
    }
    free(text);
    json_decref(lines);
    json_decref(read);
    page_free(&made);
    page_free(&shown);
}

static void what_is_no_line_is_left_out(void **unused)
{
    (void)unused;
    page p = {0};
    json_t *odd = json_loads("[[0, \"a\", 99, \"b\", -1, \"c\", 0, 7, 0], 3, []]", 0, NULL);
    page_add_json(&p, odd);
    page_add_json(&p, NULL);
    assert_int_equal(p.count, 3);
    assert_string_equal(p.lines[0].s, "a");
    assert_int_equal(p.lines[1].len, 0);
    json_decref(odd);
    page_free(&p);
}

static void bytes_that_are_no_text(void **unused)
{
    (void)unused;
    page made = {0}, shown = {0};
    page_line_add(&made, STYLE_NORMAL,
                  "a\xff"
                  "b");
    json_t *lines = page_json(&made);
    page_add_json(&shown, lines);
    assert_string_equal(shown.lines[0].s, "a\xEF\xBF\xBD"
                                          "b");
    json_decref(lines);
    page_free(&made);
    page_free(&shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_back_as_they_were),
        cmocka_unit_test(what_is_no_line_is_left_out),
        cmocka_unit_test(bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
