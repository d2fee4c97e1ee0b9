/* Print a line of a source file in a report. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write line LINE (from 1) of the file at PATH to OUT, with its number before it and a caret in a
 * second line below COLUMN (from 1; 0: its first character that is no blank):
 *
 *     42 |     out[i] = in[i + 1];
 *        |     ^
 *
 * Tabs become blanks, other control characters "?", and a long line is cut. Returns the bytes
 * written; 0: the file cannot be read or has no such line. The file's name comes from the program,
 * so only a regular file is opened, and no more than a few megabytes are read. */
size_t san_source_line(const char *path, uint32_t line, uint32_t column, char *out, size_t size);

/* Write that line alone to OUT, cut if it is longer. False: it cannot be read. */
bool san_read_source_line(const char *path, uint32_t line, char *out, size_t size);

/* The whole text of the file at PATH, under the same conditions: malloc'd. NULL: not read. */
char *san_source_text(const char *path);
