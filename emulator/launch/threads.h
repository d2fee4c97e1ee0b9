/* The pool of host threads that all launches share. Threads are created at first need and sleep
 * between launches. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Call fn(arg, 0) on this thread and fn(arg, 1) to fn(arg, COUNT - 1) on pool threads, each at most
 * once. A call that no thread has started when fn(arg, 0) returns is dropped, so FN must share out
 * work that any of the calls can finish. Returns when all started calls have returned. Concurrent
 * calls are allowed. ASLEEP: the pool threads begin once fn(arg, 0) calls launch_wake_threads(ARG).
 * After fork the child has none of the threads and creates its own. */
void launch_run_on_threads(uint32_t count, bool asleep, void (*fn)(void *arg, uint32_t index),
                           void *arg);

/* For fn(arg, 0) of a call with ASLEEP: the pool threads begin. ARG is of no other call. */
void launch_wake_threads(const void *arg);

/* For a thread that is about to be created: block the program's signals, which go to the program's
 * own threads. Signals of faulting accesses stay unblocked. *BEFORE: the mask to restore. */
void launch_block_program_signals(sigset_t *before);

/* Number of threads in the pool, running or asleep. */
uint32_t launch_pool_thread_count(void);

/* Number of online CPU cores, at least 1. */
uint32_t launch_core_count(void);
