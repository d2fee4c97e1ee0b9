/* The step engine as a process: commands to it and lines from it, without ever waiting for it. It
 * and all that it starts are ended with it. */
#ifndef WARPBOOK_STEP_ENGINE_H
#define WARPBOOK_STEP_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct engine engine;

/* Start ARGV (argv[0] is a path; NULL-terminated) in the environment of this program with ENV
 * ("NAME=VALUE" to set, "NAME" to remove; NULL-terminated). Never NULL: one that does not start has
 * ended. */
engine *engine_start(const char *const *argv, const char *const *env);
/* Send one line, given without its newline. */
void engine_send(engine *e, const char *line);
/* Ask it to stop the move that is under way: it answers, and goes on. */
void engine_interrupt(engine *e);
/* The file to poll for input, or -1. */
int engine_input(const engine *e);
/* Write and read what is possible now. */
void engine_pump(engine *e);
/* The next whole line that has come, without its newline and not NUL-terminated; valid until the
 * next call. NULL: none yet. *TOO_LONG: it was longer than ANSWER_BYTES, and is not kept. */
const char *engine_line(engine *e, size_t *len, bool *too_long);
/* Whether it has ended and all its lines have been read. */
bool engine_ended(const engine *e);
/* How it ended, in a sentence with the last line that it wrote to stderr, if there is one. To be
 * freed. */
char *engine_how(const engine *e);
/* End it, and all that it started, at once if it still runs. */
void engine_free(engine *e);

#endif
