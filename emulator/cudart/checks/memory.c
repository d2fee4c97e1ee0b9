/* Records who allocated and freed memory, and reports bad frees, copies outside allocations, and
 * leaks. */
#include "../../memory/memory.h"
#include "../../sanitizer/init/written.h"
#include "../../sanitizer/leak.h"
#include "../../sanitizer/memory/arrays.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool are_allocations_tracked(void)
{
    return rt.sanitize & (SAN_MEMORY | SAN_LEAK | SAN_HOST);
}

void rt_note_allocation(const void *at, size_t size)
{
    if (are_allocations_tracked() && at) {
        san_caller by;
        rt_find_position_of_call(&by);
        san_add_allocation((uint64_t)(uintptr_t)at, size, &by);
    }
}

void rt_note_guarded_array(const void *at, size_t element, size_t count)
{
    const uint64_t address = (uint64_t)(uintptr_t)at;
    size_t size;
    if (!at || !element || element > UINT32_MAX || __builtin_mul_overflow(element, count, &size)) {
        return;
    }
    RT_CALL_RECORDER(array, address, element, count);
    const uint64_t base = rt.sanitize & SAN_MEMORY ? mem_set_guard_zones(address, size) : 0;
    if (base) {
        san_allocation a;
        if (!san_find_allocation(base, false, &a)) {
            a.by = (san_caller){0};
        }
        san_add_guarded_array(base, element, &a.by);
    }
}

void rt_note_queued_free_done(uint64_t at)
{
    if (rt.sanitize & SAN_INIT) {
        san_forget_tracked_allocation(at);
    }
    if (rt.sanitize & SAN_MEMORY) {
        san_drop_guarded_array(at);
    }
}

void rt_note_queued_free(const void *at)
{
    if (are_allocations_tracked() && at) {
        san_caller by;
        san_allocation a;
        const uint64_t address = (uint64_t)(uintptr_t)at;
        rt_find_position_of_call(&by);
        if (!san_remove_allocation(address, &by) && san_find_allocation(address, true, &a)) {
            rt_report_bad_free(by.call ? by.call : "this call",
                               at); /* an operation still in the queue frees the memory */
        }
    }
}

void rt_note_free(const void *at)
{
    rt_note_queued_free(at);
    rt_note_queued_free_done((uint64_t)(uintptr_t)at);
}

void rt_note_free_after_exit(const void *at)
{
    if (rt.ends) {
        rt_note_free(at);
    }
}

/* Name of the call that frees memory allocated by the call CALL. */
static const char *freeing_call_for(const char *call)
{
    return !call                                              ? "cudaFree"
           : strstr(call, "Array") || strstr(call, "cuArray") ? "cudaFreeArray"
           : strstr(call, "Host")                             ? "cudaFreeHost"
           : strstr(call, "Async")                            ? "cudaFreeAsync"
           : strncmp(call, "cuMem", 5) == 0                   ? "cuMemFree"
                                                              : "cudaFree";
}

void rt_report_bad_free(const char *what, const void *at)
{
    if (!(rt.sanitize & SAN_MEMORY)) {
        return;
    }
    const uint64_t address = (uint64_t)(uintptr_t)at;
    san_caller by;
    san_allocation a;
    san_finding f = {.kind = "memory", .chapter = 17};
    rt_find_position_of_call(&by);
    san_call_position_of(&by, &f.at);
    if (san_find_allocation(address, false, &a)) {
        san_call_position_of(&a.by, &f.other);
        f.other_did = "the memory was allocated here";
        if (a.at == address) {
            snprintf(f.sentence, sizeof f.sentence, "%s was given memory of %s, which %s frees",
                     what, a.by.call ? a.by.call : "another kind", freeing_call_for(a.by.call));
            f.mend = "free each kind of memory with the matching call";
        } else {
            snprintf(f.sentence, sizeof f.sentence,
                     "%s was given an address %" PRIu64 " bytes after the start of an allocation "
                     "of %" PRIu64 " bytes, and freed nothing",
                     what, address - a.at, a.size);
            f.mend = "free the pointer that the allocating call returned, unchanged";
        }
    } else if (san_find_allocation(address, true, &a)) {
        san_call_position_of(&a.freed_by, &f.other);
        f.other_did = "it was freed here first";
        snprintf(f.sentence, sizeof f.sentence,
                 "%s was given memory of %" PRIu64 " bytes that had been freed before", what,
                 a.size);
        f.mend = "free memory once, and then set the pointer to NULL";
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "%s was given 0x%" PRIx64 ", where no allocation begins", what, address);
        f.mend = "free only what cudaMalloc or another allocating call returned";
    }
    rt_report_finding(&f);
}

