/* `warpbook similar`: lists pairs of submissions of a class with similar text. */
#include "../base/json.h"
#include "../base/plain.h"
#include "../book/pristine.h"
#include "../class/results.h"
#include "../commands/cli.h"
#include "../sandbox/sandbox.h"
#include "../similar/similar.h"
#include "grade.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static size_t print_name(const char *name, size_t width)
{
    CLEANUP(sb_free) sb plain = {0};
    append_sanitized(&plain, name, false);
    size_t w = utf8_width(plain.s, plain.len);
    if (width)
        printf("  %s%*s", plain.s, (int)(width - w), "");
    return w;
}

static void print_pairs(const chapter *c, const submissions *h, const similar_list *list, int above)
{
    size_t width = strlen("student");
    for (size_t i = 0; i < list->count; i++) {
        size_t w[] = {print_name(h->list[list->pairs[i].a].student, 0),
                      print_name(h->list[list->pairs[i].b].student, 0)};
        width = w[0] > width ? w[0] : width;
        width = w[1] > width ? w[1] : width;
    }
    printf("%s: %zu submissions compared, %zu pair%s with %d %% or more in common\n", c->name,
           list->compared, list->count, list->count == 1 ? "" : "s", above);
    if (list->count)
        printf("  %-*s  %-*s  %s\n", (int)width, "student", (int)width, "student",
               "share of the first text found in the second, and the reverse");
    for (size_t i = 0; i < list->count; i++) {
        const similar_pair *p = &list->pairs[i];
        print_name(h->list[p->a].student, width);
        print_name(h->list[p->b].student, width);
        printf("  %3d %%  %3d %%\n", p->a_in_b, p->b_in_a);
    }
    puts("Similar does not mean copied: read both before you decide. No mark changes.");
}

/* Store REPORT, so that the page of the class can show it. */
static bool store_report(session *d, const chapter *c, json_t *report, char *err, size_t err_size)
{
    results store;
    if (!results_open_for_reading(&store, d->options.results, err, err_size))
        return false;
    bool ok = results_write_similarity(&store, results_lab_name(&store.memory, c->name), report);
    if (!ok)
        snprintf(err, err_size, "cannot write below %s: %s", store.dir, strerror(errno));
    results_close(&store);
    return ok;
}

static int compare_pairs(session *d, const chapter *c, const submissions *h)
{
    char err[1024] = "";
    CLEANUP(arena_free) arena a = {0};
    similar_list list;
    const options *o = &d->options;
    const int above = o->above ? o->above : SIMILAR_DEFAULT_PERCENT;
    int code = EXIT_LACKS;
    similar_end end =
        !o->no_sandbox && !sandbox_works(err, sizeof err)
            ? SIMILAR_LACKS
            : similar_find(&d->installation, c, h,
                           &(similar_options){.min_percent = above, .boxed = !o->no_sandbox}, &a,
                           &list, err, sizeof err);
    if (end != SIMILAR_DONE) {
        cli_report_failure(d, err);
        code = end == SIMILAR_LACKS ? EXIT_LACKS : EXIT_FAIL;
    } else {
        json_auto_t *report = similar_json(c, h, &list, above);
        code = EXIT_PASS;
        if (o->results && !store_report(d, c, report, err, sizeof err)) {
            cli_report_failure(d, err);
            code = EXIT_FAIL;
        }
        if (o->json)
            print_json(json_incref(report));
        else
            print_pairs(c, h, &list, above);
    }
    return code;
}

int cli_similar(session *d)
{
    char err[1024];
    submissions h;
    roster r = {0};
    const options *o = &d->options;
    if (o->word_count < 2)
        return report_failure(EXIT_USAGE, "usage: warpbook similar LAB PATH... [--roster FILE.csv] "
                                          "[--results DIR] [--above PERCENT] [--json]");
    const chapter *c = book_find(&d->book, o->words[0], err, sizeof err);
    if (!c || (o->roster && !roster_read(&r, o->roster, err, sizeof err)))
        return report_failure(EXIT_USAGE, "%s", err);
    int code = EXIT_FAIL;
    OWNED char *original = book_text_of_lab(&d->installation, c);
    if (submissions_collect(&h, (const char *const *)o->words + 1, (size_t)o->word_count - 1,
                            original ? original : "", o->roster ? &r : NULL, err, sizeof err)) {
        submissions_keep_last(&h);
        code = compare_pairs(d, c, &h);
        submissions_free(&h);
    } else {
        cli_report_failure(d, err);
    }
    roster_free(&r);
    return code;
}
