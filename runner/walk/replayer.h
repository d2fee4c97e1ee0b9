/* Runs the replayer as a child process: sends commands and receives lines without blocking.
 * Ending the replayer also ends all processes that it started. */
#ifndef WARPBOOK_STEP_ENGINE_H
#define WARPBOOK_STEP_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    REPLAYER_LINE_BYTES = 16 << 20 /* longest line in bytes; longer lines are not read */
};

typedef struct replayer replayer; /* the running program warpbook-replay */

/* Start ARGV (argv[0] is a path; NULL-terminated) in the environment of this program with ENV
 * ("NAME=VALUE" to set, "NAME" to remove; NULL-terminated). Never NULL: if the replayer cannot
 * start, replayer_ended is true. */
replayer *replayer_start(const char *const *argv, const char *const *env);
/* Send one line, given without its newline. */
void replayer_send(replayer *e, const char *line);
/* Ask the replayer to stop the command that moves through the run; the replayer keeps running. */
void replayer_interrupt(replayer *e);
/* The file descriptor to poll for the replayer's output, or -1. */
int replayer_output_fd(const replayer *e);
/* Write pending commands and read available output, without blocking. */
void replayer_exchange(replayer *e);
/* The next complete line from the replayer, without its newline and not NUL-terminated; valid until
 * the next call. NULL: no complete line yet. *TOO_LONG: the line was longer than
 * REPLAYER_LINE_BYTES and is dropped. */
const char *replayer_next_line(replayer *e, size_t *len, bool *too_long);
/* Return true if the replayer has ended and all its lines have been read. */
bool replayer_ended(const replayer *e);
/* A sentence on how the replayer ended, with the last line that it wrote to stderr, if any. The
 * caller frees it. */
char *replayer_end_sentence(const replayer *e);
/* Kill the replayer and all processes that it started, and free E. */
void replayer_free(replayer *e);

#endif
