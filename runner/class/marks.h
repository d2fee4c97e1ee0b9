/* Marks: results after the late policy and the marker's overrides are applied. The marker writes
 * these files in the directory of results; grading never changes them:
 *
 *   late.csv       lab,due,grace minutes,percent per day,cap percent      (lab *: all other labs)
 *   overrides.csv  student,lab,row,points,due,comment
 *   nicknames.csv  student,nickname                                       (who is on the
 * scoreboard)
 *
 * The field `row` of overrides.csv says what `points` sets: a number, or a name of the row as it is
 * printed anywhere, or the beginning of one, means that row of the rubric, `total` the points
 * before the penalty, `final` the mark. `due` sets another due date for the student. A row with
 * only a comment changes no points. */
#pragma once

#include "results.h"

typedef struct mark_row {
    const char *label;    /* name of the row: "transpose: sectors per load request, at most 16" */
    const char *names[3]; /* other names, as a report, a report's line of the way a value was found,
                           * and a summary print them */
    const char
        *timed; /* kernel whose speed the points are for; NULL: they are for something else */
    const char *sentence; /* what the points are for */
    const char *remark;   /* why there are no points; or NULL */
    const char *how;      /* how it was found: "modelled", "measured", "counted" or "checked" */
    const char *comment;  /* comment of the marker; or NULL */
    double reached;       /* the value that was achieved; NAN: not known */
    double points;        /* points of the row, at most */
    double judged, given; /* points given by the judge, and after an override by the marker */
    bool hidden;          /* the row is not shown to students */
} mark_row;

typedef struct mark {
    const char *student, *name, *email; /* identifier, name and email address, from the roster */
    const char *nickname;               /* the name on the scoreboard; NULL: not on it */
    const char *lab, *title, *word;     /* lab's name and title; the verdict as a word */
    int64_t submitted;                  /* time of submission, seconds since 1970; 0: not known */
    int64_t due;                        /* due date, seconds since 1970; 0: there is none */
    double of;                          /* points of the whole rubric */
    double judged, raw;   /* points given by the judge, and after the marker's overrides, before the
                             deduction for lateness; NAN: none given */
    double days, penalty; /* days late, rounded up; points lost because of that */
    double final;     /* points: `raw` minus `penalty`, or set by the marker; NAN if `raw` is NAN */
    bool overridden;  /* an override changed the mark */
    const char *note; /* which of several texts was taken; or NULL */
    const char *comment; /* comments of the marker, one per line; or NULL */
    mark_row *rows;      /* [row_count] rows of the rubric */
    size_t row_count;    /* number of rows */
    json_t *result;      /* contents of the student's result file LAB.json */
} mark;

typedef struct marks {
    arena memory;         /* holds the marks and their strings */
    mark *list;           /* marks sorted by student, then by lab */
    size_t count;         /* number of marks */
    json_t *all;          /* JSON array of the result files of all students */
    json_t **similar;     /* reports on similar submissions, one for each lab (similar/similar.h) */
    const char *dir;      /* path of the directory with the results */
    size_t similar_count; /* number of reports */
} marks;

/* Read the marks of LAB (of results_lab_name), or of all labs if it is NULL. False with a sentence
 * in ERR: one of the marker's files has a mistake, and the sentence names the line. */
bool marks_read(marks *m, results *r, const char *lab, char *err, size_t err_size);
void marks_free(marks *m);

/* The points that are taken off POINTS for a submission LATE seconds after the due date. */
double marks_penalty(double points, int64_t late, double grace_minutes, double percent_a_day,
                     double cap_percent, double *days);
