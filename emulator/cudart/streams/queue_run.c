/* Runs the work of streams. Nothing runs when it is issued; it runs when a program waits for it.
 *
 * Of the work that may run, what was issued last goes first, each after what it depends on. So two
 * streams whose order is not given run the wrong way round, and a missing event or
 * synchronisation shows. Two that use one buffer in turn would each be right that way, one whole
 * after the other: a copy that could just as well run before or after another one to the same place
 * runs behind it at once, and the first one's stream finds the wrong data. Modelled times do not
 * depend on the order in which work runs here. */
#include "queue.h"

#include <time.h>

static bool running; /* a thread runs work */
static __thread bool this_runs;
static uint64_t looks; /* stamps for rt_op.looked */

static bool is_work(const rt_op *op)
{
    return op->run || op->decide;
}

/* What OP has touched counts when it is done, however it did that. */
static void check_touched(rt_op *op)
{
    if (!op->fault && op->kind != RT_FREE && mem_touched_too_much()) {
        char text[400];
        rt_say("%s: %s", op->name ? op->name : rt_kind_name(op->kind),
               mem_limit_text(text, sizeof text));
        op->fault = cudaErrorMemoryAllocation;
    }
}

/* Run one operation whose dependencies are done. */
static void run_one(rt_op *op)
{
    op->state = RT_RUNNING;
    if (op->run && (!rt.sticky || op->kind == RT_FREE)) {
        rt_release();
        this_runs = true;
        op->run(op);
        check_touched(op);
        this_runs = false;
        rt_acquire();
        rt.sticky = rt.sticky ? rt.sticky : op->fault;
    }
    op->state = RT_DONE;
    rt_op_drop_data(op);
    rt_work_done();
}

static bool depends_on(const rt_op *op, const rt_op *on)
{
    for (uint32_t i = 0; i < op->dep_count; i++) {
        if (op->dep[i] == on) {
            return true;
        }
    }
    return false;
}

/* The newest dependency of OP that is not done. */
static rt_op *newest_open(const rt_op *op)
{
    rt_op *best = NULL;
    for (uint32_t i = 0; i < op->dep_count; i++) {
        rt_op *d = op->dep[i];
        if (d->state != RT_DONE && (!best || d->seq > best->seq)) {
            best = d;
        }
    }
    return best;
}

/* The newest copy or fill that writes where OP, which is done, has written, and could have run
 * before it as well as now; NULL: none. */
static rt_op *rival(const rt_op *op)
{
    rt_op *found = NULL;
    for (rt_op *o = op->to_bytes ? rt_queue_first() : NULL; o; o = o->next) {
        if (o->state == RT_PENDING && o->to < op->to + op->to_bytes &&
            op->to < o->to + o->to_bytes && !newest_open(o) && !depends_on(o, op)) {
            found = o;
        }
    }
    return found;
}

/* Does OP come after ON? STAMP marks what has been looked at. */
static bool comes_after(rt_op *op, const rt_op *on, uint64_t stamp)
{
    if (op == on) {
        return true;
    }
    if (op->state == RT_DONE || op->seq < on->seq || op->looked == stamp) {
        return false;
    }
    op->looked = stamp;
    for (uint32_t i = 0; i < op->dep_count; i++) {
        if (comes_after(op->dep[i], on, stamp)) {
            return true;
        }
    }
    return false;
}

rt_op *rt_queue_other(const rt_op *op)
{
    for (rt_op *o = rt_queue_first(); o; o = o->next) {
        if (o->state == RT_PENDING && is_work(o) && !o->blocked && o != op &&
            !comes_after(o, op, ++looks)) {
            return o;
        }
    }
    return NULL;
}

/* Does it come after work that is under way? */
static bool comes_after_running(rt_op *op, uint64_t stamp)
{
    if (op->state != RT_PENDING || op->looked == stamp) {
        return op->state == RT_RUNNING;
    }
    op->looked = stamp;
    for (uint32_t i = 0; i < op->dep_count; i++) {
        if (comes_after_running(op->dep[i], stamp)) {
            return true;
        }
    }
    return false;
}

rt_op *rt_queue_apart(void)
{
    rt_op *found = NULL;
    for (rt_op *o = rt_queue_first(); o; o = o->next) {
        if (o->state == RT_PENDING && is_work(o) && !o->blocked &&
            !comes_after_running(o, ++looks)) {
            found = o;
        }
    }
    return found;
}

/* The host may be about to write what an operation waits for. */
static void let_others(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    rt_release();
    nanosleep(&moment, NULL);
    rt_acquire();
}

/* Wait until the caller may run work. False: OP is done. */
static bool take_over(const rt_op *op)
{
    while (running && op->state != RT_DONE) {
        rt_wait();
    }
    if (op->state == RT_DONE) {
        return false;
    }
    return running = true;
}

bool rt_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_RELAXED);
}

static void hand_on(void)
{
    running = rt_pass_on();
}

/* For the thread that runs work: run OP after all that it depends on; with ONE, stop after one
 * piece of work. The way down to what runs next is a list through `below`; its members are held by
 * those that depend on them. False: another thread has done OP, and the caller runs no work. */
