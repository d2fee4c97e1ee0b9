/* The page about the result of a run: verdict, checks, goals, predictions, times, reasons. */
#include "../book/lesson_table.h"
#include "../book/markdown.h"
#include "../book/metrics.h"
#include "../book/quiz.h"
#include "../run/attempt.h"
#include "../show/ladder.h"
#include "../show/recorded.h"
#include "../show/report.h"
#include "pages.h"

#include <string.h>

static void add_wrapped(const page_request *r, style how, const char *first, const char *rest,
                        const char *text)
{
    page_wrap_text(r->page, how, text, r->columns, first, rest);
}

static void add_points(const page_request *r, const verdict *v)
{
    CLEANUP(sb_free) sb text = {0};
    size_t width = r->columns, len;
    report_points(&text, v, width);
    report_ladder(&text, r->c, v);
    page_ensure_blank(r->page);
    const char *rest = text.s, *line;
    while ((line = next_line(&rest, &len))) {
        OWNED char *copy = xprintf("%.*s", (int)len, line);
        style how = starts_with(copy, "  ✓")   ? STYLE_GOOD
                    : starts_with(copy, "  ✗") ? STYLE_BAD
                                               : STYLE_NORMAL;
        if (utf8_width(copy, len) <= width)
            page_line_add(r->page, how, "%s", copy);
        else /* the sentence says what the points are given for */
            add_wrapped(r, how, "      ", "      ", strip(copy));
    }
}

static void add_checks(const page_request *r, const verdict *v)
{
    report_findings(r->page, v, r->columns);
    for (size_t i = 0; i < v->check_count; i++) {
        const check_row *k = &v->checks[i];
        OWNED char *text = k->pass
                               ? k->sizes > 1 ? xprintf("✓ %s, %zu sizes", k->name, k->sizes)
                                              : xprintf("✓ %s", k->name)
                               : xprintf("✗ %s: %s", k->name, k->detail ? k->detail : "it failed");
        add_wrapped(r, k->pass ? STYLE_GOOD : STYLE_BAD, "", "  ", text);
    }
    if (v->text.touched > 0) {
        OWNED char *text =
            xprintf("! lab.cu:%d differs from the book outside the TODO regions: its checks "
                    "may test something else",
                    v->text.touched);
        add_wrapped(r, STYLE_NOTE, "", "  ", text);
    }
    if (v->text.ignored > 0) {
        OWNED char *text = xprintf(
            "! lab.cu:%d differs from the book outside the TODO regions: the change is left out",
            v->text.ignored);
        add_wrapped(r, STYLE_NOTE, "", "  ", text);
    }
    for (size_t i = 0; i < v->text.flaw_count; i++)
        add_wrapped(r, STYLE_NOTE, "! ", "  ", v->text.flaws[i]);
    if (v->score.count && v->score.graded) { /* the list of points includes the goals */
        add_points(r, v);
        return;
    }
    if (v->goal_count && v->goals[0].state == GOAL_WAITING) {
        add_wrapped(r, STYLE_DIM, "", "  ",
                    v->goal_count == 1 ? "· 1 goal is tested once all checks pass"
                                       : "· The goals are tested once all checks pass");
        return;
    }
    report_goals(r->page, v, r->columns);
}

static void add_indented(const page_request *r, styled *t)
{
    page_wrap(r->page, t, r->columns, "  ", "    ");
}

/* Add, below wrong prediction I, the field for the student's sentence; later both sentences. */
static void add_why(const page_request *r, size_t i)
{
    const prediction *p = &r->c->predictions[i];
    styled t = {0};
    if (r->field && r->asking == i) {
        styled_puts(&t, STYLE_NOTE, r->field);
        add_indented(r, &t);
        return;
    }
    const char *said = state_prediction_why(&r->d->state, r->c, p);
    OWNED char *because = said ? prediction_reason(r->c, p) : NULL;
    if (!because)
        return;
    if (*said) {
        styled_printf(&t, STYLE_NORMAL, "You: %s", said);
        add_indented(r, &t);
    }
    cmark_node *doc = markdown_parse(because);
    styled_puts(&t, STYLE_STRONG, "The book: ");
    lesson_add_inline_text(&t, cmark_node_first_child(doc));
    add_indented(r, &t);
    cmark_node_free(doc);
}

