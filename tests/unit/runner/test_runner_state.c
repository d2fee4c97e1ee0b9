/* Tests the state file state.json: what it stores, and how unusable files are handled. */
#include "runner/base/files.h"
#include "runner/judge/history.h"
#include "scratch.h"

#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[4096]; /* directory of the state file */
static installation h;
static chapter c = {.number = 1, .name = "01-one"};

static int make_state_directory(void **unused)
{
    (void)unused;
    char err[256];
    strcpy(root, scratch_template("warpbook-test-XXXXXX"));
    assert_non_null(mkdtemp(root));
    char *chapters = xprintf("%s/chapters", root);
    assert_true(make_directories(chapters));
    free(chapters);
    unsetenv("WARPBOOK_STATE");
    return installation_open(&h, root, err, sizeof err) ? 0 : -1;
}

static int remove_state_directory(void **unused)
{
    (void)unused;
    char *command = xprintf("rm -rf %s", root);
    int rc = system(command);
    free(command);
    installation_close(&h);
    return rc;
}

static verdict passing_verdict(void)
{
    return (verdict){.kind = VERDICT_PASS, .reason = "3 checks", .device = "d"};
}

/* What a student typed is kept without control characters, and not at any length; another number
 * forgets it. */
static void test_sentences_are_kept(void **unused)
{
    (void)unused;
    saved_state s;
    prediction p = {.kernel = "k", .metric = "m"};
    char text[1001] = "";
    state_open(&s, &h);
    assert_null(state_prediction_why(&s, &c, &p));
    state_set_prediction(&s, &c, &p, 4);
    state_set_prediction_why(&s, &c, &p, "a\033[31m\tb\177 \302\233\303\244");
    assert_string_equal(state_prediction_why(&s, &c, &p), "a[31mb \303\244");
    state_set_prediction(&s, &c, &p, 4);
    assert_non_null(state_prediction_why(&s, &c, &p));
    state_set_prediction(&s, &c, &p, 5);
    assert_null(state_prediction_why(&s, &c, &p));
    state_set_prediction_why(&s, &c, &p, "");
    assert_string_equal(state_prediction_why(&s, &c, &p), "");
    for (int i = 0; i < 500; i++)
        strcat(text, "\303\244");
    state_set_prediction_why(&s, &c, &p, text);
    const char *kept = state_prediction_why(&s, &c, &p);
    assert_in_range(strlen(kept), 390, 400);
    assert_int_equal(strlen(kept) % 2, 0);
    state_set_why(&s, &c, "one\ntwo");
    assert_string_equal(state_why(&s, &c), "onetwo");
    state_close(&s);
}

static void test_state_is_remembered(void **unused)
{
    (void)unused;
    saved_state s;
    double said;
    prediction p = {.kernel = "k", .metric = "m"};
    verdict v = passing_verdict();
    state_open(&s, &h);
    assert_null(s.warning);
    assert_int_equal(state_progress(&s, &c), PROGRESS_NEW);
    state_set_result(&s, &c, &v);
    state_set_shown_hint_count(&s, &c, 2, 3);
    state_set_prediction(&s, &c, &p, 4.5);
    state_set_chosen_device(&s, "emulator");
    state_close(&s);

    state_open(&s, &h);
    assert_int_equal(state_progress(&s, &c), PROGRESS_PASS);
    assert_true(state_ever_passed(&s, &c));
    assert_string_equal(state_last_reason(&s, &c), "3 checks");
    assert_int_equal(state_shown_hint_count(&s, &c, 2), 3);
    assert_int_equal(state_shown_hint_count(&s, &c, 1), 0);
    assert_true(state_get_prediction(&s, &c, &p, &said));
    assert_true(said == 4.5);
    assert_string_equal(state_chosen_device(&s), "emulator");
    v.kind = VERDICT_CRASH;
    state_set_result(&s, &c, &v);
    /* a lab that passed once stays passed */
    assert_int_equal(state_progress(&s, &c), PROGRESS_PASS);
    assert_int_equal(state_last_verdict(&s, &c), VERDICT_CRASH);
    assert_true(state_ever_passed(&s, &c));
    v.kind = VERDICT_CANCELLED; /* a cancelled run says nothing about the lab */
    state_set_result(&s, &c, &v);
    assert_int_equal(state_last_verdict(&s, &c), VERDICT_CRASH);
    state_forget_result(&s, &c);
    assert_int_equal(state_progress(&s, &c), PROGRESS_PASS);
    assert_int_equal(state_shown_hint_count(&s, &c, 2), 3);
    assert_null(s.warning);
    state_close(&s);
}

