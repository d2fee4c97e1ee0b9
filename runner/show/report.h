/* Prints verdicts as text and as JSON. */
#pragma once

#include "../base/linear.h"
#include "../book/page.h"
#include "../judge/desk.h"

#include <stdio.h>

/* Print a verdict as text. BRIEF: list the checks instead of the lab's output. */
void report_verdict(FILE *f, session *d, const chapter *c, const verdict *v, bool brief);

/* Append the table of measurements to TEXT, narrower than the lab's own table. RECORDED (or NULL):
 * the lesson's recorded run (recorded.h), shown in an extra column. */
void report_measures(sb *text, const verdict *v, const table *recorded);

/* Append the table of points; with few COLUMNS a row takes two lines. Nothing without points. */
void report_points(sb *text, const verdict *v, size_t columns);

/* The verdict as a json_t* (new reference). */
void *report_json(session *d, const chapter *c, const verdict *v);
void *report_chapter_json(session *d, const chapter *c);

/* Append the reported mistakes, their source lines and the usual fixes, wrapped to WIDTH. */
void report_findings(page *p, const verdict *v, size_t width);

/* Append the goals, wrapped to WIDTH; goals that are not judged yet are omitted. */
void report_goals(page *p, const verdict *v, size_t width);
