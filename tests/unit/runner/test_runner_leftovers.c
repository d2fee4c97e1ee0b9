/* Tests the removal of temporary files and directories: those of a killed run are removed, all
 * others stay. */
#include "runner/base/files.h"
#include "runner/base/leftovers.h"
#include "runner/base/text.h"
#include "scratch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[4096]; /* directory of the test */

static int make_directory(void **unused)
{
    (void)unused;
    strcpy(root, scratch_template("leftovers-XXXXXX"));
    return mkdtemp(root) && setenv("TMPDIR", root, 1) == 0 ? 0 : -1;
}

static int remove_directory(void **unused)
{
    (void)unused;
    char *command = xprintf("rm -rf '%s'", root), *slash = strrchr(root, '/');
    int rc = system(command);
    free(command);
    *slash = '\0'; /* restores the text */
    return rc || setenv("TMPDIR", root, 1) ? -1 : 0;
}

/* The path of NAME in the test's directory; valid until the tenth further call. */
static const char *at(const char *name)
{
    static char path[10][5000];
    static int next;
    char *p = path[next++ % 10];
    snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

static const char *put_directory(const char *name)
{
    const char *path = at(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    return path;
}

static bool is_existing_path(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* The process id of a process that has ended. */
static long pid_of_ended_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

static void test_files(void **state)
{
    (void)state;
    char name[64], other[64];
    snprintf(name, sizeof name, "a.record.%ld.new", pid_of_ended_process());
    const char *killed = put_directory(name);
    snprintf(name, sizeof name, "a.%ld.new.stamp", pid_of_ended_process());
    const char *stamp = put_directory(name);
    snprintf(name, sizeof name, "b.record.%ld.new", (long)getpid());
    const char *mine = put_directory(name);
    const char *init = put_directory("c.record.1.new"), *whole = put_directory("a.record");
    const char *text = put_directory("a.record.new"), *word = put_directory("a.12x.new"),
               *zero = put_directory("a.0.new");
    remove_leftovers(root, NULL);
    assert_false(is_existing_path(killed) || is_existing_path(stamp));
    assert_true(is_existing_path(mine) && is_existing_path(init) && is_existing_path(whole));
    assert_true(is_existing_path(text) && is_existing_path(word) && is_existing_path(zero));
    /* a leftover of one file only */
    snprintf(name, sizeof name, "a.record.%ld.new", pid_of_ended_process());
    snprintf(other, sizeof other, "b.record.%ld.new", pid_of_ended_process());
    killed = put_directory(name);
    const char *others = put_directory(other);
    remove_leftovers(root, "a.record");
    assert_true(!is_existing_path(killed) && is_existing_path(others));
}

static void test_no_link_is_followed_and_no_directory_goes(void **state)
{
    (void)state;
    char name[64];
    const char *target = put_directory("target");
    snprintf(name, sizeof name, "l.%ld.new", pid_of_ended_process());
    const char *link = at(name);
    assert_int_equal(symlink(target, link), 0);
    snprintf(name, sizeof name, "d.%ld.new", pid_of_ended_process());
    const char *dir = at(name);
    assert_int_equal(mkdir(dir, 0777), 0);
    remove_leftovers(root, NULL);
    assert_true(is_existing_path(target) && is_existing_path(link) && is_existing_path(dir));
}

/* The next writer of a file removes the temporary file of a killed writer. */
static void test_file_write(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "text.%ld.new", pid_of_ended_process());
    const char *killed = put_directory(name);
    assert_true(write_whole_file(at("text"), "x", 1));
    assert_false(is_existing_path(killed));
    assert_true(is_existing_path(at("text")));
}

static void test_directory(void **state)
{
    (void)state;
    scratch_dir s, next;
    assert_true(make_scratch_directory(&s, "profile"));
    assert_true(starts_with(s.path, at("warpbook-profile-")));
    char *file = xprintf("%s/table", s.path), *path = xstrdup(s.path);
    assert_true(write_whole_file(file, "x", 1));
    /* Another run uses a directory at the same time. */
    assert_true(make_scratch_directory(&next, "profile"));
    assert_true(is_existing_path(file) && strcmp(next.path, s.path) != 0);
    remove_scratch_directory(&next);
    assert_true(is_existing_path(file));
    remove_scratch_directory(&s);
    assert_false(is_existing_path(path));
    free(file);
    free(path);
}

/* A child makes a directory with a file in it and is killed; its own child may live on. */
static char *leave_killed_run(const int *hold)
{
    int out[2];
    char path[5000] = "";
    assert_int_equal(pipe(out), 0);
    pid_t pid = fork();
    if (pid == 0) {
        scratch_dir s;
        if (!make_scratch_directory(&s, "profile"))
            _exit(1);
        char *file = xprintf("%s/table", s.path);
        write_whole_file(file, "x", 1);
        if (hold && fork() == 0) {
            char c;
            close(hold[1]);
            _exit(read(hold[0], &c, 1) == 0 ? 0
                                            : 1); /* waits until the test closes the other end */
        }
        if (write(out[1], s.path, strlen(s.path) + 1) < 0)
            _exit(1);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(read(out[0], path, sizeof path) > 0);
    close(out[0]);
    close(out[1]);
    assert_true(is_existing_path(path));
    return xstrdup(path);
}

static void test_directory_of_a_killed_run(void **state)
{
    (void)state;
    scratch_dir s;
    char *left = leave_killed_run(NULL);
    assert_true(
        make_scratch_directory(&s, "other")); /* a directory with another name is left alone */
    assert_true(is_existing_path(left));
    remove_scratch_directory(&s);
    assert_true(make_scratch_directory(&s, "profile"));
    assert_false(is_existing_path(left));
    remove_scratch_directory(&s);
    free(left);
}

static void test_directory_whose_program_lives(void **state)
{
    (void)state;
    scratch_dir s;
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    char *left = leave_killed_run(hold);
    close(hold[0]);
    assert_true(make_scratch_directory(&s, "profile"));
    assert_true(is_existing_path(left));
    remove_scratch_directory(&s);
    close(hold[1]); /* the program ends */
    for (int i = 0; i < 1000 && is_existing_path(left); i++) {
        usleep(10000);
        assert_true(make_scratch_directory(&s, "profile"));
        remove_scratch_directory(&s);
    }
    assert_false(is_existing_path(left));
    free(left);
}

static void test_directories_of_others(void **state)
{
    (void)state;
    scratch_dir s;
    const char *outside = at("outside"), *link = at("warpbook-profile-link");
    assert_int_equal(mkdir(outside, 0777), 0);
    const char *file = put_directory("outside/table");
    assert_int_equal(symlink(outside, link), 0);
    const char *plain = put_directory("warpbook-profile-file");
    const char *deep = at("warpbook-profile-deep"), *below = at("warpbook-profile-deep/below");
    assert_int_equal(mkdir(deep, 0777), 0);
    assert_int_equal(mkdir(below, 0777), 0);
    const char *theirs = at("warpbook-profile-theirs");
    assert_int_equal(mkdir(theirs, 0777), 0);
    bool chowned = chown(theirs, 65534, 65534) == 0; /* only root can do this */
    assert_true(make_scratch_directory(&s, "profile"));
    assert_true(is_existing_path(file) && is_existing_path(link) && is_existing_path(plain) &&
                is_existing_path(below));
    assert_int_equal(is_existing_path(theirs), chowned);
    remove_scratch_directory(&s);
}

static void test_missing_temporary_directory(void **state)
{
    (void)state;
    scratch_dir s;
    setenv("TMPDIR", "/nonexistent", 1);
    assert_false(make_scratch_directory(&s, "profile"));
    assert_true(starts_with(s.path, "/nonexistent/warpbook-profile-"));
    remove_scratch_directory(&s);
    setenv("TMPDIR", root, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_files, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_no_link_is_followed_and_no_directory_goes,
                                        make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_file_write, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_directory, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_directory_of_a_killed_run, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(test_directory_whose_program_lives, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(test_directories_of_others, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(test_missing_temporary_directory, make_directory,
                                        remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
