/* The commands `exec`, `explain` and `replay`. */
#pragma once

#include "../judge/desk.h"
#include "../judge/verdict.h"

int cli_exec(session *d);
int cli_explain(session *d);
int cli_replay(session *d);

/* Options of --profile. */
typedef struct profile_options {
    bool json, source;  /* print JSON; also print the cost of each source line with its PTX */
    const char *kernel; /* kernel whose source lines are printed; NULL: all kernels */
    bool silent;        /* print no profile */
    const char *ncu_csv, *coverage; /* files for the counters in ncu's shape, and for lcov's
                                       tracefile; NULL: none is written */
} profile_options;

/* Like exec_child, then print a profile of the program NAME; returns an exit code. */
int exec_profiled(const char *path, const char *name, char **argv, const profile_options *want);

/* Sentences (`why`) on why kernels are fast or slow, from the tables of a run, if these are small
 * enough for memory. To be freed. */
verdict why_of_run(const char *counters, const char *lines);
