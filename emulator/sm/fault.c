/* Message and location of the error that stops a launch. Only a launch's first is reported. */
#include "fault.h"
#include "../core/code.h"
#include "../memory/describe.h"
#include "../memory/mapped.h"
#include "../ptx/traits.h"
#include "cluster.h"
#include "heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SMALLEST_ADDRESS = 1 << 16 /* smaller addresses are null pointers with an offset */ };

/* Advice for a loop, or a wait, at instruction AT that never ends. */
static const char *advice_on_progress(const sm_grid *g, const ptx_insn *at)
{
    if (g->blocks_without_place) {
        return "Launch no more blocks than can run at the same time "
               "(cudaOccupancyMaxActiveBlocksPerMultiprocessor() times the number of "
               "multiprocessors) and give each more work, or let a block wait only for blocks that "
               "began before it.";
    }
    if (ptx_is_per_lane_atomic(at)) {
        return "If this takes a lock: release the lock on every path out of the critical "
               "section, once for each time it was taken. Let one thread of a warp take the lock "
               "for "
               "all threads, or let the thread that owns it continue before the loop ends.";
    }
    if (ptx_tests_mbarrier(at)) {
        return "As many threads must arrive, and as many bytes must be copied, as the mbarrier "
               "expects.";
    }
    if (ptx_is_per_lane_load(at)) {
        return "Let a thread that is not waiting store the value that ends the loop, and "
               "launch no more waiting blocks than can run at the same time.";
    }
    const ptx_sync sync = ptx_traits_of(at)->sync;
    if (sync != PTX_SYNC_lanes && !ptx_is_barrier(at) && sync != PTX_SYNC_cluster) {
        return "Each iteration must bring the loop nearer to its end: check the values that its "
               "condition compares, and where the loop changes them.";
    }
    return "Every thread that has not exited must reach the same barrier, and every lane of a "
           "member mask the same instruction.";
}

static const char *advice_on_fault(const sm_grid *g, sm_fault_kind kind, ptx_space space,
                                   uint64_t address, const ptx_insn *at)
{
    uint64_t from, bytes;
    switch (kind) {
    case SM_FAULT_ADDRESS:
        if (space == PTX_SPACE_TEX)
            return NULL;
        if (space == PTX_SPACE_GLOBAL &&
            mem_find_of_overflowed_index(g->map, ptx_type_bytes(at->type[0]), &address))
            return "Compute the index in 64 bits: convert a factor before the product, as in "
                   "`(size_t)row * width + column`.";
        if (address < SMALLEST_ADDRESS && sm_heap_was_full()) {
            return "Check what malloc() in the kernel returns: it returned a null pointer, as its "
                   "heap is full. Free what is not used any more, or enlarge the heap before the "
                   "first launch: cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes).";
        }
        if (space == PTX_SPACE_GLOBAL && !mem_in_window(address)) {
            return "Look where the pointer comes from: a kernel needs an address that cudaMalloc "
                   "returned, and an index inside that memory.";
        }
        if (space == PTX_SPACE_GLOBAL && mem_find_addresses(address, &from, &bytes))
            return "Map memory there with cuMemMap and let the device use it with cuMemSetAccess "
                   "before the launch; unmap it after the last kernel that uses it.";
        bool freed = false;
        if (space == PTX_SPACE_GLOBAL && mem_described_allocation(address, 1, &freed) && freed)
            return "Free memory only after the last kernel that uses it has finished.";
        return space == PTX_SPACE_SHARED
                   ? "Compare the index with the array's size and, for extern __shared__, with the "
                     "bytes given in the launch."
                   : "Compare the index with the size that was allocated; a guard such as "
                     "`if (i < n)` stops threads past the end.";
    case SM_FAULT_MISALIGNED:
        if (space == PTX_SPACE_TEX)
            return NULL;
        return "An access of n bytes needs an address that is a multiple of n: look at casts to "
               "wider types such as float4.";
    case SM_FAULT_STACK:
        return "See that the recursion ends, make local arrays smaller, or raise the limit before "
               "the launch: cudaDeviceSetLimit(cudaLimitStackSize, bytes).";
    case SM_FAULT_SYNC:
        if (space == PTX_SPACE_SHARED) {
            return "Let one thread initialise the barrier, with __syncthreads() after it before "
                   "any thread uses it, and let as many threads arrive as it expects.";
        }
        return "On a GPU the result would be undefined. Compute the mask before the lanes diverge, "
               "and let every lane in it execute the same call.";
    case SM_FAULT_DEADLOCK: return advice_on_progress(g, at);
    default: return NULL;
    }
}

