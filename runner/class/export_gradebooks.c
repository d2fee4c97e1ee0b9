/* Fills marks into tables that learning systems export: Canvas's gradebook, Moodle's grading
 * worksheet. All other fields are written as they were read. */
#include "../base/plain.h"
#include "csv.h"
#include "export.h"
#include "feedback.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- columns --- */

/* The length of a column's name without the number that Canvas adds: "Lab (4711)"; *NUMBER points
 * to the number, or is NULL. */
static size_t length_without_number(const char *header, const char **number)
{
    const size_t n = strlen(header);
    size_t at = n - (n && header[n - 1] == ')');
    *number = NULL;
    while (at > 0 && isdigit((unsigned char)header[at - 1]))
        at--;
    if (at < 2 || at + 1 >= n || header[n - 1] != ')' || header[at - 1] != '(')
        return n;
    *number = header + at;
    return at - 1 - (header[at - 2] == ' ');
}

static bool is_named(const char *header, const char *name)
{
    const char *number;
    const size_t n = length_without_number(header, &number), len = strlen(name);
    return strcmp(header, name) == 0 || (n == len && strncmp(header, name, n) == 0) ||
           (number && strncmp(number, name, len) == 0 && number[len] == ')');
}

/* The column called NAME, with or without its number, or with this number. *COUNT: how many. */
static int column_called(const csv_table *t, const char *name, size_t *count)
{
    int found = -1;
    *count = 0;
    for (size_t c = 0; t->rows && *name && c < t->row[0].count; c++)
        if (is_named(t->row[0].fields[c], name)) {
            found = (int)c;
            (*count)++;
        }
    return found;
}

/* The column that --column names: by its name, the number in it, or its position from 1. False
 * with a sentence in ERR. */
static bool find_wanted_column(const csv_table *t, const export_options *o, int *column, char *err,
                               size_t err_size)
{
    size_t count;
    double position;
    *column = column_called(t, o->column, &count);
    if (count == 1)
        return true;
    if (count > 1)
        return fails(err, err_size, "%s has %zu columns %s: name one by its number", o->gradebook,
                     count, o->column);
    if (parse_number(o->column, &position) && position >= 1 && t->rows &&
        position <= (double)t->row[0].count && position == floor(position)) {
        *column = (int)position - 1;
        return true;
    }
    CLEANUP(sb_free) sb names = {0};
    for (size_t c = 0; t->rows && c < t->row[0].count; c++)
        sb_printf(&names, "%s%zu `%s`", c ? ", " : "", c + 1, t->row[0].fields[c]);
    fails(err, err_size, "%s has no column %s; it has %s", o->gradebook, o->column,
          names.s ? names.s : "none");
    return false;
}

/* --- fields --- */

/* A mark in points of a column that gives POSSIBLE points at most, also with a decimal comma, as
 * both systems write it for some languages; an empty or odd text: those of the rubric. */
static double points_in_column(const mark *k, const char *possible)
{
    double most;
    char text[32];
    snprintf(text, sizeof text, "%s", possible ? possible : "");
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    const bool other = parse_number(text, &most) && most > 0 && k->of > 0;
    return round(100 * (other ? k->final * most / k->of : k->final)) / 100;
}

/* A gradebook with new texts in some columns. */
typedef struct filling {
    int column;       /* index of the column, or that of a new one after the last */
    const char *text; /* the new text; NULL: what the gradebook has */
} filling;

/* Write a row: fields that Canvas or Moodle wrote must not change. */
static void write_row(sb *out, const csv_table *t, size_t row, const filling *with, size_t count)
{
    const size_t columns = t->row[0].count;
    for (size_t c = 0; c <= columns; c++) {
        const char *text = c < columns ? csv_field(t, row, (int)c) : NULL;
        for (size_t i = 0; i < count; i++)
            if (with[i].column == (int)c)
                text = with[i].text ? with[i].text : text ? text : "";
        double number;
        if (text && *text && parse_number(text, &number) &&
            strspn(text, "0123456789.") == strlen(text))
            sb_printf(out, "%s%s", c ? "," : "", text);
        else if (text)
            csv_write_quoted(out, text);
    }
    csv_end_line(out);
}

static const mark *mark_of_student(const marks *m, const char *id)
{
    for (size_t i = 0; *id && i < m->count; i++)
        if (strcmp(m->list[i].student, id) == 0 || strcmp(m->list[i].email, id) == 0)
            return &m->list[i];
    return NULL;
}

/* The mark of the person in row ROW, by the first of the columns IDS that names one. */
static const mark *mark_of_row(const marks *m, const csv_table *t, size_t row,
                               const char *const (*ids)[2], size_t count)
{
    const mark *found = NULL;
    for (size_t c = 0; c < count && !found; c++)
        found = mark_of_student(m, csv_field(t, row, csv_column(t, ids[c])));
    return found;
}

