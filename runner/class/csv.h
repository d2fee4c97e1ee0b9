/* CSV (RFC 4180): rosters and gradebooks that are read, and tables that are written. */
#ifndef WARPBOOK_CSV_H
#define WARPBOOK_CSV_H

#include "../base/text.h"

enum { CSV_BYTES = 16 << 20, CSV_COLUMNS = 1000, CSV_ROWS = 100000 };

typedef struct csv {
    arena memory;
    size_t rows;
    struct csv_row {
        const char **fields; /* fields of the row; never NULL */
        size_t count;
    } * row; /* rows; the first one is the header */
} csv;

/* The file PATH. Quotes, line ends of all kinds, a byte order mark; commas, or semicolons where the
 * header has no comma. False with a sentence in ERR that begins with the path. */
bool csv_read(csv *t, const char *path, char *err, size_t err_size);
bool csv_parse(csv *t, const char *text, char *err, size_t err_size);
void csv_free(csv *t);

/* The column whose header is one of NAMES (NULL-terminated; case, blanks, - and _ do not matter);
 * negative: none. */
int csv_column(const csv *t, const char *const *names);
/* A field; "" where the row is shorter, or COLUMN negative. */
const char *csv_field(const csv *t, size_t row, int column);

/* Add a field to the line that OUT ends with, with a comma before it where it is not the first.
 * csv_text is for text from outside: what a spreadsheet would take for a formula begins with an
 * apostrophe, and control characters become blanks. csv_raw changes nothing. */
void csv_text(sb *out, const char *text);
void csv_raw(sb *out, const char *text);
void csv_number(sb *out, double number); /* NAN: an empty field */
void csv_end(sb *out);

#endif
