/* Tests into how many Slurm tasks a class's submissions are split. */
#include "runner/slurm/slurm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void splits_a_class_into_tasks(void **state)
{
    (void)state;
    size_t each;
    assert_int_equal(slurm_task_count(500, 8, 1001, &each), 63);
    assert_int_equal(each, 8);
    assert_int_equal(slurm_task_count(500, 1, 100, &each), 100);
    assert_int_equal(each, 5);
    assert_int_equal(slurm_task_count(7, 1, 3, &each), 3);
    assert_int_equal(each, 3);
    assert_int_equal(slurm_task_count(1, 8, 1, &each), 1);
}

static void reads_the_largest_array_size(void **state)
{
    (void)state;
    assert_int_equal(slurm_max_array_size("MailProg = /bin/mail\nMaxArraySize            = 1001\n"),
                     1001);
    assert_int_equal(slurm_max_array_size("MailProg = /bin/mail\n"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_a_class_into_tasks),
        cmocka_unit_test(reads_the_largest_array_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
