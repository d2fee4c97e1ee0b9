/* Counts, for sm_result.source, how often each PTX instruction of a launch was executed and what it
 * cost. */
#pragma once

#include "../core/code.h"

/* The rows for unit U of the launch whose counts are in SUM, one for each instruction that was
 * executed. An instruction that is folded into others counts as often as its basic block. *TEXT
 * receives the strings; both allocations are malloc'ed. NULL with 0 in *COUNT: no instruction was
 * executed, or the host is out of memory. */
source_row *profiler_source_rows(const sm_unit *u, const sm_worker *sum, char **text,
                                 size_t *count);
