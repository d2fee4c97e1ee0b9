/* What is graded of a submission: its TODO regions, in the book's own text. All else in the file is
 * left out. */
#ifndef WARPBOOK_GRAFT_H
#define WARPBOOK_GRAFT_H

#include "../base/text.h"

/* TEXT with \n at the end of its lines, and without a byte order mark; to be freed. */
char *graft_plain(const char *text);

/* ORIGINAL with the regions of TEXT (of graft_plain) in place of its own, and with the numbers that
 * TEXT has on the lines that the book ends with "// yours to choose". #line directives give each
 * region the lines of the file CALLED, so that messages name lines of the submission; CALLED has
 * nothing that a string would have to escape. To be freed.
 * NULL with a sentence in *WHY, in A: a region is missing, or not as it must be. */
char *graft(const char *original, const char *text, const char *called, arena *a, const char **why);

#endif
