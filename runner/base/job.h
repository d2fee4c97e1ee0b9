/* Child processes that cannot take the runner with them: each in a process group of its own, its
 * output read without blocking, with a limit on time and on output, and a report
 * of how it ended. */
#ifndef WARPBOOK_JOB_H
#define WARPBOOK_JOB_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct job_spec {
    const char *const *argv; /* argv[0] is a path; NULL-terminated */
    const char *const *env;  /* "NAME=VALUE" to set, "NAME" to remove; NULL-terminated, or NULL */
    const char *dir;         /* directory to run in; NULL: the current one */
    double limit_s;          /* time limit in seconds; 0: none */
    size_t output_cap;       /* bytes of output kept; one more byte ends the job; 0: 1 MiB */
    /* Called in the child before it becomes the program, with OBJECT; only what is safe after fork.
     * File descriptors from 3 to 15 are its own to set. NULL: nothing. */
    void (*prepare)(void *object);
    void *object;
} job_spec;

typedef enum job_end {
    JOB_EXITED,    /* `code` is the exit status */
    JOB_SIGNALLED, /* `code` is the signal that ended it */
    JOB_TIMEOUT,   /* the runner ended it after limit_s */
    JOB_FLOOD,     /* the runner ended it because it printed too much */
    JOB_CANCELLED, /* ended by job_cancel */
    JOB_NO_START,  /* `code` is the errno of exec or fork */
    JOB_LIMIT,     /* the runner ended it because of another limit; job_how never returns this */
} job_end;

typedef struct job job;

job *job_start(const job_spec *spec);

/* Read what is there, enforce the limits; wait at most WAIT_MS for something to happen. True when
 * the job has ended (and its whole group is gone). */
bool job_pump(job *j, int wait_ms);

/* SIGTERM to the group now, SIGKILL two seconds later if that did not help. */
void job_cancel(job *j);
/* The same with SIGKILL at once. */
void job_kill(job *j);

/* SIGINT to the process that was started, which may go on. */
void job_interrupt(job *j);

/* Standard output and error together, as far as read: NUL bytes are shown as '?'. */
const char *job_output(const job *j, size_t *len);
job_end job_how(const job *j, int *code);
double job_seconds(const job *j);
double job_limit(const job *j);
void job_free(job *j); /* kills it first where it still runs */

/* SIGKILL to every job's group: for a runner that is about to die. Async-signal-safe. */
void job_kill_all(void);

/* Run to the end and give its output (to be freed); for short questions such as --version. */
char *job_ask(const char *const *argv, double limit_s, job_end *how, int *code);

/* The signal in words, such as "SIGSEGV (segmentation fault)". */
const char *signal_sentence(int sig);

double monotonic_s(void);

#endif
