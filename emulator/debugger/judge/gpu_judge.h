/* The judge on a GPU: repeats the recording of a run of the measurements alone there, launch by
 * launch, and times each launch of a kernel that rules name again and again. Before each time the
 * arrays are given other values, as main.c does; afterwards they must hold what the reference's
 * hold. */
#ifndef WARPBOOK_JUDGE_GPU_JUDGE_H
#define WARPBOOK_JUDGE_GPU_JUDGE_H

#include "program.h"
#include "rules.h"
#include "transcript.h"

#include <stdio.h>

typedef struct gpu_judge_spec {
    const char *recording;
    const judge_rules *rules;
    const judged_program *program;
    transcript_writer *write;  /* of the reference: what its launches gave is kept; else NULL */
    const transcript *against; /* of a submission: what is compared with; else NULL */
    uint64_t key;
    FILE *table;
    long times; /* how often a launch is timed */
} gpu_judge_spec;

/* Writes to the table, whose columns are those of main.c: `device` with the GPU's name; a row
 * `launch` for each launch of a kernel that rules name, and of the reference a row `other` for each
 * call that launches something else, with the median of its times; `asked` and `policy` as main.c.
 * Returns 0, or 1 to 3 as gpu_repeat, with a sentence in ERR. */
int gpu_judge(const gpu_judge_spec *spec, char *err, size_t room);

#endif
