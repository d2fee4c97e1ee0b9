/* Records who allocated and freed, reports bad frees, copies outside allocations, and leaks. */
#include "../../memory/memory.h"
#include "../../accesses/accesses.h"
#include "../../sanitizer/init/written.h"
#include "../../sanitizer/leak.h"
#include "../../sanitizer/memory/guard_zones.h"
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
    if (!at || !element || element > UINT32_MAX || __builtin_mul_overflow(element, count, &size))
        return;
    RT_CALL_RECORDER(array, address, element, count);
    /* In tables of accesses, offsets count from the array's first element. */
    const bool wanted = rt.sanitize & SAN_MEMORY || acc_is_configured();
    const uint64_t base = wanted ? mem_set_guard_zones(address, size) : 0;
    if (base && rt.sanitize & SAN_MEMORY) {
        san_allocation a;
        if (!san_find_allocation(base, false, &a))
            a.by = (san_caller){0};
        san_add_guarded_array(base, element, &a.by);
    }
}

void rt_note_queued_free_done(uint64_t at)
{
    if (rt.sanitize & SAN_INIT)
        san_forget_tracked_allocation(at);
    if (rt.sanitize & SAN_MEMORY)
        san_drop_guarded_array(at);
}

static bool is_reset(const san_caller *c)
{
    return c->call && strstr(c->call, "Reset");
}

