#include "report.h"

#include "../base/json.h"
#include "../base/linear.h"
#include "../judge/history.h"

#include "../book/metrics.h"
#include "../book/page.h"
#include "../book/quiz.h"
#include "../judge/score.h"
#include "ladder.h"
#include "recorded.h"

#include <math.h>
#include <string.h>

enum {
    MAX_OUTPUT_LINES = 400,      /* lines of a lab's output that are printed, at most */
    UNWRAPPED_COLUMNS = 1 << 20, /* width of a page whose lines are not wrapped */
};

/* --- text --- */

static const char *pass_sign(bool good)
{
    if (is_output_linear())
        return good ? "right:" : "wrong:";
    if (locale_is_utf8())
        return good ? "✓" : "✗";
    return good ? "ok " : "NOT";
}

static const char *arrow_sign(void)
{
    return is_output_linear() ? "-" : locale_is_utf8() ? "→" : "->";
}

static void report_checks(FILE *f, const verdict *v)
{
    for (size_t i = 0; i < v->check_count; i++) {
        const check_row *r = &v->checks[i];
        fprintf(f, "  %s %s", pass_sign(r->pass), r->name);
        if (!r->pass)
            fprintf(f, ": %s", r->detail ? r->detail : "it failed without a message");
        else if (r->sizes > 1)
            fprintf(f, ", %zu sizes", r->sizes);
        putc('\n', f);
    }
}

static void append_number_cell(sb *text, double v, const char *format, int width)
{
    char number[64];
    if (isnan(v))
        snprintf(number, sizeof number, "-");
    else
        snprintf(number, sizeof number, format, v);
    sb_printf(text, "%*s", width, number);
}

/* A measured variant's name, to be freed. A lab may have its own kernel named copy. */
static char *measure_name(const measure_row *m)
{
    if (m->copy)
        return xstrdup("the device's copy");
    return m->x ? xprintf("%s %s", m->name, m->x) : xstrdup(m->name);
}

/* Append one sentence per measurement (for a screen reader). */
static void append_measure_sentences(sb *text, const verdict *v, double copy)
{
    for (size_t i = 0; i < v->measure_count; i++) {
        const measure_row *m = &v->measures[i];
        OWNED char *name = measure_name(m);
        sb_printf(text, "  %s: %.4g ms, %.0f GB/s", name, m->ms, m->gbs);
        if (copy > 0 && !m->copy)
            sb_printf(text, ", %.0f %% of the device's copy", 100 * m->gbs / copy);
        sb_printf(text, ", %s.\n", v->source ? v->source : "source unknown");
    }
}

void report_measures(sb *text, const verdict *v, const table *recorded)
{
    double copy = 0;
    size_t width = 7;
    for (size_t i = 0; i < v->measure_count; i++) {
        if (v->measures[i].copy)
            copy = v->measures[i].gbs;
        OWNED char *name = measure_name(&v->measures[i]);
        size_t w = utf8_width(name, strlen(name));
        width = w > width ? w : width;
    }
    if (v->measure_count == 0)
        return;
    if (is_output_linear()) {
        append_measure_sentences(text, v, copy);
        return;
    }
    sb_printf(text, "  %-*s%8s%7s%9s\n", (int)width, v->source ? v->source : "", "ms", "GB/s",
              copy > 0 ? "of copy" : "");
    if (recorded_element_count(recorded) > 0) {
        text->len--; /* remove the newline to add another column */
        sb_printf(text, "%7s\n", recorded_gpu_name(recorded));
    }
    for (size_t i = 0; i < v->measure_count; i++) {
        const measure_row *m = &v->measures[i];
        OWNED char *name = measure_name(m);
        sb_printf(text, "  %-*s", (int)width, name);
        /* Four digits leave a blank before the number. */
        append_number_cell(text, m->ms, m->ms < 0.01 ? "%.3g" : "%.4g", 8);
        append_number_cell(text, m->gbs, "%.0f", 7);
        if (copy > 0)
            append_number_cell(text, 100 * m->gbs / copy, "%.0f %%", 9);
        double share = recorded_percent_of_copy(recorded, m->name, m->x);
        if (!m->copy && copy > 0 && isfinite(share))
            append_number_cell(text, share, "%.0f %%", 7);
        sb_puts(text, "\n");
    }
}

