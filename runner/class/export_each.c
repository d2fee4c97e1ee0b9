/* Exports one mark in the formats of autograders: Gradescope, Autolab, GitHub Classroom,
 * Classroom 50, PrairieLearn, Moodle's VPL. */
#include "../base/json.h"
#include "../base/plain.h"
#include "export.h"
#include "feedback.h"
#include "roster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_of_number(double v)
{
    return number_json(round(10 * v) / 10);
}

/* The text of FEEDBACK as a JSON string; FEEDBACK is empty afterwards. */
static json_t *move_to_json(sb *feedback)
{
    json_t *out = json_string(feedback->s ? feedback->s : "");
    sb_free(feedback);
    return out;
}

/* Write VALUE as JSON to OUT, and release it. */
static void append_json(sb *out, json_t *value, size_t flags)
{
    OWNED char *text = json_dumps(value, flags | JSON_REAL_PRECISION(12));
    sb_printf(out, "%s\n", text ? text : "{}");
    json_decref(value);
}

static bool has_all_points(const mark_row *r)
{
    return r->given >= r->points;
}

static double seconds_of_run(const mark *m)
{
    json_t *s = json_object_get(json_object_get(m->result, "result"), "seconds");
    return json_is_number(s) ? json_number_value(s) : 0;
}

/* The next row of M from row *I on that the student may see, and what feedback says of it in TEXT;
 * *I moves behind it. NULL: there is none. */
static const mark_row *next_shown_row(const mark *m, size_t *i, sb *text)
{
    *text = (sb){0};
    while (*i < m->row_count && m->rows[*i].hidden)
        ++*i;
    if (*i == m->row_count)
        return NULL;
    feedback_write_row(text, m, &m->rows[*i]);
    return &m->rows[(*i)++];
}

/* The name of what stands for all rows that a student may not see. */
static const char hidden_rows[] = "rows that are not shown";

/* The rows visible to students, as Gradescope's tests. */
static json_t *gradescope_tests(const mark *m)
{
    json_t *tests = json_array();
    sb text;
    const mark_row *r;
    for (size_t i = 0; (r = next_shown_row(m, &i, &text));) {
        OWNED char *number = xprintf("%zu", i);
        json_array_append_new(
            tests, json_pack("{s:o, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o}", "name",
                             sanitized_json(r->label, true), "name_format", "text", "number",
                             number, "status", has_all_points(r) ? "passed" : "failed", "score",
                             json_of_number(r->given), "max_score", json_of_number(r->points),
                             "visibility", "visible", "output_format", "text", "output",
                             move_to_json(&text)));
    }
    return tests;
}

/* A submission without a mark gets no score: Gradescope then reports that the autograder failed
 * instead of a score of zero. */
void export_gradescope(sb *out, const mark *m)
{
    sb whole = {0};
    feedback_write_summary(&whole, m);
    json_t *all = json_pack("{s:o, s:s, s:s, s:s, s:o}", "output", move_to_json(&whole),
                            "output_format", "text", "visibility", "visible", "stdout_visibility",
                            "hidden", "execution_time", json_of_number(seconds_of_run(m)));
    if (!isnan(m->final)) {
        json_object_set_new(all, "score", json_of_number(m->final));
        json_object_set_new(all, "tests", gradescope_tests(m));
    }
    append_json(out, all, JSON_INDENT(2));
}

/* Sum of the points of all rows, minus the deduction for lateness. */
static double sum_of_points(const mark *m)
{
    double sum = -m->penalty;
    for (size_t i = 0; i < m->row_count; i++)
        sum += m->rows[i].given;
    return sum;
}

void export_autolab(sb *out, const mark *m)
{
    double given, hidden = feedback_hidden_points(m, &given);
    json_t *scores = json_object();
    if (isnan(m->final)) { /* a missing score is not a zero */
        append_json(out, json_pack("{s:o}", "scores", scores), JSON_COMPACT);
        return;
    }
    for (size_t i = 0; i < m->row_count; i++)
        if (!m->rows[i].hidden)
            json_object_set_new(scores, m->rows[i].label, json_of_number(m->rows[i].given));
    if (hidden > 0)
        json_object_set_new(scores, hidden_rows, json_of_number(given));
    if (m->row_count == 0)
        json_object_set_new(scores, "lab", json_of_number(m->raw));
    if (m->penalty > 0)
        json_object_set_new(scores, "late", json_of_number(-m->penalty));
    double others = m->final - sum_of_points(m); /* points of the mark that belong to no row:
                                                  * changes by the marker */
    if (m->row_count && fabs(others) >= 0.05)
        json_object_set_new(scores, "by the marker", json_of_number(others));
    append_json(out,
                json_pack("{s:o, s:o}", "scores", scores, "scoreboard",
                          json_pack("[o]", json_of_number(m->final))),
                JSON_COMPACT);
}

