/* Streams and their work. Nothing runs when it is issued; it runs when a program waits for it.
 *
 * Of the work that may run, what was issued last goes first, each after what it depends on. So two
 * streams whose order is not given run the wrong way round, and a missing event or
 * synchronisation shows. Two that use one buffer in turn would each be right that way, one whole
 * after the other: a copy that could just as well run before or after another one to the same place
 * runs behind it at once, and the first one's stream finds the wrong data. Modelled times do not
 * depend on the order in which work runs here. */
#include "cudart.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A launch queue that is full makes the host wait, as on a device. */
#define QUEUE_LIMIT 1024u

static rt_stream legacy = {.id = 0, .flags = cudaStreamDefault};
static rt_stream *streams = &legacy; /* the legacy stream stays last */
static uint64_t next_stream_id = 1;
static uint64_t next_seq = 1;
static rt_op *head, **tail = &head; /* issued and not timed yet, in order of issue */
static uint32_t untimed;
static rt_op *host_last; /* the host's last wait */
static double host_ns;   /* what its calls have taken since, as modelled */
static rt_op **resume;   /* the tail while operations go before one that was issued long ago */
static rt_op **between;  /* where the first of these is */
static bool running;     /* a thread runs work */
static __thread bool this_runs;
static __thread rt_stream *own; /* the thread's default stream */

__thread unsigned rt_per_thread_default;

rt_op *rt_op_ref(rt_op *op)
{
    if (op) {
        op->refs++;
    }
    return op;
}

static void drop_deps(rt_op *op)
{
    uint32_t n = op->dep_count;
    op->dep_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        rt_op_unref(op->dep[i]);
    }
    free(op->dep);
    op->dep = NULL;
}

static void drop_data(rt_op *op)
{
    if (op->data) {
        if (op->dispose) {
            op->dispose(op);
        }
        free(op->data);
        op->data = NULL;
    }
}

void rt_op_unref(rt_op *op)
{
    if (op && --op->refs == 0) {
        drop_data(op);
        drop_deps(op);
        free(op);
    }
}

rt_stream *rt_stream_new(unsigned flags, int priority)
{
    rt_stream *s = calloc(1, sizeof *s);
    if (s) {
        *s = (rt_stream){
            .id = next_stream_id++, .flags = flags, .priority = priority, .context = rt_owner()};
        s->next = streams;
        streams = s;
    }
    return s;
}

void rt_stream_drop(rt_stream *s)
{
    s->destroyed = true; /* freed by sweep when its work is done */
}

void rt_streams_destroy(const void *context)
{
    for (rt_stream *s = streams; s; s = s->next) {
        s->destroyed = s->destroyed || (s != &legacy && s->context == context);
    }
}

/* Forget destroyed streams whose work is done. */
static void sweep(void)
{
    for (rt_stream **p = &streams; *p;) {
        rt_stream *s = *p;
        if (s->destroyed && !s->capture && (!s->last || s->last->state == RT_DONE)) {
            *p = s->next;
            rt_op_unref(s->last);
            free(s);
        } else {
            p = &s->next;
        }
    }
}

rt_stream *rt_stream_of(cudaStream_t handle)
{
    if (handle == cudaStreamLegacy || (!handle && !rt_per_thread_default)) {
        return &legacy;
    }
    if (handle == cudaStreamPerThread || !handle) {
        if (!own) {
            own = rt_stream_new(cudaStreamDefault, 0);
            if (own) {
                own->context = NULL; /* the thread's, whichever context is current */
            }
        }
        return own;
    }
    for (rt_stream *s = streams; s; s = s->next) {
        if (s == (rt_stream *)handle && !s->destroyed && s != &legacy) {
            return s;
        }
    }
    return NULL;
}

rt_stream *rt_streams(void)
{
    return streams;
}

static uint32_t stream_count(void)
{
    uint32_t n = 0;
    for (rt_stream *s = streams; s; s = s->next) {
        n++;
    }
    return n;
}

static bool blocking(const rt_stream *s)
{
    return !(s->flags & cudaStreamNonBlocking);
}

static void add_dep(rt_op *op, rt_op *on)
{
    if (on) {
        op->dep[op->dep_count++] = rt_op_ref(on);
    }
}

/* A new operation with room for DEPS dependencies, at the end of the order of issue. */
static rt_op *new_op(rt_kind kind, size_t bytes, uint32_t deps)
{
    rt_op *op = calloc(1, sizeof *op);
    if (!op) {
        return NULL;
    }
    op->dep = malloc(deps * sizeof(void *));
    op->data = bytes ? calloc(1, bytes) : NULL;
    if (!op->dep || (bytes && !op->data)) {
        free(op->dep);
        free(op->data);
        free(op);
        return NULL;
    }
    op->seq = next_seq++;
    op->kind = kind;
    op->refs = 1; /* the list's */
    *tail = op;
    tail = &op->next;
    untimed++;
    return op;
}

