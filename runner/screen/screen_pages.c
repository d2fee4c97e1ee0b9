/* Makes the text of each tab's page. */
#include "../base/files.h"
#include "../book/lesson.h"
#include "../book/syntax.h"
#include "screen_state.h"

#include <stdlib.h>

enum {
    MAX_FILE_BYTES = 4 << 20, /* largest lesson or lab that is shown */
};
enum { MIN_MARGIN_COLUMNS = 70 }; /* narrower code has no counters next to its lines */

/* --- lesson --- */

static void make_lesson_page(screen *s, const chapter *c)
{
    char *text = read_whole_file(c->lesson, MAX_FILE_BYTES, NULL);
    if (!text) {
        page_line_add(&s->page, STYLE_BAD, "%s is not there.",
                      installation_short_path(&s->d->installation, c->lesson));
        return;
    }
    quiz bank;
    quiz_read(&bank, c);
    OWNED const char **marks = xmalloc((c->prediction_count + 1) * sizeof *marks);
    OWNED const char **answers = xmalloc((bank.count + 1) * sizeof *answers);
    for (size_t i = 0; i < c->prediction_count; i++)
        marks[i] = prediction_line_text(s, c, i);
    for (size_t i = 0; i < bank.count; i++)
        answers[i] = quiz_line_text(s, c, &bank.list[i]);
    lesson_insertions m = {.predictions = marks,
                           .prediction_count = c->prediction_count,
                           .picture = "▸ p draws the picture.",
                           .answers = answers,
                           .answer_count = bank.count,
                           .links = true};
    lesson_render(&s->page, text, screen_text_columns(s), &m);
    for (size_t i = 0; i < c->prediction_count; i++)
        free(without_const(marks[i]));
    for (size_t i = 0; i < bank.count; i++)
        free(without_const(answers[i]));
    quiz_free(&bank);
    free(text);
}

/* --- code --- */

static void make_code_page(screen *s, const chapter *c)
{
    const chapter_view *v = screen_view(s);
    const char *path = v->show_solution ? c->solution : c->lab;
    char *text = read_whole_file(path, MAX_FILE_BYTES, NULL);
    if (!text) {
        page_line_add(&s->page, STYLE_BAD, "%s is not there.",
                      installation_short_path(&s->d->installation, path));
        if (!v->show_solution)
            page_line_add(&s->page, STYLE_NOTE, "R brings it back.");
        return;
    }
    CLEANUP(page_free) page plain = {0};
    page_add_terminal_text(&plain, STYLE_NORMAL, text);
    /* Find the TODO regions again: the student may have added lines. */
    chapter now = {0};
    CLEANUP(arena_free) arena a = {0};
    code_margin m;
    chapter_read_lab(&now, &a, text);
    margin_read(&m, s, path, v->show_solution);
    /* Show the counters if the pane is wide enough; key m reverses this choice. */
    bool beside = m.count && (screen_pane_width(s) >= MIN_MARGIN_COLUMNS) != v->more;
    if (beside)
        margin_append_heading(&s->page, (size_t)screen_pane_width(s) - 1);
    else if (m.count && screen_pane_width(s) < MIN_MARGIN_COLUMNS)
        page_line_add(&s->page, STYLE_DIM, "m shows sectors, conflicts and lanes of lines");
    else if (m.outdated)
        page_line_add(&s->page, STYLE_DIM, "Changed since the last run: r counts again.");
    bool in_comment = false;
    for (size_t i = 0; i < plain.count; i++) {
        styled line = {0};
        int number = (int)i + 1;
        bool inside = false;
        const todo_region *region;
        for (size_t t = 0; !inside && (region = chapter_region_at(&now, t)); t++)
            inside = number >= region->begin && number <= region->end;
        if (beside)
            margin_append(&line, &m, (size_t)number);
        syntax_add_margin(&line, number, inside, number == m.refused);
        syntax_add_line(&line, plain.lines[i].s, &in_comment);
        page_add_line(&s->page, &line);
    }
    margin_free(&m);
    free(text);
}

/* --- output --- */

static void add_wrapped(screen *s, style how, const char *first, const char *rest, const char *text)
{
    page_wrap_text(&s->page, how, text, (size_t)screen_pane_width(s) - 1, first, rest);
}

/* The page about the last run, with what the student types below a wrong prediction. */
static void make_verdict_page(screen *s)
{
    const bool asks = s->prompt.kind == PROMPT_WHY;
    OWNED char *field = asks ? xprintf(PROMPT_FIELD "sentence: why? %s_", s->prompt.text) : NULL;
    runs_add_page(s,
                  json_pack("{s:s, s:b, s:I, s:o}", "do", "verdict", "brief", screen_view(s)->brief,
                            "asking", (json_int_t)s->asking, "field", text_json(field)));
}

static void make_output_page(screen *s)
{
    const chapter_view *w = screen_view(s);
    if (s->run.active && s->run.chapter == s->chosen) {
        const char *doing = runs_news(s, "doing"), *output = runs_news(s, "output");
        page_line_add(&s->page, STYLE_NOTE, "%s", doing ? doing : "");
        style how;
        OWNED char *known = progress_text(s, &how);
        if (known)
            add_wrapped(s, how, "", "  ", known);
        page_ensure_blank(&s->page);
        page_add_terminal_text(&s->page, STYLE_NORMAL, output ? output : "");
    } else if (w->has_verdict) {
        make_verdict_page(s);
    } else if (!w->recalled) {
        add_wrapped(s, STYLE_BAD, "", "", s->runs_error);
    } else {
        page_line_add(&s->page, STYLE_NOTE, "Not run yet: r builds and runs it, c checks it.");
    }
}

/* --- plot --- */

static void make_plot_page(screen *s)
{
    const plot_drawing *d = &s->drawing;
    if (d->error)
        add_wrapped(s, STYLE_BAD, "", "", d->error);
    else if (!d->done)
        page_line_add(&s->page, STYLE_NOTE, "Drawing ...");
    for (size_t i = 0; i < d->page.count; i++)
        page_line_add(&s->page, STYLE_NORMAL, "%s", d->page.lines[i].s);
}

/* Make s->page for the chosen tab. */
static void make_page(screen *s)
{
    chapter *c = screen_chapter(s);
    switch (s->tab) {
    case TAB_LESSON: make_lesson_page(s, c); break;
    case TAB_CODE: make_code_page(s, c); break;
    case TAB_OUTPUT: make_output_page(s); break;
    case TAB_COUNTERS:
        runs_add_page(s, json_pack("{s:s, s:b}", "do", "counters", "more", screen_view(s)->more));
        break;
    case TAB_PLOT:
        if (s->accesses) {
            make_accesses_page(s);
            break;
        }
        drawing_start(s);
        make_plot_page(s);
        break;
    case TAB_BOOK: make_book_page(s); break;
    case TAB_COUNT: break;
    }
}

void screen_refresh_page(screen *s)
{
    if (!s->dirty)
        return;
    s->dirty = false;
    page_free(&s->page);
    page_free(&s->beside);
    view_load_last_verdict(s);
    if (screen_is_split(s)) {
        const screen_tab chosen = s->tab;
        s->tab = chosen == TAB_CODE ? TAB_OUTPUT : TAB_CODE;
        make_page(s);
        s->beside = s->page;
        s->page = (page){0};
        s->tab = chosen;
    }
    make_page(s);
    mark_found_text(s);
}
