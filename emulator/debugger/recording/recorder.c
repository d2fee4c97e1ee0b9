/* Records what a program makes the emulated device do (WARPBOOK_RECORDING=FILE). The recorder
 * implements the callbacks of the runtime and of device memory, and appends each change to the file
 * in the order in which the device makes it. A caller may hold the runtime's lock or the memory's
 * lock; the recorder takes its own lock last, and takes no other lock while it holds it. */
#include "../../cudart/core/recorder.h"
#include "../../base/lock.h"
#include "../../cudart/checks/checks.h"
#include "../../cudart/code/jit.h"
#include "../../cudart/code/launch.h"
#include "../../cudart/code/module.h"
#include "../../cudart/core/state.h"
#include "../../cudart/streams/idle.h"
#include "../../memory/watcher.h"
#include "../../timing/timing.h"
#include "boxes.h"
#include "calls.h"
#include "digests.h"
#include "recording.h"
#include "texture_record.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t recorder_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the recording */
static rec_writer *recording_writer;      /* writer of the recording; NULL: nothing is recorded */
static bool writes_digests, write_failed; /* WARPBOOK_DIGESTS is set; a write has failed */
static const char *recording_path;        /* file of the recording */
static uint64_t newest_launch;            /* operation number of the kernel that began last */
static bool kernel_waits_for_host;        /* a running kernel waits for the host */

/* Loaded modules: known_modules[k] has number k + 1 in the recording. */
static const rt_module **known_modules; /* modules that have a record */
static uint64_t known_count;            /* entries used in `known_modules` */

static void write_record(const rec_item *item)
{
    if (recording_writer && !rec_write_item(recording_writer, item) && !write_failed)
        write_failed = true; /* the error is reported when the program ends */
}

static void append_record(const rec_item *item)
{
    HOLD_LOCK(&recorder_lock);
    write_record(item);
}

/* Write that the next record comes from a call at PLACE. The caller holds the lock. */
static void write_call(rec_known_place *place)
{
    write_failed |= recording_writer && !rec_write_call(recording_writer, place);
}

/* The place of the call that runs in this thread. */
static rec_known_place *place_of_call(void)
{
    san_caller by;
    rt_find_position_of_call(&by);
    return rec_find_place(&by);
}

/* Append ITEM, which comes from the call BY; NULL: the call that runs in this thread. */
static void append_record_of_call(const rec_item *item, const san_caller *by)
{
    rec_known_place *place = by ? rec_find_place(by) : place_of_call();
    HOLD_LOCK(&recorder_lock);
    write_call(place);
    write_record(item);
}

static void record_new_range(const mem_range *r)
{
    const bool adopted = r->delta == 0;
    const rec_item item =
        adopted ? (rec_item){.kind = REC_adopt, .adopt = {r->base, r->size, r->kind, 0}}
                : (rec_item){.kind = REC_alloc, .alloc = {r->base, r->size, r->kind, r->name, 0}};
    HOLD_LOCK(&recorder_lock);
    write_record(&item);
    if (adopted)
        host_pages_add(r->base, r->size);
}

static void record_freed_range(uint64_t base)
{
    HOLD_LOCK(&recorder_lock);
    write_record(&(rec_item){.kind = REC_free, .free = {.address = base}});
    host_pages_remove(base);
}

/* Record the new texture or surface object O. */
static void record_new_texture_object(const mem_object *o)
{
    texture_record t;
    fill_texture_record(o, &t);
    append_record(&t.item);
}

static void record_texture_object_destroyed(uint64_t handle)
{
    append_record(&(rec_item){.kind = REC_untexture, .untexture = {.handle = handle}});
}

/* Ranges of host memory that this thread used last: a kernel accesses the same few again. */
enum { RECENT_RANGES = 8 };
static __thread struct {
    uint64_t launch, base[RECENT_RANGES]; /* launch number; bases of the ranges */
    unsigned next;                        /* number of ranges added so far */
} recent_ranges;

