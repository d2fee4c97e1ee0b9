/* Tests the names of kernels and variables in reports: of C++ as its sources have them, of C as
 * they are. */
#include "emulator/cudart/core/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void is_called(const char *expected, char *name)
{
    assert_string_equal(name, expected);
    free(name);
}

static void drops_results_and_parameters_of_kernels(void **state)
{
    (void)state;
    is_called("k<float>", name_of_kernel("_Z1kIfEvPT_i"));
    is_called("f", name_of_kernel("_Z1fPi"));
    is_called("shape::edge", name_of_variable("_ZN5shape4edgeE"));
}

/* `f`, `x` and `PKc` are types to a demangler. */
static void leaves_names_of_c(void **state)
{
    (void)state;
    static const char *const name[] = {"f", "x", "PKc", "scale"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        is_called(name[i], name_of_kernel(name[i]));
        is_called(name[i], name_of_variable(name[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_results_and_parameters_of_kernels),
        cmocka_unit_test(leaves_names_of_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
