/* Runs one program of an attempt (a compiler or a lab), with or without a sandbox. Callers find
 * output and result files in the same way in both cases. */
#pragma once

#include "../base/installation.h"
#include "../sandbox/sandbox.h"

/* A program that is running or has run; {0}: none. */
typedef struct stage {
    job *j;
    sandbox *box; /* sandbox in which the stage runs; NULL: it runs without one */
} stage;

typedef struct stage_spec {
    sandbox_use use; /* what the sandbox is for: a compiler, a lab, or a lab that uses a GPU */
    bool boxed;      /* start the program in a sandbox */
    const char *const *argv;  /* command line of the program, NULL-terminated */
    const char *const *env;   /* environment variables; NULL: none; without a sandbox they are added
                                 to the runner's own */
    const char *dir;          /* directory to run in, without a sandbox */
    double limit_s;           /* time limit in seconds */
    const char *const *shown; /* paths that can be read in a sandbox; NULL-terminated, or NULL */
} stage_spec;

/* Start a program. False with a sentence in ERR: nothing was started. */
bool stage_start(stage *g, const stage_spec *spec, char *err, size_t err_size);

/* Where a program must write the result file PATH: at PATH itself, or, if BOXED, at a path in its
 * sandbox, from which it is copied to PATH. In A. */
const char *stage_result_path(arena *a, bool boxed, const char *path);

/* Like job_poll, but also checks the limits of the sandbox. */
bool stage_poll(stage *g, int wait_ms);
/* Wait until the program ends. False: a signal interrupted the wait. */
bool stage_wait(stage *g);
/* Like job_outcome. JOB_LIMIT: a limit of the sandbox was exceeded; CODE is the job_limit. */
job_end stage_outcome(const stage *g, int *code);

/* After the program has ended, move its result from the sandbox to PATH (without a sandbox it is
 * there already). stage_copy_file_out replaces the file at PATH; stage_append_file appends to it.
 * False: there is no result. */
bool stage_copy_file_out(const stage *g, const char *path, unsigned mode);
/* Like stage_copy_file_out, for the file NAME in the sandbox's directory of results. */
bool stage_copy_file_out_as(const stage *g, const char *name, const char *path, unsigned mode);
bool stage_append_file(const stage *g, const char *path);
/* True: the program has filled its sandbox's room for results. */
bool stage_is_full(const stage *g);

/* Stop the program if it still runs, and release all resources. */
void stage_free(stage *g);
