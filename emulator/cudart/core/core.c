/* Global state of the device: the lock, opening the device according to the environment variables,
 * and messages. */
#include "../../accesses/accesses.h"
#include "../../coverage/coverage.h"
#include "../../debugger/step/step.h"
#include "../../debugger/trace/trace.h"
#include "../../memory/describe.h"
#include "../../memory/host_access.h"
#include "../../memory/memory.h"
#include "../../memory/watcher.h"
#include "../../sanitizer/guard.h"
#include "../../sanitizer/reported.h"
#include "../../sanitizer/suppress.h"
#include "../checks/checks.h"
#include "../streams/idle.h"
#include "context.h"
#include "repeat.h"
#include "report.h"
#include "state.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

rt_state rt = {.contexts = {.primary = {.primary = true}},
               .pools = RT_POOLS_AT_START,
               .streams = {.legacy = {.id = 0, .flags = cudaStreamDefault},
                           .first = &rt.streams.legacy,
                           .next_id = 1},
               .queue = {.next_seq = 1, .tail = &rt.queue.head},
               .overlap = {.last = &rt.overlap.first, .generation = 1},
               .clock = {.graph_kernel_start = -1e18},
               .graphs = {.next_serial = 1, .next_capture = 1}};
const rt_recorder *rt_current_recorder; /* records the run; NULL: nothing is recorded */

static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;  /* guards the variable `rt` */
static pthread_cond_t runtime_changed = PTHREAD_COND_INITIALIZER; /* signals a change of `rt` */

void rt_print(const char *text)
{
    char out[6144];
    size_t n = 0;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        int put = snprintf(out + n, sizeof out - n, "warpbook: %.*s\n", (int)len, line);
        if (put < 0 || (size_t)put >= sizeof out - n)
            break;
        n += (size_t)put;
        line += len + (line[len] == '\n');
    }
    fflush(stdout); /* print earlier output of the program first */
    ssize_t done = write(STDERR_FILENO, out, n);
    (void)done; /* if stderr cannot be written, nothing can be reported */
}

void rt_print_message(const char *format, ...)
{
    char text[4096];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    rt_print(text);
    append_message_report(text);
}

static const char *environment_variable(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

/* The number of cores that this process may use. */
static uint32_t count_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
}

/* The number of bytes in a text like "512", "64K", "256M" or "4G"; 0 if it is malformed. */
static uint64_t parse_size(const char *text)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    const bool good = !errno && *text >= '0' && *text <= '9' && !*(end + (unit != NULL)) &&
                      n << shift >> shift == n;
    return good ? n << shift : 0;
}

/* Read the environment variable NAME into *OUT if it is set. If it is not a number from 1 to MOST,
 * prints a message and returns false. */
static bool read_number(const char *name, uint32_t most, uint32_t *out)
{
    const char *text = environment_variable(name);
    char *end;
    errno = 0;
    const long n = text ? strtol(text, &end, 10) : 0;
    if (text && (errno || *end || n < 1 || n > (long)most)) {
        rt_print_message("%s is \"%s\": give a number from 1 to %u", name, text, most);
        return false;
    }
    *out = text ? (uint32_t)n : *out;
    return true;
}

#define WINDOW_ALIGNMENT (UINT64_C(2) << 20) /* alignment of address reservations in drivers */

/* Read WARPBOOK_WINDOW, the first address of device memory, into *BASE; 0: the default address. */
static bool read_address_window(uint64_t *base)
{
    const char *text = environment_variable("WARPBOOK_WINDOW");
    char *end = NULL;
    *base = text ? strtoull(text, &end, 16) : 0;
    if (text && (*end || !*base || *base % WINDOW_ALIGNMENT || *base >> 47)) {
        rt_print_message(
            "WARPBOOK_WINDOW is \"%s\": give an address below 0x800000000000 in hexadecimal, a "
            "multiple of 0x200000",
            text);
        return false;
    }
    if (*base)
        mem_set_window(*base, 0, 0);
    return true;
}

/* Does device memory begin at BASE? True if BASE is 0. */
static bool is_window_at(uint64_t base)
{
    uint64_t from, size;
    mem_get_window(&from, &size);
    if (base && from != base) {
        rt_print_message(
            "WARPBOOK_WINDOW is 0x%llx, but these addresses are in use: give another address",
            (unsigned long long)base);
        return false;
    }
    return true;
}

