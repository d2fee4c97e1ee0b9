/* Tests the sandbox of submissions: what a program inside cannot do, and which results can be
 * copied out. Each program is a small C text that is compiled in one sandbox and run in another. */
#include "runner/base/files.h"
#include "runner/sandbox/sandbox.h"
#include "scratch.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"

static char *directory;               /* where programs are compiled and results are copied to */
static sandbox_use use = SANDBOX_RUN; /* kind of sandbox for the next run */

/* The beginning of each program. CHECK prints the line of a failed condition and exits with status
 * 1. */
#define PRELUDE                                                                                    \
    "#define _GNU_SOURCE\n#include <dirent.h>\n#include <errno.h>\n#include <fcntl.h>\n#include "  \
    "<pthread.h>\n"                                                                                \
    "#include <sched.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"           \
    "#include <string.h>\n#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/mount.h>\n" \
    "#include <sys/ptrace.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n"                    \
    "#include <sys/syscall.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"                       \
    "#define CHECK(x) if (!(x)) return printf(\"%s: %s\\n\", #x, strerror(errno)), 1\n"            \
    "int main(int argc, char **argv) { (void)argc; (void)argv;\n"

static const char *path_of(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void wait_for(sandbox *s, job *j)
{
    while (!job_poll(j, 5))
        sandbox_watch(s, j);
}

/* Compile TEXT to a program at path_of("program"). */
static void compile_program(const char *text)
{
    char err[512] = "", *source = strdup(path_of("text.c"));
    char *whole;
    assert_true(asprintf(&whole, "%s%s\nreturn 0; }\n", PRELUDE, text) > 0);
    assert_true(write_whole_file(source, whole, strlen(whole)));
    unlink(path_of("program"));
    sandbox *s = sandbox_new(SANDBOX_COMPILE, NULL);
    sandbox_show(s, source);
    const char *argv[] = {"/usr/bin/gcc",         "-w",       source, "-o",
                          SANDBOX_OUT "/program", "-pthread", NULL};
    job *j = sandbox_start(s, argv, NULL, 60, err, sizeof err);
    assert_string_equal(err, "");
    wait_for(s, j);
    int code;
    assert_string_equal(job_output(j, NULL), "");
    assert_int_equal(sandbox_job_end(j, &code), JOB_EXITED);
    assert_int_equal(code, 0);
    assert_true(sandbox_copy_file_out(s, "program", path_of("program"), 0755, 64 << 20));
    job_free(j);
    sandbox_free(s);
    free(whole);
    free(source);
}

/* The result of a run of a program in a sandbox. */
typedef struct outcome {
    sandbox *s;      /* the sandbox, still open for copying results out */
    job_end how;     /* how the program ended */
    int code;        /* exit status of the program */
    char said[4096]; /* what the program printed */
} outcome;

static outcome run_program(const char *text, const sandbox_limits *limits, double limit_s)
{
    outcome o = {0};
    char err[512] = "", *program;
    compile_program(text);
    program = strdup(path_of("program"));
    o.s = sandbox_new(use, limits);
    sandbox_show(o.s, program);
    const char *argv[] = {program, directory, NULL}, *env[] = {"GIVEN=yes", NULL};
    job *j = sandbox_start(o.s, argv, env, limit_s, err, sizeof err);
    assert_string_equal(err, "");
    wait_for(o.s, j);
    o.how = sandbox_job_end(j, &o.code);
    snprintf(o.said, sizeof o.said, "%s", job_output(j, NULL));
    job_free(j);
    free(program);
    return o;
}

static void expect_success(const char *text)
{
    outcome o = run_program(text, NULL, 30);
    assert_string_equal(o.said, "");
    assert_int_equal(o.how, JOB_EXITED);
    assert_int_equal(o.code, 0);
    sandbox_free(o.s);
}

static void results_written_in_the_sandbox_are_kept(void **state)
{
    (void)state;
    outcome o =
        run_program("FILE *f = fopen(\"/out/record\", \"w\"); fputs(\"kept\", f); fclose(f);"
                    "return strcmp(getenv(\"GIVEN\"), \"yes\") ? 1 : 3;",
                    NULL, 30);
    size_t len;
    assert_int_equal(o.how, JOB_EXITED);
    assert_int_equal(o.code, 3);
    assert_true(sandbox_copy_file_out(o.s, "record", path_of("record"), 0644, 100));
    char *text = read_whole_file(path_of("record"), 100, &len);
    assert_string_equal(text, "kept");
    free(text);
    unlink(path_of("record"));
    assert_false(sandbox_copy_file_out(o.s, "record", path_of("record"), 0644, 3)); /* too large */
    assert_false(sandbox_copy_file_out(o.s, "nothing", path_of("record"), 0644, 100));
    assert_int_equal(errno, ENOENT);
    sandbox_free(o.s);
}

static void only_regular_files_are_copied_out(void **state)
{
    (void)state;
    outcome o = run_program("CHECK(symlink(\"/etc/passwd\", \"/out/link\") < 0 && errno == ENOSYS);"
                            "CHECK(mkdir(\"/out/directory\", 0700) == 0);"
                            "CHECK(mkfifo(\"/out/pipe\", 0600) < 0 && errno == ENOSYS);"
                            "int f = open(\"/out/large\", O_WRONLY | O_CREAT, 0600);"
                            "CHECK(ftruncate(f, 200 << 20) == 0);",
                            NULL, 30);
    assert_string_equal(o.said, "");
    assert_false(sandbox_copy_file_out(o.s, "link", path_of("x"), 0644, 1 << 20));
    assert_false(sandbox_copy_file_out(o.s, "directory", path_of("x"), 0644, 1 << 20));
    assert_false(sandbox_copy_file_out(o.s, "large", path_of("x"), 0644, 1 << 20));
    assert_false(sandbox_copy_file_out(o.s, "../out/large", path_of("x"), 0644, 1 << 20));
    sandbox_free(o.s);
}

static void files_of_the_system_are_closed(void **state)
{
    (void)state;
    expect_success(
        "CHECK(access(argv[1], F_OK) == 0);" /* the sandbox contains the program itself */
        "char other[4096]; snprintf(other, sizeof other, \"%s/text.c\", argv[1]);"
        "CHECK(access(other, F_OK) != 0);"
        "CHECK(open(\"/usr/x\", O_CREAT | O_WRONLY, 0600) < 0);"
        "CHECK(open(\"/x\", O_CREAT | O_WRONLY, 0600) < 0);"
        "CHECK(open(\"/dev/x\", O_CREAT | O_WRONLY, 0600) < 0);"
        "CHECK(open(\"/dev/shm/x\", O_CREAT | O_WRONLY, 0600) < 0);"
        "CHECK(open(\"/proc/sys/kernel/core_pattern\", O_WRONLY) < 0);"
        "CHECK(open(\"/proc/sysrq-trigger\", O_WRONLY) < 0);"
        "CHECK(access(\"/etc/passwd\", F_OK) != 0); CHECK(access(\"/root\", F_OK) != 0);"
        "CHECK(access(\"/home\", F_OK) != 0); CHECK(!getenv(\"WARPBOOK_SECRET\"));");
}

static void dangerous_system_calls_are_blocked(void **state)
{
    (void)state;
    expect_success(
        "CHECK(socket(AF_INET, SOCK_STREAM, 0) < 0); CHECK(connect(9, NULL, 0) && errno == ENOSYS);"
        "CHECK(socket(AF_NETLINK, SOCK_RAW, 0) < 0); CHECK(socket(AF_VSOCK, SOCK_STREAM, 0) < 0);"
        "CHECK(vfork() < 0 && errno == ENOSYS); CHECK(unshare(CLONE_NEWUSER) < 0);"
        "CHECK(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) < 0);"
        "CHECK(syscall(SYS_clone3, 0, 0) < 0); CHECK(mount(\"x\", \"/out\", \"tmpfs\", 0, 0) < 0);"
        "CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) < 0); CHECK(syscall(SYS_bpf, 0, 0, 0) < 0);"
        "CHECK(syscall(SYS_io_uring_setup, 1, 0) < 0);"
        "CHECK(syscall(SYS_userfaultfd, 0) < 0); CHECK(syscall(SYS_keyctl, 0, 0) < 0);"
        "CHECK(syscall(SYS_personality, -1) < 0); CHECK(memfd_create(\"x\", 0) < 0);"
        "CHECK(kill(1, SIGKILL) == 0); /* of its own numbers, which the kernel ignores */");
}

/* Only a lab with jobs may start processes, and no more than a few. */
static void labs_with_jobs_start_few_processes(void **state)
{
    sandbox_limits jobs = default_sandbox_limits[SANDBOX_JOBS];
    expect_success("CHECK(fork() < 0 && errno == ENOSYS);");
    use = SANDBOX_JOBS;
    dangerous_system_calls_are_blocked(state);
    expect_success("int status = 1; pid_t p = fork(); if (p == 0) _exit(3);"
                   "CHECK(p > 0 && waitpid(p, &status, 0) == p && WEXITSTATUS(status) == 3);");
    outcome o =
        run_program("for (int i = 0; i < 20; i++) if (fork() == 0) pause(); pause();", &jobs, 60);
    assert_int_equal(sandbox_exceeded_limit(o.s), JOB_LIMIT_THREADS);
    assert_int_equal(o.how, JOB_CANCELLED);
    sandbox_free(o.s);
    use = SANDBOX_RUN;
}

static void system_calls_of_gpu_drivers_are_blocked(void **state)
{
    (void)state;
    expect_success(
        "CHECK(socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == ENOSYS);"
        "CHECK(bind(9, NULL, 0) && errno == ENOSYS); CHECK(listen(9, 1) && errno == ENOSYS);"
        "CHECK(syscall(SYS_eventfd2, 0, 0) < 0 && errno == ENOSYS);"
        "CHECK(ioctl(1, 'F' << 8 | 1, 0) && errno == ENOSYS);"
        "CHECK(open(\"/proc/self/comm\", O_WRONLY) < 0 && errno == EROFS);"
        "CHECK(access(\"/dev/nvidiactl\", F_OK) != 0);");
}

/* A sandbox for GPU labs opens what NVIDIA's driver needs and nothing else. */
static void gpu_sandbox_opens_only_files_of_the_driver(void **state)
{
    use = SANDBOX_GPU;
    files_of_the_system_are_closed(state);
    dangerous_system_calls_are_blocked(state);
    expect_success("CHECK(fork() < 0); CHECK(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);"
                   "CHECK(syscall(SYS_eventfd2, 0, 0) >= 0);"
                   "CHECK(ioctl(1, 'F' << 8 | 1, 0) && errno != ENOSYS);"
                   "CHECK(ioctl(1, TIOCSTI, \"x\") && errno == ENOSYS);"
                   "CHECK(open(\"/proc/self/task/2/comm\", O_WRONLY) >= 0);"
                   "DIR *d = opendir(\"/proc\"); int can = 0; char name[300];"
                   "for (struct dirent *e; (e = readdir(d));) {"
                   "    snprintf(name, sizeof name, \"/proc/%s\", e->d_name);"
                   "    if ((e->d_type == DT_REG || e->d_type == DT_DIR) && (*e->d_name < '0' || "
                   "*e->d_name > '9')"
                   "        && *e->d_name != '.' && access(name, W_OK) == 0) can = !!puts(name); }"
                   "CHECK(!can); d = opendir(\"/dev\");"
                   "for (struct dirent *e; (e = readdir(d));)"
                   "    CHECK(e->d_type != DT_BLK && !strstr(e->d_name, \"caps\"));");
    use = SANDBOX_RUN;
}

static void processes_outside_are_out_of_reach(void **state)
{
    (void)state;
    outcome o = run_program(
        "kill(getppid(), SIGKILL); kill(0, SIGCONT); kill(-1, SIGKILL); pause();", NULL, 0.5);
    assert_true(o.how == JOB_TIMEOUT ||
                o.how == JOB_SIGNALLED); /* the signal did not reach the test's own process */
    sandbox_free(o.s);
    o = run_program("*(volatile int *)0 = 1;", NULL, 30);
    assert_int_equal(o.how, JOB_SIGNALLED);
    assert_int_equal(o.code, SIGSEGV);
    sandbox_free(o.s);
}

static void expect_breach(const char *text, job_limit limit)
{
    sandbox_limits small = default_sandbox_limits[SANDBOX_RUN];
    small.memory = 64 << 20;
    small.names = 100;
    small.threads = 16;
    small.files = 8 << 20;
    outcome o = run_program(text, &small, 60);
    assert_int_equal(sandbox_exceeded_limit(o.s), limit);
    assert_int_equal(o.how, JOB_CANCELLED);
    sandbox_free(o.s);
}

static void test_limits(void **state)
{
    (void)state;
    skip_if(UNDER_TSAN); /* ThreadSanitizer needs more memory than the small sandbox allows */
    expect_breach(
        "for (int i = 0; i < 200; i++) { memset(malloc(1 << 20), 1, 1 << 20); usleep(1000); }"
        "pause();",
        JOB_LIMIT_MEMORY);
    expect_breach(
        "memset(mmap(0, 128 << 20, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 1, 128 << 20); pause();",
        JOB_LIMIT_MEMORY);
    expect_breach("char name[64]; for (int i = 0; i < 300; i++) { sprintf(name, \"" SANDBOX_TMP
                  "/%d\", i);"
                  "close(open(name, O_CREAT | O_WRONLY, 0600)); } pause();",
                  JOB_LIMIT_FILES);
    expect_breach(
        "for (int i = 0; i < 40; i++) { pthread_t t; pthread_create(&t, 0, (void *)pause, 0); }"
        "pause();",
        JOB_LIMIT_THREADS);
    sandbox_limits small = default_sandbox_limits[SANDBOX_RUN];
    small.files = 8 << 20;
    outcome o = run_program(
        "signal(SIGXFSZ, SIG_IGN); static char mib[1 << 20]; int f = open(\"" SANDBOX_TMP "/a\","
        "O_CREAT | O_WRONLY, 0600), n = 0; while (write(f, mib, sizeof mib) > 0) n++;"
        "f = open(\"" SANDBOX_TMP "/b\", O_CREAT | O_WRONLY, 0600);"
        "CHECK(write(f, mib, sizeof mib) < 0); return n;",
        &small, 30);
    assert_string_equal(o.said, "");
    assert_int_equal(o.code, 8);
    sandbox_free(o.s);
}

/* A compiler may start processes, but no process outlives its sandbox. */
static void test_no_process_outlives_the_sandbox(void **state)
{
    (void)state;
    char err[512] = "";
    sandbox *s = sandbox_new(SANDBOX_COMPILE, NULL);
    const char *argv[] = {"/bin/sh", "-c",
                          "(setsid sh -c 'sleep 1; echo late >/out/late' &) ; sleep 0.1", NULL};
    job *j = sandbox_start(s, argv, NULL, 30, err, sizeof err);
    assert_string_equal(err, "");
    wait_for(s, j);
    usleep(1500000);
    assert_false(sandbox_copy_file_out(s, "late", path_of("late"), 0644, 100));
    assert_int_equal(errno, ENOENT);
    job_free(j);
    sandbox_free(s);
}

static void test_missing_program(void **state)
{
    (void)state;
    char err[512] = "";
    int code;
    sandbox *s = sandbox_new(SANDBOX_RUN, NULL);
    const char *argv[] = {"/nowhere/program", NULL};
    job *j = sandbox_start(s, argv, NULL, 30, err, sizeof err);
    assert_string_equal(err, "");
    wait_for(s, j);
    assert_int_equal(sandbox_job_end(j, &code), JOB_EXITED);
    assert_int_equal(code, 127);
    job_free(j);
    sandbox_free(s);
    s = sandbox_new(SANDBOX_RUN, NULL);
    sandbox_show(s, "/nowhere/directory");
    assert_null(sandbox_start(s, argv, NULL, 30, err, sizeof err));
    assert_non_null(strstr(err, "/nowhere/directory"));
    sandbox_free(s);
}

static int begin_group(void **state)
{
    (void)state;
    char err[512];
    setenv("WARPBOOK_SECRET", "not to be seen", 1);
    if (!sandbox_works(err, sizeof err)) {
        fprintf(stderr, "%s\n", err);
        return -1;
    }
    directory = strdup(mkdtemp(scratch_template("sandbox-XXXXXX")));
    return 0;
}

int main(void)
{
    if (under_emulated_processor())
        return skip_all("an emulated processor does not support filters of system calls");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_written_in_the_sandbox_are_kept),
        cmocka_unit_test(only_regular_files_are_copied_out),
        cmocka_unit_test(files_of_the_system_are_closed),
        cmocka_unit_test(dangerous_system_calls_are_blocked),
        cmocka_unit_test(labs_with_jobs_start_few_processes),
        cmocka_unit_test(system_calls_of_gpu_drivers_are_blocked),
        cmocka_unit_test(gpu_sandbox_opens_only_files_of_the_driver),
        cmocka_unit_test(processes_outside_are_out_of_reach),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_process_outlives_the_sandbox),
        cmocka_unit_test(test_missing_program),
    };
    return cmocka_run_group_tests(tests, begin_group, NULL);
}
