/* Reports errors that a CUDA call returned and the program did not check, and work that the program
 * did not wait for. */
#include "../../base/lock.h"
#include "../../sanitizer/reported.h"
#include "../core/state.h"
#include "../streams/op_times.h"
#include "checks.h"
#include "result_use.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Why the CUDA call that runs in this thread fails. Each thread has its own reason. */
static __thread char reason_of_current_error[400];
static __thread char reason_of_last_error[sizeof reason_of_current_error]; /* "": not known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `unchecked_errors`; no other lock
                                                            is taken while it is held */

static bool is_launch_call(const san_caller *c)
{
    return c->call && (strstr(c->call, "LaunchKernel") || strstr(c->call, "LaunchCooperative") ||
                       strstr(c->call, "CallConfiguration"));
}

/* Does a program ask for E on purpose, or make no mistake that explains it, or that WHY does? */
static bool is_no_mistake(cudaError_t e, const char *why)
{
    return (e == cudaErrorNotReady && !*why) || e == cudaErrorCudartUnloading ||
           e == cudaErrorProfilerDisabled || e == cudaErrorProfilerAlreadyStarted ||
           e == cudaErrorProfilerAlreadyStopped;
}

/* Is E a mistake of the program, whatever the machine? */
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
    case cudaErrorInvalidSurface: return true;
    default: return false;
    }
}

/* Did the call BY, which returned E, pass unnoticed, unless the program asks for the last error
 * later? Nobody sees what a launch by <<<>>> returns. Where it is not known whether the program
 * looks at the result, only certain mistakes count. */
static bool passes_unnoticed(const san_caller *by, cudaError_t e)
{
    const rt_result_use use = rt_use_of_result(by);
    return use == RT_RESULT_IGNORED || use == RT_RESULT_RETURNED ||
           (use == RT_RESULT_UNKNOWN && (is_launch_call(by) || is_programming_error(e)));
}

/* Is the failed call BY noted already, as made from the same place? */
static bool is_noted(const san_caller *by)
{
    for (uint32_t k = 0; k < rt.checks.unchecked_error_count; k++) {
        const san_caller *was = &rt.checks.unchecked_errors[k].by;
        if (was->call == by->call && was->depth && was->depth == by->depth &&
            memcmp(was->frame, by->frame, by->depth * sizeof *by->frame) == 0)
            return true;
    }
    return false;
}

void rt_note_error(cudaError_t e)
{
    if (!e) {
        reason_of_current_error[0] = '\0';
        return;
    }
    char why[sizeof reason_of_current_error];
    memcpy(why, reason_of_current_error, sizeof why);
    memcpy(reason_of_last_error, why, sizeof why);
    reason_of_current_error[0] = '\0';
    if (!(rt.sanitize & SAN_HOST) || e == rt.state.sticky || rt.ends || is_no_mistake(e, why))
        return;
    rt.checks.had_error = true;
    san_caller by;
    rt_find_position_of_call(&by);
    if (!by.call || (strncmp(by.call, "cu", 2) != 0 && *by.call != '_') ||
        !passes_unnoticed(&by, e))
        return;
    HOLD_LOCK(&lock);
    const uint32_t n = rt.checks.unchecked_error_count;
    if (n < sizeof rt.checks.unchecked_errors / sizeof *rt.checks.unchecked_errors &&
        !is_noted(&by)) {
        rt.checks.unchecked_errors[n].error = e;
        rt.checks.unchecked_errors[n].thread = pthread_self();
        rt.checks.unchecked_errors[n].by = by;
        memcpy(rt.checks.unchecked_errors[n].because, why, sizeof why);
        rt.checks.unchecked_error_count++;
    }
}

cudaError_t(rt_error_because)(cudaError_t e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(reason_of_current_error, sizeof reason_of_current_error, format, ap);
    va_end(ap);
    return e;
}

RT_API const char *__cudaWarpbookReason(void);

/* Called by programs that say why a launch failed (common/lab_base.h): what is known of the calling
 * thread's last error, or "". */
const char *__cudaWarpbookReason(void)
{
    return reason_of_last_error;
}

void rt_note_error_query(void)
{
    HOLD_LOCK(&lock);
    uint32_t n = 0;
    for (uint32_t k = 0; k < rt.checks.unchecked_error_count; k++)
        if (!pthread_equal(rt.checks.unchecked_errors[k].thread, pthread_self()))
            rt.checks.unchecked_errors[n++] = rt.checks.unchecked_errors[k];
    rt.checks.unchecked_error_count = n;
}

static void report_unchecked_error(uint32_t k)
{
    const san_caller *by = &rt.checks.unchecked_errors[k].by;
    const cudaError_t e = rt.checks.unchecked_errors[k].error;
    const char *why = rt.checks.unchecked_errors[k].because;
    san_finding f = {.kind = "host",
                     .fix = "check what each call returns, and cudaGetLastError() after a "
                            "launch",
                     .chapter = CHAPTER_WHEN_THINGS_FAIL};
    const bool launch = is_launch_call(by);
    san_call_position_of(by, &f.at);
    snprintf(f.sentence, sizeof f.sentence, "%s failed with %s (%s), and the program never %s: %s",
             launch ? "this launch" : by->call, cudaGetErrorName(e),
             why[0] ? why : cudaGetErrorString(e),
             launch                              ? "checked it"
             : strncmp(by->call, "cuda", 4) == 0 ? "called cudaGetLastError() after it"
                                                 : "looked at what it returned",
             launch ? "the kernel did not run" : "nothing was done");
    if (!san_is_reported_at(&f.at))
        rt_report_finding(&f);
}

void rt_report_unchecked_errors(void)
{
    for (uint32_t k = 0; k < rt.checks.unchecked_error_count; k++)
        report_unchecked_error(k);
    rt.checks.unchecked_error_count = 0;
}

static void report_unwaited_work(void)
{
    const rt_op *op = rt_oldest_unwaited_op();
    san_finding f = {.kind = "host",
                     .fix = "wait before the end: cudaDeviceSynchronize(), or "
                            "cudaStreamSynchronize() of its stream",
                     .chapter = CHAPTER_STREAMS};
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
    rt_report_unchecked_errors();
    /* A program that gives up because of an error need not wait. */
    if (rt.sanitize & SAN_HOST && !rt.state.sticky && (!status || !rt.checks.had_error))
        report_unwaited_work();
}
