/* Shows how each line of a lab accesses memory, in the plot tab: runs the lab with `warpbook plot
 * --heat` in the background, then draws its tables, one source line at a time, and finally the
 * access heat of the arrays. */
#include "../base/files.h"
#include "../show/diagram.h"
#include "../show/traced.h"
#include "screen_state.h"

#include <stdlib.h>
#include <string.h>

struct access_view {
    job *j;
    traced_run run;   /* the run of the lab whose memory accesses are shown */
    bool is_read;     /* the tables that the run wrote have been read into `run` */
    char *error;      /* a sentence that says why no accesses can be shown; NULL: they can */
    arena memory;     /* arena that holds the pictures */
    int *lines;       /* [count] numbers of the source lines that access memory, sorted */
    size_t count, at; /* number of entries of `lines`; index of the shown one, or `count`: the heat
                         map of the arrays is shown */
    int wanted; /* line to show first; if this line accesses no memory, the next line that does */
};

/* The last line of the output of `warpbook plot`, without the program's name. The caller frees
 * it. */
static char *last_output_line(const job *j)
{
    size_t len;
    const char *text = job_output(j, &len), *line;
    char *last = NULL;
    while ((line = next_line(&text, &len)))
        if (len) {
            free(last);
            last = xprintf("%.*s", (int)len, line);
        }
    static const char name[] = "warpbook: ";
    if (last && starts_with(last, name))
        memmove(last, last + strlen(name), strlen(last + strlen(name)) + 1);
    return last ? last : xstrdup("The lab could not be run for this picture.");
}

void access_view_close(screen *s)
{
    access_view *a = s->accesses;
    s->accesses = NULL;
    s->dirty = true;
    if (!a)
        return;
    job_free(a->j);
    traced_run_free(&a->run);
    arena_free(&a->memory);
    free(a->error);
    free(a);
}

static void start_access_run(screen *s, access_view *a)
{
    const chapter *c = screen_chapter(s);
    chapter_view *v = screen_view(s);
    const bool solution = v->show_solution;
    const char *argv[] = {"/proc/self/exe",
                          "plot",
                          c->name,
                          "--heat",
                          "--text",
                          solution ? "--solution" : NULL,
                          NULL};
    char *root = xprintf("WARPBOOK_ROOT=%s", s->d->installation.root);
    const char *env[] = {root, NULL};
    a->run = (traced_run){.t = {.c = c, .solution = solution}};
    a->j = job_start(&(job_spec){.argv = argv, .env = env});
    free(root);
}

/* The first visible line of the code tab, used as the cursor position. */
static int first_visible_line(screen *s)
{
    return s->tab == TAB_CODE ? (int)screen_view(s)->top[TAB_CODE] + 1 : 1;
}

void access_view_open(screen *s, int by)
{
    access_view *a = s->accesses;
    if (s->a) {
        screen_set_message(s, STYLE_NOTE, "Not while a lab is running: x cancels it.");
        return;
    }
    if (!screen_chapter(s)->has_lab) {
        screen_set_message(s, STYLE_NOTE, "This chapter has no lab.");
        return;
    }
    screen_view(s)->top[TAB_PLOT] = 0;
    s->dirty = true;
    if (is_access_run_active(s))
        return;
    if (a && a->is_read) {
        a->at = (a->at + a->count + 1 + (size_t)by) % (a->count + 1);
        return;
    }
    const int line = first_visible_line(s);
    access_view_close(s);
    a = xmalloc(sizeof *a);
    *a = (access_view){.wanted = line};
    start_access_run(s, a);
    screen_show_tab(s, TAB_PLOT);
    s->accesses = a;
    s->on_pane = true; /* an access needs the full width */
    s->zoom |= screen_pane_width(s) <= DIAGRAM_WIDE_COLUMNS;
}

bool is_access_run_active(const screen *s)
{
    return s->accesses && s->accesses->j;
}

void access_view_poll(screen *s)
{
    access_view *a = s->accesses;
    if (!is_access_run_active(s) || !job_poll(a->j, 0))
        return;
    char err[512] = "";
    if (!access_run_find_current(&s->d->installation, &a->run.t, &a->run.files)) {
        a->error = last_output_line(a->j);
    } else if (!traced_run_read(&a->run, err, sizeof err)) {
        a->error = xstrdup(err);
    } else {
        a->lines = lines_with_requests(&a->run.r, &a->memory, a->run.file, &a->count);
        while (a->at < a->count && a->lines[a->at] < a->wanted)
            a->at++;
        a->at = a->at < a->count ? a->at : 0;
        a->is_read = true;
    }
    job_free(a->j);
    a->j = NULL;
    s->dirty |= s->tab == TAB_PLOT;
}

/* Append the list of pictures, with the current one marked. */
static void append_picture_list(screen *s, const access_view *a)
{
    styled t = {0};
    styled_printf(&t, STYLE_DIM, "%s by the emulator: lines", a->run.file);
    for (size_t i = 0; i < a->count; i++) {
        styled_puts(&t, STYLE_DIM, " ");
        styled_printf(&t, i == a->at ? STYLE_PICKED : STYLE_NORMAL, "%d", a->lines[i]);
    }
    styled_puts(&t, STYLE_DIM, ", ");
    styled_puts(&t, a->at == a->count ? STYLE_PICKED : STYLE_NORMAL, "arrays");
    styled_puts(&t, STYLE_DIM, "; a: next, A: previous, p: the plot");
    page_wrap(&s->page, &t, (size_t)screen_pane_width(s) - 1, "", "");
}

static void append_access_pictures(screen *s, access_view *a)
{
    arena memory = {0};
    size_t count;
    const access_choice choice = {.line = a->lines[a->at], .launch = -1};
    const memory_request *list = select_requests(&a->run.r, &memory, &choice, &count);
    const size_t columns =
        screen_pane_width(s) > DIAGRAM_WIDE_COLUMNS ? DIAGRAM_WIDE_COLUMNS : DIAGRAM_NARROW_COLUMNS;
    for (size_t i = 0; i < count; i++) {
        page_ensure_blank(&s->page);
        traced_append_diagram(&s->page, &a->run, &list[i], columns);
        if (i + 1 == count || list[i + 1].space != list[i].space)
            draw_diagram_legend(&s->page, list[i].space, columns);
    }
    arena_free(&memory);
}

static void make_heat_page(screen *s, access_view *a)
{
    heat_table h;
    const size_t before = s->page.count, width = (size_t)screen_pane_width(s) - 1;
    heat_read(&h, a->run.files.heat);
    traced_append_heat(&s->page, &a->run, &h, NULL, width > 100 ? 100 : width);
    if (s->page.count == before) {
        page_line_add(&s->page, STYLE_NOTE, "No kernel accesses global memory.");
    } else {
        page_ensure_blank(&s->page);
        heat_draw_legend(&s->page);
    }
    heat_free(&h);
}

void make_accesses_page(screen *s)
{
    access_view *a = s->accesses;
    if (a->error) {
        styled t = {0};
        styled_puts(&t, STYLE_BAD, a->error);
        page_wrap(&s->page, &t, (size_t)screen_pane_width(s) - 1, "", "");
    } else if (!a->is_read) {
        page_line_add(&s->page, STYLE_NOTE,
                      "The lab runs on the emulator, which records each access ...");
    } else if (!a->count) {
        page_line_add(&s->page, STYLE_NOTE, "No line of %s accesses the device's memory yet.",
                      a->run.file);
    } else {
        append_picture_list(s, a);
        if (a->at < a->count)
            append_access_pictures(s, a);
        else
            make_heat_page(s, a);
    }
}