/* Store the result of a run with bandwidth GBS that passes or fails. */
static void store_try(saved_state *s, double gbs, bool passes)
{
    measure_row m[] = {{.name = "copy", .copy = true, .gbs = 9999}, {.name = "fast", .gbs = gbs}};
    verdict v = passing_verdict();
    v.kind = passes ? VERDICT_PASS : VERDICT_FAIL;
    v.measures = m;
    v.measure_count = 2;
    v.source = "modelled";
    v.device = "a device";
    state_set_result(s, &c, &v);
}

static void test_tries_are_kept(void **unused)
{
    (void)unused;
    saved_state s;
    arena a = {0};
    size_t count;
    lab_try best;
    state_open(&s, &h);
    assert_null(history_in_words(&s, &c, true));
    store_try(&s, 500, false); /* a fast but failing try does not become the best */
    assert_false(history_best_try(&s, &c, &best));
    assert_null(history_day_passed(&s, &c));
    store_try(&s, 100, true);
    store_try(&s, 300, true);
    store_try(&s, 200, true);
    store_try(&s, 900, false);
    state_close(&s);

    state_open(&s, &h);
    lab_try *tries = history_tries(&s, &c, &a, &count);
    assert_int_equal(count, 5);
    assert_int_equal(tries[0].kind, VERDICT_FAIL);
    assert_int_equal(tries[1].kind, VERDICT_PASS);
    assert_true(tries[4].gbs == 900);
    assert_string_equal(tries[1].variant, "fast");
    assert_true(history_best_try(&s, &c, &best));
    assert_true(best.gbs == 300);
    assert_int_equal(strlen(history_day_passed(&s, &c)), strlen("2026-11-23"));
    char *words = history_in_words(&s, &c, false);
    assert_string_equal(words, "passed, best 300 GB/s modelled");
    free(words);
    for (int i = 0; i < HISTORY_MAX_TRIES; i++)
        store_try(&s, i + 1, false);
    tries = history_tries(&s, &c, &a, &count);
    assert_int_equal(count, HISTORY_MAX_TRIES);
    assert_true(tries[0].gbs == 1);
    assert_true(history_best_try(&s, &c, &best) && best.gbs == 300);
    state_close(&s);
    arena_free(&a);
}

/* A file of an older version without tries, and a file whose "tries" have the wrong type. */
static void reads_old_files(void **unused)
{
    (void)unused;
    static const char *const more[] = {"", ", \"tries\": 7, \"best\": [], \"passed_on\": {}",
                                       ", \"tries\": [3, {\"gbs\": \"x\"}]"};
    char *dir = xprintf("%s/.warpbook", root), *path = xprintf("%s/state.json", dir);
    assert_true(make_directories(dir));
    for (size_t i = 0; i < 3; i++) {
        saved_state s;
        arena a = {0};
        size_t count;
        lab_try best;
        char *text = xprintf("{\"version\": 1, \"chapters\": {\"%s\": {\"last\": \"fail\", "
                             "\"reason\": \"1 of 3\", \"passed\": true%s}}}",
                             c.name, more[i]);
        assert_true(write_whole_file(path, text, strlen(text)));
        state_open(&s, &h);
        assert_null(s.warning);
        assert_int_equal(state_progress(&s, &c), PROGRESS_PASS);
        assert_false(history_best_try(&s, &c, &best));
        char *words = history_in_words(&s, &c, true);
        assert_string_equal(words, "passed");
        free(words);
        history_tries(&s, &c, &a, &count);
        store_try(&s, 50, true);
        assert_true(history_best_try(&s, &c, &best) && best.gbs == 50);
        state_close(&s);
        arena_free(&a);
        free(text);
    }
    free(dir);
    free(path);
}

