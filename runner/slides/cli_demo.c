/* `warpbook demo`: slides on a terminal; otherwise all solutions are run and plotted. */
#include "../base/json.h"
#include "../base/signals.h"
#include "../commands/cli.h"
#include "../run/attempt.h"
#include "../show/draw.h"
#include "../show/report.h"
#include "../term/terminal.h"
#include "demo.h"
#include "notes.h"

#include <stdio.h>

int cli_demo(session *d)
{
    arena a = {0};
    size_t count;
    int code = EXIT_PASS;
    bool gpu;
    char err[512];
    d->options.all |= d->options.word_count == 0;
    d->options.solution = true;
    if (d->options.notes)
        return notes_run(d);
    chapter **list = chapters_named(d, &a, &count, &code);
    if (list && d->options.json) {
        CLEANUP(slides_free) slides deck = {0};
        if (demo_open_slides(&deck, d, list, count))
            print_json(notes_json(&deck));
        else
            code = EXIT_FAIL;
        list = NULL;
    }
    if (list && screen_can_be_shown()) {
        code = demo_run(d, list, count);
        list = NULL;
    }
    if (list && !device_resolve(d->options.device, &d->installation, &gpu, err, sizeof err)) {
        fprintf(stderr, "warpbook: %s\n", err);
        code = EXIT_LACKS;
        list = NULL;
    }
    for (size_t i = 0; list && i < count && !caught_signal_number(); i++) {
        const chapter *c = list[i];
        if (!c->has_solution) {
            if (d->options.word_count > 0) {
                fprintf(stderr,
                        "warpbook: %s has no solution here to run; on a terminal demo shows its "
                        "lesson and runs your lab\n",
                        c->name);
                code = EXIT_FAIL;
            }
            continue;
        }
        attempt_options o = {.solution = true, .gpu = gpu, .timeout_s = d->options.timeout_s};
        printf("\n%s\n\n", c->title);
        fflush(stdout);
        verdict v;
        if (attempt_run_to_end(attempt_start(&d->installation, c, &d->state, &o), &v, NULL, NULL)) {
            report_verdict(stdout, d, c, &v, false);
            putchar('\n');
            fflush(stdout);
            int one = verdict_exit_code(v.kind);
            if (one == EXIT_PASS)
                one = plot_chapter(d, c, gpu, true);
            code = one > code ? one : code;
            verdict_free(&v);
        }
    }
    arena_free(&a);
    return code;
}
