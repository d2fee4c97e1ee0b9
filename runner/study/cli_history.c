/* `warpbook history`: shows the tries at a chapter's lab as a list with bars, or as a plot. */
#include "../base/json.h"
#include "../commands/cli.h"
#include "../judge/history.h"
#include "../show/plot.h"
#include "study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAR_COLUMNS = 24,      /* columns of the longest bar */
    MIN_TRIES_FOR_PLOT = 2 /* least number of a lab's runs for which a plot is drawn */
};

static void *tries_to_json(const chapter *c, const saved_state *s, const lab_try *tries,
                           size_t count)
{
    json_t *list = json_array(), *out;
    lab_try best;
    bool known = history_best_try(s, c, &best);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:i, s:i, s:o, s:s?, s:s?, s:s?}", "at",
                                        tries[i].at, "verdict", verdict_id(tries[i].kind), "right",
                                        (int)tries[i].right, "of", (int)tries[i].of, "gbs",
                                        tries[i].gbs > 0 ? json_real(tries[i].gbs) : json_null(),
                                        "variant", tries[i].variant, "source", tries[i].source,
                                        "device", tries[i].device));
    out = json_pack("{s:s, s:b, s:s?, s:o, s:o}", "chapter", c->name, "passed",
                    state_ever_passed(s, c), "passed_on", history_day_passed(s, c), "best_gbs",
                    known ? json_real(best.gbs) : json_null(), "tries", list);
    return out;
}

static void print_list(const chapter *c, const saved_state *s, const lab_try *tries, size_t count)
{
    double most = 0;
    char *words = history_in_words(s, c, true), number[32];
    printf("%s: %s\n", c->title, words ? words : count ? "not passed yet" : "not tried yet");
    free(words);
    for (size_t i = 0; i < count; i++)
        most = tries[i].gbs > most ? tries[i].gbs : most;
    if (count)
        putchar('\n');
    for (size_t i = 0; i < count; i++) {
        const lab_try *t = &tries[i];
        bool measured = t->source && strcmp(t->source, "measured") == 0;
        char bar[BAR_COLUMNS + 1];
        size_t length = most > 0 ? (size_t)(BAR_COLUMNS * t->gbs / most + 0.5) : 0;
        memset(bar, measured ? '#' : ':', length);
        bar[length] = '\0';
        printf("%4zu  %s  %-17s %zu of %zu", i + 1, t->at, verdict_word(t->kind), t->right, t->of);
        if (t->gbs > 0)
            printf("  %6s GB/s  %s", nice_number(t->gbs, number, sizeof number), bar);
        putchar('\n');
    }
    if (most > 0)
        puts("\nGB/s: bandwidth of the try's fastest variant; # measured, : modelled.");
}

/* Plot the tries over their number, in the form of a parameter sweep. */
static int draw_history(session *d, const chapter *c, const lab_try *tries, size_t count)
{
    static const char *const formats[] = {"png", "svg"};
    char err[512];
    bool lacks = false;
    CLEANUP(sb_free) sb rows = {0};
    sb_puts(&rows, "kind\tname\tx\tn\tbytes\tms\tgbs\tstatus\tsource\tdevice\tdetail\n");
    for (size_t i = 0; i < count; i++)
        if (tries[i].gbs > 0)
            sb_printf(&rows, "measure\t%s\t%zu\t-\t-\t1\t%.6g\t-\t%s\t%s\t-\n",
                      tries[i].kind == VERDICT_PASS ? "passed" : "did not pass", i + 1,
                      tries[i].gbs, tries[i].source ? tries[i].source : "modelled",
                      tries[i].device ? tries[i].device : "-");
    build_target t = {.c = c};
    const char *path = plot_write_table(&d->installation, &t, "history", rows.s);
    if (!path)
        return report_failure(EXIT_LACKS, "the history cannot be written to build/plots");
    const char *settings[] = {
        arena_printf(&d->installation.memory, "title=%s: your tries", c->title), "x=try", NULL};
    for (size_t i = 0; i < 2; i++) {
        OWNED char *drawn =
            plot_output(plot_start_from_record(&d->installation, "sweep", path, formats[i],
                                               settings, &lacks, err, sizeof err),
                        err, sizeof err);
        if (!drawn) {
            fprintf(stderr, "warpbook: %s\n", err);
            return lacks ? EXIT_LACKS : EXIT_FAIL;
        }
        const char *where = installation_short_path(&d->installation, path);
        printf("%s%.*s.%s", i ? ", " : "\nDrawn as ", (int)(strlen(where) - strlen(".tsv")), where,
               formats[i]);
    }
    putchar('\n');
    return EXIT_PASS;
}

int cli_history(session *d)
{
    CLEANUP(arena_free) arena a = {0};
    size_t count, tried, measured = 0;
    int code = EXIT_PASS;
    chapter **list = chapters_named(d, &a, &count, &code);
    json_auto_t *all = json_array();
    for (size_t i = 0; list && i < count; i++) {
        const chapter *c = list[i];
        lab_try *tries = history_tries(&d->state, c, &a, &tried);
        if (d->options.json) {
            json_array_append_new(all, tries_to_json(c, &d->state, tries, tried));
            continue;
        }
        print_list(c, &d->state, tries, tried);
        measured = 0;
        for (size_t k = 0; k < tried; k++)
            measured += tries[k].gbs > 0;
        int one = measured >= MIN_TRIES_FOR_PLOT ? draw_history(d, c, tries, tried) : EXIT_PASS;
        code = one > code ? one : code;
        if (i + 1 < count)
            putchar('\n');
    }
    if (list && d->options.json)
        print_json(json_pack("{s:O}", "chapters", all));
    return code;
}
