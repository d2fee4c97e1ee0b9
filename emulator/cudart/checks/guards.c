/* Reports host code that touches memory before it has waited for the work that uses it.
 *
 * Pinned memory is guarded from the asynchronous copy, or the launch of a kernel that gets a
 * pointer to it; managed memory from any launch. The guard ends when the host waits: for a stream,
 * an event or the device. Which bytes a kernel will write is not known at its launch, so a read is
 * reported only if the kernel turns out to have changed the bytes.
 *
 * A host that polls such memory instead of waiting does so on purpose: the kernel then runs in the
 * thread for idle work, and nothing is reported. */
#include "../../sanitizer/guard.h"
#include "../streams/order.h"
#include "../streams/queue.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation whose memory is guarded until the host has waited for the operation. */
typedef struct rt_guarding {
    rt_op *op;
    bool by_value; /* which bytes the work writes is known only after it has run */
    bool polled;   /* the work ran while the host was not waiting for it */
    struct rt_guarding *next;
} guarding;

/* A host read of memory that a pending operation may write. It is a mistake only if the operation
 * changes the bytes. */
typedef struct rt_doubtful {
    guarding *by;
    san_touch touch;
    struct rt_doubtful *next;
} doubtful;

static guarding *guard_by(rt_op *op, bool by_value)
{
    guarding *g = calloc(1, sizeof *g);
    if (g) {
        *g = (guarding){rt_op_ref(op), by_value, false, rt.checks.guardings};
        rt.checks.guardings = g;
    }
    return g;
}

static bool looks_for_host_mistakes(const rt_op *op)
{
    return rt.sanitize & SAN_HOST && op->by && op->order;
}

void rt_guard_copy(rt_op *op, uint64_t dst, size_t dst_bytes, uint64_t src, size_t src_bytes)
{
    mem_range to, from;
    const bool into = looks_for_host_mistakes(op) && mem_find(dst, &to) &&
                      (to.kind == MEM_PINNED || to.kind == MEM_MANAGED);
    const bool out_of = looks_for_host_mistakes(op) && mem_find(src, &from) &&
                        (from.kind == MEM_PINNED || from.kind == MEM_MANAGED);
    guarding *g = into || out_of ? guard_by(op, false) : NULL;
    if (g && into) {
        san_guard(dst, dst_bytes, SAN_MUST_NOT_TOUCH, g);
    }
    if (g && out_of) {
        san_guard(src, src_bytes, SAN_MAY_READ, g);
    }
}

/* Does one of the BYTES bytes at PARAMS begin a pointer into the range R? */
static bool points_into(const mem_range *r, const uint8_t *params, size_t bytes)
{
    bool points = false;
    for (size_t k = 0; k + sizeof(uint64_t) <= bytes && !points; k += sizeof(uint64_t)) {
        uint64_t p;
        memcpy(&p, params + k, sizeof p);
        points = p >= r->base && p - r->base < r->size;
    }
    return points;
}

void rt_guard_kernel(rt_op *op, const void *params, size_t bytes)
{
    if (!looks_for_host_mistakes(op)) {
        return;
    }
    const mem_map *map = mem_map_take();
    guarding *g = NULL;
    for (uint32_t k = 0; map && k < map->count; k++) {
        const mem_range *r = &map->range[k];
        if (r->kind == MEM_MANAGED || (r->kind == MEM_PINNED && points_into(r, params, bytes))) {
            g = g ? g : guard_by(op, true);
            if (g) {
                san_guard(r->base, r->size, SAN_MUST_NOT_TOUCH, g);
            }
        }
    }
    mem_map_release(map);
}

/* --- telling ---------------------------------------------------------------------------------- */

static const char *work_of(const rt_op *op, char *out, size_t size)
{
    if (op->kind == RT_KERNEL) {
        snprintf(out, size, "kernel %s", op->name ? op->name : "");
    } else {
        snprintf(out, size, "%s", op->by->call ? op->by->call : "the copy");
    }
    return out;
}

static void tell_touch(const rt_op *op, const san_touch *t, bool reads)
{
    char work[300], what[300] = "host memory";
    mem_range r;
    san_finding f = {.kind = "host", .chapter = 14};
    san_where_of(&t->by, &f.at);
    san_where_of(op->by, &f.other);
    f.other_did = op->kind == RT_KERNEL ? "the kernel is launched here" : "the copy is issued here";
    f.mend = "wait before the host uses the memory: cudaStreamSynchronize() or "
             "cudaEventSynchronize(), or cudaDeviceSynchronize() for all work";
    work_of(op, work, sizeof work);
    if (mem_find(t->address, &r)) {
        snprintf(what, sizeof what, "byte %" PRIu64 " of %s memory", t->address - r.base,
                 r.kind == MEM_MANAGED ? "managed" : "pinned");
    }
    if (reads) {
        snprintf(
            f.sentence, sizeof f.sentence,
            "host code changes %s, which %s still has to read: the host has not waited for that",
            what, work);
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "host code %s %s, which %s writes: the host has not waited for that",
                 t->wrote ? "changes" : "reads", what, work);
    }
    rt_find(&f);
}

static bool lies_inside(uint64_t at, uint64_t base, uint64_t bytes)
{
    return at >= base && at - base < bytes;
}

static void take_touch(const san_touch *t)
{
    guarding *g = rt.checks.guardings;
    while (g && g != t->owner) {
        g = g->next;
    }
    if (!g) {
        return; /* the guard was lifted in the meantime */
    }
    if (!g->by_value) {
        tell_touch(g->op, t, !lies_inside(t->address, g->op->to, g->op->to_bytes));
        return;
    }
    doubtful *d = t->wrote ? NULL : malloc(sizeof *d);
    if (d) {
        *d = (doubtful){g, *t, rt.checks.doubts};
        rt.checks.doubts = d;
    }
}

/* G's operation has run: report the kept reads of bytes that the operation changed. */
static void decide_doubtful_reads(const guarding *g)
{
    for (doubtful **p = &rt.checks.doubts; *p;) {
        doubtful *d = *p;
        if (d->by != g) {
            p = &d->next;
            continue;
        }
        const void *now = mem_host(d->touch.address, d->touch.bytes);
        if (now && !g->polled && memcmp(now, d->touch.before, d->touch.bytes) != 0) {
            tell_touch(g->op, &d->touch, false);
        }
        *p = d->next;
        free(d);
    }
}

void rt_guards_tell(void)
{
    san_touch t;
    while (san_touched(&t)) {
        take_touch(&t);
    }
}

void rt_guards_lift(void)
{
    if (!(rt.sanitize & SAN_HOST)) {
        return;
    }
    if (rt.checks.guardings) {
        rt_guards_tell();
    }
    san_guards_lift();
}

void rt_guards_restore(const rt_op *done)
{
    if (!(rt.sanitize & SAN_HOST)) {
        return;
    }
    for (guarding *g = rt.checks.guardings; g; g = g->next) {
        if (g->op == done) {
            g->polled = rt_idle_is_me();
            decide_doubtful_reads(g);
        }
    }
    san_guards_restore();
}

void rt_guards_waited(bool all_gone)
{
    if (!rt.checks.guardings) {
        return;
    }
    rt_guards_tell();
    for (guarding **p = &rt.checks.guardings; *p;) {
        guarding *g = *p;
        if (all_gone || rt_order_seen(g->op)) {
            *p = g->next;
            san_unguard(g);
            decide_doubtful_reads(g);
            rt_op_unref(g->op);
            free(g);
        } else {
            p = &g->next;
        }
    }
}
