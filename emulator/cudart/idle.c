/* A device works without being waited for. Here work runs when a call waits, so a host that calls
 * nothing, and watches a flag in mapped or managed memory, would watch for ever. When a program has
 * made no call for a while, a thread of ours runs what is queued; sooner where a program has been
 * found to work that way. */
#include "cudart.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#define TICK_MS       100
#define TICK_AGAIN_MS 10 /* after work has been run here once */
#define TICKS         5  /* without a call */

uint64_t rt_calls;

static bool started, there;
static __thread bool me;

static void *watch(void *unused)
{
    (void)unused;
    uint64_t seen = 0;
    int quiet = 0, ms = TICK_MS;
    me = true;
    for (;;) {
        struct timespec tick = {.tv_nsec = ms * 1000000L};
        nanosleep(&tick, NULL);
        rt_acquire();
        quiet = rt_calls == seen ? quiet + 1 : 0;
        seen = rt_calls;
        if (quiet >= TICKS && rt_unwaited()) {
            rt_run_queued();
            ms = TICK_AGAIN_MS;
        }
        rt_release();
    }
    return NULL;
}

bool rt_idle_is_me(void)
{
    return me;
}

bool rt_idle_watches(void)
{
    return there;
}

void rt_idle_watch(void)
{
    if (started) {
        return;
    }
    started = true;
    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (!pthread_create(&thread, NULL, watch, NULL)) {
        there = true;
        pthread_detach(thread);
    } /* without it only a program that never calls would notice */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