static bool walk(rt_op *op, bool one)
{
    op->below = NULL;
    for (rt_op *at = op; at;) {
        rt_op *d = at->state == RT_DONE ? NULL : newest_open(at);
        if (at->state == RT_RUNNING || (d && d->state == RT_RUNNING)) {
            hand_on(); /* a kernel that has stepped aside: it goes on now */
            if (!take_over(op)) {
                return false;
            }
            at = op;
            op->below = NULL;
            continue;
        }
        if (d) {
            d->below = at;
            at = d;
            continue;
        }
        if (at->state != RT_DONE && at->decide && !rt.sticky && at->decide(at)) {
            rt_queue_settle();
            continue;
        }
        if (at->state != RT_DONE && at->blocked && !rt.sticky) {
            if (one) {
                break;
            }
            let_others();
            at = op; /* there may be more to run first */
            op->below = NULL;
            continue;
        }
        const bool work = at->state != RT_DONE && is_work(at);
        const uint64_t alone = rt_switches();
        if (at->state != RT_DONE) {
            run_one(at);
        }
        if (one && work) {
            break;
        }
        if (rt_switches() != alone) {
            at = op; /* the list may be others' */
            op->below = NULL;
            continue;
        }
        rt_op *other = work ? rival(at) : NULL;
        if (other) {
            run_one(other);
        }
        at = at->below;
    }
    return true;
}

void rt_run_piece(rt_op *op)
{
    if (walk(op, true)) {
        hand_on();
    }
    rt_op_unref(op);
}

/* Run OP after all that it depends on. */
static void run_towards(rt_op *op)
{
    rt_op_ref(op); /* whoever is running may be about to forget it */
    rt_waiting(1);
    if (take_over(op) && walk(op, false)) {
        hand_on();
    }
    rt_waiting(-1);
    rt_op_unref(op);
}

/* Run a piece of work that OP waits for, or OP, in a thread of our own: a kernel may go on when the
 * caller has been told that it has not ended. */
static void run_piece_of(rt_op *op)
{
    if (!running) {
        running = true;
        if (!rt_help(op)) {
            rt_op_ref(op);
            rt_run_piece(op);
        }
    }
    const bool helped = running;
    while (running && !rt_lingers() && op->state != RT_DONE) {
        rt_wait();
    }
    if (helped && running && op->state != RT_DONE) {
        let_others();
    }
}

cudaError_t rt_finish(rt_op *op)
{
    if (this_runs) {
        return cudaErrorNotPermitted;
    }
    if (op) {
        rt_op_ref(op);
        run_towards(op);
        rt_host_waited(op);
        rt_op_unref(op);
        rt_queue_settle();
    }
    return rt.sticky;
}

cudaError_t rt_finish_stream(rt_stream *s)
{
    return rt_finish(s->last);
}

void rt_run_queued(void)
{
    for (;;) {
        rt_op *newest = NULL;
        for (rt_stream *s = rt_streams(); s; s = s->next) {
            rt_op *last = s->last;
            if (last && last->state != RT_DONE && (!newest || last->seq > newest->seq)) {
                newest = last;
            }
        }
        if (!newest) {
            return;
        }
        run_towards(newest);
    }
}

cudaError_t rt_finish_all(void)
{
    if (this_runs) {
        return cudaErrorNotPermitted;
    }
    rt_run_queued();
    rt_host_waited(NULL);
    rt_queue_settle();
    rt_streams_sweep();
    return rt.sticky;
}

cudaError_t rt_poll(rt_op *op)
{
    if (this_runs) {
        return cudaErrorNotPermitted;
    }
    if (!op) {
        return rt.sticky;
    }
    rt_op_ref(op); /* the stream may get more work meanwhile */
    /* Whether any work was still open decides: what is only marks is done at once. */
    bool open = false;
    for (rt_op *at = op->state == RT_DONE ? NULL : op; at && !open; at = newest_open(at)) {
        open = is_work(at);
    }
    if (open) {
        run_piece_of(op);
    } else {
        run_towards(op);
    }
    cudaError_t e = rt.sticky ? rt.sticky : open ? cudaErrorNotReady : cudaSuccess;
    if (!e) {
        rt_host_waited(op);
        rt_queue_settle();
    }
    rt_op_unref(op);
    return e;
}

cudaError_t rt_time(rt_op *op)
{
    while (!op->timed) {
        rt_queue_settle();
        rt_op *open = NULL;
        for (rt_op *o = rt_queue_first(); o && o->seq <= op->seq; o = o->next) {
            if (o->state != RT_DONE) {
                open = o; /* the newest */
            }
        }
        if (!open) {
            break;
        }
        run_towards(open);
    }
    rt_queue_settle();
    return op->timed ? rt.sticky : cudaErrorMemoryAllocation;
}

bool rt_is_runner(void)
{
    return this_runs;
}

uint64_t rt_unwaited(void)
{
    uint64_t n = 0;
    for (rt_op *op = rt_queue_first(); op; op = op->next) {
        n += op->state == RT_PENDING && is_work(op) && op->kind != RT_FREE;
    }
    return n;
}
