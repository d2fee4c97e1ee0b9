/* Runs a program as a child process that is talked to in lines: sends lines and receives them
 * without blocking. Ending the child also ends all processes that it started. */
#pragma once

#include "job.h"

enum {
    COPROCESS_LINE_BYTES = 16 << 20 /* longest line in bytes; longer lines are not read */
};

typedef struct coprocess coprocess;

/* Start ARGV (argv[0] is a path; NULL-terminated), which sentences call NAME, in the environment of
 * this program with ENV ("NAME=VALUE" to set, "NAME" to remove; NULL-terminated, or NULL). Never
 * NULL: if it cannot start, coprocess_ended is true. */
coprocess *coprocess_start(const char *name, const char *const *argv, const char *const *env);
/* Like coprocess_start, but the child writes to the stderr of this program. */
coprocess *coprocess_start_with_stderr(const char *name, const char *const *argv,
                                       const char *const *env);
/* Send one line, given without its newline. */
void coprocess_send(coprocess *e, const char *line);
/* Send SIGINT to the child, which may handle it and keep running. */
void coprocess_interrupt(coprocess *e);
/* The file descriptor to poll for the child's output, or -1. */
int coprocess_output_fd(const coprocess *e);
/* Write pending lines and read available output, without blocking. */
void coprocess_exchange(coprocess *e);
/* The next complete line from the child, without its newline and not NUL-terminated; valid until
 * the next call. NULL: no complete line yet. *TOO_LONG: the line was longer than
 * COPROCESS_LINE_BYTES and is dropped. */
const char *coprocess_next_line(coprocess *e, size_t *len, bool *too_long);
/* Likewise, but wait for it until LIMIT, as monotonic_s. NULL: the child has ended, or takes
 * longer. */
const char *coprocess_wait_for_line(coprocess *e, double limit, size_t *len, bool *too_long);
/* Return true if the child has ended and all its lines have been read. */
bool coprocess_ended(const coprocess *e);
/* How the child ended, as job_outcome says it; JOB_NO_START also without a process. */
job_end coprocess_outcome(const coprocess *e, int *code);
/* A sentence on how the child ended, with the last line that it wrote to stderr. To be freed. */
char *coprocess_end_sentence(const coprocess *e);
/* Kill the child and all processes that it started, and free E. */
void coprocess_free(coprocess *e);
