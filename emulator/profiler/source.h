/* What each PTX instruction of a launch did: sm_result.source. */
#ifndef WARPBOOK_PROFILER_SOURCE_H
#define WARPBOOK_PROFILER_SOURCE_H

#include "../core/code.h"

/* The rows for unit U of the launch whose counts are in SUM, one for each instruction that was
 * executed. An instruction that is folded into others counts as often as its basic block. *TEXT
 * holds the strings; both are malloc'd. NULL, and 0 in *COUNT: there are none, or the host is out
 * of memory. */
source_row *sm_source_rows(const sm_unit *u, const sm_worker *sum, char **text, size_t *count);

#endif
