/* Reports races between operations: two operations touch the same bytes, at least one writes, and
 * nothing orders the two (no stream, event, graph or wait of the host; streams/order.h). What each
 * operation touches is kept until every operation that may run concurrently with it has run. */
#include "../../memory/memory.h"
#include "../../sanitizer/global/global.h"
#include "../../sanitizer/global/touched.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "../memory/copy.h"
#include "../streams/order.h"
#include "../streams/queue.h"
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of elements of the field ARRAY, an array, of rt.checks.operations. */
#define ARRAY_LENGTH(array) (sizeof rt.checks.operations.array / sizeof *rt.checks.operations.array)
enum {
    MAX_PAST_OPS = 1024, /* maximum number of completed operations that are kept for comparison */
    /* The search for races ends when kernels have launched more operations than this. */
    MAX_REQUESTED_OPS = 2048,
    MAX_HOST_FUNCTIONS = ARRAY_LENGTH(functions), /* maximum number of remembered host functions */
    MAX_VALUE_WAITS = ARRAY_LENGTH(passed),       /* ... of remembered waits for a value */
    MAX_VALUE_WRITES = ARRAY_LENGTH(writes)       /* ... of remembered writes of a value */
};

/* An operation that has run, kept to compare it with later operations. */
typedef struct rt_past_op {
    struct rt_past_op *next; /* the next older operation */
    rt_op *op;               /* the operation that has run */
    san_touched *touched;    /* bytes that the operation touched */
    uint64_t until; /* operations issued from this rt_op.seq on follow `op`; 0: not known yet */
} rt_past_op;

/* The operation that runs in this thread, and the bytes that it touches. */
static __thread struct {
    const rt_op *op;      /* the operation; NULL: none, or races are not looked for */
    san_touched *touched; /* bytes that the operation has touched so far */
    bool with_others;     /* compare with other operations; false: only with what the host wrote */
} running_op;             /* what this thread runs now */

void rt_stop_race_search(void)
{
    rt.checks.operations.unknown = true;
}

static bool are_races_checked(const rt_op *op)
{
    return rt.sanitize & SAN_RACE && !rt.checks.operations.unknown && !running_op.op && op->by &&
           (op->node || op->makes_requests || rt.checks.operations.repeated ||
            rt_stream_count() > 1);
}

void rt_note_replayed_streams(void)
{
    rt.checks.operations.repeated = true;
}

void rt_note_programmatic_launch(rt_op *op)
{
    op->programmatic = true;
    rt.checks.operations.repeated = true; /* one stream is enough for a race */
}

void rt_race_check_op_begins(const rt_op *op)
{
    rt_race_state *o = &rt.checks.operations;
    if (op->inside && ++o->requested > MAX_REQUESTED_OPS)
        o->unknown = true;
    const bool with_others = are_races_checked(op);
    const bool with_host = rt.sanitize & SAN_RACE && !running_op.op && rt_has_undecided_access(op);
    if ((with_others || with_host) && (running_op.touched = san_touched_new())) {
        running_op.op = op;
        running_op.with_others = with_others;
        san_global_record_touched(running_op.touched);
    }
}

/* --- the bytes that copies and fills touch ---------------------------------------------------- */

static void add_copied_rows(san_touched *t, san_touch_kind way, rt_copy_box at,
                            const rt_op_info *info)
{
    const size_t height = info->height ? info->height : 1, depth = info->depth ? info->depth : 1;
    for (size_t row = 0; row < height * depth; row++) {
        san_touched_add_range(t, way, at.base + row / height * at.slice + row % height * at.pitch,
                              info->width, NULL, 0);
    }
}

