/* Repeats the operations of a recording (launches, copies, fills, written values) and compares
 * their results and times. */
#include "../../base/list.h"
#include "../../cudart/checks/checks.h"
#include "../../cudart/code/launch.h"
#include "../../cudart/core/state.h"
#include "../../cudart/memory/copy.h"
#include "../../cudart/streams/op_times.h"
#include "../../memory/image.h"
#include "../../memory/memory.h"
#include "../../sm/heap.h"
#include "turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Create operation NUMBER of the recording. NODE: it belongs to a graph. NULL: replay_set_error has
 * been called. */
static replay_op *begin_operation(replay *r, uint64_t number, rt_op_kind kind, uint64_t stream,
                                  bool node)
{
    replay_op *o = replay_add_op(r, number);
    if (!o) {
        replay_set_error(r, "the host is out of memory");
        return NULL;
    }
    o->op.kind = kind;
    o->op.stream = stream;
    o->op.node = node;
    return o;
}

/* Run copy, fill or write O, issued by the runtime call named CALL. */
static void run_operation(replay *r, replay_op *o, const char *call)
{
    check_order_before_op(r, &o->op, call);
    o->op.run(&o->op);
    check_order_after_op(r, &o->op);
    o->op.state = RT_DONE;
}

/* Release the data that operation O needed while it ran. */
static void free_operation_data(replay_op *o)
{
    if (o->op.data) {
        if (o->op.dispose)
            o->op.dispose(&o->op);
        free(o->op.data);
        o->op.data = NULL;
    }
}

/* --- launches --------------------------------------------------------------------------------- */

static dim3 dim3_of_list(rec_list l)
{
    return (dim3){(unsigned)l.of[0], (unsigned)l.of[1], (unsigned)l.of[2]};
}

bool prepare_launch(replay *r, const rec_launch *x, rt_launch *l)
{
    uint64_t bytes;
    *l = (rt_launch){.grid = dim3_of_list(x->grid),
                     .block = dim3_of_list(x->block),
                     .cluster = dim3_of_list(x->cluster),
                     .shared = x->shared,
                     .cooperative = x->cooperative,
                     .range = r->range,
                     .depth = (unsigned)x->depth};
    const cudaError_t e = rt_replay_check_launch(r->module[x->module], x->kernel, l, &bytes);
    if (e) {
        return replay_set_error(r, "launch %llu of %.200s cannot be repeated on this device: %s",
                                (unsigned long long)x->number, x->kernel, cudaGetErrorString(e));
    }
    if (bytes != x->params.size || !rec_read_data(r->reader, &x->params, 0, l->params, bytes)) {
        free(l->params);
        return replay_set_error(r, "launch %llu of %.200s has %llu bytes of parameters, not %llu",
                                (unsigned long long)x->number, x->kernel,
                                (unsigned long long)x->params.size, (unsigned long long)bytes);
    }
    return true;
}

/* Repeat the host's writes that the recorder noticed while the kernel of operation NUMBER ran. They
 * stand after the launch in the file, but must be written before the kernel runs. */
static bool repeat_host_writes(replay *r, uint64_t number)
{
    bool good = true;
    const rec_item *i;
    while (good && (i = rec_next_item(r->reader)) &&
           !(i->kind == REC_result && i->result.op == number))
        good = i->kind != REC_pages || write_data_to_device(r, i->pages.address, &i->pages.bytes);
    rec_set_position(r->reader, r->after);
    return good;
}

/* Run the kernel of launch O. */
static void run_launch(replay *r, replay_op *o)
{
    run_operation(r, o, "a launch");
}

