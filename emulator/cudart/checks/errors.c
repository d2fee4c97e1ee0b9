/* Reports errors that a CUDA call returned and the program did not check, and work that the program
 * did not wait for. */
#include "../../sanitizer/reported.h"
#include "../core/state.h"
#include "../streams/clock.h"
#include "checks.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Why the CUDA call that runs in this thread fails. Each thread has its own reason. */
static __thread char reason_of_current_error[200];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `unchecked_error`; no other lock
                                                            is taken while it is held */

static bool is_launch_call(const san_caller *c)
{
    return c->call && (strstr(c->call, "Launch") || strstr(c->call, "CallConfiguration"));
}

/* Is E an error of a program that is written wrong? Other errors, such as too little memory, depend
 * on the machine, and a program may expect them. */
static bool is_programming_error(cudaError_t e)
{
    switch (e) {
    case cudaErrorInvalidValue:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidTexture:
    case cudaErrorInvalidSurface:
        return true;
    default:
        return false;
    }
}

void rt_note_error(cudaError_t e)
{
    if (!e) {
        return;
    }
    char why[sizeof reason_of_current_error];
    memcpy(why, reason_of_current_error, sizeof why);
    reason_of_current_error[0] = '\0';
    if (!(rt.sanitize & SAN_HOST) || rt.state.sticky || rt.ends || rt_this_thread_runs_op()) {
        return;
    }
    san_caller by;
    rt_find_position_of_call(&by);
    const bool runtime = by.call && (strncmp(by.call, "cuda", 4) == 0 || *by.call == '_');
    if (!runtime || (!is_launch_call(&by) && !is_programming_error(e))) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (!rt.checks.unchecked_error.error) {
        rt.checks.unchecked_error.error = e;
        rt.checks.unchecked_error.thread = pthread_self();
        rt.checks.unchecked_error.by = by;
        memcpy(rt.checks.unchecked_error.because, why, sizeof why);
    }
    pthread_mutex_unlock(&lock);
}

void rt_set_error_reason(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(reason_of_current_error, sizeof reason_of_current_error, format, ap);
    va_end(ap);
}

void rt_note_error_query(void)
{
    pthread_mutex_lock(&lock);
    if (rt.checks.unchecked_error.error &&
        pthread_equal(rt.checks.unchecked_error.thread, pthread_self())) {
        rt.checks.unchecked_error.error = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
}

static void report_unchecked_error(void)
{
    san_finding f = {.kind = "host",
                     .mend = "check what each call returns, and cudaGetLastError() after a "
                             "launch",
                     .chapter = 20};
    const bool launch = is_launch_call(&rt.checks.unchecked_error.by);
    san_call_position_of(&rt.checks.unchecked_error.by, &f.at);
    snprintf(f.sentence, sizeof f.sentence, "%s failed with %s (%s), and the program never %s: %s",
             launch                              ? "this launch"
             : rt.checks.unchecked_error.by.call ? rt.checks.unchecked_error.by.call
                                                 : "this call",
             cudaGetErrorName(rt.checks.unchecked_error.error),
             rt.checks.unchecked_error.because[0]
                 ? rt.checks.unchecked_error.because
                 : cudaGetErrorString(rt.checks.unchecked_error.error),
             launch ? "checked it" : "called cudaGetLastError() after it",
             launch ? "the kernel did not run" : "nothing was done");
    if (!san_is_reported_at(&f.at)) {
        rt_report_finding(&f);
    }
}

static void report_unwaited_work(void)
{
    const rt_op *op = rt_oldest_unwaited_op();
    san_finding f = {.kind = "host",
                     .mend = "wait before the end: cudaDeviceSynchronize(), or "
                             "cudaStreamSynchronize() of its stream",
                     .chapter = 14};
    if (op && op->by) {
        const unsigned long long others = rt_count_unfinished_work() - 1;
        char more[60] = "";
        if (others) {
            snprintf(more, sizeof more, " and %llu later operation%s", others,
                     others == 1 ? "" : "s");
        }
        san_call_position_of(op->by, &f.at);
        snprintf(f.sentence, sizeof f.sentence,
                 "the program ends before it has waited for %s%s%s: on a GPU it may be lost",
                 op->kind == RT_KERNEL ? "kernel " : "this ",
                 op->kind == RT_KERNEL && op->name ? op->name : rt_op_kind_name(op->kind), more);
        rt_report_finding(&f);
    }
}

void rt_report_at_exit(int status)
{
    rt_report_early_host_accesses();
    if (rt.sanitize & SAN_HOST && !status && !rt.state.sticky) {
        if (rt.checks.unchecked_error.error) {
            report_unchecked_error();
        }
        report_unwaited_work();
    }
}
