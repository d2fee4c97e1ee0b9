/* Tests grafting a submission: its TODO regions are inserted into the book's text and keep their
 * line numbers. */
#include "runner/run/graft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text_of_book[] = "enum { A = 4, B2 = 8 }; // yours to choose: small\n"
                                   "int f() {\n"
                                   "    // TODO 1 (about 1 line): something\n"
                                   "    return 0;\n"
                                   "    // END TODO 1\n"
                                   "}\n"
                                   "int main() { return f(); }\n";

static void expect_inserted_regions(const char *text, const char *whole)
{
    arena a = {0};
    const char *why = NULL;
    char *plain = graft_normalized_text(text),
         *got = insert_todo_regions(text_of_book, plain, "x.cu", &a, &why);
    assert_null(why);
    assert_string_equal(got, whole);
    free(plain);
    free(got);
    arena_free(&a);
}

static void expect_refused(const char *text, const char *reason)
{
    arena a = {0};
    const char *why = NULL;
    assert_null(insert_todo_regions(text_of_book, text, "x.cu", &a, &why));
    assert_string_equal(why, reason);
    arena_free(&a);
}

#define GRAFTED_TEXT(numbers, begin, region, end)                                    \
    "#line 1 \"x.cu\"\n" numbers " // yours to choose: small\nint f() {\n"           \
    "    // TODO 1 (about 1 line): something\n#line " begin "\n" region "#line " end \
    "\n    // END TODO 1\n}\nint main() { return f(); }\n"

static void test_regions(void **state)
{
    (void)state;
    expect_inserted_regions(text_of_book,
                            GRAFTED_TEXT("enum { A = 4, B2 = 8 };", "4", "    return 0;\n", "5"));
    /* The rest of the submitted file is ignored. */
    expect_inserted_regions(
        "\xEF\xBB\xBF// Alice, 4711\r\nenum { A=16,\tB2 = 2 }; // mine\r\n\r\nint g;\r\n"
        "int f()\r\n{\r\n\t//TODO 1\r\n\treturn 1;\r\n\treturn 2;\r\n\t// END TODO 1\r\n}",
        GRAFTED_TEXT("enum { A = 16, B2 = 2 };", "8", "\treturn 1;\n\treturn 2;\n", "10"));
    expect_inserted_regions("// TODO 1\n// END TODO 1",
                            GRAFTED_TEXT("enum { A = 4, B2 = 8 };", "2", "", "2"));
    /* Lines that end with CR only; an invalid number; one line too many. */
    expect_inserted_regions(
        "enum { A = x, B2 = 8 };\renum { A = 1, B2 = 1, C = 1 };\r// TODO 1\ri;\r// END TODO 1\r",
        GRAFTED_TEXT("enum { A = 4, B2 = 8 };", "4", "i;\n", "5"));
}

/* The HELPERS block for helper functions, before the TODO regions. */
static const char with_helpers[] = "// HELPERS: functions of your own\n"
                                   "// END HELPERS\n"
                                   "// TODO 1\n"
                                   "// END TODO 1\n";

static void test_helpers(void **state)
{
    (void)state;
    const struct {
        const char *text, *whole;
    } cases[] = {
        {"int f();\n// HELPERS\nint g()\n{\n}\n// END HELPERS\n// TODO 1\ng();\n// END TODO 1\n",
         "#line 3\nint g()\n{\n}\n#line 6\n// END HELPERS\n// TODO 1\n#line 8\ng();\n#line 9\n"},
        /* A submission without a HELPERS block, from an older version of the book. */
        {"// TODO 1\nh();\n// END TODO 1\n", "// END HELPERS\n// TODO 1\n#line 2\nh();\n#line 3\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena a = {0};
        const char *why = NULL;
        char *got = insert_todo_regions(with_helpers, cases[i].text, "x.cu", &a, &why);
        char *want =
            xprintf("#line 1 \"x.cu\"\n// HELPERS: functions of your own\n%s// END TODO 1\n",
                    cases[i].whole);
        assert_string_equal(got, want);
        free(got);
        free(want);
        arena_free(&a);
    }
    expect_refused("// HELPERS\n// HELPERS\n// END HELPERS\n// TODO 1\n// END TODO 1\n",
                   "cannot be read: line 2 has a second HELPERS");
    expect_refused("// HELPERS\n// TODO 1\n// END TODO 1\n// END HELPERS\n",
                   "cannot be read: line 2 begins TODO 1 inside HELPERS");
    expect_refused("// TODO 1\n// HELPERS\n// END HELPERS\n// END TODO 1\n",
                   "cannot be read: line 2 has HELPERS inside TODO 1");
    expect_refused("// END HELPERS\n// TODO 1\n// END TODO 1\n",
                   "cannot be read: line 1 has END HELPERS without HELPERS");
    expect_refused("// HELPERS\n", "cannot be read: line 1: HELPERS has no END HELPERS");
    sb many = {0};
    for (int i = 0; i < 200000; i++)
        sb_puts(&many, "// TODO 1\n// END TODO 1\n");
    expect_refused(many.s, "cannot be read: line 33 begins too many TODO regions");
    sb_free(&many);
}

static void test_faults(void **state)
{
    (void)state;
    expect_refused("int f;\n", "has no region from `// TODO 1` to `// END TODO 1`");
    expect_refused("// TODO 1\n// END TODO 1\n\n// TODO 1\n// END TODO 1\n",
                   "has TODO 1 twice, at lines 1 and 4");
    expect_refused("// TODO 1\nint i;\n",
                   "has no line `// END TODO 1`: put it back after the lines of "
                   "TODO 1, which begin at line 1");
    expect_refused("\n// TODO 10\n  // END TODO 1\n",
                   "has no line `// TODO 1`: put it back before the "
                   "lines of TODO 1, which end at line 3");
    expect_refused("// TODO 2\n// TODO 1\n// END TODO 1\n",
                   "cannot be read: line 2 begins TODO 1 inside TODO 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions),
                                       cmocka_unit_test(test_helpers),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
