/* The recorder's list of allocations: device memory, and host memory that kernels may use. */
#include "../../memory/memory.h"
#include "../recording/host_pages.h"
#include "front.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
    uint64_t base, size; /* address of the first byte; bytes */
    bool device;         /* device memory; false: host memory that kernels may use */
} range;

static range *live;
static size_t count, room;
static pthread_t only_thread; /* the only thread that has called the runtime so far */
static bool has_called, has_several_threads;

static size_t first_range_above(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (live[mid].base <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static void insert_range(uint64_t base, uint64_t size, bool device)
{
    const size_t at = first_range_above(base);
    if (count == room) {
        const size_t more = room ? 2 * room : 64;
        range *list = realloc(live, more * sizeof *list);
        if (!list) {
            return;
        }
        live = list;
        room = more;
    }
    memmove(live + at + 1, live + at, (count - at) * sizeof *live);
    live[at] = (range){base, size, device};
    count++;
}

bool front_is_device(uint64_t address)
{
    const size_t at = first_range_above(address);
    return at && live[at - 1].device && address - live[at - 1].base < live[at - 1].size;
}

static void forget(uint64_t base)
{
    const size_t at = first_range_above(base);
    if (at && live[at - 1].base == base) {
        front_put(&(rec_item){.kind = REC_free, .free = {.address = base}});
        if (!live[at - 1].device) {
            pages_remove(base);
        }
        memmove(live + at - 1, live + at, (count - at) * sizeof *live);
        count--;
    }
}

/* Memory at BASE is new. Forget known ranges that overlap it: a call that the recorder does not
 * see, of the driver API for instance, has freed them. */
static void forget_below(uint64_t base, uint64_t size)
{
    for (size_t at = first_range_above(base + size - 1); at;
         at = first_range_above(base + size - 1)) {
        const range *r = &live[at - 1];
        if (r->base + r->size <= base) {
            return;
        }
        front_doubt("memory was freed by calls that the recorder does not see");
        forget(r->base);
    }
}

static void put_alloc(uint64_t base, uint64_t size, mem_kind kind, const char *name)
{
    forget_below(base, size);
    insert_range(base, size, true);
    front_put(&(rec_item){.kind = REC_alloc, .alloc = {base, size, kind, name, 0}});
}

void front_variable(uint64_t address, uint64_t size, bool constant, const char *name)
{
    put_alloc(address, size, constant ? MEM_CONSTANT : MEM_MODULE, name);
}

void front_adopt(uint64_t address, uint64_t size, int kind)
{
    forget_below(address, size);
    insert_range(address, size, false);
    front_put(&(rec_item){.kind = REC_adopt, .adopt = {address, size, (uint64_t)kind, 0}});
    pages_add(address, size);
}

void front_memory_forget(void)
{
    while (count) {
        forget(live[count - 1].base);
    }
}

void front_pages(uint64_t op)
{
    has_several_threads =
        has_several_threads || (has_called && !pthread_equal(only_thread, pthread_self()));
    only_thread = pthread_self();
    has_called = true;
    for (size_t k = 0; k < count; k++) {
        if (!live[k].device) {
            pages_used(front.writer, live[k].base, op);
        }
    }
}

void front_pages_done(uint64_t op)
{
    pages_done(front.writer, op, !has_several_threads);
}

/* --- the runtime's calls that allocate and free ----------------------------------------------- */

/* Record device memory at address AT, from an allocating call that returned E. */
static cudaError_t note_allocation(cudaError_t e, void *at, size_t size)
{
    if (!e && at && size && front_enter()) {
        const uint64_t base = (uintptr_t)at;
        put_alloc(base, size, MEM_DEVICE, "");
        front_put(&(rec_item){.kind = REC_fresh, .fresh = {base, size, 0}});
        front_leave();
    }
    return e;
}

FRONT_API cudaError_t cudaMalloc(void **to, size_t size)
{
    const cudaError_t e = PASS(cudaMalloc, to, size);
    return note_allocation(e, e ? NULL : *to, size);
}

FRONT_API cudaError_t cudaMallocAsync(void **to, size_t size, cudaStream_t stream)
{
    const cudaError_t e = PASS(cudaMallocAsync, to, size, stream);
    return note_allocation(e, e ? NULL : *to, size);
}

FRONT_API cudaError_t cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height)
{
    const cudaError_t e = PASS(cudaMallocPitch, to, pitch, width, height);
    return note_allocation(e, e ? NULL : *to, e ? 0 : *pitch * height);
}

FRONT_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *to, struct cudaExtent extent)
{
    const cudaError_t e = PASS(cudaMalloc3D, to, extent);
    return note_allocation(e, e ? NULL : to->ptr, e ? 0 : to->pitch * extent.height * extent.depth);
}

/* Record host memory at address AT, from an allocating call that returned E. */
static cudaError_t note_host_memory(cudaError_t e, void *at, size_t size, mem_kind kind)
{
    if (!e && at && size && front_enter()) {
        front_adopt((uintptr_t)at, size, kind);
        front_leave();
    }
    return e;
}

FRONT_API cudaError_t cudaMallocHost(void **to, size_t size)
{
    const cudaError_t e = PASS(cudaMallocHost, to, size);
    return note_host_memory(e, e ? NULL : *to, size, MEM_PINNED);
}

FRONT_API cudaError_t cudaHostAlloc(void **to, size_t size, unsigned flags)
{
    const cudaError_t e = PASS(cudaHostAlloc, to, size, flags);
    return note_host_memory(e, e ? NULL : *to, size, MEM_PINNED);
}

FRONT_API cudaError_t cudaMallocManaged(void **to, size_t size, unsigned flags)
{
    const cudaError_t e = PASS(cudaMallocManaged, to, size, flags);
    return note_host_memory(e, e ? NULL : *to, size, MEM_MANAGED);
}

FRONT_API cudaError_t cudaHostRegister(void *at, size_t size, unsigned flags)
{
    void *device = NULL;
    const cudaError_t e = PASS(cudaHostRegister, at, size, flags);
    __typeof__(&cudaHostGetDevicePointer) ask = front_find("cudaHostGetDevicePointer");
    if (!e && front_enter()) {
        if (ask && ask(&device, at, 0) == cudaSuccess && device != at) {
            front_doubt("kernels and the host use different addresses for registered host memory");
        }
        front_leave();
    }
    return note_host_memory(e, at, size, MEM_REGISTERED);
}

/* Record that AT is about to be freed. This comes before the real call, since the runtime may reuse
 * the address at once. */
static void note_freed(void *at)
{
    if (at && front_enter()) {
        forget((uintptr_t)at);
        front_leave();
    }
}

FRONT_API cudaError_t cudaFree(void *at)
{
    note_freed(at);
    return PASS(cudaFree, at);
}

FRONT_API cudaError_t cudaFreeAsync(void *at, cudaStream_t stream)
{
    note_freed(at);
    return PASS(cudaFreeAsync, at, stream);
}

FRONT_API cudaError_t cudaFreeHost(void *at)
{
    note_freed(at);
    return PASS(cudaFreeHost, at);
}

FRONT_API cudaError_t cudaHostUnregister(void *at)
{
    note_freed(at);
    return PASS(cudaHostUnregister, at);
}
