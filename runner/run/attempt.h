/* One attempt at a chapter: build the lab, run it, judge the result. The caller advances it step by
 * step, so that it can draw a screen in between and cancel the attempt at any step. */
#pragma once

#include "../base/device.h"
#include "../judge/state.h"
#include "../judge/verdict.h"
#include "build.h"

typedef enum attempt_phase {
    ATTEMPT_BUILDING,   /* the compiler builds the lab */
    ATTEMPT_RUNNING,    /* the lab's program runs */
    ATTEMPT_COUNTING,   /* the second run on a GPU, under ncu */
    ATTEMPT_REBUILDING, /* after a run on a GPU: building for the emulator */
    ATTEMPT_EMULATING,  /* the emulator counts what ncu did not */
    ATTEMPT_PAIRING,    /* on a GPU: the lab and the book's solution are timed in turn */
    ATTEMPT_SEARCHING,  /* the emulator runs the checks again with every access checked */
    ATTEMPT_TRYING,     /* the judge repeats the recorded run of a submission */
    ATTEMPT_DONE        /* the verdict is complete */
} attempt_phase;

typedef struct attempt attempt; /* one build and run of a lab, and its verdict */

/* How a step of an attempt went on when it was to start, or ended. */
typedef enum step_end {
    STEP_RUNS,  /* its program runs now, or it waits for something */
    STEP_NEXT,  /* the next step of the table follows */
    STEP_AGAIN, /* the table is followed again from `rows_back` rows before */
    STEP_DECIDE /* the next step without a program follows: the verdict is clear */
} step_end;

/* A row of the table of steps that an attempt follows. A step may also end the attempt. */
typedef struct attempt_step {
    attempt_phase phase; /* what to call it while it runs */
    step_end (*start)(attempt *a);
    step_end (*finish)(attempt *a); /* after its program ended; NULL: it starts none */
    int rows_back;                  /* where STEP_AGAIN leads */
} attempt_step;

/* Judges the recorded run of a submission (submission/graded_run.c). Programs that grade nothing do
 * not link it. */
typedef struct attempt_judge {
    /* The seed of the run; NULL: this lab's runs are not judged. */
    const char *(*seed)(installation *h, const chapter *c);
    const attempt_step *steps; /* all steps, from the build to the verdict */
    void (*free)(attempt *a);
} attempt_judge;

typedef struct attempt_options {
    bool solution;    /* run the chapter's solution, not the student's lab */
    bool gpu;         /* run on a GPU (device_resolve decides) */
    bool only_build;  /* end after the build, without a verdict */
    double timeout_s; /* time limit of a run in seconds; 0: 60 */
    /* A submission, or a wrong version: the file name shown to people, and its text (TEXT_LENGTH
     * bytes and a NUL). NULL: the student's lab, or the solution. */
    const char *file, *text;
    size_t text_length;         /* length of `text` in bytes */
    const attempt_judge *judge; /* judges its run in a sandbox; NULL: its own record counts */
    bool boxed;                 /* compiled and run in sandboxes (sandbox.h) */
    bool run_page; /* a judged run with a mistake is written as a page, too (`warpbook page`) */
} attempt_options;

#define ATTEMPT_TIMEOUT_S 60.0 /* default time limit of a run, in seconds */

/* Begin an attempt. The result is never NULL: one that cannot begin is done at once, with a verdict
 * that says why. If S is not NULL, a lab's result and predictions are read and stored there. */
attempt *attempt_start(installation *h, const chapter *c, saved_state *s,
                       const attempt_options *options);
enum { ATTEMPT_POLL_MS = 20 }; /* WAIT_MS of attempt_poll for callers with nothing else to do */
/* Continue the attempt, and wait at most WAIT_MS milliseconds. True: it is done. */
bool attempt_poll(attempt *a, int wait_ms);
void attempt_cancel(attempt *a);

attempt_phase attempt_current_phase(const attempt *a);
/* The phase in words, such as "building" or "running". */
const char *attempt_phase_word(attempt_phase phase);
double attempt_elapsed_seconds(const attempt *a);
/* Output so far of the step that is running; *LEN is its length in bytes. */
const char *attempt_program_output(const attempt *a, size_t *len);

/* What is known about an attempt before its verdict is complete. */
typedef struct attempt_progress {
    bool all_passed; /* all checks passed; measured times, goals and mistakes may still follow */
    const char *mistake; /* first mistake, as "copy_scalar: n = 1: out[0] is NaN"; NULL: none */
    double seconds;      /* seconds until `all_passed` or `mistake` was known; 0: neither is */
    size_t passed;       /* number of checks, each of one size, that have passed so far */
} attempt_progress;

const attempt_progress *attempt_current_progress(const attempt *a);

/* Path of the record that the lab writes while it runs, in the arena of the installation. */
const char *attempt_record_path(attempt *a);

/* Move the verdict of a finished attempt to *OUT; the caller releases it with verdict_free. */
void attempt_take_verdict(attempt *a, verdict *out);
void attempt_free(attempt *a);
/* Continue A to its end, move its verdict to *OUT, and free A. SHOW, if not NULL, is called with
 * TO between. False: a signal arrived first, and there is no verdict. */
bool attempt_run_to_end(attempt *a, verdict *out, void (*show)(const attempt *a, void *to),
                        void *to);

/* True: T's text is the one that its last run ran. */
bool attempt_ran_present_text(installation *h, const build_target *t);

/* Rebuild the verdict of the last run from its files, for a screen that has just started. False:
 * there was no run. */
bool attempt_recall_verdict(installation *h, const chapter *c, saved_state *s,
                            const attempt_options *options, verdict *out);
