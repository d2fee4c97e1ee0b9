/* WARPBOOK_REPORTS: writes the messages that go to stderr as data too. Each message is one JSON
 * object on a line of its own, appended in one write; docs/FORMATS.md, lists the fields.
 * If the variable is not set, nothing is written. */
#pragma once

#include "../../core/sm.h"
#include "../../sanitizer/finding.h"

/* Append to WARPBOOK_REPORTS what an observer found in KERNEL (its demangled name), or the fault
 * that stopped the kernel. ORIGIN: the call that DID something to the fault's memory; NULL:
 * none. */
void append_kernel_finding_report(const char *kernel, const sm_report *r);
void append_fault_report(const char *kernel, const sm_fault *f, const san_call_position *origin,
                         const char *did);
/* The chapter of the book that explains the cause of fault F; 0 if there is none. */
uint32_t chapter_of_fault(const sm_fault *f);
/* Append TEXT, a message that the runtime has printed, to WARPBOOK_REPORTS. */
void append_message_report(const char *text);
/* Append the mistake of host code F to WARPBOOK_REPORTS; TEXT is the printed message. */
void append_host_finding_report(const san_finding *f, const char *text);