/* In a lane: see rt_stream. */
static rt_op *queue_in_lane(rt_stream *s, rt_kind kind, size_t bytes, rt_op *extra)
{
    rt_op *op = new_op(kind, bytes, s->after_count + 1);
    if (op) {
        op->stream = s->id;
        op->node = true;
        for (uint32_t i = 0; i < s->after_count; i++) {
            add_dep(op, s->after[i]);
        }
        add_dep(op, extra);
        s->last = op;
    }
    return op;
}

void rt_queue_before(rt_op *op)
{
    resume = tail;
    tail = &head;
    while (*tail != op) {
        tail = &(*tail)->next;
    }
    *tail = NULL;
    between = tail;
}

void rt_queue_resume(rt_op *op)
{
    *tail = op;
    tail = resume;
    for (rt_op *new = *between; new != op; new = new->next) {
        new->seq = op->seq;
    }
}

void rt_op_wait(rt_op *op, rt_op *on)
{
    rt_op_ref(on);
    if (op->extended) {
        rt_op_unref(op->dep[--op->dep_count]);
    }
    op->extended = true;
    op->dep[op->dep_count++] = on;
}

void rt_queue_cancel(rt_op *begin)
{
    for (rt_op *op = begin->next; op; op = op->next) {
        op->run = NULL;
        op->decide = NULL;
        op->state = RT_DONE;
        drop_data(op);
    }
}

/* The host is busy with a call, and the device cannot begin before it. An event's time is that of
 * the call's end. */
static void issue(rt_op *op)
{
    const device_profile *p = &rt.profile;
    double ns = 0;
    switch (op->kind) {
    case RT_KERNEL:
        ns = p->call_launch_us * 1e3;
        break;
    case RT_COPY_H2D:
    case RT_COPY_D2H:
        ns = p->call_copy_us * 1e3;
        break;
    case RT_RECORD:
        ns = p->call_record_us * 1e3;
        break;
    default:
        break;
    }
    op->since = host_last;
    op->issued = host_ns + (op->kind == RT_RECORD ? ns : 0);
    host_ns += ns;
}

rt_op *rt_queue(rt_stream *s, rt_kind kind, size_t bytes, rt_op *extra)
{
    if (s->lane) {
        return queue_in_lane(s, kind, bytes, extra);
    }
    rt_op_ref(extra); /* its event may get another record while work runs */
    if (untimed >= QUEUE_LIMIT && !this_runs) {
        rt_finish_all();
    }
    rt_op *op = new_op(kind, bytes, 5 + (s == &legacy ? stream_count() : 0));
    if (!op) {
        rt_op_unref(extra);
        return NULL;
    }
    op->stream = s->id;
    issue(op);
    add_dep(op, s->last);
    add_dep(op, host_last);
    add_dep(op, extra);
    rt_op_unref(extra);
    rt_idle_watch();
    if (s == &legacy) {
        for (rt_stream *t = streams; t; t = t->next) {
            if (t != s && blocking(t)) {
                add_dep(op, t->last);
            }
        }
    } else if (blocking(s)) {
        add_dep(op, legacy.last);
    }
    rt_op_unref(s->last);
    s->last = rt_op_ref(op);
    return op;
}

/* Give times to the oldest operations as far as all have run. */
static void settle(void)
{
    size_t n = 0;
    for (rt_op *op = head; op && op->state == RT_DONE; op = op->next) {
        n++;
    }
    if (!n) {
        return;
    }
    rt_op **batch = malloc(n * sizeof(void *));
    if (!batch) {
        return; /* later, when there is memory */
    }
    size_t i = 0;
    while (i < n) {
        batch[i++] = head;
        head = head->next;
    }
    if (!head) {
        tail = &head;
    }
    untimed -= (uint32_t)n;
    rt_clock_resolve(batch, n);
    for (i = 0; i < n; i++) {
        batch[i]->next = NULL;
        drop_deps(batch[i]);
    }
    for (i = 0; i < n; i++) {
        rt_op_unref(batch[i]);
    }
    free(batch);
}

static bool is_work(const rt_op *op)
{
    return op->run || op->decide;
}

