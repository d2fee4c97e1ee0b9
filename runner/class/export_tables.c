/* Exports marks as tables: plain CSV, nbgrader's export format, a column in Canvas's gradebook. */
#include "csv.h"
#include "export.h"
#include "roster.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write "2.5", or an empty field for NAN. A number cannot be a formula, so it needs no escaping. */
static void append_points(sb *out, double points)
{
    csv_write_number(out, isnan(points) ? NAN : round(10 * points) / 10);
}

/* True: all marks have the same rows, so that each row can have a column. */
static bool all_marks_have_same_rows(const marks *m)
{
    for (size_t i = 1; i < m->count; i++) {
        if (m->list[i].row_count != m->list[0].row_count)
            return false;
        for (size_t k = 0; k < m->list[i].row_count; k++)
            if (strcmp(m->list[i].rows[k].label, m->list[0].rows[k].label) != 0)
                return false;
    }
    return m->count > 0;
}

bool export_csv(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
{
    (void)o, (void)err, (void)err_size;
    char when[32];
    bool rows = all_marks_have_same_rows(m);
    sb_puts(out, "student,name,lab,verdict,judged,raw,penalty,final,of,days late,submitted,summary,"
                 "comment");
    for (size_t i = 0; rows && i < m->list[0].row_count; i++)
        csv_write_text(out, m->list[0].rows[i].label);
    csv_end_line(out);
    for (size_t i = 0; i < m->count; i++) {
        const mark *k = &m->list[i];
        const char *summary = json_string_value(json_object_get(k->result, "summary"));
        csv_write_text(out, k->student);
        csv_write_text(out, k->name);
        csv_write_text(out, k->lab);
        csv_write_text(out, k->word);
        append_points(out, k->judged);
        append_points(out, k->raw);
        append_points(out, k->penalty);
        append_points(out, k->final);
        append_points(out, k->of);
        append_points(out, k->days);
        csv_write_quoted(out, time_to_text(k->submitted, when));
        csv_write_text(out, summary ? summary : "");
        csv_write_text(out, k->comment ? k->comment : "");
        for (size_t r = 0; rows && r < k->row_count; r++)
            append_points(out, k->rows[r].given);
        csv_end_line(out);
    }
    return true;
}

/* A time in nbgrader's format, or "" if it is unknown. */
static const char *time_as_text(int64_t when, char buf[32])
{
    time_to_text(when, buf);
    for (char *p = buf; *p; p++)
        *p = *p == 'T' ? ' ' : *p == 'Z' ? '\0' : *p;
    return buf;
}

bool export_nbgrader(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
{
    (void)o, (void)err, (void)err_size;
    char when[32];
    sb_puts(out, "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
                 "late_submission_penalty,score,max_score\n");
    for (size_t i = 0; i < m->count; i++) {
        const mark *k = &m->list[i];
        const char *space = strrchr(k->name, ' ');
        char *first = xprintf("%.*s", space ? (int)(space - k->name) : 0, k->name);
        csv_write_text(out, k->lab);
        csv_write_quoted(out, time_as_text(k->due, when));
        csv_write_quoted(out, time_as_text(k->submitted, when));
        csv_write_text(out, k->student);
        csv_write_text(out, space ? space + 1 : k->name);
        csv_write_text(out, first);
        csv_write_text(out, k->email);
        append_points(out, k->raw);
        append_points(out, k->penalty);
        append_points(out, k->final);
        append_points(out, k->of);
        csv_end_line(out);
        free(first);
    }
    return true;
}

/* --- Canvas --- */

/* The mark of the person in row ROW of the gradebook; NULL: there is none. */
static const mark *mark_of_row(const marks *m, const csv_table *t, size_t row)
{
    static const char *const ids[][2] = {{"sis login id", NULL},
                                         {"sis user id", NULL},
                                         {"id", NULL},
                                         {"email", NULL},
                                         {"integration id", NULL}};
    for (size_t c = 0; c < sizeof ids / sizeof *ids; c++) {
        const char *id = csv_field(t, row, csv_column(t, ids[c]));
        for (size_t i = 0; *id && i < m->count; i++)
            if (strcmp(m->list[i].student, id) == 0)
                return &m->list[i];
    }
    return NULL;
}

/* Copy a row without escaping: the names that Canvas wrote must not change. */
static void copy_csv_row(sb *out, const csv_table *t, size_t row)
{
    for (size_t c = 0; c < t->row[0].count; c++)
        csv_write_quoted(out, csv_field(t, row, (int)c));
}

/* Canvas adds its own rows after the header: the points possible, and a row about manual
 * posting. */
static bool is_points_possible(const csv_table *t, size_t row)
{
    const char *first = csv_field(t, row, 0);
    return starts_with(first + strspn(first, " "), "Points Possible");
}

bool export_canvas(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
{
    csv_table t;
    size_t placed = 0;
    if (!o->gradebook || !o->lab) {
        snprintf(err, err_size,
                 "canvas needs a LAB, and with --gradebook the gradebook that "
                 "Canvas exports");
        return false;
    }
    if (!csv_read(&t, o->gradebook, err, err_size))
        return false;
    copy_csv_row(out, &t, 0);
    csv_write_text(out, m->count && *m->list[0].title ? m->list[0].title : o->lab);
    csv_end_line(out);
    for (size_t row = 1; row < t.rows; row++) {
        const mark *k = mark_of_row(m, &t, row);
        copy_csv_row(out, &t, row);
        if (is_points_possible(&t, row) && m->count)
            append_points(out, m->list[0].of);
        else
            append_points(out, k ? k->final : NAN);
        csv_end_line(out);
        placed += k != NULL;
    }
    csv_free(&t);
    if (placed == 0)
        snprintf(err, err_size,
                 "%s names none of the students: the columns SIS Login ID, SIS User "
                 "ID, ID and Email are compared with `student`",
                 o->gradebook);
    return placed > 0;
}
