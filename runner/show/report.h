/* Verdicts and lists as text and as JSON. */
#ifndef WARPBOOK_REPORT_H
#define WARPBOOK_REPORT_H

#include "../book/page.h"
#include "../judge/desk.h"

#include <stdio.h>

/* Whether to colour what goes to F: a terminal, and NO_COLOR not set. */
bool report_colour(FILE *f);
/* Whether the locale's characters are UTF-8. */
bool locale_is_utf8(void);

/* Text of a verdict. BRIEF names the checks instead of showing the lab's output. */
void report_verdict(FILE *f, desk *d, const chapter *c, const verdict *v, bool brief);

/* The table of measurements, narrower than a lab's own: lines of TEXT, each ended by \n. RECORDED
 * (or NULL): what the lesson quotes (recorded.h) stands beside each. */
void report_measures(sb *text, const verdict *v, const table *recorded);

/* Append the table of points; with few COLUMNS a row takes two lines. Appends nothing if there are
 * no points. */
void report_points(sb *text, const verdict *v, size_t columns);

/* The verdict as a json_t* (new reference). */
void *report_json(desk *d, const chapter *c, const verdict *v);
void *report_chapter_json(desk *d, const chapter *c);
void report_print_json(void *json);

/* Reports of mistakes, the source lines and what usually mends them, wrapped to WIDTH. */
void report_findings(page *p, const verdict *v, size_t width);

/* Goals, wrapped to WIDTH: nothing of those that wait. */
void report_goals(page *p, const verdict *v, size_t width);

#endif