static bool claim_first_fault(const sm_grid *g)
{
    pthread_mutex_lock(&g->fault->lock);
    if (sm_has_faulted(g)) {
        pthread_mutex_unlock(&g->fault->lock);
        return false;
    }
    return true;
}

static void set_fault_flag(const sm_grid *g)
{
    atomic_store(&g->fault->set, true);
    pthread_mutex_unlock(&g->fault->lock);
}

const sm_insn *sm_stop_launch(sm_warp *w, const sm_insn *i, sm_fault_kind kind, uint32_t lanes,
                              uint64_t address, uint32_t size, ptx_space space, const char *format,
                              ...)
{
    const sm_grid *g = w->block->grid;
    const uint32_t lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    if (!claim_first_fault(g))
        return NULL;
    sm_fault *f = &g->fault->fault;
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->address = address;
    f->size = size;
    f->space = space;
    for (uint32_t k = 0; k < 3; k++) {
        f->block[k] = w->block->id[k];
        f->thread[k] = w->tid[k][lane];
    }
    const ptx_insn *at = sm_site_insn(w, i);
    ptx_source_position(g->unit->module, at, f->where, sizeof f->where);
    f->path = ptx_source_file(g->unit->module, at, &f->line);
    f->function = g->unit->code[g->unit->site_code[i->site]]->func->name;
    f->insn = at->text;
    size_t used = (size_t)snprintf(
        f->text, sizeof f->text, "%s: thread (%u,%u,%u) of block (%u,%u,%u): ", f->where,
        f->thread[0], f->thread[1], f->thread[2], f->block[0], f->block[1], f->block[2]);
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(f->text + used, sizeof f->text - used, format, args);
    va_end(args);
    if (used < sizeof f->text) {
        while (used && f->text[used - 1] == ' ')
            used--;
        const char *dot = used && strchr(".?!", f->text[used - 1]) ? "" : ".";
        f->remedy = advice_on_fault(g, kind, space, address, at);
        snprintf(f->text + used, sizeof f->text - used, "%s%s%s", dot, f->remedy ? "\n" : "",
                 f->remedy ? f->remedy : "");
    }
    set_fault_flag(g);
    return NULL;
}

void sm_stop_grid(const sm_grid *g, const sm_block *b, sm_fault_kind kind, const char *text)
{
    if (!claim_first_fault(g))
        return;
    sm_fault *f = &g->fault->fault;
    memset(f, 0, sizeof *f);
    f->kind = kind;
    for (uint32_t k = 0; b && k < 3; k++)
        f->block[k] = b->id[k];
    snprintf(f->text, sizeof f->text, "%s", text);
    set_fault_flag(g);
}

void *sm_host_pointer_of_generic(const sm_warp *w, uint32_t lane, uint64_t address, uint64_t size)
{
    const sm_grid *g = w->block->grid;
    const uint64_t at = address & ~SM_WINDOW_MASK;
    uint64_t cap;
    uint8_t *from;
    switch (address & SM_WINDOW_MASK) {
    case SM_SHARED_WINDOW: {
        uint64_t offset;
        const sm_block *b = sm_cluster_find_block(w->block, at, size, &offset);
        return b ? b->shared + offset : NULL;
    }
    case SM_LOCAL_WINDOW:
        cap = w->local_stride;
        from = w->local + lane * w->local_stride;
        break;
    case SM_PARAM_WINDOW:
        cap = g->code->func->param_bytes;
        from = (uint8_t *)(uintptr_t)g->params;
        break;
    default: {
        const mem_range *r = mem_find_in_snapshot(g->map, address);
        if (!r || r->base + r->size - address < size)
            return NULL;
        return (void *)((intptr_t)address + r->delta);
    }
    }
    return at <= cap && cap - at >= size ? from + at : NULL;
}