static void on_host_range_used(const mem_range *r)
{
    const uint64_t launch = __atomic_load_n(&newest_launch, __ATOMIC_ACQUIRE);
    const uint64_t base = r->base - r->front;
    for (unsigned k = 0; k < RECENT_RANGES && recent_ranges.launch == launch; k++)
        if (recent_ranges.base[k] == base)
            return;
    pthread_mutex_lock(&recorder_lock);
    if (recording_writer)
        host_pages_before_use(recording_writer, base, launch);
    pthread_mutex_unlock(&recorder_lock);
    if (recent_ranges.launch != launch) {
        memset(&recent_ranges, 0, sizeof recent_ranges);
        recent_ranges.launch = launch;
    }
    recent_ranges.base[recent_ranges.next++ % RECENT_RANGES] = base;
}

static const mem_watcher memory_watcher = {record_new_range, record_freed_range,
                                           record_new_texture_object,
                                           record_texture_object_destroyed, on_host_range_used};

/* The number of module M in the recording; 0: M has no record. */
static uint64_t module_number(const rt_module *m)
{
    for (uint64_t k = known_count; k-- > 0;)
        if (known_modules[k] == m)
            return k + 1;
    return 0;
}

/* Record the loaded module M. JIT: options of its compilation, or NULL. */
static void record_module(const rt_module *m, const rt_jit_options *jit)
{
    uint64_t options[4] = {0};
    if (jit) {
        const uint64_t of[] = {jit->registers, jit->threads, jit->max_threads, jit->min_blocks};
        memcpy(options, of, sizeof of);
    }
    HOLD_LOCK(&recorder_lock);
    const size_t size = (known_count + 1) * sizeof *known_modules;
    const rt_module **more = recording_writer ? realloc(known_modules, size) : NULL;
    if (more) {
        known_modules = more;
        known_modules[known_count++] = m;
        const rec_item item = {
            .kind = REC_module,
            .module = {.id = known_count,
                       .ptx = rec_store_data(recording_writer, m->text, strlen(m->text)),
                       .machine = rec_store_data(recording_writer, m->machine,
                                                 m->machine ? m->machine_size : 0),
                       .jit = jit && !m->linked,
                       .linked = m->linked,
                       .options = {4, options},
                       .places = {m->ptx->var_count, m->address}}};
        write_record(&item);
    }
}

static void record_module_unloaded(const rt_module *m)
{
    HOLD_LOCK(&recorder_lock);
    const rec_item item = {.kind = REC_unload, .unload = {.id = module_number(m)}};
    if (item.unload.id) {
        write_record(&item);
        known_modules[item.unload.id - 1] = NULL;
    }
}

static void record_launch_begins(const rt_op *op, const rt_op_info *t)
{
    const rt_launch *l = t->launch;
    const uint64_t grid[] = {l->grid.x, l->grid.y, l->grid.z},
                   block[] = {l->block.x, l->block.y, l->block.z},
                   cluster[] = {l->cluster.x, l->cluster.y, l->cluster.z};
    const rec_item item = {.kind = REC_launch,
                           .launch = {.op = op->id,
                                      .stream = op->stream,
                                      .node = op->node,
                                      .number = t->number,
                                      .module = module_number(l->kernel->module),
                                      .kernel = l->kernel->name,
                                      .grid = {3, grid},
                                      .block = {3, block},
                                      .cluster = {3, cluster},
                                      .shared = l->shared,
                                      .cooperative = l->cooperative,
                                      .depth = l->depth,
                                      .silent = rt.ends,
                                      .params = rec_store_data(recording_writer, l->params,
                                                               l->kernel->func->param_bytes)}};
    static uint32_t range; /* of the newest record `range` */
    if (l->range != range) {
        range = l->range;
        write_record(&(rec_item){.kind = REC_range, .range = {.number = range}});
    }
    write_record(&item);
    __atomic_store_n(&newest_launch, op->id, __ATOMIC_RELEASE);
}

