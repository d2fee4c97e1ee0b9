/* Tracks device memory that nobody has written (from cudaMalloc until a copy, a fill or a kernel
 * writes it), and reports copies of such memory to the host. */
#include "../../memory/memory.h"
#include "../../sanitizer/init/constants.h"
#include "../../sanitizer/init/variables.h"
#include "../../sanitizer/init/written.h"
#include "../core/name.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "../memory/copy.h"
#include "../streams/idle.h"
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Does the host have to set V, which no kernel writes? An empty object has one byte; a scalar may
 * be meant to be zero where the source cannot be read. */
static bool must_be_set(const ptx_module *m, const ptx_var *v)
{
    if (v->is_managed || v->init_size || v->reloc_count || v->size < 2)
        return false;
    char *name = name_of_variable(v->name);
    const san_declaration d = name ? san_find_declaration(m, name) : SAN_NOT_DECLARED;
    free(name);
    return d == SAN_WITHOUT_VALUE ||
           (d == SAN_NOT_DECLARED && (v->is_array || v->space == PTX_SPACE_CONST));
}

void rt_note_variables(const ptx_module *m, const uint64_t *address)
{
    bool *written = is_unwritten_memory_checked() ? san_variables_written_by_kernels(m) : NULL;
    for (uint32_t k = 0; written && k < m->var_count; k++) {
        const ptx_var *v = m->vars[k];
        const bool constant = v->space == PTX_SPACE_CONST;
        if (address[k] && !v->is_extern && (constant || v->space == PTX_SPACE_GLOBAL) &&
            (constant || !written[k]) && must_be_set(m, v)) {
            if (constant)
                san_add_unset_constant(address[k], v->size);
            else
                san_add_unset_variable(address[k], v->size);
        }
    }
    free(written);
}

void rt_note_variable_gone(const ptx_var *v, uint64_t at)
{
    if (is_unwritten_memory_checked() && v->space == PTX_SPACE_CONST)
        san_forget_constant(at);
    else if (is_unwritten_memory_checked())
        san_forget_tracked_allocation(at);
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
    if (is_unwritten_memory_checked())
        san_add_unwritten(at, size, by);
}

/* The host writes memory between two of its CUDA calls, so one search a call is enough. A host that
 * polls makes no calls; the idle thread then runs the operations, and searches before each one. */
void rt_find_host_writes(void)
{
    if (is_unwritten_memory_checked() && (rt.checks.host_seen != rt.calls || rt_is_idle_thread())) {
        rt.checks.host_seen = rt.calls;
        san_mark_pages_touched_by_host(rt_is_idle_thread());
    }
}

void rt_note_fill(rt_copy_box to, size_t width, size_t height, size_t depth)
{
    for (size_t row = 0; is_unwritten_memory_checked() && row < height * depth; row++)
        san_mark_written(to.base + row / height * to.slice + row % height * to.pitch, width);
}

/* Report a copy to the host of BYTES bytes, of which those from FROM to TO, at least, have not been
 * written; AT: the address of the first of these. */
static void report_unwritten_copy(const rt_op *op, const san_caller *by, uint64_t bytes,
                                  uint64_t from, uint64_t to, uint64_t at)
{
    const bool all = to - from == bytes;
    san_finding f = {.kind = "init",
                     .other_did = "the memory was allocated here",
                     .fix = all ? "check that a kernel has run that writes this buffer, that its "
                                  "launch succeeded, and that source and destination are not "
                                  "swapped"
                                : "let the grid cover every element, (n + block - 1) / block "
                                  "blocks, and write each of them, or copy only what was written",
                     .chapter = CHAPTER_FINDING_MISTAKES};
    const char *call = op->by->call ? op->by->call : "this call";
    san_call_position_of(op->by, &f.at);
    san_call_position_of(by, &f.other);
    uint64_t source;
    if (san_is_copied_unwritten(at, &source)) {
        char what[250] = "shared or local memory";
        if (source)
            mem_describe(source, 4, what, sizeof what);
        f.fix = "write that memory before a kernel or a copy moves it on: see which call should "
                "fill it, and whether source and destination are swapped";
        snprintf(f.sentence, sizeof f.sentence,
                 "%s copies %" PRIu64 " bytes to the host, of which bytes %" PRIu64 " to %" PRIu64
                 " were copied from memory that nobody has written: the first of them %s: the host "
                 "gets undefined values",
                 call, bytes, from, to - 1, what);
    } else if (all) {
        snprintf(f.sentence, sizeof f.sentence,
                 "%s copies %" PRIu64 " bytes to the host, none of which has been written: the "
                 "host gets undefined values",
                 call, bytes);
    } else {
        snprintf(f.sentence, sizeof f.sentence,
                 "%s copies %" PRIu64 " bytes to the host, of which bytes %" PRIu64 " to %" PRIu64
                 " have never been written (elements %" PRIu64 " to %" PRIu64
                 ", if each has 4 bytes): the host gets undefined values",
                 call, bytes, from, to - 1, from / 4, (to - 1) / 4);
    }
    rt_take_lock_again();
    rt_report_finding(&f);
    rt_release_lock();
}

/* Rows that cudaMallocPitch or cudaMalloc3D pads may be copied with the unwritten padding. */
static bool has_padded_rows(const san_caller *by)
{
    return by->call && (strstr(by->call, "Pitch") || strstr(by->call, "3D"));
}

/* The address of byte number N of the rows of FROM. */
static uint64_t address_in_rows(rt_copy_box from, size_t width, size_t height, uint64_t n)
{
    const uint64_t row = n / width;
    return from.base + row / height * from.slice + row % height * from.pitch + n % width;
}

/* OP copies rows from FROM to the host: report what of them has not been written. */
static void check_copy_to_host(const rt_op *op, rt_copy_box from, size_t width, size_t height,
                               size_t depth)
{
    mem_range r;
    if (mem_find_range(from.base, &r) && (r.kind == MEM_CONSTANT || r.kind == MEM_MODULE))
        return; /* it holds zeros until it is set */
    san_caller by = {0};
    const uint64_t rows = (uint64_t)height * depth;
    uint64_t begin = 0, end = 0, unwritten_rows = 0;
    bool found = false;
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t at = from.base + row / height * from.slice + row % height * from.pitch;
        uint64_t first, last;
        if (!san_find_unwritten_elements(at, width, &first, &last, &by)) {
            if (found)
                break;
            continue;
        }
        unwritten_rows += last - first == width;
        begin = found ? begin : row * width + first;
        end = found && first ? end : row * width + last;
        found = true;
    }
    const bool all = unwritten_rows == rows;
    if (all || (found && !(rows == 1 && has_padded_rows(&by)))) {
        begin = all ? 0 : begin;
        report_unwritten_copy(op, &by, (uint64_t)width * rows, begin,
                              all ? (uint64_t)width * rows : end,
                              address_in_rows(from, width, height, begin));
    }
}

void rt_note_copy(const rt_op *op, rt_copy_box to, rt_copy_box from, bool staged, size_t width,
                  size_t height, size_t depth)
{
    if (!is_unwritten_memory_checked())
        return;
    if (mem_in_window(to.base) || san_is_allocation_tracked(to.base)) {
        for (size_t row = 0; row < height * depth; row++) {
            const uint64_t y = row % height, z = row / height;
            const uint64_t at = to.base + z * to.slice + y * to.pitch;
            if (staged)
                san_mark_written(at, width);
            else
                san_copy_written_marks(at, from.base + z * from.slice + y * from.pitch, width);
        }
        return;
    }
    if (!staged && op->by)
        check_copy_to_host(op, from, width, height, depth);
}
