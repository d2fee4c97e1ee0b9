/* SIGINT, SIGTERM, SIGHUP: noted, so that the program can end in order: children killed, terminal
 * restored, state whole. A second one, or one that is not looked at in time, still ends it. */
#ifndef WARPBOOK_SIGNALS_H
#define WARPBOOK_SIGNALS_H

void signals_install(void);
/* The signal that was caught; 0: none. */
int signals_caught(void);
/* Forget it: for a screen whose ^C cancels a job. */
void signals_forget(void);
/* Kill all jobs and die of SIG, so that a shell sees why. Call after restoring the terminal. */
_Noreturn void signals_die(int sig);

#endif
