/* Tests the lists of error kinds in WARPBOOK_SANITIZE. */
#include "../../emulator/sanitizer/kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char err[512]; /* message on a refused list */

static unsigned parse_kinds(const char *list)
{
    unsigned kinds = ~0u;
    assert_true(san_kinds_read(list, &kinds, err, sizeof err));
    return kinds;
}

static void test_lists(void **state)
{
    (void)state;
    assert_int_equal(parse_kinds(NULL), 0);
    assert_int_equal(parse_kinds(""), 0);
    assert_int_equal(parse_kinds("none"), 0);
    assert_int_equal(parse_kinds("race"), SAN_RACE);
    assert_int_equal(parse_kinds("race,leak,memory"), SAN_RACE | SAN_LEAK | SAN_MEMORY);
    assert_int_equal(parse_kinds("init,sync,host,"), SAN_INIT | SAN_SYNC | SAN_HOST);
    assert_int_equal(parse_kinds("all"), SAN_ALL);
    assert_int_equal(parse_kinds("none,leak"), SAN_LEAK);
    assert_int_equal(parse_kinds("race,notes"), SAN_RACE | SAN_NOTES);
    assert_int_equal(parse_kinds("all") & SAN_NOTES, 0);
}

static void test_refused_lists(void **state)
{
    (void)state;
    static const char *const bad[] = {"races",      "rac",  "race;leak", ",race",
                                      "race,,leak", " all", "1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        unsigned kinds;
        err[0] = '\0';
        assert_false(san_kinds_read(bad[k], &kinds, err, sizeof err));
        assert_non_null(strstr(err, "WARPBOOK_SANITIZE has \""));
        assert_non_null(strstr(err, "memory, race, init, sync, host and leak"));
    }
}

static void long_name_is_cut(void **state)
{
    (void)state;
    char name[5000];
    unsigned kinds;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(san_kinds_read(name, &kinds, err, sizeof err));
    assert_in_range(strlen(err), 100, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_refused_lists),
                                       cmocka_unit_test(long_name_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
