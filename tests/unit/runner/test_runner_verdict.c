/* Tests verdicts, and sentences on what is slow, made from records, counters and source-line
 * counts. */
#include "runner/book/metrics.h"
#include "runner/judge/verdict.h"
#include "runner/run/ncu.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORD_HEADER   "kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n"
#define COUNTERS_HEADER "launch\tkernel\tgrid\tblock\tmetric\tvalue\n"
#define LINES_HEADER \
    "launch\tkernel\tfile\tline\top\tspace\trequests\tsectors\tideal\tconflicts\tstride\n"
#define ON           "\tmodelled\tH200\t"
#define LD_SECTORS   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define LD_REQUESTS  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
#define PASSED_CHECK "check\tk\t-\t33\t-\t-\t-\tpass" ON "-\n"

static const chapter empty_chapter;

static verdict judge_texts(const char *record, const char *counters, const char *lines, job_end how,
                           int code)
{
    verdict v = {0};
    table *r = record ? table_parse(record) : NULL;
    verdict_judge(&v, &empty_chapter, r, counters ? table_parse(counters) : NULL,
                  lines ? table_parse(lines) : NULL, how, code, 60, NULL);
    table_free(r);
    return v;
}

static void expect_verdict(const char *record, const char *counters, job_end how, int code,
                           verdict_kind kind, const char *reason)
{
    verdict v = judge_texts(record, counters, NULL, how, code);
    assert_string_equal(verdict_id(v.kind), verdict_id(kind));
    assert_non_null(strstr(v.reason, reason));
    verdict_free(&v);
}

static void verdicts_by_end_of_run(void **state)
{
    (void)state;
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_EXITED, 0, VERDICT_PASS, "1 check");
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_TIMEOUT, 0, VERDICT_TIMEOUT, "60 s");
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_FLOOD, 0, VERDICT_FLOOD, "1 MiB");
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_FLOOD, JOB_LIMIT_FILES, VERDICT_FLOOD,
                   "more data than a recording");
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_SIGNALLED, SIGSEGV, VERDICT_CRASH,
                   "SIGSEGV");
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_CANCELLED, 0, VERDICT_CANCELLED,
                   "cancelled");
    expect_verdict(RECORD_HEADER PASSED_CHECK, NULL, JOB_EXITED, 5, VERDICT_EXIT, "exit code 5");
    expect_verdict(NULL, NULL, JOB_EXITED, 127, VERDICT_EXIT, "127");
    expect_verdict(NULL, NULL, JOB_EXITED, 3, VERDICT_LACKS, "no device");
    expect_verdict(NULL, NULL, JOB_EXITED, 0, VERDICT_NO_CHECKS, "checked nothing");
    expect_verdict(RECORD_HEADER, NULL, JOB_EXITED, 0, VERDICT_NO_CHECKS, "checked nothing");
    expect_verdict(RECORD_HEADER "check\tj\t-\t33\t-\t-\t-\tfail" ON
                                 "bad\n" PASSED_CHECK PASSED_CHECK,
                   NULL, JOB_EXITED, 1, VERDICT_FAIL, "1 of 2 checks failed");
    /* All sizes of a variant count as one check, which fails if one size fails. */
    expect_verdict(RECORD_HEADER PASSED_CHECK "check\tk\t-\t33\t-\t-\t-\tfail" ON
                                              "bad\n" PASSED_CHECK,
                   NULL, JOB_EXITED, 1, VERDICT_FAIL, "1 of 1 check failed");
    /* A failed check makes the verdict a fail for every exit code. */
    expect_verdict(RECORD_HEADER "check\tk\t-\t33\t-\t-\t-\tfail" ON "bad\n", NULL, JOB_EXITED, 0,
                   VERDICT_FAIL, "1 of 1 check failed");
    /* A check passes by the word "pass" alone; a row without a status fails. */
    expect_verdict(RECORD_HEADER "check\tk\t-\t33\n", NULL, JOB_EXITED, 0, VERDICT_FAIL, "1 of 1");
}

static void left_out_curves_are_listed(void **state)
{
    (void)state;
    verdict v =
        judge_texts(RECORD_HEADER PASSED_CHECK "left_out\tk/sizes\t-\t-\t-\t-\t-\t-" ON "-\n", NULL,
                    NULL, JOB_EXITED, 0);
    assert_int_equal(v.left_out_count, 1);
    assert_string_equal(v.left_out[0], "k/sizes");
    assert_int_equal(v.kind, VERDICT_PASS);
    verdict_free(&v);
}

