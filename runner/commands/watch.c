/* warpbook watch: check again whenever the lab is saved. */
#include "watch.h"

#include "../base/signals.h"
#include "../attempt/attempt.h"
#include "../show/report.h"
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Editors write in place, or write beside and rename: both are seen in the directory. */
int watch_open(const char *dir)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 && inotify_add_watch(fd, dir, IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

bool watch_changed(int fd, const char *name)
{
    _Alignas(struct inotify_event) char events[4096];
    bool changed = false;
    ssize_t n;
    while ((n = read(fd, events, sizeof events)) > 0)
        for (char *p = events; p < events + n;) {
            const struct inotify_event *e = (const struct inotify_event *)p;
            if ((e->len && strcmp(e->name, name) == 0) || (e->mask & IN_Q_OVERFLOW))
                changed = true;
            p += sizeof *e + e->len;
        }
    return changed;
}

static void report_attempt(desk *d, const chapter *c, attempt *a)
{
    verdict v;
    attempt_take(a, &v);
    report_verdict(stdout, d, c, &v, true);
    fflush(stdout);
    verdict_free(&v);
}

int cli_watch(desk *d)
{
    arena memory = {0};
    size_t count;
    int code = EXIT_PASS;
    bool gpu;
    char err[512];
    chapter **list = cli_chapters(d, &memory, &count, &code);
    const chapter *c = list ? list[0] : NULL;
    arena_free(&memory);
    if (!c)
        return code;
    if (count != 1) {
        fputs("warpbook: watch looks at one chapter\n", stderr);
        return EXIT_USAGE;
    }
    if (!device_resolve(d->options.device, &d->house, &gpu, err, sizeof err)) {
        fprintf(stderr, "warpbook: %s\n", err);
        return EXIT_LACKS;
    }
    int fd = watch_open(c->dir);
    if (fd < 0) {
        fprintf(stderr, "warpbook: cannot watch %s: %s\n", c->dir, strerror(errno));
        return EXIT_LACKS;
    }
    attempt_options o = {.gpu = gpu, .timeout_s = d->options.timeout_s};
    attempt *a = NULL;
    bool again = true;
    printf("Watching %s; ^C ends it.\n", house_short(&d->house, c->lab));
    fflush(stdout);
    while (!signals_caught()) {
        if (again) {
            attempt_free(a); /* saved while it ran: the old text's verdict is of no use */
            a = attempt_start(&d->house, c, &d->state, &o);
        }
        if (a && attempt_pump(a, 100)) {
            report_attempt(d, c, a);
            attempt_free(a);
            a = NULL;
        } else if (!a) {
            struct pollfd p = {.fd = fd, .events = POLLIN};
            poll(&p, 1, 500);
        }
        again = watch_changed(fd, "lab.cu");
    }
    attempt_free(a);
    close(fd);
    return EXIT_PASS;
}
