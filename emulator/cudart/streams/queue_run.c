/* Runs the operations of streams. An operation does not run when it is issued; it runs when the
 * program waits.
 *
 * Among the operations that may run, the one issued last runs first, after all its dependencies. If
 * two streams are unordered, their work therefore runs in the order that the programmer did not
 * expect, and a missing event or synchronization shows.
 *
 * This order alone does not reveal a buffer that two streams share, since one stream would run
 * completely after the other. Therefore a copy that is unordered with respect to another copy to
 * the same destination runs immediately after it, and the first stream finds the wrong data.
 *
 * Modelled times do not depend on the order in which the emulator runs operations. */
#include "../../memory/memory.h"
#include "../checks/checks.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "idle.h"
#include "op_times.h"
#include "queue.h"

#include <time.h>

/* Does this thread run an operation now, for instance a host function? */
static __thread bool this_thread_runs_op;

static bool is_device_work(const rt_op *op)
{
    return op->run || op->decide;
}

/* Fail OP, which has run, if more memory has been touched than the limit allows. A kernel may have
 * noticed that already. */
static void check_touched_memory(rt_op *op)
{
    if (!op->fault && op->kind != RT_FREE && mem_touched_too_much()) {
        char text[400];
        rt_print_message("%s: %s", op->name ? op->name : rt_op_kind_name(op->kind),
                         mem_limit_text(text, sizeof text));
        op->fault = cudaErrorMemoryAllocation;
    }
}

/* After a long host function: wait until no other thread runs work, then run work again. */
static void resume_running_work(void)
{
    rt_wake_waiting_threads();
    while (rt.queue.running)
        rt_wait_for_state_change();
    rt.queue.running = true;
}

/* Run one operation whose dependencies are done. */
static void run_op_and_settle(rt_op *op)
{
    const bool runs = op->run && (!rt.state.sticky || op->kind == RT_FREE);
    const bool on_host = runs && op->kind == RT_HOST_FUNCTION;
    op->state = RT_RUNNING;
    if (runs) {
        rt_remove_page_guards(op);
        rt_find_host_writes();
        RT_CALL_RECORDER(begins, op);
        rt_race_check_op_begins(op);
        if (on_host) {
            rt.queue.running_host_function = op;
            rt.queue.host_function_checks = 0;
            rt_change_host_function_count(1);
            rt_watch_staged_copies(op);
        }
        rt_release_lock();
        this_thread_runs_op = true;
        op->run(op);
        check_touched_memory(op);
        this_thread_runs_op = false;
        rt_take_lock_again();
        RT_CALL_RECORDER(done, op);
        rt_race_check_op_done(op);
        rt_report_texture_notices();
        rt.state.sticky = rt.state.sticky ? rt.state.sticky : op->fault;
        if (on_host) {
            rt_change_host_function_count(-1);
            rt_report_stale_copies(op);
        }
        rt_restore_page_guards(op);
    }
    op->state = RT_DONE;
    rt_op_drop_data(op);
    rt_note_op_ended();
    if (on_host && rt.queue.running_host_function != op)
        resume_running_work();
    else
        rt.queue.running_host_function = NULL;
}

static bool depends_directly_on(const rt_op *op, const rt_op *on)
{
    for (uint32_t i = 0; i < op->dep_count; i++)
        if (op->dep[i] == on)
            return true;
    return false;
}

/* The newest dependency of OP that is not done, or NULL. */
static rt_op *newest_pending_dependency(const rt_op *op)
{
    rt_op *best = NULL;
    for (uint32_t i = 0; i < op->dep_count; i++) {
        rt_op *d = op->dep[i];
        if (d->state != RT_DONE && (!best || d->seq > best->seq))
            best = d;
    }
    return best;
}

/* The newest copy or fill that is ready to run, writes bytes that OP has written, and does not
 * depend on OP. NULL if there is none. */
static rt_op *overlapping_unordered_copy(const rt_op *op)
{
    rt_op *found = NULL;
    for (rt_op *o = op->to_bytes ? rt_queue_first_op() : NULL; o; o = o->next)
        if (o->state == RT_PENDING && o->to < op->to + op->to_bytes &&
            op->to < o->to + o->to_bytes && !newest_pending_dependency(o) &&
            !depends_directly_on(o, op))
            found = o;
    return found;
}

/* Does OP depend on ON, directly or indirectly? STAMP marks the visited operations. */
static bool depends_on(rt_op *op, const rt_op *on, uint64_t stamp)
{
    if (op == on)
        return true;
    if (op->state == RT_DONE || op->seq < on->seq || op->looked == stamp)
        return false;
    op->looked = stamp;
    for (uint32_t i = 0; i < op->dep_count; i++)
        if (depends_on(op->dep[i], on, stamp))
            return true;
    return false;
}

