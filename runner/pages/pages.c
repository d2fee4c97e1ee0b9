/* Writes marks as HTML pages: students/STUDENT.html with rubric rows, reports and comments, and
 * class.html, for the instructor only, with all marks and their distribution. */
#include "pages.h"
#include "../base/files.h"
#include "../base/json.h"
#include "../base/plain.h"
#include "../base/signals.h"
#include "../class/feedback.h"
#include "../class/roster.h"
#include "chart.h"
#include "html.h"
#include "scoreboard.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RUN_PAGE_BYTES = 5 << 20 }; /* largest page of a run that is copied */

static void append_note(sb *out, const char *text)
{
    if (text)
        page_element(out, "div class=\"note\"", text);
}

/* Append a heading, unless NULL, and TEXT as preformatted text, unless empty; TEXT is freed. */
static void append_text_section(sb *out, const char *heading, sb *text)
{
    while (text->len && text->s[text->len - 1] == '\n')
        text->s[--text->len] = '\0';
    if (text->len) {
        if (heading)
            page_element(out, "h3", heading);
        page_element(out, "pre", text->s);
    }
    sb_free(text);
}

static void append_points_bar(sb *out, double given, double points)
{
    double share = points > 0 && given > 0 ? fmin(100, 100 * given / points) : 0;
    sb_printf(out, "<span class=\"bar\"><i style=\"width:%.0f%%\"></i></span>", share);
}

/* --- a student's page --- */

/* Copy the page of the run of M's submission to the student's folder below DIR; without one, remove
 * an earlier one there. The link to it from the student's page, in A; NULL: there is none. */
static const char *copy_run_page(arena *a, const marks *all, const mark *m, const char *dir)
{
    const char *lab = results_lab_name(a, m->lab), *to = results_page_path(a, dir, m->student, lab);
    size_t length = 0;
    OWNED char *page = read_whole_file(results_page_path(a, all->dir, m->student, lab),
                                       MAX_RUN_PAGE_BYTES, &length);
    const char *name = to + strlen(dir) + 1;
    bool copied = page && make_directories(arena_strndup(a, to, (size_t)(strrchr(to, '/') - to))) &&
                  write_whole_file(to, page, length);
    if (!copied)
        unlink(to);
    return copied ? name : NULL;
}

/* Append the reported mistakes, each with a link to its moment in the page RUN, if it has one. */
static void append_reports(sb *out, const mark *m, const char *run)
{
    json_t *result = json_object_get(m->result, "result");
    json_t *reports = json_object_get(result, "reports"), *one;
    const char *none = member_text(result, "no_page");
    bool headed = false;
    size_t i;
    json_array_foreach(reports, i, one) {
        CLEANUP(sb_free) sb text = {0};
        const char *moment = member_text(one, "moment");
        if (feedback_write_report(&text, one)) {
            append_text_section(out, headed ? NULL : "Reported mistakes", &text);
            headed = true;
        }
        if (headed && run && moment) {
            sb_puts(out, "<p><a href=\"");
            append_html_text(out, run);
            sb_puts(out, "#");
            append_html_text(out, moment);
            sb_puts(out, "\">See this moment of the run</a>: its lanes, values and memory.</p>\n");
        }
    }
    if (headed && none)
        page_element(out, "p class=\"quiet\"", none);
}

static void append_mark_row(sb *out, const mark *m, const mark_row *r)
{
    CLEANUP(sb_free) sb text = {0};
    mark_row plain = *r;
    plain.comment = NULL; /* the comment is printed on a line of its own */
    feedback_write_row(&text, m, &plain);
    if (text.len)
        text.s[text.len - 1] = '\0';
    sb_puts(out, "<tr>");
    sb_puts(out, "<td>");
    page_element(out, "strong", r->label);
    sb_puts(out, "<br><span class=\"quiet\" style=\"white-space:pre-line\">");
    append_html_text(out, text.s ? text.s : "");
    sb_puts(out, "</span>");
    append_note(out, r->comment);
    sb_puts(out, "</td>");
    page_number(out, "td class=\"n\"", r->given);
    page_number(out, "td class=\"n\"", r->points);
    sb_puts(out, "<td>");
    append_points_bar(out, r->given, r->points);
    sb_puts(out, "</td></tr>\n");
}