/* --- points --- */

/* The required value in words: "at least 95", or only the number for an exact limit. */
static char *describe_required(const point_row *p)
{
    char limit[32], floor[32];
    nice_number(p->limit, limit, sizeof limit);
    if (!isnan(p->floor))
        return xprintf("from %s, all at %s", nice_number(p->floor, floor, sizeof floor), limit);
    return strcmp(p->relation, "equal") == 0
               ? xstrdup(limit)
               : xprintf("%s %s", words_for_relation(p->relation), limit);
}

/* The achieved value with one decimal, or with more decimals if the limit was missed by less. */
static char *describe_achieved(const point_row *p)
{
    if (isnan(p->reached))
        return xstrdup("-");
    double rounded = round(p->reached * 10) / 10;
    if (rounded >= 1e6)
        return xprintf("%.0f", rounded);
    return xprintf("%.6g", rounded == p->limit && p->state == POINT_MISSED ? p->reached : rounded);
}

/* The kernel or variant and the metric of a row: "transpose, sectors per load request". */
static char *row_subject(const point_row *p)
{
    const metric *m = p->metric ? metric_find(p->metric) : NULL;
    const char *hidden = p->hidden ? " (hidden)" : "";
    if (strcmp(p->kind, "check") == 0)
        return xprintf("%s, sizes right%s", p->name, hidden);
    if (strcmp(p->kind, "goal") == 0)
        return xprintf("%s, %s%s", p->name, m ? m->unit : p->metric, hidden);
    if (strcmp(p->kind, "lines") == 0)
        return xprintf("%s, lines that no check reached%s", p->name, hidden);
    if (strcmp(p->kind, "cost") == 0)
        return xprintf("%s, times the solution's time, %s%s", p->name, p->how, hidden);
    return xprintf("%s, %% of %s, %s%s", p->name, p->metric ? p->metric : "a copy", p->how, hidden);
}

/* Append the spread of a measured ratio: "21 rounds: 99.62 to 100.15 (100 lies within)". */
static void add_point_spread(sb *text, const point_row *p)
{
    char limit[32];
    bool within = p->low <= p->limit && p->limit <= p->high;
    if (p->rounds)
        sb_printf(text, "      %zu rounds: %.2f to %.2f%s%s%s\n", p->rounds, p->low, p->high,
                  within ? " (" : "", within ? nice_number(p->limit, limit, sizeof limit) : "",
                  within ? " lies within)" : "");
}

static void add_point_line(sb *text, const point_row *p, int width, int required, bool narrow)
{
    OWNED char *what = row_subject(p), *limit = describe_required(p), *value = describe_achieved(p);
    char given[32], of[32];
    int sign = (int)utf8_width(pass_sign(true), strlen(pass_sign(true)));
    bool open = p->state == POINT_UNKNOWN || p->state == POINT_WAITING;
    sb_printf(text, "  %s%*s %3s of %-2s  ", open ? "?" : pass_sign(p->state == POINT_REACHED),
              open ? sign - 1 : 0, "", nice_number(p->given, given, sizeof given),
              nice_number(p->points, of, sizeof of));
    const char *comma = what + strlen(p->name);
    if (narrow)
        sb_printf(text, "%.*s\n      %s: %s, needs %s\n", (int)(comma - what), what, comma + 2,
                  value, limit);
    else
        sb_printf(text, "%-*s %*s %8s\n", width, what, required, limit, value);
    /* A check's text is printed with the checks, the reason for waiting once below all points. */
    bool shown = strcmp(p->kind, "check") == 0 || !p->remark;
    if (p->state == POINT_MISSED || p->state == POINT_UNKNOWN)
        sb_printf(text, "      %s%s%s\n", p->sentence, shown ? "" : ": ", shown ? "" : p->remark);
    else if (!shown && p->state == POINT_REACHED)
        sb_printf(text, "      %s\n", p->remark);
    add_point_spread(text, p);
}