static void expect_goal(const char *row, const char *counters, goal_state expected,
                        verdict_kind kind, const char *sentence)
{
    char *record = xprintf(RECORD_HEADER PASSED_CHECK "goal\t%s" ON "why\n", row);
    verdict v = judge_texts(record, counters, NULL, JOB_EXITED, 0);
    assert_int_equal(v.goal_count, 1);
    assert_int_equal(v.goals[0].state, expected);
    assert_int_equal(v.kind, kind);
    assert_non_null(strstr(v.goals[0].sentence, sentence));
    verdict_free(&v);
    free(record);
}

/* Before the checks pass only small launches were counted: goals wait. */
static void test_goals_wait_for_checks(void **state)
{
    (void)state;
    verdict v = judge_texts(
        RECORD_HEADER "check\tk\t-\t1\t-\t-\t-\tfail" ON "first\n"
                      "check\tk\t-\t2\t-\t-\t-\tfail" ON "second\n"
                      "goal\tk\tload_sectors_per_request\t4\t-\t-\t-\tat_most" ON "-\n",
        COUNTERS_HEADER "0\tk\t1x1x1\t32x1x1\t" LD_REQUESTS "\t1\n", NULL, JOB_EXITED, 1);
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_int_equal(v.check_count, 1);
    assert_int_equal(v.checks[0].sizes, 2);
    assert_string_equal(v.checks[0].detail, "first");
    assert_int_equal(v.goals[0].state, GOAL_WAITING);
    verdict_free(&v);
}

static void test_goals(void **state)
{
    (void)state;
    /* Launch 0, made by a check, has few threads: a quotient of counters uses only the largest
     * launches. */
    static const char counters[] = COUNTERS_HEADER
        "0\tk\t1x1x1\t32x1x1\t" LD_REQUESTS "\t1\n0\tk\t1x1x1\t32x1x1\t" LD_SECTORS "\t9\n"
        "1\tk\t8x1x1\t32x1x1\t" LD_REQUESTS "\t10\n1\tk\t8x1x1\t32x1x1\t" LD_SECTORS "\t40\n"
        "2\tk\t8x1x1\t32x1x1\t" LD_REQUESTS "\t10\n2\tk\t8x1x1\t32x1x1\t" LD_SECTORS "\t42\n"
        "3\tt<8>\t8x1x1\t32x1x1\tptx__divergent_branches.sum\t3\n"
        "4\tt<8>\t1x1x1\t32x1x1\tptx__divergent_branches.sum\t4\n";
    expect_goal("k\tload_sectors_per_request\t4.1\t-\t-\t-\tat_most", counters, GOAL_MET,
                VERDICT_PASS, "4.10 sectors");
    expect_goal("k\tload_sectors_per_request\t4\t-\t-\t-\tat_most", counters, GOAL_MISSED,
                VERDICT_FAIL, "at most 4 required");
    expect_goal("k\tload_sectors_per_request\t4\t-\t-\t-\tat_least", counters, GOAL_MET,
                VERDICT_PASS, "k");
    expect_goal("k\tload_sectors_per_request\t4.1\t-\t-\t-\tequal", counters, GOAL_MET,
                VERDICT_PASS, "k");
    expect_goal("k\tload_sectors_per_request\t9\t-\t-\t-\tequal", counters, GOAL_MISSED,
                VERDICT_FAIL, "exactly 9");
    /* One warp of thousands, at an end of the data, does not decide; 0 is 0. */
    expect_goal("k\tload_sectors_per_request\t4.097\t-\t-\t-\tat_most", counters, GOAL_MET,
                VERDICT_PASS, "4.10 sectors");
    expect_goal("k\tload_sectors_per_request\t4.103\t-\t-\t-\tat_least", counters, GOAL_MET,
                VERDICT_PASS, "4.10 sectors");
    expect_goal("k\tload_sectors_per_request\t4.095\t-\t-\t-\tat_most", counters, GOAL_MISSED,
                VERDICT_FAIL, "required");
    expect_goal("t\tdivergent_branches\t0\t-\t-\t-\tat_most", counters, GOAL_MISSED, VERDICT_FAIL,
                "at most 0 required");
    /* A sum of a counter is over all launches. A goal may name a template without its arguments. */
    expect_goal("t\tdivergent_branches\t7\t-\t-\t-\tequal", counters, GOAL_MET, VERDICT_PASS,
                "7 divergent branches");
    expect_goal("t<8>\tdivergent_branches\t6\t-\t-\t-\tat_most", counters, GOAL_MISSED,
                VERDICT_FAIL, "7");
    expect_goal("t<9>\tdivergent_branches\t6\t-\t-\t-\tat_most", counters, GOAL_MISSED,
                VERDICT_FAIL, "no kernel of this name");
    expect_goal("k\tnonsense\t6\t-\t-\t-\tat_most", counters, GOAL_MISSED, VERDICT_FAIL,
                "does not know");
    expect_goal("k\tload_sectors_per_request\t6\t-\t-\t-\tabout", counters, GOAL_MISSED,
                VERDICT_FAIL, "does not know");
    /* A goal that this machine could not count is unknown, not missed. */
    expect_goal("k\tlocal_requests\t0\t-\t-\t-\tequal", counters, GOAL_UNKNOWN, VERDICT_LACKS,
                "not counted");
    expect_goal("k\tlocal_requests\t0\t-\t-\t-\tequal", NULL, GOAL_UNKNOWN, VERDICT_LACKS,
                "not counted");
}

