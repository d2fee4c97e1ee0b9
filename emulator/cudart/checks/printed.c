/* Reports device printf that a GPU would not print whole: more arguments than a call takes, and
 * more lines than the buffer between kernel and host holds. Which lines a GPU loses differs from
 * run to run, since the host empties the buffer meanwhile; here all are printed. */
#include "../core/state.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>

static void report_surplus_arguments(const rt_op *op, const ptx_module *m, const ptx_insn *at)
{
    san_finding f = {.kind = "host",
                     .fix = "print the values with several calls of printf()",
                     .kernel = op->name};
    const char *path = ptx_source_file(m, at, &f.at.place.line);
    snprintf(f.at.place.path, sizeof f.at.place.path, "%s", path ? path : "");
    snprintf(f.sentence, sizeof f.sentence,
             "printf() in the kernel %.200s has more than 32 arguments, the most that device code "
             "passes on: a GPU prints any value for the others, and may crash at a %%s; here they "
             "are 0",
             op->name ? op->name : "");
    rt_report_finding(&f);
}

static void report_full_buffer(const rt_op *op, const sm_printed *p, uint64_t limit)
{
    san_finding f = {.kind = "host",
                     .fix =
                         "print less, for instance from one thread, or enlarge the buffer before "
                         "the first launch: cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes)",
                     .kernel = op->name};
    san_call_position_of(op->by, &f.at);
    snprintf(f.sentence, sizeof f.sentence,
             "the kernel %.200s calls printf() %" PRIu64 " times, which needs about %" PRIu64
             " bytes, and the buffer (cudaLimitPrintfFifoSize) has %" PRIu64 ": a GPU loses lines",
             op->name ? op->name : "", p->calls, p->bytes, limit);
    rt_report_finding(&f);
}

void rt_check_printed(const rt_op *op, const ptx_module *m, const sm_printed *p)
{
    if (!(rt.sanitize & SAN_HOST) || !op->by || !p->calls)
        return;
    rt_take_lock_again();
    const uint64_t limit = rt_printf_buffer_bytes();
    if (p->surplus)
        report_surplus_arguments(op, m, p->surplus);
    if (p->bytes > limit)
        report_full_buffer(op, p, limit);
    rt_release_lock();
}