static void add_predictions(const page_request *r, const verdict *v)
{
    for (size_t i = 0; i < v->guess_count; i++) {
        const prediction_row *g = &v->guesses[i];
        const metric *m = metric_find(g->metric);
        char a[32], b[32];
        if (!g->answered || !g->known || !m)
            continue;
        OWNED char *why = g->right ? xstrdup("right") : metric_difference(m, g->said, g->counted);
        OWNED char *text = xprintf("▸ You predicted %s %s for %s; counted%s: %s, %s.",
                                   nice_number(g->said, a, sizeof a), m->unit, g->kernel,
                                   g->emulated ? " by the emulator" : "",
                                   nice_number(g->counted, b, sizeof b), why);
        page_ensure_blank(r->page);
        add_wrapped(r, g->right ? STYLE_GOOD : STYLE_NOTE, "", "  ", text);
        if (!g->right)
            add_why(r, i);
    }
}

static void add_measurements(const page_request *r, const verdict *v)
{
    CLEANUP(sb_free) sb text = {0};
    bool any_variant = false; /* a variant was measured, not only the device's own copy */
    for (size_t i = 0; i < v->measure_count; i++)
        any_variant |= !v->measures[i].copy;
    OWNED_TABLE table *recorded = recorded_run_read(&r->d->installation, r->c);
    OWNED char *note = any_variant ? recorded_size_note(recorded, v) : NULL;
    if (any_variant)
        report_measures(&text, v, recorded);
    if (text.len) {
        page_ensure_blank(r->page);
        page_line_add(r->page, STYLE_HEADING, "%s on %s",
                      v->source && strcmp(v->source, "measured") == 0 ? "Measured" : "Modelled",
                      v->device ? v->device : "?");
        page_add_terminal_text(r->page, STYLE_NORMAL, text.s);
        if (note)
            add_wrapped(r, STYLE_DIM, "  ", "  ", note);
    }
}

static void add_reasons(const page_request *r, const verdict *v)
{
    if (v->why_count == 0)
        return;
    page_ensure_blank(r->page);
    page_line_add(r->page, STYLE_HEADING, "Why");
    for (size_t i = 0; i < v->why_count; i++)
        add_wrapped(r, STYLE_NORMAL, "→ ", "  ", v->why[i]);
}

/* Append the compiler's message: sentences are wrapped, quoted code is not. */
static void add_compiler_errors(const page_request *r, const char *text)
{
    const char *line;
    size_t len;
    while (text && (line = next_line(&text, &len))) {
        OWNED char *copy = xprintf("%.*s", (int)len, line);
        if (*copy == ' ' || !*copy)
            page_add_terminal_text(r->page, STYLE_NORMAL, *copy ? copy : " ");
        else
            add_wrapped(r, STYLE_NORMAL, "", "  ", copy);
    }
}

void make_verdict_page(const page_request *r, const lab_view *w)
{
    const verdict *v = &w->v;
    bool good = v->kind == VERDICT_PASS;
    bool odd = v->kind != VERDICT_PASS && v->kind != VERDICT_FAIL;
    OWNED char *head =
        xprintf("%s %s %s: %s", good ? "✓" : "✗", w->of_solution ? "The solution" : "Your lab",
                verdict_word(v->kind), v->reason ? v->reason : "");
    add_wrapped(r, good ? STYLE_GOOD : STYLE_BAD, "", "  ", head);
    const build_target ran = {.c = r->c, .solution = w->of_solution, .gpu = r->gpu};
    if (v->kind != VERDICT_NO_BUILD && !attempt_ran_present_text(&r->d->installation, &ran))
        add_wrapped(r, STYLE_NOTE, "! ", "  ",
                    "The text has changed since this run. Lines are shown as they were run; r runs "
                    "it again.");
    if (v->kind == VERDICT_NO_BUILD) {
        page_ensure_blank(r->page);
        add_compiler_errors(r, v->output);
    } else if (odd && v->output && *v->output) {
        page_ensure_blank(r->page);
        page_add_terminal_text(r->page, STYLE_NORMAL, v->output);
    }
    page_ensure_blank(r->page);
    add_checks(r, v);
    add_predictions(r, v);
    if (good && !w->of_solution && r->c->has_solution) {
        page_ensure_blank(r->page);
        add_wrapped(r, STYLE_NOTE, "", "", "▸ s shows the solution, to compare with yours.");
    }
    if (r->brief && good)
        return;
    if (!r->brief)
        add_measurements(r, v);
    add_reasons(r, v);
    if (!r->brief && !odd && v->output && *v->output) {
        page_ensure_blank(r->page);
        page_line_add(r->page, STYLE_HEADING, "Output");
        page_add_terminal_text(r->page, STYLE_NORMAL, v->output);
    }
}