void report_points(sb *text, const verdict *v, size_t columns)
{
    enum { LEFT = 16, RIGHT = 10 }; /* widths of the columns left and right of the sentence */
    size_t width = 4, required = 13;
    char words[64];
    const char *waits = NULL;
    if (v->score.count == 0)
        return;
    for (size_t i = 0; i < v->score.count; i++) {
        OWNED char *what = row_subject(&v->score.rows[i]);
        width = strlen(what) > width ? strlen(what) : width;
        OWNED char *limit = describe_required(&v->score.rows[i]);
        required = strlen(limit) > required ? strlen(limit) : required;
    }
    bool narrow = is_output_linear() || LEFT + width + required + RIGHT > columns;
    int sign = (int)utf8_width(pass_sign(true), strlen(pass_sign(true)));
    if (!narrow)
        sb_printf(text, "  %*s %8s  %-*s %*s %8s\n", sign, "", "points", (int)width, "what",
                  (int)required, "required", "achieved");
    for (size_t i = 0; i < v->score.count; i++) {
        add_point_line(text, &v->score.rows[i], (int)width, (int)required, narrow);
        waits = v->score.rows[i].state == POINT_WAITING ? v->score.rows[i].remark : waits;
    }
    sb_printf(text, "  %s%s%s\n", score_in_words(v, words, sizeof words), waits ? "; ?: " : "",
              waits ? waits : "");
    if (v->score.not_shown > 0)
        sb_printf(text, "  %s more points are for hidden rows\n",
                  nice_number(v->score.not_shown, words, sizeof words));
}

/* The student's sentence on a wrong prediction, and the book's. */
static void report_why(FILE *f, const session *d, const chapter *c, const prediction *p)
{
    const char *said = state_prediction_why(&d->state, c, p);
    OWNED char *because = said ? prediction_reason(c, p) : NULL;
    if (said && *said)
        fprintf(f, "    you: %s\n", said);
    if (because)
        fprintf(f, "    the book: %s\n", because);
}

static void report_predictions(FILE *f, const session *d, const chapter *c, const verdict *v)
{
    for (size_t i = 0; i < v->guess_count; i++) {
        const prediction_row *g = &v->guesses[i];
        const metric *m = metric_find(g->metric);
        char said[32], found[32];
        if (!g->answered || !g->known || !m)
            continue;
        OWNED char *why = g->right ? xstrdup("right") : metric_difference(m, g->said, g->counted);
        fprintf(f, "  you predicted %s %s for %s; counted%s: %s, %s\n",
                nice_number(g->said, said, sizeof said), m->unit, g->kernel,
                g->emulated ? " by the emulator" : "", nice_number(g->counted, found, sizeof found),
                why);
        if (!g->right)
            report_why(f, d, c, &c->predictions[i]);
    }
}

static bool is_submission(const session *d)
{
    return d->options.command && strcmp(d->options.command, "grade") == 0;
}

/* Print what PART appends to a page for V, with a left margin. */
static void print_page_of(FILE *f, const verdict *v, void (*part)(page *, const verdict *, size_t))
{
    CLEANUP(page_free) page p = {0}, indented = {0};
    part(&p, v, UNWRAPPED_COLUMNS);
    for (size_t i = 0; i < p.count; i++) {
        styled line = {0};
        styled_puts(&line, STYLE_NORMAL, "  ");
        styled_add(&line, STYLE_NORMAL, p.lines[i].s, p.lines[i].len);
        page_add_line(&indented, &line);
    }
    page_print(f, &indented, false, locale_is_utf8());
}

static void print_headline(FILE *f, const char *name, const verdict *v, bool solution)
{
    bool colour = is_colour_wanted(f);
    const char *on = !colour ? "" : v->kind == VERDICT_PASS ? "\033[1;32m" : "\033[1;31m";
    fprintf(f, "%s%s %s%s%s: %s%s\n", on, pass_sign(v->kind == VERDICT_PASS), name,
            solution ? " (solution) " : " ", verdict_word(v->kind), v->reason ? v->reason : "",
            colour ? "\033[0m" : "");
}

