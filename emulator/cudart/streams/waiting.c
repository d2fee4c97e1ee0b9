/* Determines whether any thread of the program could still write memory while a kernel runs.
 * Kernels run in threads that wait for them, or in threads of this library. Other threads of the
 * program may wait for the same work. If the process has only waiting threads and threads of this
 * library, no thread can write memory. */

#include "../../launch/threads.h"
#include "../core/state.h"
#include "idle.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rt_change_host_function_count(int more)
{
    atomic_fetch_add(&rt.queue.host_functions, more);
}

void rt_change_waiting_thread_count(int threads)
{
    atomic_fetch_add(&rt.queue.waiting, rt_is_idle_thread() ? 0 : threads);
}

/* The number of threads of the process (proc(5), /proc/pid/stat, num_threads); 0 if unknown. */
static long count_threads(void)
{
    enum {
        AFTER_NAME = 17
    }; /* number of fields in /proc/PID/stat between the command name and num_threads */
    char text[1024];
    const int f = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    const ssize_t n = f < 0 ? -1 : read(f, text, sizeof text - 1);
    if (f >= 0)
        close(f);
    if (n <= 0)
        return 0;
    text[n] = 0;
    char *at = strrchr(text, ')');
    for (int k = 0; at && k <= AFTER_NAME; k++)
        at = strchr(at + 1, ' ');
    return at ? strtol(at, NULL, 10) : 0;
}

/* Has the program installed a signal handler, which could run in a waiting thread? */
static bool handles_signals(void)
{
    for (int n = 1; n < NSIG; n++) {
        struct sigaction is;
        const bool raised = n == SIGSEGV || n == SIGBUS || n == SIGFPE || n == SIGILL ||
                            n == SIGTRAP || n == SIGABRT;
        if (!raised && sigaction(n, NULL, &is) == 0 && is.sa_handler != SIG_DFL &&
            is.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

bool rt_all_host_threads_wait(void)
{
    const long ours =
        (long)launch_pool_thread_count() + rt_idle_thread_count() + rt_helper_thread_count();
    return atomic_load(&rt.queue.host_functions) == 0 &&
           count_threads() == ours + atomic_load(&rt.queue.waiting) && !handles_signals();
}
