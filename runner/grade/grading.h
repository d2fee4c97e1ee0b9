/* Grades the submissions of a class, several at a time, and writes each result once it is known. */
#pragma once

#include "../class/results.h"
#include "../class/submissions.h"
#include "../judge/desk.h"
#include "../judge/verdict.h"

typedef struct grading_options {
    bool gpu, boxed;  /* run on a GPU; run in sandboxes */
    double timeout_s; /* time limit of a run in seconds; 0: the default */
    int jobs;         /* submissions judged at the same time; at least 1 */
    bool rejudge;     /* judge submissions again that have a stored result */
    bool run_pages;   /* make a page of each run in which a mistake is reported */
    bool progress;    /* show a progress line on stderr, which is a terminal */
    int slurm; /* number of submissions for each task of a Slurm cluster that judges them; -1: the
                * default number, 0: judge on this machine */
    results *store; /* the directory that stores results; NULL: results are only printed */
} grading_options;

/* The result of grading a submission. */
typedef struct graded {
    const submission *from; /* the submission that was graded */
    const char *word;       /* the verdict as a word: "OK", "WRONG", ... */
    double points, of;      /* points achieved and possible; NAN: a person decides */
    const char *summary;    /* lost points, or why there are none; "": none were lost */
    bool internal;          /* grading itself failed: no mark changes, the next run tries again */
    bool recalled;    /* the result was recalled, because the same content has been judged before */
    bool full;        /* the submission passes with all points */
    int exit_code;    /* exit code of the program */
    const char *page; /* the run as an HTML page, or NULL */
    const verdict *v; /* the verdict; NULL if the result was recalled */
    json_t *result;   /* the object made by report_json */
} graded;

/* How grading a class ended. */
typedef struct grading_end {
    bool complete;    /* false: a signal arrived; the next call continues */
    size_t judged;    /* number of submissions whose result was reported */
    size_t unwritten; /* number of those that could not be stored */
} grading_end;

/* Grade all submissions of H, and report each result in the order of H. */
grading_end grade_submissions(session *d, const chapter *c, const submissions *h,
                              const grading_options *options,
                              void (*report)(void *object, const graded *g), void *object);
