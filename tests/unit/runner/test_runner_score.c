/* Tests parsing rubrics and scoring verdicts by a rubric. */
#include "runner/base/files.h"
#include "runner/judge/score.h"
#include "runner/judge/spread.h"
#include "runner/show/report.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUBRIC_TOP "points\tkind\tname\tmetric\trelation\tlimit\tsentence\n"
#define WHOLE_RUBRIC                                                               \
    RUBRIC_TOP "40\tcheck\tk\t-\tequal\t2\tright\n"                                \
               "20\tgoal\tk\tload_sectors_per_request\tat_most\t4\tside by side\n" \
               "30\tbandwidth\tk\tpercent\tat_least\t95\tof the copy\n"            \
               "10\tratio\tk\tother\tat_least\t100\tof the other\n"
#define RECORD_TOP "kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n"
#define ON         "\tmodelled\tH200\t"
#define MEASURED   "\tmeasured\tH200\t-\n"
#define CHECKS_OK  "check\tk\t-\t1\t-\t-\t-\tpass" ON "-\ncheck\tk\t-\t33\t-\t-\t-\tpass" ON "-\n"
#define CHECKS_BAD "check\tk\t-\t1\t-\t-\t-\tpass" ON "-\ncheck\tk\t-\t33\t-\t-\t-\tfail" ON "bad\n"
#define GOAL_ROW   "goal\tk\tload_sectors_per_request\t4\t-\t-\t-\tat_most" ON "-\n"
#define COPY_ROW   "copy\tcopy\t-\t1000\t8000\t1\t1000\t-" ON "-\n"
#define FAST_ROW   "measure\tk\t-\t1000\t6400\t1\t960\t-" ON "-\n"
#define SLOW_ROW   "measure\tk\t-\t1000\t6400\t1\t940\t-" ON "-\n"
#define OTHER_ROW  "measure\tother\t-\t1000\t6400\t1\t950\t-" ON "-\n"
#define COUNTERS(sectors)                                                                \
    "launch\tkernel\tgrid\tblock\tmetric\tvalue\n"                                       \
    "0\tk\t8x1x1\t32x1x1\tl1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\t" sectors "\n" \
    "0\tk\t8x1x1\t32x1x1\tl1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\t50\n"         \
    "1\tk\t8x1x1\t32x1x1\tl1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\t" sectors "\n" \
    "1\tk\t8x1x1\t32x1x1\tl1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\t50\n"

static const chapter empty_chapter;

static verdict score_texts(const char *text, const char *record, const char *counters)
{
    char err[256];
    verdict v = {0};
    table *r = table_parse(record);
    verdict_judge(&v, &empty_chapter, r, counters ? table_parse(counters) : NULL, NULL, JOB_EXITED,
                  strstr(record, "fail") ? 1 : 0, 10, NULL);
    table_free(r);
    rubric *points = rubric_parse(text, &v.memory, err, sizeof err);
    assert_non_null(points);
    score_verdict(&v, points);
    return v;
}

static void test_all_points(void **unused)
{
    (void)unused;
    char words[64];
    verdict v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW,
                            COUNTERS("200"));
    assert_int_equal(v.kind, VERDICT_PASS);
    assert_string_equal(score_in_words(&v, words, sizeof words), "100 of 100 points");
    assert_string_equal(v.reason, "1 check, 1 goal, 100 of 100 points");
    assert_string_equal(v.score.rows[2].how, "modelled");
    assert_float_equal(v.score.rows[2].reached, 96, 1e-9);
    assert_float_equal(v.score.rows[3].reached, 100 * 960 / 950.0, 1e-9);
    verdict_free(&v);
}

