#include "turns.h"

#include "../../base/lock.h"
#include "../../cudart/streams/idle.h"
#include "../../cudart/streams/overlap.h"
#include "../../launch/launch.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct suspended_kernel {
    replay *r;                             /* the replay that repeats the launch */
    replay_op *o;                          /* the launch */
    void (*work)(replay *r, replay_op *o); /* function that runs the kernel */
    bool suspended, done, hopeless;        /* suspended; ended; cannot ever continue */
    bool host_writes_repeated; /* the host's writes during the recorded launch have been repeated */
    uint64_t stuck; /* value of `generation` when the kernel polled memory and found no change; 0:
                       it may still find one */
    struct suspended_kernel *next; /* next suspended kernel */
} suspended_kernel;

static struct {
    pthread_mutex_t lock;      /* guards all fields */
    pthread_cond_t changed;    /* a kernel has been suspended, resumed or ended */
    bool on;                   /* kernels may be suspended */
    uint64_t generation;       /* counts changes of memory, from 1 */
    suspended_kernel *current; /* the kernel that runs; NULL: the replayer's own thread runs */
    suspended_kernel *first;   /* list of suspended kernels, the first suspended first */
} kernel_turns = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .generation = 1};

/* Suspend the current kernel, which cannot continue alone, until it gets its next time slice.
 * STUCK: it polled memory and found nothing new. CHANGED: it has changed memory. */
static sm_help_result run_other_kernels(rt_resident_kernel *seat, bool stuck, bool changed)
{
    HOLD_LOCK(&kernel_turns.lock);
    suspended_kernel *t = kernel_turns.current;
    suspended_kernel **last = &kernel_turns.first;
    while (*last)
        last = &(*last)->next;
    kernel_turns.generation += changed;
    t->stuck = stuck ? kernel_turns.generation : 0;
    t->suspended = true;
    t->next = NULL;
    *last = t;
    launch_count_touched(&seat->before);
    kernel_turns.current = NULL;
    pthread_cond_broadcast(&kernel_turns.changed);
    while (t->suspended)
        pthread_cond_wait(&kernel_turns.changed, &kernel_turns.lock);
    return t->hopeless ? SM_HELP_NONE : SM_HELP_OTHERS_RAN;
}

void allow_suspended_kernels(void)
{
    kernel_turns.on = true;
    rt_run_other_kernels_instead = run_other_kernels;
}

/* Function of the thread that runs one kernel, the suspended_kernel ARG. */
static void *kernel_thread(void *arg)
{
    suspended_kernel *t = arg;
    t->work(t->r, t->o);
    pthread_mutex_lock(&kernel_turns.lock);
    t->done = true;
    kernel_turns.generation++;
    kernel_turns.current = NULL;
    pthread_cond_broadcast(&kernel_turns.changed);
    pthread_mutex_unlock(&kernel_turns.lock);
    rt_change_waiting_thread_count(-1);
    return NULL;
}

/* The caller holds the lock. Let T run until it has ended or is suspended. */
static void wait_for_kernel(const suspended_kernel *t)
{
    while (kernel_turns.current == t)
        pthread_cond_wait(&kernel_turns.changed, &kernel_turns.lock);
}

bool run_suspendable_kernel(replay *r, replay_op *o, void (*work)(replay *r, replay_op *o))
{
    suspended_kernel *t = kernel_turns.on ? calloc(1, sizeof *t) : NULL;
    pthread_t thread;
    if (!t) {
        work(r, o);
        return true;
    }
    *t = (suspended_kernel){.r = r, .o = o, .work = work};
    pthread_mutex_lock(&kernel_turns.lock);
    kernel_turns.current = t;
    rt_change_waiting_thread_count(1); /* this thread never writes memory that kernels use */
    if (pthread_create(&thread, NULL, kernel_thread, t)) {
        kernel_turns.current = NULL;
        pthread_mutex_unlock(&kernel_turns.lock);
        rt_change_waiting_thread_count(-1);
        free(t);
        work(r, o);
        return true;
    }
    pthread_detach(thread);
    wait_for_kernel(t);
    const bool done = t->done;
    pthread_mutex_unlock(&kernel_turns.lock);
    if (done)
        free(t);
    return done;
}

/* Whether no suspended kernel has found anything new since memory last changed. */
static bool are_all_kernels_stuck(void)
{
    bool all = true;
    for (const suspended_kernel *t = kernel_turns.first; t; t = t->next)
        all = all && t->stuck == kernel_turns.generation;
    return all;
}

/* The suspended kernel of operation O; NULL: that kernel is not suspended. */
static suspended_kernel *find_suspended_kernel(const replay_op *o)
{
    suspended_kernel *t = kernel_turns.first;
    while (t && t->o != o)
        t = t->next;
    return t;
}

/* Repeat the host's writes during the launch whose result has just been read; they follow that
 * result in the recording. Their order is not known. False: there are none. */
static bool repeat_host_changes(replay *r)
{
    bool any = false;
    const rec_item *i;
    while ((i = rec_next_item(r->reader)) && i->kind == REC_pages &&
           write_data_to_device(r, i->pages.address, &i->pages.bytes))
        any = true;
    rec_set_position(r->reader, r->after);
    return any;
}

/* The caller holds the lock. Resume the suspended T until it has ended or is suspended again. */
static void resume_kernel(suspended_kernel *t)
{
    for (suspended_kernel **at = &kernel_turns.first; *at; at = &(*at)->next) {
        if (*at == t) {
            *at = t->next;
            break;
        }
    }
    kernel_turns.current = t;
    t->suspended = false;
    pthread_cond_broadcast(&kernel_turns.changed);
    wait_for_kernel(t);
    if (t->done)
        free(t);
}

void resume_kernels_until_ended(const replay_op *o)
{
    HOLD_LOCK(&kernel_turns.lock);
    for (suspended_kernel *mine; (mine = find_suspended_kernel(o));) {
        suspended_kernel *t = kernel_turns.first;
        if (!mine->host_writes_repeated && !t->next) {
            mine->host_writes_repeated = true;
            kernel_turns.generation += repeat_host_changes(mine->r);
        } else if (are_all_kernels_stuck()) {
            mine->hopeless = true;
            t = mine;
        }
        resume_kernel(t);
    }
}

bool is_any_kernel_suspended(void)
{
    HOLD_LOCK(&kernel_turns.lock);
    return kernel_turns.first != NULL;
}
