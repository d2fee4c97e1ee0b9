/* Makes the text of each tab's page. */
#include "../base/files.h"
#include "../book/lesson.h"
#include "../book/metrics.h"
#include "../book/syntax.h"
#include "../show/ladder.h"
#include "../show/recorded.h"
#include "../show/report.h"
#include "screen_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_FILE_BYTES = 4 << 20,  /* largest lesson or lab that is shown */
    MAX_LIVE_BYTES = 64 << 10, /* output of a running lab that is shown, at most */
};
enum { MIN_MARGIN_COLUMNS = 70 }; /* narrower code has no counters beside its lines */

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
    const char **marks = xmalloc((c->prediction_count + 1) * sizeof *marks);
    const char **answers = xmalloc((bank.count + 1) * sizeof *answers);
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
    free(answers);
    quiz_free(&bank);
    free(marks);
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
    page plain = {0};
    page_add_terminal_text(&plain, STYLE_NORMAL, text);
    /* Find the TODO regions again: the student may have added lines. */
    chapter now = {0};
    arena a = {0};
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
    arena_free(&a);
    page_free(&plain);
    free(text);
}

/* --- output --- */

static void add_wrapped(screen *s, style how, const char *first, const char *rest, const char *text)
{
    styled t = {0};
    styled_puts(&t, how, text);
    page_wrap(&s->page, &t, (size_t)screen_pane_width(s) - 1, first, rest);
}

static void add_points(screen *s, const verdict *v)
{
    sb text = {0};
    size_t width = (size_t)screen_pane_width(s) - 1, len;
    report_points(&text, v, width);
    report_ladder(&text, screen_chapter(s), v);
    page_ensure_blank(&s->page);
    const char *rest = text.s, *line;
    while ((line = next_line(&rest, &len))) {
        char *copy = xprintf("%.*s", (int)len, line);
        style how = starts_with(copy, "  ✓")   ? STYLE_GOOD
                    : starts_with(copy, "  ✗") ? STYLE_BAD
                                               : STYLE_NORMAL;
        if (utf8_width(copy, len) <= width)
            page_line_add(&s->page, how, "%s", copy);
        else /* the sentence says what the points are given for */
            add_wrapped(s, how, "      ", "      ", strip(copy));
        free(copy);
    }
    sb_free(&text);
}

static void add_checks(screen *s, const verdict *v)
{
    report_findings(&s->page, v, (size_t)screen_pane_width(s) - 1);
    for (size_t i = 0; i < v->check_count; i++) {
        const check_row *r = &v->checks[i];
        char *text = r->pass ? r->sizes > 1 ? xprintf("✓ %s, %zu sizes", r->name, r->sizes)
                                            : xprintf("✓ %s", r->name)
                             : xprintf("✗ %s: %s", r->name, r->detail ? r->detail : "it failed");
        add_wrapped(s, r->pass ? STYLE_GOOD : STYLE_BAD, "", "  ", text);
        free(text);
    }
    if (v->text.touched > 0) {
        char *text =
            xprintf("! lab.cu:%d differs from the book outside the TODO regions: its checks "
                    "may test something else",
                    v->text.touched);
        add_wrapped(s, STYLE_NOTE, "", "  ", text);
        free(text);
    }
    if (v->text.ignored > 0) {
        char *text = xprintf(
            "! lab.cu:%d differs from the book outside the TODO regions: the change is left out",
            v->text.ignored);
        add_wrapped(s, STYLE_NOTE, "", "  ", text);
        free(text);
    }
    for (size_t i = 0; i < v->text.flaw_count; i++)
        add_wrapped(s, STYLE_NOTE, "! ", "  ", v->text.flaws[i]);
    if (v->score.count && v->score.graded) { /* the list of points includes the goals */
        add_points(s, v);
        return;
    }
    if (v->goal_count && v->goals[0].state == GOAL_WAITING) {
        add_wrapped(s, STYLE_DIM, "", "  ",
                    v->goal_count == 1 ? "· 1 goal is tested once all checks pass"
                                       : "· The goals are tested once all checks pass");
        return;
    }
    report_goals(&s->page, v, (size_t)screen_pane_width(s) - 1);
}

static void add_predictions(screen *s, const verdict *v)
{
    for (size_t i = 0; i < v->guess_count; i++) {
        const prediction_row *g = &v->guesses[i];
        const metric *m = metric_find(g->metric);
        char a[32], b[32];
        if (!g->answered || !g->known || !m)
            continue;
        char *why = g->right ? xstrdup("right") : metric_difference(m, g->said, g->counted);
        char *text = xprintf("▸ You predicted %s %s for %s; counted%s: %s, %s.",
                             nice_number(g->said, a, sizeof a), m->unit, g->kernel,
                             g->emulated ? " by the emulator" : "",
                             nice_number(g->counted, b, sizeof b), why);
        free(why);
        page_ensure_blank(&s->page);
        add_wrapped(s, g->right ? STYLE_GOOD : STYLE_NOTE, "", "  ", text);
        free(text);
        if (!g->right)
            predict_add_why(s, i);
    }
}