static void test_slow_variant_loses_points(void **unused)
{
    (void)unused;
    verdict v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK COPY_ROW SLOW_ROW OTHER_ROW GOAL_ROW,
                            COUNTERS("200"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_float_equal(v.score.given, 60, 1e-9);
    assert_string_equal(v.reason, "right, but only 60 of 100 points");
    verdict_free(&v);
}

/* A record of measured rounds: in round i, variant k has MINE[i] times the bandwidth of variant
 * other, which is 1000 GB/s plus a simulated drift of the device. */
static char *rounds_record(const double *mine, size_t count)
{
    sb text = {0};
    sb_puts(&text, RECORD_TOP CHECKS_OK);
    for (size_t i = 0; i < count; i++) {
        double other = 1000 + 10 * (double)(i * 7 % 10);
        sb_printf(&text, "round\tcopy\t-\t1000\t8000\t1\t%.9g\t%zu" MEASURED, other, i + 1);
        sb_printf(&text, "round\tk\t-\t1000\t6400\t1\t%.9g\t%zu" MEASURED, mine[i] * other, i + 1);
        sb_printf(&text, "round\tother\t-\t1000\t6400\t1\t%.9g\t%zu" MEASURED, other, i + 1);
    }
    /* The median rows give another ratio, because each median is from a different round. */
    sb_puts(&text, "copy\tcopy\t-\t1000\t8000\t1\t1090\t-" MEASURED
                   "measure\tk\t-\t1000\t6400\t1\t500\t-" MEASURED
                   "measure\tother\t-\t1000\t6400\t1\t1090\t-" MEASURED);
    return sb_take(&text);
}

#define RATIO_ROWS                                                  \
    RUBRIC_TOP "60\tratio\tk\tother\tat_least\t100\tof the other\n" \
               "40\tbandwidth\tk\tpercent\tat_least\t95\tof the copy\n"

enum { ROUNDS = 21 };

/* Score ROUNDS ratios: the middle round has MIDDLE, the others increase or decrease by STEP around
 * it. */
static verdict score_rounds(double middle, double step)
{
    double mine[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        mine[i * 8 % ROUNDS] = middle + (i - ROUNDS / 2) * step;
    char *record = rounds_record(mine, ROUNDS);
    verdict v = score_texts(RATIO_ROWS, record, NULL);
    free(record);
    return v;
}

/* 99.78 % with rounds on either side of 100 %: the limit is within the spread. */
static void test_spread_explains_a_miss(void **unused)
{
    (void)unused;
    verdict v = score_rounds(0.9978, 0.001);
    assert_float_equal(v.score.rows[0].reached, 99.78, 1e-6);
    assert_int_equal(v.score.rows[0].rounds, ROUNDS);
    assert_float_equal(v.score.rows[0].low, 99.78 - 0.7, 1e-6); /* the fourth from either end */
    assert_float_equal(v.score.rows[0].high, 99.78 + 0.7, 1e-6);
    assert_int_equal(v.score.rows[0].state, POINT_REACHED);
    assert_string_equal(v.score.rows[0].how, "measured");
    assert_int_equal(v.score.rows[1].state, POINT_REACHED);
    sb text = {0};
    report_points(&text, &v, 100);
    assert_non_null(strstr(text.s, "60 of 60"));
    assert_non_null(strstr(text.s, "at least 100     99.8\n"
                                   "      21 rounds: 99.08 to 100.48 (100 lies within)\n"));
    assert_non_null(strstr(text.s, "at least 95     99.8\n      21 rounds: 99.08 to 100.48\n"));
    sb_free(&text);
    verdict_free(&v);
}

/* Two misses: the median 99.78 % with a small spread, and a ratio 5 % too low with a large
 * spread. */
static void test_spread_does_not_explain(void **unused)
{
    (void)unused;
    verdict v = score_rounds(0.9978, 0.0001);
    assert_int_equal(v.score.rows[0].state, POINT_MISSED);
    assert_float_equal(v.score.rows[0].high, 99.85, 1e-6);
    sb text = {0};
    report_points(&text, &v, 100);
    assert_non_null(strstr(text.s, "of the other\n      21 rounds: 99.71 to 99.85\n"));
    sb_free(&text);
    verdict_free(&v);
    v = score_rounds(0.95 * 0.95, 0.004);
    assert_int_equal(v.score.rows[0].state, POINT_MISSED);
    assert_int_equal(v.score.rows[1].state, POINT_MISSED);
    assert_float_equal(v.score.rows[1].reached, 90.25, 1e-6);
    verdict_free(&v);
}

/* A ratio exactly at the limit, and a slow variant with a few fast rounds. */
static void test_median_decides(void **unused)
{
    (void)unused;
    double mine[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        mine[i] = i < 3 ? 1.2 : 0.94;
    char *record = rounds_record(mine, ROUNDS);
    verdict v = score_texts(RATIO_ROWS, record, NULL);
    assert_float_equal(v.score.rows[1].reached, 94, 1e-6);
    assert_int_equal(v.score.rows[1].state, POINT_MISSED);
    free(record);
    verdict_free(&v);
    mine[3] = 1.2; /* a fourth fast round: now 95 lies within the interval */
    record = rounds_record(mine, ROUNDS);
    v = score_texts(RATIO_ROWS, record, NULL);
    assert_int_equal(v.score.rows[1].state, POINT_REACHED);
    free(record);
    verdict_free(&v);
}

static void test_few_rounds(void **unused)
{
    (void)unused;
    double values[] = {3, 1, 2, 5, 4, 9, 8, 7, 6, 10, 11};
    spread s = median_and_interval(values, 1);
    assert_true(s.low == 3 && s.median == 3 && s.high == 3);
    s = median_and_interval(values, 9);
    assert_true(s.low == 1 && s.median == 5 && s.high == 9);
    s = median_and_interval(values, 10);
    assert_true(s.low == 1 && s.median == 5.5 && s.high == 10);
    s = median_and_interval(
        values,
        11); /* the interval from the second to the tenth would miss the median once in 85 times */
    assert_true(s.low == 1 && s.median == 6 && s.high == 11);
}

static bool is_speed(rubric_kind kind)
{
    return kind == RUBRIC_BANDWIDTH || kind == RUBRIC_RATIO;
}

/* The number of bandwidth rows of an assignment's rubric that miss their limits in a record of an
 * H200, if each tested variant were FACTOR times as fast. */
static size_t missed_on_h200(const char *path, const char *lab, double factor)
{
    char err[256];
    verdict v = {0};
    size_t missed = 0, compared = 0;
    char *rubric_path = xprintf("labs/%s/rubric.tsv", lab);
    char *text = read_whole_file(rubric_path, 1 << 20, NULL);
    table *r = table_read(path);
    assert_non_null(text);
    assert_non_null(r);
    verdict_judge(&v, &empty_chapter, r, NULL, NULL, JOB_EXITED, 0, 10, NULL);
    rubric *points = rubric_parse(text, &v.memory, err, sizeof err);
    assert_non_null(points);
    for (size_t i = 0; i < v.round_count; i++)
        for (size_t k = 0; k < points->count; k++)
            if (is_speed(points->rows[k].kind) &&
                strcmp(points->rows[k].name, v.rounds[i].name) == 0) {
                v.rounds[i].gbs *= factor;
                break;
            }
    /* A run that only measured has no checks, and bandwidths are judged only after checks: add
     * one. */
    if (v.check_count == 0)
        *ARENA_PUSH(&v.memory, v.checks, v.check_count) =
            (check_row){.name = "measured alone", .sizes = 1, .pass = true};
    score_verdict(&v, points);
    for (size_t i = 0; i < v.score.count; i++) {
        const point_row *p = &v.score.rows[i];
        if (!is_speed(points->rows[i].kind))
            continue;
        compared++;
        assert_string_equal(p->how, "measured");
        assert_int_equal(p->rounds, ROUNDS);
        missed += p->state == POINT_MISSED;
    }
    assert_true(compared > 0);
    table_free(r);
    verdict_free(&v);
    free(text);
    free(rubric_path);
    return missed;
}

/* The reference solutions get all points in every recorded run on an H200. */
static void test_h200_reaches_all(void **unused)
{
    (void)unused;
    glob_t found;
    assert_int_equal(glob("tests/hardware/chapters/h200/rounds/labs-*/*.tsv", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 32);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *lab = xstrdup(strstr(found.gl_pathv[i], "labs-") + strlen("labs-"));
        lab[strcspn(lab, "/")] = '\0';
        if (missed_on_h200(found.gl_pathv[i], lab, 1) != 0)
            fail_msg("%s: the reference solution misses points", found.gl_pathv[i]);
        free(lab);
    }
    globfree(&found);
}

/* The same runs miss if they are slowed to 5 % below the limit: the sum has 100.2 to 100.9 % of
 * CUB's bandwidth (100 % are required), the scan 101 to 103 % (85 % are required). */
static void test_h200_misses_if_slower(void **unused)
{
    (void)unused;
    for (int run = 1; run <= 14; run++) {
        char *sum = xprintf("tests/hardware/chapters/h200/rounds/labs-01-fastest-sum/%d.tsv", run);
        char *scan = xprintf("tests/hardware/chapters/h200/rounds/labs-05-prefix-sum/%d.tsv", run);
        assert_int_equal(missed_on_h200(sum, "01-fastest-sum", 0.95 / 1.009), 1);
        /* the scan reaches 58 % of the copy, where 70 % are required */
        assert_int_equal(missed_on_h200(scan, "05-prefix-sum", 0.95 * 0.85 / 1.03), 2);
        free(sum);
        free(scan);
    }
}

static void test_missed_goal(void **unused)
{
    (void)unused;
    verdict v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW,
                            COUNTERS("400"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_float_equal(v.score.given, 80, 1e-9);
    assert_int_equal(v.score.rows[1].state, POINT_MISSED);
    assert_float_equal(v.score.rows[1].reached, 8, 1e-9);
    verdict_free(&v);
}

static void test_wrong_has_no_speed(void **unused)
{
    (void)unused;
    verdict v = score_texts(
        WHOLE_RUBRIC, RECORD_TOP CHECKS_BAD COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW, COUNTERS("200"));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_float_equal(v.score.given, 20, 1e-9); /* one of two sizes is right */
    assert_float_equal(v.score.rows[0].reached, 1, 1e-9);
    assert_int_equal(v.score.rows[2].state, POINT_WAITING);
    verdict_free(&v);
}

static void test_fewer_sizes_than_asked(void **unused)
{
    (void)unused;
    verdict v = score_texts(WHOLE_RUBRIC,
                            RECORD_TOP "check\tk\t-\t1\t-\t-\t-\tpass" ON
                                       "-\n" COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW,
                            COUNTERS("200"));
    assert_int_equal(v.score.rows[0].state, POINT_MISSED);
    assert_float_equal(v.score.given, 80, 1e-9);
    verdict_free(&v);
}

static void test_what_is_missing_earns_nothing(void **unused)
{
    (void)unused;
    verdict v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK, NULL);
    assert_float_equal(v.score.given, 40, 1e-9);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(v.score.rows[i].state, POINT_MISSED);
    assert_string_equal(v.score.rows[1].remark, "the run recorded no such goal");
    assert_string_equal(v.score.rows[2].remark, "the run measured no such variant");
    verdict_free(&v);
    v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK FAST_ROW GOAL_ROW, COUNTERS("200"));
    assert_non_null(strstr(v.score.rows[2].remark, "copy by the device itself"));
    assert_non_null(strstr(v.score.rows[3].remark, "no other"));
    verdict_free(&v);
}

/* 200 sectors are the 6400 bytes in the record; a launch that moves no sectors does no work. */
static void test_work_left_out_when_timed(void **unused)
{
    (void)unused;
    verdict v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW,
                            COUNTERS("80"));
    assert_int_equal(v.score.rows[2].state, POINT_MISSED);
    assert_string_equal(v.score.rows[2].remark,
                        "the launch that is timed moves 2560 of the 6400 bytes "
                        "that its work takes");
    assert_int_equal(v.score.rows[3].state, POINT_MISSED);
    /* A launch without work also does not meet the goal of few sectors per request. */
    assert_int_equal(v.score.rows[1].state, POINT_MISSED);
    verdict_free(&v);
    /* The name of a variant is KERNEL/VARIANT if a kernel has several variants. */
    v = score_texts(RUBRIC_TOP "100\tbandwidth\tk/even\tpercent\tat_least\t95\tof the copy\n",
                    RECORD_TOP CHECKS_OK COPY_ROW "measure\tk/even\t-\t1000\t6400\t1\t960\t-" ON
                                                  "-\n",
                    COUNTERS("80"));
    assert_int_equal(v.score.rows[0].state, POINT_MISSED);
    verdict_free(&v);
    /* A launch that reads one tile again and again: enough sectors for the work, but few different
     * bytes. */
    v = score_texts(WHOLE_RUBRIC, RECORD_TOP CHECKS_OK COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW,
                    COUNTERS("200") "1\tk\t8x1x1\t32x1x1\tptx__model_footprint_bytes.sum\t128\n");
    assert_int_equal(v.score.rows[2].state, POINT_MISSED);
    assert_string_equal(v.score.rows[2].remark,
                        "the launch that is timed moves 128 of the 6400 bytes "
                        "that its work takes");
    verdict_free(&v);
}

static void test_races(void **unused)
{
    (void)unused;
    char err[256];
    verdict v = {0};
    table *r = table_parse(RECORD_TOP CHECKS_OK COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW);
    verdict_judge(&v, &empty_chapter, r, table_parse(COUNTERS("200")), NULL, JOB_EXITED, 0, 10,
                  NULL);
    static const char race[] = "{\"kind\":\"race\",\"text\":\"thread 1 read what thread 2 wrote\"}";
    verdict_add_findings(&v, findings_parse(&v.memory, race, strlen(race), false));
    score_verdict(&v, rubric_parse(WHOLE_RUBRIC, &v.memory, err, sizeof err));
    assert_int_equal(v.kind, VERDICT_FAIL);
    assert_float_equal(v.score.given, 0, 1e-9);
    table_free(r);
    verdict_free(&v);
}

static void test_not_graded(void **unused)
{
    (void)unused;
    char err[256], words[64];
    verdict v = {.text.touched = 7};
    table *r = table_parse(RECORD_TOP CHECKS_OK COPY_ROW FAST_ROW OTHER_ROW GOAL_ROW);
    verdict_judge(&v, &empty_chapter, r, table_parse(COUNTERS("200")), NULL, JOB_EXITED, 0, 10,
                  NULL);
    score_verdict(&v, rubric_parse(WHOLE_RUBRIC, &v.memory, err, sizeof err));
    assert_int_equal(v.kind, VERDICT_UNGRADED);
    assert_int_equal(verdict_exit_code(v.kind), 1);
    assert_false(v.score.graded);
    assert_float_equal(v.score.given, 0, 1e-9);
    assert_string_equal(score_in_words(&v, words, sizeof words), "not graded");
    table_free(r);
    verdict_free(&v);
}

/* The points for a bandwidth of PERCENT of the copy's bandwidth. */
static double points_for_percent(double percent, const char *more, const char *counters)
{
    static const char band[] =
        RUBRIC_TOP "40\tcheck\tk\t-\tequal\t2\tright\n"
                   "60\tbandwidth\tk\tpercent\tat_least\t20..95\tof the copy\n";
    char record[2048];
    snprintf(record, sizeof record,
             RECORD_TOP CHECKS_OK COPY_ROW "%smeasure\tk\t-\t1000\t6400\t1\t%.9g\t-" ON "-\n", more,
             10 * percent);
    verdict v = score_texts(band, record, counters);
    double given = v.score.rows[1].given;
    assert_float_equal(v.score.given, 40 + given, 1e-9);
    verdict_free(&v);
    return given;
}

static void points_grow_between_floor_and_limit(void **unused)
{
    (void)unused;
    const struct {
        double percent, points;
    } rows[] = {{120, 60}, {95, 60}, {94.999, 59.9}, {57.5, 30}, {65.8, 36.6}, {20, 0}, {1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_float_equal(points_for_percent(rows[i].percent, "", COUNTERS("200")), rows[i].points,
                           1e-9);
    /* A bandwidth that memory cannot reach earns no points. */
    assert_float_equal(points_for_percent(199, "", COUNTERS("200")), 60, 1e-9);
    assert_float_equal(points_for_percent(201, "", COUNTERS("200")), 0, 1e-9);
    /* A launch that skips its work earns no points at any bandwidth. */
    assert_float_equal(points_for_percent(120, "", COUNTERS("20")), 0, 1e-9);
}

/* A kernel in which one warp, or one lane of each warp, does all the work earns no points for its
 * goals. */
static void test_serial_kernels_miss_goals(void **unused)
{
    (void)unused;
    static const char busiest[] = "goal\tk\tbusiest_warp\t4\t-\t-\t-\tat_most" ON "-\n";
    static const char lanes[] = "goal\tk\tlanes_per_instruction\t24\t-\t-\t-\tat_least" ON "-\n";
#define WORK_COUNTERS(longest, threads)                                    \
    COUNTERS("200")                                                        \
    "0\tk\t8x1x1\t32x1x1\tptx__model_warp_work.sum\t100\n"                 \
    "0\tk\t8x1x1\t32x1x1\tptx__model_warp_work_longest.sum\t" longest "\n" \
    "0\tk\t8x1x1\t32x1x1\tptx__inst_executed.sum\t100\n"                   \
    "0\tk\t8x1x1\t32x1x1\tptx__thread_inst_executed.sum\t" threads "\n"
    assert_float_equal(points_for_percent(120, busiest, WORK_COUNTERS("1700", "3200")), 0, 1e-9);
    assert_float_equal(points_for_percent(120, busiest, WORK_COUNTERS("1500", "3200")), 60, 1e-9);
    assert_float_equal(points_for_percent(120, lanes, WORK_COUNTERS("100", "150")), 0, 1e-9);
    assert_float_equal(points_for_percent(120, lanes, WORK_COUNTERS("100", "1600")), 60, 1e-9);
}

static void expect_rubric_refused(const char *text, const char *words)
{
    char err[256] = "";
    arena a = {0};
    assert_null(rubric_parse(text, &a, err, sizeof err));
    if (!strstr(err, words))
        print_message("%s\n", err);
    assert_non_null(strstr(err, words));
    arena_free(&a);
}

static void test_hidden_rows(void **unused)
{
    (void)unused;
    char err[256] = "";
    arena a = {0};
    rubric *r = rubric_parse("points\tkind\tname\tmetric\trelation\tlimit\tsentence\tvisibility\n"
                             "60\tcheck\tk\t-\tequal\t2\tright\t-\n"
                             "40\tcheck\tx\t-\tequal\t2\texact\thidden\n",
                             &a, err, sizeof err);
    assert_non_null(r);
    assert_false(r->rows[0].hidden);
    assert_true(r->rows[1].hidden);
    assert_true(r->not_shown == 0);
    verdict v = {.kind = VERDICT_FAIL, .score.graded = true};
    score_verdict(&v, r);
    assert_false(v.score.rows[0].hidden);
    assert_true(v.score.rows[1].hidden);
    assert_float_equal(v.score.of, 100, 1e-9);
    verdict_free(&v);

    /* The rubric in a student's copy: hidden rows are replaced by one row with their points. */
    r = rubric_parse(RUBRIC_TOP
                     "60\tcheck\tk\t-\tequal\t2\tright\n40\thidden\t-\t-\t-\t-\tnot shown\n",
                     &a, err, sizeof err);
    assert_non_null(r);
    assert_int_equal(r->count, 1);
    v = (verdict){.kind = VERDICT_FAIL};
    score_verdict(&v, r);
    assert_float_equal(v.score.of, 60, 1e-9);
    assert_float_equal(v.score.not_shown, 40, 1e-9);
    verdict_free(&v);
    arena_free(&a);

    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tequal\t2\tright\tsecret\n",
                          "the visibility must be hidden or -");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tequal\t2\tright\t-\t-\n",
                          "a row must have seven fields");
    expect_rubric_refused("points\tkind\tname\tmetric\trelation\tlimit\tsentence\tseen\n",
                          "rubric.tsv:1: ");
    expect_rubric_refused(RUBRIC_TOP
                          "60\tcheck\tk\t-\tequal\t2\tright\n40\thidden\tx\t-\t-\t-\tnot shown\n",
                          "of hidden rows only the points are known");
    expect_rubric_refused(RUBRIC_TOP "100\thidden\t-\t-\t-\t-\tnot shown\n", "has no rows");
    expect_rubric_refused(RUBRIC_TOP
                          "60\tcheck\tk\t-\tequal\t2\tright\n30\thidden\t-\t-\t-\t-\tnot shown\n",
                          "sum to 90, not 100");
}

static void test_bad_rubrics(void **unused)
{
    (void)unused;
    expect_rubric_refused("", "has no rows");
    expect_rubric_refused(RUBRIC_TOP, "has no rows");
    expect_rubric_refused("points\tkind\n", "rubric.tsv:1: the first line names the columns");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tequal\n",
                          "rubric.tsv:2: a row must have seven fields");
    expect_rubric_refused(RUBRIC_TOP "\n", "rubric.tsv:2: a row must have seven fields");
    expect_rubric_refused(RUBRIC_TOP "0\tcheck\tk\t-\tequal\t2\tright\n",
                          "a number above 0, not 0");
    expect_rubric_refused(RUBRIC_TOP "many\tcheck\tk\t-\tequal\t2\tright\n", "not many");
    expect_rubric_refused(RUBRIC_TOP "100\tchekc\tk\t-\tequal\t2\tright\n", "not chekc");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\t-\t-\tequal\t2\tright\n", "the name");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\tn\tequal\t2\tright\n",
                          "a check has no metric");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tat_least\t2\tright\n",
                          "a check has the relation equal");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tequal\t1.5\tright\n",
                          "a check has the relation equal");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tequal\ttwo\tright\n",
                          "the limit must be a number, or a range such as 20..95, not two");
    expect_rubric_refused(RUBRIC_TOP "100\tbandwidth\tk\tpercent\tat_least\t95..20\tfast\n",
                          "two limits");
    expect_rubric_refused(RUBRIC_TOP "100\tbandwidth\tk\tpercent\tat_least\t20..\tfast\n",
                          "not 20..");
    expect_rubric_refused(
        RUBRIC_TOP "100\tbandwidth\tk\tpercent\tat_most\t20..95\tfast\n",
        "two limits (A..B, no points at A, all at B) are for bandwidths and ratios");
    expect_rubric_refused(
        RUBRIC_TOP "100\tcheck\tk\t-\tequal\t1..2\tright\n",
        "two limits (A..B, no points at A, all at B) are for bandwidths and ratios");
    expect_rubric_refused(RUBRIC_TOP "100\tcheck\tk\t-\tequal\t2\t-\n", "the sentence");
    expect_rubric_refused(RUBRIC_TOP "100\tgoal\tk\tnope\tequal\t2\tright\n",
                          "there is no metric nope");
    expect_rubric_refused(RUBRIC_TOP "100\tgoal\tk\tshuffles_per_warp\tabout\t2\tright\n",
                          "not about");
    expect_rubric_refused(RUBRIC_TOP "100\tbandwidth\tk\tgbs\tat_least\t95\tfast\n",
                          "write percent as the metric of a bandwidth");
    expect_rubric_refused(RUBRIC_TOP "100\tratio\tk\t-\tat_least\t95\tfast\n",
                          "the metric of a ratio");
    expect_rubric_refused(RUBRIC_TOP "60\tcheck\tk\t-\tequal\t2\tright\n", "sum to 60, not 100");
    expect_rubric_refused(RUBRIC_TOP
                          "50\tcheck\tk\t-\tequal\t2\tright\n50\tcheck\tk\t-\tequal\t3\tagain\n",
                          "rubric.tsv:3: this row repeats an earlier row");
    expect_rubric_refused(RUBRIC_TOP "50\tratio\tk\troof\tat_least\t1..20\tfast\n"
                                     "50\tratio\tk\troof\tat_least\t15..50\tfaster\n",
                          "rubric.tsv:3: this row repeats an earlier row");
    expect_rubric_refused(RUBRIC_TOP "50\tratio\tk\troof\tat_least\t1..20\tfast\n"
                                     "50\tratio\tk\troof\tat_least\t50\tfaster\n",
                          "rubric.tsv:3: this row repeats an earlier row");
}

