/* The recorder's list of allocations: device memory, and host memory that kernels may use. */
#include "../../base/list.h"
#include "../../memory/memory.h"
#include "../recording/host_pages.h"
#include "interposer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory_range {
    uint64_t base, size; /* address of the first byte; bytes */
    bool device;         /* device memory; false: host memory that kernels may use */
} memory_range;

static memory_range *live_ranges; /* [live_count] allocated memory, sorted by address */
static size_t live_count;
static pthread_t only_thread;        /* the only thread that has called the runtime so far */
static bool has_runtime_been_called; /* a thread has called the runtime */
static bool has_several_threads;     /* more than one thread has called it */

/* Index in live_ranges of the first range that begins after ADDRESS. */
static size_t first_range_above(uint64_t address)
{
    size_t low = 0, high = live_count;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (live_ranges[mid].base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert_live_range(uint64_t base, uint64_t size, bool device)
{
    memory_range *r = LIST_INSERT(live_ranges, live_count, first_range_above(base));
    if (r)
        *r = (memory_range){base, size, device};
}

bool interposer_is_device_memory(uint64_t address)
{
    const size_t at = first_range_above(address);
    return at && live_ranges[at - 1].device &&
           address - live_ranges[at - 1].base < live_ranges[at - 1].size;
}

/* Remove the range at BASE from the list of allocations and record that it was freed. */
static void record_range_freed(uint64_t base)
{
    const size_t at = first_range_above(base);
    if (at && live_ranges[at - 1].base == base) {
        interposer_write_record(&(rec_item){.kind = REC_free, .free = {.address = base}});
        if (!live_ranges[at - 1].device)
            host_pages_remove(base);
        memmove(live_ranges + at - 1, live_ranges + at, (live_count - at) * sizeof *live_ranges);
        live_count--;
    }
}

/* Memory at BASE is new. Forget known ranges that overlap it: a call that the recorder does not
 * see, of the driver API for instance, has freed them. */
static void forget_overlapping_ranges(uint64_t base, uint64_t size)
{
    for (size_t at = first_range_above(base + size - 1); at;
         at = first_range_above(base + size - 1)) {
        const memory_range *r = &live_ranges[at - 1];
        if (r->base + r->size <= base)
            return;
        interposer_warn("memory was freed by calls that the recorder does not see");
        record_range_freed(r->base);
    }
}

/* Record new device memory. NAME: the variable in it; "": none. */
static void record_allocation(uint64_t base, uint64_t size, mem_kind kind, const char *name)
{
    forget_overlapping_ranges(base, size);
    insert_live_range(base, size, true);
    interposer_write_record(&(rec_item){.kind = REC_alloc, .alloc = {base, size, kind, name, 0}});
}

void interposer_record_variable(uint64_t address, uint64_t size, bool constant, const char *name)
{
    record_allocation(address, size, constant ? MEM_CONSTANT : MEM_MODULE, name);
}

void interposer_record_host_memory(uint64_t address, uint64_t size, int kind)
{
    forget_overlapping_ranges(address, size);
    insert_live_range(address, size, false);
    interposer_write_record(
        &(rec_item){.kind = REC_adopt, .adopt = {address, size, (uint64_t)kind, 0}});
    host_pages_add(address, size);
}

void interposer_forget_allocations(void)
{
    while (live_count)
        record_range_freed(live_ranges[live_count - 1].base);
}

void interposer_record_pages_before_op(uint64_t op)
{
    has_several_threads = has_several_threads ||
                          (has_runtime_been_called && !pthread_equal(only_thread, pthread_self()));
    only_thread = pthread_self();
    has_runtime_been_called = true;
    for (size_t k = 0; k < live_count; k++)
        if (!live_ranges[k].device)
            host_pages_before_use(interposer_recorder.writer, live_ranges[k].base, op);
}

void interposer_record_pages_after_launch(uint64_t op)
{
    host_pages_after_launch(interposer_recorder.writer, op, !has_several_threads);
}

/* --- the runtime's calls that allocate and free ----------------------------------------------- */

/* Record device memory at address AT, from an allocating call that returned E. */
static cudaError_t record_if_allocated(cudaError_t e, void *at, size_t size)
{
    if (!e && at && size && interposer_begin_recording()) {
        const uint64_t base = (uintptr_t)at;
        record_allocation(base, size, MEM_DEVICE, "");
        interposer_write_record(&(rec_item){.kind = REC_fresh, .fresh = {base, size, 0}});
        interposer_release_recorder_lock();
    }
    return e;
}

/* Labs call this function if the loaded runtime has it (the emulator's runtime has it, NVIDIA's
 * does not): their arrays have guard zones (cudart/memory/alloc.c). */
INTERPOSER_API void __cudaWarpbookArray(const void *at, size_t element, size_t count);
void __cudaWarpbookArray(const void *at, size_t element, size_t count)
{
    if (at && element && count && interposer_begin_recording()) {
        interposer_write_record(
            &(rec_item){.kind = REC_array,
                        .array = {.address = (uintptr_t)at, .element = element, .count = count}});
        interposer_release_recorder_lock();
    }
}

/* Labs call this function likewise, for a wrong value at AT. */
INTERPOSER_API void __cudaWarpbookWrong(const void *at, const char *sentence);
void __cudaWarpbookWrong(const void *at, const char *sentence)
{
    if (at && sentence && interposer_begin_recording()) {
        interposer_write_record(
            &(rec_item){.kind = REC_wrong, .wrong = {(uintptr_t)at, sentence, 0}});
        interposer_release_recorder_lock();
    }
}

INTERPOSER_API cudaError_t cudaMalloc(void **to, size_t size)
{
    const cudaError_t e = CALL_REAL(cudaMalloc, to, size);
    return record_if_allocated(e, e ? NULL : *to, size);
}

INTERPOSER_API cudaError_t cudaMallocAsync(void **to, size_t size, cudaStream_t stream)
{
    const cudaError_t e = CALL_REAL(cudaMallocAsync, to, size, stream);
    return record_if_allocated(e, e ? NULL : *to, size);
}

INTERPOSER_API cudaError_t cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height)
{
    const cudaError_t e = CALL_REAL(cudaMallocPitch, to, pitch, width, height);
    return record_if_allocated(e, e ? NULL : *to, e ? 0 : *pitch * height);
}

INTERPOSER_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *to, struct cudaExtent extent)
{
    const cudaError_t e = CALL_REAL(cudaMalloc3D, to, extent);
    return record_if_allocated(e, e ? NULL : to->ptr,
                               e ? 0 : to->pitch * extent.height * extent.depth);
}

