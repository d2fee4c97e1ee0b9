/* Runs child processes safely: each has its own process group, its output is read without blocking,
 * its time and output are limited, and the caller learns how it ended. */
#pragma once

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct job_spec {
    const char *const *argv; /* argv[0] is a path; NULL-terminated */
    const char *const *env;  /* "NAME=VALUE" to set, "NAME" to remove; NULL-terminated, or NULL */
    const char *dir;         /* directory to run in; NULL: the current one */
    double limit_s;          /* time limit in seconds; 0: none */
    size_t output_cap; /* longest output in bytes: a job that prints more is ended; 0: 1 MiB */
    /* Called with OBJECT in the child before exec; it may do only what is safe after fork, and may
     * set file descriptors 3 to 15. NULL: nothing is called. */
    void (*prepare)(void *object);
    void *object; /* argument that `prepare` gets */
} job_spec;

/* How a job ended, and what the code means that job_outcome gives besides. */
typedef enum job_end {
    JOB_EXITED,    /* it exited by itself; the code is its exit status */
    JOB_SIGNALLED, /* a signal ended it; the code is the signal's number */
    JOB_TIMEOUT,   /* the runner ended it at its time limit */
    JOB_FLOOD, /* it printed too much, and the runner ended it (code 0), or it filled the room for
                  its results (code JOB_LIMIT_FILES) */
    JOB_CANCELLED, /* the caller ended the job by job_cancel */
    JOB_NO_START,  /* it could not be started; the code is the errno of exec or fork */
    JOB_LIMIT, /* the runner ended it at a limit of its sandbox; only stage_outcome returns this */
} job_end;

/* The limit of its sandbox that a job exceeded: the code of JOB_LIMIT. */
typedef enum job_limit {
    JOB_LIMIT_NONE,    /* no limit was exceeded */
    JOB_LIMIT_MEMORY,  /* the program used too much memory */
    JOB_LIMIT_FILES,   /* the program wrote too many or too large files */
    JOB_LIMIT_THREADS, /* the program started too many threads or processes */
} job_limit;

typedef struct job job;

job *job_start(const job_spec *spec);

/* Read the available output and enforce the limits; wait at most WAIT_MS milliseconds for an event.
 * True: the job has ended, and no process of its group is left. */
bool job_poll(job *j, int wait_ms);

/* Send SIGTERM to the job's process group now, and SIGKILL two seconds later if it still exists. */
void job_cancel(job *j);
/* Send SIGKILL to the job's process group at once. */
void job_kill(job *j);

/* Send SIGINT to the started process, which may handle it and continue. */
void job_interrupt(job *j);

/* Standard output and standard error together, as far as read; NUL bytes are replaced by '?'. */
const char *job_output(const job *j, size_t *len);
/* How the job ended; for *CODE see job_end. */
job_end job_outcome(const job *j, int *code);
double job_time_limit(const job *j); /* seconds that the job may run */
void job_free(job *j);               /* kills the job first if it still runs */

/* Kill the process groups of all jobs, when the runner is about to die. Async-signal-safe. */
void job_kill_all(void);

/* Run a short command such as --version to its end and return its output (to be freed). */
char *job_run_and_read(const char *const *argv, double limit_s, job_end *how, int *code);

/* The signal in words, such as "SIGFPE (an integer division by zero)". */
const char *signal_in_words(int sig);

/* The exceeded limit in words, such as "more memory than a submission may use". */
const char *job_limit_words(int limit);

double monotonic_s(void);
