/* A sandbox for one run of a compiler or of a program that nobody trusts: bubblewrap with
 * namespaces of its own (user, process numbers, IPC, host name, no network), no capability, a
 * read-only system, two small directories in memory to write to, limits, and a filter of system
 * calls. The runner stands outside: what runs inside cannot see it or send it a signal, and what it
 * wrote is read from outside as data.
 *
 * Inside, SANDBOX_OUT is for results and SANDBOX_TMP for temporary files; what is shown to it has
 * its own path. Both vanish with the sandbox. */
#ifndef WARPBOOK_SANDBOX_H
#define WARPBOOK_SANDBOX_H

#include "../base/job.h"
#include "filter.h"

#define SANDBOX_OUT "/out"
#define SANDBOX_TMP "/tmp"

/* What a run may use at most. */
typedef struct sandbox_limits {
    size_t memory;       /* bytes of resident memory of all its processes */
    size_t address;      /* bytes of address space of one process */
    size_t files;        /* bytes of files in each of its two directories */
    unsigned names;      /* number of files and directories in each of them */
    unsigned processes;  /* number of processes; 0: no limit, as the system-call filter gives a lab
                            only one */
    unsigned threads;    /* number of threads of all processes */
    unsigned cpu_factor; /* seconds of processor time per second of the run's time limit */
} sandbox_limits;

extern const sandbox_limits sandbox_limits_of[]; /* limits, by sandbox_use */

/* The limit that ended the run. */
typedef enum sandbox_breach {
    SANDBOX_WITHIN,
    SANDBOX_MEMORY,
    SANDBOX_FILES,
    SANDBOX_THREADS,
} sandbox_breach;

typedef struct sandbox sandbox;

/* Whether there is a bubblewrap and the system lets it work: asked once in the life of the program.
 * False with a sentence in ERR that says what to do. */
bool sandbox_works(char *err, size_t err_size);

sandbox *sandbox_new(sandbox_use use);
/* Instead of those of its use; before sandbox_start. */
void sandbox_limit(sandbox *s, const sandbox_limits *limits);
/* PATH, absolute, can be read inside, at the same place; a directory with all below it. */
void sandbox_show(sandbox *s, const char *path);
/* Show PATH in the sandbox, if it exists. */
void sandbox_show_maybe(sandbox *s, const char *path);

/* Start ARGV with the variables ENV ("NAME=VALUE", NULL-terminated) and nothing else of the
 * runner's environment. Once per sandbox. NULL with a sentence in ERR where it cannot be made. */
job *sandbox_start(sandbox *s, const char *const *argv, const char *const *env, double limit_s,
                   char *err, size_t err_size);
/* To be called as often as job_pump: cancels the job where a limit is passed that the kernel does
 * not enforce by itself. */
void sandbox_watch(sandbox *s, job *j);
sandbox_breach sandbox_broken(const sandbox *s);

/* How a job in a sandbox ended: bubblewrap turns a signal into an exit code, and this turns it
 * back. */
job_end sandbox_how(const job *j, int *code);

/* Copy the result SANDBOX_OUT/NAME to TO, with the mode MODE, once the job has ended. Only a
 * regular file of at most LIMIT bytes; never through a link. False: there is none; errno says why
 * (ENOENT: it was not written). */
bool sandbox_take(const sandbox *s, const char *name, const char *to, unsigned mode,
                  size_t set_limit);

void sandbox_free(sandbox *s);

#endif
