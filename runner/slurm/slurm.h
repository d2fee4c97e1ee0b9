/* Judging a class on a Slurm cluster: an array of tasks, each of which grades a chunk of
 * submissions as `warpbook grade` does, into results of its own below DIR/.slurm; what they
 * remember by content is then known here too. The cluster's nodes must see DIR, the book and nvcc
 * under the same paths.
 *
 * sbatch reads its own variables (SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT, ...). */
#ifndef WARPBOOK_SLURM_H
#define WARPBOOK_SLURM_H

#include "../class/results.h"

/* Submissions a task where nothing else is said. */
#define SLURM_CHUNK 8

typedef struct slurm_text {
    const char *content; /* what identifies the text in the store: content_of */
    const char *text;
    size_t length;
    bool judged; /* the store has its verdict */
} slurm_text;

typedef struct slurm_spec {
    house *h;
    const char *lab;
    results *store; /* the store of results, open for grading */
    slurm_text *texts;
    size_t count;
    int chunk; /* submissions per task; 0: SLURM_CHUNK. It may be more, where MaxArraySize requires
                  it. */
    double timeout_s;
    bool gpu, boxed;
    /* Called now and then: how many texts are judged by now. */
    void (*progress)(void *object, size_t note_judged, size_t count);
    void *object;
} slurm_spec;

typedef enum slurm_end {
    SLURM_DONE,      /* judged as far as possible: slurm_text.judged says which texts */
    SLURM_LACKS,     /* there is no Slurm, or it takes no job: ERR holds a sentence */
    SLURM_CANCELLED, /* a signal came; the job was cancelled, and what it had judged is kept */
} slurm_end;

/* Judge all texts. Tasks that fail, or end without a verdict, are submitted again, twice at most;
 * ERR then says what the last of them printed. */
slurm_end slurm_judge(const slurm_spec *spec, char *err, size_t err_size);

/* Whether a cluster's commands are here and answer; else a sentence in ERR. */
bool slurm_works(char *err, size_t err_size);

/* The number of tasks for COUNT texts, CHUNK of them each, where an array has at most MOST tasks;
 * the texts of a task then are *EACH. */
size_t slurm_tasks(size_t count, size_t chunk, size_t most, size_t *each);
/* MaxArraySize in the text of `scontrol show config`; 0: it does not say. */
size_t slurm_array_most(const char *config);

#endif
