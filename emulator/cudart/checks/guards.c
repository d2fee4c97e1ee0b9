/* Reports host code that touches memory before it has waited for the work that uses it.
 *
 * Pinned memory is guarded from the asynchronous copy, or the launch of a kernel that gets a
 * pointer to it; managed memory from any launch; memory that the program has registered from the
 * asynchronous copy, but only whole pages of it: other pages also hold other data of the program.
 * The guard ends when the host waits: for a stream, an event or the device. Which bytes a kernel
 * will use is not known at its launch. A read is therefore reported only if the kernel turns out to
 * have changed the bytes, and a write only if it turns out to have used them, which the check for
 * races knows.
 *
 * A host that polls such memory instead of waiting does so on purpose. Nothing is reported then. */
#include "../../memory/host_access.h"
#include "../../memory/memory.h"
#include "../../sanitizer/global/touched.h"
#include "../../sanitizer/guard.h"
#include "../core/state.h"
#include "../streams/idle.h"
#include "../streams/order.h"
#include "../streams/overlap.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation whose memory is guarded until the host has waited for the operation. */
typedef struct rt_guarded_op {
    rt_op *op;         /* the operation that uses the memory */
    bool check_values; /* it is not known before the operation has run which bytes it writes */
    bool polled;       /* the operation ran while the host was not waiting for it */
    struct rt_guarded_op *next; /* next in the list rt.checks.guarded_ops */
} guarded_op;

/* A host access to memory that a pending kernel may use. A read is a mistake only if the kernel
 * changes the bytes, a write only if the kernel reads or writes them. */
typedef struct rt_undecided_access {
    guarded_op *by;                   /* the pending operation that may write the memory */
    san_guard_access touch;           /* the access by the host: address and source position */
    struct rt_undecided_access *next; /* next in the list rt.checks.undecided_reads */
} undecided_access;

static guarded_op *add_guarded_op(rt_op *op, bool check_values)
{
    guarded_op *g = calloc(1, sizeof *g);
    if (g) {
        *g = (guarded_op){rt_op_ref(op), check_values, false, rt.checks.guarded_ops};
        rt.checks.guarded_ops = g;
    }
    return g;
}

static bool are_host_mistakes_checked(const rt_op *op)
{
    return rt.sanitize & SAN_HOST && op->by && op->order;
}

/* Guard BYTES bytes of host memory at AT, which an operation is to copy. */
static void guard_copied_bytes(uint64_t at, size_t bytes, san_guard_kind kind, const guarded_op *g)
{
    const uint64_t page = mem_page_bytes();
    mem_range r;
    if (mem_find_range(at, &r) && r.kind == MEM_REGISTERED) {
        const uint64_t first = (at + page - 1) / page * page, end = (at + bytes) / page * page;
        at = first;
        bytes = end > first ? end - first : 0;
    }
    if (bytes)
        san_guard_host_memory(at, bytes, kind, g);
}

static bool is_guarded_memory(uint64_t at)
{
    mem_range r;
    return mem_find_range(at, &r) &&
           (r.kind == MEM_PINNED || r.kind == MEM_MANAGED || r.kind == MEM_REGISTERED);
}

void rt_guard_copy(rt_op *op, uint64_t dst, size_t dst_bytes, uint64_t src, size_t src_bytes)
{
    const bool into = are_host_mistakes_checked(op) && is_guarded_memory(dst);
    const bool out_of = are_host_mistakes_checked(op) && is_guarded_memory(src);
    guarded_op *g = into || out_of ? add_guarded_op(op, false) : NULL;
    if (g && into)
        guard_copied_bytes(dst, dst_bytes, SAN_MUST_NOT_TOUCH, g);
    if (g && out_of)
        guard_copied_bytes(src, src_bytes, SAN_MAY_READ, g);
}

