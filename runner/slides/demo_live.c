/* Live slides: runs the lab, the solution or a wrong version, and draws the results. */
#include "../show/plot.h"
#include "../show/report.h"
#include "../term/paint.h"
#include "demo_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void forget_picture(slide_show *m)
{
    job_free(m->drawing);
    m->drawing = NULL;
    page_free(&m->picture);
    free(m->error);
    m->error = NULL;
    m->drawn = (size_t)-1;
}

void demo_drop_run(slide_show *m)
{
    attempt_free(m->a);
    m->a = NULL;
    if (m->has_verdict)
        verdict_free(&m->v);
    m->has_verdict = false;
    free(m->wrong);
    m->wrong = NULL;
    free(m->refused);
    m->refused = NULL;
    forget_picture(m);
}

attempt *demo_start_attempt(slide_show *m, const demo_target *t, bool only_build, char *err,
                            size_t err_size)
{
    installation *h = &m->d->installation;
    attempt_options o = {.solution = t->program == DEMO_SOLUTION,
                         .gpu = m->gpu,
                         .only_build = only_build,
                         .timeout_s = m->d->options.timeout_s};
    OWNED char *text = NULL;
    if (t->program == DEMO_WRONG) {
        text = wrong_version_text(h, t->c, t->wrong, err, err_size);
        if (!text)
            return NULL;
        o.file = arena_printf(&h->memory, "%s.cu", t->wrong);
        o.text = text;
        o.text_length = strlen(text);
    }
    /* A demonstration does not change the student's stored result of the lab. */
    return attempt_start(h, t->c, NULL, &o);
}

void demo_run_program(slide_show *m, chapter *c, demo_program program, const char *wrong)
{
    char err[512];
    char *name = wrong ? xstrdup(wrong) : NULL; /* a copy, as `wrong` may be m->wrong */
    demo_drop_run(m);
    demo_pause_building(m);
    m->ran = c;
    m->program = program;
    m->wrong = name;
    m->follow = true;
    if (m->no_device)
        return;
    const demo_target t = {c, program, name};
    m->a = demo_start_attempt(m, &t, false, err, sizeof err);
    if (!m->a)
        m->refused = xstrdup(err);
}

static void read_picture(slide_show *m)
{
    char err[512];
    if (plot_finish(m->drawing, err, sizeof err)) {
        const char *text = job_output(m->drawing, NULL);
        size_t blank;
        /* Skip the form feed and blank lines with which gnuplot begins a page. */
        while (text[blank = strspn(text, " \f")] == '\n')
            text += blank + 1;
        page_add_terminal_text(&m->picture, STYLE_NORMAL, text);
    } else {
        m->error = xstrdup(err);
    }
    job_free(m->drawing);
    m->drawing = NULL;
}

void demo_poll_run(slide_show *m)
{
    m->spin++;
    if (m->a && attempt_poll(m->a, 0)) {
        attempt_take_verdict(m->a, &m->v);
        m->has_verdict = true;
        attempt_free(m->a);
        m->a = NULL;
        if (demo_slide(m)->kind == SLIDE_LIVE)
            m->part = 0;
        m->follow = false;
        demo_store_counted_values(m);
        forget_picture(m);
    }
    demo_debugger_poll(m);
    demo_build_ahead(m);
    if (m->drawing && job_poll(m->drawing, 0))
        read_picture(m);
}

/* --- the page of a running program --- */

static const char *words_for_program(const slide_show *m)
{
    return m->program == DEMO_WRONG      ? m->wrong
           : m->program == DEMO_SOLUTION ? "The solution"
                                         : "The lab";
}

