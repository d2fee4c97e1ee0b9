/* The judge on a GPU: repeats the recording of a run that only measures, launch by launch, and
 * times each launch of a kernel that the rules name several times. Before each timed run it
 * replaces the contents of the arrays, as main.c does; afterwards the arrays must hold the results
 * of the reference. */
#pragma once

#include "device_code.h"
#include "judged_launch.h"

#include <stdio.h>

typedef struct gpu_judge_options {
    const char *recording;         /* path of the recording */
    launch_standard standard;      /* what launches are judged by, from row 0 on */
    const judged_program *program; /* the judge's own build of the submission */
    FILE *table;                   /* the table of results */
    long times;                    /* how often a launch is timed */
} gpu_judge_options;

/* Writes to the table, whose columns are those of main.c: `device` with the GPU's name; a row
 * `launch` for each launch of a kernel that rules name, and of the reference a row `other` for each
 * call that launches something else, with the median of its times; rows `asked` and `policy` as in
 * main.c. Returns 0, or with a sentence in ERR 1: a call failed; 2: the recording cannot be
 * judged; 3: there is no suitable GPU. */
int gpu_judge(const gpu_judge_options *spec, char *err, size_t cap);
