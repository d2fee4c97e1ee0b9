/* The emulator's tables: tab-separated text with one header row and `-` for an empty field. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A buffer for rows of a table: call table_begin_rows, write the rows to the stream `to`, call
 * table_end_rows.
 */
typedef struct table_rows {
    FILE *to;      /* stream to which rows are written */
    char *text;    /* the rows, as text */
    size_t length; /* bytes of the text */
} table_rows;

/* Start an empty buffer of rows. Returns false with errno set if out of memory. */
bool table_begin_rows(table_rows *rows);
/* Append the buffered rows to the file PATH with table_append, and release the buffer. */
bool table_end_rows(table_rows *rows, const char *path, const char *header);

/* Append TEXT to the file PATH in one write in append mode, so that several processes may share the
 * file; an empty file first gets HEADER. Returns false with errno set on an I/O error. */
bool table_append(const char *path, const char *header, const char *text, size_t length);

/* Write TEXT as a field of a table; tabs and line ends in TEXT are replaced. */
void table_write_field(FILE *f, const char *text);

/* Write the first columns of a row: the launch's number, its kernel, grid and block, and a tab. */
void table_write_launch(FILE *f, uint64_t launch, const char *kernel, const uint32_t grid[3],
                        const uint32_t block[3]);