static void record_copy_begins(const rt_op *op, const rt_op_info *t)
{
    uint64_t to[3], from[3];
    const uint64_t extent[] = {t->width, t->height, t->depth};
    rec_item item = {.kind = REC_copy,
                     .copy = {.op = op->id,
                              .stream = op->stream,
                              .node = op->node,
                              .call = t->call,
                              .way = op->kind,
                              .timing = t->timing,
                              .to = box_as_list(t->to, to),
                              .from = box_as_list(t->from, from),
                              .extent = {3, extent},
                              .host_from = t->staged || !mem_in_window(t->from.base),
                              .host_to = !mem_in_window(t->to.base) &&
                                         !is_box_known(t->to, t->width, t->height, t->depth)}};
    /* Addresses of the program's own memory differ from run to run and mean nothing to a replay.
     * Those in page-locked memory tell the judge which element is which. */
    if (item.copy.host_from && !is_box_known(t->from, t->width, t->height, t->depth))
        item.copy.from = box_as_list((rt_copy_box){0, t->width, t->width * t->height}, from);
    if (item.copy.host_to)
        item.copy.to = box_as_list((rt_copy_box){0, t->width, t->width * t->height}, to);
    if (t->staged) {
        item.copy.bytes =
            rec_store_data(recording_writer, t->staged, (uint64_t)t->width * t->height * t->depth);
    } else if (item.copy.host_from) {
        item.copy.bytes =
            rec_store_box(recording_writer, (const void *)(uintptr_t)t->from.base, t->from.pitch,
                          t->from.slice, t->width, t->height, t->depth);
    }
    write_record(&item);
}

static void record_fill_begins(const rt_op *op, const rt_op_info *t)
{
    uint64_t to[3];
    const uint64_t extent[] = {t->width, t->height, t->depth};
    const rec_item item = {.kind = REC_fill,
                           .fill = {.op = op->id,
                                    .stream = op->stream,
                                    .node = op->node,
                                    .call = t->call,
                                    .to = box_as_list(t->to, to),
                                    .extent = {3, extent},
                                    .value = t->value,
                                    .unit = t->unit}};
    write_record(&item);
}

/* What operation OP does (a launch, copy, fill or write of a value), with its operands. */
static rt_op_info description_of_operation(const rt_op *op)
{
    rt_op_info t = {0};
    if (op->describe)
        op->describe(op, &t);
    return t;
}

/* Record operation OP, which the device is about to execute. */
static void record_operation_begins(const rt_op *op)
{
    const rt_op_info t = description_of_operation(op);
    const bool changes = t.action != RT_ACTION_NONE || op->kind == RT_HOST_FUNCTION;
    rec_known_place *place = changes ? rec_find_place(op->by) : NULL;
    HOLD_LOCK(&recorder_lock);
    if (!recording_writer || !changes)
        return;
    write_call(place);
    if (t.action == RT_ACTION_LAUNCH) {
        record_launch_begins(op, &t);
    } else if (t.action == RT_ACTION_COPY) {
        record_copy_begins(op, &t);
    } else if (t.action == RT_ACTION_FILL) {
        record_fill_begins(op, &t);
    } else if (t.action == RT_ACTION_WRITE) {
        const rec_item item = {.kind = REC_write,
                               .write = {op->id, op->stream, t.to.base, t.value, t.unit, 0}};
        write_record(&item);
    } else {
        const rec_item item = {.kind = REC_host, .host = {op->id, op->stream, 0}};
        write_record(&item);
    }
}

static void keep_counters_hash(const rt_op *op, const counters *total)
{
    const uint64_t hash = rec_digest_bytes(0, total, sizeof *total);
    HOLD_LOCK(&recorder_lock);
    keep_counter_hash(op->id, hash);
}

/* Record the result of operation OP, which has just ended. */
static void record_operation_result(const rt_op *op)
{
    const rt_op_info t = description_of_operation(op);
    const bool writes = t.action != RT_ACTION_NONE;
    pthread_mutex_lock(&recorder_lock);
    const bool touched = t.action == RT_ACTION_LAUNCH && host_pages_were_used(op->id);
    pthread_mutex_unlock(&recorder_lock);
    const bool waited =
        touched && __atomic_exchange_n(&kernel_waits_for_host, false, __ATOMIC_RELAXED);
    const bool still = !touched || (!waited && rt_all_host_threads_wait());
    const mem_map *map = writes_digests && writes ? mem_take_snapshot() : NULL;
    pthread_mutex_lock(&recorder_lock);
    if (recording_writer && (writes || op->kind == RT_HOST_FUNCTION)) {
        const bool home = t.action == RT_ACTION_COPY && !mem_in_window(t.to.base) && !op->fault;
        const rec_item item = {
            .kind = REC_result,
            .result = {.op = op->id,
                       .ns = op->ns,
                       .fault = op->fault,
                       .counters = take_counter_hash(op->id),
                       .digest = home ? hash_of_rows(t.to.base, t.to.pitch, t.to.slice, t.width,
                                                     t.height, t.depth)
                                      : 0}};
        write_record(&item);
        if (touched && !op->fault)
            host_pages_after_launch(recording_writer, op->id, still);
        if (map && !op->fault) {
            write_memory_digests(recording_writer, map,
                                 t.action == RT_ACTION_LAUNCH ? 0 : t.to.base);
        }
    }
    pthread_mutex_unlock(&recorder_lock);
    if (map)
        mem_release_snapshot(map);
}