rt_op *rt_queue_find_op_independent_of(const rt_op *op)
{
    for (rt_op *o = rt_queue_first_op(); o; o = o->next)
        if (o->state == RT_PENDING && is_device_work(o) && !o->blocked && o != op &&
            !depends_on(o, op, ++rt.queue.traversals))
            return o;
    return NULL;
}

/* Is OP running, or does it depend on a running operation? STAMP marks the visited operations. */
static bool is_running_or_depends_on_running(rt_op *op, uint64_t stamp)
{
    if (op->state != RT_PENDING || op->looked == stamp)
        return op->state == RT_RUNNING;
    op->looked = stamp;
    for (uint32_t i = 0; i < op->dep_count; i++)
        if (is_running_or_depends_on_running(op->dep[i], stamp))
            return true;
    return false;
}

rt_op *rt_queue_find_startable_op(void)
{
    rt_op *found = NULL;
    for (rt_op *o = rt_queue_first_op(); o; o = o->next)
        if (o->state == RT_PENDING && is_device_work(o) && !o->blocked &&
            !is_running_or_depends_on_running(o, ++rt.queue.traversals))
            found = o;
    return found;
}

/* Yield to the host for a moment: it may be about to write what an operation waits for. */
static void yield_to_host(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    rt_release_lock();
    nanosleep(&moment, NULL);
    rt_take_lock_again();
}

/* Wait until no other thread runs work, then become that thread. False: OP is done. */
static bool wait_to_run(const rt_op *op)
{
    while (rt.queue.running && op->state != RT_DONE)
        rt_wait_for_state_change();
    if (op->state == RT_DONE)
        return false;
    return rt.queue.running = true;
}

void rt_check_host_function(void)
{
    enum { CHECKS_BEFORE_SWITCH = 3 }; /* number of checks that together take at least 20 ms */
    if (!rt.queue.running_host_function || ++rt.queue.host_function_checks < CHECKS_BEFORE_SWITCH)
        return;
    rt.queue.running_host_function = NULL;
    rt_count_kernel_switch();
    rt_op *other = rt.state.sticky ? NULL : rt_queue_find_startable_op();
    if (!other || !rt_start_helper_thread(other))
        rt.queue.running = rt_resume_suspended_kernel();
}

bool rt_is_any_thread_running_work(void)
{
    return __atomic_load_n(&rt.queue.running, __ATOMIC_RELAXED);
}

static void stop_running_work(void)
{
    rt.queue.running = rt_resume_suspended_kernel();
}

/* Run OP after all its dependencies; if ONE, stop after one operation. The caller must be the
 * thread that runs work. The path from OP down to what runs next is a list through `below`; each
 * operation in the list is kept alive by the operation that depends on it. Returns false if another
 * thread has completed OP; then the caller is no longer the thread that runs work. */
static bool run_dependencies(rt_op *op, bool one)
{
    op->below = NULL;
    for (rt_op *at = op; at;) {
        rt_op *d = at->state == RT_DONE ? NULL : newest_pending_dependency(at);
        if (at->state == RT_RUNNING || (d && d->state == RT_RUNNING)) {
            stop_running_work(); /* let the thread of the suspended kernel run work */
            if (!rt.queue.running)
                yield_to_host(); /* another thread runs a long host function: let it continue */
            if (!wait_to_run(op))
                return false;
            at = op;
            op->below = NULL;
            continue;
        }
        if (d) {
            d->below = at;
            at = d;
            continue;
        }
        if (at->state != RT_DONE && at->decide && !rt.state.sticky && at->decide(at)) {
            rt_queue_assign_times();
            continue;
        }
        if (at->state != RT_DONE && at->blocked && !rt.state.sticky) {
            if (one)
                break;
            yield_to_host();
            at = op; /* `decide` may have queued more work, or other work may have become ready */
            op->below = NULL;
            continue;
        }
        const bool work = at->state != RT_DONE && is_device_work(at);
        const uint64_t alone = rt_kernel_switch_count();
        if (at->state != RT_DONE)
            run_op_and_settle(at);
        if (one && work)
            break;
        if (rt_kernel_switch_count() != alone) {
            at = op; /* begin again, since another thread may have changed the list */
            op->below = NULL;
            continue;
        }
        rt_op *other = work ? overlapping_unordered_copy(at) : NULL;
        if (other)
            run_op_and_settle(other);
        at = at->below;
    }
    return true;
}

