/* Tracks device memory that nobody has written (from cudaMalloc until a copy, a fill or a kernel
 * writes it), and reports copies of such memory to the host. */
#include "../../memory/memory.h"
#include "../../sanitizer/init/written.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "../memory/copy.h"
#include "../streams/idle.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_unwritten_memory_checked(void)
{
    return rt.sanitize & SAN_INIT;
}

void rt_note_unwritten_memory(const void *at, size_t size)
{
    rt_note_allocation(at, size);
    RT_CALL_RECORDER(fresh, (uint64_t)(uintptr_t)at, size, NULL);
    if (is_unwritten_memory_checked() && at) {
        san_caller by;
        rt_find_position_of_call(&by);
        san_add_unwritten((uint64_t)(uintptr_t)at, size, &by);
    }
}

void rt_note_managed_memory(const void *at, size_t size)
{
    rt_note_allocation(at, size);
    if (is_unwritten_memory_checked()) {
        san_caller by;
        rt_find_position_of_call(&by);
        san_add_managed_unwritten((uint64_t)(uintptr_t)at, size, &by);
    }
}

void rt_note_memory_allocated_again(uint64_t at, size_t size, const san_caller *by)
{
    RT_CALL_RECORDER(fresh, at, size, by);
    if (is_unwritten_memory_checked()) {
        san_add_unwritten(at, size, by);
    }
}

/* The host writes memory between two of its CUDA calls, so one search per call is enough. A host
 * that polls makes no calls; the idle thread then runs the operations, and searches before each
 * one. */
void rt_find_host_writes(void)
{
    if (is_unwritten_memory_checked() && (rt.checks.host_seen != rt.calls || rt_is_idle_thread())) {
        rt.checks.host_seen = rt.calls;
        san_mark_pages_touched_by_host(rt_is_idle_thread());
    }
}

void rt_note_fill(rt_copy_box to, size_t width, size_t height, size_t depth)
{
    for (size_t row = 0; is_unwritten_memory_checked() && row < height * depth; row++) {
        san_mark_written(to.base + row / height * to.slice + row % height * to.pitch, width);
    }
}

/* Report a copy to the host of BYTES bytes, none of which has been written. */
static void report_unwritten_copy(const rt_op *op, const san_caller *by, uint64_t bytes)
{
    san_finding f = {.kind = "init",
                     .other_did = "the memory was allocated here",
                     .mend = "check that a kernel has run that writes this buffer, that its "
                             "launch succeeded, and that source and destination are not swapped",
                     .chapter = 17};
    san_call_position_of(op->by, &f.at);
    san_call_position_of(by, &f.other);
    snprintf(f.sentence, sizeof f.sentence,
             "%s copies %" PRIu64 " bytes to the host, none of which has been written: the host "
             "gets undefined values",
             op->by->call ? op->by->call : "this call", bytes);
    rt_take_lock_again();
    rt_report_finding(&f);
    rt_release_lock();
}

void rt_note_copy(const rt_op *op, rt_copy_box to, rt_copy_box from, bool staged, size_t width,
                  size_t height, size_t depth)
{
    if (!is_unwritten_memory_checked()) {
        return;
    }
    if (mem_in_window(to.base) || san_is_allocation_tracked(to.base)) {
        for (size_t row = 0; row < height * depth; row++) {
            const uint64_t y = row % height, z = row / height;
            const uint64_t at = to.base + z * to.slice + y * to.pitch;
            if (staged) {
                san_mark_written(at, width);
            } else {
                san_copy_written_marks(at, from.base + z * from.slice + y * from.pitch, width);
            }
        }
        return;
    }
    bool untouched = !staged && op->by;
    san_caller by;
    for (size_t row = 0; untouched && row < height * depth; row++) {
        untouched = san_is_unwritten(
            from.base + row / height * from.slice + row % height * from.pitch, width, &by);
    }
    if (untouched) {
        report_unwritten_copy(op, &by, (uint64_t)width * height * depth);
    }
}
