/* The screen of `warpbook step`: client of the replayer (emulator/debugger/step/PROTOCOL.md). */
#pragma once

/* Step through a run with the replayer ARGV (argv[0] is a path; NULL-terminated), started in this
 * program's environment with the changes ENV ("NAME=VALUE" to set, "NAME" to remove;
 * NULL-terminated) and WARPBOOK_STEP=json. COMMAND is sent first. Returns when the user quits or a
 * signal arrives, after ending the replayer. Returns an exit code: 1, with a sentence on stderr, if
 * the replayer did not start. */
int step_screen_run(const char *const *argv, const char *const *env, const char *command);
