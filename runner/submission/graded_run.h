/* What the judge of a submission knows, for the source files of this directory. The judge repeats
 * the submission's recorded run in a separate sandbox and compares it with a reference run.
 * Results, counters, modelled times and reports of mistakes come from the judge, not from the
 * submission's process.
 *
 * The reference is the book's solution: built, run and recorded as the submission was, with the
 * same seed. Its files are stored under build/judge.
 *
 * graded_run.c has the table of all steps. */
#pragma once

#include "../base/table.h"
#include "../run/attempt_state.h"
#include "gpu_times.h"

#include <jansson.h>

/* Files of one run, under build/judge. */
typedef enum run_file {
    RUN_RECORDING,  /* recording: what the program asked of the device */
    RUN_RECORD,     /* record: checks and times that the lab wrote */
    RUN_TABLE,      /* table that warpbook-judge wrote */
    RUN_TRANSCRIPT, /* results of the solution's kernels, to compare with */
    RUN_COUNTERS,   /* counters of each launch */
    RUN_LINES,      /* memory accesses of each source line */
    GPU_RECORDING,  /* the same of the run with the problem size that a GPU measures */
    GPU_RECORD,
    GPU_TABLE,
    GPU_TRANSCRIPT,
    RUN_PAGE,      /* the data of a page about the submission's run */
    RUN_FILE_COUNT /* number of files */
} run_file;

typedef struct graded_run {
    build_target reference;                 /* the chapter's own solution */
    char *reference_base, *submission_base; /* paths of the files of the reference and of the
                                        submission, without their suffix */
    const char *key; /* secret number from which warpbook-judge makes random values */
    bool searches;   /* warpbook-judge looks for mistakes, such as races, in the launches before the
                        first timed one */
    table *judged, *expected; /* tables that warpbook-judge wrote about the submission, and about
                                 the book's solution */
    table *reference_record;  /* checks and times that the book's solution wrote */
    int gpu_lock;    /* descriptor of the locked file that reserves the GPU; negative: not locked */
    gpu_times times; /* what the GPU measured */
    long searched;   /* number of the launches that are searched; 0: none */
    long shown;      /* number of the launches that the run's page is made of; 0: none yet */
    json_t *page;    /* the data of that page; NULL: none */
    const char *no_page; /* why there is no page of the run although one was to be made, or NULL */
    /* What the repetition showed; sentences are NULL where there is nothing to say. */
    const char *internal;   /* why the judge failed, which is not the submission's fault */
    const char *policy;     /* how the run contradicts the program's text, for a person */
    const char *unmeasured; /* why no times were measured although a GPU was requested */
    const char *slow;       /* launches did not end in time; `record` lacks them */
    const char *wrong; /* what a kernel did differently from the reference's, although the record
                          says that it passed */
    table *record, *counters, *lines; /* tables that the judge wrote: checks and times; counters of
                                         each launch; accesses of each source line */
} graded_run;

/* --- graded_run.c --- */

char *run_file_path(const attempt *a, const char *base, run_file f);
/* "NAME=PATH" with the path in the sandbox, for a program that writes the file F of BASE there. */
const char *variable_with_sandbox_path(attempt *a, const char *name, const char *base, run_file f);
/* Copy the files in SET (bit f: run_file f) of BASE out of the sandbox. False: one is missing. */
bool copy_run_files_out(attempt *a, const char *base, unsigned set);
/* Set *WHICH, a sentence of the graded run, to WHAT and the message WHY. */
step_end judge_ends(attempt *a, const char **which, const char *what, const char *why);
/* Start a program in the judge's sandbox with a time limit of three times SECONDS, because the
 * judge counts and checks every access. */
step_end start_boxed(attempt *a, sandbox_use use, const char *const *argv, const char *const *env,
                     const char *const *shown, double seconds);
/* The environment variable that makes graded runs of C skip curves, for which there are no points;
 * NULL: C has no rubric, and curves are measured. */
const char *skip_curves_variable(const chapter *c);
/* True: the submission's own record says that its checks passed. */
bool submission_claims_pass(const attempt *a);

/* --- judge_steps.c: the reference's run, and both judged on the emulator --- */

step_end build_reference(attempt *a);
step_end finish_reference_build(attempt *a);
step_end run_reference(attempt *a);
step_end finish_reference_run(attempt *a);
step_end judge_reference(attempt *a);
step_end finish_judging_reference(attempt *a);
step_end judge_submission(attempt *a);
step_end finish_judging_submission(attempt *a);

/* --- run_page.c: writes the run as a page that shows its mistakes; decides nothing --- */

step_end make_run_page(attempt *a);
step_end finish_run_page(attempt *a);
/* Give the verdict the page, and its findings their moments there. */
void take_run_page(attempt *a);

/* --- gpu_steps.c: measures on a GPU. The submission and the reference run on the emulator, which
 * records their measured launches (with sizes for a GPU) and runs no kernel. Then warpbook-judge
 * repeats the two recordings on the GPU, alternately, each in a sandbox. The submission's own
 * process never uses the GPU. --- */

/* Whether a GPU measures the kernels of this submission. */
bool is_measured_on_gpu(const attempt *a);
step_end record_reference_for_gpu(attempt *a);
step_end finish_reference_recording(attempt *a);
step_end record_submission_for_gpu(attempt *a);
step_end finish_submission_recording(attempt *a);
step_end reserve_gpu(attempt *a);
step_end wait_for_gpu(attempt *a);
step_end repeat_reference_on_gpu(attempt *a);
step_end finish_reference_on_gpu(attempt *a);
step_end repeat_submission_on_gpu(attempt *a);
step_end finish_submission_on_gpu(attempt *a);
void release_gpu(graded_run *g);
