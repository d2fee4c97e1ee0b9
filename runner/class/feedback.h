/* What a student is told of a mark, as plain text: no hidden row, no output of the run, which may
 * tell of hidden checks; control characters are gone. */
#ifndef WARPBOOK_FEEDBACK_H
#define WARPBOOK_FEEDBACK_H

#include "marks.h"

/* "OK: right", ... the verdict in words. */
const char *feedback_verdict(const char *word);
/* Sentences on the whole: the verdict, why it was not run, mistakes that were reported, the
 * compiler's message, how late it was, the marker's comment. */
void feedback_whole(sb *out, const mark *m);
/* Write a row that is shown to the student: what it is for, what was achieved, what was wrong. */
void feedback_row(sb *out, const mark *m, const mark_row *r);
/* The reports of mistakes alone, each followed by an empty line. */
void feedback_reports(sb *out, const mark *m);

/* Rows that are shown, and the points of the others: of them, given. */
size_t feedback_shown(const mark *m);
double feedback_hidden(const mark *m, double *given);

#endif
