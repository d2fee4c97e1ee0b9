/* WARPBOOK_TRACE=FILE[:KERNEL[:BLOCK[:WARP]]]: writes a line to FILE for each instruction that a
 * warp executes, in the order of execution:
 *
 *     launch kernel block warp count pc source mask ptx written
 *
 * The last column lists each register that the instruction writes: one value if the lanes of the
 * mask agree, else one value for each lane. "waits": the lanes wait at a shuffle or a similar
 * instruction for other lanes. They execute it again together with these lanes, unless these lanes
 * reach it at another instruction: then the results first appear where they are used.
 *
 * KERNEL is a pattern for the kernel's name (fnmatch(3)), BLOCK a number or x,y,z, WARP a
 * number. */
#pragma once

#include "../../core/observer.h"

/* The instructions that a trace records. */
typedef struct trace_filter {
    char path[1024], kernel[256]; /* path of the file; name of the kernel, "": every kernel */
    bool all_blocks, all_warps;   /* trace every block; trace every warp */
    uint32_t block[3];            /* index of the block to trace */
    bool by_number;               /* block[0] is the linear block index, x fastest */
    uint32_t warp;                /* index of the warp to trace */
} trace_filter;

/* Parse the value of WARPBOOK_TRACE. Returns false with a message in ERR if it is malformed. */
bool trace_read(const char *value, trace_filter *filter, char *err, size_t size);

/* Begin a new trace in the file FILTER->path. After LIMIT bytes the trace ends with a line that
 * says so. Returns false with a message in ERR if the file cannot be written. */
bool trace_open(const trace_filter *filter, uint64_t limit, char *err, size_t size);
void trace_close(void);

/* Whether a trace is open. If so, translated programs must keep all registers separate
 * (compile_disable_optimizations). */
bool trace_is_on(void);
/* Add the observer that writes the trace to LIST, which ends with NULL, if a trace is open. */
void trace_add_observer(const sm_observer *list[SM_OBSERVERS + 1]);

#define TRACE_DEFAULT_MAX_BYTES \
    (UINT64_C(256) << 20) /* default limit of the size of a trace, in bytes */
