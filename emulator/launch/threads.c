#include "threads.h"

#include "../base/lock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define MAX_POOL_THREADS 255u /* most host threads in the pool */

typedef struct thread_job {
    void (*fn)(void *arg, uint32_t index); /* the function to call, with successive indices */
    void *arg;                             /* first argument of `fn` */
    uint32_t open;                         /* number of calls that no thread has taken yet */
    uint32_t taken;                        /* number of calls taken so far */
    uint32_t running;                      /* number of taken calls that have not returned */
    pthread_cond_t done;                   /* signalled when the last running call has returned */
    struct thread_job *next;               /* next job in the list */
} thread_job;

static struct {
    pthread_mutex_t lock;   /* protects the pool and its jobs */
    pthread_cond_t work;    /* signalled when a job has an open call */
    thread_job *jobs;       /* list of jobs with calls that no thread has taken */
    thread_job *asleep;     /* list of jobs of which no thread may take a call yet */
    uint32_t threads, idle; /* number of threads in the pool; number of idle threads */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static pthread_once_t fork_handler_once =
    PTHREAD_ONCE_INIT; /* for installing the fork handler once */

static void reset_pool_in_child(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pool.jobs = pool.asleep = NULL;
    pool.threads = pool.idle = 0;
}

static void install_fork_handler(void)
{
    pthread_atfork(NULL, NULL, reset_pool_in_child);
}

static void remove_job(thread_job **list, const thread_job *j)
{
    for (thread_job **at = list; *at; at = &(*at)->next) {
        if (*at == j) {
            *at = j->next;
            return;
        }
    }
}

void launch_block_program_signals(sigset_t *before)
{
    static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t others;
    sigfillset(&others);
    for (size_t k = 0; k < sizeof raised / sizeof raised[0]; k++)
        sigdelset(&others, raised[k]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static void *serve_jobs(void *unused);

/* Wake or create one thread for an open call; call this function with the lock held. Each thread
 * wakes the next one, so that the launching thread waits for one wake-up only. */
static void wake_one_thread(void)
{
    if (!pool.jobs)
        return;
    if (pool.idle) {
        pthread_cond_signal(&pool.work);
        return;
    }
    if (pool.threads == MAX_POOL_THREADS)
        return;
    sigset_t before;
    pthread_attr_t detached;
    pthread_t thread;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    launch_block_program_signals(&before);
    pool.threads += pthread_create(&thread, &detached, serve_jobs, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

static void *serve_jobs(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.jobs) {
            pool.idle++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.idle--;
        }
        thread_job *j = pool.jobs;
        const uint32_t index = ++j->taken;
        j->running++;
        if (--j->open == 0)
            remove_job(&pool.jobs, j);
        wake_one_thread();
        pthread_mutex_unlock(&pool.lock);
        j->fn(j->arg, index);
        pthread_mutex_lock(&pool.lock);
        if (--j->running == 0)
            pthread_cond_signal(&j->done);
    }
    return NULL;
}

static void add_job(thread_job **list, thread_job *j)
{
    j->next = *list;
    *list = j;
    wake_one_thread();
}

void launch_run_on_threads(uint32_t count, bool asleep, void (*fn)(void *arg, uint32_t index),
                           void *arg)
{
    if (count < 2) {
        fn(arg, 0);
        return;
    }
    pthread_once(&fork_handler_once, install_fork_handler);
    thread_job j = {.fn = fn, .arg = arg, .open = count - 1, .done = PTHREAD_COND_INITIALIZER};
    pthread_mutex_lock(&pool.lock);
    add_job(asleep ? &pool.asleep : &pool.jobs, &j);
    pthread_mutex_unlock(&pool.lock);
    fn(arg, 0);
    pthread_mutex_lock(&pool.lock);
    remove_job(&pool.asleep, &j);
    remove_job(&pool.jobs, &j);
    while (j.running)
        pthread_cond_wait(&j.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_destroy(&j.done);
}

void launch_wake_threads(const void *arg)
{
    HOLD_LOCK(&pool.lock);
    thread_job *j = pool.asleep;
    while (j && j->arg != arg)
        j = j->next;
    if (j) {
        remove_job(&pool.asleep, j);
        add_job(&pool.jobs, j);
    }
}

uint32_t launch_pool_thread_count(void)
{
    HOLD_LOCK(&pool.lock);
    return pool.threads;
}

uint32_t launch_core_count(void)
{
    static atomic_uint known;
    uint32_t cores = atomic_load(&known);
    if (cores == 0) {
        const long n = sysconf(_SC_NPROCESSORS_ONLN);
        cores = n > 0 ? (uint32_t)n : 1;
        atomic_store(&known, cores);
    }
    return cores;
}
