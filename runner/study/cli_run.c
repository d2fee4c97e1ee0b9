/* The commands list, run and check. */
#include "../base/json.h"
#include "../base/linear.h"

#include "../base/signals.h"
#include "../book/lesson.h"
#include "../book/metrics.h"
#include "../book/quiz.h"
#include "../commands/cli.h"
#include "../judge/history.h"
#include "../judge/quizzed.h"
#include "../run/attempt.h"
#include "../show/recorded.h"
#include "../show/report.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FULL_TIMEOUT_S 1800.0 /* time limit of a run with --full, in seconds */

/* --- list --- */

static const char *progress_mark(lab_progress p)
{
    static const char *const plain[] = {".", "x", "+"}, *const fine[] = {"·", "✗", "✓"};
    return (locale_is_utf8() ? fine : plain)[p];
}

static void print_list_line(session *d, const chapter *c)
{
    lab_progress p = state_progress(&d->state, c);
    const char *reason = state_last_reason(&d->state, c);
    char number[16], *passed = history_in_words(&d->state, c, true);
    snprintf(number, sizeof number, c->assignment ? "L%02d" : " %02d", c->number);
    if (is_output_linear())
        printf("%s %d, %s:", c->assignment ? "Assignment" : "Chapter", c->number, c->title);
    else
        printf("  %s %s  %-28s", progress_mark(p), number, c->title);
    if (c->problem_count)
        printf("  %s", c->problems[0]);
    else if (p == PROGRESS_NEW)
        printf("  not tried yet");
    else if (p == PROGRESS_FAIL)
        printf("  %s", reason ? reason : "failed");
    else
        printf("  %s", passed);
    if (p == PROGRESS_PASS && reason && state_last_verdict(&d->state, c) != VERDICT_PASS)
        printf("; last: %s", reason);
    putchar('\n');
    free(passed);
}

int cli_list(session *d)
{
    if (d->options.json) {
        json_t *list = json_array();
        for (size_t i = 0; i < d->book.count; i++)
            json_array_append_new(list, report_chapter_json(d, &d->book.chapters[i]));
        print_json(json_pack("{s:o}", "chapters", list));
        return EXIT_PASS;
    }
    for (size_t i = 0; i < d->book.count; i++) {
        const chapter *c = &d->book.chapters[i];
        if (c->part && (i == 0 || c->part != c[-1].part))
            printf("%s%s\n", i ? "\n" : "", c->part);
        print_list_line(d, c);
    }
    if (d->book.count == 0)
        printf("  no chapter in %s/chapters\n", d->installation.root);
    return EXIT_PASS;
}

/* --- the commands run and check --- */

/* The line on which a terminal shows how far an attempt is. */
typedef struct progress_line {
    const char *what; /* name of the lab */
    char last[128];   /* the line as it stands; "": none */
} progress_line;

static void show_progress(const attempt *a, void *line_shown)
{
    progress_line *p = line_shown;
    char line[sizeof p->last];
    const attempt_progress *n = attempt_current_progress(a);
    const char *known = n->mistake ? n->mistake : n->all_passed ? "right so far" : "";
    snprintf(line, sizeof line, "%.30s %s ... %.0f s  %.40s", p->what,
             attempt_phase_word(attempt_current_phase(a)), attempt_elapsed_seconds(a), known);
    if (strcmp(line, p->last) == 0)
        return;
    strcpy(p->last, line);
    fprintf(stderr, "\r\033[K%s", line);
}

/* True: a terminal asks the student, who is not shown the solution. */
static bool asks_student(const session *d)
{
    return !d->options.solution && !d->options.json && isatty(STDIN_FILENO) &&
           isatty(STDOUT_FILENO);
}

/* In an interactive run, ask for the lesson's predictions that have no answer yet. */
static void ask_predictions(session *d, const chapter *c)
{
    double said;
    for (size_t i = 0; asks_student(d) && i < c->prediction_count && !caught_signal_number(); i++) {
        const prediction *p = &c->predictions[i];
        const metric *m = metric_find(p->metric);
        char line[64];
        if (state_get_prediction(&d->state, c, p, &said))
            continue;
        CLEANUP(page_free) page asked = {0};
        lesson_render_hint(&asked, p->question, 76);
        for (size_t l = 0; l < asked.count; l++)
            printf("%s\n", asked.lines[l].s);
        for (;;) {
            printf("Your prediction for %s, %s (Enter: none): ", p->kernel,
                   m ? m->unit : p->metric);
            fflush(stdout);
            if (!fgets(line, sizeof line, stdin))
                return;
            if (!*strip(line))
                break;
            if (parse_number(strip(line), &said)) {
                state_set_prediction(&d->state, c, p, said);
                break;
            }
            printf("%s is not a number; type a number such as 4 or 2.5.\n", strip(line));
        }
    }
}