/* Do the BYTES bytes of kernel parameters at PARAMS contain, at any offset, a pointer into R? */
static bool has_pointer_into(const mem_range *r, const uint8_t *params, size_t bytes)
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
    if (!are_host_mistakes_checked(op))
        return;
    const mem_map *map = mem_take_snapshot();
    guarded_op *g = NULL;
    for (uint32_t k = 0; map && k < map->count; k++) {
        const mem_range *r = &map->range[k];
        if (r->kind == MEM_MANAGED ||
            (r->kind == MEM_PINNED && has_pointer_into(r, params, bytes))) {
            g = g ? g : add_guarded_op(op, true);
            if (g)
                san_guard_host_memory(r->base, r->size, SAN_MUST_NOT_TOUCH, g);
        }
    }
    mem_release_snapshot(map);
}

/* --- telling ---------------------------------------------------------------------------------- */

static const char *describe_guarded_op(const rt_op *op, char *out, size_t size)
{
    if (op->kind == RT_KERNEL)
        snprintf(out, size, "kernel %s", op->name ? op->name : "");
    else
        snprintf(out, size, "%s", op->by->call ? op->by->call : "the copy");
    return out;
}

static void report_host_access_to_guarded(const rt_op *op, const san_guard_access *t, bool reads)
{
    char work[300], what[300] = "host memory";
    mem_range r;
    san_finding f = {.kind = "host", .chapter = CHAPTER_STREAMS};
    san_call_position_of(&t->by, &f.at);
    san_call_position_of(op->by, &f.other);
    f.other_did = op->kind == RT_KERNEL ? "the kernel is launched here" : "the copy is issued here";
    f.fix = "wait before the host uses the memory: cudaStreamSynchronize() or "
            "cudaEventSynchronize(), or cudaDeviceSynchronize() for all work";
    describe_guarded_op(op, work, sizeof work);
    if (mem_find_range(t->address, &r)) {
        snprintf(what, sizeof what, "byte %" PRIu64 " of %s memory", t->address - r.base,
                 r.kind == MEM_MANAGED ? "managed" : "pinned");
    }
    if (reads) {
        snprintf(f.sentence, sizeof f.sentence,
                 "host code changes %s, which %s still has to read: the host has not waited for "
                 "that operation",
                 what, work);
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "host code %s %s, which %s writes: the host has not waited for that operation",
                 t->wrote ? "changes" : "reads", what, work);
    }
    rt_report_finding(&f);
}

static bool is_address_inside(uint64_t at, uint64_t base, uint64_t bytes)
{
    return at >= base && at - base < bytes;
}

static void handle_guarded_access(const san_guard_access *t)
{
    guarded_op *g = rt.checks.guarded_ops;
    while (g && g != t->owner)
        g = g->next;
    if (!g)
        return; /* the guard was removed in the meantime */
    if (!g->check_values) {
        report_host_access_to_guarded(g->op, t,
                                      !is_address_inside(t->address, g->op->to, g->op->to_bytes));
        return;
    }
    undecided_access *d = malloc(sizeof *d);
    if (d) {
        *d = (undecided_access){g, *t, rt.checks.undecided_accesses};
        rt.checks.undecided_accesses = d;
    }
}

/* The operation of G has run: report the recorded host reads of bytes that the operation changed.
 */
static void report_reads_of_changed_memory(const guarded_op *g)
{
    for (undecided_access **p = &rt.checks.undecided_accesses; *p;) {
        undecided_access *d = *p;
        if (d->by != g) {
            p = &d->next;
            continue;
        }
        const void *now = mem_host_pointer(d->touch.address, d->touch.bytes);
        if (now && !g->polled && !d->touch.wrote &&
            memcmp(now, d->touch.before, d->touch.bytes) != 0)
            report_host_access_to_guarded(g->op, &d->touch, false);
        *p = d->next;
        free(d);
    }
}

bool rt_has_undecided_access(const rt_op *op)
{
    const undecided_access *d = rt.checks.undecided_accesses;
    while (d && d->by->op != op)
        d = d->next;
    return d != NULL;
}

