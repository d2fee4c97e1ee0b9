/* A sandbox for one run of the compiler or of an untrusted program: bubblewrap with new namespaces
 * (user, PID, IPC, UTS, network), no capabilities, a read-only system, two small writable
 * directories in memory, resource limits, and a system-call filter. The runner is outside: a
 * program inside cannot see or signal the runner, and the runner reads its files only as data.
 *
 * SANDBOX_OUT is for results and SANDBOX_TMP for temporary files; both disappear with the sandbox.
 * Host files that are shown inside the sandbox keep their paths. */
#pragma once

#include "../base/job.h"
#include "filter.h"

#define SANDBOX_OUT "/out" /* directory of the sandbox for results */
#define SANDBOX_TMP "/tmp" /* directory of the sandbox for temporary files */

/* The resource limits of a run. */
typedef struct sandbox_limits {
    size_t memory;      /* bytes of resident memory of all processes in the sandbox */
    size_t address;     /* bytes of address space of one process */
    size_t files;       /* bytes of files in each of SANDBOX_OUT and SANDBOX_TMP */
    unsigned names;     /* number of files and directories in each of SANDBOX_OUT and SANDBOX_TMP */
    unsigned processes; /* processes; 0: no limit, as the system-call filter forbids new ones */
    unsigned threads;   /* number of threads of all processes */
    unsigned cpu_factor; /* seconds of processor time per second of the run's time limit */
} sandbox_limits;

extern const sandbox_limits default_sandbox_limits[]; /* default limits, indexed by sandbox_use */

typedef struct sandbox sandbox;

/* Return true if bubblewrap is installed and can make a sandbox; tested once per process. False: a
 * sentence in ERR says what to do. */
bool sandbox_works(char *err, size_t err_size);

/* LIMITS NULL: the default limits of USE. */
sandbox *sandbox_new(sandbox_use use, const sandbox_limits *limits);
/* Make the absolute PATH readable inside the sandbox by the same path; a directory as a tree. */
void sandbox_show(sandbox *s, const char *path);

/* Start ARGV with the variables ENV ("NAME=VALUE", NULL-terminated) as its whole environment. Call
 * once per sandbox. NULL: failed, with a sentence in ERR. */
job *sandbox_start(sandbox *s, const char *const *argv, const char *const *env, double limit_s,
                   char *err, size_t err_size);
/* Cancel the job if it exceeds a limit that no kernel enforces. Call as often as job_poll. */
void sandbox_watch(sandbox *s, job *j);
job_limit sandbox_exceeded_limit(const sandbox *s);

/* How a job in a sandbox ended: bubblewrap turns a signal into an exit code, and sandbox_job_end
 * turns that exit code back into the signal. */
job_end sandbox_job_end(const job *j, int *code);

/* Copy the result SANDBOX_OUT/NAME to TO, with the mode MODE, once the job has ended. Only a
 * regular file of at most LIMIT bytes; never through a symbolic link. False: no such result; errno
 * says why (ENOENT: the program did not write it). */
bool sandbox_copy_file_out(const sandbox *s, const char *name, const char *to, unsigned mode,
                           size_t limit);

/* True: the program's results fill their room, so that some could not be written. */
bool sandbox_is_full(const sandbox *s);

void sandbox_free(sandbox *s);
