/* WARPBOOK_REPORTS: what is said on stderr, as data. One JSON object a line, each appended in one
 * write; CONTRIBUTING.md, "Formats", has the fields. Where the variable is not set nothing is
 * written. */
#ifndef WARPBOOK_REPORT_H
#define WARPBOOK_REPORT_H

#include "../../core/sm.h"

/* The report of KERNEL, as people name it, that an observer made; or the fault that stopped it. */
void report_finding(const char *kernel, const sm_report *r);
void report_fault(const char *kernel, const sm_fault *f);
/* A message of the runtime. */
void report_message(const char *text);
/* The host touched device memory at ADDRESS. Called in a signal handler: allocates nothing. */
void report_host_access(uint64_t address, const char *text);

#endif
