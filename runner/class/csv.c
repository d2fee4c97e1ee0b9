#include "csv.h"

#include "../base/files.h"
#include "../base/plain.h"
#include "encoding.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

/* Read the field at *P into OUT; *P then points to what ended it. False: a quote is open. */
static bool read_field(const char **p, char separator, sb *out)
{
    const char *s = *p;
    if (*s != '"') {
        size_t n = 0;
        while (s[n] && s[n] != separator && s[n] != '\n' && s[n] != '\r')
            n++;
        sb_add(out, s, n);
        *p = s + n;
        return true;
    }
    for (s++; *s; s++) {
        if (*s == '"' && s[1] == '"')
            s++;
        else if (*s == '"')
            break;
        sb_add(out, s, 1);
    }
    if (!*s)
        return false;
    for (s++; *s && *s != separator && *s != '\n' && *s != '\r'; s++)
        sb_add(out, s, 1);
    *p = s;
    return true;
}

static char find_csv_separator(const char *text)
{
    size_t n = strcspn(text, "\r\n");
    return memchr(text, ',', n) || !memchr(text, ';', n) ? ',' : ';';
}

static const char *parse_csv_rows(csv_table *t, const char *text)
{
    text += starts_with(text, "\xEF\xBB\xBF") ? 3 : 0;
    char separator = find_csv_separator(text);
    while (*text) {
        if (t->rows == CSV_MAX_ROWS)
            return "has more than 100000 rows";
        struct csv_row *row = ARENA_PUSH(&t->memory, t->row, t->rows);
        *row = (struct csv_row){0};
        for (;;) {
            CLEANUP(sb_free) sb field = {0};
            bool ok = read_field(&text, separator, &field);
            if (ok && row->count < CSV_MAX_COLUMNS)
                *ARENA_PUSH(&t->memory, row->fields, row->count) =
                    arena_strndup(&t->memory, field.s ? field.s : "", field.len);
            else
                ok = false;
            if (!ok)
                return row->count < CSV_MAX_COLUMNS ? "has a quote that is not closed"
                                                    : "has more than 1000 columns";
            if (*text != separator)
                break;
            text++;
        }
        text += *text == '\r' && text[1] == '\n' ? 2 : *text ? 1 : 0;
        if (row->count == 1 && !*row->fields[0])
            t->rows--; /* an empty line is no row */
    }
    return t->rows ? NULL : "is empty: its first line names the columns";
}

bool csv_parse(csv_table *t, const char *text, char *err, size_t err_size)
{
    *t = (csv_table){0};
    const char *wrong = parse_csv_rows(t, text);
    if (!wrong)
        return true;
    snprintf(err, err_size, "%s", wrong);
    csv_free(t);
    return false;
}

bool csv_read(csv_table *t, const char *path, char *err, size_t err_size)
{
    char why[128];
    size_t length;
    OWNED char *text = read_whole_file(path, CSV_MAX_BYTES, &length);
    *t = (csv_table){0};
    if (!text)
        return fails(err, err_size, "%s cannot be read: %s", path, strerror(errno));
    char *other = text_from_utf16(text, &length); /* as spreadsheets save "Unicode text" */
    other = other ? other : text_from_windows(text);
    bool ok = csv_parse(t, other ? other : text, why, sizeof why);
    if (!ok)
        snprintf(err, err_size, "%s %s", path, why);
    free(other);
    return ok;
}

void csv_free(csv_table *t)
{
    arena_free(&t->memory);
    *t = (csv_table){0};
}

static bool is_same_column_name(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " _-\t");
        b += strspn(b, " _-\t");
        if (!*a || !*b)
            return !*a && !*b;
        if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++))
            return false;
    }
}

int csv_column(const csv_table *t, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; t->rows && i < t->row[0].count; i++)
            if (is_same_column_name(t->row[0].fields[i], *names))
                return (int)i;
    return -1;
}

const char *csv_field(const csv_table *t, size_t row, int column)
{
    return column >= 0 && (size_t)column < t->row[row].count ? t->row[row].fields[column] : "";
}

/* --- writing --- */

void csv_write_quoted(sb *out, const char *text)
{
    if (out->len && out->s[out->len - 1] != '\n')
        sb_puts(out, ",");
    if (*text && !strpbrk(text, "\",\r\n") && !isspace((unsigned char)*text)) {
        sb_puts(out, text);
        return;
    }
    sb_puts(out, "\""); /* an empty first field is quoted, so that the next field gets a comma */
    for (; *text; text++)
        sb_puts(out, *text == '"' ? "\"\"" : (char[]){*text, '\0'});
    sb_puts(out, "\"");
}

void csv_write_text(sb *out, const char *text)
{
    CLEANUP(sb_free) sb plain = {0};
    /* A spreadsheet skips blanks before it checks for a formula. */
    char first = text[strspn(text, " \t\r\n\v\f")];
    if (first && strchr("=+-@|%", first))
        sb_puts(&plain, "'");
    append_sanitized(&plain, text, false);
    csv_write_quoted(out, plain.s);
}

void csv_write_number(sb *out, double number)
{
    char buf[32];
    csv_write_quoted(out, isnan(number) ? "" : nice_number(number, buf, sizeof buf));
}

void csv_end_line(sb *out)
{
    sb_puts(out, "\n");
}
