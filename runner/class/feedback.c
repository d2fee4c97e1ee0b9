#include "feedback.h"

#include "../base/json.h"
#include "../base/plain.h"
#include "roster.h"

#include <math.h>
#include <string.h>

enum { MAX_MESSAGE_BYTES = 8000 }; /* bytes of a compiler's message that are shown, at most */

const char *feedback_sentence_for(const char *word)
{
    static const char *const words[][2] = {
        {"OK", "right"},
        {"WRONG", "a check failed"},
        {"COMPILE-ERROR", "it does not compile"},
        {"RUN-ERROR", "it ended before its checks did"},
        {"TIME-LIMIT", "it did not end in time"},
        {"MEMORY-LIMIT", "it used more memory, files or threads than allowed"},
        {"OUTPUT-LIMIT", "it printed more than allowed, or gave the device more data"},
        {"REJECTED", "it could not be graded"},
        {"MISSING", "nothing was handed in"},
        {"POLICY", "it is left to the marker"},
        {"INTERNAL", "the grader failed, not the submission; it will be graded again"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0)
            return words[i][1];
    return "right or not, a mistake was reported";
}

static json_t *result_of_mark(const mark *m)
{
    return json_object_get(m->result, "result");
}

static void append_labelled_line(sb *out, const char *before, const char *text)
{
    sb_puts(out, before);
    append_sanitized(out, text, true);
    sb_puts(out, "\n");
}

bool feedback_write_report(sb *out, const json_t *report)
{
    const char *text = member_text(report, "text"), *fix = member_text(report, "fix"),
               *mistake = member_text(report, "mistake");
    if (!fix)
        fix = member_text(report, "mend"); /* as older results call it */
    if (!text || !mistake || strcmp(mistake, "none") == 0)
        return false;
    append_labelled_line(out, "", text);
    if (fix)
        append_labelled_line(out, "", fix);
    sb_puts(out, "\n");
    return true;
}

void feedback_write_reports(sb *out, const mark *m)
{
    json_t *reports = json_object_get(result_of_mark(m), "reports"), *one;
    size_t i;
    json_array_foreach(reports, i, one)
        feedback_write_report(out, one);
}

static void append_lateness(sb *out, const mark *m)
{
    char points[32], days[32], when[32];
    if (m->days > 0)
        sb_printf(out, "Late: due %s, %s day%s late; %s points are taken off.\n",
                  time_to_text(m->due, when), nice_number(m->days, days, sizeof days),
                  m->days > 1 ? "s" : "", nice_number(m->penalty, points, sizeof points));
}

void feedback_write_summary(sb *out, const mark *m)
{
    json_t *result = result_of_mark(m);
    const char *reason = member_text(result, "reason"), *output = member_text(result, "output");
    sb_printf(out, "%s: %s\n", m->word, feedback_sentence_for(m->word));
    if (reason && (strcmp(m->word, "REJECTED") == 0 || strcmp(m->word, "POLICY") == 0))
        append_labelled_line(out, "", reason);
    if (m->note)
        append_labelled_line(out, "", m->note);
    feedback_write_reports(out, m);
    if (output && strcmp(m->word, "COMPILE-ERROR") == 0) {
        OWNED char *head = xprintf("%.*s", MAX_MESSAGE_BYTES, output);
        append_labelled_line(out, "", head);
    }
    append_lateness(out, m);
    if (m->comment)
        append_labelled_line(out, "", m->comment);
}

/* Detail of the first problem size that failed in the row's check; NULL: the row is no check. */
static const char *check_detail(const mark *m, const mark_row *r)
{
    json_t *checks = json_object_get(result_of_mark(m), "checks"), *one;
    size_t i;
    json_array_foreach(checks, i, one) {
        const char *name = member_text(one, "name");
        size_t n = name ? strlen(name) : 0;
        if (n && strncmp(r->label, name, n) == 0 && strncmp(r->label + n, ": sizes", 7) == 0)
            return member_text(one, "detail");
    }
    return NULL;
}

void feedback_write_row(sb *out, const mark *m, const mark_row *r)
{
    const char *detail = check_detail(m, r);
    append_labelled_line(out, "", r->sentence);
    if (!isnan(r->reached))
        sb_printf(out, "achieved: %.10g (%s)\n", round(10 * r->reached) / 10, r->how);
    if (detail)
        append_labelled_line(out, "", detail);
    if (r->remark && (!detail || strcmp(detail, r->remark) != 0))
        append_labelled_line(out, "", r->remark);
    if (r->comment)
        append_labelled_line(out, "", r->comment);
}

void feedback_write_all(sb *out, const mark *m)
{
    char given[32], of[32];
    double hidden_given, hidden = feedback_hidden_points(m, &hidden_given);
    if (!isnan(m->final))
        sb_printf(out, "%s of %s points\n", nice_number(m->final, given, sizeof given),
                  nice_number(m->of, of, sizeof of));
    feedback_write_summary(out, m);
    for (size_t i = 0; i < m->row_count; i++) {
        if (m->rows[i].hidden)
            continue;
        sb_puts(out, "\n");
        append_sanitized(out, m->rows[i].label, false);
        sb_printf(out, ": %s of %s\n", nice_number(m->rows[i].given, given, sizeof given),
                  nice_number(m->rows[i].points, of, sizeof of));
        feedback_write_row(out, m, &m->rows[i]);
    }
    if (hidden > 0)
        sb_printf(out, "\nrows of the rubric that are not shown: %s of %s\n",
                  nice_number(hidden_given, given, sizeof given),
                  nice_number(hidden, of, sizeof of));
}

size_t feedback_visible_rows(const mark *m)
{
    size_t shown = 0;
    for (size_t i = 0; i < m->row_count; i++)
        shown += !m->rows[i].hidden;
    return shown;
}

double feedback_hidden_points(const mark *m, double *given)
{
    double points = 0;
    *given = 0;
    for (size_t i = 0; i < m->row_count; i++)
        if (m->rows[i].hidden) {
            points += m->rows[i].points;
            *given += m->rows[i].given;
        }
    return points;
}
