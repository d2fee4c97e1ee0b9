/* Builds the text of a submission that is graded: its TODO regions inserted into the book's own
 * text. Everything else in the submitted file is ignored. */
#pragma once

#include "../base/text.h"

/* A copy of TEXT with
 * as line end and without a byte order mark; to be freed. */
char *graft_normalized_text(const char *text);

/* ORIGINAL with its regions replaced by those of TEXT (a result of graft_normalized_text), and with
 * TEXT's values of the constants that are its author's to choose (choices.h). #line directives give
 * each region the line numbers of the file CALLED, so that compiler messages name lines of the
 * submission. To be freed. NULL with a sentence in
 * *WHY, in A: a region is missing or malformed. */
char *insert_todo_regions(const char *original, const char *text, const char *called, arena *a,
                          const char **why);

/* What TEXT lacks of the lines that begin and end the regions of ORIGINAL, one of a pair, as the
 * end of a sentence in A; NULL: none. */
const char *find_lost_mark(const char *original, const char *text, arena *a);
