/* `warpbook watch`: checks a lab again each time its file is saved. */
#include "../base/saved.h"
#include "../base/signals.h"
#include "../commands/cli.h"
#include "../run/attempt.h"
#include "../show/report.h"
#include "study.h"

#include <poll.h>
#include <stdio.h>

static void report_attempt(session *d, const chapter *c, attempt *a)
{
    verdict v;
    attempt_take_verdict(a, &v);
    report_verdict(stdout, d, c, &v, true);
    fflush(stdout);
    verdict_free(&v);
}

int cli_watch(session *d)
{
    CLEANUP(arena_free) arena memory = {0};
    size_t count;
    int code = EXIT_PASS;
    bool gpu;
    char err[512];
    chapter **list = chapters_named(d, &memory, &count, &code);
    const chapter *c = list ? list[0] : NULL;
    if (!c)
        return code;
    if (count != 1)
        return report_failure(EXIT_USAGE, "watch takes one chapter");
    if (!device_resolve(d->options.device, &d->installation, &gpu, err, sizeof err))
        return report_failure(EXIT_LACKS, "%s", err);
    file_watch lab;
    file_watch_begin(&lab, c->lab);
    attempt_options o = {.gpu = gpu, .timeout_s = d->options.timeout_s};
    attempt *a = NULL;
    bool again = true;
    printf("Watching %s; ^C stops.\n", installation_short_path(&d->installation, c->lab));
    fflush(stdout);
    while (!caught_signal_number()) {
        if (again) {
            attempt_free(a); /* the lab was saved during the run, so the verdict is outdated */
            a = attempt_start(&d->installation, c, &d->state, &o);
        }
        if (a && attempt_poll(a, ATTEMPT_POLL_MS)) {
            report_attempt(d, c, a);
            attempt_free(a);
            a = NULL;
        } else if (!a) {
            struct pollfd p = {.fd = lab.fd, .events = POLLIN};
            poll(&p, 1, 500);
        }
        again = file_watch_poll(&lab);
    }
    attempt_free(a);
    file_watch_end(&lab);
    return EXIT_PASS;
}
