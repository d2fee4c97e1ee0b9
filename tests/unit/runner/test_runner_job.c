/* Tests running child processes: how they ended is reported correctly, and no process is left
 * over. */
#include "runner/base/elf_needed.h"
#include "runner/base/files.h"
#include "runner/base/job.h"
#include "scratch.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static job *run_script(const char *script, double limit, size_t cap)
{
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    const char *env[] = {"ADDED=yes", "PATH_GONE", NULL};
    job *j = job_start(&(job_spec){.argv = argv, .env = env, .limit_s = limit, .output_cap = cap});
    while (!job_poll(j, 100))
        ;
    return j;
}

static void expect_end(const char *script, double limit, size_t cap, job_end how, int code)
{
    int got;
    job *j = run_script(script, limit, cap);
    assert_int_equal(job_outcome(j, &got), how);
    assert_int_equal(got, code);
    job_free(j);
}

static void test_endings(void **state)
{
    (void)state;
    expect_end("exit 0", 10, 0, JOB_EXITED, 0);
    expect_end("exit 42", 10, 0, JOB_EXITED, 42);
    expect_end("kill -SEGV $$", 10, 0, JOB_SIGNALLED, SIGSEGV);
    expect_end("while :; do sleep 0.05; done", 0.2, 0, JOB_TIMEOUT, 0);
    expect_end("while :; do echo flood; done", 10, 1000, JOB_FLOOD, 0);
    expect_end("exec >&- 2>&-; exit 7", 10, 0, JOB_EXITED, 7);
}

static void test_output(void **state)
{
    (void)state;
    size_t len;
    job *j = run_script("echo out; echo err >&2; echo $ADDED; cat", 10, 0);
    assert_string_equal(job_output(j, &len), "out\nerr\nyes\n"); /* stdin was empty */
    assert_int_equal(len, 12);
    job_free(j);
    j = run_script("printf 'a\\000b'", 10, 0);
    assert_string_equal(job_output(j, NULL), "a?b");
    job_free(j);
    j = run_script("printf 12345678", 10, 8); /* output of exactly the maximum is allowed */
    int code;
    assert_int_equal(job_outcome(j, &code), JOB_EXITED);
    assert_string_equal(job_output(j, NULL), "12345678");
    job_free(j);
    j = run_script("while :; do echo 123456789; done", 10, 25);
    job_output(j, &len);
    assert_int_equal(len, 25);
    job_free(j);
}

static void test_program_that_cannot_start(void **state)
{
    (void)state;
    int code;
    const char *argv[] = {"/no/such/program", NULL};
    job *j = job_start(&(job_spec){.argv = argv});
    assert_true(job_poll(j, 0));
    assert_int_equal(job_outcome(j, &code), JOB_NO_START);
    assert_int_equal(code, ENOENT);
    job_free(j);
}

static void wait_until_gone(pid_t pid)
{
    for (int i = 0; i < 500 && kill(pid, 0) == 0; i++)
        usleep(10000);
    assert_int_equal(kill(pid, 0), -1);
}

/* Processes that a job leaves in its group are killed. */
static void test_grandchildren(void **state)
{
    (void)state;
    job *j = run_script("sleep 1000 & echo $!", 10, 0);
    pid_t left = (pid_t)atol(job_output(j, NULL));
    assert_true(left > 1);
    job_free(j);
    wait_until_gone(left);
}

static void test_cancelled(void **state)
{
    (void)state;
    int code;
    size_t len = 0;
    const char *argv[] = {"/bin/sh", "-c", "echo ready; exec sleep 1000", NULL};
    const double start = monotonic_s();
    job *j = job_start(&(job_spec){.argv = argv});
    while (len == 0 && !job_poll(j, 100))
        job_output(j, &len);
    job_cancel(j);
    while (!job_poll(j, 100))
        ;
    assert_int_equal(job_outcome(j, &code), JOB_CANCELLED);
    assert_true(monotonic_s() - start < 100);
    job_free(j);
}

static void test_reading_a_whole_output(void **state)
{
    (void)state;
    job_end how;
    int code;
    const char *argv[] = {"/bin/echo", "hello", NULL};
    char *says = job_run_and_read(argv, 10, &how, &code);
    assert_string_equal(says, "hello\n");
    assert_int_equal(how, JOB_EXITED);
    free(says);
}

static void test_signal_names(void **state)
{
    (void)state;
    assert_non_null(strstr(signal_in_words(SIGFPE), "SIGFPE"));
    assert_non_null(strstr(signal_in_words(SIGUSR1), "SIGUSR1"));
    assert_non_null(strstr(signal_in_words(250), "250"));
}

static void test_elf_facts(void **state)
{
    (void)state;
    elf_facts f;
    size_t len;
    assert_true(read_elf_facts("/proc/self/exe", &f));
    assert_true(f.machine[0]);
    assert_int_equal(f.interpreter[0], '/');
    assert_false(f.has_fatbin);
    assert_string_equal(f.cudart, "");
    assert_false(read_elf_facts("/no/such/file", &f));
    /* Truncated and damaged ELF files: no read past their end. */
    char *bytes = read_whole_file("/bin/true", 1 << 20, &len);
    char *path = scratch_template("warpbook-test-XXXXXX");
    assert_non_null(bytes);
    int fd = mkstemp(path);
    for (size_t cut = 1; cut < len; cut = cut * 3 / 2 + 1) {
        assert_true(write_whole_file(path, bytes, cut));
        assert_true(read_elf_facts(path, &f));
    }
    unsigned random = 1;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 20; i++) {
            random = random * 1664525 + 1013904223;
            bytes[random % (round % 2 ? len : 512)] = (char)(random >> 24);
        }
        memcpy(bytes,
               "\x7f"
               "ELF\2\1",
               6);
        assert_true(write_whole_file(path, bytes, len));
        assert_true(read_elf_facts(path, &f));
    }
    close(fd);
    unlink(path);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_program_that_cannot_start),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_grandchildren),
        cmocka_unit_test(test_reading_a_whole_output),
        cmocka_unit_test(test_elf_facts),
        cmocka_unit_test(test_signal_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