/* Print a program's output without control characters; of a very long output only the beginning. */
static void print_indented(FILE *f, const char *text)
{
    CLEANUP(page_free) page p = {0};
    page_add_terminal_text(&p, STYLE_NORMAL, text);
    for (size_t i = 0; i < p.count && i < MAX_OUTPUT_LINES; i++)
        fprintf(f, "  | %s\n", p.lines[i].s);
    if (p.count > MAX_OUTPUT_LINES)
        fprintf(f, "  | (and %zu lines more)\n", p.count - MAX_OUTPUT_LINES);
}

/* Return true if the sentence WHY is about the kernel or variant NAME. */
static bool is_sentence_about(const char *why, const char *name)
{
    size_t n = strcspn(name, "/");
    return strncmp(why, name, n) == 0 && (why[n] == ':' || why[n] == '<');
}

static void print_measures(FILE *f, const verdict *v)
{
    CLEANUP(sb_free) sb text = {0};
    report_measures(&text, v, NULL);
    if (text.s)
        fputs(text.s, f);
}

/* Return true if the sentence WHY explains a missed goal or missed points; a brief report shows
 * only these sentences. */
static bool is_reason_for_lost_points(const verdict *v, const char *why)
{
    bool yes = false;
    for (size_t i = 0; i < v->goal_count; i++)
        yes |= v->goals[i].state == GOAL_MISSED && is_sentence_about(why, v->goals[i].kernel);
    for (size_t i = 0; i < v->score.count; i++)
        yes |=
            v->score.rows[i].state == POINT_MISSED && is_sentence_about(why, v->score.rows[i].name);
    return yes;
}

void report_verdict(FILE *f, session *d, const chapter *c, const verdict *v, bool brief)
{
    bool odd = v->kind != VERDICT_PASS && v->kind != VERDICT_FAIL;
    print_headline(f, is_submission(d) && v->text.path ? v->text.path : c->name, v,
                   d->options.solution);
    /* The lab's output shows its checks and bandwidths; the report adds what counters show. */
    bool said =
        !brief && !odd && is_output_linear(); /* print sentences instead of the lab's tables */
    if (v->output && *v->output && (!brief || odd) && !said)
        print_indented(f, v->output);
    print_page_of(f, v, report_findings);
    if (brief || said)
        report_checks(f, v);
    if (said)
        print_measures(f, v);
    if (v->text.ignored > 0)
        fprintf(f,
                "  %s:%d differs from the book outside the TODO regions: the change is left "
                "out\n",
                v->text.path, v->text.ignored);
    bool refused =
        is_submission(d) && v->kind == VERDICT_UNGRADED; /* the headline has printed the reason */
    if (v->text.touched > 0 && !refused)
        fprintf(f,
                "  ! %s:%d differs from the book outside the TODO regions: its checks may "
                "test something else\n",
                v->text.path, v->text.touched);
    for (size_t i = refused && v->text.touched <= 0; i < v->text.flaw_count; i++)
        fprintf(f, "  ! %s\n", v->text.flaws[i]);
    if (v->score.count && v->score.graded) { /* the table of points includes the goals */
        CLEANUP(sb_free) sb points = {0};
        report_points(&points, v, 100);
        report_ladder(&points, c, v);
        fputs(points.s, f);
    } else {
        print_page_of(f, v, report_goals);
    }
    report_predictions(f, d, c, v);
    if (is_submission(d) && !v->judged.boxed && v->kind != VERDICT_UNGRADED)
        fputs("  ! compiled and run without a sandbox (--no-sandbox)\n", f);
    /* Do not show the speed of a wrong kernel: it would distract from the error. */
    bool wrong = verdict_failed_checks(v) > 0;
    for (size_t i = 0; i < v->why_count; i++)
        if (!brief ||
            (v->kind == VERDICT_FAIL && !wrong && is_reason_for_lost_points(v, v->why[i])))
            fprintf(f, "  %s %s\n", arrow_sign(), v->why[i]);
    if (v->kind == VERDICT_FAIL && v->seed && brief)
        fprintf(f, "  the same inputs again: WARPBOOK_SEED=%s\n", v->seed);
}