void rt_note_queued_free(const void *at)
{
    if (are_allocations_tracked() && at) {
        san_caller by;
        san_allocation a;
        const uint64_t address = (uint64_t)(uintptr_t)at;
        rt_find_position_of_call(&by);
        if (!san_remove_allocation(address, &by) && !is_reset(&by) &&
            san_find_allocation(address, true, &a)) {
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
    if (rt.ends)
        rt_note_free(at);
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
    if (!(rt.sanitize & SAN_MEMORY))
        return;
    const uint64_t address = (uint64_t)(uintptr_t)at;
    san_allocation a;
    san_finding f = {.kind = "memory", .chapter = CHAPTER_FINDING_MISTAKES};
    rt_name_call(&f.at);
    if (san_find_allocation(address, false, &a)) {
        san_call_position_of(&a.by, &f.other);
        f.other_did = "the memory was allocated here";
        if (a.at == address) {
            snprintf(f.sentence, sizeof f.sentence, "%s was given memory of %s, which %s frees",
                     what, a.by.call ? a.by.call : "another kind", freeing_call_for(a.by.call));
            f.fix = "free each kind of memory with the matching call";
        } else {
            snprintf(f.sentence, sizeof f.sentence,
                     "%s was given an address %" PRIu64 " bytes after the start of an allocation "
                     "of %" PRIu64 " bytes, and freed nothing",
                     what, address - a.at, a.size);
            f.fix = "free the pointer that the allocating call returned, unchanged";
        }
    } else if (san_find_allocation(address, true, &a)) {
        san_call_position_of(&a.freed_by, &f.other);
        f.other_did = "it was freed here first";
        snprintf(f.sentence, sizeof f.sentence,
                 "%s was given memory of %" PRIu64 " bytes that had been freed before", what,
                 a.size);
        f.fix = "free memory once, and then set the pointer to NULL";
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "%s was given 0x%" PRIx64 ", where no allocation begins", what, address);
        f.fix = "free only what cudaMalloc or another allocating call returned";
    }
    rt_report_finding(&f);
}

/* What the program may have got wrong whose call WHAT touches SIZE bytes at AT, more than A has. */
static const char *advice_for_overrun(const char *what, const san_allocation *a, uint64_t at,
                                      size_t size)
{
    if (strstr(what, "2D") || strstr(what, "3D")) {
        return "see whether there are too many rows, or the pitch is too large: pitch and width "
               "count bytes, and the memory must hold the pitch times the rows";
    }
    const uint64_t times = a->size ? size / a->size : 0;
    if (at != a->at) {
        return "see whether the start is too far inside (p + n counts elements, not bytes), or the "
               "size too large";
    }
    return (times == 2 || times == 4 || times == 8 || times == 16) && size % a->size == 0
               ? "allocate as many bytes as the call touches: n * sizeof(type), with the same type"
               : "touch no more bytes than were allocated: either size may be the wrong one";
}

bool rt_report_out_of_bounds(const char *what, uint64_t at, size_t size, uint64_t miss,
                             const char *why)
{
    if (!(rt.sanitize & SAN_MEMORY))
        return false;
    san_allocation a;
    san_finding f = {.kind = "memory", .chapter = CHAPTER_FINDING_MISTAKES};
    rt_name_call(&f.at);
    if (san_find_allocation(at, false, &a)) {
        san_call_position_of(&a.by, &f.other);
        f.other_did = "the memory was allocated here";
        f.fix = advice_for_overrun(what, &a, at, size);
        snprintf(f.sentence, sizeof f.sentence,
                 "%s touches %zu bytes from byte %" PRIu64 " of an allocation of %" PRIu64
                 " bytes: %" PRIu64 " too many",
                 what, size, at - a.at, a.size, at - a.at + size - a.size);
    } else if (san_find_allocation(at, true, &a)) {
        san_call_position_of(&a.freed_by, &f.other);
        f.other_did = "it was freed here";
        const bool reset = is_reset(&a.freed_by);
        snprintf(f.sentence, sizeof f.sentence, "%s touches memory that has been freed%s", what,
                 reset ? " by cudaDeviceReset" : "");
        f.fix = reset ? "allocate memory, streams and events again after cudaDeviceReset, or call "
                        "it only at the end"
                      : "free memory after its last use";
    } else {
        f.fix = "pass an address that an allocating call returned, and allocate before the call";
        snprintf(f.sentence, sizeof f.sentence,
                 "%s: the %zu bytes at 0x%" PRIx64 " are not all valid: address 0x%" PRIx64
                 " is %s",
                 what, size, at, miss, why);
    }
    rt_report_finding(&f);
    return true;
}

void rt_report_bad_argument(const char *what, const char *sentence, const char *fix)
{
    if (!(rt.sanitize & SAN_MEMORY)) {
        rt_print_message("%s: %s; %s", what, sentence, fix);
        return;
    }
    san_finding f = {.kind = "memory", .fix = fix, .chapter = CHAPTER_FINDING_MISTAKES};
    rt_name_call(&f.at);
    snprintf(f.sentence, sizeof f.sentence, "%s: %s", what, sentence);
    rt_report_finding(&f);
}

void rt_note_object(const char *what, uint64_t handle)
{
    if (rt.sanitize & SAN_LEAK) {
        san_caller by;
        rt_find_position_of_call(&by);
        san_add_object(what, handle, &by);
    }
}

void rt_note_object_destroyed(const char *what, uint64_t handle)
{
    if (rt.sanitize & SAN_LEAK)
        san_remove_object(what, handle);
}

/* The leaked allocations, or objects of one noun, of one source line. */
typedef struct line_leaks {
    san_finding finding;   /* the report for the line */
    const char *what;      /* the objects' noun; NULL: memory */
    uint64_t bytes, count; /* total size and number of the allocations */
} line_leaks;

/* Group COUNT leaks by source line: allocations by unrolled and inlined copies of a line count as
 * one leak. Returns the number of groups. */
static size_t group_by_line(const san_leak *list, size_t count, line_leaks *out)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        line_leaks new = {{.kind = "leak", .chapter = CHAPTER_FINDING_MISTAKES},
                          list[k].what,
                          list[k].bytes,
                          list[k].count};
        size_t same = 0;
        san_call_position_of(&list[k].by, &new.finding.at);
        while (same < n && (out[same].what != new.what ||
                            !san_is_same_finding(&out[same].finding, &new.finding)))
            same++;
        if (same < n) {
            out[same].bytes += new.bytes;
            out[same].count += new.count;
        } else if (n < SAN_MAX_FINDINGS) {
            out[n++] = new;
        }
    }
    return n;
}