/* Read the table of --gradebook. WHAT: what it is, for the message. */
static bool read_gradebook(csv_table *t, const export_options *o, const char *what, char *err,
                           size_t err_size)
{
    if (!o->gradebook || !o->lab)
        return fails(err, err_size, "%s", what);
    return csv_read(t, o->gradebook, err, err_size) &&
           (t->rows || fails(err, err_size, "%s is empty", o->gradebook));
}

/* --- Canvas --- */

/* Canvas adds its own rows after the header: the points possible, and one about manual posting. */
static bool is_points_possible(const csv_table *t, size_t row)
{
    const char *first = csv_field(t, row, 0);
    return starts_with(first + strspn(first, " "), "Points Possible");
}

/* Canvas writes EX for a student who need not submit, and takes it so in any case. */
static bool is_excused(const char *score)
{
    return score && strcasecmp(score, "EX") == 0;
}

/* The column to fill: the one that is named, else that of the lab's title, else a new one. */
static bool find_canvas_column(const csv_table *t, const marks *m, const export_options *o,
                               int *column, char *err, size_t err_size)
{
    size_t count = 0;
    if (o->column)
        return find_wanted_column(t, o, column, err, err_size);
    *column = m->count ? column_called(t, m->list[0].title, &count) : -1;
    if (count > 1)
        return fails(err, err_size, "%s has %zu columns %s: name one by its number with --column",
                     o->gradebook, count, m->list[0].title);
    if (!count)
        *column = (int)t->row[0].count;
    return true;
}

/* Write the gradebook. Returns how many marks were placed. */
static size_t write_canvas_rows(sb *out, const csv_table *t, const marks *m,
                                const export_options *o, int column)
{
    static const char *const ids[][2] = {{"sis login id", NULL},
                                         {"sis user id", NULL},
                                         {"id", NULL},
                                         {"email", NULL},
                                         {"integration id", NULL}};
    const bool fresh = column == (int)t->row[0].count;
    const char *title = m->count && *m->list[0].title ? m->list[0].title : o->lab, *possible = "";
    size_t placed = 0;
    write_row(out, t, 0, &(filling){column, fresh ? title : NULL}, 1);
    for (size_t row = 1; row < t->rows; row++) {
        char text[32];
        const mark *k = mark_of_row(m, t, row, ids, sizeof ids / sizeof *ids);
        filling one = {column, NULL};
        if (is_points_possible(t, row)) {
            possible = csv_field(t, row, column);
            one.text = fresh && m->count ? nice_number(m->list[0].of, text, sizeof text) : NULL;
        } else if (k && !isnan(k->final) && !is_excused(csv_field(t, row, column))) {
            one.text = nice_number(points_in_column(k, possible), text, sizeof text);
        }
        write_row(out, t, row, &one, 1);
        placed += k != NULL;
    }
    return placed;
}

