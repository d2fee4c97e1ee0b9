/* Exports marks as tables: plain CSV, nbgrader's export format. */
#include "csv.h"

#include "../base/json.h"
#include "export.h"
#include "roster.h"

#include <math.h>
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
        const char *summary = member_text(k->result, "summary");
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
        for (size_t r = 0; rows && r < k->row_count; r++) {
            const mark_row *row = &k->rows[r];
            bool none = isnan(k->judged) && row->given == row->judged; /* nobody gave any */
            append_points(out, none ? NAN : row->given);
        }
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
        OWNED char *first = xprintf("%.*s", space ? (int)(space - k->name) : 0, k->name);
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
    }
    return true;
}
