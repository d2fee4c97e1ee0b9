/* What has been reported in this process: each mistake once, and no more of all kinds together than
 * a reader takes in. Callable from any thread. */
#ifndef WARPBOOK_SANITIZER_REPORTED_H
#define WARPBOOK_SANITIZER_REPORTED_H

#include "../core/sm.h"
#include "finding.h"

/* The most mistakes that are reported, from now on; 20 if this is never called. */
void san_report_at_most(unsigned count);

typedef enum {
    SAN_REPORT,     /* it is new: the caller reports it */
    SAN_REPORTED,   /* it has been reported, or there are too many */
    SAN_REPORTS_END /* it is the first beyond the maximum: the caller says that there are more */
} san_verdict;

/* A mistake of the kernel called NAME, or of host code: note that it is reported. */
san_verdict san_report_kernel(const sm_report *r, const char *name);
san_verdict san_report_host(const san_finding *f);
/* "more than 20 mistakes were found: mend these first" */
const char *san_reports_end(char *out, size_t size);

/* Would san_report_kernel return SAN_REPORTED? */
bool san_is_reported(const sm_report *r, const char *name);
/* Has a mistake of host code at AT been reported? */
bool san_is_reported_at(const san_where *at);

#endif