static void expect_why(const char *lines, const char *expected)
{
    verdict v = judge_texts(RECORD_HEADER PASSED_CHECK, NULL, lines, JOB_EXITED, 0);
    if (expected) {
        assert_true(v.why_count >= 1);
        assert_string_equal(v.why[0], expected);
    } else {
        assert_int_equal(v.why_count, 0);
    }
    verdict_free(&v);
}

static void sentences_explain_slow_lines(void **state)
{
    (void)state;
    expect_why(
        LINES_HEADER "0\tstencil\t/x/lab.cu\t31\tld.global.nc.f32\tglobal\t100\t900\t400\t0\t36\n",
        "stencil: 9.0 sectors per request where 4.0 would do: neighbouring threads read 36 bytes "
        "apart (lab.cu:31)");
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tst.global.f32\tglobal\t100\t500\t400\t0\t4\n",
        "k: 5.0 sectors per store where 4.0 would do: the first address is not a multiple of 32 "
        "bytes (lab.cu:5)");
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t100\t3200\t400\t0\t-\n",
        "k: 32.0 sectors per request where 4.0 would do: neighbouring threads read at no fixed "
        "distance (lab.cu:5)");
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t100\t1800\t400\t0\t4\n",
        "k: 18.0 sectors per request where 4.0 would do: neighbouring threads read at no fixed "
        "distance (lab.cu:5)");
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t7\tld.shared.f32\tshared\t10\t320\t10\t310\t128\n",
        "k: 32.0 passes over shared memory per request where 1.0 would do: bank conflicts, for "
        "neighbouring threads read 128 bytes apart (lab.cu:7)");
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t9\tld.const.f32\tconst\t10\t40\t10\t0\t4\n",
        "k: 4.0 different addresses per constant load, served one after another: constant memory "
        "is fast when all threads of a warp read one address (lab.cu:9)");
    /* No sentence if no sector is wasted, or only by the partly filled last warp of a grid. */
    expect_why(LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t100\t400\t400\t0\t4\n", NULL);
    expect_why(LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t100\t410\t400\t0\t4\n", NULL);
    /* The most expensive line comes first; all launches of one line give one sentence. */
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t10\t80\t40\t0\t8\n"
                     "0\tj\tlab.cu\t6\tld.global.f32\tglobal\t100\t800\t400\t0\t8\n"
                     "1\tk\tlab.cu\t5\tld.global.f32\tglobal\t10\t80\t40\t0\t8\n",
        "j: 8.0 sectors per request where 4.0 would do: neighbouring threads read 8 bytes apart "
        "(lab.cu:6)");
    /* The launch of a sweep that wastes most is explained; instructions of one launch are added
     * up. */
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t50\t200\t200\t0\t4\n"
                     "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t50\t200\t200\t0\t4\n"
                     "1\tk\tlab.cu\t5\tld.global.f32\tglobal\t50\t1600\t200\t0\t32\n"
                     "1\tk\tlab.cu\t5\tld.global.f32\tglobal\t50\t1600\t200\t0\t32\n"
                     "2\tk\tlab.cu\t5\tld.global.f32\tglobal\t50\t400\t200\t0\t8\n",
        "k: 32.0 sectors per request where 4.0 would do: neighbouring threads read 32 bytes apart "
        "(lab.cu:5)");
    /* No sentence on small launches, which only check results, or on kernels whose check failed. */
    expect_why(LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t10\t38\t32\t0\t4\n"
                            "1\tk\tlab.cu\t5\tld.global.f32\tglobal\t1000\t4000\t4000\t0\t4\n",
               NULL);
    verdict failed = judge_texts(
        RECORD_HEADER "check\tk\t-\t33\t-\t-\t-\tfail" ON "no\n", NULL,
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t10\t80\t40\t0\t8\n", JOB_EXITED, 0);
    assert_int_equal(failed.why_count, 0);
    verdict_free(&failed);
    /* Nor on a kernel that the lab neither times nor has a goal for, beside one that it times. */
    verdict timed = judge_texts(
        RECORD_HEADER PASSED_CHECK "measure\tk/2\t-\t1000\t6400\t1\t960\t-" ON "-\n", NULL,
        LINES_HEADER "0\tgiven\tlab.cu\t5\tld.global.f32\tglobal\t50\t1600\t200\t0\t32\n"
                     "1\tk\tlab.cu\t6\tld.global.f32\tglobal\t50\t400\t200\t0\t8\n",
        JOB_EXITED, 0);
    assert_int_equal(timed.why_count, 1);
    assert_non_null(strstr(timed.why[0], "k: 8.0 sectors per request"));
    verdict_free(&timed);
    /* Of two loads in one line the one that wastes is explained; lanes may be missing at an edge.
     */
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t7\tld.shared.f32\tshared\t10\t320\t10\t310\t128\n"
                     "0\tk\tlab.cu\t7\tld.shared.f32\tshared\t10\t10\t10\t0\t0\n",
        "k: 16.5 passes over shared memory per request where 1.0 would do: bank conflicts, for "
        "neighbouring threads read 128 bytes apart (lab.cu:7)");
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t100\t380\t320\t0\t4\n",
        "k: 3.8 sectors per request where 3.2 would do: the first address is not a multiple of 32 "
        "bytes (lab.cu:5)");
    /* The largest launch counts for local memory too. */
    expect_why(
        LINES_HEADER "0\tk\tlab.cu\t5\tst.local.f32\tlocal\t40\t160\t160\t0\t-\n"
                     "1\tk\tlab.cu\t5\tst.local.f32\tlocal\t4000\t16000\t16000\t0\t-\n",
        "k: 4000 stores of local memory: an array whose index is not known when compiling lies "
        "there, not in registers (lab.cu:5)");
    /* No sentence about the labs' helper functions or about libraries, which students cannot
     * change. */
    expect_why(
        LINES_HEADER
        "0\tcub::detail::Kernel<int>\tx.cuh\t5\tld.global.f32\tglobal\t50\t1600\t200\t0\t32\n",
        NULL);
    expect_why(LINES_HEADER "0\tlab_copy\tlab.cu\t5\tld.global.f32\tglobal\t50\t1600\t200\t0\t32\n",
               NULL);
    expect_why(LINES_HEADER "rubbish\n\t\t\t\n0\tk\tlab.cu\tx\tld\tglobal\tmany\t1\t1\t1\t1\n",
               NULL);
}

