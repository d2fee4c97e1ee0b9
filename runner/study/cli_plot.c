/* `warpbook plot`: shows the plots of a run; with --access how a line accesses memory, with --heat
 * how often each part of the arrays is fetched. */
#include "../base/linear.h"
#include "../base/signals.h"
#include "../commands/cli.h"
#include "../show/diagram.h"
#include "../show/draw.h"
#include "../show/plot.h"
#include "../show/profile.h"
#include "../show/selector.h"
#include "../show/traced.h"
#include "study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* --- one side of a memory access diagram --- */

static bool run_and_read_accesses(session *d, const chapter *c, bool solution, traced_run *s,
                                  bool *lacks, char *err, size_t err_size)
{
    *s = (traced_run){.t = {.c = c, .solution = solution}, .title = solution ? "solution" : "now"};
    const char *from = d->options.from;
    s->hides = from && solution;
    bool is_there =
        from ? access_run_from_dir(&d->installation, &s->t, from, &s->files, err, err_size)
             : access_run_make(&d->installation, &s->t, d->options.timeout_s, &s->files, lacks, err,
                               err_size);
    return is_there && traced_run_read(s, err, err_size);
}

/* --- images --- */

enum { MAX_IMAGES = 8 }; /* images that one command draws, at most */

/* Draw CELLS, the rows of a table for the plot script SCRIPT, as PNG and SVG, and print the file
 * names. Returns an exit code. */
static int draw_cells_as_image(session *d, const build_target *t, const char *script,
                               const char *what, const char *cells, int width, int height)
{
    char err[512] = "";
    bool lacks = false, good = true;
    static const char *const formats[] = {"png", "svg"};
    const char *path = plot_write_table(&d->installation, t, what, cells);
    if (!path)
        return report_failure(EXIT_LACKS, "cannot write below build/plots: %s", strerror(errno));
    for (size_t i = 0; i < 2 && good; i++) {
        OWNED char *drawn =
            plot_output(plot_start_from_cells(&d->installation, script, path, formats[i], width,
                                              height, &lacks, err, sizeof err),
                        err, sizeof err);
        good = drawn != NULL;
        if (good)
            printf("  %.*s%s\n", (int)strlen(installation_short_path(&d->installation, path)) - 3,
                   installation_short_path(&d->installation, path), formats[i]);
    }
    if (!good)
        fprintf(stderr, "warpbook: %s\n", err);
    return good ? EXIT_PASS : lacks ? EXIT_LACKS : EXIT_FAIL;
}

/* --- how a line accesses memory --- */

/* Read the run that --beside draws: this run, the previous one, or a run of the solution. CHOICE
 * selects the instruction to show: the counterpart of Q, or the line that the option names. */
static bool read_run_beside(session *d, const chapter *c, traced_run *here, const memory_request *q,
                            traced_run *there, access_choice *choice, bool *lacks, char *err,
                            size_t err_size)
{
    const char *what = d->options.beside;
    bool before = strcmp(what, "before") == 0, solution = strcmp(what, "solution") == 0;
    *there = (traced_run){.t = here->t, .title = before ? "before" : "", .hides = here->hides};
    if (solution && !run_and_read_accesses(d, c, true, there, lacks, err, err_size))
        return false;
    if (before && !access_run_find_previous(&d->installation, &here->t, &there->files))
        return fails(
            err, err_size,
            "no run before the last change of %s is kept: `plot --access` keeps one each time "
            "that the lab has changed",
            c->name);
    there->files = !before && !solution ? here->files : there->files;
    if (!solution && !traced_run_read(there, err, err_size))
        return false;
    if (!before && !solution)
        return selector_find(&there->r, there->source, there->file, what, choice, err, err_size);
    const char *line = trimmed_source_line(&here->r.memory, here->source, q->line);
    if (selector_match(&there->r, there->source, there->file, line, q, choice))
        return true;
    return fails(err, err_size, "nothing of %s in %s corresponds to line %d", q->kernel,
                 before ? "the run before" : "the solution", q->line);
}

/* The counterpart in LIST of element K of MINE: among the instructions with the same memory space
 * and effect, the one with the same position. NULL: there is none. */
static const memory_request *counterpart_of(const memory_request *mine, size_t k,
                                            const memory_request *list, size_t count)
{
    size_t rank = 0;
    const memory_request *q = &mine[k];
    for (size_t i = 0; i < k; i++)
        rank += mine[i].space == q->space && strcmp(mine[i].effect, q->effect) == 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].space == q->space && strcmp(list[i].effect, q->effect) == 0 && rank-- == 0)
            return &list[i];
    return NULL;
}

