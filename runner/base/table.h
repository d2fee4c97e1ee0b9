/* Reads the tables that labs and the emulator write: tab-separated, one header row, `-` for an
 * empty field. Columns are found by name, so a table may have others. */
#pragma once

#include "text.h"

#include <stdio.h>

enum { TABLE_MOST_COLUMNS = 32 }; /* that are read row by row */

typedef struct table {
    arena memory;         /* arena that holds the table */
    size_t columns, rows; /* numbers of columns and rows */
    char **header;        /* names of the columns */
    char ***cells;        /* cells[row][column]; short rows are filled with NULL */
} table;

/* Read a table from a file. NULL: the file cannot be read (errno). An empty file gives a table
 * without columns. */
table *table_read(const char *path);
table *table_parse(const char *text);
void table_free(table *t);
static inline void free_owned_table(table **t)
{
    table_free(*t);
}
#define OWNED_TABLE CLEANUP(free_owned_table)

/* Field of a row by column name; NULL: the column or the field is missing, or the field is `-`. */
const char *table_get(const table *t, size_t row, const char *column);
/* True: the field of a row by column name is TEXT. */
bool table_is(const table *t, size_t row, const char *column, const char *text);
/* Add an empty column NAME, which table_set fills. Returns its number. */
size_t table_add_column(table *t, const char *name);
void table_set(table *t, size_t row, size_t column, const char *text);
/* Add a row to OUT as a line of a table. CHANGES, which may be NULL: names of columns, each
 * followed by the text that it has instead, and NULL. */
void table_append_row(sb *out, const table *t, size_t row, const char *const *changes);
bool table_number(const table *t, size_t row, const char *column, double *out);
double table_number_or(const table *t, size_t row, const char *column, double none);

/* Reads a table row by row: those of a long run are too large for memory. */
typedef struct table_reader {
    FILE *f;             /* NULL: the file cannot be read */
    char *line, *header; /* the current row, as getline returns it, and the first */
    size_t size;         /* bytes allocated for `line` */
    size_t columns;      /* their number */
    char *names[TABLE_MOST_COLUMNS], *field[TABLE_MOST_COLUMNS];
} table_reader;

/* A file that cannot be read gives a table without rows. */
void table_open(table_reader *r, const char *path);
/* Go to the next whole row. False: there is none. */
bool table_next(table_reader *r);
void table_close(table_reader *r);
/* Field of the current row by column name; "" or 0: the column or the field is missing, or the
 * field is `-`, or no number. */
const char *table_field(const table_reader *r, const char *column);
double table_value(const table_reader *r, const char *column);
