/* Runs pending work for a host that never waits. A GPU works without being waited for, but here
 * work runs when a call waits. A host that makes no calls and polls a flag in mapped or managed
 * memory would therefore poll forever. So when a program has made no call for a while, a thread of
 * this file runs what is queued; sooner if the program has been seen to work that way, and at once
 * when it exits. It is not the thread that watches: a host function may keep it for long. */
#include "../../debugger/step/step.h"
#include "../cudart.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define TICK_MS 100
#define TICK_AGAIN_MS \
    10 /* once this thread has had to run work; also the period of checks of the host's memory */
#define TICKS 5 /* number of ticks without a call after which the thread runs the work */

/* Whether this is the idle thread. */
static __thread bool me;

/* Wait for S for at most MS milliseconds; returns false on timeout. */
static bool wait_for(sem_t *s, long ms)
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
 * runs. */
static bool wait_in_looks(int ms)
{
    bool now = false;
    for (int left = ms; left > 0 && !now;) {
        const int step = rt_running() ? TICK_AGAIN_MS : left;
        now = wait_for(&rt.idle.hurry, step);
        left -= step;
        if (rt_running()) {
            mem_watch_host();
            rt_acquire();
            rt_host_function_look();
            rt_release();
        }
    }
    return now;
}

static void run_queued(void)
{
    rt_run_queued();
    rt.idle.runs = false;
    if (rt.idle.ends) {
        rt.idle.ends = false;
        sem_post(&rt.idle.done);
    }
}

static void *run_idle_work(void *unused)
{
    (void)unused;
    me = true;
    rt_acquire();
    run_queued();
    rt_release();
    return NULL;
}

/* The watching thread blocks all signals, and so does the new one: they go to the program's own. */
static void start_to_run(void)
{
    pthread_t thread;
    rt.idle.runs = true;
    if (!pthread_create(&thread, NULL, run_idle_work, NULL)) {
        pthread_detach(thread);
    } else {
        run_queued();
    }
}

static void *watch_for_idle_host(void *unused)
{
    (void)unused;
    uint64_t seen = 0;
    int quiet = 0, ms = TICK_MS;
    me = true;
    for (;;) {
        const bool now = wait_in_looks(ms);
        rt_acquire();
        quiet = rt.calls == seen ? quiet + 1 : 0;
        seen = rt.calls;
        rt.idle.ends = rt.idle.ends || now;
        if ((quiet >= TICKS || rt.idle.ends) && !rt.idle.runs && rt_unwaited()) {
            start_to_run();
            ms = TICK_AGAIN_MS;
        }
        if (rt.idle.ends && !rt.idle.runs) {
            rt.idle.ends = false;
            sem_post(&rt.idle.done);
        }
        rt_release();
    }
    return NULL;
}

void rt_idle_finish(long ms)
{
    if (rt.idle.there) {
        rt_add_waiting_threads(1);
        rt_release();
        sem_post(&rt.idle.hurry);
        wait_for(&rt.idle.done, ms);
        rt_acquire();
        rt_add_waiting_threads(-1);
    }
}

bool rt_idle_is_me(void)
{
    return me;
}

int rt_idle_threads(void)
{
    return rt.idle.there + atomic_load(&rt.idle.runs);
}

void rt_idle_watch(void)
{
    if (rt.idle.started || step_is_on()) { /* a walk repeats what one thread does */
        return;
    }
    rt.idle.started = true;
    sem_init(&rt.idle.hurry, 0, 0);
    sem_init(&rt.idle.done, 0, 0);
    /* Signals must go to the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (!pthread_create(&thread, NULL, watch_for_idle_host, NULL)) {
        rt.idle.there = true;
        pthread_detach(thread);
    } /* without the thread, only programs that never call the runtime are affected */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
