/* Whether anybody of the program can still write memory while a kernel runs. Kernels run in
 * threads that wait for them, or in ours. Other threads of the program may wait for the same; all
 * that is left besides are our own. */
#include "../cudart.h"

#include "../../launch/threads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int waiting; /* threads of the program, or running work themselves */

void rt_waiting(int threads)
{
    atomic_fetch_add(&waiting, rt_idle_is_me() ? 0 : threads);
}

/* Threads of the process (proc(5), /proc/pid/stat, num_threads); 0: unknown. */
static long threads(void)
{
    enum { AFTER_NAME = 17 }; /* fields between the command's name and the number */
    char text[1024];
    const int f = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    const ssize_t n = f < 0 ? -1 : read(f, text, sizeof text - 1);
    if (f >= 0) {
        close(f);
    }
    if (n <= 0) {
        return 0;
    }
    text[n] = 0;
    char *at = strrchr(text, ')');
    for (int k = 0; at && k <= AFTER_NAME; k++) {
        at = strchr(at + 1, ' ');
    }
    return at ? strtol(at, NULL, 10) : 0;
}

/* A handler of the program's own may run, in a thread that waits. */
static bool handles_signals(void)
{
    for (int n = 1; n < NSIG; n++) {
        struct sigaction is;
        const bool raised = n == SIGSEGV || n == SIGBUS || n == SIGFPE || n == SIGILL ||
                            n == SIGTRAP || n == SIGABRT;
        if (!raised && sigaction(n, NULL, &is) == 0 && is.sa_handler != SIG_DFL &&
            is.sa_handler != SIG_IGN) {
            return true;
        }
    }
    return false;
}

bool rt_host_waits(void)
{
    const long ours = (long)sm_threads_made() + rt_idle_watches() + rt_helpers();
    return threads() == ours + atomic_load(&waiting) && !handles_signals();
}