/* Draw two access diagrams side by side; the run that came first is on the left. */
static void draw_two_diagrams(page *p, traced_run *here, const memory_request *q, traced_run *there,
                              const memory_request *other)
{
    CLEANUP(page_free) page mine = {0}, others = {0};
    bool is_before = strcmp(there->title, "before") == 0;
    traced_append_diagram(&mine, here, q, DIAGRAM_NARROW_COLUMNS);
    if (other)
        traced_append_diagram(&others, there, other, DIAGRAM_NARROW_COLUMNS);
    const char *title = *there->title ? here->title : "";
    if (is_output_linear()) {
        page_append(p, &mine);
        page_line_add(p, STYLE_HEADING, "Beside it%s%s:", *there->title ? ", " : "", there->title);
        page_append(p, &others);
    } else if (is_before)
        place_diagrams_side_by_side(p, there->title, &others, title, &mine);
    else
        place_diagrams_side_by_side(p, title, &mine, there->title, &others);
}

/* Maximum number of rows in an image of R. */
static int max_image_rows(const memory_request *r)
{
    word_use uses[MAX_REQUEST_WORDS];
    size_t n = request_words(r, uses), rows = 0;
    if (r->space == SPACE_CONST)
        rows = request_addresses(r);
    for (size_t i = 0; i < n && r->space != SPACE_CONST; i++)
        rows += i == 0 || uses[i].word / BANKS != uses[i - 1].word / BANKS ||
                uses[i].group != uses[i - 1].group;
    return (int)(rows > DIAGRAM_IMAGE_ROWS ? DIAGRAM_IMAGE_ROWS + 1 : rows) +
           (r->space == SPACE_SHARED ? (int)(LANES / r->served) : 0);
}

/* Write PNG and SVG of the access that instruction K makes (request Q); if OTHER is not NULL, draw
 * next to it the access OTHER of the run THERE. */
static int draw_access_image(session *d, traced_run *here, const memory_request *q,
                             traced_run *there, const memory_request *other, size_t k)
{
    enum { ROW = 26, AROUND = 212, ONE = 960, TWO = 1600 };
    char *cells = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&cells, &length);
    bool is_before = other && strcmp(there->title, "before") == 0;
    int rows = max_image_rows(q), more = other ? max_image_rows(other) : 0;
    if (!f)
        return EXIT_FAIL;
    fputs(DIAGRAM_CELLS_HEADER, f);
    diagram_write_cells(f, is_before ? 2 : 1, other && *there->title ? here->title : "", q,
                        traced_line_text(here, q), traced_array_name(here, q->kernel, q->memory));
    if (other)
        diagram_write_cells(f, is_before ? 1 : 2, there->title, other,
                            traced_line_text(there, other),
                            traced_array_name(there, other->kernel, other->memory));
    fclose(f);
    OWNED char *what = k ? xprintf("access-%zu", k + 1) : xstrdup("access");
    int code = draw_cells_as_image(d, &here->t, "access", what, cells, other ? TWO : ONE,
                                   AROUND + ROW * (rows > more ? rows : more));
    free(cells);
    return code;
}

static int plot_access(session *d, const chapter *c)
{
    char err[1024] = "";
    bool lacks = false, good;
    traced_run here, there = {0};
    size_t count = 0, others = 0;
    access_choice choice = {.launch = d->options.launch, .only = d->options.only};
    access_choice other_choice = {.launch = -1, .only = d->options.only};
    memory_request *list = NULL, *other = NULL;
    CLEANUP(arena_free) arena a = {0};
    CLEANUP(page_free) page p = {0};
    good =
        run_and_read_accesses(d, c, d->options.solution, &here, &lacks, err, sizeof err) &&
        selector_find(&here.r, here.source, here.file, d->options.access, &choice, err, sizeof err);
    if (good) {
        list = select_requests(&here.r, &a, &choice, &count);
        if (!count)
            snprintf(err, sizeof err, "no access on line %d matches --launch and --only",
                     choice.line);
        good = count > 0;
    }
    if (good && d->options.beside) {
        good =
            read_run_beside(d, c, &here, &list[0], &there, &other_choice, &lacks, err, sizeof err);
        other = good ? select_requests(&there.r, &a, &other_choice, &others) : NULL;
    }
    for (size_t i = 0; good && i < count; i++) {
        page_ensure_blank(&p);
        if (d->options.beside)
            draw_two_diagrams(&p, &here, &list[i], &there, counterpart_of(list, i, other, others));
        else
            traced_append_diagram(&p, &here, &list[i], DIAGRAM_WIDE_COLUMNS);
        if (!is_output_linear() && (i + 1 == count || list[i + 1].space != list[i].space))
            draw_diagram_legend(&p, list[i].space,
                                d->options.beside ? DIAGRAM_NARROW_COLUMNS : DIAGRAM_WIDE_COLUMNS);
    }
    int code = good ? EXIT_PASS : lacks ? EXIT_LACKS : EXIT_FAIL;
    if (good)
        page_print(stdout, &p, is_colour_wanted(stdout), locale_is_utf8());
    else
        fprintf(stderr, "warpbook: %s\n", err);
    bool images = !d->options.text && !is_output_linear();
    for (size_t i = 0; i < count && i < MAX_IMAGES && images && code == EXIT_PASS; i++)
        code =
            draw_access_image(d, &here, &list[i], &there,
                              d->options.beside ? counterpart_of(list, i, other, others) : NULL, i);
    traced_run_free(&here);
    traced_run_free(&there);
    return code;
}

