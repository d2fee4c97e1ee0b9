/* Reports mistakes of host code and kernels, each mistake once. */
#include "../../sanitizer/reported.h"
#include "../../sanitizer/suppress.h"
#include "../core/report.h"
#include "checks.h"

#include <stdlib.h>

/* Host function of the kernel that this thread is launching; NULL if none. */
static __thread const void *launching;

void rt_check_launching(const void *host)
{
    launching = host;
}

void rt_find(const san_finding *f)
{
    if (san_suppressed(f->kind, f->kernel, f->at.place.path, f->at.place.line)) {
        return;
    }
    char text[SAN_FINDING_BYTES];
    switch (san_report_host(f)) {
    case SAN_REPORT:
        san_finding_text(f, text, sizeof text);
        rt_print(text);
        report_host_finding(f, text);
        break;
    case SAN_REPORTS_END:
        rt_say("%s", san_reports_end(text, sizeof text));
        break;
    case SAN_REPORTED:
        break;
    }
}

bool rt_find_in_kernel(const sm_report *r, const char *kernel)
{
    if (san_suppressed(r->kind, kernel, r->at.path, r->at.line)) {
        return false;
    }
    char text[100];
    switch (san_report_kernel(r, kernel)) {
    case SAN_REPORT:
        rt_print(r->text);
        report_finding(kernel, r);
        return true;
    case SAN_REPORTS_END:
        rt_say("%s", san_reports_end(text, sizeof text));
        break;
    case SAN_REPORTED:
        break;
    }
    return false;
}

san_caller *rt_check_issued(void)
{
    san_caller *c = rt.sanitize & (SAN_HOST | SAN_RACE | SAN_INIT) ? malloc(sizeof *c) : NULL;
    if (c) {
        rt_take_caller(c);
    }
    return c;
}

void rt_take_caller(san_caller *c)
{
    san_caller_take(c, rt.calls);
    c->kernel = launching;
}
