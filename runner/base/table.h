/* Tables as labs and the emulator write them: tab-separated, one header row, `-` for an empty
 * field. Columns are found by name, so that a table may have more than a reader knows. */
#ifndef WARPBOOK_TABLE_H
#define WARPBOOK_TABLE_H

#include "text.h"

typedef struct table {
    arena memory;
    size_t columns, rows;
    char **header;
    char ***cells; /* cells[row][column]; short rows are filled with NULL */
} table;

/* NULL where the file cannot be read (errno). An empty file is a table without columns. */
table *table_read(const char *path);
table *table_parse(const char *text);
void table_free(table *t);

/* Field of a row by column name: NULL where the column or the field is missing, or the field `-`.
 */
const char *table_get(const table *t, size_t row, const char *column);
bool table_number(const table *t, size_t row, const char *column, double *out);

#endif