static void append_mark_rows(sb *out, const mark *m)
{
    double given, hidden = feedback_hidden_points(m, &given);
    if (m->row_count == 0)
        return;
    sb_puts(out, "<table><tr><th>what</th><th class=\"n\">points</th><th "
                 "class=\"n\">of</th><th>"
                 "</th></tr>\n");
    for (size_t i = 0; i < m->row_count; i++)
        if (!m->rows[i].hidden)
            append_mark_row(out, m, &m->rows[i]);
    if (hidden > 0) {
        sb_puts(out, "<tr><td>rows of the rubric that are not shown</td>");
        page_number(out, "td class=\"n\"", given);
        page_number(out, "td class=\"n\"", hidden);
        sb_puts(out, "<td>");
        append_points_bar(out, given, hidden);
        sb_puts(out, "</td></tr>\n");
    }
    sb_puts(out, "</table>\n");
}

static void append_verdict_word(sb *out, const mark *m)
{
    bool ok = strcmp(m->word, "OK") == 0;
    page_element(out, ok ? "span class=\"word ok\"" : "span class=\"word no\"", m->word);
}

/* Write a time such as "2026-11-20 10:00 UTC" to TEXT. */
static const char *time_text(int64_t at, char text[32])
{
    char words[32];
    time_to_text(at, words); /* 2026-11-20T10:00:00Z */
    snprintf(text, 32, "%.10s %.5s UTC", words, words + 11);
    return text;
}

static void append_mark_summary(sb *out, const mark *m)
{
    char when[32];
    sb_puts(out, "<p><span class=\"mark\">");
    page_number(out, "span", m->final);
    sb_puts(out, " of ");
    page_number(out, "span", m->of);
    sb_puts(out, " points</span> ");
    append_verdict_word(out, m);
    sb_puts(out, " ");
    page_element(out, "span", feedback_sentence_for(m->word));
    sb_puts(out, "</p>\n<p class=\"quiet\">");
    if (m->submitted)
        sb_printf(out, "handed in %s", time_text(m->submitted, when));
    if (m->due)
        sb_printf(out, "%sdue %s", m->submitted ? ", " : "", time_text(m->due, when));
    if (m->penalty > 0) {
        sb_puts(out, "; ");
        page_number(out, "span", m->raw);
        sb_puts(out, " points, ");
        page_number(out, "span", m->penalty);
        sb_puts(out, " taken off for ");
        page_number(out, "span", m->days);
        sb_puts(out, m->days > 1 ? " days of lateness" : " day of lateness");
    }
    sb_puts(out, "</p>\n");
}

static void append_mark(sb *out, charts *c, const mark *m, const char *run)
{
    sb message = {0};
    json_t *result = json_object_get(m->result, "result");
    const char *output = member_text(result, "output");
    const char *reason = member_text(result, "reason");
    page_element(out, "h2", *m->title ? m->title : m->lab);
    append_mark_summary(out, m);
    append_note(out, m->comment);
    if (m->note)
        page_element(out, "p", m->note);
    if (reason && (strcmp(m->word, "REJECTED") == 0 || strcmp(m->word, "POLICY") == 0))
        page_element(out, "p", reason);
    append_mark_rows(out, m);
    charts_append(c, out, m);
    append_reports(out, m, run);
    if (output && strcmp(m->word, "COMPILE-ERROR") == 0)
        sb_printf(&message, "%.8000s", output);
    append_text_section(out, "The compiler's message", &message);
}

static const char *student_label(const mark *m)
{
    return *m->name ? m->name : m->student;
}

/* The number of marks of one student, starting at mark I. */
static size_t count_marks_of_student(const marks *m, size_t i)
{
    size_t n = 1;
    while (i + n < m->count && strcmp(m->list[i + n].student, m->list[i].student) == 0)
        n++;
    return n;
}

static bool write_student_pages(const marks *m, charts *c, const char *dir, char *err,
                                size_t err_size)
{
    CLEANUP(arena_free) arena a = {0};
    bool ok = true;
    for (size_t i = 0, n; ok && i < m->count && !caught_signal_number(); i += n) {
        sb page = {0};
        n = count_marks_of_student(m, i);
        page_begin(&page, student_label(&m->list[i]));
        page_element(&page, "h1", student_label(&m->list[i]));
        if (*m->list[i].name)
            page_element(&page, "p class=\"quiet\"", m->list[i].student);
        for (size_t k = i; k < i + n; k++)
            append_mark(&page, c, &m->list[k], copy_run_page(&a, m, &m->list[k], dir));
        page_end(&page);
        ok = page_write(dir, plain_file_name(&a, m->list[i].student), &page, err, err_size);
    }
    return ok;
}

/* --- the page of the class --- */