/* Record where the N operations OP lie on the modelled timeline. */
static void record_settled_times(rt_op *const *op, size_t n)
{
    uint64_t hash = 0, after[64];
    HOLD_LOCK(&recorder_lock);
    for (size_t k = 0; recording_writer && k < n; k++) {
        const rt_op *o = op[k];
        uint64_t *list = o->dep_count > 64 ? malloc(o->dep_count * sizeof *list) : after;
        for (uint32_t d = 0; list && d < o->dep_count; d++)
            list[d] = o->dep[d]->id;
        const rec_item item = {.kind = REC_timed,
                               .timed = {.op = o->id,
                                         .seq = o->seq,
                                         .kind = o->kind,
                                         .stream = o->stream,
                                         .node = o->node,
                                         .name = o->name,
                                         .since = o->since ? o->since->id : 0,
                                         .issued = o->issued,
                                         .after = {list ? o->dep_count : 0, list}}};
        write_record(&item);
        if (o->all)
            write_record(&(rec_item){.kind = REC_waited, .waited = {.op = o->id}});
        const double times[] = {o->start, o->end};
        hash = rec_digest_bytes(hash, times, sizeof times);
        if (list != after)
            free(list);
    }
    const rec_item item = {.kind = REC_settle, .settle = {n, hash, 0}};
    write_record(&item);
}

/* --- callbacks for waits, nested launches, host writes, limits and resets --- */

static void record_host_wait(void)
{
    HOLD_LOCK(&recorder_lock);
    if (recording_writer)
        rec_flush_frame(recording_writer);
}

static void record_nested_launches_done(uint64_t op)
{
    append_record(&(rec_item){.kind = REC_nested, .nested = {.op = op}});
}

static void record_write_by_runtime(uint64_t at, uint32_t bytes)
{
    const void *from = mem_host_pointer(at, bytes);
    HOLD_LOCK(&recorder_lock);
    if (recording_writer && from) {
        const rec_item item = {
            .kind = REC_poke,
            .poke = {.address = at, .bytes = rec_store_data(recording_writer, from, bytes)}};
        write_record(&item);
    }
}

/* Record that memory was allocated and not yet written, for the check of uninitialized reads. */
static void record_unwritten_memory(uint64_t at, uint64_t size, const san_caller *by)
{
    if (at)
        append_record_of_call(&(rec_item){.kind = REC_fresh, .fresh = {at, size, 0}}, by);
}

static void record_array_shape(uint64_t at, uint64_t element, uint64_t count)
{
    append_record_of_call(&(rec_item){.kind = REC_array, .array = {at, element, count, 0}}, NULL);
}

static void record_wrong_value(uint64_t at, const char *sentence)
{
    append_record(&(rec_item){.kind = REC_wrong, .wrong = {at, sentence, 0}});
}

/* Record that operation OP, a stream's wait for VALUE at address AT, has ended. */
static void record_value_wait_done(const rt_op *op, uint64_t at, uint64_t value)
{
    append_record(&(rec_item){.kind = REC_met, .met = {op->id, at, value, 0}});
}

static void record_limits(uint64_t stack_bytes, uint64_t heap_bytes)
{
    append_record(&(rec_item){.kind = REC_limits, .limits = {stack_bytes, heap_bytes, 0}});
}

static void record_device_reset(void)
{
    append_record(&(rec_item){.kind = REC_reset});
}

