/* Records SIGINT, SIGTERM and SIGHUP, so that the program can end cleanly: kill its children,
 * restore the terminal, save its state. A second signal, or one that the program does not handle in
 * time, ends the program at once. */
#pragma once

void install_signal_handlers(void);
/* The signal that was caught; 0: none. */
int caught_signal_number(void);
/* Kill all jobs and end this process by the signal SIG, so that a shell sees the cause. Call it
 * after restoring the terminal. */
_Noreturn void die_of_signal(int sig);