/* Append a histogram of the final marks of LAB, in tenths of all points. */
static void append_points_histogram(sb *out, const marks *m, const char *lab)
{
    enum { BIN_COUNT = 10 };
    size_t in[BIN_COUNT] = {0}, most = 1;
    for (size_t i = 0; i < m->count; i++) {
        const mark *k = &m->list[i];
        if (strcmp(k->lab, lab) != 0 || isnan(k->final) || !(k->of > 0))
            continue;
        double tenth = floor(BIN_COUNT * k->final / k->of);
        size_t bin = tenth < 0 ? 0 : tenth >= BIN_COUNT ? BIN_COUNT - 1 : (size_t)tenth;
        most = ++in[bin] > most ? in[bin] : most;
    }
    sb_puts(out, "<div class=\"chart\">");
    for (size_t b = 0; b < BIN_COUNT; b++)
        sb_printf(out, "<div>%zu<i style=\"height:%.2frem\"></i></div>", in[b],
                  5.5 * (double)in[b] / (double)most);
    sb_puts(out, "</div><div class=\"chart\" style=\"height:auto;margin:0\">");
    for (size_t b = 0; b < BIN_COUNT; b++)
        sb_printf(out, "<div>%zu–%zu %%</div>", 10 * b, 10 * b + 10);
    sb_puts(out, "</div>\n");
}

/* Append how many students of the class got all, some or no points in a rubric row. */
static void append_row_statistics(sb *out, const marks *m, const char *lab, const mark_row *like)
{
    size_t all = 0, part = 0, count = 0;
    double sum = 0;
    for (size_t i = 0; i < m->count; i++)
        for (size_t r = 0; strcmp(m->list[i].lab, lab) == 0 && !isnan(m->list[i].final) &&
                           r < m->list[i].row_count;
             r++) {
            const mark_row *row = &m->list[i].rows[r];
            if (strcmp(row->label, like->label) != 0)
                continue;
            count++;
            sum += row->given;
            all += row->given >= row->points;
            part += row->given > 0 && row->given < row->points;
        }
    double one = count ? 100 / (double)count : 0;
    sb_puts(out, "<tr><td>");
    append_html_text(out, like->label);
    sb_puts(out, like->hidden ? " (hidden)</td>" : "</td>");
    page_number(out, "td class=\"n\"", count ? sum / (double)count : NAN);
    page_number(out, "td class=\"n\"", like->points);
    sb_printf(out, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td><td class=\"n\">%zu</td>", all,
              part, count - all - part);
    sb_printf(out,
              "<td><div class=\"share\"><div class=\"all\" style=\"width:%.1f%%\"></div><div "
              "class=\"part\" style=\"width:%.1f%%\"></div></div></td></tr>\n",
              one * (double)all, one * (double)part);
}

static double median_mark_of_lab(const marks *m, const char *lab, size_t *count)
{
    CLEANUP(arena_free) arena a = {0};
    double *values = NULL;
    *count = 0;
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->list[i].lab, lab) == 0 && !isnan(m->list[i].final)) {
            double v = m->list[i].final;
            size_t k = *count;
            *ARENA_PUSH(&a, values, *count) = v;
            for (; k > 0 && values[k - 1] > v; k--)
                values[k] = values[k - 1];
            values[k] = v;
        }
    return *count ? (values[(*count - 1) / 2] + values[*count / 2]) / 2 : NAN;
}

/* Does an earlier mark (before number I) of the same lab also have the rubric row LABEL. */
static bool is_row_in_earlier_mark(const marks *m, size_t i, const char *label)
{
    for (size_t k = 0; k < i; k++)
        for (size_t r = 0; strcmp(m->list[k].lab, m->list[i].lab) == 0 && r < m->list[k].row_count;
             r++)
            if (strcmp(m->list[k].rows[r].label, label) == 0)
                return true;
    return false;
}

/* Append statistics of each rubric row that at least one student has. Students who chose different
 * programs have different rows. */
static void append_all_row_statistics(sb *out, const marks *m, const char *lab)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t r = 0; strcmp(m->list[i].lab, lab) == 0 && r < m->list[i].row_count; r++)
            if (!is_row_in_earlier_mark(m, i, m->list[i].rows[r].label))
                append_row_statistics(out, m, lab, &m->list[i].rows[r]);
}