/* --- JSON --- */

static const char *progress_word(lab_progress p)
{
    return p == PROGRESS_PASS ? "pass" : p == PROGRESS_FAIL ? "fail" : "new";
}

void *report_chapter_json(session *d, const chapter *c)
{
    json_t *todos = json_array(), *problems = json_array();
    for (size_t i = 0; i < c->todo_count; i++)
        json_array_append_new(
            todos, json_pack("{s:i, s:i, s:i, s:i, s:o, s:i, s:i}", "number", c->todos[i].number,
                             "lines", c->todos[i].lines, "begin", c->todos[i].begin, "end",
                             c->todos[i].end, "text", text_json(c->todos[i].text), "hints",
                             (int)c->todos[i].hint_count, "hints_shown",
                             (int)state_shown_hint_count(&d->state, c, c->todos[i].number)));
    for (size_t i = 0; i < c->problem_count; i++)
        json_array_append_new(problems, text_json(c->problems[i]));
    return json_pack(
        "{s:o, s:i, s:o, s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "name", text_json(c->name), "number",
        c->number, "title", text_json(c->title), "kind", c->assignment ? "assignment" : "chapter",
        "state", progress_word(state_progress(&d->state, c)), "passed_once",
        state_ever_passed(&d->state, c), "passed_on", text_json(history_day_passed(&d->state, c)),
        "reason", text_json(state_last_reason(&d->state, c)), "todos", todos, "problems", problems);
}

static const char *const point_words[] = {"reached", "missed", "waiting", "unknown"};

static json_t *points_json(const verdict *v)
{
    if (v->score.count == 0)
        return json_null();
    json_t *rows = json_array();
    for (size_t i = 0; i < v->score.count; i++) {
        const point_row *p = &v->score.rows[i];
        json_array_append_new(
            rows,
            json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:s, s:s, s:o, "
                      "s:o, s:b}",
                      "kind", p->kind, "name", text_json(p->name), "metric", text_json(p->metric),
                      "relation", p->relation, "floor", number_json(p->floor), "limit",
                      number_json(p->limit), "reached", number_json(p->reached), "low",
                      number_json(p->low), "high", number_json(p->high), "rounds", (int)p->rounds,
                      "points", number_json(p->points), "given", number_json(p->given), "state",
                      point_words[p->state], "how", p->how, "sentence", text_json(p->sentence),
                      "remark", text_json(p->remark), "hidden", p->hidden));
    }
    return json_pack("{s:b, s:o, s:o, s:o, s:o}", "graded", v->score.graded, "given",
                     number_json(v->score.given), "of", number_json(v->score.of), "not_shown",
                     number_json(v->score.not_shown), "rows", rows);
}

static json_t *location_json(const finding_location *p)
{
    if (!p->line && !p->who)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "file", text_json(p->file), "line",
                     line_json(p->line), "source", text_json(p->source), "who", text_json(p->who),
                     "did", text_json(p->did));
}

static json_t *findings_json(const verdict *v)
{
    json_t *rows = json_array();
    CLEANUP(arena_free) arena memory = {0};
    for (size_t i = 0; i < v->found.count; i++) {
        const finding *r = &v->found.rows[i];
        json_array_append_new(
            rows,
            json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:s*}", "kind",
                      text_json(r->kind), "mistake", r->mistake_row ? r->mistake_row->kind : "none",
                      "text", text_json(r->text), "kernel", text_json(r->kernel), "sentence",
                      text_json(r->sentence), "fix", text_json(finding_fix(&memory, r)), "at",
                      location_json(&r->at), "other", location_json(&r->other), "times",
                      (int)r->times, "moment", r->moment));
    }
    return rows;
}

