/* The trial of a submission: warpbook-judge repeats the submission's recorded run in a separate
 * sandbox and compares it with a reference run. Results, counters, modelled times and reports of
 * mistakes come from the judge, not from the submission's process.
 *
 * The reference is the book's solution: built, run and recorded as the submission was, with the
 * same seed. Its files are stored under build/judge. */
#ifndef WARPBOOK_TRIAL_H
#define WARPBOOK_TRIAL_H

#include "../base/table.h"
#include "../run/attempt.h"
#include "../run/build.h"

/* True: a judge can repeat runs of submissions to C: C has a judge.tsv and a solution, and
 * warpbook-judge is built. */
bool is_trial_possible(installation *h, const chapter *c);

/* Why C's times are modelled even if a GPU is requested, as a remark; NULL: a GPU measures them. */
const char *reason_for_modelled_times(installation *h, const chapter *c);

/* True: a check of C compares times, so that the submission's own run must be measured. */
bool trial_compares_times(installation *h, const chapter *c);

/* The environment variable that makes graded runs of C skip curves, for which there are no points;
 * NULL: C has no rubric, and curves are measured. */
const char *trial_skip_curves_variable(const chapter *c);

typedef struct trial_spec {
    installation *h;
    const chapter *c;
    const nvcc_compiler *nvcc; /* the compiler that builds the book's solution */
    const char *seed;          /* seed of the submission's run */
    const char *program;       /* the judge's own build of the submission */
    const char *recording;     /* recording of the submission's run; may be missing */
    const table *claims; /* the record that the submission wrote, or NULL; the caller keeps it until
                            the end */
    const char *reports; /* file to which reports of mistakes are added */
    const char *flaw;    /* first forbidden name in a TODO region (trust.h), a sentence; or NULL */
    bool killed; /* the submission's run did not end by itself: what it did until then is judged */
    int choice;  /* number of the program of an assignment, from 1, for the reference too; 0: the
                    assignment has only one */
    double timeout_s; /* time limit of each step in seconds */
    bool gpu;         /* measure on a GPU (gpu_measurement.h); else times are modelled */
} trial_spec;

/* What the repetition of a submission's run showed; valid until trial_free, except for the tables,
 * which the caller owns. */
typedef struct trial_result {
    const char *internal;   /* why the judge failed, which is not the submission's fault; or NULL */
    const char *policy;     /* how the run contradicts the program's text, for a person; or NULL */
    const char *unmeasured; /* why no times were measured although a GPU was requested; or NULL */
    const char *slow; /* a sentence if launches did not end in time; `record` lacks them; or NULL */
    const char *wrong; /* what a kernel did differently from the reference's, although the record
                          says that it passed; or NULL */
    table *record, *counters, *lines; /* tables that the judge wrote: checks and times; counters of
                                         each launch; accesses of each source line */
    size_t judged, right;             /* number of judged launches; of those, with right results */
} trial_result;

typedef struct trial trial;

trial *trial_start(const trial_spec *spec);
/* Continue the trial, and wait at most WAIT_MS milliseconds. Returns true when the trial is
 * done. */
bool trial_poll(trial *t, int wait_ms);
void trial_cancel(trial *t);
trial_result trial_take_result(trial *t);
void trial_free(trial *t);

/* Judges attempts at submissions by trials (try.c). */
extern const attempt_judge submission_judge;

#endif
