/* Files that a run writes for other programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Write LEN bytes to FILE, which is replaced when all are written; "-": to standard output. False:
 * a message was printed. */
bool write_output_file(const char *file, const char *bytes, size_t len);
