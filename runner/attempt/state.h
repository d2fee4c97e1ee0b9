/* An attempt, for the files of this folder that go on with it. */
#ifndef WARPBOOK_ATTEMPT_STATE_H
#define WARPBOOK_ATTEMPT_STATE_H

#include "attempt.h"
#include "submission.h"
#include "trial.h"

struct attempt {
    house *h;
    const chapter *c;
    state *s;
    attempt_options options;
    target t, counted; /* counted: what the emulator runs for a GPU's goals */
    submission taken;  /* {0}: it is the book's own */
    compiler nvcc;
    attempt_phase phase;
    stage g; /* what is running */
    double start;
    verdict v;
    char *ncu;
    bool cancelled;
    /* How the run ended, while ncu counts. */
    job_end how;
    int code;
    char *run_output;
    table *record, *counters;
    const char *no_emulator; /* why it counted nothing, or NULL */
    const char *seed;        /* of a submission that is tried; NULL: the lab's own choice */
    trial *trial;            /* in ATTEMPT_TRYING */
};

/* Its results, by the names of their files. */
enum { RECORD, COUNTERS, LINES, EMULATED, TIMELINE, REPORTS, RECORDING, RESULTS };

/* --- attempt.c --- */

/* A result's file while the run goes on: the last whole run stays readable meanwhile. */
char *attempt_growing(attempt *a, int which);
/* What a program is told of where to write a result: "NAME=PATH". */
const char *attempt_written_to(attempt *a, const char *name, int which);
/* Run the program of T with ENV. False: the attempt is over. */
bool attempt_run(attempt *a, const target *t, const char *const *env);
/* Bring the results in SET, bits by number, out of a sandbox. */
void attempt_fetch(attempt *a, unsigned set);
void attempt_give_up(attempt *a, verdict_kind kind, const char *sentence);
/* All that can be had of the run is there. */
void attempt_judge(attempt *a);

/* --- again.c: a lab that ran on a GPU once more on the emulator, which counts everything --- */

void again_start(attempt *a);
void again_finish_build(attempt *a);
void again_finish_run(attempt *a);

#endif
