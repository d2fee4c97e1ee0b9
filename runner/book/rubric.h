/* Reads an assignment's rubric, labs/NN-topic/rubric.tsv: what its points are given for.
 * docs/FORMATS.md, lists the columns. */
#pragma once

#include "../base/text.h"

typedef enum rubric_kind {
    RUBRIC_CHECK,     /* a check of the lab; `limit` is the number of problem sizes that it tries */
    RUBRIC_GOAL,      /* a limit on a counted metric of a kernel */
    RUBRIC_LINES,     /* how many of the student's lines of a kernel no check reaches */
    RUBRIC_BANDWIDTH, /* a variant's bandwidth, in percent of the device's own copy in the same
                         run */
    RUBRIC_RATIO, /* a variant's bandwidth, in percent of the variant METRIC's in the same run */
    RUBRIC_COST   /* time of a variant, in times that of the book's solution (judge/cost.h) */
} rubric_kind;

typedef struct rubric_row {
    rubric_kind kind; /* what the row gives points for: a check, a metric, a bandwidth or a ratio */
    double points;    /* points of the row, at most */
    const char *name; /* name of the check, of the goal's kernel, or of the variant */
    const char *metric;   /* metric of a goal; other variant of a ratio; else NULL */
    const char *relation; /* how the value must compare with `limit`: at_most, at_least or equal */
    double limit;         /* number with which the value is compared */
    double floor; /* bandwidth, ratio and cost: points grow from this value up to the limit; NAN:
                     they are earned only at the limit */
    const char *sentence; /* a sentence for people: what the points are for */
    bool hidden;          /* the row is omitted from students' copies and of reports to students */
} rubric_row;

typedef struct rubric {
    rubric_row *rows; /* [count] rows, each of which gives points for one thing */
    size_t count;     /* number of rows */
    double not_shown; /* points of rows that a student's copy leaves out */
} rubric;

enum { RUBRIC_POINTS = 100 }; /* sum of the points of all rows, including hidden rows */

/* Parse a rubric's text, into A. NULL with a sentence in ERR that names the line: a wrong header, a
 * missing or unknown field, a repeated row, or a wrong sum of points. */
rubric *rubric_parse(const char *text, arena *a, char *err, size_t err_size);

/* Whether R, which may be NULL, gives points for the lines that the checks reach. */
bool rubric_asks_for_lines(const rubric *r);

/* The kind as written in the file: "check", "goal", ... */
const char *rubric_kind_word(rubric_kind kind);
