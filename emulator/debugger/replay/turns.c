#include "turns.h"

#include "../../cudart/streams/queue.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct suspended_kernel {
    replay *r;
    replay_op *o;
    void (*work)(replay *r, replay_op *o);
    bool aside, done, hopeless; /* suspended; ended; cannot ever continue */
    bool given;     /* the host's writes during the recorded launch have been repeated */
    uint64_t stuck; /* the memory generation in which the kernel found nothing new; 0: it may find
                       something */
    struct suspended_kernel *next;
} suspended_kernel;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a kernel has been suspended, resumed or ended */
    bool on;
    uint64_t generation;       /* counts changes of memory, from 1 */
    suspended_kernel *current; /* the task that runs; NULL: the replayer's own thread runs */
    suspended_kernel *first;   /* list in the order in which the tasks were suspended */
} the = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .generation = 1};

/* Suspend the current kernel, which cannot continue alone, until it gets its next time slice. */
static sm_help_result run_other_kernels(rt_resident_kernel *seat, bool stuck, bool changed)
{
    pthread_mutex_lock(&the.lock);
    suspended_kernel *t = the.current;
    suspended_kernel **last = &the.first;
    while (*last) {
        last = &(*last)->next;
    }
    the.generation += changed;
    t->stuck = stuck ? the.generation : 0;
    t->aside = true;
    t->next = NULL;
    *last = t;
    sm_count_touched(&seat->before);
    the.current = NULL;
    pthread_cond_broadcast(&the.changed);
    while (t->aside) {
        pthread_cond_wait(&the.changed, &the.lock);
    }
    const sm_help_result help = t->hopeless ? SM_HELP_NONE : SM_HELP_OTHERS_RAN;
    pthread_mutex_unlock(&the.lock);
    return help;
}

void init_replay_tasks(void)
{
    the.on = true;
    rt_others_instead = run_other_kernels;
}

static void *task_thread(void *arg)
{
    suspended_kernel *t = arg;
    t->work(t->r, t->o);
    pthread_mutex_lock(&the.lock);
    t->done = true;
    the.generation++;
    the.current = NULL;
    pthread_cond_broadcast(&the.changed);
    pthread_mutex_unlock(&the.lock);
    rt_add_waiting_threads(-1);
    return NULL;
}

/* The caller holds the lock. Let T run until it has ended or is suspended. */
static void wait_for_kernel(const suspended_kernel *t)
{
    while (the.current == t) {
        pthread_cond_wait(&the.changed, &the.lock);
    }
}

bool run_replay_task(replay *r, replay_op *o, void (*work)(replay *r, replay_op *o))
{
    suspended_kernel *t = the.on ? calloc(1, sizeof *t) : NULL;
    pthread_t thread;
    if (!t) {
        work(r, o);
        return true;
    }
    *t = (suspended_kernel){.r = r, .o = o, .work = work};
    pthread_mutex_lock(&the.lock);
    the.current = t;
    rt_add_waiting_threads(1); /* this thread never writes memory that kernels use */
    if (pthread_create(&thread, NULL, task_thread, t)) {
        the.current = NULL;
        pthread_mutex_unlock(&the.lock);
        rt_add_waiting_threads(-1);
        free(t);
        work(r, o);
        return true;
    }
    pthread_detach(thread);
    wait_for_kernel(t);
    const bool done = t->done;
    pthread_mutex_unlock(&the.lock);
    if (done) {
        free(t);
    }
    return done;
}

/* Whether no suspended kernel has found anything new since memory last changed. */
static bool all_stuck(void)
{
    bool all = true;
    for (const suspended_kernel *t = the.first; t; t = t->next) {
        all = all && t->stuck == the.generation;
    }
    return all;
}

static suspended_kernel *find_suspended_task(const replay_op *o)
{
    suspended_kernel *t = the.first;
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
    for (suspended_kernel **at = &the.first; *at; at = &(*at)->next) {
        if (*at == t) {
            *at = t->next;
            break;
        }
    }
    the.current = t;
    t->aside = false;
    pthread_cond_broadcast(&the.changed);
    wait_for_kernel(t);
    if (t->done) {
        free(t);
    }
}

void finish_replay_tasks(const replay_op *o)
{
    pthread_mutex_lock(&the.lock);
    for (suspended_kernel *mine; (mine = find_suspended_task(o));) {
        suspended_kernel *t = the.first;
        if (!mine->given && !t->next) {
            mine->given = true;
            the.generation += write_host_changes(mine->r);
        } else if (all_stuck()) {
            mine->hopeless = true;
            t = mine;
        }
        resume_kernel(t);
    }
    pthread_mutex_unlock(&the.lock);
}

bool is_replay_task_suspended(void)
{
    pthread_mutex_lock(&the.lock);
    const bool some = the.first != NULL;
    pthread_mutex_unlock(&the.lock);
    return some;
}
