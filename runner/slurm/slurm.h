/* Judges the submissions of a class on a Slurm cluster: each task of an array job grades a chunk of
 * submissions with `warpbook grade` into its own results below DIR/.slurm, and these results are
 * then copied into the class's store.
 *
 * The nodes must see DIR, the book and nvcc under the same paths. sbatch reads its usual variables
 * (SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT, ...). */
#pragma once

#include "../class/results.h"

/* Default number of submissions per task. */
#define SLURM_DEFAULT_CHUNK 8 /* submissions per task of the Slurm job */

typedef struct slurm_text {
    const char *content; /* key under which verdicts on equal submissions are stored */
    const char *text;    /* text of the submission */
    size_t length;       /* length of `text` in bytes */
    bool judged;         /* the results directory holds a verdict on the submission */
} slurm_text;

typedef struct slurm_spec {
    installation *h;
    const char *lab;   /* name of the lab */
    results *store;    /* the directory that stores results, open for grading */
    slurm_text *texts; /* [count] the submissions to judge */
    size_t count;      /* number of submissions */
    int chunk; /* submissions per task; 0: SLURM_DEFAULT_CHUNK. MaxArraySize may force more. */
    double timeout_s; /* time limit of a run in seconds */
    bool gpu, boxed;  /* run the submissions on a GPU; compile and run them in sandboxes */
    bool run_pages;   /* make a page of each run in which a mistake is reported */
    /* Called regularly with the number of texts judged so far. */
    void (*progress)(void *object, size_t judged, size_t count);
    void *object; /* first argument of `progress` */
} slurm_spec;

typedef enum slurm_end {
    SLURM_DONE,      /* judged as far as possible: slurm_text.judged says which texts */
    SLURM_LACKS,     /* there is no Slurm, or it takes no job: ERR holds a sentence */
    SLURM_CANCELLED, /* a signal arrived; the job was cancelled, and its verdicts so far are kept */
} slurm_end;

/* Judge all texts. Tasks that fail or end without a verdict are submitted again, at most twice; ERR
 * then holds the end of such a task's output. */
slurm_end slurm_judge(const slurm_spec *spec, char *err, size_t err_size);

/* Return true if the Slurm commands are installed and answer; else a sentence is in ERR. */
bool slurm_works(char *err, size_t err_size);

/* The number of tasks for COUNT texts with CHUNK texts each, if an array job may have at most MOST
 * tasks; *EACH gets the number of texts per task. */
size_t slurm_task_count(size_t count, size_t chunk, size_t most, size_t *each);
/* MaxArraySize in the text of `scontrol show config`; 0: the text does not contain it. */
size_t slurm_max_array_size(const char *config);
