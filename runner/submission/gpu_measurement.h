/* Measures a submission on a GPU for the trial (trial.h). First the submission and the reference
 * run on the emulator, which records their measured launches (with sizes for a GPU) and runs no
 * kernel. Then warpbook-judge repeats the two recordings on the GPU, alternately, each in a
 * sandbox. The submission's own process never uses the GPU. */
#ifndef WARPBOOK_GPU_MEASUREMENT_H
#define WARPBOOK_GPU_MEASUREMENT_H

#include "../base/table.h"
#include "../book/rubric.h"
#include "../run/build.h"

/* Whether the rubric R (or NULL) has points for times. */
bool measurement_is_needed(const rubric *r);

/* Why the times of an assignment are modelled and not measured launch by launch; NULL: they can be
 * measured. RULES_PATH: the assignment's judge.tsv. */
const char *reason_not_measurable(const char *rules_path);

typedef struct measurement_spec {
    installation *h;
    const char *judge, *rules;       /* paths of warpbook-judge and of the rules, judge.tsv */
    const char *reference, *program; /* programs of the book's solution and of the submission */
    const char *reference_base;      /* path of the files of the solution's run, without suffix */
    const char *submission_base;     /* path of the files of the submission's run, without suffix */
    const char *seed;                /* seed of the labs' inputs */
    const char *key; /* secret number from which warpbook-judge makes random values */
    int choice; /* number of the measured program of an assignment, from 1; 0: the assignment has
                   only one */
    double timeout_s; /* time limit of each step in seconds */
} measurement_spec;

/* Result of a measurement, in the installation's arena; at most one of the first three is set. */
typedef struct measurement_result {
    const char *internal; /* why nothing could be measured, which is not the submission's fault */
    const char *policy;   /* how the run contradicts the program's text: a person must look at it */
    const char *unmeasured; /* why this submission cannot be measured */
    const char *wrong;      /* what a kernel did wrong at the measured size; NULL: nothing */
    const char *rows; /* measured times, as lines of a lab's record with the kinds `round`, `copy`
                         and `measure`; NULL: none */
} measurement_result;

typedef struct measurement measurement;

measurement *measurement_start(const measurement_spec *spec);
/* Continue the measurement, and wait at most WAIT_MS milliseconds. True when it is done. */
bool measurement_poll(measurement *g, int wait_ms);
void measurement_cancel(measurement *g);
measurement_result measurement_take_result(const measurement *g);
void measurement_free(measurement *g);

/* The text of RECORD with ROWS in place of its rows `copy`, `measure` and `round`; to be freed. */
char *measurement_replace_rows(const table *record, const char *rows);

#endif
