/* Writing the emulator's tables: tab-separated text with one header row, `-` for an empty field. */
#ifndef WARPBOOK_COUNTERS_TABLE_H
#define WARPBOOK_COUNTERS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Append TEXT in one write to a file opened in append mode, so that several processes may share it;
 * if the file is empty, HEADER comes first. False: an I/O error, see errno. */
bool table_append(const char *path, const char *header, const char *text, size_t length);

/* Write a field; tabs and line ends in it would break the table and are replaced. */
void table_field(FILE *f, const char *text);

#endif
