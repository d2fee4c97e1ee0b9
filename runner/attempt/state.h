/* An attempt, for the files of this folder that go on with it. */
#ifndef WARPBOOK_ATTEMPT_STATE_H
#define WARPBOOK_ATTEMPT_STATE_H

#include "attempt.h"
#include "submission.h"
#include "trial.h"

/* How far the record of the run that goes on was read. */
typedef struct listener {
    news news;
    const char *path; /* path of the record being followed; NULL: not looked for yet */
    long size;        /* size of the file in bytes at the last look */
    size_t rows;
} listener;

struct attempt {
    house *h;
    const chapter *c;
    state *s;
    attempt_options options;
    target t, counted; /* what is built and run; `counted` is what the emulator runs for the goals
                          of a GPU's run */
    submission taken;  /* the submission; {0}: the book's own lab */
    compiler nvcc;
    attempt_phase phase;
    stage g;              /* the stage that is running */
    stage beside;         /* the search for mistakes that runs at the same time; {0}: none */
    const rubric *rubric; /* rubric of the points that it can earn; NULL: none */
    int choice;           /* number of the program whose text is run: chapter_choice() */
    listener heard;
    double start;
    verdict v;
    char *ncu;
    bool cancelled;
    /* How the run ended, while ncu counts. */
    job_end how;
    int code;
    char *run_output;
    table *record, *counters;
    const char *no_emulator; /* why the emulator counted nothing, or NULL */
    const char *seed;        /* seed with which a submission is tried; NULL: the lab chooses one */
    trial *trial;            /* the trial in progress, in ATTEMPT_TRYING */
};

/* The results of an attempt, by the names of their files. */
enum { RECORD, COUNTERS, LINES, EMULATED, TIMELINE, REPORTS, RECORDING, SEARCHED, SOURCE, RESULTS };

/* --- attempt.c --- */

/* A result's file while the run goes on: the last whole run stays readable meanwhile. */
char *attempt_growing(attempt *a, int which);
/* What a program is told of where to write a result: "NAME=PATH". */
const char *attempt_written_to(attempt *a, const char *name, int which);
/* Run the program of T with ENV in G. False: the attempt is over. */
bool attempt_run(attempt *a, stage *g, const target *t, const char *const *env);
/* Bring the results in SET, bits by number, out of a sandbox. */
void attempt_fetch(attempt *a, unsigned set);
void attempt_give_up(attempt *a, verdict_kind kind, const char *sentence);
/* All that can be had of the run is there. */
void attempt_judge(attempt *a);
/* Move what the run left to where plots and later looks find it: its path, or NULL. */
char *attempt_keep(attempt *a, int which);
/* The verdict takes the reports of the file PATH. */
void attempt_take_findings(attempt *a, const char *path);
/* The attempt is over: its verdict is as it is now. */
void attempt_done(attempt *a);

/* --- search.c: the checks once more on the emulator, slower, with every access watched --- */

/* Whether the checks came to their end, so that they can run again. */
bool search_is_worth_it(const attempt *a);
/* Start the search for mistakes as stage G. */
void search_start(attempt *a, stage *g);
/* The run is judged: wait for the search, which is started where it does not run already. */
void search_await(attempt *a);
void search_finish(attempt *a);

/* --- news.c: what is known of a run that still goes on --- */

/* Read what the record has gained. */
void news_listen(attempt *a);
/* The attempt is over: what was not known before is known now. */
void news_end(attempt *a);

/* --- again.c: a lab that ran on a GPU once more on the emulator, which counts everything --- */

void again_start(attempt *a);
void again_finish_build(attempt *a);
void again_finish_run(attempt *a);

#endif
