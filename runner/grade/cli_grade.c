/* `warpbook grade`: grades submissions outside the workbook, of one student or of a class. */
#include "../base/json.h"
#include "../base/plain.h"
#include "../book/pristine.h"
#include "../commands/cli.h"
#include "../sandbox/sandbox.h"
#include "../show/report.h"
#include "../slurm/slurm.h"
#include "../submission/judge_rules.h"
#include "grade.h"
#include "grading.h"
#include "result.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of the printed output while a class is graded. */
typedef struct grade_output {
    session *d;
    const chapter *c;
    const submissions *h;
    json_t *list;  /* array of the results so far, for --json; otherwise NULL */
    bool students; /* rows are named after students; false: after files */
    bool table;    /* print one row for each submission; false: a full report */
    size_t width;  /* width of the column of names */
    size_t full;   /* number of submissions with all points */
    int code;      /* exit code of the command, by the results so far */
} grade_output;

/* The first column of a row: the student, or the file. To be freed. */
static char *name_of_row(const grade_output *s, const submission *h)
{
    sb name = {0};
    append_sanitized(&name, s->students ? h->student : h->from, false);
    return sb_take(&name);
}

static void print_table_row(const grade_output *s, const graded *g)
{
    char points[32];
    OWNED char *name = name_of_row(s, g->from);
    CLEANUP(sb_free) sb rest = {0};
    append_sanitized(&rest, g->summary, false);
    bool scored = chapter_rubric(s->c, 0) && !isnan(g->points) && strcmp(g->word, "REJECTED") != 0;
    if (scored)
        nice_number(g->points, points, sizeof points);
    printf("  %s%*s %6s", name, (int)(s->width - utf8_width(name, strlen(name))), "",
           scored    ? points
           : g->full ? "passes"
                     : "-");
    if (s->students)
        printf("  %s%*s", g->word, rest.len ? 13 - (int)strlen(g->word) : 0, "");
    printf("%s%s\n", rest.len ? "  " : "", rest.s);
    fflush(stdout);
}

static int worse_exit_code(int a, int b)
{
    return a == EXIT_FAIL || b == EXIT_FAIL ? EXIT_FAIL : a > b ? a : b;
}

static void print_result(void *object, const graded *g)
{
    grade_output *s = object;
    if (s->list) {
        json_t *one = json_copy(g->result);
        if (s->students) {
            json_object_set_new(one, "student", sanitized_json(g->from->student, false));
            json_object_set_new(one, "from", text_json(g->from->from));
        }
        json_array_append_new(s->list, one);
    } else if (s->table || !g->v) {
        print_table_row(s, g);
    } else {
        report_verdict(stdout, s->d, s->c, g->v, true);
    }
    s->full += g->full;
    s->code = worse_exit_code(s->code, g->exit_code);
}

/* Print notes for the grader: file names that match no person, and people without a submission. */
static void print_notes(const submissions *h, const roster *r)
{
    for (size_t i = 0; i < h->note_count; i++) {
        CLEANUP(sb_free) sb line = {0};
        append_sanitized(&line, h->notes[i], false);
        fprintf(stderr, "warpbook: %s\n", line.s);
    }
    for (size_t i = 0; i < r->count; i++)
        if (!r->people[i].seen) {
            CLEANUP(sb_free) sb line = {0};
            append_sanitized(&line, r->people[i].student, false);
            fprintf(stderr, "warpbook: %s handed in nothing\n", line.s);
        }
}

/* Say what was done before a signal arrived, and how to go on. */
static void print_interruption(const grade_output *s, const grading_end *end, const results *store)
{
    fprintf(stderr, "warpbook: interrupted: %zu of %zu submissions are graded", end->judged,
            s->h->count);
    if (store)
        fprintf(stderr, " and kept in %s; the same command continues with the others\n",
                store->dir);
    else
        fputs(", and nothing is kept: with --results DIR the same command continues\n", stderr);
}

/* Print the last line, or lines: how many submissions have all points, and what is missing. */
static void print_summary(const grade_output *s, bool measured, size_t unwritten, size_t missing)
{
    printf("%zu of %zu %s, bandwidths %s%s\n", s->full, s->h->count,
           chapter_rubric(s->c, 0) ? "have all points" : "pass", measured ? "measured" : "modelled",
           s->d->options.no_sandbox ? ", compiled and run without a sandbox" : "");
    if (missing)
        printf("%zu of the roster handed in nothing\n", missing);
    if (unwritten)
        printf("%zu result%s could not be written: make room, and give the same command again\n",
               unwritten, unwritten == 1 ? "" : "s");
}

static size_t count_missing(const roster *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += !r->people[i].seen;
    return count;
}