/* The call that destroys an object. */
static const char *destroying_call_for(const char *what)
{
    static const struct {
        const char *what, *call;
    } calls[] = {{RT_EVENT_OBJECT, "cudaEventDestroy"},
                 {RT_STREAM_OBJECT, "cudaStreamDestroy"},
                 {RT_GRAPH_OBJECT, "cudaGraphDestroy"},
                 {RT_GRAPH_EXEC_OBJECT, "cudaGraphExecDestroy"},
                 {RT_TEXTURE_OBJECT, "cudaDestroyTextureObject"},
                 {RT_SURFACE_OBJECT, "cudaDestroySurfaceObject"},
                 {RT_PHYSICAL_OBJECT, "cuMemRelease"},
                 {RT_ADDRESSES_OBJECT, "cuMemAddressFree"},
                 {RT_OPENED_OBJECT, "cudaIpcCloseMemHandle"},
                 {RT_MAPPING_OBJECT, "cuMemUnmap"},
                 {RT_POOL_OBJECT, "cudaMemPoolDestroy"}};
    size_t k = 0;
    while (k + 1 < sizeof calls / sizeof *calls && strcmp(calls[k].what, what) != 0)
        k++;
    return calls[k].call;
}

/* Describe leaked memory in the finding of L, and what to do in MEND. */
static void describe_leaked_memory(line_leaks *l, const char *when, char *fix, size_t cap)
{
    san_finding *f = &l->finding;
    char times[60] = "";
    if (l->count > 1)
        snprintf(times, sizeof times, " in %" PRIu64 " allocations", l->count);
    snprintf(f->sentence, sizeof f->sentence,
             "%" PRIu64 " bytes%s that %s allocated here are not freed %s", l->bytes, times,
             f->at.call ? f->at.call : "call", when);
    snprintf(fix, cap, "call %s when the memory is no longer needed", freeing_call_for(f->at.call));
}

static void describe_leaked_objects(line_leaks *l, const char *when, char *fix, size_t cap)
{
    san_finding *f = &l->finding;
    if (l->count == 1) {
        snprintf(f->sentence, sizeof f->sentence, "the %s created here is not destroyed %s",
                 l->what, when);
    } else {
        snprintf(f->sentence, sizeof f->sentence,
                 "%" PRIu64 " %ss created here are not destroyed %s", l->count, l->what, when);
    }
    snprintf(fix, cap, "call %s when the %s is no longer needed", destroying_call_for(l->what),
             l->what);
}

void rt_report_leaks(const char *when)
{
    size_t count = 0;
    san_leak *list = rt.sanitize & SAN_LEAK && !rt.state.sticky ? san_find_leaks(&count) : NULL;
    line_leaks *leaks = count ? calloc(SAN_MAX_FINDINGS, sizeof *leaks) : NULL;
    const size_t n = leaks ? group_by_line(list, count, leaks) : 0;
    for (size_t k = 0; k < n; k++) {
        san_finding *f = &leaks[k].finding;
        char fix[120];
        (leaks[k].what ? describe_leaked_objects : describe_leaked_memory)(&leaks[k], when, fix,
                                                                           sizeof fix);
        f->fix = fix;
        rt_report_finding(f);
        f->fix = NULL;
    }
    free(leaks);
    free(list);
}

void rt_reset_host_checks(void)
{
    rt_note_wait_of_host(true);
    rt_report_leaks("before cudaDeviceReset");
    if (are_allocations_tracked()) {
        san_caller by;
        rt_find_position_of_call(&by);
        san_free_all_allocations(&by);
    }
    san_forget_all_tracked_allocations();
}
