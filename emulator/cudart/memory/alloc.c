/* Device, pinned and managed memory; registered host memory (Runtime API, "Memory Management"). */
#include "../../memory/mapped.h"
#include "../../memory/memory.h"
#include "../../memory/watcher.h"
#include "../checks/checks.h"
#include "../core/context.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "pool.h"
#include "release.h"

#include <stdlib.h>
#include <sys/mman.h>

/* cudaMallocPitch rounds the size of rows up to a multiple of this number of bytes. */
#define PITCH_ALIGNMENT 512u
/* cudaMemGetInfo counts device memory in multiples of this number of bytes, as a GPU does. */
#define DEVICE_RESERVE_UNIT (UINT64_C(2) << 20)

/* A block of host memory that this file allocated or that the program registered. */
typedef struct rt_host_block {
    void *at;                   /* address of the block */
    size_t size;                /* size in bytes that the program requested */
    size_t mapped;              /* bytes mapped here; 0: registered memory of the program */
    unsigned flags;             /* flags given to cudaHostAlloc, cudaHostRegister, ... */
    mem_kind kind;              /* pinned, managed or registered */
    struct rt_host_block *next; /* next in the list of all blocks */
} host_block;

static host_block **find_link_to_host_block(const void *at)
{
    host_block **p = &rt.memory.host_blocks;
    while (*p && (*p)->at != at)
        p = &(*p)->next;
    return p;
}

static const host_block *find_host_block(const void *p)
{
    for (const host_block *b = rt.memory.host_blocks; b; b = b->next)
        if ((const char *)p >= (const char *)b->at &&
            (size_t)((const char *)p - (const char *)b->at) < b->size)
            return b;
    return NULL;
}

static size_t round_up_to_pages(size_t n)
{
    size_t page = mem_page_bytes();
    return (n + page - 1) / page * page;
}

cudaError_t rt_allocate_host_memory(void **out, size_t size, unsigned flags, mem_kind kind)
{
    size_t mapped = round_up_to_pages(size);
    /* Pinned memory is committed at once; managed memory is committed when it is first touched. */
    if (kind == MEM_PINNED && !mem_has_room_for_pinned(mapped)) {
        char text[400];
        rt_print_message("cudaHostAlloc: %zu bytes: %s", size, mem_limit_text(text, sizeof text));
        return cudaErrorMemoryAllocation;
    }
    host_block *b = calloc(1, sizeof *b);
    void *at = b && mapped >= size ? mem_host_pages(mapped) : NULL;
    if (!at || !mem_add_host_range(at, size, kind)) {
        if (at)
            munmap(at, mapped);
        free(b);
        return cudaErrorMemoryAllocation;
    }
    *b = (host_block){at, size, mapped, flags, kind, rt.memory.host_blocks};
    rt.memory.host_blocks = b;
    *out = at;
    if (kind == MEM_MANAGED)
        rt_note_managed_memory(at, size);
    else
        rt_note_allocation(at, size);
    return cudaSuccess;
}

static void release_host_memory(host_block **slot)
{
    host_block *b = *slot;
    *slot = b->next;
    rt_managed_drop_hints((uint64_t)(uintptr_t)b->at, b->size);
    rt_note_free(b->at);
    mem_free_range((uint64_t)(uintptr_t)b->at);
    if (b->mapped)
        munmap(b->at, b->mapped);
    free(b);
}

bool rt_release_host_memory(uint64_t at)
{
    host_block **slot = find_link_to_host_block((void *)(uintptr_t)at);
    if (!*slot)
        return false;
    release_host_memory(slot);
    return true;
}

static cudaError_t error_of_too_much(size_t size)
{
    return rt_error_because(cudaErrorMemoryAllocation,
                            "%zu bytes are requested, and the device has %llu, not all of them "
                            "free",
                            size, (unsigned long long)rt.profile.memory_bytes);
}

/* --- calls that allocate device memory -------------------------------------------------------- */