bool export_canvas(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
{
    CLEANUP(csv_free) csv_table t = {0};
    int column;
    bool ok = read_gradebook(&t, o,
                             "canvas needs a LAB, and with --gradebook the gradebook that Canvas "
                             "exports",
                             err, err_size) &&
              find_canvas_column(&t, m, o, &column, err, err_size);
    if (ok && write_canvas_rows(out, &t, m, o, column) == 0)
        ok = fails(err, err_size,
                   "%s names none of the students: the columns SIS Login ID, SIS User ID, ID and "
                   "Email are compared with `student`",
                   o->gradebook);
    return ok;
}

/* --- Moodle --- */

/* The number in "Participant 17", the first field of a row of a grading worksheet; "": none. */
static const char *participant_of_row(const csv_table *t, size_t row)
{
    const char *identifier = csv_field(t, row, 0), *at = identifier + strlen(identifier);
    while (at > identifier && isdigit((unsigned char)at[-1]))
        at--;
    return at;
}

/* The mark of the person in a row of a grading worksheet. Without a roster a student is called
 * NAME_NUMBER, as in Moodle's archive of submissions. */
static const mark *mark_of_participant(const marks *m, const csv_table *t, size_t row)
{
    static const char *const ids[][2] = {
        {"username", NULL}, {"id number", NULL}, {"email address", NULL}, {"full name", NULL}};
    const mark *found = mark_of_row(m, t, row, ids, sizeof ids / sizeof *ids);
    const char *number = participant_of_row(t, row);
    for (size_t i = 0; *number && !found && i < m->count; i++) {
        const char *at = strrchr(m->list[i].student, '_');
        found = at && strcmp(at + 1, number) == 0 ? &m->list[i] : NULL;
    }
    const char *name = csv_field(t, row, csv_column(t, ids[3]));
    for (size_t i = 0; *name && !found && i < m->count; i++)
        found = strcmp(m->list[i].name, name) == 0 ? &m->list[i] : NULL;
    return found;
}

/* Read a grading worksheet. *GRADE: the column of grades. */
static bool read_worksheet(csv_table *t, const export_options *o, int *grade, char *err,
                           size_t err_size)
{
    if (!read_gradebook(t, o,
                        "moodle and moodle-feedback need a LAB, and with --gradebook the grading "
                        "worksheet that Moodle exports",
                        err, err_size))
        return false;
    if (o->column)
        return find_wanted_column(t, o, grade, err, err_size);
    *grade = csv_column(t, (const char *const[]){"grade", NULL});
    return *grade >= 0 ||
           fails(err, err_size,
                 "%s has no column Grade; --column names it if Moodle speaks another language",
                 o->gradebook);
}

static bool no_participants(const export_options *o, char *err, size_t err_size)
{
    return fails(err, err_size,
                 "%s names none of the students: participant, username, ID number, email address "
                 "and full name are compared",
                 o->gradebook);
}

/* The verdict in a few lines, as HTML, which Moodle's feedback comments are. In A. */
static const char *feedback_comment(arena *a, const mark *k)
{
    CLEANUP(sb_free) sb text = {0}, html = {0};
    const char *line;
    size_t len;
    feedback_write_summary(&text, k);
    for (const char *rest = text.s; (line = next_line(&rest, &len));)
        if (len) {
            sb_puts(&html, "<p>");
            append_html_text(&html, arena_strndup(a, line, len));
            sb_puts(&html, "</p>");
        }
    return arena_strdup(a, html.s);
}

bool export_moodle(sb *out, const marks *m, const export_options *o, char *err, size_t err_size)
{
    CLEANUP(csv_free) csv_table t = {0};
    CLEANUP(arena_free) arena a = {0};
    int grade;
    size_t placed = 0;
    bool ok = read_worksheet(&t, o, &grade, err, err_size);
    const int comments = csv_column(&t, (const char *const[]){"feedback comments", NULL});
    for (size_t row = 0; ok && row < t.rows; row++) {
        char text[32];
        const mark *k = row ? mark_of_participant(m, &t, row) : NULL;
        filling with[] = {{grade, NULL}, {comments, NULL}};
        if (k && !isnan(k->final)) {
            /* Moodle writes the maximum next to the grade. */
            with[0].text =
                nice_number(points_in_column(k, csv_field(&t, row, grade + 1)), text, sizeof text);
            with[1].text = feedback_comment(&a, k);
        }
        write_row(out, &t, row, with, comments < 0 ? 1 : 2);
        placed += k != NULL;
    }
    if (ok && !placed)
        ok = no_participants(o, err, err_size);
    return ok;
}

static la_ssize_t add_to_text(struct archive *z, void *out, const void *bytes, size_t n)
{
    (void)z;
    sb_add(out, bytes, n);
    return (la_ssize_t)n;
}

/* Add the feedback on K to an archive, under a name by which Moodle finds the participant NUMBER:
 * NAME_NUMBER_assignfeedback_file_FILE, where NAME is for people and holds no underscore. */
static bool add_feedback_file(struct archive *z, const mark *k, const char *number)
{
    CLEANUP(sb_free) sb text = {0};
    OWNED char *name = xstrdup(*k->name ? k->name : k->student);
    for (char *p = name; *p; p++)
        *p = (char)(isalnum((unsigned char)*p) || *p == ' ' ? *p : '-');
    OWNED char *path = xprintf("%s_%s_assignfeedback_file_feedback.txt", name, number);
    struct archive_entry *e = archive_entry_new();
    feedback_write_all(&text, k);
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)text.len);
    archive_entry_set_mtime(e, (time_t)k->submitted, 0);
    bool ok = archive_write_header(z, e) == ARCHIVE_OK &&
              archive_write_data(z, text.s, text.len) == (la_ssize_t)text.len;
    archive_entry_free(e);
    return ok;
}

bool export_moodle_feedback(sb *out, const marks *m, const export_options *o, char *err,
                            size_t err_size)
{
    CLEANUP(csv_free) csv_table t = {0};
    int grade;
    size_t placed = 0;
    if (!read_worksheet(&t, o, &grade, err, err_size))
        return false;
    struct archive *z = archive_write_new();
    bool ok = z && archive_write_set_format_zip(z) == ARCHIVE_OK &&
              archive_write_set_bytes_in_last_block(z, 1) == ARCHIVE_OK &&
              archive_write_open(z, out, NULL, add_to_text, NULL) == ARCHIVE_OK;
    for (size_t row = 1; ok && row < t.rows; row++) {
        const mark *k = mark_of_participant(m, &t, row);
        const char *number = participant_of_row(&t, row);
        if (!k || !*number || isnan(k->final))
            continue;
        ok = add_feedback_file(z, k, number);
        placed++;
    }
    ok = ok && archive_write_close(z) == ARCHIVE_OK;
    if (!ok)
        fails(err, err_size, "cannot make an archive: %s",
              z && archive_error_string(z) ? archive_error_string(z) : "out of memory");
    archive_write_free(z);
    return ok && (placed || no_participants(o, err, err_size));
}
