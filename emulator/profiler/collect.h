/* At the end of a launch, adds up the statistics of instructions from all workers, and turns them
 * into counters (profiler_collect_counters) and rows per source line (profiler_line_rows). */
#pragma once

#include "../core/code.h"
#include "../core/warp.h"

/* Add the memory accesses of CODE to the counters OUT. SITE has one entry for each instruction of
 * code->func. A generic access counts for the space that it accessed; generic accesses to shared
 * and local memory have already been counted in sm_worker.extra. */
void profiler_collect_counters(const struct sm_code *code, const insn_stats *site, counters *out);

/* Add the COUNT entries of worker FROM to those of another worker (host thread). */
void profiler_add_insn_stats(insn_stats *to, const insn_stats *from, size_t count);

/* The rows of WARPBOOK_LINES for CODE, one for each memory instruction that was executed. *OUT is
 * one allocation with rows and strings; the caller frees it. Returns the number of rows; if no row
 * exists or the host is out of memory, 0 with NULL in *OUT. */
size_t profiler_line_rows(const struct sm_code *code, const insn_stats *site, line_row **out);

/* Names of instruction IN in the emulator's tables: its space ("global", "shared", "const",
 * "local", "texture"), its text ("ld.global.v4.f32"), and its line in the file whose name goes into
 * FILE ("lab.cu"; "-" and line 0: unknown). Inlined code has the position of the outermost call. */
const char *profiler_space_name(ptx_space space);
void profiler_operation_text(const ptx_insn *in, char *buf, size_t size);
uint32_t profiler_source_line_of(const ptx_module *m, const ptx_insn *in, char *file, size_t size);
