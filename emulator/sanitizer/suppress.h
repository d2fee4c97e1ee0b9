/* Reports that the user does not want: WARPBOOK_SUPPRESS names a file of rules. Each line has a
 * kind (or *) and a pattern (glob(7)), by blanks: a report is omitted if the pattern matches the
 * kernel's or function's name, the file's, or "FILE:LINE". Text after "#" is a comment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the rules in the file at PATH; NULL: none. False: ERR (SIZE bytes) says why. */
bool san_read_suppressions(const char *path, char *err, size_t size);

/* Is a report to be omitted, because a rule matches it? The report is of KIND and about kernel
 * NAME (NULL: no kernel), at LINE of the file PATH (NULL: not known). */
bool san_is_report_suppressed(const char *kind, const char *name, const char *path, uint32_t line);