static int grade_class(session *d, const chapter *c, const submissions *h, const roster *r,
                       bool gpu, results *store)
{
    const options *o = &d->options;
    const bool modelled = gpu && !o->no_sandbox && reason_for_modelled_times(&d->installation, c);
    grade_output s = {.d = d, .c = c, .h = h, .students = store || h->named, .width = 4};
    s.table = s.students || h->count > 1;
    s.width = s.students ? strlen("student") : s.width;
    for (size_t i = 0; i < h->count; i++) {
        OWNED char *name = name_of_row(&s, &h->list[i]);
        size_t w = utf8_width(name, strlen(name));
        s.width = w > s.width ? w : s.width;
    }
    s.list = o->json ? json_array() : NULL;
    if (s.table && !s.list)
        printf("%s\n  %-*s %6s\n", c->name, (int)s.width, s.students ? "student" : "file",
               "points");
    grading_end end =
        grade_submissions(d, c, h,
                          &(grading_options){.gpu = gpu,
                                             .boxed = !o->no_sandbox,
                                             .timeout_s = o->timeout_s,
                                             .jobs = o->jobs ? o->jobs : 1,
                                             .rejudge = o->rejudge,
                                             .run_pages = store && !o->no_run_pages,
                                             .slurm = o->slurm,
                                             .progress = !o->json && is_colour_wanted(stderr),
                                             .store = store},
                          print_result, &s);
    if (store)
        end.unwritten += write_missing_results(d, c, r, store);
    if (s.list)
        print_json(json_pack("{s:s, s:s, s:o}", "command", "grade", "device",
                             gpu ? "gpu" : "emulator", "results", s.list));
    else if (s.table && end.complete)
        print_summary(&s, gpu && !modelled, end.unwritten, count_missing(r));
    if (!end.complete) /* main then ends the program with the caught signal */
        print_interruption(&s, &end, store);
    return end.unwritten ? EXIT_LACKS : end.complete ? s.code : EXIT_FAIL;
}

/* Set the seed of the runs: the stored one of the results, or the one given by the user. */
static void set_seed(uint64_t seed)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    if (seed)
        setenv("WARPBOOK_SEED", text, 1);
}

static int grade_paths(session *d, const chapter *c, bool gpu, roster *r)
{
    char err[1024];
    submissions h;
    results store = {.lock = -1};
    const options *o = &d->options;
    OWNED char *original = book_text_of_lab(&d->installation, c);
    bool ok = submissions_collect(&h, (const char *const *)o->words + 1, (size_t)o->word_count - 1,
                                  original ? original : "", o->roster ? r : NULL, err, sizeof err);
    if (!ok) {
        cli_report_failure(d, err);
        return EXIT_FAIL;
    }
    int code = EXIT_LACKS;
    if (o->results)
        submissions_keep_last(&h);
    if (o->results && !results_open(&store, o->results, o->seed, err, sizeof err)) {
        cli_report_failure(d, err);
    } else {
        set_seed(o->results ? store.seed : o->seed);
        print_notes(&h, r);
        code = grade_class(d, c, &h, r, gpu, o->results ? &store : NULL);
        if (o->results)
            results_close(&store);
    }
    submissions_free(&h);
    return code;
}

/* Marks come from the emulator, where a judge can repeat the run, unless the user wants a GPU. */
static bool choose_device(session *d, bool *gpu, char *err, size_t err_size)
{
    const options *o = &d->options;
    if (o->no_sandbox)
        return device_resolve(o->device, &d->installation, gpu, err, err_size);
    device_choice choice = o->device == DEVICE_GPU ? DEVICE_GPU : DEVICE_EMULATOR;
    return device_resolve(choice, &d->installation, gpu, err, err_size) &&
           sandbox_works(err, err_size);
}

int cli_grade(session *d)
{
    char err[1024];
    bool gpu;
    roster r = {0};
    if (d->options.word_count < 2) {
        fputs("warpbook: usage: warpbook grade LAB PATH... [--results DIR] [--roster FILE.csv] "
              "[-j N]\n"
              "                [--seed N] [--rejudge] [--slurm[=N]] [--no-run-pages] [--json] "
              "[--device DEVICE]\n"
              "                [--no-sandbox]\n",
              stderr);
        return EXIT_USAGE;
    }
    const chapter *c = book_find(&d->book, d->options.words[0], err, sizeof err);
    if (!c)
        return report_failure(EXIT_USAGE, "%s", err);
    if (d->options.roster && !roster_read(&r, d->options.roster, err, sizeof err))
        return report_failure(EXIT_USAGE, "%s", err);
    if (d->options.slurm && !d->options.results)
        return report_failure(
            EXIT_USAGE,
            "--slurm needs --results DIR, a directory that the cluster's nodes can access");
    int code = EXIT_LACKS;
    if (d->options.slurm && !slurm_works(err, sizeof err))
        cli_report_failure(d, err);
    else if (!choose_device(d, &gpu, err, sizeof err))
        cli_report_failure(d, err);
    else
        code = grade_paths(d, c, gpu, &r);
    roster_free(&r);
    return code;
}