static void append_bandwidth_bar(slide_show *m, page *p, const measure_row *r, double most,
                                 bool measured)
{
    char name[64];
    int width = demo_body_columns(m), named = 26;
    styled t = {0};
    if (r->copy)
        snprintf(name, sizeof name, "the device's copy");
    else
        snprintf(name, sizeof name, "%.40s%s%.20s", r->name, r->x ? " " : "", r->x ? r->x : "");
    int fits = (int)utf8_fit(name, strlen(name), (size_t)named - 1);
    styled_printf(&t, r->copy ? STYLE_DIM : STYLE_STRONG, "%.*s", fits, name);
    styled_printf(&t, STYLE_NORMAL, "%*s", named - (int)utf8_width(name, (size_t)fits), "");
    int longest = width - named - 14;
    int n = isnan(r->gbs) || most <= 0 ? 0 : (int)lround(longest * r->gbs / most);
    for (int i = 0; i < n; i++)
        styled_puts(&t, r->copy ? STYLE_DIM : STYLE_GOOD, measured ? "█" : "░");
    if (isnan(r->gbs))
        styled_printf(&t, STYLE_NORMAL, "%s%.4g ms", n ? " " : "", r->ms);
    else
        styled_printf(&t, STYLE_NORMAL, "%s%.0f GB/s", n ? " " : "", r->gbs);
    page_add_line(p, &t);
}

static void add_bandwidth_bars(slide_show *m, page *p, const verdict *v)
{
    double most = 0;
    bool measured = v->source && strcmp(v->source, "measured") == 0;
    for (size_t i = 0; i < v->measure_count; i++)
        if (v->measures[i].gbs > most)
            most = v->measures[i].gbs;
    if (v->measure_count == 0)
        return;
    page_ensure_blank(p);
    page_line_add(p, STYLE_DIM, "%s on %.90s", measured ? "measured" : "modelled",
                  v->device ? v->device : "?");
    bool apart = p->count + 2 * v->measure_count <= (size_t)demo_body_rows(m) + 1;
    for (size_t i = 0; i < v->measure_count; i++) {
        append_bandwidth_bar(m, p, &v->measures[i], most, measured);
        if (apart && i + 1 < v->measure_count)
            page_add_blank_line(p);
    }
}

static const char *words_for_phase(attempt_phase phase)
{
    switch (phase) {
    case ATTEMPT_BUILDING:
    case ATTEMPT_REBUILDING: return "nvcc is building it";
    case ATTEMPT_SEARCHING: return "its checks run again with every access watched";
    case ATTEMPT_COUNTING:
    case ATTEMPT_EMULATING: return "its accesses are being counted";
    default: return "it is running";
    }
}

static void add_running_status(slide_show *m, page *p)
{
    static const char *const spin[] = {"|", "/", "-", "\\"};
    CLEANUP(verdict_free) verdict so_far = {0};
    OWNED_TABLE table *record = table_read(attempt_record_path(m->a));
    chapter nothing = {0};
    page_line_add(p, STYLE_NOTE, "%s %s: %s, %.0f s", spin[m->spin / 8 % 4], words_for_program(m),
                  words_for_phase(attempt_current_phase(m->a)), attempt_elapsed_seconds(m->a));
    verdict_judge(&so_far, &nothing, record, NULL, NULL, JOB_EXITED, 0, 0, NULL);
    if (so_far.check_count)
        page_line_add(p, STYLE_DIM, "%zu of %zu checks passed so far",
                      so_far.check_count - verdict_failed_checks(&so_far), so_far.check_count);
    add_bandwidth_bars(m, p, &so_far);
}

static void put_wrapped(slide_show *m, page *p, style how, const char *first, const char *text)
{
    page_wrap_text(p, how, text, (size_t)demo_body_columns(m), first, "  ");
}

/* Append what is wrong and why: the first error of each check, goals, reports of mistakes, the
 * compiler's messages. */
static void add_reasons(slide_show *m, page *p)
{
    const verdict *v = &m->v;
    size_t width = (size_t)demo_body_columns(m);
    for (size_t i = 0; i < v->check_count; i++)
        if (!v->checks[i].pass && v->checks[i].detail) {
            OWNED char *line = xprintf("%s: %s", v->checks[i].name, v->checks[i].detail);
            page_ensure_blank(p);
            put_wrapped(m, p, STYLE_NORMAL, "", line);
        }
    for (size_t i = 0; i < v->goal_count; i++)
        if (v->goals[i].state == GOAL_MISSED) {
            page_ensure_blank(p);
            put_wrapped(m, p, STYLE_NORMAL, "", v->goals[i].sentence);
        }
    if (v->found.count) {
        page_ensure_blank(p);
        report_findings(p, v, width);
    }
    for (size_t i = 0; i < v->why_count; i++) {
        page_ensure_blank(p);
        put_wrapped(m, p, STYLE_NOTE, "", v->why[i]);
    }
    if (v->kind == VERDICT_NO_BUILD && v->output && *v->output) {
        page_ensure_blank(p);
        page_add_terminal_text(p, STYLE_NORMAL, v->output);
    }
}