static cudaError_t open_device(void)
{
    char err[512] = "";
    if (!profile_load(environment_variable("WARPBOOK_PROFILE"), &rt.profile, err, sizeof err)) {
        rt_print_message("%s", err);
        return cudaErrorInitializationError;
    }
    rt.counters = environment_variable("WARPBOOK_COUNTERS");
    rt.lines = environment_variable("WARPBOOK_LINES");
    rt.source = environment_variable("WARPBOOK_SOURCE");
    rt.timeline = environment_variable("WARPBOOK_TIMELINE");
    if (!acc_configure(environment_variable("WARPBOOK_ACCESSES"),
                       environment_variable("WARPBOOK_HEAT"), err, sizeof err)) {
        rt_print_message("%s", err);
        return cudaErrorInitializationError;
    }
    rt.workers = count_cores();
    uint32_t reports = SAN_MAX_FINDINGS;
    if (!read_number("WARPBOOK_THREADS", 1024, &rt.workers) ||
        !read_number("WARPBOOK_REPORTS_MOST", 1000000, &reports))
        return cudaErrorInitializationError;
    san_report_at_most(reports);
    const char *counting = environment_variable("WARPBOOK_COUNTING");
    if (counting && strcmp(counting, "0") != 0) {
        rt_print_message("WARPBOOK_COUNTING is \"%s\": the only valid value is \"0\"", counting);
        return cudaErrorInitializationError;
    }
    rt.uncounted = counting;
    if (rt.uncounted && (rt.counters || rt.lines || rt.source)) {
        rt_print_message(
            "with WARPBOOK_COUNTING=0 there is nothing to write for WARPBOOK_COUNTERS, "
            "WARPBOOK_LINES and WARPBOOK_SOURCE: unset one or the other");
        return cudaErrorInitializationError;
    }
    const char *skip = environment_variable("WARPBOOK_SKIP_PROFILED");
    rt.skip_profiled = skip && strcmp(skip, "1") == 0;
    if (skip && !rt.skip_profiled) {
        rt_print_message("WARPBOOK_SKIP_PROFILED is \"%s\": the only valid value is \"1\"", skip);
        return cudaErrorInitializationError;
    }
    if (!san_kinds_read(environment_variable("WARPBOOK_SANITIZE"), &rt.sanitize, err, sizeof err) ||
        !san_read_suppressions(environment_variable("WARPBOOK_SUPPRESS"), err, sizeof err)) {
        rt_print_message("%s", err);
        return cudaErrorInitializationError;
    }
    cov_configure(environment_variable("WARPBOOK_COVERAGE"));
    const char *trace = environment_variable("WARPBOOK_TRACE");
    trace_filter filter;
    if (trace && (!trace_read(trace, &filter, err, sizeof err) ||
                  !trace_open(&filter, TRACE_DEFAULT_MAX_BYTES, err, sizeof err))) {
        rt_print_message("%s", err);
        return cudaErrorInitializationError;
    }
    const char *memory = environment_variable("WARPBOOK_MEMORY");
    const uint64_t limit = memory ? parse_size(memory) : 0;
    if (memory && !limit) {
        rt_print_message(
            "WARPBOOK_MEMORY is \"%s\": give a number of bytes, or a number followed by K, M or G",
            memory);
        return cudaErrorInitializationError;
    }
    uint64_t window = 0;
    if (!read_address_window(&window))
        return cudaErrorInitializationError;
    mem_set_limit(limit);
    mem_keep_freed_addresses(rt.sanitize & SAN_MEMORY);
    rt_watch_for_abort();
    mem_set_host_access_hook(rt_report_host_access);
    mem_set_host_describer(rt_describe_host_address);
    mem_set_fault_hook(rt.sanitize & SAN_HOST ? san_guard_fault : NULL, san_protect_stepped_page);
    if (!mem_reserve_window(rt.profile.memory_bytes)) {
        rt_print_message(
            "cannot reserve %llu bytes of addresses for device memory: %s; is `ulimit -v` set?",
            (unsigned long long)rt.profile.memory_bytes, strerror(errno));
        return cudaErrorInitializationError;
    }
    /* as of copies: half is written */
    const double holds = (double)rt.profile.l2_bytes * 2 / (1 + rt.profile.l2_written_weighs);
    mem_set_cache((uint64_t)(holds * rt.profile.l2_keeps), (uint64_t)(holds * rt.profile.l2_loses));
    return is_window_at(window) ? cudaSuccess : cudaErrorInitializationError;
}

