/* Runs one program of an attempt, a compiler or a lab, with or without a sandbox. What it writes,
 * and where that is found afterwards, is the same for both. */
#ifndef WARPBOOK_STAGE_H
#define WARPBOOK_STAGE_H

#include "../base/house.h"
#include "../sandbox/sandbox.h"

/* A stage that is running, or has run; {0}: none. */
typedef struct stage {
    job *j;
    sandbox *box; /* sandbox in which the stage runs; NULL: it runs without one */
} stage;

typedef struct stage_spec {
    sandbox_use use;
    bool boxed;
    const char *const *argv;
    const char *const *env; /* environment variables; NULL: none; without a sandbox they are added
                               to the runner's own */
    const char *dir;        /* directory to run in, without a sandbox */
    double limit_s;
    const char *const *shown; /* paths that can be read in a sandbox; NULL-terminated, or NULL */
} stage_spec;

/* False with a sentence in ERR: nothing was started. */
bool stage_start(stage *g, const stage_spec *spec, char *err, size_t err_size);

/* Where a program of such a stage is to write the result that people find at PATH, in A: PATH
 * itself, or a file of the sandbox. */
const char *stage_result(arena *a, bool boxed, const char *path);

/* As job_pump, with the sandbox's limits. */
bool stage_pump(stage *g, int wait_ms);
/* To its end; false where a signal came. */
bool stage_await(stage *g);
/* As job_how. JOB_LIMIT: a limit of the sandbox, its sandbox_breach in CODE. */
job_end stage_how(const stage *g, int *code);
/* The limit in words, such as "more than 3 GiB of memory". */
const char *stage_limit_words(int breach);

/* Bring the result to PATH once the program has ended: in the open it is there. In place of what
 * lies there, or after it. False: there is none. */
bool stage_fetch(const stage *g, const char *path, unsigned mode);
bool stage_append(const stage *g, const char *path);

/* End it where it still runs, and release all. */
void stage_free(stage *g);

#endif
