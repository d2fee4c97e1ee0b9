/* CSV files (RFC 4180): reads rosters and gradebooks, writes tables of marks. */
#pragma once

#include "../base/text.h"

enum {
    CSV_MAX_BYTES = 16 << 20, /* largest file that is read, in bytes */
    CSV_MAX_COLUMNS = 1000,   /* fields of a row, at most */
    CSV_MAX_ROWS = 100000,    /* rows of a file, at most */
};

typedef struct csv_table {
    arena memory; /* holds the rows and their text */
    size_t rows;  /* number of rows */
    struct csv_row {
        const char **fields; /* [count] text of the row's fields; no field is NULL */
        size_t count;        /* number of fields in the row */
    } * row;                 /* [rows] rows of the file; the first one names the columns */
} csv_table;

/* Read the file PATH. It may have quotes, any kind of line end, a byte order mark, and semicolons
 * instead of commas if the header has no comma. False with a sentence in ERR. */
bool csv_read(csv_table *t, const char *path, char *err, size_t err_size);
bool csv_parse(csv_table *t, const char *text, char *err, size_t err_size);
void csv_free(csv_table *t);

/* The column whose header equals one of NAMES (NULL-terminated; case, blanks, - and _ are ignored);
 * negative: there is none. */
int csv_column(const csv_table *t, const char *const *names);
/* A field; "" if the row is shorter or COLUMN is negative. */
const char *csv_field(const csv_table *t, size_t row, int column);

/* Append a field to the last line of OUT, with a comma before it unless it is the line's first
 * field. csv_write_text is for untrusted text: it puts an apostrophe before what a spreadsheet
 * would take for a formula, and blanks for control characters. csv_write_quoted changes nothing. */
void csv_write_text(sb *out, const char *text);
void csv_write_quoted(sb *out, const char *text);
void csv_write_number(sb *out, double number); /* NAN: an empty field */
void csv_end_line(sb *out);
