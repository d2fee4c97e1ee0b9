#include "state.h"

#include "../../cudart/code/launch.h"
#include "../../cudart/code/module.h"
#include "../../cudart/core/call.h"
#include "../../cudart/core/state.h"
#include "../../cudart/streams/op_times.h"
#include "../../memory/memory.h"
#include "../../memory/watcher.h"
#include "../step/step.h"
#include "check_recording.h"
#include "host_memory.h"
#include "turns.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of a launch the replay keeps the hash of its counters. */
static void on_launch_counted(const rt_op *op, const counters *total)
{
    ((replay_op *)(uintptr_t)op)->counters = rec_digest_bytes(0, total, sizeof *total);
}

static const rt_recorder keeps_digests = {.counted = on_launch_counted};

bool replay_set_error(replay *r, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (!r->failed)
        vsnprintf(r->error, sizeof r->error, format, ap);
    va_end(ap);
    r->failed = true;
    return false;
}

void replay_report_difference(replay *r, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (!r->differences++)
        vsnprintf(r->difference, sizeof r->difference, format, ap);
    va_end(ap);
}

/* --- finding operations by their number ------------------------------------------------------- */

static replay_op **find_op_slot(replay_op **table, uint64_t mask, uint64_t number)
{
    uint64_t k = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & mask;
    while (table[k] && table[k]->op.id != number)
        k = (k + 1) & mask;
    return &table[k];
}

replay_op *replay_find_op(const replay *r, uint64_t number)
{
    return r->op ? *find_op_slot(r->op, r->mask, number) : NULL;
}

/* Reset operation O, which is about to be repeated once more. */
static replay_op *reset_operation(replay_op *o)
{
    free(o->op.data);
    free(o->op.dep);
    free(o->named ? (char *)(uintptr_t)o->op.name : NULL);
    replay_op new = {.op.id = o->op.id};
    copy_op_order(&o->op, &new.op);
    *o = new;
    return o;
}