/* A kernel may do too much although no access wastes a sector: one that misses a goal is not
 * praised. */
static void only_what_meets_its_goals_is_praised(void **state)
{
    (void)state;
    static const char counters[] = COUNTERS_HEADER
        "0\tk\t8x1x1\t32x1x1\t" LD_REQUESTS "\t10\n0\tk\t8x1x1\t32x1x1\t" LD_SECTORS "\t40\n";
    static const char line[] =
        LINES_HEADER "0\tk\tlab.cu\t5\tld.global.f32\tglobal\t10\t40\t40\t0\t4\n";
    for (int most = 4; most >= 3; most--) {
        char *record = xprintf(RECORD_HEADER PASSED_CHECK
                               "goal\tk\tload_sectors_per_request\t%d\t-\t-\t-\tat_most" ON "why\n",
                               most);
        verdict v = judge_texts(record, counters, line, JOB_EXITED, 0);
        assert_int_equal(v.why_count, most == 4);
        if (most == 4)
            assert_non_null(strstr(v.why[0], "4 sectors per load request: none is wasted"));
        verdict_free(&v);
        free(record);
    }
}

static void test_divergence(void **state)
{
    (void)state;
    verdict v =
        judge_texts(RECORD_HEADER PASSED_CHECK,
                    COUNTERS_HEADER "0\tk\t1x1x1\t32x1x1\tptx__branches.sum\t100\n"
                                    "0\tk\t1x1x1\t32x1x1\tptx__divergent_branches.sum\t50\n"
                                    "0\tk\t1x1x1\t32x1x1\tptx__inst_executed.sum\t1000\n"
                                    "0\tk\t1x1x1\t32x1x1\tptx__thread_inst_executed.sum\t16000\n",
                    NULL, JOB_EXITED, 0);
    assert_int_equal(v.why_count, 1);
    assert_non_null(strstr(v.why[0], "diverge at 50 % of its branches, and 16.0 of 32"));
    verdict_free(&v);
}

