/* The screen of `warpbook step`: a client of the step engine (emulator/debugger/step/PROTOCOL.md).
 */
#ifndef WARPBOOK_STEP_SCREEN_H
#define WARPBOOK_STEP_SCREEN_H

#include <stdbool.h>

/* Walk through what the engine ARGV shows (argv[0] is a path; NULL-terminated), started in this
 * environment with ENV ("NAME=VALUE" to set, "NAME" to remove; NULL-terminated) and
 * WARPBOOK_STEP=json. COMMAND is sent first. Until the person leaves or a signal comes; the engine
 * has ended then. An exit code: 1 with a sentence on stderr where the engine never began. */
int step_screen_run(const char *const *argv, const char *const *env, const char *command);
/* The same on a terminal that is a screen already. NULL, or why the engine never began: to be
 * freed. */
char *step_screen_visit(const char *const *argv, const char *const *env, const char *command);

#endif