/* Repeat launch X. IDLE: do not run its kernel. */
static bool repeat_launch_record(replay *r, const rec_launch *x, bool idle)
{
    rt_launch l;
    const uint64_t number = x->op;
    const bool silent = x->silent;
    if (!prepare_launch(r, x, &l))
        return false;
    replay_op *o = begin_operation(r, x->op, RT_KERNEL, x->stream, x->node);
    const rt_op_info t = {.action = RT_ACTION_LAUNCH, .launch = &l, .number = x->number};
    if (!o || rt_replay_launch(&o->op, &t))
        return replay_set_error(r, "the host is out of memory");
    if (!repeat_host_writes(r, number))
        return false;
    bool ended = true;
    rt.ends = silent;
    if (idle)
        o->op.state = RT_DONE;
    else
        ended = run_suspendable_kernel(r, o, run_launch);
    rt.ends = false;
    r->open = number;
    if (ended && (idle || !l.kernel->info.calls_runtime))
        free_operation_data(o);
    return true;
}

/* All kernels launched by the kernel of operation NUMBER have ended: release its data. */
static bool end_nested_launch(replay *r, uint64_t number)
{
    replay_op *o = replay_find_op(r, number);
    if (o && o->op.data) {
        rt_replay_nested_done(&o->op);
        free_operation_data(o);
    }
    return true;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* The operand of a copy from its recorded list: address, pitch, slice. */
static rt_copy_box operand_from_list(rec_list l)
{
    return (rt_copy_box){l.of[0], (size_t)l.of[1], (size_t)l.of[2]};
}

/* Pack the rows of operand TO into r->scratch. */
static void pack_rows_into_scratch(replay *r, const rt_op_info *t, rt_copy_box to)
{
    uint8_t *at = r->scratch;
    for (size_t z = 0; z < t->depth; z++) {
        for (size_t y = 0; y < t->height; y++, at += t->width) {
            const uint64_t from = to.base + z * to.slice + y * to.pitch;
            const void *row =
                mem_host_pointer(from, t->width); /* NULL: the row is already in r->scratch */
            if (row)
                memcpy(at, row, t->width);
        }
    }
}

/* A digest of the bytes that the last copy returned to the host. */
static uint64_t digest_rows(const replay *r, const rt_op_info *t)
{
    uint64_t hash = 0;
    for (size_t row = 0; row < t->height * t->depth; row++)
        hash = rec_digest_bytes(hash, r->scratch + row * t->width, t->width);
    return hash;
}

/* Whether a copy returns its bytes to host memory. */
static bool copies_to_host(const rec_copy *x)
{
    mem_range to;
    return x->host_to ||
           (mem_find_range(x->to.of[0], &to)
                ? to.kind == MEM_PINNED || to.kind == MEM_REGISTERED || to.kind == MEM_MANAGED
                : !mem_in_window(x->to.of[0]));
}

static bool repeat_copy_record(replay *r, const rec_copy *x)
{
    rt_op_info t = {.action = RT_ACTION_COPY,
                    .call = "a copy",
                    .to = operand_from_list(x->to),
                    .from = operand_from_list(x->from),
                    .width = (size_t)x->extent.of[0],
                    .height = (size_t)x->extent.of[1],
                    .depth = (size_t)x->extent.of[2],
                    .timing = (copy_kind)x->timing};
    const bool home = copies_to_host(x);
    char call[64];
    snprintf(call, sizeof call, "%s", x->call);
    free(r->scratch);
    r->scratch = NULL;
    r->scratch_size = home ? (uint64_t)t.width * t.height * t.depth : 0;
    r->scratch = home ? malloc(r->scratch_size) : NULL;
    t.staged = x->host_from ? rec_read_all_data(r->reader, &x->bytes) : NULL;
    if ((home && !r->scratch) || (x->host_from && !t.staged)) {
        free((void *)(uintptr_t)t.staged);
        return replay_set_error(r, "the host is out of memory");
    }
    if (x->host_from)
        t.from = (rt_copy_box){0, t.width, t.width * t.height};
    if (x->host_to)
        t.to = (rt_copy_box){(uint64_t)(uintptr_t)r->scratch, t.width, t.width * t.height};
    replay_op *o = begin_operation(r, x->op, (rt_op_kind)x->way, x->stream, x->node);
    if (!o || rt_replay_copy(&o->op, &t))
        return replay_set_error(r, "the host is out of memory");
    run_operation(r, o, call);
    free_operation_data(o);
    if (home && !o->op.fault) {
        pack_rows_into_scratch(r, &t, t.to);
        o->digest = digest_rows(r, &t);
    }
    return true;
}

static bool repeat_fill_record(replay *r, const rec_fill *x)
{
    const rt_op_info t = {.action = RT_ACTION_FILL,
                          .call = "a fill",
                          .to = operand_from_list(x->to),
                          .width = (size_t)x->extent.of[0],
                          .height = (size_t)x->extent.of[1],
                          .depth = (size_t)x->extent.of[2],
                          .value = x->value,
                          .unit = (size_t)x->unit};
    char call[64];
    snprintf(call, sizeof call, "%s", x->call);
    replay_op *o = begin_operation(r, x->op, RT_MEMSET, x->stream, x->node);
    if (!o || rt_replay_copy(&o->op, &t))
        return replay_set_error(r, "the host is out of memory");
    run_operation(r, o, call);
    free_operation_data(o);
    return true;
}

static bool repeat_value_write(replay *r, const rec_write *x)
{
    const rt_op_info t = {.action = RT_ACTION_WRITE,
                          .to = {.base = x->address},
                          .value = x->value,
                          .unit = (size_t)x->bytes};
    replay_op *o = begin_operation(r, x->op, RT_MEMSET, x->stream, false);
    if (!o || rt_replay_write(&o->op, &t))
        return replay_set_error(r, "the host is out of memory");
    run_operation(r, o, "cuStreamWriteValue");
    free_operation_data(o);
    return true;
}

/* --- comparing results and times -------------------------------------------------------------- */

static const char *operation_name(const rt_op *op)
{
    return op->name ? op->name : rt_op_kind_name(op->kind);
}

/* Compare the result of an operation with its recorded result. */
static bool compare_result(replay *r, const rec_result *item)
{
    const rec_result copy = *item, *x = &copy; /* copy the record, since resume_kernels_until_ended
                                                  reads further records and overwrites *item */
    const replay_op *o = replay_find_op(r, x->op);
    resume_kernels_until_ended(o);
    r->open = x->op == r->open ? 0 : r->open;
    if (!o)
        return replay_set_error(r, "a result belongs to an operation that has not run");
    const rt_op *op = &o->op;
    const unsigned long long number = x->op;
    r->compared++;
    if (x->fault != (uint64_t)op->fault) {
        replay_report_difference(
            r,
            "operation %llu (%s) ended with error %d, and with error %llu when it was "
            "recorded",
            number, operation_name(op), (int)op->fault, (unsigned long long)x->fault);
    } else if (x->digest != o->digest) {
        replay_report_difference(
            r, "operation %llu (%s) copied other bytes to the host than in the recorded run",
            number, operation_name(op));
    } else if (r->same_device && x->counters != o->counters) {
        replay_report_difference(r,
                                 "operation %llu (%s) has other counters than in the recorded run",
                                 number, operation_name(op));
    } else if (r->same_device && x->ns != op->ns) {
        replay_report_difference(
            r, "operation %llu (%s) took %.17g ns, but %.17g ns in the recorded run", number,
            operation_name(op), op->ns, x->ns);
    }
    return true;
}

/* Note the order and the dependencies of an operation, from which its times are computed. */
static bool repeat_operation_with_times(replay *r, const rec_timed *x)
{
    replay_op *o = replay_find_op(r, x->op);
    o = o ? o : replay_add_op(r, x->op);
    const replay_op *since = x->since ? replay_find_op(r, x->since) : NULL;
    rt_op **timed = o ? LIST_ADD(r->batch, r->batch_count) : NULL;
    if (!timed)
        return replay_set_error(r, "the host is out of memory");
    rt_op *op = *timed = &o->op;
    op->seq = x->seq;
    op->kind = (rt_op_kind)x->kind;
    op->stream = x->stream;
    op->node = x->node;
    op->state = RT_DONE;
    op->since = since ? &since->op : NULL;
    op->issued = x->issued;
    op->dep = calloc(x->after.count ? x->after.count : 1, sizeof *op->dep);
    if (!op->dep)
        return replay_set_error(r, "the host is out of memory");
    for (uint32_t k = 0; k < x->after.count; k++) {
        replay_op *on = replay_find_op(r, x->after.of[k]);
        if (on)
            op->dep[op->dep_count++] = &on->op;
    }
    if (!op->name && x->name[0]) {
        op->name = strdup(x->name);
        o->named = true;
    }
    return true;
}

/* Compute the times of the collected operations and compare them with the recorded ones. */
static bool compare_settled_times(replay *r, const rec_settle *x)
{
    uint64_t hash = 0;
    rt_clock_set_times(r->batch, r->batch_count);
    for (size_t k = 0; k < r->batch_count; k++) {
        rt_op *op = r->batch[k];
        const double times[] = {op->start, op->end};
        hash = rec_digest_bytes(hash, times, sizeof times);
        free(op->dep);
        op->dep = NULL;
        op->dep_count = 0;
    }
    r->batch_count = 0;
    r->compared++;
    if (r->same_device && x->digest != hash) {
        replay_report_difference(r, "the times of %llu operations differ",
                                 (unsigned long long)x->count);
    }
    return true;
}

/* Set the stack size and the size of the device's heap. */
static bool repeat_limits_record(const rec_limits *x)
{
    rt.state.stack_bytes = x->stack;
    if (x->heap)
        sm_heap_resize(x->heap);
    return true;
}

static bool repeat_reset_record(void)
{
    rt_reset_device();
    rt_reset_limits();
    return true;
}

/* A host function is not repeated. Operations that the host issued afterwards may depend on it, so
 * note that it has run. */
static bool note_host_function_has_run(replay *r, const rec_host *x)
{
    replay_op *o = begin_operation(r, x->op, RT_HOST_FUNCTION, x->stream, false);
    if (o)
        check_order_after_op(r, &o->op);
    return o != NULL;
}

bool repeat_record(replay *r, const rec_item *i)
{
    switch (i->kind) {
    case REC_alloc: return repeat_alloc_record(r, &i->alloc);
    case REC_adopt: return repeat_adopt_record(r, &i->adopt);
    case REC_fresh:
        rt_note_unwritten_memory((const void *)(uintptr_t)i->fresh.address, (size_t)i->fresh.size);
        return true;
    case REC_array:
        rt_note_guarded_array((const void *)(uintptr_t)i->array.address, (size_t)i->array.element,
                              (size_t)i->array.count);
        return true;
    case REC_met: check_order_after_value_wait(r, &i->met); return true;
    case REC_free: return repeat_free_record(r, &i->free);
    case REC_module: return repeat_module_record(r, &i->module);
    case REC_unload: return repeat_unload_record(r, &i->unload);
    case REC_texture: return repeat_texture_record(r, &i->texture);
    case REC_untexture:
        return mem_object_drop(i->untexture.handle) ||
               replay_set_error(r, "a texture object is destroyed that does not exist");
    case REC_limits: return repeat_limits_record(&i->limits);
    case REC_reset: return repeat_reset_record();
    case REC_pages: /* changes that happened during an open launch are written before it */
        return r->open || write_data_to_device(r, i->pages.address, &i->pages.bytes);
    case REC_poke: return write_data_to_device(r, i->poke.address, &i->poke.bytes);
    case REC_launch: return repeat_launch_record(r, &i->launch, r->passing);
    case REC_copy: return repeat_copy_record(r, &i->copy);
    case REC_fill: return repeat_fill_record(r, &i->fill);
    case REC_write: return repeat_value_write(r, &i->write);
    case REC_host: return note_host_function_has_run(r, &i->host);
    case REC_result: return compare_result(r, &i->result);
    case REC_memory: return compare_memory_digests(r, &i->memory);
    case REC_nested: return end_nested_launch(r, i->nested.op);
    case REC_timed: return repeat_operation_with_times(r, &i->timed);
    case REC_settle: return compare_settled_times(r, &i->settle);
    case REC_place: return add_place_of_calls(r, &i->place);
    case REC_call: return begin_records_of_call(r, &i->call);
    case REC_range: r->range = (uint32_t)i->range.number; return true;
    default: return true;
    }
}
