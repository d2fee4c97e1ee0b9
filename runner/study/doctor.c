/* `warpbook doctor`: reports what this machine has, what it lacks, and how to fix it. */
#include "../base/files.h"
#include "../base/json.h"
#include "../run/build.h"
#include "../run/ncu.h"
#include "../show/report.h"
#include "study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct machine_requirement {
    const char *what; /* program or device that is checked */
    bool ok, needed;  /* `what` is available; the labs need it */
    char *says;       /* what was found, or how to get it; to be freed */
} machine_requirement;

static machine_requirement check_nvcc(void)
{
    nvcc_compiler c;
    char err[512];
    if (find_compiler(&c, err, sizeof err) && takes_host_compiler(&c, err, sizeof err))
        return (machine_requirement){"nvcc", true, true,
                                     xprintf("%d.%d, %s", c.major, c.minor, c.path)};
    return (machine_requirement){"nvcc", false, true, xstrdup(err)};
}

static machine_requirement check_emulator(installation *h)
{
    const char *library = installation_emulator_library(h);
    return library ? (machine_requirement){"emulator", true, true,
                                           xstrdup(installation_short_path(h, library))}
                   : (machine_requirement){"emulator", false, true,
                                           xstrdup("not built yet: run `make`")};
}

static machine_requirement check_gnuplot(void)
{
    OWNED char *path = find_program("gnuplot");
    if (!path)
        return (machine_requirement){
            "gnuplot", false, true,
            xstrdup("not found, so there are no plots: install gnuplot-nox")};
    const char *argv[] = {path, "--version", NULL};
    job_end how;
    int code;
    OWNED char *says = job_run_and_read(argv, 10, &how, &code);
    bool ok = how == JOB_EXITED && code == 0;
    machine_requirement f = {"gnuplot", ok, true,
                             ok ? xstrdup(strip(says))
                                : xprintf("%s does not run: install it again", path)};
    return f;
}

static machine_requirement check_gpu(void)
{
    char why[128];
    if (is_gpu_available(why, sizeof why))
        return (machine_requirement){"GPU", true, false, xstrdup("answers; --device gpu uses it")};
    if (is_modelled_device_measured())
        return (machine_requirement){
            "GPU", false, false, xprintf("%s: labs run on the emulator, times are modelled", why)};
    return (machine_requirement){
        "GPU", false, false,
        xprintf("%s: labs run on the emulator, times are modelled for %s (%s)", why,
                modelled_device(), unmeasured_device_note())};
}

static machine_requirement check_ncu(void)
{
    OWNED char *path = find_ncu();
    machine_requirement f = {"ncu", path != NULL, false,
                             path ? xstrdup(path)
                                  : xstrdup("not found: counters come from the emulator only")};
    return f;
}

static machine_requirement check_sim(void)
{
    OWNED char *path = find_program("sim_c");
    machine_requirement f = {
        "sim_c", path != NULL, false,
        path ? xstrdup(path) : xstrdup("not found: `similar` needs the package similarity-tester")};
    return f;
}

static machine_requirement check_terminal(void)
{
    struct winsize w;
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
        return (machine_requirement){"terminal", true, false,
                                     xstrdup("none here: commands print text")};
    if (!term || !*term || strcmp(term, "dumb") == 0)
        return (machine_requirement){"terminal", false, false,
                                     xstrdup("dumb: no screen, but all commands work; set TERM")};
    if (w.ws_col < 80 || w.ws_row < 24)
        return (machine_requirement){
            "terminal", false, false,
            xprintf("%dx%d, the screen needs 80x24: make it larger", w.ws_col, w.ws_row)};
    return (machine_requirement){
        "terminal", true, false,
        xprintf("%s, %dx%d, %s", term, w.ws_col, w.ws_row, locale_is_utf8() ? "UTF-8" : "ASCII")};
}

static machine_requirement check_state(const installation *h)
{
    OWNED char *probe = xprintf("%s/writable", h->state);
    bool ok = make_directories(h->state) && write_whole_file(probe, "yes\n", 4);
    machine_requirement f = {
        "state", ok, true,
        ok ? xprintf("%s can be written", installation_short_path(h, h->state))
           : xprintf("%s cannot be written (%s): make it writable, or set WARPBOOK_STATE", h->state,
                     strerror(errno))};
    if (ok)
        unlink(probe);
    return f;
}

static machine_requirement check_chapters(const book *b)
{
    CLEANUP(sb_free) sb text = {0};
    size_t broken = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->chapters[i].problem_count) {
            sb_printf(&text, "; %s: %s", b->chapters[i].name, b->chapters[i].problems[0]);
            broken++;
        }
    machine_requirement f = {"chapters", b->count > 0 && broken == 0, true,
                             xprintf("%zu%s", b->count, text.s ? text.s : "")};
    return f;
}

int cli_doctor(session *d)
{
    machine_requirement all[] = {check_nvcc(),
                                 check_emulator(&d->installation),
                                 check_gnuplot(),
                                 check_gpu(),
                                 check_ncu(),
                                 check_sim(),
                                 check_terminal(),
                                 check_state(&d->installation),
                                 check_chapters(&d->book)};
    size_t count = sizeof all / sizeof *all;
    bool lacks = false;
    json_auto_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const machine_requirement *f = &all[i];
        lacks |= f->needed && !f->ok;
        if (d->options.json)
            json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:s}", "what", f->what, "ok",
                                                  f->ok, "needed", f->needed, "says", f->says));
        else
            printf("  %-8s %-9s %s\n",
                   f->ok       ? "ok"
                   : f->needed ? "missing"
                               : "none",
                   f->what, f->says);
        free(all[i].says);
    }
    if (d->options.json)
        print_json(json_pack("{s:b, s:O}", "ok", !lacks, "findings", list));
    else
        puts(lacks ? "Something that warpbook needs is missing."
                   : "Everything that warpbook needs is available.");
    return lacks ? EXIT_LACKS : EXIT_PASS;
}
