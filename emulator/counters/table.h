/* Writing the emulator's tables: tab-separated text with one header row, `-` for an empty field. */
#ifndef WARPBOOK_COUNTERS_TABLE_H
#define WARPBOOK_COUNTERS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Rows on their way to a file: begin, write them to `to`, end. */
typedef struct table_rows {
    FILE *to;
    char *text;
    size_t length;
} table_rows;

/* False with errno: out of memory. */
bool table_begin(table_rows *rows);
/* Append the rows to PATH, as table_append. */
bool table_end(table_rows *rows, const char *path, const char *header);

/* Append TEXT in one write to a file opened in append mode, so that several processes may share it;
 * if the file is empty, HEADER comes first. False: an I/O error, see errno. */
bool table_append(const char *path, const char *header, const char *text, size_t length);

/* Write a field; tabs and line ends in it would break the table and are replaced. */
void table_field(FILE *f, const char *text);

/* The first columns of a table of launches: the launch's number, its kernel, grid and block, and a
 * tab. */
void table_launch(FILE *f, uint64_t launch, const char *kernel, const uint32_t grid[3],
                  const uint32_t block[3]);

#endif