static void add_bytes_touched_by_op(san_touched *t, const rt_op *op)
{
    rt_op_info info = {0};
    op->describe(op, &info);
    switch (info.action) {
    case RT_ACTION_COPY:
        if (!info.staged)
            add_copied_rows(t, SAN_LOADED, info.from, &info);
        add_copied_rows(t, SAN_STORED, info.to, &info);
        break;
    case RT_ACTION_FILL: add_copied_rows(t, SAN_STORED, info.to, &info); break;
    case RT_ACTION_WRITE:
        san_touched_add_range(t, SAN_STORED_STRONG, info.to.base, info.unit, NULL, 0);
        break;
    case RT_ACTION_LAUNCH:
    case RT_ACTION_NONE: break;
    }
}

/* --- describing a race in a report ------------------------------------------------------------ */

/* Describe one operation of a race, for example "the kernel scale() reads it at lab.cu:12". */
static void describe_access(const rt_op *op, const san_range *r, san_touch_kind way, char *out,
                            size_t size)
{
    const char *slash = r->path ? strrchr(r->path, '/') : NULL;
    const char *did = way == SAN_LOADED || way == SAN_LOADED_STRONG ? "reads"
                      : way == SAN_STORED                           ? "writes"
                                                                    : "updates";
    char line[140] = "";
    if (r->path)
        snprintf(line, sizeof line, " at %.100s:%u", slash ? slash + 1 : r->path, r->line);
    if (op->kind == RT_FREE) {
        const char *call = op->by->call ? op->by->call : "the call";
        snprintf(out, size, "%s %s", call, strstr(call, "Free") ? "frees" : "allocates");
    } else if (op->kind == RT_KERNEL) {
        snprintf(out, size, "the kernel %.90s %s%s", op->name ? op->name : "", did, line);
    } else {
        snprintf(out, size, "%s %s",
                 op->node       ? (op->kind == RT_MEMSET ? "a memset" : "a copy")
                 : op->by->call ? op->by->call
                                : "the copy",
                 did);
    }
}

/* Set the remedy and the source positions of F for a race with an operation that a kernel launched.
 * REQUEST: the operation races with the kernel that launched it. Such an operation has no position
 * in host code, so the report shows where the two accesses are in device code. */
static void describe_race_of_requested(san_finding *f, const san_touched_race *c, bool request)
{
    const san_range *side[] = {&c->b, &c->a};
    san_call_position *to[] = {&f->at, &f->other};
    for (int k = 0; k < 2; k++) {
        if (side[k]->path) {
            *to[k] = (san_call_position){.place = {.line = side[k]->line}};
            snprintf(to[k]->place.path, sizeof to[k]->place.path, "%s", side[k]->path);
        }
    }
    f->other_did = "the other access is here";
    f->chapter = CHAPTER_NONE;
    f->fix =
        request
            ? "let the kernel access the memory before it launches, with __syncthreads() between "
              "other threads' accesses and the launch, or launch what follows into "
              "cudaStreamTailLaunch; a kernel cannot wait for the kernels that it launches"
            : "launch both into one stream of the block, or order their streams by an event, or "
              "launch what comes last into cudaStreamTailLaunch";
}

static void report_race(const rt_op *first, const rt_op *second, const san_touched_race *c,
                        bool request)
{
    const bool nested = rt_is_launched_by_kernel(first) || rt_is_launched_by_kernel(second);
    const bool graph = !nested && first->node && second->node && first->stream == second->stream;
    char one[260], other[260], memory[200] = "memory of the host";
    san_finding f = {.kind = "race",
                     .kernel = second->kind == RT_KERNEL  ? second->name
                               : first->kind == RT_KERNEL ? first->name
                                                          : NULL,
                     .other_did = "the other operation was issued here",
                     .chapter = CHAPTER_STREAMS};
    f.fix = graph ? "add a dependency between the two nodes of the graph, or an event between the "
                    "captured streams"
                  : "record an event after the first and let the other stream wait for it "
                    "(cudaEventRecord, cudaStreamWaitEvent), or issue both into one stream";
    san_call_position_of(second->by, &f.at);
    san_call_position_of(first->by, &f.other);
    if (nested)
        describe_race_of_requested(&f, c, request);
    describe_access(second, &c->b, c->b_kind, one, sizeof one);
    describe_access(first, &c->a, c->a_kind, other, sizeof other);
    if (mem_in_window(c->at))
        mem_describe(c->at, c->bytes, memory, sizeof memory);
    snprintf(f.sentence, sizeof f.sentence,
             "nothing orders two %s, which run in either order or at the same time: %s what %s "
             "(%llu bytes from 0x%llx on, %s)",
             graph     ? "branches of a graph"
             : request ? "kernels, of which one launches the other"
             : nested  ? "operations that kernels launch"
                       : "operations of streams",
             one, other, (unsigned long long)c->bytes, (unsigned long long)c->at, memory);
    rt_report_finding(&f);
}