static void add_measurements(screen *s, const verdict *v)
{
    sb text = {0};
    bool any_variant = false; /* a variant was measured, not only the device's own copy */
    for (size_t i = 0; i < v->measure_count; i++)
        any_variant |= !v->measures[i].copy;
    table *recorded = recorded_run_read(&s->d->installation, screen_chapter(s));
    char *note = any_variant ? recorded_size_note(recorded, v) : NULL;
    if (any_variant)
        report_measures(&text, v, recorded);
    table_free(recorded);
    if (text.len) {
        page_ensure_blank(&s->page);
        page_line_add(&s->page, STYLE_HEADING, "%s on %s",
                      v->source && strcmp(v->source, "measured") == 0 ? "Measured" : "Modelled",
                      v->device ? v->device : "?");
        page_add_terminal_text(&s->page, STYLE_NORMAL, text.s);
        if (note)
            add_wrapped(s, STYLE_DIM, "  ", "  ", note);
    }
    free(note);
    sb_free(&text);
}

static void add_reasons(screen *s, const verdict *v)
{
    if (v->why_count == 0)
        return;
    page_ensure_blank(&s->page);
    page_line_add(&s->page, STYLE_HEADING, "Why");
    for (size_t i = 0; i < v->why_count; i++)
        add_wrapped(s, STYLE_NORMAL, "→ ", "  ", v->why[i]);
}

/* Append the compiler's message: sentences are wrapped, quoted code is not. */
static void add_compiler_errors(screen *s, const char *text)
{
    const char *line;
    size_t len;
    while (text && (line = next_line(&text, &len))) {
        char *copy = xprintf("%.*s", (int)len, line);
        if (*copy == ' ' || !*copy)
            page_add_terminal_text(&s->page, STYLE_NORMAL, *copy ? copy : " ");
        else
            add_wrapped(s, STYLE_NORMAL, "", "  ", copy);
        free(copy);
    }
}

static void make_verdict_page(screen *s, const chapter_view *w)
{
    const verdict *v = &w->v;
    bool good = v->kind == VERDICT_PASS;
    bool odd = v->kind != VERDICT_PASS && v->kind != VERDICT_FAIL;
    char *head =
        xprintf("%s %s %s: %s", good ? "✓" : "✗", w->of_solution ? "The solution" : "Your lab",
                verdict_word(v->kind), v->reason ? v->reason : "");
    add_wrapped(s, good ? STYLE_GOOD : STYLE_BAD, "", "  ", head);
    free(head);
    const build_target ran = {.c = screen_chapter(s), .solution = w->of_solution, .gpu = s->gpu};
    if (v->kind != VERDICT_NO_BUILD && !attempt_ran_present_text(&s->d->installation, &ran))
        add_wrapped(s, STYLE_NOTE, "! ", "  ",
                    "The text has changed since this run. Lines are shown as they were run; r runs "
                    "it again.");
    if (v->kind == VERDICT_NO_BUILD) {
        page_ensure_blank(&s->page);
        add_compiler_errors(s, v->output);
    } else if (odd && v->output && *v->output) {
        page_ensure_blank(&s->page);
        page_add_terminal_text(&s->page, STYLE_NORMAL, v->output);
    }
    page_ensure_blank(&s->page);
    add_checks(s, v);
    add_predictions(s, v);
    if (good && !w->of_solution && screen_chapter(s)->has_solution) {
        page_ensure_blank(&s->page);
        add_wrapped(s, STYLE_NOTE, "", "", "▸ s shows the solution, to compare with yours.");
    }
    if (w->brief && good)
        return;
    if (!w->brief)
        add_measurements(s, v);
    add_reasons(s, v);
    if (!w->brief && !odd && v->output && *v->output) {
        page_ensure_blank(&s->page);
        page_line_add(&s->page, STYLE_HEADING, "Output");
        page_add_terminal_text(&s->page, STYLE_NORMAL, v->output);
    }
}

static void make_output_page(screen *s)
{
    const chapter_view *w = screen_view(s);
    if (s->a && s->a_chapter == s->chosen) {
        size_t len;
        const char *text = attempt_program_output(s->a, &len);
        static const char *const doing[] = {
            [ATTEMPT_BUILDING] = "nvcc is building it.",
            [ATTEMPT_RUNNING] = "It is running.",
            [ATTEMPT_COUNTING] = "It runs again under ncu, which counts.",
            [ATTEMPT_REBUILDING] = "nvcc is building it for the emulator, which counts the rest.",
            [ATTEMPT_EMULATING] = "It runs on the emulator, which counts what ncu did not.",
            [ATTEMPT_PAIRING] = "It and the book's solution are timed in turn.",
            [ATTEMPT_SEARCHING] = "Its checks run again, with every access watched.",
            [ATTEMPT_DONE] = "",
        };
        page_line_add(&s->page, STYLE_NOTE, "%s", doing[attempt_current_phase(s->a)]);
        style how;
        char *known = progress_text(s->a, &how);
        if (known)
            add_wrapped(s, how, "", "  ", known);
        free(known);
        page_ensure_blank(&s->page);
        page_add_terminal_text(&s->page, STYLE_NORMAL,
                               len > MAX_LIVE_BYTES ? text + len - MAX_LIVE_BYTES : text);
    } else if (w->has_verdict) {
        make_verdict_page(s, w);
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
    case TAB_LESSON:
        make_lesson_page(s, c);
        break;
    case TAB_CODE:
        make_code_page(s, c);
        break;
    case TAB_OUTPUT:
        make_output_page(s);
        break;
    case TAB_COUNTERS:
        make_counters_page(s);
        break;
    case TAB_PLOT:
        if (s->accesses) {
            make_accesses_page(s);
            break;
        }
        drawing_start(s);
        make_plot_page(s);
        break;
    case TAB_BOOK:
        make_book_page(s);
        break;
    case TAB_COUNT:
        break;
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
