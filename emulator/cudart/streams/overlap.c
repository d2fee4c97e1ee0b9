/* Runs kernels that wait for one another. One operation runs at a time. A kernel that cannot
 * continue alone is suspended; meanwhile other ready work, or another suspended kernel, runs. So
 * kernels may wait for one another, in whatever order they were launched or waited for. */
#include "../../launch/launch.h"
#include "../../launch/threads.h"
#include "../core/repeat.h"
#include "../core/state.h"
#include "idle.h"
#include "queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/* A kernel may poll device memory that another thread of the program changes by issuing new work.
 * After this many seconds without new work, such a change is no longer expected. */
#define NEW_WORK_TIMEOUT_S 10

uint64_t rt_kernel_switch_count(void)
{
    return rt.overlap.switches;
}

void rt_count_kernel_switch(void)
{
    rt.overlap.switches++;
}

bool rt_kernel_waits_for_host(void)
{
    return rt.overlap.waits_for_host;
}

int rt_helper_thread_count(void)
{
    return atomic_load(&rt.overlap.helpers);
}

void rt_note_op_ended(void)
{
    rt.overlap.generation++;
    rt.overlap.waits_for_host = false;
}

bool rt_resume_suspended_kernel(void)
{
    rt_resident_kernel *s = rt.overlap.first;
    if (s) {
        rt.overlap.first = s->next;
        rt.overlap.last = rt.overlap.first ? rt.overlap.last : &rt.overlap.first;
        s->suspended = false;
    }
    rt.overlap.waits_for_host = false;
    rt_wake_waiting_threads();
    return s != NULL;
}

static void *run_helper_thread(void *arg)
{
    rt_take_lock_again();
    rt_run_one_op_for(arg);
    atomic_fetch_sub(&rt.overlap.helpers, 1);
    rt_release_lock();
    return NULL;
}

bool rt_start_helper_thread(rt_op *op)
{
    sigset_t before;
    pthread_t thread;
    launch_block_program_signals(&before);
    rt_op_ref(op);
    atomic_fetch_add(&rt.overlap.helpers, 1);
    const bool made = pthread_create(&thread, NULL, run_helper_thread, op) == 0;
    if (made) {
        pthread_detach(thread);
    } else {
        atomic_fetch_sub(&rt.overlap.helpers, 1);
        rt_op_unref(op);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return made;
}

/* Has no unfinished kernel made progress since memory last changed? */
static bool are_all_kernels_stuck(const rt_resident_kernel *me)
{
    bool all = me->stuck == rt.overlap.generation;
    for (const rt_resident_kernel *s = rt.overlap.first; s; s = s->next)
        all = all && s->stuck == rt.overlap.generation;
    return all;
}

static void suspend_kernel(rt_resident_kernel *me)
{
    launch_count_touched(&me->before);
    me->suspended = true;
    me->next = NULL;
    *rt.overlap.last = me;
    rt.overlap.last = &me->next;
}

double rt_monotonic_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* No other work of the device can help the kernel ME: find out whether the host can. */
static sm_help_result wait_for_host_help(rt_resident_kernel *me)
{
    if (rt_all_host_threads_wait())
        return SM_HELP_NONE;
    const uint64_t issued = rt_issued_count();
    if (me->issued != issued || me->generation != rt.overlap.generation) {
        me->issued = issued;
        me->generation = rt.overlap.generation;
        me->since = rt_monotonic_seconds();
    }
    return rt_monotonic_seconds() - me->since < NEW_WORK_TIMEOUT_S ? SM_HELP_HOST_ONLY
                                                                   : SM_HELP_NONE;
}

/* Tell the recorder that a replay may differ: a recording contains neither what the host writes
 * while a kernel runs, nor when kernels that wait for one another are switched. */
static void record_uncertain_order(const rt_resident_kernel *me, const char *what)
{
    char text[600];
    if (rt_current_recorder) {
        snprintf(text, sizeof text, "kernel %s %s", me->name, what);
        RT_CALL_RECORDER(unsure, text);
    }
}

sm_help_result (*rt_run_other_kernels_instead)(rt_resident_kernel *seat, bool stuck, bool changed);

sm_help_result rt_run_other_kernels(void *seat, bool stuck, bool changed)
{
    rt_resident_kernel *me = seat;
    if (rt_run_other_kernels_instead)
        return rt_run_other_kernels_instead(me, stuck, changed);
    sm_help_result answer = SM_HELP_OTHERS_RAN;
    rt_take_lock_again();
    rt.overlap.generation += changed;
    me->stuck = stuck ? rt.overlap.generation : 0;
    rt_op *other = rt.state.sticky ? NULL : rt_queue_find_startable_op();
    if (rt.state.sticky) {
        answer = SM_HELP_DEVICE_FAILED;
    } else if (other && rt_start_helper_thread(other)) {
        record_uncertain_order(me, RT_WAITS_FOR_OTHERS);
        suspend_kernel(me);
        rt.overlap.switches++;
    } else if (rt.overlap.first && !are_all_kernels_stuck(me)) {
        suspend_kernel(me);
        rt.overlap.switches++;
        rt_resume_suspended_kernel();
    } else {
        answer = stuck ? wait_for_host_help(me) : SM_HELP_HOST_ONLY;
        rt.overlap.waits_for_host = answer == SM_HELP_HOST_ONLY;
        if (rt.overlap.waits_for_host) {
            if (stuck || !rt_all_host_threads_wait())
                record_uncertain_order(me, RT_WAITS_FOR_HOST);
            rt_wake_waiting_threads();
        }
    }
    while (me->suspended)
        rt_wait_for_state_change();
    rt_release_lock();
    return answer;
}