/* --- a process that forks --------------------------------------------------------------------- */

static void lock_before_fork(void)
{
    pthread_mutex_lock(&runtime_lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&runtime_lock);
}

static void mark_child_as_orphan(void)
{
    rt.orphan = rt.opened && !step_is_session();
    RT_CALL_RECORDER(forked);
    pthread_cond_init(&runtime_changed, NULL); /* no thread of the child process waits yet */
    pthread_mutex_unlock(&runtime_lock);
}

__attribute__((constructor)) static void install_exit_handlers(void)
{
    step_start_session();
    pthread_atfork(lock_before_fork, unlock_after_fork, mark_child_as_orphan);
}

/* --- the end of the program ------------------------------------------------------------------- */

#define MAX_EXIT_WAIT_MS 10000 /* longest wait for queued work at program exit, milliseconds */

static void finish_work_at_exit(int status, void *unused)
{
    (void)unused;
    if (rt.orphan || rt_this_thread_runs_op() || pthread_mutex_trylock(&runtime_lock))
        return; /* another thread is inside the runtime */
    rt_report_at_exit(status);
    rt.ended_well = !status;
    rt.ends = true;
    if (!rt.failed && !rt.state.sticky && rt_count_unfinished_work())
        rt_finish_queued_at_exit(MAX_EXIT_WAIT_MS);
    if (!cov_write_table())
        rt_print_message("WARPBOOK_COVERAGE: cannot write the table: %s", strerror(errno));
    RT_CALL_RECORDER(ends);
    pthread_mutex_unlock(&runtime_lock);
    step_end_process();
}

/* Runs after the program's own destructors, which may still free memory. */
__attribute__((destructor)) static void report_leaks_at_unload(void)
{
    if (rt.ended_well && !pthread_mutex_trylock(&runtime_lock)) {
        rt_report_leaks("before the program ends");
        pthread_mutex_unlock(&runtime_lock);
    }
}

void rt_lock_without_checks(void)
{
    pthread_mutex_lock(&runtime_lock);
    rt.calls++;
    if (!rt.opened) {
        rt.opened = true;
        rt.failed = open_device();
        if (!rt.failed)
            RT_CALL_RECORDER(opened);
        on_exit(finish_work_at_exit, NULL); /* if on_exit fails, pending work is lost at exit */
    }
}

void rt_stop_checks(void)
{
    rt.sanitize = 0;
    cov_stop();
}

cudaError_t rt_device_unusable_reason(void)
{
    return rt.failed   ? rt.failed
           : rt.orphan ? cudaErrorInitializationError
           : rt.ends   ? cudaErrorCudartUnloading
                       : cudaSuccess;
}

cudaError_t rt_lock(void)
{
    rt_lock_without_checks();
    cudaError_t e = rt_device_unusable_reason();
    /* a host function of a stream may not call the runtime */
    e = RT_ERROR_IF(e, rt_this_thread_runs_op(), cudaErrorNotPermitted);
    e = e ? e : rt_context_make_current();
    return e ? e : rt.state.sticky;
}

cudaError_t rt_unlock(cudaError_t e)
{
    pthread_mutex_unlock(&runtime_lock);
    return rt_set_last_error(e);
}

cudaError_t rt_unlock_after_query(cudaError_t e)
{
    pthread_mutex_unlock(&runtime_lock);
    return e == cudaErrorNotReady ? e : rt_set_last_error(e);
}

cudaError_t rt_open_for_replay(void)
{
    const cudaError_t e = rt_lock();
    pthread_mutex_unlock(&runtime_lock);
    rt_change_waiting_thread_count(1); /* this thread never writes memory while kernels use it */
    return e;
}

bool rt_replay_is_stepped(void)
{
    return step_is_session();
}

void rt_release_lock(void)
{
    pthread_mutex_unlock(&runtime_lock);
}

void rt_take_lock_again(void)
{
    pthread_mutex_lock(&runtime_lock);
}

void rt_wait_for_state_change(void)
{
    pthread_cond_wait(&runtime_changed, &runtime_lock);
}

void rt_wake_waiting_threads(void)
{
    pthread_cond_broadcast(&runtime_changed);
}

uint32_t rt_compute_capability(void)
{
    return (uint32_t)(rt.profile.compute_major * 10 + rt.profile.compute_minor);
}