/* Append the code of the wrong version in which the class looks for the mistake. */
static void add_wrong_version(slide_show *m, page *p)
{
    OWNED char *text = wrong_version_regions(&m->d->installation, m->ran, m->wrong);
    page_ensure_blank(p);
    page_add_terminal_text(p, STYLE_STRONG, text ? text : "");
}

/* Add the best bandwidth of a correct program in large letters, readable from the last row. */
static void append_best_bandwidth(slide_show *m, page *p)
{
    const verdict *v = &m->v;
    char text[64];
    double best = 0;
    for (size_t i = 0; i < v->measure_count; i++)
        if (!v->measures[i].copy && v->measures[i].gbs > best)
            best = v->measures[i].gbs;
    if (v->kind == VERDICT_PASS && best > 0)
        snprintf(text, sizeof text, "%.0f GB/s", best);
    else
        snprintf(text, sizeof text, "%s", verdict_word(v->kind));
    demo_append_large_text(m, p, v->kind == VERDICT_PASS ? STYLE_GOOD : STYLE_BAD, text);
}

void demo_make_live_page(slide_show *m, page *p)
{
    const slide *shown = demo_slide(m);
    if (m->no_device || m->refused) {
        put_wrapped(m, p, STYLE_BAD, "", m->no_device ? m->no_device : m->refused);
    } else if (m->ran != shown->c) {
        page_line_add(p, STYLE_DIM, "r runs it.");
    } else if (m->a) {
        add_running_status(m, p);
    } else if (m->has_verdict) {
        bool good = m->v.kind == VERDICT_PASS;
        styled t = {0};
        append_best_bandwidth(m, p);
        styled_printf(&t, good ? STYLE_GOOD : STYLE_BAD, "%s %s %s: %s", good ? "✓" : "✗",
                      words_for_program(m), verdict_word(m->v.kind),
                      m->v.reason ? m->v.reason : "");
        page_wrap(p, &t, (size_t)demo_body_columns(m), "", "  ");
        if (m->program == DEMO_WRONG)
            add_wrong_version(m, p);
        if (!good)
            add_reasons(m, p);
        add_bandwidth_bars(m, p, &m->v);
    }
}

/* --- pictures --- */

static build_target target_of_program(slide_show *m, chapter *c)
{
    return (build_target){.c = c, .solution = c->has_solution, .gpu = m->gpu};
}

void demo_draw_picture(slide_show *m)
{
    const slide *shown = demo_slide(m);
    const int top = demo_body_top(m);
    int width = m->columns - 4, height = demo_body_rows(m);
    char err[512];
    bool lacks;
    if (m->a && m->ran == shown->c) {
        paint_text(top, 4, paint_attributes(STYLE_NOTE),
                   "The picture comes when the run has ended.", width);
        return;
    }
    if (m->drawn != m->at || m->width != width || m->height != height) {
        build_target t = target_of_program(m, shown->c);
        forget_picture(m);
        m->drawn = m->at;
        m->width = width;
        m->height = height;
        m->drawing = plot_start(&m->d->installation, &t,
                                shown->c->picture_count ? &shown->c->pictures[shown->picture]
                                                        : &plot_default,
                                "dumb", width, height, &lacks, err, sizeof err);
        if (!m->drawing)
            m->error = xstrdup(err);
    }
    if (m->error) {
        CLEANUP(page_free) page p = {0};
        put_wrapped(m, &p, STYLE_BAD, "", m->error);
        for (size_t i = 0; i < p.count && (int)i < height; i++)
            paint_line(&p.lines[i], top + (int)i, 4, width, 0);
    } else if (m->drawing) {
        paint_text(top, 4, paint_attributes(STYLE_NOTE), "Drawing ...", 20);
    }
    for (size_t i = 0; i < m->picture.count && (int)i < height; i++)
        paint_line(&m->picture.lines[i], top - 1 + (int)i, 2, width, 0);
}
