/* Tests the tables written for WARPBOOK_COUNTERS and WARPBOOK_LINES. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counter_names.h"
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[4096];                                           /* path of the table */
static const uint32_t grid[3] = {7, 2, 1}, block[3] = {32, 8, 1}; /* shape of the launches */

static int empty_file(void **state)
{
    (void)state;
    strcpy(path, scratch_template("warpbook-table-XXXXXX"));
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static char *read_table(void)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void every_counter_has_a_row_and_the_header_comes_once(void **state)
{
    (void)state;
    counters c = {0};
    c.v[CTR_ld_requests] = 3072;
    c.v[CTR_blocks] = UINT64_MAX;
    assert_true(counters_write_launch(path, 0, "stencil", grid, block, &c));
    assert_true(counters_write_launch(path, 1, "a\tb\nc", grid, block, &c));
    const char *text = read_table();
    assert_int_equal(count_lines(text), 1 + 2 * CTR_COUNT);
    assert_true(!strncmp(text, "launch\tkernel\tgrid\tblock\tmetric\tvalue\n", 38));
    assert_non_null(strstr(text,
                           "\n0\tstencil\t7x2x1\t32x8x1\tl1tex__t_requests_pipe_lsu_mem_global_"
                           "op_ld.sum\t3072\n"));
    assert_non_null(strstr(text, "ptx__blocks_launched.sum\t18446744073709551615\n"));
    assert_non_null(strstr(text, "\n1\ta b c\t7x2x1"));
    assert_null(strstr(text + 1, "\nlaunch"));
}

static void missing_fields_are_dashes(void **state)
{
    (void)state;
    const line_row rows[2] = {
        {"lab.cu",
         31,
         "ld.global.f32",
         "global",
         {64, 2048, 576, 256, 0, 64, 36, 0},
         "/book/lab.cu"},
        {"", 0, "st.shared.u32", "shared", {1, 5, 2, 1, 1, 0, INT64_MIN, 0}, ""},
    };
    assert_true(line_rows_append(path, 4, "k", rows, 2));
    assert_string_equal(
        read_table(), "launch\tkernel\tfile\tline\top\tspace\trequests\tsectors\tideal\t"
                      "conflicts\tstride\tpath\n"
                      "4\tk\tlab.cu\t31\tld.global.f32\tglobal\t64\t576\t256\t0\t36\t/book/lab.cu\n"
                      "4\tk\t-\t0\tst.shared.u32\tshared\t1\t2\t1\t1\t-\t-\n");
}

static void processes_may_share_a_file(void **state)
{
    (void)state;
    enum { PROCESSES = 6, LAUNCHES = 20 };
    for (int p = 0; p < PROCESSES; p++) {
        if (fork() == 0) {
            counters c = {0};
            bool ok = true;
            for (uint64_t k = 0; k < LAUNCHES; k++)
                ok = ok && counters_write_launch(path, k, "shared", grid, block, &c);
            _exit(!ok);
        }
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        wait(&status);
        assert_int_equal(status, 0);
    }
    const char *text = read_table();
    assert_int_equal(count_lines(text), 1 + PROCESSES * LAUNCHES * CTR_COUNT);
    assert_null(strstr(text + 1, "\nlaunch"));
    /* The rows of a launch are contiguous. */
    const char *at = strchr(text, '\n') + 1;
    for (int k = 0; k < PROCESSES * LAUNCHES; k++) {
        unsigned long long first = strtoull(at, NULL, 10);
        for (int row = 0; row < CTR_COUNT; row++, at = strchr(at, '\n') + 1) {
            assert_int_equal(strtoull(at, NULL, 10), first);
            assert_non_null(strstr(at, counter_names[row]));
        }
    }
}

static void write_errors_are_reported(void **state)
{
    (void)state;
    counters c = {0};
    assert_false(counters_write_launch("/nowhere/at/all", 0, "k", grid, block, &c));
    assert_int_equal(errno, ENOENT);
    if (access("/dev/full", W_OK) == 0) {
        assert_false(counters_write_launch("/dev/full", 0, "k", grid, block, &c));
        assert_int_equal(errno, ENOSPC);
    }
}

static void names_are_unique_and_explained(void **state)
{
    (void)state;
    static const char *const meanings[] = {
#define COUNTER(field, name, meaning, ...) meaning,
#include "emulator/counters/counters.def"
#undef COUNTER
    };
    for (int a = 0; a < CTR_COUNT; a++) {
        assert_true(strlen(meanings[a]) > 0);
        for (int b = 0; b < a; b++)
            assert_string_not_equal(counter_names[a], counter_names[b]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_counter_has_a_row_and_the_header_comes_once,
                                        empty_file, remove_file),
        cmocka_unit_test_setup_teardown(missing_fields_are_dashes, empty_file, remove_file),
        cmocka_unit_test_setup_teardown(processes_may_share_a_file, empty_file, remove_file),
        cmocka_unit_test(write_errors_are_reported),
        cmocka_unit_test(names_are_unique_and_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
