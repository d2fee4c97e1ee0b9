/* Reports mistakes of host code and kernels, each mistake once. */
#include "../../sanitizer/reported.h"
#include "../../sanitizer/suppress.h"
#include "../core/repeat.h"
#include "../core/report.h"
#include "../core/state.h"
#include "checks.h"

#include <stdlib.h>

/* Host function of the kernel that this thread is launching; NULL if none. */
static __thread const void *launching_host_func;

void rt_set_kernel_being_launched(const void *host)
{
    launching_host_func = host;
}

void rt_report_finding(const san_finding *f)
{
    if (san_is_report_suppressed(f->kind, f->kernel, f->at.place.path, f->at.place.line))
        return;
    char text[SAN_FINDING_BYTES];
    switch (san_count_host_finding(f)) {
    case SAN_REPORT:
        san_finding_text(f, text, sizeof text);
        rt_print(text);
        append_host_finding_report(f, text);
        break;
    case SAN_REPORTS_END:
        rt_print_message("%s", san_describe_report_count(text, sizeof text));
        break;
    case SAN_REPORTED: break;
    }
}

bool rt_report_kernel_finding(const sm_report *r, const char *kernel)
{
    if (san_is_report_suppressed(r->kind, kernel, r->at.path, r->at.line))
        return false;
    char text[100];
    switch (san_count_kernel_report(r, kernel)) {
    case SAN_REPORT:
        rt_print(r->text);
        append_kernel_finding_report(kernel, r);
        return true;
    case SAN_REPORTS_END:
        rt_print_message("%s", san_describe_report_count(text, sizeof text));
        break;
    case SAN_REPORTED: break;
    }
    return false;
}

san_caller *rt_new_position_of_call(void)
{
    const bool wanted = rt.sanitize & (SAN_HOST | SAN_RACE | SAN_INIT) || rt_current_recorder;
    san_caller *c = wanted ? malloc(sizeof *c) : NULL;
    if (c)
        rt_find_position_of_call(c);
    return c;
}

const san_caller *rt_repeated_call;

void rt_find_position_of_call(san_caller *c)
{
    if (rt_repeated_call) {
        *c = *rt_repeated_call;
        return;
    }
    san_capture_caller(c, rt.calls);
    c->kernel = launching_host_func;
}

void rt_name_call(san_call_position *out)
{
    san_caller by;
    rt_find_position_of_call(&by);
    san_call_position_of(&by, out);
}
