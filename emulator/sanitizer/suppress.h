/* Reports that are not wanted: WARPBOOK_SUPPRESS names a file of them.
 *
 * A line is a kind (or *) and a pattern (glob(7)), with blanks between: the report is left out if
 * the pattern fits the kernel's or function's name, the file's name, or "FILE:LINE". What follows
 * "#" is a comment. */
#ifndef WARPBOOK_SANITIZER_SUPPRESS_H
#define WARPBOOK_SANITIZER_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the file at PATH; NULL: none. False: ERR (a buffer of SIZE bytes) says what is wrong. */
bool san_suppress_read(const char *path, char *err, size_t size);

/* Is a report to be left out? It is of KIND and about kernel NAME (NULL: no kernel), at LINE of
   the file PATH (NULL: not known). */
bool san_suppressed(const char *kind, const char *name, const char *path, uint32_t line);

#endif