/* Add a test to the list; takes ownership of MESSAGE. */
static void append_test_to_list(json_t *tests, const char *name, const char *status, double score,
                                sb *message)
{
    json_array_append_new(tests, json_pack("{s:o, s:s, s:o, s:o, s:s, s:s, s:i, s:s}", "name",
                                           sanitized_json(name, true), "status", status, "score",
                                           json_of_number(score), "message", move_to_json(message),
                                           "test_code", "", "filename", "lab.cu", "line_no", 0,
                                           "execution_time", "Not available"));
}

/* Append a test for all points that no visible row shows (hidden rows, lateness, the marker),
 * because the GitHub Classroom reporter adds up the scores of all tests. */
static void append_remaining_points(json_t *tests, const mark *m, double shown)
{
    double given, hidden = feedback_hidden_points(m, &given), rest = m->final - shown;
    sb whole = {0};
    if (fabs(rest) < 0.05 && hidden == 0 && m->row_count)
        return;
    feedback_write_summary(&whole, m);
    append_test_to_list(tests, "the rest: rows that are not shown, late days, the marker",
                        rest >= hidden ? "pass" : "fail", rest, &whole);
}

void export_classroom(sb *out, const mark *m)
{
    double shown = 0;
    bool given = !isnan(m->final);
    json_t *tests = json_array();
    sb whole = {0};
    sb text;
    const mark_row *r;
    for (size_t i = 0; given && (r = next_shown_row(m, &i, &text));) {
        shown += r->given;
        append_test_to_list(tests, r->label, has_all_points(r) ? "pass" : "fail", r->given, &text);
    }
    if (given) {
        append_remaining_points(tests, m, shown);
    } else {
        feedback_write_summary(&whole, m);
        append_test_to_list(tests, m->lab, "error", 0, &whole);
    }
    append_json(out,
                json_pack("{s:i, s:s, s:o, s:o}", "version", 1, "status",
                          !given              ? "error"
                          : m->final >= m->of ? "pass"
                                              : "fail",
                          "max_score", json_of_number(m->of), "tests", tests),
                JSON_INDENT(2));
}

/* --- Classroom 50: result.json, whose schema is classroom50/result/v1 --- */

/* What Classroom 50's runner says in the variable NAME, else OTHER. */
static const char *said_by_runner(const char *name, const char *other)
{
    const char *value = getenv(name);
    return value && *value ? value : other;
}

/* Points as the whole numbers that the schema demands; a part of a point is not a point. */
static json_t *whole_points(double given, double most)
{
    return json_integer((json_int_t)floor(fmax(0, fmin(given, most)) + 1e-6));
}

static void append_classroom50_test(json_t *tests, const char *name, double given, double most,
                                    sb *output)
{
    json_array_append_new(
        tests, json_pack("{s:o, s:b, s:o, s:o, s:o}", "test-name", sanitized_json(name, true),
                         "passed", given >= most, "score", whole_points(given, most), "max-score",
                         whole_points(most, most), "output", move_to_json(output)));
}

static json_t *classroom50_tests(const mark *m)
{
    double given, hidden = feedback_hidden_points(m, &given);
    json_t *tests = json_array();
    sb none = {0};
    sb text;
    const mark_row *r;
    for (size_t i = 0; (r = next_shown_row(m, &i, &text));)
        append_classroom50_test(tests, r->label, r->given, r->points, &text);
    if (hidden > 0)
        append_classroom50_test(tests, hidden_rows, given, hidden, &none);
    return tests;
}

/* The runner's variables name the classroom, the repository and its links. Without them the result
 * has the form of one that a teacher enters. A result without a mark has no points and no tests,
 * as the runner's own for errors. */
