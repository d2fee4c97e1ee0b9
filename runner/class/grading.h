/* Grading a class: several submissions at once, each verdict written as soon as it is there. */
#ifndef WARPBOOK_GRADING_H
#define WARPBOOK_GRADING_H

#include "../judge/desk.h"
#include "../judge/verdict.h"
#include "handin.h"
#include "results.h"

typedef struct grading_options {
    bool gpu, boxed;
    double timeout_s; /* time limit of a run in seconds; 0: the default */
    int jobs;         /* submissions judged at the same time; at least 1 */
    bool rejudge;     /* judge again what has been judged before */
    bool progress;    /* show a progress line on stderr, which is a terminal */
    int slurm; /* submissions per task of a Slurm cluster, which judges them; -1: the usual number,
                  0: judge them here */
    results *store; /* where results are kept; NULL: they are only printed */
} grading_options;

/* The result of grading a submission. */
typedef struct graded {
    const handin *from;
    const char *word; /* the verdict as a word: "OK", "WRONG", ... */
    double points,
        of; /* points achieved and possible; NAN: none are given, and the marker decides */
    const char *summary; /* what was lost, or why there are no points; "" if nothing was */
    bool internal; /* grading itself failed: no mark is changed, and it is tried again next time */
    bool recalled; /* the result was recalled, because the same content has been judged before */
    bool full;     /* it passes with all points */
    int exit_code;
    const verdict *v; /* the verdict; NULL if the result was recalled */
    json_t *result;   /* the object made by report_json */
} graded;

/* Judge all of H, and tell each in the order of H. False where a signal came: what was told is
 * written, and the next call goes on. */
bool grading_run(desk *d, const chapter *c, const handins *h, const grading_options *options,
                 void (*tell)(void *object, const graded *g), void *object);

/* "OK", "WRONG", "RACE", "COMPILE-ERROR", ...: README.md, "For instructors", lists them. */
const char *grading_word(const verdict *v);

#endif
