#include "limit.h"

#include "../../cudart/streams/queue.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Time limits of a launch. A kernel that may wait for the host gets 10 s, as in a recorded run.
 * Other kernels get 60 s and a million times their modelled time: kernels of the book take 20,000
 * to 100,000 times the modelled time, and several times as long with all checks. */
#define SECONDS_IF_UNCERTAIN 10.0
#define DEFAULT_SECONDS      60.0
#define MAX_SLOWDOWN         1e6

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;     /* a launch has begun or ended */
    bool made, running;         /* the watching thread exists; a launch is running */
    double given, seconds, ns;  /* limit of set_launch_time_limit, 0: none; limit of this launch in
                                   s; its modelled ns */
    struct timespec end;        /* when the limit of this launch is reached */
    uint64_t number;            /* number of the launch */
    char name[300], doubt[400]; /* name of its kernel; the recording's warning about it */
    void (*out_of_time)(void);
} the = {.lock = PTHREAD_MUTEX_INITIALIZER};

void set_launch_time_limit(double seconds)
{
    the.given = seconds;
}

double default_launch_time_limit(double ns, bool doubted)
{
    return (doubted ? SECONDS_IF_UNCERTAIN : DEFAULT_SECONDS) + MAX_SLOWDOWN * ns * 1e-9;
}

static void end_process(void)
{
    if (the.out_of_time) {
        the.out_of_time();
    }
    fflush(stdout);
    const bool doubted = the.doubt[0];
    fprintf(stderr, "warpbook: launch %" PRIu64 ", kernel %s, has not ended after %.3g s%s%s%s\n",
            the.number, the.name, the.seconds, doubted ? ", and is not expected to: it " : "; ",
            doubted ? the.doubt : "--limit SECONDS gives launches more time",
            doubted ? ", and the recording does not contain that" : "");
    _exit(1);
}

static void *watch_launches(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&the.lock);
    for (;;) {
        if (!the.running) {
            pthread_cond_wait(&the.changed, &the.lock);
        } else if (pthread_cond_timedwait(&the.changed, &the.lock, &the.end) == ETIMEDOUT &&
                   the.running) {
            end_process();
        }
    }
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
    pthread_cond_init(&the.changed, &attr);
    pthread_condattr_destroy(&attr);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool made = pthread_create(&thread, NULL, watch_launches, NULL) == 0;
    if (made) {
        pthread_detach(thread);
        rt_add_waiting_threads(1); /* this thread never writes memory that kernels use */
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

void begin_launch_time_limit(replay *r, const char *name, void (*out_of_time)(void))
{
    the.made = the.made || create_watch_thread();
    if (!the.made) {
        return;
    }
    pthread_mutex_lock(&the.lock);
    the.number = replay_next_record(r)->launch.number;
    snprintf(the.name, sizeof the.name, "%s", name);
    const double ns = replay_recorded_time(r, name, the.doubt, sizeof the.doubt);
    the.seconds = the.given > 0 ? the.given : default_launch_time_limit(ns, the.doubt[0]);
    the.out_of_time = out_of_time;
    clock_gettime(CLOCK_MONOTONIC, &the.end);
    const double end = (double)the.end.tv_nsec * 1e-9 + the.seconds;
    the.end.tv_sec += (time_t)end;
    the.end.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    the.running = true;
    pthread_cond_signal(&the.changed);
    pthread_mutex_unlock(&the.lock);
}

void end_launch_time_limit(void)
{
    pthread_mutex_lock(&the.lock);
    the.running = false;
    pthread_mutex_unlock(&the.lock);
}
