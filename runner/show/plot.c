#include "plot.h"

#include "../base/files.h"
#include "../base/linear.h"
#include "../base/signals.h"
#include "../base/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const lesson_plot plot_default = {.script = "bandwidth"};

char *plot_file_path(installation *h, const build_target *t, const lesson_plot *p,
                     const char *format)
{
    const char *name = strrchr(program_path_of(h, t), '/') + 1;
    return arena_printf(&h->memory, "%s/plots/%s-%s.%s", h->build, name, p->script, format);
}

/* Is there gnuplot, and with IMAGES the directory for them? *LACKS: the machine lacks one. */
static bool can_draw(installation *h, bool images, bool *lacks, char *err, size_t err_size)
{
    OWNED char *gnuplot = find_program("gnuplot");
    const char *dir = arena_printf(&h->memory, "%s/plots", h->build);
    *lacks = true;
    if (!gnuplot)
        return fails(err, err_size,
                     "there is no gnuplot on PATH: install gnuplot-nox to see pictures");
    if (images && !make_directories(dir))
        return fails(err, err_size, "cannot make the directory %s: %s", dir, strerror(errno));
    *lacks = false;
    return true;
}

static bool has_measurements(const char *record)
{
    OWNED_TABLE table *t = table_read(record);
    bool found = false;
    for (size_t row = 0; t && row < t->rows && !found; row++) {
        const char *kind = table_get(t, row, "kind");
        found = kind && (strcmp(kind, "measure") == 0 || strcmp(kind, "span") == 0);
    }
    return found;
}

job *plot_start(installation *h, const build_target *t, const lesson_plot *p, const char *format,
                int width, int height, bool *lacks, char *err, size_t err_size)
{
    arena *a = &h->memory;
    const char *record = target_file_path(h, t, "record.tsv");
    const char *draw = installation_path(h, "plots/draw");
    const bool sixel = strcmp(format, "sixel") == 0, is_text = sixel || strcmp(format, "dumb") == 0;
    *lacks = false;
    if (!file_exists(record)) {
        snprintf(err, err_size, "%s has not been run%s yet, so there is nothing to draw",
                 t->c->name, t->gpu ? " on the GPU" : " on the emulator");
        return NULL;
    }
    if (!has_measurements(record)) {
        snprintf(err, err_size,
                 "the last run of %s measured nothing, so there is nothing to draw: a lab is "
                 "measured once its checks pass",
                 t->c->name);
        return NULL;
    }
    if (!can_draw(h, !is_text, lacks, err, err_size))
        return NULL;
    if (!file_exists(draw) || !file_exists(installation_path(h, "plots/%s.gp", p->script))) {
        snprintf(err, err_size, "%s asks for the picture %s, and there is no plots/%s.gp",
                 t->c->name, p->script, p->script);
        return NULL;
    }
    const char **argv = arena_alloc(a, (9 + p->arg_count) * sizeof *argv);
    size_t n = 0;
    argv[n++] = draw;
    argv[n++] = p->script;
    argv[n++] = record;
    enum { CELL_WIDTH = 8, CELL_HEIGHT = 20 }; /* pixels of a character, about */
    argv[n++] = is_text ? format : plot_file_path(h, t, p, format);
    if (is_text)
        argv[n++] = arena_printf(a, "%dx%d", width * (sixel ? CELL_WIDTH : 1),
                                 height * (sixel ? CELL_HEIGHT : 1));
    bool titled = false;
    for (size_t i = 0; i < p->arg_count; i++) {
        argv[n++] = p->args[i];
        titled |= starts_with(p->args[i], "title=");
    }
    if (!titled)
        argv[n++] = arena_printf(a, "title=%s", t->c->title);
    if (strcmp(format, "dumb") == 0 && locale_is_utf8())
        argv[n++] = "marks=blocks";
    return job_start(&(job_spec){.argv = argv, .dir = h->root, .limit_s = 60});
}

char *plot_write_table(installation *h, const build_target *t, const char *what, const char *cells)
{
    const char *name = strrchr(program_path_of(h, t), '/') + 1;
    char *path = arena_printf(&h->memory, "%s/plots/%s-%s.tsv", h->build, name, what);
    return make_directories(arena_printf(&h->memory, "%s/plots", h->build)) &&
                   write_whole_file(path, cells, strlen(cells))
               ? path
               : NULL;
}

job *plot_start_from_cells(installation *h, const char *script, const char *path,
                           const char *format, int width, int height, bool *lacks, char *err,
                           size_t err_size)
{
    const char *settings[] = {arena_printf(&h->memory, "size=%dx%d", width, height), NULL};
    return plot_start_from_record(h, script, path, format, settings, lacks, err, err_size);
}

job *plot_start_from_record(installation *h, const char *script, const char *path,
                            const char *format, const char *const *settings, bool *lacks, char *err,
                            size_t err_size)
{
    arena *a = &h->memory;
    size_t stem = strlen(path) - strlen(".tsv"), n = 0;
    const char **argv = NULL;
    const char *first[] = {installation_path(h, "plots/draw"), script, path,
                           arena_printf(a, "%.*s.%s", (int)stem, path, format)};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        *ARENA_PUSH(a, argv, n) = first[i];
    while (*settings)
        *ARENA_PUSH(a, argv, n) = *settings++;
    *ARENA_PUSH(a, argv, n) = NULL;
    if (!can_draw(h, true, lacks, err, err_size))
        return NULL;
    if (!file_exists(first[0]) || !file_exists(installation_path(h, "plots/%s.gp", script))) {
        snprintf(err, err_size, "there is no plots/draw, or no plots/%s.gp", script);
        return NULL;
    }
    return job_start(&(job_spec){.argv = argv, .dir = h->root, .limit_s = 60});
}

bool plot_finish(const job *j, char *err, size_t err_size)
{
    int code;
    job_end how = job_outcome(j, &code);
    if (how == JOB_EXITED && code == 0)
        return true;
    const char *says = job_output(j, NULL);
    if (how == JOB_EXITED && *says)
        snprintf(err, err_size, "%.*s", (int)strcspn(says, "\n"), says);
    else if (how == JOB_TIMEOUT)
        snprintf(err, err_size, "gnuplot did not end within %g s and was stopped",
                 job_time_limit(j));
    else if (how == JOB_SIGNALLED)
        snprintf(err, err_size, "drawing was ended by %s", signal_in_words(code));
    else if (how == JOB_NO_START)
        snprintf(err, err_size, "plots/draw does not start: %s", strerror(code));
    else
        snprintf(err, err_size, "drawing failed (exit code %d)", code);
    return false;
}

char *plot_output(job *j, char *err, size_t err_size)
{
    if (!j)
        return NULL;
    while (!job_poll(j, 100))
        if (caught_signal_number())
            job_cancel(j);
    char *output = plot_finish(j, err, err_size) ? xstrdup(job_output(j, NULL)) : NULL;
    job_free(j);
    return output;
}