void *report_json(session *d, const chapter *c, const verdict *v)
{
    static const char *const goal_words[] = {"met", "missed", "unknown", "waiting"};
    json_t *checks = json_array(), *measures = json_array(), *goals = json_array();
    json_t *why = json_array(), *guesses = json_array();
    json_t *flaws = json_array(), *left_out = json_array();
    bool submission = is_submission(d);
    for (size_t i = 0; i < v->text.flaw_count; i++)
        json_array_append_new(flaws, text_json(v->text.flaws[i]));
    for (size_t i = 0; i < v->check_count; i++)
        json_array_append_new(checks, json_pack("{s:o, s:i, s:b, s:o}", "name",
                                                text_json(v->checks[i].name), "sizes",
                                                (int)v->checks[i].sizes, "pass", v->checks[i].pass,
                                                "detail", text_json(v->checks[i].detail)));
    for (size_t i = 0; i < v->measure_count; i++) {
        const measure_row *m = &v->measures[i];
        json_array_append_new(measures,
                              json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                                        m->copy ? "copy" : "measure", "name", text_json(m->name),
                                        "x", text_json(m->x), "n", number_json(m->n), "bytes",
                                        number_json(m->bytes), "ms", number_json(m->ms), "gbs",
                                        number_json(m->gbs)));
    }
    for (size_t i = 0; i < v->left_out_count; i++)
        json_array_append_new(left_out, text_json(v->left_out[i]));
    for (size_t i = 0; i < v->goal_count; i++) {
        const goal_row *g = &v->goals[i];
        json_array_append_new(
            goals, json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o}", "kernel",
                             text_json(g->kernel), "metric", text_json(g->metric), "relation",
                             text_json(g->relation), "limit", number_json(g->limit), "value",
                             g->state <= GOAL_MISSED ? number_json(g->value) : json_null(), "state",
                             goal_words[g->state], "counted_by_emulator", g->emulated, "sentence",
                             text_json(g->sentence)));
    }
    for (size_t i = 0; i < v->guess_count; i++) {
        const prediction_row *g = &v->guesses[i];
        const char *said = state_prediction_why(&d->state, c, &c->predictions[i]);
        json_array_append_new(guesses,
                              json_pack("{s:o, s:o, s:o, s:o, s:o}", "kernel", text_json(g->kernel),
                                        "metric", text_json(g->metric), "said",
                                        g->answered ? number_json(g->said) : json_null(), "counted",
                                        g->known ? number_json(g->counted) : json_null(), "why",
                                        text_json(said)));
    }
    for (size_t i = 0; i < v->why_count; i++)
        json_array_append_new(why, text_json(v->why[i]));
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:s*}",
        "chapter", text_json(c->name), "part",
        submission            ? "submission"
        : d->options.solution ? "solution"
                              : "lab",
        "file",
        text_json(v->text.path  ? v->text.path
                  : c->solution ? installation_short_path(&d->installation, c->solution)
                                : NULL),
        "points", points_json(v), "flaws", flaws, "verdict", verdict_id(v->kind), "pass",
        v->kind == VERDICT_PASS, "reason", text_json(v->reason), "device", text_json(v->device),
        "source", text_json(v->source), "seed", text_json(v->seed), "seconds",
        number_json(v->seconds), "first_seconds", number_json(v->first_seconds),
        "untouched_outside",
        v->text.touched < 0 ? json_null()
                            : json_boolean(v->text.touched == 0 && v->text.ignored == 0),
        "touched_line", line_json(v->text.touched), "ignored_line", line_json(v->text.ignored),
        "checks", checks, "reports", findings_json(v), "reports_damage", text_json(v->found.damage),
        "measures", measures, "left_out", left_out, "uncompared", text_json(v->uncompared), "goals",
        goals, "predictions", guesses, "why", why, "output", text_json(v->output), "sandbox",
        v->judged.boxed, "judged_by", v->judged.tried ? "replay" : "record", "no_page",
        v->judged.no_page);
}
