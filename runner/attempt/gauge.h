/* Measures a submission on a GPU for the trial (trial.h). The submission and the reference run on
 * the emulator with a GPU's sizes, and only what they measure; no kernel runs there, it is
 * recorded. warpbook-judge then repeats the two recordings on the GPU, alternately, in a sandbox
 * each: their own processes never see the GPU. */
#ifndef WARPBOOK_GAUGE_H
#define WARPBOOK_GAUGE_H

#include "../base/table.h"
#include "../book/rubric.h"
#include "build.h"

/* Whether R has points for times. R may be NULL. */
bool gauge_is_needed(const rubric *r);

/* Why what an assignment with these rules (a path) times cannot be measured launch by launch, so
 * that its times are modelled on a GPU too; NULL: it can. */
const char *gauge_obstacle(const char *rules_path);

typedef struct gauge_spec {
    house *h;
    const char *judge, *rules;       /* paths of warpbook-judge and of the rules, judge.tsv */
    const char *reference, *program; /* programs of the book's solution and of the submission */
    const char *reference_base, *own_base; /* paths of their files, without a suffix */
    const char *seed, *key;                /* as the trial's */
    int choice;                            /* as the trial's */
    double timeout_s;                      /* time limit of each step in seconds */
} gauge_spec;

/* What came of it, in the house's arena. One of the first three, or none. */
typedef struct gauge_result {
    const char *internal;   /* why nothing could be measured, which is not the submission's fault */
    const char *policy;     /* the recording is not what the book's text makes of the program */
    const char *unmeasured; /* why this submission cannot be measured */
    const char *wrong;      /* what a kernel did wrong at the measured size; NULL: nothing */
    const char *rows;       /* rows of a record: `round`, `copy` and `measure`; NULL: none */
} gauge_result;

typedef struct gauge gauge;

gauge *gauge_start(const gauge_spec *spec);
/* Continue, and wait at most WAIT_MS milliseconds. True when done. */
bool gauge_pump(gauge *g, int wait_ms);
void gauge_cancel(gauge *g);
gauge_result gauge_take(const gauge *g);
void gauge_free(gauge *g);

/* The text of RECORD with ROWS in place of its rows `copy`, `measure` and `round`; to be freed. */
char *gauge_replace_rows(const table *record, const char *rows);

#endif
