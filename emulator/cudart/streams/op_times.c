/* Computes when operations begin and end on the modelled device.
 * Operations are placed in batches, each in the order of possible start times: the time when all
 * dependencies are done and the required resources are free. A copy between host and device needs a
 * copy engine: one per direction if the profile has two. Kernels, and copies within the device,
 * need a share of the device, and run concurrently as long as the shares fit. The start-up time of
 * a kernel or a copy overlaps the preceding operation in its queue. The host's calls take the time
 * that the profile states; the host's real clock has no influence. */
#include "op_times.h"
#include "../core/state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double rt_clock_now(void)
{
    return rt.clock.latest;
}

const char *rt_op_kind_name(rt_op_kind k)
{
    static const char *const name[] = {"kernel",   "copy_h2d", "copy_d2h", "copy_d2d",
                                       "copy_h2h", "memset",   "host",     "free",
                                       "record",   "wait",     "host_wait"};
    return name[k];
}

/* The earliest time, at READY or later, at which the fraction SHARE of the device is free. */
static double kernel_start_time(double ready, double share)
{
    double t = ready;
    for (;;) {
        double used = 0, next = 0;
        int n = 0;
        for (int i = 0; i < rt.clock.resident_count; i++) {
            if (rt.clock.resident[i].end > t) {
                used += rt.clock.resident[i].share;
                n++;
                if (!next || rt.clock.resident[i].end < next)
                    next = rt.clock.resident[i].end;
            }
        }
        if (n < RT_MAX_RESIDENT_KERNELS && used + share <= 1 + 1e-9)
            return t;
        t = next;
    }
}

static void occupy_device_share(double start, double end, double share)
{
    int n = 0;
    for (int i = 0; i < rt.clock.resident_count; i++)
        if (rt.clock.resident[i].end > start)
            rt.clock.resident[n++] = rt.clock.resident[i];
    rt.clock.resident_count = n;
    if (n < RT_MAX_RESIDENT_KERNELS) {
        rt.clock.resident[n].end = end;
        rt.clock.resident[n].share = share;
        rt.clock.resident_count++;
    }
}

/* The index of the copy engine that OP needs; -1 if it needs none. */
static int copy_engine_of(const rt_op *op)
{
    switch (op->kind) {
    case RT_COPY_H2D: return 0;
    case RT_COPY_D2H: return rt.profile.copy_engines > 1;
    default: return -1;
    }
}

/* Copies in both directions share the bandwidth of the link, so two overlapping copies slow each
 * other down. The copy that is placed later takes the whole delay, since the end time of the other
 * copy is fixed. */
static void delay_overlapping_copy(rt_op *op, int which)
{
    const device_profile *p = &rt.profile;
    if (which == 1 && rt.clock.engine[0].end + p->copy_us * 1e3 > op->start) {
        op->end += (p->copy_us - p->copy_out_us) *
                   1e3; /* one hardware unit starts the copies of both directions */
    }
    const double apart = p->h2d_pinned_gbs + p->d2h_pinned_gbs;
    const double from =
        op->start > rt.clock.engine[!which].start ? op->start : rt.clock.engine[!which].start;
    const double to = op->end < rt.clock.engine[!which].end ? op->end : rt.clock.engine[!which].end;
    if (to > from && apart > p->link_both_gbs)
        op->end += (to - from) * (apart / p->link_both_gbs - 1);
}

static bool fills_whole_device(const rt_op *op)
{
    return op->kind == RT_KERNEL || op->kind == RT_COPY_D2D || op->kind == RT_MEMSET;
}

/* The part of OP's time, ns, that passes before its work begins and that can overlap the preceding
 * operation in its queue. */
static double overlappable_start_ns(const rt_op *op)
{
    const device_profile *p = &rt.profile;
    const bool kernel = op->kind == RT_KERNEL;
    const double us = kernel && op->node        ? p->graph_launch_us - p->graph_gap_us
                      : kernel                  ? p->launch_us - p->launch_gap_us
                      : copy_engine_of(op) == 0 ? p->copy_us - p->copy_gap_us
                      : copy_engine_of(op) > 0  ? p->copy_out_us - p->copy_gap_us
                                                : 0;
    return us * 1e3 < op->ns ? us * 1e3 : 0;
}

/* The earliest start of a graph's next kernel: the device starts them one after another. */
static double next_graph_start_ns(void)
{
    return rt.profile.graph_next_us * 1e3;
}

