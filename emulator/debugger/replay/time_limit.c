#include "time_limit.h"

#include "../../base/lock.h"
#include "../../cudart/streams/idle.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Time limits of a launch. A kernel that may wait for the host gets 10 s, as in a recorded run,
 * other kernels get 60 s; both get a million times their modelled time in addition. The book's
 * kernels take 20,000 to 100,000 times the modelled time, several times more with all checks. */
#define WAITING_LIMIT_SECONDS 10.0 /* for a kernel that may wait for the host */
#define DEFAULT_LIMIT_SECONDS 60.0 /* for other kernels */
#define MAX_SLOWDOWN          1e6  /* added to both: this multiple of the modelled time */

static struct {
    pthread_mutex_t lock;           /* guards the fields below */
    pthread_cond_t changed;         /* signalled when a launch has begun or ended */
    bool thread_created, running;   /* the watching thread exists; a launch is running */
    double user_limit, seconds, ns; /* limit in s given by set_launch_time_limit, 0: none; limit in
                                       s of the running launch; its modelled time */
    struct timespec end;            /* when the limit of this launch is reached */
    uint64_t number;                /* number of the launch */
    char name[300], doubt[400];     /* name of its kernel; the recording's warning about it */
    void (*out_of_time)(void);      /* called before the process ends; NULL: nothing is called */
} launch_timer = {.lock = PTHREAD_MUTEX_INITIALIZER};

void set_launch_time_limit(double seconds)
{
    launch_timer.user_limit = seconds;
}

double default_launch_time_limit(double ns, bool doubted)
{
    return (doubted ? WAITING_LIMIT_SECONDS : DEFAULT_LIMIT_SECONDS) + MAX_SLOWDOWN * ns * 1e-9;
}

/* Print which launch has exceeded its limit, and exit with status 1. */
static void exit_at_time_limit(void)
{
    if (launch_timer.out_of_time)
        launch_timer.out_of_time();
    fflush(stdout);
    const bool doubted = launch_timer.doubt[0];
    if (doubted)
        fprintf(stderr,
                "warpbook: launch %" PRIu64
                ", kernel %s, has not ended after %.3g s, and is not expected to: it %s, and "
                "the recording does not contain that\n",
                launch_timer.number, launch_timer.name, launch_timer.seconds, launch_timer.doubt);
    else
        fprintf(stderr,
                "warpbook: launch %" PRIu64
                ", kernel %s, has not ended after %.3g s; the option --limit SECONDS gives "
                "launches more time\n",
                launch_timer.number, launch_timer.name, launch_timer.seconds);
    _exit(1);
}

/* Function of the watching thread: waits for launches, and ends the process at a limit. */
static void *watch_time_limits(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&launch_timer.lock);
    for (;;)
        if (!launch_timer.running)
            pthread_cond_wait(&launch_timer.changed, &launch_timer.lock);
        else if (pthread_cond_timedwait(&launch_timer.changed, &launch_timer.lock,
                                        &launch_timer.end) == ETIMEDOUT &&
                 launch_timer.running)
            exit_at_time_limit();
    return NULL;
}

/* Create the thread that watches launches; if this fails, there is no limit. Signals stay blocked
 * in that thread, so that they go to the program's own thread. */
static bool create_watch_thread(void)
{
    sigset_t all, before;
    pthread_condattr_t attr;
    pthread_t thread;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&launch_timer.changed, &attr);
    pthread_condattr_destroy(&attr);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool thread_created = pthread_create(&thread, NULL, watch_time_limits, NULL) == 0;
    if (thread_created) {
        pthread_detach(thread);
        rt_change_waiting_thread_count(1); /* this thread never writes memory that kernels use */
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return thread_created;
}

void begin_launch_time_limit(replay *r, const char *name, void (*out_of_time)(void))
{
    launch_timer.thread_created = launch_timer.thread_created || create_watch_thread();
    if (!launch_timer.thread_created)
        return;
    HOLD_LOCK(&launch_timer.lock);
    launch_timer.number = replay_next_record(r)->launch.number;
    snprintf(launch_timer.name, sizeof launch_timer.name, "%s", name);
    const double ns = replay_recorded_time(r, name, launch_timer.doubt, sizeof launch_timer.doubt);
    launch_timer.seconds = launch_timer.user_limit > 0
                               ? launch_timer.user_limit
                               : default_launch_time_limit(ns, launch_timer.doubt[0]);
    launch_timer.out_of_time = out_of_time;
    clock_gettime(CLOCK_MONOTONIC, &launch_timer.end);
    const double end = (double)launch_timer.end.tv_nsec * 1e-9 + launch_timer.seconds;
    launch_timer.end.tv_sec += (time_t)end;
    launch_timer.end.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    launch_timer.running = true;
    pthread_cond_signal(&launch_timer.changed);
}

void end_launch_time_limit(void)
{
    HOLD_LOCK(&launch_timer.lock);
    launch_timer.running = false;
}