/* --- whether two operations are ordered ------------------------------------------------------- */

/* May a host function that ran after A have told the host, before it issued B, that A was done? */
static bool host_waited_between(const rt_op *a, const rt_op *b)
{
    const rt_race_state *o = &rt.checks.operations;
    for (uint32_t k = 0; k < o->function_count; k++)
        if (b->seq >= o->functions[k].from && rt_order_precedes(a, o->functions[k].op))
            return true;
    return false;
}

/* Does A precede B, directly or by at most HOPS values in memory that one stream writes and another
 * stream waits for? */
static bool is_ordered_by_values(const rt_op *a, const rt_op *b, int hops)
{
    const rt_race_state *o = &rt.checks.operations;
    bool is = rt_order_precedes(a, b);
    for (uint32_t k = 0; k < o->passed_count && hops && !is; k++) {
        const rt_op *write = o->passed[k].write, *wait = o->passed[k].wait;
        is = (a == write || rt_order_precedes(a, write)) &&
             (b == wait || is_ordered_by_values(wait, b, hops - 1));
    }
    return is;
}

static bool is_ordered_before(const rt_op *a, const rt_op *b)
{
    enum { MAX_CHAIN_LENGTH = 4 };
    rt_replace_by_enclosing_ops(&a, &b);
    return is_ordered_by_values(a, b, MAX_CHAIN_LENGTH) || host_waited_between(a, b);
}

static bool are_ordered(const rt_op *a, const rt_op *b)
{
    return is_ordered_before(a, b) || is_ordered_before(b, a);
}

/* Was a race between the same two streams or branches already reported on these bytes? Both races
 * are one mistake: a missing event or dependency. The list of reported races covers the whole run
 * of the program. */
static bool is_race_already_reported(const rt_op *a, const rt_op *b, const san_touched_race *c)
{
    static struct reported_race {
        uint64_t branch[2], at, bytes;
    } reported[SAN_MAX_FINDINGS];
    static uint32_t count;
    const bool swap = a->branch > b->branch;
    const uint64_t low = swap ? b->branch : a->branch, high = swap ? a->branch : b->branch;
    for (uint32_t k = 0; k < count; k++) {
        const struct reported_race *t = &reported[k];
        if (t->branch[0] == low && t->branch[1] == high && t->at < c->at + c->bytes &&
            c->at < t->at + t->bytes)
            return true;
    }
    if (count < SAN_MAX_FINDINGS)
        reported[count++] = (struct reported_race){{low, high}, c->at, c->bytes};
    return false;
}

/* OP may have begun before the last kernel of its stream ended, and touched EARLY before it waited
 * for that one. */