/* In an interactive run, ask why each wrong prediction was wrong, and then show the book's reason.
 */
static void ask_whys(session *d, const chapter *c, const verdict *v)
{
    char line[512], number[32];
    for (size_t i = 0; asks_student(d) && i < v->guess_count && !caught_signal_number(); i++) {
        const prediction *p = &c->predictions[i];
        OWNED char *because = prediction_is_unexplained(&d->state, c, &v->guesses[i], i)
                                  ? prediction_reason(c, p)
                                  : NULL;
        if (!because)
            continue;
        nice_number(v->guesses[i].counted, number, sizeof number);
        printf("%s: why %s? One sentence (Enter: none): ", p->kernel, number);
        fflush(stdout);
        if (fgets(line, sizeof line, stdin)) {
            state_set_prediction_why(&d->state, c, p, strip(line));
            print_markdown("The book: ", because);
        }
    }
}

/* For --full: use as many elements as the lesson's measurements on a GPU, or the largest power of
 * two below that for which the arrays fit into this machine's memory. The lab reads the number from
 * its environment. */
static void set_full_size(session *d, const chapter *c)
{
    enum { ELEMENT_BYTES = 4, ARRAY_COUNT = 4 };
    OWNED_TABLE table *t = recorded_run_read(&d->installation, c);
    double wanted = recorded_element_count(t), n = wanted;
    double room = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    char text[32];
    if (wanted <= 0) {
        fprintf(stderr,
                "warpbook: %s has no measurements from a GPU: it runs at its default size\n",
                c->name);
        return;
    }
    while (n * ELEMENT_BYTES * ARRAY_COUNT > room && n > 1 << 20)
        n = floor(n / 2);
    if (n < wanted)
        fprintf(stderr, "warpbook: %.0f elements need about %.0f GB of memory: it runs with %.0f\n",
                wanted, wanted * ELEMENT_BYTES * ARRAY_COUNT / 1e9, n);
    snprintf(text, sizeof text, "%.0f", n);
    setenv("WARPBOOK_N", text, 1);
    if (d->options.timeout_s == 0)
        d->options.timeout_s = FULL_TIMEOUT_S;
}

bool run_attempt(session *d, const chapter *c, bool gpu, verdict *out)
{
    if (d->options.full)
        set_full_size(d, c);
    attempt_options o = {
        .solution = d->options.solution, .gpu = gpu, .timeout_s = d->options.timeout_s};
    progress_line line = {c->name, ""};
    const bool show = !d->options.json && is_colour_wanted(stderr);
    const bool ended = attempt_run_to_end(attempt_start(&d->installation, c, &d->state, &o), out,
                                          show ? show_progress : NULL, &line);
    if (*line.last)
        fputs("\r\033[K", stderr);
    return ended;
}

static void print_summary(size_t passed, size_t failed, size_t lacking)
{
    printf("%zu passed, %zu failed", passed, failed);
    if (lacking)
        printf(", %zu not judged", lacking);
    putchar('\n');
}

static int run_labs(session *d, bool brief)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count, passed = 0, failed = 0, lacking = 0;
    int code = EXIT_PASS;
    bool gpu;
    char err[512];
    chapter **list = chapters_named(d, &a, &count, &code);
    if (!list)
        return code;
    if (!device_resolve(d->options.device, &d->installation, &gpu, err, sizeof err)) {
        cli_report_failure(d, err);
        return EXIT_LACKS;
    }
    json_auto_t *results = json_array();
    for (size_t i = 0; i < count; i++) {
        verdict v;
        ask_predictions(d, list[i]);
        if (!run_attempt(d, list[i], gpu, &v)) {
            code = EXIT_FAIL;
            break; /* main then ends the program with the caught signal */
        }
        if (d->options.json)
            json_array_append_new(results, report_json(d, list[i], &v));
        else
            report_verdict(stdout, d, list[i], &v, brief);
        ask_whys(d, list[i], &v);
        fflush(stdout);
        int one = verdict_exit_code(v.kind);
        passed += one == EXIT_PASS;
        failed += one == EXIT_FAIL;
        lacking += one == EXIT_LACKS;
        verdict_free(&v);
    }
    if (failed || lacking)
        code = failed ? EXIT_FAIL : EXIT_LACKS;
    if (d->options.json)
        print_json(json_pack("{s:s, s:s, s:O, s:i, s:i, s:i}", "command", d->options.command,
                             "device", gpu ? "gpu" : "emulator", "results", results, "passed",
                             (int)passed, "failed", (int)failed, "not_judged", (int)lacking));
    else if (count > 1 && !caught_signal_number())
        print_summary(passed, failed, lacking);
    return code;
}

int cli_run(session *d)
{
    return run_labs(d, false);
}

int cli_check(session *d)
{
    return run_labs(d, true);
}