static double earliest_start_ns(const rt_op *op)
{
    const double lead = overlappable_start_ns(op);
    double ready = op->since ? op->since->end + op->issued : op->issued;
    const double host = ready;
    bool queued = false, asleep = false;
    for (uint32_t i = 0; i < op->dep_count; i++) {
        const rt_op *d = op->dep[i];
        const bool alike = d->kind == op->kind && d->stream == op->stream;
        const bool behind = alike && (op->kind == RT_KERNEL || copy_engine_of(op) >= 0);
        const bool records = d->kind == RT_EVENT_RECORD && op->kind == RT_EVENT_RECORD;
        const double end = behind    ? d->end - lead
                           : records ? d->end + rt.profile.record_us * 1e3
                                     : d->end;
        ready = end > ready ? end : ready;
        queued = queued || behind;
        asleep = asleep || (end > host && copy_engine_of(d) < 0);
    }
    if (op->kind == RT_HOST_WAIT && asleep) {
        /* The profile's figures for copies include the time until the host notices their end. */
        return ready + rt.profile.wake_us * 1e3;
    }
    if (op->node && op->kind == RT_KERNEL && !queued &&
        rt.clock.graph_kernel_start + next_graph_start_ns() > ready)
        ready = rt.clock.graph_kernel_start + next_graph_start_ns();
    const int which = copy_engine_of(op);
    if (which >= 0) {
        /* The start-up time of a copy (`lead`) overlaps the preceding copy, unless a copy in the
         * other direction is running: one hardware unit starts the copies of both directions. */
        const double free =
            rt.clock.engine[which].end - (rt.clock.engine[!which].end > ready ? 0 : lead);
        return ready > free ? ready : free;
    }
    return fills_whole_device(op) && op->ns > 0 ? kernel_start_time(ready + lead, op->share) - lead
                                                : ready;
}

double rt_clock_end_in_row(const rt_op *op, const rt_op *before, double before_end, size_t place)
{
    const bool behind = before->kind == RT_KERNEL && op->kind == RT_KERNEL;
    const double ready = before_end - (behind ? overlappable_start_ns(op) : 0);
    const double host = (double)place * rt.profile.call_launch_us * 1e3;
    return (ready > host ? ready : host) + op->ns;
}

static void write_timeline_rows(rt_op **op, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    int fd = open(rt.timeline, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (f && fd >= 0) {
        if (lseek(fd, 0, SEEK_END) == 0)
            fprintf(f, "op\tstream\tkind\tname\tstart_ns\tend_ns\n");
        for (size_t i = 0; i < n; i++) {
            const rt_op *o = op[i];
            if (o->kind == RT_HOST_WAIT || o->kind == RT_EVENT_WAIT || o->kind == RT_FREE)
                continue;
            fprintf(f, "%llu\t%llu\t%s\t%s\t%.0f\t%.0f\n", (unsigned long long)o->seq,
                    (unsigned long long)o->stream, rt_op_kind_name(o->kind),
                    o->name ? o->name : "-", o->start, o->end);
        }
    }
    bool good = f && fd >= 0 && !fclose(f) && write(fd, text, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    free(text);
    if (!good) {
        rt_print_message("WARPBOOK_TIMELINE: cannot write %s", rt.timeline);
        rt.timeline = NULL;
    }
}

void rt_clock_set_times(rt_op **op, size_t n)
{
    size_t first = 0; /* the times of operations with a smaller index are known */
    for (;;) {
        rt_op *best = NULL;
        double best_start = 0;
        while (first < n && op[first]->timed)
            first++;
        if (first == n)
            break;
        for (size_t i = first; i < n; i++) {
            rt_op *o = op[i];
            if (o->timed)
                continue;
            bool waits = false;
            for (uint32_t d = 0; d < o->dep_count && !waits; d++)
                waits = !o->dep[d]->timed;
            if (waits)
                continue;
            double start = earliest_start_ns(o);
            if (!best || start < best_start) {
                best = o;
                best_start = start;
            }
        }
        if (!best)
            break; /* unreachable: an operation depends only on older operations */
        best->start = best_start;
        best->end = best_start + best->ns;
        best->timed = true;
        const int which = copy_engine_of(best);
        if (which >= 0) {
            delay_overlapping_copy(best, which);
            rt.clock.engine[which].start = best->start;
            rt.clock.engine[which].end = best->end;
        } else if (fills_whole_device(best) && best->ns > 0) {
            rt.clock.graph_kernel_start =
                best->node && best->kind == RT_KERNEL ? best->start : rt.clock.graph_kernel_start;
            occupy_device_share(best->start + overlappable_start_ns(best), best->end, best->share);
        }
        if (best->end > rt.clock.latest)
            rt.clock.latest = best->end;
    }
    if (rt.timeline)
        write_timeline_rows(op, n);
}
