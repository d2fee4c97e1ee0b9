/* WARPBOOK_TRACE=FILE[:KERNEL[:BLOCK[:WARP]]]: write one line for each instruction that a warp
 * executes, in the order in which they are executed, to FILE:
 *
 *     launch kernel block warp count pc source mask ptx written
 *
 * The last column holds each register that the instruction writes: one value where the lanes of the
 * mask agree, else one for each lane. "waits": the lanes have come to a shuffle or the like and
 * wait for others. They execute it again with these, unless the others come to it at another place:
 * then the results are first seen where they are used.
 *
 * KERNEL is a pattern for the kernel's name (fnmatch(3)), BLOCK a number or x,y,z, WARP a number.
 */
#ifndef WARPBOOK_DEBUGGER_TRACE_H
#define WARPBOOK_DEBUGGER_TRACE_H

#include "../../core/observer.h"

/* Which instructions a trace records. */
typedef struct trace_wish {
    char path[1024], kernel[256];
    bool all_blocks, all_warps;
    uint32_t block[3];
    bool by_number; /* block[0] is the linear index in the grid, x fastest */
    uint32_t warp;
} trace_wish;

/* Take the variable's value apart. False: it is malformed; ERR says how. */
bool trace_read(const char *value, trace_wish *wish, char *err, size_t size);

/* Write to WISH->path from now on; the file is emptied. LIMIT: bytes after which it ends, with a
 * line that says so. False: it cannot be written; ERR says why. */
bool trace_open(const trace_wish *wish, uint64_t limit, char *err, size_t size);
void trace_close(void);

/* Is a trace open? Then programs must keep their registers apart (sm_keep_registers). */
bool trace_is_on(void);
/* Add the observer that writes to LIST, which ends with NULL, if a trace is open. */
void trace_add_observer(const sm_observer *list[SM_OBSERVERS + 1]);

#define TRACE_LIMIT (UINT64_C(256) << 20)

#endif