static size_t count_matching(const char *name)
{
    glob_t g;
    char *pattern = xprintf("%s/.warpbook/%s", root, name);
    size_t n = glob(pattern, 0, NULL, &g) == 0 ? g.gl_pathc : 0;
    globfree(&g);
    free(pattern);
    return n;
}

static size_t count_kept_aside(const char *expect)
{
    glob_t g;
    char *pattern = xprintf("%s/.warpbook/state.json.kept-*", root);
    size_t n = glob(pattern, 0, NULL, &g) == 0 ? g.gl_pathc : 0;
    if (n == 1 && expect) {
        char *text = read_whole_file(g.gl_pathv[0], 1 << 20, NULL);
        assert_string_equal(text, expect);
        free(text);
    }
    globfree(&g);
    free(pattern);
    return n;
}

static void expect_unusable(const char *text, const char *says)
{
    saved_state s;
    verdict v = passing_verdict();
    char *dir = xprintf("%s/.warpbook", root), *path = xprintf("%s/state.json", dir);
    assert_true(make_directories(dir));
    assert_true(write_whole_file(path, text, strlen(text)));
    state_open(&s, &h);
    char *warning = state_take_warning(&s);
    assert_non_null(warning);
    assert_non_null(strstr(warning, says));
    assert_non_null(strstr(warning, "kept"));
    assert_int_equal(count_kept_aside(text), 1);
    assert_int_equal(state_progress(&s, &c), PROGRESS_NEW);
    state_set_result(&s, &c, &v); /* the program continues */
    assert_null(s.warning);
    state_close(&s);
    state_open(&s, &h);
    assert_int_equal(state_progress(&s, &c), PROGRESS_PASS);
    state_close(&s);
    free(warning);
    free(dir);
    free(path);
}

static void test_damaged_file(void **unused)
{
    (void)unused;
    expect_unusable("{\"version\": 1, \"chap", "damaged");
}

static void state_that_is_an_empty_file(void **unused)
{
    (void)unused;
    expect_unusable("", "damaged");
}

static void state_that_is_another_json_file(void **unused)
{
    (void)unused;
    expect_unusable("[1, 2]", "not a state file");
}

static void test_state_of_a_newer_version(void **unused)
{
    (void)unused;
    expect_unusable("{\"version\": 99, \"chapters\": {}}", "newer");
}

static void test_unexpected_members(void **unused)
{
    (void)unused;
    saved_state s;
    prediction p = {.kernel = "k", .metric = "m"};
    double said;
    static const char text[] =
        "{\"version\": 1, \"chapters\": {\"01-one\": {\"last\": 7, \"hints\": "
        "[], \"predictions\": {\"k m\": \"x\"}, \"passed\": \"no\"}}}";
    char *dir = xprintf("%s/.warpbook", root), *path = xprintf("%s/state.json", dir);
    assert_true(make_directories(dir));
    assert_true(write_whole_file(path, text, strlen(text)));
    state_open(&s, &h);
    assert_int_equal(state_progress(&s, &c), PROGRESS_NEW);
    assert_false(state_ever_passed(&s, &c));
    assert_int_equal(state_shown_hint_count(&s, &c, 1), 0);
    assert_false(state_get_prediction(&s, &c, &p, &said));
    state_set_shown_hint_count(&s, &c, 1, 1);
    assert_int_equal(state_shown_hint_count(&s, &c, 1), 1);
    state_close(&s);
    free(dir);
    free(path);
}

