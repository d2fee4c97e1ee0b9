/* The plot tab: draws the chapter's plots in the background, as text for the pane and as files. */
#include "screen_state.h"

#include <stdlib.h>
#include <string.h>

/* Height limit of a picture in rows: two pictures fit on a large screen. */
enum { MAX_PLOT_ROWS = 22 }; /* height of a picture in rows, at most */

static const char *const plot_formats[] = {"dumb", "png", "svg"}; /* gnuplot's names; dumb: text */

void drawing_discard(screen *s)
{
    plot_drawing *d = &s->drawing;
    job_free(d->j);
    page_free(&d->page);
    images_drop(d);
    free(d->error);
    *d = (plot_drawing){0};
}

static const lesson_plot *current_picture(const plot_drawing *d)
{
    return d->c->picture_count ? &d->c->pictures[d->picture] : &plot_default;
}

static void store_picture_error(plot_drawing *d, const char *sentence)
{
    free(d->error);
    d->error = xstrdup(sentence);
    d->done = true;
}

static void start_picture(screen *s)
{
    plot_drawing *d = &s->drawing;
    char err[512];
    bool lacks;
    const char *format = plot_formats[d->format];
    int width = d->width, height = d->height;
    if (d->format == 0 && s->graphics == GRAPHICS_SIXEL)
        format = "sixel";
    images_scale(s, &width, &height);
    d->j = plot_start(&s->d->installation, &d->t, current_picture(d), format, width, height, &lacks,
                      err, sizeof err);
    if (!d->j)
        store_picture_error(d, err);
}

/* Start to draw the chosen chapter's pictures, unless they are finished or being drawn. */
void drawing_start(screen *s)
{
    plot_drawing *d = &s->drawing;
    const chapter *c = screen_chapter(s);
    const chapter_view *v = screen_view(s);
    int width = screen_pane_width(s) - 1, height = screen_pane_height(s) - 1;
    bool solution = v->has_verdict && v->of_solution;
    height = height > MAX_PLOT_ROWS ? MAX_PLOT_ROWS : height;
    if (d->c == c && d->t.solution == solution && d->t.gpu == s->gpu && d->width == width &&
        d->height == height)
        return;
    drawing_discard(s);
    images_ask_terminal(s);
    d->c = c;
    d->t = (build_target){.c = c, .solution = solution, .gpu = s->gpu};
    d->width = width;
    d->height = height;
    start_picture(s);
}

/* Append gnuplot's text output without its leading and trailing blank lines. */
static void append_gnuplot_text(plot_drawing *d, const char *text)
{
    const char *line;
    size_t len;
    page_ensure_blank(&d->page);
    while ((line = next_line(&text, &len))) {
        while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\f'))
            len--;
        if (len == 0 && d->page.count == 0)
            continue;
        OWNED char *copy = xprintf("%.*s", (int)len, line);
        if (len)
            page_add_terminal_text(&d->page, STYLE_NORMAL, copy);
        else
            page_ensure_blank(&d->page);
    }
}

/* Append the path of a picture file: on one line, or directory and name on two if too long. */
static void append_picture_path(screen *s, const char *format)
{
    plot_drawing *d = &s->drawing;
    const char *path =
        installation_short_path(&s->d->installation, plot_file_path(&s->d->installation, &d->t,
                                                                    current_picture(d), format));
    const char *name = strrchr(path, '/') + 1;
    if ((int)strlen(path) <= d->width) {
        page_line_add(&d->page, STYLE_NORMAL, "%s", path);
        return;
    }
    if (strcmp(format, "png") == 0)
        page_line_add(&d->page, STYLE_NORMAL, "%.*s", (int)(name - path), path);
    page_line_add(&d->page, STYLE_NORMAL, "  %s", name);
}

/* Add the finished picture to the tab's page, as text or as an image. */
static void add_picture(screen *s)
{
    plot_drawing *d = &s->drawing;
    const bool first = d->format == 0;
    if (first && (s->graphics == GRAPHICS_AUTO || s->graphics == GRAPHICS_TEXT))
        append_gnuplot_text(d, job_output(d->j, NULL));
    else if (first)
        images_reserve(s, d->height);
    if (first && s->graphics == GRAPHICS_SIXEL)
        images_set_sixels(s, job_output(d->j, NULL));
    if (d->format == 1 && s->graphics == GRAPHICS_KITTY)
        images_set_png(
            s, plot_file_path(&s->d->installation, &d->t, current_picture(d), plot_formats[1]));
}

void drawing_poll(screen *s)
{
    plot_drawing *d = &s->drawing;
    char err[512];
    if (!d->j || !job_poll(d->j, 0))
        return;
    if (!plot_finish(d->j, err, sizeof err))
        store_picture_error(d, err);
    else
        add_picture(s);
    job_free(d->j);
    d->j = NULL;
    if (!d->error) {
        if (d->format == 2) {
            page_ensure_blank(&d->page);
            append_picture_path(s, "png");
            append_picture_path(s, "svg");
            d->picture++;
        }
        d->format = (d->format + 1) % 3;
        d->done = d->picture >= (d->c->picture_count ? d->c->picture_count : 1);
        if (!d->done)
            start_picture(s);
    }
    s->dirty |= s->tab == TAB_PLOT;
}
