/* What an assignment's points are for: labs/NN-topic/rubric.tsv. CONTRIBUTING.md, "Formats", has
 * the columns. */
#ifndef WARPBOOK_RUBRIC_H
#define WARPBOOK_RUBRIC_H

#include "../base/text.h"

typedef enum rubric_kind {
    RUBRIC_CHECK,     /* one of the lab's checks passes at all LIMIT sizes */
    RUBRIC_GOAL,      /* one of its goals, with this very relation and limit, is met */
    RUBRIC_BANDWIDTH, /* bandwidth of a variant, in percent of the device's own copy in the same run
                       */
    RUBRIC_RATIO /* bandwidth of a variant, in percent of that of the variant METRIC in the same run
                  */
} rubric_kind;

typedef struct rubric_row {
    rubric_kind kind;
    double points;
    const char *name;     /* name of the check, of the goal's kernel, or of the variant */
    const char *metric;   /* metric of a goal; other variant of a ratio; else NULL */
    const char *relation; /* at_most, at_least or equal */
    double limit;
    double floor; /* bandwidth and ratio: points grow from this value up to the limit; NAN: they are
                     earned only at the limit */
    const char *sentence; /* a sentence for people: what the points are for */
    bool hidden;          /* left out of hand-outs and of what students read */
} rubric_row;

typedef struct rubric {
    rubric_row *rows;
    size_t count;
    double not_shown; /* points of rows that a hand-out leaves out */
} rubric;

enum { RUBRIC_POINTS = 100 }; /* sum of the points of all rows, also those that are not shown */

/* Read a rubric's text, into A. NULL with a sentence that names the line in ERR where it is not
 * one: a wrong header, a field that is missing or not known, the same thing twice, a wrong sum. */
rubric *rubric_parse(const char *text, arena *a, char *err, size_t err_size);

/* "check", "goal", ... as the file has it. */
const char *rubric_kind_word(rubric_kind kind);

#endif
