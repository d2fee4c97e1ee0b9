#include "table.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_LIMIT = 64 << 20 }; /* bytes of a table file, at most */

static char **split_row(table *t, const char *line, size_t len, size_t *count)
{
    size_t most = 1;
    for (size_t k = 0; k < len; k++)
        most += line[k] == '\t';
    char **fields = arena_alloc(&t->memory, most * sizeof *fields);
    *count = cut_fields(arena_strndup(&t->memory, line, len), fields, most);
    return fields;
}

table *table_parse(const char *text)
{
    table *t = xmalloc(sizeof *t);
    *t = (table){0};
    const char *line;
    size_t len, n;
    while ((line = next_line(&text, &len))) {
        if (len == 0)
            continue;
        char **fields = split_row(t, line, len, &n);
        if (!t->header) {
            t->header = fields;
            t->columns = n;
            continue;
        }
        if (n < t->columns) {
            char **padded = arena_alloc(&t->memory, t->columns * sizeof *padded);
            memcpy(padded, fields, n * sizeof *padded);
            fields = padded;
        }
        /* If two programs appended to one file, the header appears twice. */
        if (n == t->columns && strcmp(fields[0], t->header[0]) == 0)
            continue;
        *ARENA_PUSH(&t->memory, t->cells, t->rows) = fields;
    }
    return t;
}

table *table_read(const char *path)
{
    OWNED char *text = read_whole_file(path, TABLE_LIMIT, NULL);
    if (!text)
        return NULL;
    return table_parse(text);
}

void table_free(table *t)
{
    if (!t)
        return;
    arena_free(&t->memory);
    free(t);
}

size_t table_add_column(table *t, const char *name)
{
    char **header = arena_alloc(&t->memory, (t->columns + 1) * sizeof *header);
    memcpy(header, t->header, t->columns * sizeof *header);
    header[t->columns] = arena_strdup(&t->memory, name);
    for (size_t row = 0; row < t->rows; row++) {
        char **cells = arena_alloc(&t->memory, (t->columns + 1) * sizeof *cells);
        memcpy(cells, t->cells[row], t->columns * sizeof *cells);
        t->cells[row] = cells;
    }
    t->header = header;
    return t->columns++;
}

void table_set(table *t, size_t row, size_t column, const char *text)
{
    t->cells[row][column] = arena_strdup(&t->memory, text);
}

const char *table_get(const table *t, size_t row, const char *column)
{
    for (size_t c = 0; c < t->columns; c++)
        if (strcmp(t->header[c], column) == 0) {
            const char *field = t->cells[row][c];
            return field && strcmp(field, "-") != 0 ? field : NULL;
        }
    return NULL;
}

bool table_is(const table *t, size_t row, const char *column, const char *text)
{
    const char *field = table_get(t, row, column);
    return field && strcmp(field, text) == 0;
}

void table_append_row(sb *out, const table *t, size_t row, const char *const *changes)
{
    for (size_t k = 0; k < t->columns; k++) {
        const char *text = table_get(t, row, t->header[k]);
        for (const char *const *c = changes; c && *c; c += 2)
            text = strcmp(*c, t->header[k]) == 0 ? c[1] : text;
        sb_printf(out, "%s%s", text ? text : "-", k + 1 < t->columns ? "\t" : "\n");
    }
}

bool table_number(const table *t, size_t row, const char *column, double *out)
{
    return parse_number(table_get(t, row, column), out);
}

double table_number_or(const table *t, size_t row, const char *column, double none)
{
    double v;
    return table_number(t, row, column, &v) ? v : none;
}

void table_open(table_reader *r, const char *path)
{
    *r = (table_reader){.f = fopen(path, "re")};
    if (r->f && getline(&r->line, &r->size, r->f) > 0) {
        r->header = xstrdup(r->line);
        r->columns = cut_fields(r->header, r->names, TABLE_MOST_COLUMNS);
    }
}

bool table_next(table_reader *r)
{
    const size_t n = r->columns;
    while (n && getline(&r->line, &r->size, r->f) > 0)
        /* A program that was killed may have left part of a row. Where two programs appended to one
         * file, the header appears twice. */
        if (cut_fields(r->line, r->field, TABLE_MOST_COLUMNS) == n &&
            strcmp(r->field[n - 1], r->names[n - 1]) != 0)
            return true;
    return false;
}

void table_close(table_reader *r)
{
    if (r->f)
        fclose(r->f);
    free(r->line);
    free(r->header);
}

const char *table_field(const table_reader *r, const char *column)
{
    for (size_t i = 0; i < r->columns; i++)
        if (strcmp(r->names[i], column) == 0)
            return strcmp(r->field[i], "-") == 0 ? "" : r->field[i];
    return "";
}

double table_value(const table_reader *r, const char *column)
{
    double v;
    return parse_number(table_field(r, column), &v) ? v : 0;
}