void rt_run_one_op_for(rt_op *op)
{
    if (run_dependencies(op, true))
        stop_running_work();
    rt_op_unref(op);
}

/* Run OP after all its dependencies, and wait for it. */
static void run_with_dependencies(rt_op *op)
{
    rt_op_ref(op); /* the thread that runs OP may drop the last other reference */
    rt_change_waiting_thread_count(1);
    if (wait_to_run(op) && run_dependencies(op, false))
        stop_running_work();
    rt_change_waiting_thread_count(-1);
    rt_op_unref(op);
}

/* Run OP, or one operation that OP depends on, in a separate thread: a kernel may still run when
 * the caller gets the result "not ready". */
static void run_one_in_thread(rt_op *op)
{
    if (!rt.queue.running) {
        rt.queue.running = true;
        if (!rt_start_helper_thread(op)) {
            rt_op_ref(op);
            rt_run_one_op_for(op);
        }
    }
    const bool helped = rt.queue.running;
    while (rt.queue.running && !rt_kernel_waits_for_host() && op->state != RT_DONE)
        rt_wait_for_state_change();
    if (helped && rt.queue.running && op->state != RT_DONE)
        yield_to_host();
}

cudaError_t rt_finish_op(rt_op *op)
{
    if (this_thread_runs_op)
        return cudaErrorNotPermitted;
    if (op) {
        rt_op_ref(op);
        run_with_dependencies(op);
        rt_queue_host_wait(op);
        rt_op_unref(op);
        rt_queue_assign_times();
    }
    return rt.state.sticky;
}

cudaError_t rt_finish_stream(rt_stream *s)
{
    return rt_finish_op(s->last);
}

void rt_run_queued(void)
{
    for (;;) {
        rt_op *newest = NULL;
        for (rt_stream *s = rt_first_stream(); s; s = s->next) {
            rt_op *last = s->last;
            if (last && last->state != RT_DONE && (!newest || last->seq > newest->seq))
                newest = last;
        }
        if (!newest)
            return;
        run_with_dependencies(newest);
    }
}

cudaError_t rt_finish_all(void)
{
    if (this_thread_runs_op)
        return cudaErrorNotPermitted;
    rt_run_queued();
    rt_queue_host_wait(NULL);
    rt_queue_assign_times();
    rt_free_destroyed_streams();
    return rt.state.sticky;
}

cudaError_t rt_poll_op(rt_op *op)
{
    if (this_thread_runs_op)
        return cudaErrorNotPermitted;
    if (!op)
        return rt.state.sticky;
    rt_op_ref(op); /* OP may be freed otherwise: the stream may get more work meanwhile */
    /* "Not ready" only if real work was pending: markers such as event records are done at once. */
    bool open = false;
    for (rt_op *at = op->state == RT_DONE ? NULL : op; at && !open;
         at = newest_pending_dependency(at))
        open = is_device_work(at);
    if (open)
        run_one_in_thread(op);
    else
        run_with_dependencies(op);
    cudaError_t e = rt.state.sticky ? rt.state.sticky : open ? cudaErrorNotReady : cudaSuccess;
    if (!e) {
        rt_queue_host_wait(op);
        rt_queue_assign_times();
    }
    rt_op_unref(op);
    return e;
}

cudaError_t rt_find_time_of_op(rt_op *op)
{
    while (!op->timed) {
        rt_queue_assign_times();
        rt_op *open = NULL;
        for (rt_op *o = rt_queue_first_op(); o && o->seq <= op->seq; o = o->next)
            if (o->state != RT_DONE)
                open = o; /* the list is in order of issue: the last match is the newest */
        if (!open)
            break;
        run_with_dependencies(open);
    }
    rt_queue_assign_times();
    return op->timed ? rt.state.sticky : cudaErrorMemoryAllocation;
}

bool rt_this_thread_runs_op(void)
{
    return this_thread_runs_op;
}

static bool is_unfinished_work(const rt_op *op)
{
    return op->state == RT_PENDING && is_device_work(op) && op->kind != RT_FREE;
}

rt_op *rt_oldest_unwaited_op(void)
{
    rt_op *op = rt_queue_first_op();
    while (op && !is_unfinished_work(op))
        op = op->next;
    return op;
}

uint64_t rt_count_unfinished_work(void)
{
    uint64_t n = 0;
    for (rt_op *op = rt_queue_first_op(); op; op = op->next)
        n += is_unfinished_work(op);
    return n;
}