/* Record host memory at address AT, from an allocating call that returned E. */
static cudaError_t record_host_memory_if_allocated(cudaError_t e, void *at, size_t size,
                                                   mem_kind kind)
{
    if (!e && at && size && interposer_begin_recording()) {
        interposer_record_host_memory((uintptr_t)at, size, kind);
        interposer_release_recorder_lock();
    }
    return e;
}

INTERPOSER_API cudaError_t cudaMallocHost(void **to, size_t size)
{
    const cudaError_t e = CALL_REAL(cudaMallocHost, to, size);
    return record_host_memory_if_allocated(e, e ? NULL : *to, size, MEM_PINNED);
}

INTERPOSER_API cudaError_t cudaHostAlloc(void **to, size_t size, unsigned flags)
{
    const cudaError_t e = CALL_REAL(cudaHostAlloc, to, size, flags);
    return record_host_memory_if_allocated(e, e ? NULL : *to, size, MEM_PINNED);
}

INTERPOSER_API cudaError_t cudaMallocManaged(void **to, size_t size, unsigned flags)
{
    const cudaError_t e = CALL_REAL(cudaMallocManaged, to, size, flags);
    return record_host_memory_if_allocated(e, e ? NULL : *to, size, MEM_MANAGED);
}

INTERPOSER_API cudaError_t cudaHostRegister(void *at, size_t size, unsigned flags)
{
    void *device = NULL;
    const cudaError_t e = CALL_REAL(cudaHostRegister, at, size, flags);
    __typeof__(&cudaHostGetDevicePointer) ask =
        interposer_find_runtime_function("cudaHostGetDevicePointer");
    if (!e && interposer_begin_recording()) {
        if (ask && ask(&device, at, 0) == cudaSuccess && device != at)
            interposer_warn(
                "kernels and the host use different addresses for registered host memory");
        interposer_release_recorder_lock();
    }
    return record_host_memory_if_allocated(e, at, size, MEM_REGISTERED);
}

/* Record that AT is about to be freed. This comes before the real call, since the runtime may reuse
 * the address at once. */
static void record_free_call(void *at)
{
    if (at && interposer_begin_recording()) {
        record_range_freed((uintptr_t)at);
        interposer_release_recorder_lock();
    }
}

INTERPOSER_API cudaError_t cudaFree(void *at)
{
    record_free_call(at);
    return CALL_REAL(cudaFree, at);
}

INTERPOSER_API cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    record_free_call(at);
    return CALL_REAL(cudaFreeAsync, at, stream);
}

INTERPOSER_API cudaError_t cudaFreeHost(void *at)
{
    record_free_call(at);
    return CALL_REAL(cudaFreeHost, at);
}

INTERPOSER_API cudaError_t cudaHostUnregister(void *at)
{
    record_free_call(at);
    return CALL_REAL(cudaHostUnregister, at);
}