static void test_predictions(void **state)
{
    (void)state;
    prediction p = {.kernel = "k", .metric = "load_sectors_per_request", .question = ""};
    chapter c = {.predictions = &p, .prediction_count = 1};
    verdict v = {0};
    table *r = table_parse(RECORD_HEADER PASSED_CHECK);
    verdict_judge(&v, &c, r,
                  table_parse(COUNTERS_HEADER "0\tk\t1x1x1\t32x1x1\t" LD_REQUESTS
                                              "\t2\n0\tk\t1x1x1\t32x1x1\t" LD_SECTORS "\t9\n"),
                  NULL, JOB_EXITED, 0, 60, NULL);
    table_free(r);
    assert_int_equal(v.guess_count, 1);
    assert_true(v.guesses[0].known);
    assert_true(v.guesses[0].counted == 4.5);
    verdict_free(&v);
}

#define CONFLICTS "ptx__shared_ld_conflicts.sum"

/* A run on a GPU: ncu counts some metrics, the emulator counts all. */
static void counted_by_both(void **state)
{
    (void)state;
    static const char goals[] =
        RECORD_HEADER PASSED_CHECK "goal\tk\tload_sectors_per_request\t4\t-\t-\t-\tequal" ON "-\n"
                                   "goal\tk\tshared_load_conflicts\t0\t-\t-\t-\tequal" ON "-\n"
                                   "goal\tother\tshared_load_conflicts\t0\t-\t-\t-\tequal" ON "-\n";
    static const char ncu[] = COUNTERS_HEADER "0\tk\t8x1x1\t32x1x1\t" LD_REQUESTS
                                              "\t2\n0\tk\t8x1x1\t32x1x1\t" LD_SECTORS "\t8\n";
    static const char all[] = COUNTERS_HEADER "0\tk\t8x1x1\t32x1x1\t" LD_REQUESTS
                                              "\t2\n0\tk\t8x1x1\t32x1x1\t" LD_SECTORS "\t64\n"
                                              "0\tk\t8x1x1\t32x1x1\t" CONFLICTS "\t0\n"
                                              "1\tother\t8x1x1\t32x1x1\t" CONFLICTS "\t7\n";
    table *r = table_parse(goals), *counters = table_parse(ncu), *emulated = table_parse(all);
    assert_true(needs_counters(&empty_chapter, r, counters));
    assert_true(needs_counters(&empty_chapter, r, NULL));
    assert_false(needs_counters(&empty_chapter, r, emulated));
    prediction p = {.kernel = "other", .metric = "shared_load_conflicts", .question = ""};
    chapter c = {.predictions = &p, .prediction_count = 1};
    table *plain = table_parse(RECORD_HEADER PASSED_CHECK);
    assert_false(needs_counters(&empty_chapter, plain, counters));
    assert_true(needs_counters(&c, plain, counters));
    table_free(plain);

    verdict v = {.emulated = emulated};
    verdict_judge(&v, &c, r, counters, NULL, JOB_EXITED, 0, 60, "ncu does not count these");
    assert_int_equal(v.goals[0].state, GOAL_MET);
    assert_true(v.goals[0].value == 4);
    assert_false(v.goals[0].emulated);
    assert_int_equal(v.goals[1].state, GOAL_MET);
    assert_true(v.goals[1].emulated);
    assert_int_equal(v.goals[2].state, GOAL_MISSED);
    assert_non_null(strstr(v.goals[2].sentence, "exactly 0 required (counted by the emulator)"));
    assert_true(v.guesses[0].known && v.guesses[0].emulated && v.guesses[0].counted == 7);
    verdict_free(&v);

    /* Without the emulator's counters, a metric that ncu did not count is unknown, not missed. */
    v = (verdict){0};
    verdict_judge(&v, &empty_chapter, r, table_parse(ncu), NULL, JOB_EXITED, 0, 60, "not by ncu");
    assert_int_equal(v.kind, VERDICT_LACKS);
    assert_int_equal(v.goals[2].state, GOAL_UNKNOWN);
    assert_non_null(strstr(v.goals[2].sentence, "not counted: not by ncu"));
    verdict_free(&v);

    /* With the emulator's counters, a goal of a kernel that was never launched is missed. */
    v = (verdict){.emulated = table_parse(ncu)};
    verdict_judge(&v, &empty_chapter, r, NULL, NULL, JOB_EXITED, 0, 60, "ncu is not there");
    assert_int_equal(v.goals[2].state, GOAL_MISSED);
    assert_non_null(strstr(v.goals[2].sentence, "no kernel of this name"));
    verdict_free(&v);
    table_free(r);
}