static void check_programmatic_launch(const rt_op *op, san_touched *early)
{
    const rt_past_op *p = rt.checks.operations.past_ops;
    while (p && p->op->stream != op->stream)
        p = p->next;
    san_touched_race c;
    if (!p || p->op->kind != RT_KERNEL || !p->touched->admits_next ||
        !san_touched_find_race(p->touched, early, &c))
        return;
    char one[260], other[260], memory[200] = "memory of the host";
    san_finding f = {.kind = "race",
                     .kernel = op->name,
                     .other_did = "the kernel before it was launched here",
                     .fix = "call cudaGridDependencySynchronize() before the first access to what "
                            "the kernel before it reads or writes",
                     .chapter = CHAPTER_STREAMS};
    san_call_position_of(op->by, &f.at);
    san_call_position_of(p->op->by, &f.other);
    describe_access(op, &c.b, c.b_kind, one, sizeof one);
    describe_access(p->op, &c.a, c.a_kind, other, sizeof other);
    if (mem_in_window(c.at))
        mem_describe(c.at, c.bytes, memory, sizeof memory);
    snprintf(
        f.sentence, sizeof f.sentence,
        "a kernel with programmatic stream serialization may begin while the one before it runs: "
        "before it waits for that, %s what %s (%llu bytes from 0x%llx on, %s)",
        one, other, (unsigned long long)c.bytes, (unsigned long long)c.at, memory);
    rt_report_finding(&f);
}

static void check_pair_for_race(rt_past_op *was, const rt_op *op, san_touched *touched)
{
    /* Operations that one kernel launched have one issue number (`seq`): compare their ids. */
    const bool first = was->op->seq < op->seq || (was->op->seq == op->seq && was->op->id <= op->id);
    const uint32_t request = rt_request_number_in_kernel(was->op, op);
    san_touched *before = request ? san_touched_find_request(was->touched, request) : was->touched;
    san_touched_race c;
    if (before && (request || !are_ordered(was->op, op)) &&
        san_touched_find_race(first ? before : touched, first ? touched : before, &c) &&
        !is_race_already_reported(was->op, op, &c))
        report_race(first ? was->op : op, first ? op : was->op, &c, request);
}

static void free_past_op(rt_past_op *p)
{
    rt_op_unref(p->op);
    san_touched_free(p->touched);
    free(p);
}

/* Forget operations that no later operation can run concurrently with, and the oldest ones if there
 * are too many. */
static void forget_past_ops(void)
{
    const rt_op *oldest = rt_queue_first_op();
    uint32_t n = 0;
    for (rt_past_op **at = &rt.checks.operations.past_ops; *at;) {
        rt_past_op *p = *at;
        if (!p->until && rt_order_host_has_waited_for(p->op))
            p->until = rt_issued_count();
        if (++n > MAX_PAST_OPS || (p->until && (!oldest || oldest->seq >= p->until))) {
            *at = p->next;
            free_past_op(p);
        } else {
            at = &p->next;
        }
    }
}

static void record_host_function(rt_op *op)
{
    rt_race_state *o = &rt.checks.operations;
    if (o->function_count == MAX_HOST_FUNCTIONS) {
        o->unknown = true;
        return;
    }
    o->functions[o->function_count].op = rt_op_ref(op);
    o->functions[o->function_count++].from = rt_issued_count();
}

void rt_reset_race_search(void)
{
    rt_race_state *o = &rt.checks.operations;
    while (o->past_ops) {
        rt_past_op *p = o->past_ops;
        o->past_ops = p->next;
        free_past_op(p);
    }
    while (o->function_count)
        rt_op_unref(o->functions[--o->function_count].op);
    while (o->passed_count) {
        rt_op_unref(o->passed[--o->passed_count].write);
        rt_op_unref(o->passed[o->passed_count].wait);
    }
    while (o->write_count)
        rt_op_unref(o->writes[--o->write_count].op);
    o->unknown = false;
    o->requested = 0;
}

static uint32_t find_value_write(const rt_race_state *o, uint64_t at)
{
    uint32_t k = 0;
    while (k < o->write_count && o->writes[k].at != at)
        k++;
    return k;
}

static void record_value_write(rt_op *op, uint64_t at, uint64_t value)
{
    rt_race_state *o = &rt.checks.operations;
    const uint32_t k = find_value_write(o, at);
    if (k == MAX_VALUE_WRITES) {
        o->unknown = true;
        return;
    }
    if (k == o->write_count)
        o->write_count++;
    else
        rt_op_unref(o->writes[k].op);
    o->writes[k].at = at;
    o->writes[k].value = value;
    o->writes[k].op = rt_op_ref(op);
}