static void append_lab_section(sb *out, const marks *m, const mark *first)
{
    size_t count;
    double median = median_mark_of_lab(m, first->lab, &count);
    page_element(out, "h2", *first->title ? first->title : first->lab);
    sb_printf(out, "<p>%zu mark%s, median ", count, count == 1 ? "" : "s");
    page_number(out, "strong", median);
    sb_puts(out, " of ");
    page_number(out, "span", first->of);
    sb_puts(out, "</p>\n");
    append_points_histogram(out, m, first->lab);
    sb_puts(out, "<table><tr><th>row</th><th class=\"n\">mean</th><th class=\"n\">of</th><th "
                 "class=\"n\">all</th><th class=\"n\">some</th><th class=\"n\">none</th><th></th>"
                 "</tr>\n");
    append_all_row_statistics(out, m, first->lab);
    sb_puts(out, "</table>\n<table><tr><th>student</th><th>verdict</th><th class=\"n\">raw</th><th "
                 "class=\"n\">penalty</th><th class=\"n\">final</th><th>what was lost</th></tr>\n");
    CLEANUP(arena_free) arena a = {0};
    for (size_t i = 0; i < m->count; i++) {
        const mark *k = &m->list[i];
        const char *summary = member_text(k->result, "summary");
        if (strcmp(k->lab, first->lab) != 0)
            continue;
        sb_puts(out, "<tr><td><a href=\"students/");
        append_html_text(out, plain_file_name(&a, k->student));
        sb_puts(out, ".html\">");
        append_html_text(out, student_label(k));
        sb_puts(out, "</a></td><td>");
        append_verdict_word(out, k);
        sb_puts(out, "</td>");
        page_number(out, "td class=\"n\"", k->raw);
        page_number(out, "td class=\"n\"", k->penalty);
        page_number(out, "td class=\"n\"", k->final);
        sb_puts(out, "<td class=\"quiet\">");
        append_html_text(out, summary ? summary : "");
        if (k->note)
            page_element(out, "div", k->note);
        sb_puts(out, "</td>");
        sb_puts(out, "</tr>\n");
    }
    sb_puts(out, "</table>\n");
}

static void append_similar_pairs(sb *out, json_t *report)
{
    json_t *pairs = json_object_get(report, "pairs"), *one;
    const char *title = member_text(report, "title");
    size_t i;
    if (!title)
        return;
    sb_puts(out, "<h2>Similar submissions: ");
    append_html_text(out, title);
    sb_printf(out,
              "</h2>\n<p>%d compared; %zu pair%s with %d %% or more in common. Similar text does "
              "not prove copying: read both.</p>\n",
              (int)json_integer_value(json_object_get(report, "compared")), json_array_size(pairs),
              json_array_size(pairs) == 1 ? "" : "s",
              (int)json_integer_value(json_object_get(report, "above")));
    if (json_array_size(pairs))
        sb_puts(out,
                "<table><tr><th>first</th><th>second</th><th class=\"n\">share of the first found "
                "in the second</th><th class=\"n\">share of the second found in the "
                "first</th></tr>\n");
    json_array_foreach(pairs, i, one) {
        const char *first = member_text(one, "first");
        const char *second = member_text(one, "second");
        sb_puts(out, "<tr>");
        page_element(out, "td", first ? first : "");
        page_element(out, "td", second ? second : "");
        sb_printf(out, "<td class=\"n\">%d %%</td><td class=\"n\">%d %%</td></tr>\n",
                  (int)json_integer_value(json_object_get(one, "first_in_second")),
                  (int)json_integer_value(json_object_get(one, "second_in_first")));
    }
    if (json_array_size(pairs))
        sb_puts(out, "</table>\n");
}

static bool write_class_page(const marks *m, const char *dir, char *err, size_t err_size)
{
    sb page = {0};
    page_begin(&page, "The class");
    page_element(&page, "h1", "The class");
    page_element(&page, "p class=\"quiet\"",
                 "For the instructor: this page names all students and shows "
                 "hidden rows.");
    for (size_t i = 0; i < m->count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= strcmp(m->list[k].lab, m->list[i].lab) != 0;
        if (first)
            append_lab_section(&page, m, &m->list[i]);
    }
    for (size_t i = 0; i < m->similar_count; i++)
        append_similar_pairs(&page, m->similar[i]);
    page_end(&page);
    return page_write(dir, "class", &page, err, err_size);
}

bool export_html(const marks *m, installation *h, const char *dir, char *err, size_t err_size)
{
    OWNED char *students = xprintf("%s/students", dir);
    charts c;
    if (!make_directories(students))
        return fails(err, err_size, "cannot make the directory %s: %s", students, strerror(errno));
    charts_open(&c, h);
    bool ok = write_student_pages(m, &c, students, err, err_size) &&
              write_class_page(m, dir, err, err_size) && scoreboard_write(m, dir, err, err_size);
    if (ok && c.why)
        snprintf(err, err_size, "pages lack charts: %s", c.why);
    charts_close(&c);
    return ok;
}