static bool is_in_ranges(const san_touched *t, san_touch_kind kind, uint64_t at)
{
    for (uint32_t n = 0; n < t->by[kind].count; n++)
        if (is_address_inside(at, t->by[kind].range[n].at, t->by[kind].range[n].bytes))
            return true;
    return false;
}

/* OP has run and touched T. Forget the host's reads of bytes that OP has not written: if they
 * changed, the host changed them after its read. If OP ran because the host asked whether it had,
 * forget also the host's reads of flags, which OP sets by atomic or volatile stores. A host that
 * polls a flag need not wait. */
static void forget_harmless_reads(const rt_op *op, const san_touched *t)
{
    const bool polls = rt_helper_thread_count(), knows_all = !t->lost && !t->request_count;
    for (undecided_access **p = &rt.checks.undecided_accesses; *p;) {
        undecided_access *d = *p;
        const uint64_t at = d->touch.address;
        const bool strong = is_in_ranges(t, SAN_STORED_STRONG, at);
        if (d->by->op == op && !d->touch.wrote &&
            (strong ? polls : knows_all && !is_in_ranges(t, SAN_STORED, at))) {
            *p = d->next;
            free(d);
        } else {
            p = &d->next;
        }
    }
}

/* Has the operation that touched T used memory of the host by atomic or volatile accesses? It may
 * then have waited until the host had written. */
static bool may_wait_for_host(const san_touched *t)
{
    static const san_touch_kind strong[] = {SAN_STORED_STRONG, SAN_LOADED_STRONG};
    for (size_t k = 0; k < sizeof strong / sizeof *strong; k++) {
        for (uint32_t n = 0; n < t->by[strong[k]].count; n++)
            if (is_guarded_memory(t->by[strong[k]].range[n].at))
                return true;
    }
    return false;
}

void rt_report_host_writes_during(const rt_op *op, san_touched *touched)
{
    forget_harmless_reads(op, touched);
    if (!rt_has_undecided_access(op) || may_wait_for_host(touched))
        return;
    for (const undecided_access *d = rt.checks.undecided_accesses; d; d = d->next) {
        san_touched *host = d->by->op == op && d->touch.wrote ? san_touched_new() : NULL;
        san_touched_race c;
        if (!host)
            continue;
        san_touched_add_range(host, SAN_STORED, d->touch.address, 1, NULL, 0);
        if (san_touched_find_race(host, touched, &c))
            report_host_access_to_guarded(op, &d->touch, c.b_kind == SAN_LOADED);
        san_touched_free(host);
    }
}

void rt_report_early_host_accesses(void)
{
    san_guard_access t;
    while (san_next_guard_access(&t))
        handle_guarded_access(&t);
}

void rt_remove_page_guards(const rt_op *starting)
{
    if (!(rt.sanitize & SAN_HOST))
        return;
    if (rt.checks.guarded_ops)
        rt_report_early_host_accesses();
    san_unprotect_guarded_pages(starting->kind == RT_HOST_FUNCTION || !mem_is_fault_hook_active());
}

void rt_restore_page_guards(const rt_op *done)
{
    if (!(rt.sanitize & SAN_HOST))
        return;
    for (guarded_op *g = rt.checks.guarded_ops; g; g = g->next) {
        if (g->op == done) {
            g->polled = rt_is_idle_thread();
            report_reads_of_changed_memory(g);
        }
    }
    san_protect_guarded_pages();
}

void rt_note_wait_of_host(bool all_gone)
{
    if (!rt.checks.guarded_ops)
        return;
    rt_report_early_host_accesses();
    for (guarded_op **p = &rt.checks.guarded_ops; *p;) {
        guarded_op *g = *p;
        if (all_gone || rt_order_host_has_waited_for(g->op)) {
            *p = g->next;
            san_unguard_host_memory(g);
            report_reads_of_changed_memory(g);
            rt_op_unref(g->op);
            free(g);
        } else {
            p = &g->next;
        }
    }
}