/* Run one operation whose dependencies are done. */
static void run_one(rt_op *op)
{
    op->state = RT_RUNNING;
    if (op->run && (!rt.sticky || op->kind == RT_FREE)) {
        rt_release();
        this_runs = true;
        op->run(op);
        this_runs = false;
        rt_acquire();
        rt.sticky = rt.sticky ? rt.sticky : op->fault;
    }
    op->state = RT_DONE;
    drop_data(op);
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
    for (rt_op *o = op->to_bytes ? head : NULL; o; o = o->next) {
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
    static uint64_t stamp;
    for (rt_op *o = head; o; o = o->next) {
        if (o->state == RT_PENDING && is_work(o) && !o->blocked && o != op &&
            !comes_after(o, op, ++stamp)) {
            return o;
        }
    }
    return NULL;
}

/* The host may be about to write what an operation waits for. */
static void let_others(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    rt_release();
    nanosleep(&moment, NULL);
    rt_acquire();
}

/* Run OP after all that it depends on; with ONE, stop after one piece of work. The way down to what
 * runs next is a list through `below`; its members are held by those that depend on them. */
static void run_towards(rt_op *op, bool one)
{
    rt_op_ref(op); /* whoever is running may be about to forget it */
    rt_waiting(1);
    while (running) {
        rt_wait();
    }
    rt_waiting(-1);
    running = true;
    rt_working();
    op->below = NULL;
    for (rt_op *at = op; at;) {
        rt_op *d = at->state == RT_DONE ? NULL : newest_open(at);
        if (d) {
            d->below = at;
            at = d;
            continue;
        }
        if (at->state != RT_DONE && at->decide && !rt.sticky && at->decide(at)) {
            settle();
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
        bool work = at->state != RT_DONE && is_work(at);
        if (at->state != RT_DONE) {
            run_one(at);
        }
        if (one && work) {
            break;
        }
        rt_op *other = work ? rival(at) : NULL;
        if (other) {
            run_one(other);
        }
        at = at->below;
    }
    rt_op_unref(op);
    running = false;
    rt_wake();
}

/* Note that the host has seen the end of ON, or of every stream's work: what is issued from now on
 * cannot begin earlier. */
static void host_waited(rt_op *on)
{
    rt_op *op = new_op(RT_HOST_WAIT, 0, 1 + (on ? 1 : stream_count()));
    if (!op) {
        return;
    }
    op->state = RT_DONE;
    issue(op);
    add_dep(op, host_last);
    if (on) {
        add_dep(op, on);
    } else {
        for (rt_stream *s = streams; s; s = s->next) {
            add_dep(op, s->last);
        }
    }
    rt_op_unref(host_last);
    host_last = rt_op_ref(op);
    host_ns = 0;
}

cudaError_t rt_finish(rt_op *op)
{
    if (this_runs) {
        return cudaErrorNotPermitted;
    }
    if (op) {
        rt_op_ref(op);
        run_towards(op, false);
        host_waited(op);
        rt_op_unref(op);
        settle();
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
        for (rt_stream *s = streams; s; s = s->next) {
            rt_op *last = s->last;
            if (last && last->state != RT_DONE && (!newest || last->seq > newest->seq)) {
                newest = last;
            }
        }
        if (!newest) {
            return;
        }
        run_towards(newest, false);
    }
}

cudaError_t rt_finish_all(void)
{
    if (this_runs) {
        return cudaErrorNotPermitted;
    }
    rt_run_queued();
    host_waited(NULL);
    settle();
    sweep();
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
    run_towards(op, open);
    cudaError_t e = rt.sticky ? rt.sticky : open ? cudaErrorNotReady : cudaSuccess;
    if (!e) {
        host_waited(op);
        settle();
    }
    rt_op_unref(op);
    return e;
}

cudaError_t rt_time(rt_op *op)
{
    while (!op->timed) {
        settle();
        rt_op *open = NULL;
        for (rt_op *o = head; o && o->seq <= op->seq; o = o->next) {
            if (o->state != RT_DONE) {
                open = o; /* the newest */
            }
        }
        if (!open) {
            break;
        }
        run_towards(open, false);
    }
    settle();
    return op->timed ? rt.sticky : cudaErrorMemoryAllocation;
}

bool rt_is_runner(void)
{
    return this_runs;
}

uint64_t rt_unwaited(void)
{
    uint64_t n = 0;
    for (rt_op *op = head; op; op = op->next) {
        n += op->state == RT_PENDING && is_work(op) && op->kind != RT_FREE;
    }
    return n;
}

/* After cudaDeviceReset: nothing is pending, streams are gone. */
void rt_queue_reset(void)
{
    rt_finish_all();
    for (rt_stream *s = streams; s; s = s->next) {
        if (s != &legacy && s != own && !s->context) {
            s->destroyed = true;
        }
    }
    sweep();
}