/* --- heat maps: how often parts of the arrays are fetched --- */

static int draw_heat_image(session *d, traced_run *s, const heat_map *m, size_t k)
{
    enum { ROW = 24, AROUND = 122, WIDTH = 1000, PIECES = 64, LEAST_ROWS = 5 };
    char *cells = NULL, *what = xprintf("heat-%zu", k + 1);
    size_t length = 0;
    FILE *f = open_memstream(&cells, &length);
    int rows = m->count ? (int)(m->pieces[m->count - 1].offset / m->piece) / PIECES + 1 : 1;
    if (!f)
        return EXIT_FAIL;
    fputs(HEAT_CELLS_HEADER, f);
    heat_write_cells(f, m, traced_array_name(s, m->kernel, m->memory));
    fclose(f);
    int code = draw_cells_as_image(d, &s->t, "heat", what, cells, WIDTH,
                                   AROUND + ROW * (rows > LEAST_ROWS ? rows : LEAST_ROWS));
    free(cells);
    free(what);
    return code;
}

/* Number of terminal columns for a heat map on standard output. */
static size_t heat_columns(void)
{
    struct winsize w = {.ws_col = 80};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 40)
        w.ws_col = 80;
    return w.ws_col > 100 ? 100 : w.ws_col - 1u;
}

static int plot_heat(session *d, const chapter *c)
{
    char err[1024] = "";
    bool lacks = false;
    traced_run s;
    CLEANUP(heat_free) heat_table h = {0};
    CLEANUP(page_free) page p = {0};
    bool good = run_and_read_accesses(d, c, d->options.solution, &s, &lacks, err, sizeof err);
    if (good && !heat_read(&h, s.files.heat)) {
        snprintf(err, sizeof err, "%s cannot be read", s.files.heat);
        good = false;
    }
    if (good)
        traced_append_heat(&p, &s, &h, d->options.heat_kernel, heat_columns());
    if (good && !p.count) {
        snprintf(err, sizeof err, "no kernel%s%s of %s accesses global memory in the run",
                 d->options.heat_kernel ? " " : "",
                 d->options.heat_kernel ? d->options.heat_kernel : "", s.file);
        good = false;
    }
    int code = good ? EXIT_PASS : lacks ? EXIT_LACKS : EXIT_FAIL;
    if (good) {
        page_ensure_blank(&p);
        heat_draw_legend(&p);
        page_print(stdout, &p, is_colour_wanted(stdout), locale_is_utf8());
    } else {
        fprintf(stderr, "warpbook: %s\n", err);
    }
    size_t images = 0;
    for (size_t i = 0; i < h.count && images < MAX_IMAGES && !d->options.text && code == EXIT_PASS;
         i++)
        if (traced_kernel_is_shown(&s, h.maps[i].kernel, d->options.heat_kernel))
            code = draw_heat_image(d, &s, &h.maps[i], images++);
    traced_run_free(&s);
    return code;
}

/* --- the command `plot` ----------------------------------------------------------------------- */

int cli_plot(session *d)
{
    arena a = {0};
    size_t count;
    int code = EXIT_PASS;
    char why[256];
    const options *o = &d->options;
    if (!o->access && (o->beside || o->launch >= 0 || (o->from && !o->heat && !is_output_linear())))
        return report_failure(
            EXIT_USAGE,
            "--beside and --launch go with plot --access, --from also with --heat or --plain");
    chapter **list = chapters_named(d, &a, &count, &code);
    bool gpu =
        o->device == DEVICE_GPU || (o->device == DEVICE_AUTO && is_gpu_available(why, sizeof why));
    for (size_t i = 0; list && i < count && !caught_signal_number(); i++) {
        int one = o->access ? plot_access(d, list[i])
                  : o->heat ? plot_heat(d, list[i])
                            : plot_chapter(d, list[i], gpu, o->solution);
        code = one > code ? one : code;
    }
    arena_free(&a);
    return code;
}