/* A stream's wait ends because VALUE stands at AT. If no stream is known to have written VALUE, the
 * host or a kernel wrote it, and the order is unknown. */
void rt_race_check_value_wait_done(rt_op *op, uint64_t at, uint64_t value)
{
    rt_race_state *o = &rt.checks.operations;
    const uint32_t k = find_value_write(o, at);
    const bool again = o->passed_count && o->passed[o->passed_count - 1].wait == op;
    RT_CALL_RECORDER(value_met, op, at, value);
    if (!(rt.sanitize & SAN_RACE) || o->unknown || again)
        return;
    if (k == o->write_count || o->writes[k].value != value || o->passed_count == MAX_VALUE_WAITS) {
        o->unknown = true;
        return;
    }
    o->passed[o->passed_count].write = rt_op_ref(o->writes[k].op);
    o->passed[o->passed_count++].wait = rt_op_ref(op);
}

static void compare_with_past_ops(const rt_op *op, san_touched *touched)
{
    forget_past_ops();
    for (rt_past_op *p = rt.checks.operations.unknown ? NULL : rt.checks.operations.past_ops; p;
         p = p->next)
        check_pair_for_race(p, op, touched);
}

/* Keep OP, which touches TOUCHED, for the comparison with later operations. */
static void add_past_op(rt_op *op, san_touched *touched)
{
    rt_past_op *new = malloc(sizeof *new);
    if (!new) {
        san_touched_free(touched);
        return;
    }
    *new = (rt_past_op){rt.checks.operations.past_ops, rt_op_ref(op), touched, 0};
    rt.checks.operations.past_ops = new;
}

bool rt_is_allocation_order_checked(void)
{
    return rt.sanitize & SAN_RACE && !rt.checks.operations.unknown && rt_stream_count() > 1;
}

void rt_race_check_allocation(rt_op *op)
{
    san_touched *touched = san_touched_new();
    if (touched) {
        san_touched_add_range(touched, SAN_STORED, op->to, op->to_bytes, NULL, 0);
        add_past_op(op, touched);
    }
}

void rt_race_check_free(const rt_op *op)
{
    if (running_op.op == op && running_op.with_others) {
        san_touched_add_range(running_op.touched, SAN_STORED, op->to, op->to_bytes, NULL, 0);
        compare_with_past_ops(op, running_op.touched);
        san_touched_remove_range(running_op.touched, op->to, op->to_bytes);
    }
}

void rt_race_check_op_done(rt_op *op)
{
    if (rt.sanitize & SAN_RACE && !rt.checks.operations.unknown) {
        rt_op_info info = {0};
        if (op->kind == RT_MEMSET && op->describe)
            op->describe(op, &info);
        if (op->kind == RT_HOST_FUNCTION)
            record_host_function(op);
        else if (info.action == RT_ACTION_WRITE)
            record_value_write(op, info.to.base, info.value);
    }
    if (running_op.op != op)
        return;
    san_touched *touched = running_op.touched;
    running_op.op = NULL;
    running_op.touched = NULL;
    san_global_record_touched(NULL);
    if (op->describe)
        add_bytes_touched_by_op(touched, op);
    rt_report_host_writes_during(op, touched);
    if (!running_op.with_others) {
        san_touched_free(touched);
        return;
    }
    if (op->programmatic)
        check_programmatic_launch(op, touched->early ? touched->early : touched);
    compare_with_past_ops(op, touched);
    add_past_op(op, touched);
}

void rt_race_check_address_reuse(uint64_t at)
{
    mem_range r;
    for (rt_past_op *p = mem_find_range(at, &r) ? rt.checks.operations.past_ops : NULL; p;
         p = p->next)
        san_touched_remove_range(p->touched, r.base, r.size);
}
