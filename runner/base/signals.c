#include "signals.h"

#include "job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught_signal; /* number of the signal; 0: none was caught */

static void record_signal(int sig)
{
    if (caught_signal) {
        job_kill_all();
        _exit(128 + sig);
    }
    caught_signal = sig;
}

void install_signal_handlers(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = record_signal; /* without SA_RESTART, so that signals interrupt waits */
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction old;
        /* Signals that nohup or a shell's background job ignores stay ignored. */
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    atexit(job_kill_all);
}

int caught_signal_number(void)
{
    return caught_signal;
}

_Noreturn void die_of_signal(int sig)
{
    job_kill_all();
    signal(sig, SIG_DFL);
    raise(sig);
    _exit(128 + sig);
}