cudaError_t cudaMalloc(void **out, size_t size)
{
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    e = RT_INVALID_IF(e, !out);
    if (!e) {
        *out = NULL;
        if (size) {
            *out = (void *)(uintptr_t)mem_alloc(size, RT_ALLOCATION_ALIGNMENT, MEM_DEVICE, NULL);
            rt_note_owned_memory((uint64_t)(uintptr_t)*out);
            rt_note_unwritten_memory(*out, size);
            e = *out ? cudaSuccess : error_of_too_much(size);
        }
    }
    return rt_unlock(e);
}

RT_API void __cudaWarpbookArray(const void *at, size_t element, size_t count);

/* Called by programs whose arrays lie between guard zones (common/lab_array.h). Of the allocation
 * that contains AT, kernels should touch only COUNT elements of ELEMENT bytes from AT on. */
void __cudaWarpbookArray(const void *at, size_t element, size_t count)
{
    rt_take_lock_again();
    rt_note_guarded_array(at, element, count);
    rt_release_lock();
}

RT_API void __cudaWarpbookWrong(const void *at, const char *sentence);

/* Called by programs that found a wrong value at AT (common/lab_check.h): SENTENCE says what it is
 * and should be, for readers of a recording. */
void __cudaWarpbookWrong(const void *at, const char *sentence)
{
    rt_take_lock_again();
    if (at && sentence)
        RT_CALL_RECORDER(wrong, (uint64_t)(uintptr_t)at, sentence);
    rt_release_lock();
}

