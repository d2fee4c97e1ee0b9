/* Runs the step engine as a child process: sends commands and receives lines without blocking.
 * Ending the engine also ends all processes that it started. */
#ifndef WARPBOOK_STEP_ENGINE_H
#define WARPBOOK_STEP_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct engine engine;

/* Start ARGV (argv[0] is a path; NULL-terminated) in the environment of this program with ENV
 * ("NAME=VALUE" to set, "NAME" to remove; NULL-terminated). Never NULL: if the engine cannot start,
 * engine_ended is true. */
engine *engine_start(const char *const *argv, const char *const *env);
/* Send one line, given without its newline. */
void engine_send(engine *e, const char *line);
/* Ask the engine to stop the command that moves through the run; the engine keeps running. */
void engine_interrupt(engine *e);
/* The file descriptor to poll for the engine's output, or -1. */
int engine_output_fd(const engine *e);
/* Write pending commands and read available output, without blocking. */
void engine_exchange(engine *e);
/* The next complete line from the engine, without its newline and not NUL-terminated; valid until
 * the next call. NULL: no complete line yet. *TOO_LONG: the line was longer than ANSWER_BYTES and
 * is dropped. */
const char *engine_next_line(engine *e, size_t *len, bool *too_long);
/* Return true if the engine has ended and all its lines have been read. */
bool engine_ended(const engine *e);
/* A sentence on how the engine ended, with the last line that it wrote to stderr, if any. The
 * caller frees it. */
char *engine_end_sentence(const engine *e);
/* Kill the engine and all processes that it started, and free E. */
void engine_free(engine *e);

#endif
