/* Feedback on a mark for a student, as plain text without control characters. It contains no hidden
 * row, and no output of the run, which could reveal hidden checks. */
#pragma once

#include "marks.h"

/* The verdict in words, such as "right" for OK. */
const char *feedback_sentence_for(const char *word);
/* Write sentences about the whole submission: the verdict, why it was not run, reported mistakes,
 * the compiler's message, lateness, the marker's comment. */
void feedback_write_summary(sb *out, const mark *m);
/* Write a visible row: what its points are for, the points achieved, what was wrong. */
void feedback_write_row(sb *out, const mark *m, const mark_row *r);
/* Write all of it: the summary, and each visible row with its points. */
void feedback_write_all(sb *out, const mark *m);
/* Write only the reports of mistakes, each before an empty line; or one. False: no mistake. */
void feedback_write_reports(sb *out, const mark *m);
bool feedback_write_report(sb *out, const json_t *report);

/* feedback_visible_rows: the number of visible rows. feedback_hidden_points: the points of the
 * hidden rows; *GIVEN: how many of them were achieved. */
size_t feedback_visible_rows(const mark *m);
double feedback_hidden_points(const mark *m, double *given);