replay_op *replay_add_op(replay *r, uint64_t number)
{
    replay_op *o = replay_find_op(r, number);
    if (o)
        return reset_operation(o);
    o = calloc(1, sizeof *o);
    if (o && (!r->op || 2 * r->ops >= r->mask)) {
        const uint64_t mask = r->op ? 2 * r->mask + 1 : 1023;
        replay_op **more = calloc(mask + 1, sizeof *more);
        if (!more) {
            free(o);
            return NULL;
        }
        for (uint64_t k = 0; r->op && k <= r->mask; k++)
            if (r->op[k])
                *find_op_slot(more, mask, r->op[k]->op.id) = r->op[k];
        free(r->op);
        r->op = more;
        r->mask = mask;
    }
    if (o) {
        o->op.id = number;
        *find_op_slot(r->op, r->mask, number) = o;
        r->ops++;
    }
    return o;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Write the recorded text of a device profile to a file for the emulator; returns its name. */
static const char *write_profile_file(replay *r)
{
    static char path[64];
    void *text = rec_read_all_data(r->reader, &r->start.figures);
    const int file = text ? memfd_create("recorded.profile", 0) : -1;
    const size_t size = (size_t)r->start.figures.size;
    const bool good = file >= 0 && write(file, text, size) == (ssize_t)size;
    free(text);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return good ? path : NULL;
}

/* Copy the texts of the record `start`, which the reader will overwrite. */
static bool copy_texts_of_start_record(replay *r)
{
    const rec_item *first = rec_next_item(r->reader);
    const rec_start *s = first && first->kind == REC_start ? &first->start : NULL;
    const char **text[] = {&r->start.source, &r->start.library, &r->start.profile,
                           &r->start.program};
    size_t cap = 0;
    if (!s)
        return false;
    r->start = *s;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        cap += strlen(*text[k]) + 1;
    char *at = r->texts = malloc(cap);
    for (size_t k = 0; at && k < sizeof text / sizeof *text; k++) {
        const size_t n = strlen(*text[k]) + 1;
        *text[k] = memcpy(at, *text[k], n);
        at += n;
    }
    r->gpu = check_recorded_on_gpu(&r->start);
    return r->texts != NULL;
}

/* For a recording from a GPU: alignment of the window of device addresses, its default address, and
 * its extra room for device malloc() and for variables without a recorded address. */
#define WINDOW_UNIT         (UINT64_C(2) << 20)
#define DEFAULT_WINDOW_BASE UINT64_C(0x700000000000)
#define SPARE_WINDOW_BYTES  (UINT64_C(4) << 30)

static bool is_address_taken; /* a recorded address was in use, so the replay failed */

bool replay_address_was_taken(void)
{
    return is_address_taken;
}

/* Environment variable that tells a restarted replay how many attempts there were before it. */
static const char replay_try_variable[] = STEP_TRY_VARIABLE;

int replay_restart_count(void)
{
    const char *before = getenv(replay_try_variable);
    return before ? atoi(before) : 0;
}

void replay_restart_process(char **argv)
{
    const int tries = replay_restart_count();
    char text[16];
    if (tries < STEP_MAX_TRIES) {
        if (rt_replay_is_stepped())
            step_restart_session(tries + 1);
        snprintf(text, sizeof text, "%d", tries + 1);
        setenv(replay_try_variable, text, 1);
        execv("/proc/self/exe", argv);
    }
}

/* The built-in device profile whose name NAME begins with; h200 if there is none. */
static const char *builtin_profile_of_gpu(const char *name)
{
    char err[256];
    for (const char *const *id = profile_ids(); *id; id++) {
        device_profile p;
        if (profile_load(*id, &p, err, sizeof err) && !strncmp(p.name, name, strlen(p.name)))
            return *id;
    }
    return "h200";
}

/* Put the window of device addresses where the recorded GPU's memory was, with room after it. */
static void place_address_window(replay *r)
{
    uint64_t base, size;
    find_address_span(r->reader, &base, &size);
    if (!size)
        base = DEFAULT_WINDOW_BASE; /* the recording has managed memory only, or no memory */
    const uint64_t from = base / WINDOW_UNIT * WINDOW_UNIT;
    r->spare = (base + size + WINDOW_UNIT - 1) / WINDOW_UNIT * WINDOW_UNIT;
    r->start.base = from;
    mem_set_window(from, r->spare + SPARE_WINDOW_BYTES - from, r->spare + SPARE_WINDOW_BYTES / 2);
}

static bool open_device(replay *r, const replay_options *o)
{
    const char *wanted = o ? o->profile : NULL;
    uint64_t base, size;
    const char *name = wanted                  ? wanted
                       : r->start.figures.size ? write_profile_file(r)
                       : r->gpu                ? builtin_profile_of_gpu(r->start.profile)
                                               : r->start.profile;
    if (!name)
        return replay_set_error(r, "the recorded device profile cannot be read");
    r->start.figures = (rec_data){0}; /* its data belongs to the reader and is not kept */
    setenv("WARPBOOK_PROFILE", name, 1);
    unsetenv("WARPBOOK_WINDOW");
    if (r->start.uncounted && !(o && o->counted))
        setenv("WARPBOOK_COUNTING", "0", 1);
    r->same_device =
        !r->gpu && (!wanted || !strcmp(wanted, r->start.profile[0] ? r->start.profile : "h200")) &&
        !(r->start.uncounted && o && o->counted);
    if (r->gpu)
        place_address_window(r);
    else
        mem_set_window(r->start.base, 0, 0);
    if (rt_open_for_replay())
        return replay_set_error(r, "the device cannot be opened");
    mem_get_window(&base, &size);
    if (base != r->start.base) {
        is_address_taken = true;
        return replay_set_error(
            r, "the recorded device memory is at 0x%llx, which is in use in this process",
            (unsigned long long)r->start.base);
    }
    return true;
}

/* Before the replay begins: reserve the host memory that the recorded kernels used, and collect the
 * warnings of the recording. */
static bool prepare_recording(replay *r)
{
    bool good = true;
    rec_set_position(r->reader, (rec_position){0});
    for (const rec_item *i; good && (i = rec_next_item(r->reader));) {
        if (i->kind == REC_unsure && r->warning_count < MAX_WARNINGS) {
            r->doubt[r->warning_count] = strdup(i->unsure.text);
            r->warning_count += r->doubt[r->warning_count] != NULL;
        }
        const bool device = i->kind == REC_alloc;
        const uint64_t address = device ? i->alloc.address : i->adopt.address;
        good = (!device && i->kind != REC_adopt) || mem_in_window(address) ||
               host_memory_map(address, device ? i->alloc.size : i->adopt.size);
        if (!good) {
            is_address_taken = true;
            replay_set_error(r,
                             "the memory at 0x%llx that its kernels use is in use in this process",
                             (unsigned long long)address);
        }
    }
    return good;
}

static void read_next_record(replay *r)
{
    r->at = rec_read_position(r->reader);
    r->next = rec_next_item(r->reader);
    if (r->next && r->next->kind == REC_launch && r->launches &&
        r->next->launch.number >= r->launches)
        r->next = NULL;
    r->after = rec_read_position(r->reader);
}

static replay *open_recording_into(replay *r, const char *path, const replay_options *o, char *err,
                                   size_t cap)
{
    char why[256] = "";
    r->launches = o ? o->launches : 0;
    r->reader = rec_open_file(path, o ? &o->most : NULL, err, cap);
    if (!r->reader)
        return NULL;
    if (!check_recording(r->reader, why, sizeof why)) {
        snprintf(err, cap, "%s is damaged: %s", path, why);
        return NULL;
    }
    if (!copy_texts_of_start_record(r) || !open_device(r, o) || !prepare_recording(r)) {
        snprintf(err, cap, "%s cannot be repeated: %s", path,
                 r->failed ? r->error : "the host is out of memory");
        return NULL;
    }
    if (o && o->races_between_ops && !read_order_of_operations(r)) {
        snprintf(err, cap, "%s cannot be repeated: %s", path, r->error);
        return NULL;
    }
    for (unsigned k = 0; o && o->races_between_ops && k < r->warning_count; k++)
        if (strstr(r->doubt[k], RT_WAITS_FOR_OTHERS) || strstr(r->doubt[k], RT_WAITS_FOR_HOST))
            allow_suspended_kernels();
    rt_current_recorder = &keeps_digests;
    rt_repeated_call = &r->call;
    rec_set_position(r->reader, (rec_position){0});
    read_next_record(r);
    return r;
}

replay *replay_open(const char *path, const replay_options *o, char *err, size_t cap)
{
    replay *r = calloc(1, sizeof *r);
    if (!r) {
        snprintf(err, cap, "%s: the host is out of memory", path);
        return NULL;
    }
    replay *opened = open_recording_into(r, path, o, err, cap);
    if (!opened)
        replay_close(r);
    return opened;
}

void replay_close(replay *r)
{
    if (!r)
        return;
    rt_current_recorder = NULL;
    rt_repeated_call = NULL;
    free_places_of_calls(r);
    rec_close_reader(r->reader);
    for (uint64_t k = 0; r->op && k <= r->mask; k++) {
        if (r->op[k]) {
            free(r->op[k]->op.dep);
            free_op_order(&r->op[k]->op);
            free(r->op[k]->named ? (char *)(uintptr_t)r->op[k]->op.name : NULL);
            free(r->op[k]);
        }
    }
    for (unsigned k = 0; k < r->warning_count; k++)
        free(r->doubt[k]);
    free(r->op);
    free(r->batch);
    free(r->texts);
    free(r->module);
    free(r->scratch);
    free(r->params);
    free(r);
}

/* --- continuing the replay -------------------------------------------------------------------- */

const rec_item *replay_next_record(replay *r)
{
    return r->next;
}

rec_position replay_position(const replay *r)
{
    return r->at;
}

void replay_look_back(replay *r, rec_position at)
{
    rec_set_position(r->reader, at);
    read_next_record(r);
}

void replay_look_further(replay *r)
{
    replay_look_back(r, r->after);
}

replay_result replay_repeat_next(replay *r)
{
    if (r->failed || !r->next)
        return r->failed ? REPLAY_FAILED : REPLAY_END;
    rec_set_position(r->reader, r->after);
    if (!repeat_record(r, r->next))
        return REPLAY_FAILED;
    rec_set_position(r->reader, r->after);
    read_next_record(r);
    return REPLAY_DONE;
}

replay_result replay_skip_next(replay *r)
{
    r->passing = true;
    const replay_result is = replay_repeat_next(r);
    r->passing = false;
    return is;
}

const char *replay_error(const replay *r)
{
    return r->error;
}

const char *replay_first_difference(const replay *r)
{
    return r->differences ? r->difference : NULL;
}

uint64_t replay_difference_count(const replay *r)
{
    return r->differences;
}

uint64_t replay_compared_count(const replay *r)
{
    return r->compared;
}

bool replay_describe_next_launch(replay *r, replay_kernel *out)
{
    rt_launch l;
    if (!r->next || r->next->kind != REC_launch)
        return false;
    const rec_launch *x = &r->next->launch;
    rt_module *m = r->module[x->module];
    if (!prepare_launch(r, x, &l))
        return false;
    free(r->params);
    r->params = l.params;
    *out = (replay_kernel){.number = x->number,
                           .stream = x->stream,
                           .name = rt_kernel_display_name(l.kernel),
                           .entry = l.kernel->name,
                           .func = l.kernel->func,
                           .ptx = m->ptx,
                           .text = m->text,
                           .grid = {l.grid.x, l.grid.y, l.grid.z},
                           .block = {l.block.x, l.block.y, l.block.z},
                           .cluster = {l.cluster.x, l.cluster.y, l.cluster.z},
                           .shared = l.shared,
                           .params = l.params,
                           .param_bytes = l.kernel->func->param_bytes};
    return true;
}

void replay_stop_checks(replay *r)
{
    rt_stop_checks();
    r->ordered = false;
}

void replay_skip_race_checks(bool skip)
{
    rt.skip_races = skip;
}

uint64_t replay_l2_bytes(void)
{
    return rt.state.timing.resident_bytes;
}

void replay_set_l2_bytes(uint64_t bytes)
{
    rt.state.timing.resident_bytes = bytes;
}

double replay_recorded_time(replay *r, const char *name, char *doubt, size_t cap)
{
    const size_t n = strlen(name);
    static const char kernel[] = "kernel ";
    const size_t before = sizeof kernel - 1;
    double ns = 0;
    *doubt = 0;
    for (unsigned k = 0; k < r->warning_count && !*doubt; k++) {
        const char *text = r->doubt[k];
        if (!strncmp(text, kernel, before) && !strncmp(text + before, name, n) &&
            text[before + n] == ' ')
            snprintf(doubt, cap, "%s", text + before + n + 1);
    }
    const uint64_t op = r->next->launch.op;
    for (const rec_item *i; (i = rec_next_item(r->reader));) {
        if (i->kind == REC_result && i->result.op == op) {
            ns = i->result.ns;
            break;
        }
    }
    replay_look_back(r, r->at);
    return ns;
}

void replay_add_observer(replay *r, const sm_observer *o)
{
    (void)r;
    rt_set_extra_observer(o);
}

double replay_op_duration(const replay *r, uint64_t op)
{
    const replay_op *o = replay_find_op(r, op);
    return o ? o->op.ns : 0;
}

double replay_end_in_row(const replay *r, uint64_t op, uint64_t before, double before_end,
                         size_t place)
{
    const replay_op *o = replay_find_op(r, op), *b = replay_find_op(r, before);
    return o && b ? rt_clock_end_in_row(&o->op, &b->op, before_end, place)
                  : before_end + replay_op_duration(r, op);
}

double replay_op_end_time(const replay *r, uint64_t op)
{
    const replay_op *o = replay_find_op(r, op);
    return o ? o->op.end : 0;
}

bool replay_has_fault(const replay *r, uint64_t op)
{
    const replay_op *o = replay_find_op(r, op);
    return o && o->op.fault;
}

const uint8_t *replay_returned_bytes(const replay *r, uint64_t *size)
{
    *size = r->scratch_size;
    return r->scratch;
}

const rec_start *replay_start_record(const replay *r)
{
    return &r->start;
}

const char *replay_device_name(const replay *r)
{
    (void)r;
    return rt.profile.name;
}
