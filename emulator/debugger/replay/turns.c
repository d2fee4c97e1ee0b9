#include "turns.h"

#include "../../cudart/streams/queue.h"

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
    suspended_kernel *current; /* the task that runs; NULL: the replayer's own thread runs */
    suspended_kernel *first;   /* list in the order in which the tasks were suspended */
} kernel_tasks = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .generation = 1};

/* Suspend the current kernel, which cannot continue alone, until it gets its next time slice.
 * STUCK: it polled memory and found nothing new. CHANGED: it has changed memory. */
static sm_help_result run_other_kernels(rt_resident_kernel *seat, bool stuck, bool changed)
{
    pthread_mutex_lock(&kernel_tasks.lock);
    suspended_kernel *t = kernel_tasks.current;
    suspended_kernel **last = &kernel_tasks.first;
    while (*last) {
        last = &(*last)->next;
    }
    kernel_tasks.generation += changed;
    t->stuck = stuck ? kernel_tasks.generation : 0;
    t->suspended = true;
    t->next = NULL;
    *last = t;
    sm_count_touched(&seat->before);
    kernel_tasks.current = NULL;
    pthread_cond_broadcast(&kernel_tasks.changed);
    while (t->suspended) {
        pthread_cond_wait(&kernel_tasks.changed, &kernel_tasks.lock);
    }
    const sm_help_result help = t->hopeless ? SM_HELP_NONE : SM_HELP_OTHERS_RAN;
    pthread_mutex_unlock(&kernel_tasks.lock);
    return help;
}

void init_replay_tasks(void)
{
    kernel_tasks.on = true;
    rt_run_other_kernels_instead = run_other_kernels;
}

/* Function of the thread that runs one kernel, the suspended_kernel ARG. */
static void *task_thread(void *arg)
{
    suspended_kernel *t = arg;
    t->work(t->r, t->o);
    pthread_mutex_lock(&kernel_tasks.lock);
    t->done = true;
    kernel_tasks.generation++;
    kernel_tasks.current = NULL;
    pthread_cond_broadcast(&kernel_tasks.changed);
    pthread_mutex_unlock(&kernel_tasks.lock);
    rt_change_waiting_thread_count(-1);
    return NULL;
}

/* The caller holds the lock. Let T run until it has ended or is suspended. */
static void wait_for_kernel(const suspended_kernel *t)
{
    while (kernel_tasks.current == t) {
        pthread_cond_wait(&kernel_tasks.changed, &kernel_tasks.lock);
    }
}

bool run_replay_task(replay *r, replay_op *o, void (*work)(replay *r, replay_op *o))
{
    suspended_kernel *t = kernel_tasks.on ? calloc(1, sizeof *t) : NULL;
    pthread_t thread;
    if (!t) {
        work(r, o);
        return true;
    }
    *t = (suspended_kernel){.r = r, .o = o, .work = work};
    pthread_mutex_lock(&kernel_tasks.lock);
    kernel_tasks.current = t;
    rt_change_waiting_thread_count(1); /* this thread never writes memory that kernels use */
    if (pthread_create(&thread, NULL, task_thread, t)) {
        kernel_tasks.current = NULL;
        pthread_mutex_unlock(&kernel_tasks.lock);
        rt_change_waiting_thread_count(-1);
        free(t);
        work(r, o);
        return true;
    }
    pthread_detach(thread);
    wait_for_kernel(t);
    const bool done = t->done;
    pthread_mutex_unlock(&kernel_tasks.lock);
    if (done) {
        free(t);
    }
    return done;
}

/* Whether no suspended kernel has found anything new since memory last changed. */
static bool are_all_kernels_stuck(void)
{
    bool all = true;
    for (const suspended_kernel *t = kernel_tasks.first; t; t = t->next) {
        all = all && t->stuck == kernel_tasks.generation;
    }
    return all;
}

/* The suspended kernel of operation O; NULL: that kernel is not suspended. */
static suspended_kernel *find_suspended_task(const replay_op *o)
{
    suspended_kernel *t = kernel_tasks.first;
    while (t && t->o != o) {
        t = t->next;
    }
    return t;
}

/* Repeat the host's writes during the launch whose result has just been read; they follow that
 * result in the recording. The order of these writes is not known. Returns false if the host wrote
 * nothing. */
static bool write_host_changes(replay *r)
{
    bool any = false;
    const rec_item *i;
    while ((i = rec_next_item(r->reader)) && i->kind == REC_pages &&
           device_write(r, i->pages.address, &i->pages.bytes)) {
        any = true;
    }
    rec_set_position(r->reader, r->after);
    return any;
}

/* The caller holds the lock. Resume the suspended T until it has ended or is suspended again. */
static void resume_kernel(suspended_kernel *t)
{
    for (suspended_kernel **at = &kernel_tasks.first; *at; at = &(*at)->next) {
        if (*at == t) {
            *at = t->next;
            break;
        }
    }
    kernel_tasks.current = t;
    t->suspended = false;
    pthread_cond_broadcast(&kernel_tasks.changed);
    wait_for_kernel(t);
    if (t->done) {
        free(t);
    }
}

void finish_replay_tasks(const replay_op *o)
{
    pthread_mutex_lock(&kernel_tasks.lock);
    for (suspended_kernel *mine; (mine = find_suspended_task(o));) {
        suspended_kernel *t = kernel_tasks.first;
        if (!mine->host_writes_repeated && !t->next) {
            mine->host_writes_repeated = true;
            kernel_tasks.generation += write_host_changes(mine->r);
        } else if (are_all_kernels_stuck()) {
            mine->hopeless = true;
            t = mine;
        }
        resume_kernel(t);
    }
    pthread_mutex_unlock(&kernel_tasks.lock);
}

bool is_replay_task_suspended(void)
{
    pthread_mutex_lock(&kernel_tasks.lock);
    const bool some = kernel_tasks.first != NULL;
    pthread_mutex_unlock(&kernel_tasks.lock);
    return some;
}
