/* grade: submissions that lie outside the book, one by one. */
#include "../base/signals.h"
#include "../judge/score.h"
#include "../sandbox/sandbox.h"
#include "../show/report.h"
#include "cli.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why there are no points, without the file's name, which precedes it in the table. */
static char *reason(const verdict *v)
{
    const char *r = v->reason ? v->reason : verdict_word(v->kind);
    size_t n = v->path ? strlen(v->path) : 0;
    if (v->kind == VERDICT_PASS)
        return xstrdup("");
    if (v->kind == VERDICT_NO_BUILD)
        return xstrdup(verdict_word(v->kind)); /* the compiler's message takes more than a row */
    if (!n || strncmp(r, v->path, n) != 0)
        return xstrdup(r);
    return r[n] == ':' ? xprintf("line %s", r + n + 1) : xstrdup(r + n + strspn(r + n, " "));
}

/* What a row of the class's table says beside the points: what was lost, or why there are none. To
 * be freed. */
static char *lost(const verdict *v)
{
    sb text = {0};
    bool waiting = false;
    if (!v->graded || v->by_luck || v->points_given == v->points_of || v->kind != VERDICT_FAIL)
        return reason(v);
    for (size_t i = 0; i < v->point_count; i++) {
        const point_row *p = &v->points[i];
        char points[32];
        waiting |= p->state == POINT_WAITING;
        if (p->state == POINT_MISSED)
            sb_printf(&text, "%s-%s %s %s", text.len ? ", " : "",
                      nice_number(p->points - p->given, points, sizeof points), p->name,
                      strcmp(p->kind, "check") == 0 ? "wrong"
                      : p->metric                   ? p->metric
                                                    : "bandwidth");
    }
    sb_puts(&text, waiting ? "; the rest waits for the checks" : "");
    return sb_take(&text);
}

static void table_row(const char *file, size_t width, const verdict *v)
{
    char words[64], given[32];
    char *rest = lost(v);
    if (v->point_count && v->graded)
        snprintf(words, sizeof words, "%s", nice_number(v->points_given, given, sizeof given));
    else
        snprintf(words, sizeof words, "%s", v->kind == VERDICT_PASS ? "passes" : "-");
    printf("  %-*s %6s  %s\n", (int)width, file, words, rest);
    fflush(stdout);
    free(rest);
}

static int worse(int a, int b)
{
    return a == EXIT_FAIL || b == EXIT_FAIL ? EXIT_FAIL : a > b ? a : b;
}

int cli_grade(desk *d)
{
    char err[512];
    bool gpu;
    int code = EXIT_PASS;
    if (d->options.word_count < 2) {
        fputs("warpbook: usage: warpbook grade LAB FILE... [--json] [--device DEVICE] "
              "[--no-sandbox]\n",
              stderr);
        return EXIT_USAGE;
    }
    const chapter *c = book_find(&d->book, d->options.words[0], err, sizeof err);
    if (!c) {
        fprintf(stderr, "warpbook: %s\n", err);
        return EXIT_USAGE;
    }
    if (!device_resolve(d->options.device, &d->house, &gpu, err, sizeof err)) {
        cli_cannot(d, err);
        return EXIT_LACKS;
    }
    if (!d->options.no_sandbox && !sandbox_works(err, sizeof err)) {
        cli_cannot(d, err);
        return EXIT_LACKS;
    }
    char **files = d->options.words + 1;
    size_t count = (size_t)d->options.word_count - 1, width = 4, full = 0;
    for (size_t i = 0; i < count; i++)
        width = strlen(files[i]) > width ? strlen(files[i]) : width;
    json_t *results = json_array();
    if (count > 1 && !d->options.json)
        printf("%s\n  %-*s %6s\n", c->name, (int)width, "file", "points");
    for (size_t i = 0; i < count; i++) {
        verdict v;
        if (!cli_attempt(d, c, files[i], gpu, &v)) {
            code = EXIT_FAIL;
            break; /* main dies of the signal */
        }
        if (d->options.json)
            json_array_append_new(results, report_json(d, c, &v));
        else if (count > 1)
            table_row(files[i], width, &v);
        else
            report_verdict(stdout, d, c, &v, true);
        full += v.kind == VERDICT_PASS;
        code = worse(code, verdict_exit_code(v.kind));
        verdict_free(&v);
    }
    if (d->options.json)
        report_print_json(json_pack("{s:s, s:s, s:O}", "command", "grade", "device",
                                    gpu ? "gpu" : "emulator", "results", results));
    else if (count > 1 && !signals_caught())
        printf("%zu of %zu %s, bandwidths %s%s\n", full, count,
               c->rubric ? "have all points" : "pass", gpu ? "measured" : "modelled",
               d->options.no_sandbox ? ", compiled and run without a sandbox" : "");
    json_decref(results);
    return code;
}