/* Record a reason why a replay may differ, once for each reason, and print it. */
static void record_reason_to_differ(const char *sentence)
{
    __atomic_store_n(&kernel_waits_for_host, true, __ATOMIC_RELAXED);
    enum { MAX_SENTENCES = 32 };
    static uint64_t before[MAX_SENTENCES];
    static unsigned count;
    const uint64_t hash = rec_digest_bytes(0, sentence, strlen(sentence));
    const rec_item item = {.kind = REC_unsure, .unsure = {.text = sentence}};
    pthread_mutex_lock(&recorder_lock);
    bool new = recording_writer &&count < MAX_SENTENCES;
    for (unsigned k = 0; k < count; k++)
        new = new &&before[k] != hash;
    if (new) {
        before[count++] = hash;
        write_record(&item);
    }
    pthread_mutex_unlock(&recorder_lock);
    if (new)
        rt_print_message("recording: %s: a replay may differ", sentence);
}

/* --- beginning and ending the recording ------------------------------------------------------- */

static void stop_recording(void)
{
    rt_current_recorder = NULL;
    mem_current_watcher = NULL;
}

/* Create the recording file and write the record `start`. */
static void start_recording(void)
{
    uint64_t base, size;
    size_t figures_size;
    char program[4096] = "", library[64];
    const char *profile = getenv("WARPBOOK_PROFILE");
    char *figures = profile_file_text(profile, &figures_size);
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    snprintf(library, sizeof library, "cudart %d.%d", TOOLKIT_VERSION / 1000,
             TOOLKIT_VERSION % 1000 / 10);
    mem_get_window(&base, &size);
    pthread_mutex_lock(&recorder_lock);
    recording_writer = rec_create_file(recording_path);
    const int why = errno;
    if (recording_writer) {
        const rec_item item = {
            .kind = REC_start,
            .start = {.source = "emulator",
                      .library = library,
                      .profile = profile ? profile : "",
                      .figures = rec_store_data(recording_writer, figures, figures_size),
                      .program = program,
                      .base = base,
                      .size = size,
                      .uncounted = rt.uncounted,
                      .digests = writes_digests}};
        write_record(&item);
    }
    pthread_mutex_unlock(&recorder_lock);
    free(figures);
    if (!recording_writer) {
        stop_recording();
        rt_print_message("the run is not recorded: %s.part cannot be written: %s", recording_path,
                         why == EBUSY ? "another process records to it" : strerror(why));
    }
}

static void finish_recording(void)
{
    stop_recording();
    pthread_mutex_lock(&recorder_lock);
    rec_writer *w = recording_writer;
    recording_writer = NULL;
    pthread_mutex_unlock(&recorder_lock);
    if (w && !rec_close_file(w)) {
        rt_print_message("%s is not complete: cannot write it: %s", recording_path,
                         strerror(errno));
    }
}

/* Say in the recording why it ends here, and end it. */
static void end_at_what_is_not_held(const char *sentence)
{
    char text[300];
    snprintf(text, sizeof text, "%s, which no recording holds: what follows is not recorded",
             sentence);
    record_reason_to_differ(text);
    finish_recording();
}

/* Runs in a forked child process: a recording that the parent has begun stays the parent's. Another
 * thread may have held the lock. */
static void abandon_after_fork(void)
{
    if (recording_writer) {
        stop_recording();
        recording_writer = NULL;
    }
}

static const rt_recorder recorder_callbacks = {.opened = start_recording,
                                               .ends = finish_recording,
                                               .forked = abandon_after_fork,
                                               .module = record_module,
                                               .module_gone = record_module_unloaded,
                                               .begins = record_operation_begins,
                                               .done = record_operation_result,
                                               .counted = keep_counters_hash,
                                               .settled = record_settled_times,
                                               .waited = record_host_wait,
                                               .nested_done = record_nested_launches_done,
                                               .poked = record_write_by_runtime,
                                               .fresh = record_unwritten_memory,
                                               .array = record_array_shape,
                                               .wrong = record_wrong_value,
                                               .value_met = record_value_wait_done,
                                               .limits = record_limits,
                                               .reset = record_device_reset,
                                               .unheld = end_at_what_is_not_held,
                                               .unsure = record_reason_to_differ};

__attribute__((constructor)) static void install_recorder(void)
{
    const char *digest = getenv("WARPBOOK_DIGESTS");
    recording_path = getenv("WARPBOOK_RECORDING");
    if (recording_path && *recording_path) {
        writes_digests = digest && *digest;
        rt_current_recorder = &recorder_callbacks;
        mem_current_watcher = &memory_watcher;
    }
}
