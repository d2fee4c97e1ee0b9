/* The errors that have been reported in this process: each error is reported once, and their
 * total number is limited. Callable from any thread. */
#pragma once

#include "../core/sm.h"
#include "finding.h"

/* Set the maximum number of errors that are reported; the default is 20. */
void san_report_at_most(unsigned count);

typedef enum {
    SAN_REPORT,       /* the error is new: the caller reports it */
    SAN_REPORTED,     /* the error has been reported, or there are too many errors */
    SAN_REPORTS_END   /* the first beyond the maximum: the caller reports that there are more */
} san_report_verdict; /* whether the caller is to report an error */

/* An error of the kernel called NAME, or of host code, is about to be reported: record it. */
san_report_verdict san_count_kernel_report(const sm_report *r, const char *name);
san_report_verdict san_count_host_finding(const san_finding *f);
/* Write the final message "more than 20 mistakes were found: correct these first" to OUT. */
const char *san_describe_report_count(char *out, size_t size);

/* Has the error R of the kernel called NAME been reported, or are no further errors reported? */
bool san_is_reported(const sm_report *r, const char *name);
/* Has an error of host code at position AT been reported? */
bool san_is_reported_at(const san_call_position *at);