/* A goal may depend on the size, which is another where the emulator counts. */
static void the_emulators_counters_have_the_emulators_limits(void **state)
{
    (void)state;
    static const char record[] = RECORD_HEADER PASSED_CHECK
        "goal\tk\tload_sectors_per_request\t64\t-\t-\t-\tat_least" ON "-\n"
        "emulated\tk\tload_sectors_per_request\t4\t-\t-\t-\tat_least" ON "-\n";
    static const char counters[] = COUNTERS_HEADER "0\tk\t8x1x1\t32x1x1\t" LD_REQUESTS
                                                   "\t2\n0\tk\t8x1x1\t32x1x1\t" LD_SECTORS "\t8\n";
    table *r = table_parse(record);
    verdict v = {.emulated = table_parse(counters)};
    verdict_judge(&v, &empty_chapter, r, NULL, NULL, JOB_EXITED, 0, 60, "ncu is not there");
    assert_int_equal(v.goal_count, 1);
    assert_int_equal(v.goals[0].state, GOAL_MET);
    assert_true(v.goals[0].limit == 4);
    verdict_free(&v);
    v = (verdict){0};
    verdict_judge(&v, &empty_chapter, r, table_parse(counters), NULL, JOB_EXITED, 0, 60, NULL);
    assert_int_equal(v.goals[0].state, GOAL_MISSED);
    assert_true(v.goals[0].limit == 64);
    verdict_free(&v);
    table_free(r);
}

static void every_metric_has_its_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < metric_count; i++) {
        assert_true(*metric_table[i].numerator != '\0');
        assert_ptr_equal(metric_find(metric_table[i].name), &metric_table[i]);
    }
    assert_null(metric_find("no_such_metric"));
    char unit[96];
    const metric *m = metric_find("load_requests_per_warp");
    assert_string_equal(metric_value_in_words(m, "1", unit, sizeof unit),
                        "1 load request per warp");
    assert_string_equal(metric_value_in_words(m, "2", unit, sizeof unit),
                        "2 load requests per warp");
    m = metric_find("busiest_warp");
    assert_string_equal(metric_value_in_words(m, "1", unit, sizeof unit),
                        "the same work in all warps");
    assert_string_equal(metric_value_in_words(m, "1.69", unit, sizeof unit),
                        "1.69 times the average warp's work in the busiest warp");
    m = metric_find("divergent_branches_per_warp");
    assert_string_equal(metric_value_in_words(m, "1", unit, sizeof unit),
                        "1 divergent branch per warp");
}

static void test_ncu_csv(void **state)
{
    (void)state;
    char *t = counters_from_ncu_csv(
        "==PROF== Connected\n"
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"" LD_SECTORS "\"\n"
        "\"\",\"\",\"\",\"\",\"sector\"\n"
        "\"0\",\"void copy<32, float>(float *, int)\",\"(256, 1, 1)\",\"(12, 2, 1)\","
        "\"1,234\"\n");
    assert_string_equal(t, COUNTERS_HEADER "0\tcopy<32, float>\t12x2x1\t256x1x1\t" LD_SECTORS
                                           "\t1234\n");
    free(t);
    assert_null(counters_from_ncu_csv("==ERROR== no permission\n"));
    assert_null(counters_from_ncu_csv(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_out_curves_are_listed),
        cmocka_unit_test(verdicts_by_end_of_run),
        cmocka_unit_test(test_goals),
        cmocka_unit_test(test_goals_wait_for_checks),
        cmocka_unit_test(sentences_explain_slow_lines),
        cmocka_unit_test(only_what_meets_its_goals_is_praised),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_predictions),
        cmocka_unit_test(counted_by_both),
        cmocka_unit_test(the_emulators_counters_have_the_emulators_limits),
        cmocka_unit_test(every_metric_has_its_texts),
        cmocka_unit_test(test_ncu_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
