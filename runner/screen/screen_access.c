/* Shows how each line of a lab accesses memory, in the plot tab: runs the lab with `warpbook plot
 * --heat` in the background, then draws its tables, one source line at a time, and finally the
 * access heat of the arrays. */
#include "../base/json.h"
#include "../show/diagram.h"
#include "screen_state.h"

#include <stdlib.h>
#include <string.h>

struct access_view {
    job *j;
    bool solution;    /* the solution is shown, not the lab */
    bool is_read;     /* the tables that the run wrote have been read */
    char *error;      /* a sentence that says why no accesses can be shown; NULL: they can */
    int *lines;       /* [count] numbers of the source lines that access memory, sorted */
    size_t count, at; /* number of entries of `lines`; index of the shown one, or `count`: the heat
                         map of the arrays is shown */
    int wanted; /* line to show first; if this line accesses no memory, the next line that does */
};

/* Ask for the picture that is shown; READ: the tables have just been written. */
static json_t *picture_request(const access_view *a, bool read)
{
    return json_pack("{s:s, s:b, s:b, s:I}", "do", "accesses", "solution", a->solution, "read",
                     read, "at", (json_int_t)a->at);
}

/* The last line of the output of `warpbook plot`, without the program's name. To be freed. */
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
    OWNED access_view *a = s->accesses;
    s->accesses = NULL;
    s->dirty = true;
    if (!a)
        return;
    job_free(a->j);
    free(a->lines);
    free(a->error);
}

static void start_access_run(screen *s, access_view *a)
{
    const chapter *c = screen_chapter(s);
    chapter_view *v = screen_view(s);
    a->solution = v->show_solution;
    const char *argv[] = {"/proc/self/exe",
                          "plot",
                          c->name,
                          "--heat",
                          "--text",
                          a->solution ? "--solution" : NULL,
                          NULL};
    OWNED char *root = xprintf("WARPBOOK_ROOT=%s", s->d->installation.root);
    const char *env[] = {root, NULL};
    a->j = job_start(&(job_spec){.argv = argv, .env = env});
}

/* The first visible line of the code tab, used as the cursor position. */
static int first_visible_line(screen *s)
{
    return s->tab == TAB_CODE ? (int)screen_view(s)->top[TAB_CODE] + 1 : 1;
}

void access_view_open(screen *s, int by)
{
    access_view *a = s->accesses;
    if (s->run.active) {
        message_set(&s->message, STYLE_NOTE, "Not while a lab is running: x cancels it.");
        return;
    }
    if (!screen_chapter(s)->has_lab) {
        message_set(&s->message, STYLE_NOTE, "This chapter has no lab.");
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
    json_auto_t *answer = runs_ask(s, picture_request(a, true));
    const char *error = answer ? member_text(answer, "error") : s->runs_error;
    const json_t *lines = json_object_get(answer, "lines");
    if (error)
        a->error = *error ? xstrdup(error) : last_output_line(a->j);
    a->is_read = !error;
    a->count = json_array_size(lines);
    a->lines = xmalloc((a->count + 1) * sizeof *a->lines);
    for (size_t i = 0; i < a->count; i++)
        a->lines[i] = (int)json_integer_value(json_array_get(lines, i));
    while (a->at < a->count && a->lines[a->at] < a->wanted)
        a->at++;
    a->at = a->at < a->count ? a->at : 0;
    job_free(a->j);
    a->j = NULL;
    s->dirty |= s->tab == TAB_PLOT;
}

void make_accesses_page(screen *s)
{
    access_view *a = s->accesses;
    if (a->error) {
        page_wrap_text(&s->page, STYLE_BAD, a->error, (size_t)screen_pane_width(s) - 1, "", "");
    } else if (!a->is_read) {
        page_line_add(&s->page, STYLE_NOTE,
                      "The lab runs on the emulator, which records each access ...");
    } else {
        runs_add_page(s, picture_request(a, false));
    }
}
