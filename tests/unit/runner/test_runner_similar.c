/* Tests which part of two submissions is compared, and reading sim_c's output. */
#include "runner/similar/similar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LAB(region) "int f()\n{\n    // TODO 1: sum\n" region "    // END TODO 1\n}\n"

static void compares_regions_without_the_starters_lines(void **state)
{
    (void)state;
    char *own =
        text_to_compare("\xEF\xBB\xBF" LAB("  int sum = 0;\r\n\n    return  sum;\n return 1;\n"),
                        LAB("    return 1;\n"));
    assert_string_equal(own, "int sum = 0;\nreturn  sum;\n");
    free(own);
    own = text_to_compare("int f() { return 1; }\n", LAB("    return 1;\n"));
    assert_string_equal(own, "");
    free(own);
}

static void test_pairs_are_read(void **state)
{
    (void)state;
    arena a = {0};
    similar_list l = similar_parse_output(&a,
                                          "/b/12/0.c consists for 70 % of /b/12/3.c material\n"
                                          "/b/12/3.c consists for 50 % of /b/12/0.c material\n"
                                          "/b/12/3.c consists for 65 % of /b/12/0.c material\n"
                                          "/b/12/2.c consists for 100 % of /b/12/1.c material\n"
                                          "/b/12/1.c consists for 59 % of /b/12/3.c material\n"
                                          "/b/12/x.c consists for 99 % of /b/12/3.c material\n"
                                          "no such line\n",
                                          60);
    assert_int_equal(l.count, 2);
    assert_int_equal(l.pairs[0].a, 1);
    assert_int_equal(l.pairs[0].b, 2);
    assert_int_equal(l.pairs[0].a_in_b, 0);
    assert_int_equal(l.pairs[0].b_in_a, 100);
    assert_int_equal(l.pairs[1].a, 0);
    assert_int_equal(l.pairs[1].b, 3);
    assert_int_equal(l.pairs[1].a_in_b, 70);
    assert_int_equal(l.pairs[1].b_in_a, 65);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_regions_without_the_starters_lines),
        cmocka_unit_test(test_pairs_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
