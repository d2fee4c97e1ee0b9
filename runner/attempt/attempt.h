/* One attempt at a chapter: build, run, judge. It proceeds step by step, so that a screen can be
 * drawn meanwhile, and it can be cancelled at any step. */
#ifndef WARPBOOK_ATTEMPT_H
#define WARPBOOK_ATTEMPT_H

#include "../base/device.h"
#include "../judge/state.h"
#include "../judge/verdict.h"
#include "build.h"

typedef enum attempt_phase {
    ATTEMPT_BUILDING,
    ATTEMPT_RUNNING,
    ATTEMPT_COUNTING,   /* the second run on a GPU, under ncu */
    ATTEMPT_REBUILDING, /* after a run on a GPU: building for the emulator */
    ATTEMPT_EMULATING,  /* the emulator counts what ncu did not */
    ATTEMPT_SEARCHING,  /* the emulator runs the checks again with every access watched */
    ATTEMPT_TRYING,     /* the judge repeats the recorded run of a submission (trial.h) */
    ATTEMPT_DONE
} attempt_phase;

typedef struct attempt_options {
    bool solution;
    bool gpu;         /* run on a GPU (device_resolve decides) */
    double timeout_s; /* time limit of a run in seconds; 0: 60 */
    /* A submission: its text (TEXT_LENGTH bytes and a NUL), and the name of a file that people know
     * it by. It is looked at first, and neither built nor run where it cannot be graded; what is
     * built is a copy under build/graded, away from headers beside it. NULL: the lab, or the
     * solution. */
    const char *file, *text;
    size_t text_length;
    bool boxed; /* compiled and run in sandboxes (sandbox.h) */
} attempt_options;

typedef struct attempt attempt;

#define ATTEMPT_TIMEOUT_S 60.0

/* Begin. Never NULL: what cannot begin is done at once, with a verdict that says so. S may be NULL;
 * a lab's result and its predictions are else read from it and kept there. */
attempt *attempt_start(house *h, const chapter *c, state *s, const attempt_options *options);
/* Go on, waiting at most WAIT_MS; true when done. */
bool attempt_pump(attempt *a, int wait_ms);
void attempt_cancel(attempt *a);

attempt_phase attempt_where(const attempt *a);
/* "building", "running", ... and seconds since it began. */
const char *attempt_phase_word(attempt_phase phase);
double attempt_seconds(const attempt *a);
/* What the step that is running has written so far. */
const char *attempt_output(const attempt *a, size_t *len);

/* What is known before the verdict is there. */
typedef struct news {
    bool right; /* all checks passed; figures, goals and mistakes may still follow */
    const char
        *mistake;   /* the first mistake: "copy_scalar: n = 1: out[0] is NaN ..."; NULL: none */
    double seconds; /* seconds from the start until `right` or `mistake` was known; 0: neither is */
    size_t passed;  /* number of checks, each of one size, that have passed so far */
} news;

const news *attempt_news(const attempt *a);

/* The record that the lab writes while it runs; what the house's arena holds. */
const char *attempt_record(attempt *a);

/* The verdict of an attempt that is done; it becomes the caller's (verdict_free). */
void attempt_take(attempt *a, verdict *out);
void attempt_free(attempt *a);

/* The verdict of the last run as its files tell it (for a screen that has just begun). False where
 * there was none. */
bool attempt_recall(house *h, const chapter *c, state *s, const attempt_options *options,
                    verdict *out);

#endif
