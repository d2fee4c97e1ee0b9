/* Threads that run queued work for a host that polls and never waits, and which threads wait. */
#pragma once

#include <stdbool.h>

/* An operation has been queued: make sure that it runs even if the program never waits for it. */
void rt_start_idle_thread(void);
int rt_idle_thread_count(
    void); /* number of existing threads of idle.c (0 to 2): watcher and worker */
/* The program is exiting: let the idle threads run the queued work, for at most MS milliseconds. */
void rt_finish_queued_at_exit(long ms);
bool rt_is_idle_thread(void); /* is the caller a thread of idle.c? */

/* Does every thread of the program wait for the work that is running? If so, no thread
 * can write memory or create a thread before the work ends. Returns false if that cannot be
 * determined. Callable by any thread, without the lock. */
bool rt_all_host_threads_wait(void);
/* Add THREADS (1 or -1) to the number of host threads that wait for queued work or run it. */
void rt_change_waiting_thread_count(int threads);
/* Add MORE (1 or -1) to the number of running host functions (cudaLaunchHostFunc). */
void rt_change_host_function_count(int more);
