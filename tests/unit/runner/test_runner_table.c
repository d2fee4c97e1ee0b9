/* Tests the reading of tables row by row: rows that are whole are read, by the names of columns. */
#include "runner/base/table.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The texts of column NAME in the rows of the table TEXT, joined by commas. */
static void assert_column(const char *text, const char *name, const char *wanted)
{
    char path[4096];
    strcpy(path, scratch_template("table-XXXXXX"));
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    table_reader t;
    sb got = {0};
    table_open(&t, path);
    while (table_next(&t))
        sb_printf(&got, "%s,", table_field(&t, name));
    table_close(&t);
    unlink(path);
    assert_string_equal(got.s ? got.s : "", wanted);
    sb_free(&got);
}

static void test_columns_are_found_by_name(void **unused)
{
    (void)unused;
    static const char text[] = "launch\tkernel\tvalue\n1\tf\t7\r\n2\t-\t8";
    assert_column(text, "value", "7,8,");
    assert_column(text, "kernel", "f,,");
    assert_column(text, "grid", ",,");
}

static void test_partial_rows_and_second_headers_are_left_out(void **unused)
{
    (void)unused;
    assert_column("kernel\tvalue\nf\t1\ng\nkernel\tvalue\nkernel\t2\nh\t3\t4\n\ni", "kernel",
                  "f,kernel,");
}

static void test_a_file_without_rows(void **unused)
{
    (void)unused;
    table_reader t;
    assert_column("", "kernel", "");
    assert_column("kernel\tvalue\n", "kernel", "");
    table_open(&t, "/proc/none");
    assert_false(table_next(&t));
    assert_true(table_value(&t, "kernel") == 0);
    table_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_found_by_name),
        cmocka_unit_test(test_partial_rows_and_second_headers_are_left_out),
        cmocka_unit_test(test_a_file_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
