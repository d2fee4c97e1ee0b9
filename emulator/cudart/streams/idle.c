/* Runs pending work for a host that never waits. A GPU works without a waiting host, but the
 * emulator runs work when a call waits. A host that makes no calls and polls a flag in mapped or
 * managed memory would therefore poll forever. So when a program has made no call for a while, a
 * thread of this file runs the queued work; it starts sooner if the program has worked that way
 * before, and at once when the program exits. A second thread watches the host, because a host
 * function may block the first one for a long time. */
#include "idle.h"
#include "../../debugger/step/step.h"
#include "../../launch/threads.h"
#include "../../memory/memory.h"
#include "../core/state.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define HOST_CHECK_MS 100 /* milliseconds between two checks whether the host has made a call */
/* Used instead once a thread of this file has run work for the program. */
#define HOST_CHECK_AGAIN_MS 10 /* shorter time between two such checks, milliseconds */
#define CHECKS_WITHOUT_CALL 5  /* after so many checks without a call, the queued work runs */

/* Is this one of the two threads of this file: the one that runs queued work, or the one that
 * watches the host? */
static __thread bool is_idle_thread;

/* Wait for the semaphore S for at most MS milliseconds; returns false on timeout. */
static bool wait_for_semaphore(sem_t *s, long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms % 1000 * 1000000L;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int failed;
    while ((failed = sem_timedwait(s, &until)) && errno == EINTR)
        ;
    return !failed;
}

/* Wait for the program's exit for at most MS milliseconds, checking the host's memory while work
 * runs. Returns true if the program exits. */
static bool wait_for_exit(int ms)
{
    bool now = false;
    for (int left = ms; left > 0 && !now;) {
        const int step = rt_is_any_thread_running_work() ? HOST_CHECK_AGAIN_MS : left;
        now = wait_for_semaphore(&rt.idle.exit_requested, step);
        left -= step;
        if (rt_is_any_thread_running_work()) {
            mem_start_host_watch();
            rt_take_lock_again();
            rt_check_host_function();
            rt_release_lock();
        }
    }
    return now;
}

static void run_queued_stream_work(void)
{
    rt_run_queued();
    rt.idle.worker_started = false;
    if (rt.idle.exit_pending) {
        rt.idle.exit_pending = false;
        sem_post(&rt.idle.done);
    }
}

static void *run_idle_work(void *unused)
{
    (void)unused;
    is_idle_thread = true;
    rt_take_lock_again();
    run_queued_stream_work();
    rt_release_lock();
    return NULL;
}

/* Start the thread that runs work. The watching thread blocks all signals, and the new thread
 * inherits this: signals go to the program's own threads. */
static void start_idle_thread(void)
{
    pthread_t thread;
    rt.idle.worker_started = true;
    if (!pthread_create(&thread, NULL, run_idle_work, NULL))
        pthread_detach(thread);
    else
        run_queued_stream_work();
}

static void *watch_for_idle_host(void *unused)
{
    (void)unused;
    uint64_t seen = 0;
    int quiet = 0, ms = HOST_CHECK_MS;
    is_idle_thread = true;
    for (;;) {
        const bool now = wait_for_exit(ms);
        rt_take_lock_again();
        quiet = rt.calls == seen ? quiet + 1 : 0;
        seen = rt.calls;
        rt.idle.exit_pending = rt.idle.exit_pending || now;
        if ((quiet >= CHECKS_WITHOUT_CALL || rt.idle.exit_pending) && !rt.idle.worker_started &&
            rt_count_unfinished_work()) {
            start_idle_thread();
            ms = HOST_CHECK_AGAIN_MS;
        }
        if (rt.idle.exit_pending && !rt.idle.worker_started) {
            rt.idle.exit_pending = false;
            sem_post(&rt.idle.done);
        }
        rt_release_lock();
    }
    return NULL;
}

void rt_finish_queued_at_exit(long ms)
{
    if (rt.idle.watcher_exists) {
        rt_change_waiting_thread_count(1);
        rt_release_lock();
        sem_post(&rt.idle.exit_requested);
        wait_for_semaphore(&rt.idle.done, ms);
        rt_take_lock_again();
        rt_change_waiting_thread_count(-1);
    }
}

bool rt_is_idle_thread(void)
{
    return is_idle_thread;
}

int rt_idle_thread_count(void)
{
    return rt.idle.watcher_exists + atomic_load(&rt.idle.worker_started);
}

void rt_start_idle_thread(void)
{
    if (rt.idle.started || step_is_session()) /* `warpbook step` repeats a run in a single thread */
        return;
    rt.idle.started = true;
    sem_init(&rt.idle.exit_requested, 0, 0);
    sem_init(&rt.idle.done, 0, 0);
    sigset_t before;
    launch_block_program_signals(&before);
    pthread_t thread;
    if (!pthread_create(&thread, NULL, watch_for_idle_host, NULL)) {
        rt.idle.watcher_exists = true;
        pthread_detach(thread);
    } /* if the thread cannot be created, only programs that poll without making calls hang */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