bool rt_report_out_of_bounds(const char *what, uint64_t at, size_t size, uint64_t miss,
                             const char *why)
{
    if (!(rt.sanitize & SAN_MEMORY)) {
        return false;
    }
    san_caller by;
    san_allocation a;
    san_finding f = {.kind = "memory",
                     .mend = "count bytes, not elements, and no more than were allocated",
                     .chapter = 17};
    rt_find_position_of_call(&by);
    san_call_position_of(&by, &f.at);
    if (san_find_allocation(at, false, &a)) {
        san_call_position_of(&a.by, &f.other);
        f.other_did = "the memory was allocated here";
        snprintf(f.sentence, sizeof f.sentence,
                 "%s touches %zu bytes from byte %" PRIu64 " of an allocation of %" PRIu64
                 " bytes: %" PRIu64 " too many",
                 what, size, at - a.at, a.size, at - a.at + size - a.size);
    } else if (san_find_allocation(at, true, &a)) {
        san_call_position_of(&a.freed_by, &f.other);
        f.other_did = "it was freed here";
        snprintf(f.sentence, sizeof f.sentence, "%s touches memory that has been freed", what);
        f.mend = "free memory after its last use";
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "%s: the %zu bytes at 0x%" PRIx64 " are not all valid: address 0x%" PRIx64
                 " is %s",
                 what, size, at, miss, why);
    }
    rt_report_finding(&f);
    return true;
}

void rt_report_bad_argument(const char *what, const char *sentence, const char *mend)
{
    if (!(rt.sanitize & SAN_MEMORY)) {
        rt_print_message("%s: %s; %s", what, sentence, mend);
        return;
    }
    san_caller by;
    san_finding f = {.kind = "memory", .mend = mend, .chapter = 17};
    rt_find_position_of_call(&by);
    san_call_position_of(&by, &f.at);
    snprintf(f.sentence, sizeof f.sentence, "%s: %s", what, sentence);
    rt_report_finding(&f);
}

/* The leaked allocations of one source line. */
typedef struct line_leaks {
    san_finding finding;   /* the report for the line */
    uint64_t bytes, count; /* total size and number of the allocations */
} line_leaks;

/* Group COUNT leaks by source line: allocations by unrolled and inlined copies of a line count as
 * one leak. Returns the number of groups. */
static size_t group_by_line(const san_leak *list, size_t count, line_leaks *out)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        line_leaks new = {{.kind = "leak", .chapter = 17}, list[k].bytes, list[k].count};
        size_t same = 0;
        san_call_position_of(&list[k].by, &new.finding.at);
        while (same < n && !san_is_same_finding(&out[same].finding, &new.finding)) {
            same++;
        }
        if (same < n) {
            out[same].bytes += new.bytes;
            out[same].count += new.count;
        } else if (n < SAN_MAX_FINDINGS) {
            out[n++] = new;
        }
    }
    return n;
}

void rt_report_leaks(const char *when)
{
    size_t count = 0;
    san_leak *list = rt.sanitize & SAN_LEAK && !rt.state.sticky ? san_find_leaks(&count) : NULL;
    line_leaks *leaks = count ? calloc(SAN_MAX_FINDINGS, sizeof *leaks) : NULL;
    const size_t n = leaks ? group_by_line(list, count, leaks) : 0;
    for (size_t k = 0; k < n; k++) {
        san_finding *f = &leaks[k].finding;
        const char *call = f->at.call ? f->at.call : "call";
        char mend[120], times[60] = "";
        if (leaks[k].count > 1) {
            snprintf(times, sizeof times, " in %" PRIu64 " allocations", leaks[k].count);
        }
        snprintf(f->sentence, sizeof f->sentence,
                 "%" PRIu64 " bytes%s that %s allocated here are not freed %s", leaks[k].bytes,
                 times, call, when);
        snprintf(mend, sizeof mend, "call %s when the memory is no longer needed",
                 freeing_call_for(f->at.call));
        f->mend = mend;
        rt_report_finding(f);
        f->mend = NULL;
    }
    free(leaks);
    free(list);
}

void rt_reset_host_checks(void)
{
    rt_note_wait_of_host(true);
    rt_report_leaks("before cudaDeviceReset");
    san_forget_allocations();
    san_forget_all_tracked_allocations();
}
