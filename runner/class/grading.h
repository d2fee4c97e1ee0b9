/* Grading a class: several submissions at once, each verdict written as soon as it is there. */
#ifndef WARPBOOK_GRADING_H
#define WARPBOOK_GRADING_H

#include "../judge/desk.h"
#include "../judge/verdict.h"
#include "handin.h"
#include "results.h"

typedef struct grading_options {
    bool gpu, boxed;
    double timeout_s; /* of a run; 0: the default */
    int jobs;         /* at once; at least 1 */
    bool rejudge;     /* also what was judged before */
    bool progress;    /* a line on stderr, a terminal, while they run */
    int slurm; /* submissions a task of a Slurm cluster, which judges them; -1: as many as usual, 0:
                  here */
    results *store; /* NULL: results are told, and written nowhere */
} grading_options;

/* What a submission came to. */
typedef struct graded {
    const handin *from;
    const char *word;    /* "OK", "WRONG", ... */
    double points, of;   /* points NAN: none are given, for the marker to decide */
    const char *summary; /* what was lost or why there are no points; "" where nothing was */
    bool internal;       /* our own failure: no mark is touched, it is tried again next time */
    bool recalled;       /* known from the same content */
    bool full;           /* passes with all points */
    int exit_code;
    const verdict *v; /* NULL where it was recalled */
    json_t *result;   /* report_json's object */
} graded;

/* Judge all of H, and tell each in the order of H. False where a signal came: what was told is
 * written, and the next call goes on. */
bool grading_run(desk *d, const chapter *c, const handins *h, const grading_options *options,
                 void (*tell)(void *object, const graded *g), void *object);

/* "OK", "WRONG", "RACE", "COMPILE-ERROR", ...: README.md, "For instructors", lists them. */
const char *grading_word(const verdict *v);

#endif