void export_classroom50(sb *out, const mark *m)
{
    const bool given = !isnan(m->final);
    char when[32];
    const char *graded = member_text(m->result, "graded");
    const char *at = m->submitted ? time_to_text(m->submitted, when) : graded ? graded : "";
    const char *slash = strchr(m->lab, '/');
    OWNED char *tag = xprintf("submit/manual-%s", at);
    for (char *p = tag; *p; p++)
        *p = (char)(*p == ':' ? '-' : *p);
    const char *submission = said_by_runner("SUBMISSION_TAG", tag),
               *commit = said_by_runner("COMMIT_URL", submission);
    json_t *all = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "schema",
        "classroom50/result/v1", "classroom", said_by_runner("CLASSROOM", "classroom"),
        "assignment", said_by_runner("ASSIGNMENT", slash ? slash + 1 : m->lab), "assignment_type",
        said_by_runner("ASSIGNMENT_TYPE", "individual"), "owner",
        sanitized_json(said_by_runner("OWNER", m->student), true), "submission", submission,
        "commit", commit, "release", said_by_runner("RELEASE_URL", submission), "review",
        said_by_runner("REVIEW_URL", commit), "datetime", at, "score",
        given ? whole_points(m->final, m->of) : json_integer(0), "max-score",
        given ? whole_points(m->of, m->of) : json_integer(0), "tests",
        given ? classroom50_tests(m) : json_array());
    append_json(out, all, JSON_INDENT(2));
}

/* --- PrairieLearn: results.json of an external grader --- */

static json_t *prairielearn_tests(const mark *m)
{
    double given, hidden = feedback_hidden_points(m, &given);
    json_t *tests = json_array();
    sb text;
    const mark_row *r;
    for (size_t i = 0; (r = next_shown_row(m, &i, &text));) {
        json_array_append_new(
            tests, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", sanitized_json(r->label, true),
                             "description", sanitized_json(r->sentence, true), "points",
                             json_of_number(r->given), "max_points", json_of_number(r->points),
                             "output", move_to_json(&text)));
    }
    if (hidden > 0)
        json_array_append_new(tests, json_pack("{s:s, s:o, s:o}", "name", hidden_rows, "points",
                                               json_of_number(given), "max_points",
                                               json_of_number(hidden)));
    return tests;
}

/* A submission without a mark is not gradable: PrairieLearn then takes no attempt and no points. */
void export_prairielearn(sb *out, const mark *m)
{
    const bool given = !isnan(m->final);
    sb whole = {0};
    json_t *all =
        json_pack("{s:b, s:s}", "gradable", given, "message", feedback_sentence_for(m->word));
    feedback_write_summary(&whole, m);
    json_object_set_new(all, given ? "output" : "format_errors", move_to_json(&whole));
    if (given) {
        double share = m->of > 0 ? fmax(0, fmin(1, m->final / m->of)) : 0;
        json_object_set_new(all, "score", json_real(round(1e4 * share) / 1e4));
        json_object_set_new(all, "tests", prairielearn_tests(m));
    }
    append_json(out, all, JSON_INDENT(2));
}

/* Write text between VPL's marks <|-- and --|>. Each line gets a > in front, which VPL shows as
 * printed text, so that no line can be a mark, a grade or a comment. */
static void append_vpl_text(sb *out, const char *text)
{
    const char *line;
    size_t len;
    while ((line = next_line(&text, &len)))
        sb_printf(out, ">%.*s\n", (int)len, line);
}

void export_vpl(sb *out, const mark *m)
{
    char given[32], of[32];
    CLEANUP(sb_free) sb whole = {0};
    feedback_write_summary(&whole, m);
    sb_puts(out, "<|--\n");
    sb_printf(out, "-%s\n", m->word);
    append_vpl_text(out, whole.s);
    sb text;
    const mark_row *r;
    for (size_t i = 0; (r = next_shown_row(m, &i, &text));) {
        CLEANUP(sb_free) sb name = {0};
        append_sanitized(&name, r->label, false);
        sb_printf(out, "-%s (%s of %s)\n", name.s, nice_number(r->given, given, sizeof given),
                  nice_number(r->points, of, sizeof of));
        append_vpl_text(out, text.s);
        sb_free(&text);
    }
    sb_puts(out, "--|>\n");
    if (!isnan(m->final))
        sb_printf(
            out, "Grade :=>> %s\n",
            nice_number(m->of > 0 ? round(1000 * m->final / m->of) / 10 : 0, given, sizeof given));
}