static void test_not_writable(void **unused)
{
    (void)unused;
    saved_state s;
    verdict v = passing_verdict();
    char *dir = xprintf("%s/.warpbook", root);
    /* a file in place of the directory: not even root can make one there */
    assert_true(write_whole_file(dir, "a file", 6));
    state_open(&s, &h);
    state_set_result(&s, &c, &v);
    char *warning = state_take_warning(&s);
    assert_non_null(warning);
    assert_non_null(strstr(warning, "WARPBOOK_STATE"));
    assert_int_equal(state_progress(&s, &c),
                     PROGRESS_PASS); /* the result is remembered as long as the program runs */
    state_set_result(&s, &c, &v);
    assert_null(s.warning); /* the warning is given only once */
    state_close(&s);
    free(warning);
    free(dir);
}

/* Two programs change the state at the same time: both changes are kept. */
static void test_two_writers(void **unused)
{
    (void)unused;
    enum { EACH = 20 };
    pid_t pid[2];
    for (int w = 0; w < 2; w++)
        if ((pid[w] = fork()) == 0) {
            saved_state s;
            state_open(&s, &h);
            for (int i = 0; i < EACH; i++)
                state_set_shown_hint_count(&s, &c, w * EACH + i, 1);
            _exit(s.warning != NULL);
        }
    for (int w = 0; w < 2; w++) {
        int status;
        assert_int_equal(waitpid(pid[w], &status, 0), pid[w]);
        assert_int_equal(status, 0);
    }
    saved_state s;
    state_open(&s, &h);
    for (int i = 0; i < 2 * EACH; i++)
        assert_int_equal(state_shown_hint_count(&s, &c, i), 1);
    state_close(&s);
}

/* A writer is killed at any moment: the next reader finds a complete file. */
static void test_killed_writer(void **unused)
{
    (void)unused;
    for (int round = 0; round < 25; round++) {
        int ready[2];
        char byte;
        assert_int_equal(pipe(ready), 0);
        pid_t pid = fork();
        if (pid == 0) {
            saved_state w;
            state_open(&w, &h);
            for (int i = 0;; i++) {
                state_set_shown_hint_count(&w, &c, i % 500, 1);
                if (i == round && write(ready[1], "x", 1) != 1)
                    _exit(1);
            }
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        close(ready[0]);
        close(ready[1]);
        saved_state s;
        state_open(&s, &h);
        assert_null(s.warning);
        assert_int_equal(state_shown_hint_count(&s, &c, round), 1);
        state_set_shown_hint_count(&s, &c, round, 1);
        assert_int_equal(count_matching("state.json.*.new"), 0);
        state_close(&s);
    }
    assert_int_equal(count_kept_aside(NULL), 0);
}

/* An open screen sees changes that a command in another window wrote. */
static void test_refresh_of_the_state(void **unused)
{
    (void)unused;
    saved_state mine, other;
    verdict v = passing_verdict();
    state_open(&mine, &h);
    state_open(&other, &h);
    assert_false(state_refresh(&mine));
    state_set_result(&other, &c, &v);
    assert_true(state_refresh(&mine));
    assert_int_equal(state_progress(&mine, &c), PROGRESS_PASS);
    assert_false(state_refresh(&mine));
    state_set_shown_hint_count(&mine, &c, 1, 1);
    assert_false(state_refresh(&mine));
    state_close(&mine);
    state_close(&other);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_state_directory, remove_state_directory)
    const struct CMUnitTest tests[] = {
        TEST(test_state_is_remembered),
        TEST(test_sentences_are_kept),
        TEST(test_tries_are_kept),
        TEST(reads_old_files),
        TEST(test_damaged_file),
        TEST(state_that_is_an_empty_file),
        TEST(state_that_is_another_json_file),
        TEST(test_state_of_a_newer_version),
        TEST(test_unexpected_members),
        TEST(test_not_writable),
        TEST(test_two_writers),
        TEST(test_killed_writer),
        TEST(test_refresh_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