cudaError_t cudaFree(void *p)
{
    cudaError_t e = rt_lock();
    rt_note_free_after_exit(p);
    e = e ? e : rt_capture_check_unsafe();
    if (!e && p) {
        e = rt_finish_all(); /* cudaFree waits for the device */
        host_block **slot = find_link_to_host_block(p);
        mem_range r;
        if (e || rt_graph_memory_free((uint64_t)(uintptr_t)p, &e)) {
            /* pending work failed, or the memory belongs to a graph */
        } else if (*slot && (*slot)->kind == MEM_MANAGED) {
            release_host_memory(slot);
        } else if (!mem_find_range((uint64_t)(uintptr_t)p, &r) || r.kind != MEM_DEVICE ||
                   !mem_free_range((uint64_t)(uintptr_t)p)) {
            rt_report_bad_free("cudaFree", p);
            e = cudaErrorInvalidValue;
        } else {
            rt_note_free(p);
            rt_drop_memory_owner((uint64_t)(uintptr_t)p);
            rt_pool_count_freed((uint64_t)(uintptr_t)p);
            rt_pools_release_unused();
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    if (!out || !pitch || width > SIZE_MAX - PITCH_ALIGNMENT)
        return rt_set_last_error(cudaErrorInvalidValue);
    size_t row = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    size_t total;
    if (__builtin_mul_overflow(row, height, &total))
        return rt_set_last_error(cudaErrorMemoryAllocation);
    *pitch = row;
    return cudaMalloc(out, total);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    size_t rows;
    if (!out || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return rt_set_last_error(cudaErrorInvalidValue);
    void *p;
    size_t pitch;
    cudaError_t e = cudaMallocPitch(&p, &pitch, extent.width, rows);
    if (!e)
        *out = (struct cudaPitchedPtr){p, pitch, extent.width, extent.height};
    return e;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t e = rt_lock();
    if (!e) {
        uint64_t f, t;
        mem_free_and_total(&f, &t);
        /* A device takes memory in units of this size and divides them among small allocations. */
        const uint64_t taken =
            (t - f + DEVICE_RESERVE_UNIT - 1) / DEVICE_RESERVE_UNIT * DEVICE_RESERVE_UNIT;
        const uint64_t limit = mem_get_limit();
        const uint64_t missing = limit < t ? t - limit : 0; /* shortage of host memory, bytes */
        const uint64_t can =
            t - (missing + DEVICE_RESERVE_UNIT - 1) / DEVICE_RESERVE_UNIT * DEVICE_RESERVE_UNIT;
        f = taken < can ? can - taken : 0;
        if (free_bytes)
            *free_bytes = f;
        if (total)
            *total = t;
    }
    return rt_unlock(e);
}

/* --- calls that allocate host memory ---------------------------------------------------------- */

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned int flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    e = RT_INVALID_IF(e, !out || flags & ~known);
    if (!e) {
        *out = NULL;
        /* With unified addressing, every pinned allocation is mapped. */
        e = size ? rt_allocate_host_memory(out, size, flags | cudaHostAllocMapped, MEM_PINNED)
                 : cudaSuccess;
    }
    return rt_unlock(e);
}

cudaError_t cudaMallocHost(void **out, size_t size)
{
    return cudaHostAlloc(out, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *p)
{
    cudaError_t e = rt_lock();
    rt_note_free_after_exit(p);
    e = e ? e : rt_capture_check_unsafe();
    if (!e && p) {
        e = rt_finish_all();
        host_block **slot = find_link_to_host_block(p);
        if (!e && (!*slot || (*slot)->kind != MEM_PINNED)) {
            rt_report_bad_free("cudaFreeHost", p);
            e = cudaErrorInvalidValue;
        }
        if (!e)
            release_host_memory(slot);
    }
    return rt_unlock(e);
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                           cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    e = RT_INVALID_IF(e, !p || !size || size > SIZE_MAX - (uintptr_t)p || flags & ~known);
    e = RT_ERROR_IF(e, find_host_block(p), cudaErrorHostMemoryAlreadyRegistered);
    if (!e) {
        host_block *b = calloc(1, sizeof *b);
        if (b && mem_add_host_range(p, size, MEM_REGISTERED)) {
            *b = (host_block){
                p, size, 0, flags | cudaHostRegisterMapped, MEM_REGISTERED, rt.memory.host_blocks};
            rt.memory.host_blocks = b;
        } else {
            free(b);
            e = cudaErrorMemoryAllocation;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    e = RT_INVALID_IF(e, !p);
    e = e ? e : rt_finish_all();
    if (!e) {
        host_block **slot = find_link_to_host_block(p);
        const host_block *within = find_host_block(p);
        if (*slot && (*slot)->kind == MEM_REGISTERED) {
            release_host_memory(slot);
        } else if (within && within->kind != MEM_MANAGED) {
            /* P is not the start of the block, or the block was not registered. */
            e = cudaErrorInvalidValue;
        } else {
            e = cudaErrorHostMemoryNotRegistered;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !device || flags || !find_host_block(host));
    return RT_UNLOCK_WITH(e, device, host);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    cudaError_t e = rt_lock();
    const host_block *b = find_host_block(host);
    e = RT_INVALID_IF(e, !flags || !b || b->kind == MEM_MANAGED);
    if (!e) {
        /* Every allocation is portable, whether the program requested it or not. */
        *flags = b->flags & ~(unsigned)cudaHostAllocPortable;
    }
    return rt_unlock(e);
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned int flags)
{
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    if (!e && (!out || (size && flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)))
        e = cudaErrorInvalidValue;
    if (!e) {
        *out = NULL;
        e = size ? rt_allocate_host_memory(out, size, flags, MEM_MANAGED) : cudaSuccess;
    }
    return rt_unlock(e);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !out);
    if (!e) {
        mem_range r;
        uint64_t from, bytes;
        *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                              .device = cudaInvalidDeviceId,
                                              .hostPointer = rt_without_const(p)};
        if (rt_graph_memory_is_unused((uint64_t)(uintptr_t)p)) {
            /* memory of a graph allocation node that is not allocated now */
        } else if (mem_find_range((uint64_t)(uintptr_t)p, &r)) {
            out->device = 0;
            out->devicePointer = rt_without_const(p);
            switch (r.kind) {
            case MEM_PINNED:
            case MEM_REGISTERED:
                out->type = cudaMemoryTypeHost;
                if (rt_pool_hides_from_device(r.base))
                    out->devicePointer = NULL;
                break;
            case MEM_MANAGED: out->type = cudaMemoryTypeManaged; break;
            default: out->type = cudaMemoryTypeDevice; out->hostPointer = NULL;
            }
        } else if (mem_find_addresses((uint64_t)(uintptr_t)p, &from, &bytes)) {
            /* reserved, and nothing is mapped there, or not accessible */
        } else if (mem_in_window((uint64_t)(uintptr_t)p)) {
            e = cudaErrorInvalidValue;
        }
    }
    return rt_unlock(e);
}

void rt_reset_host_memory(void)
{
    for (host_block **p = &rt.memory.host_blocks; *p;)
        release_host_memory(p);
}