/* Bands of one value: each gives its own points, in full above and none below. */
static void test_bands_beside_each_other(void **state)
{
    static const char bands[] = RUBRIC_TOP "20\tratio\tk\troof\tat_least\t1..15\tfast\n"
                                           "30\tratio\tk\troof\tat_least\t15..50\tfaster\n"
                                           "50\tratio\tk\troof\tat_least\t50..80\tfastest\n";
    arena a = {0};
    char err[256] = "";
    (void)state;
    const rubric *r = rubric_parse(bands, &a, err, sizeof err);
    assert_string_equal(err, "");
    assert_non_null(r);
    assert_int_equal(r->count, 3);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_points),
        cmocka_unit_test(test_slow_variant_loses_points),
        cmocka_unit_test(test_spread_explains_a_miss),
        cmocka_unit_test(test_spread_does_not_explain),
        cmocka_unit_test(test_median_decides),
        cmocka_unit_test(test_few_rounds),
        cmocka_unit_test(test_bands_beside_each_other),
        cmocka_unit_test(test_h200_reaches_all),
        cmocka_unit_test(test_h200_misses_if_slower),
        cmocka_unit_test(test_missed_goal),
        cmocka_unit_test(test_wrong_has_no_speed),
        cmocka_unit_test(test_fewer_sizes_than_asked),
        cmocka_unit_test(test_what_is_missing_earns_nothing),
        cmocka_unit_test(test_work_left_out_when_timed),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_not_graded),
        cmocka_unit_test(points_grow_between_floor_and_limit),
        cmocka_unit_test(test_serial_kernels_miss_goals),
        cmocka_unit_test(test_bad_rubrics),
        cmocka_unit_test(test_hidden_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
