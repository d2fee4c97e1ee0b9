/* Kernel launches in device code: parameter buffers, and the limit on pending launches (Programming
 * Guide, "CUDA Dynamic Parallelism", "Device-Side Kernel Launch"). */
#include "nested_calls.h"

#include "../../memory/memory.h"
#include "../../sm/heap.h"
#include "../../sm/syscalls.h"
#include "../code/launch.h"
#include "../core/state.h"

#include <stdlib.h>
#include <string.h>

/* Kernels with more blocks than this launch grids faster than an H200 can start them, so that
 * launches become pending. */
#define MAX_BLOCKS_WITHOUT_LIMIT 8u

/* Minimum of the limit on pending launches: cudaDeviceSetLimit accepts less, but an H200 still
 * allows this many. */
#define MIN_PENDING_LAUNCHES 2048u

/* Header in front of a launch parameter buffer. */
typedef struct buffer_header {
    uint64_t mark;              /* PARAM_BUFFER_MAGIC in a valid header */
    uint64_t function;          /* address of the kernel in device code */
    uint64_t bytes;             /* size of the parameters in bytes */
    uint32_t grid[3], block[3]; /* blocks in the grid; threads in a block */
    uint32_t shared;            /* bytes of dynamic shared memory */
    uint32_t unused;            /* padding */
} buffer_header;

#define PARAM_BUFFER_MAGIC UINT64_C(0x6765732061726170) /* marks a valid buffer_header */

_Static_assert(sizeof(buffer_header) == 56,
               "the parameters follow the header at offset 64, aligned");
#define PARAM_BUFFER_HEADER_BYTES 64u /* distance from the header to the parameters */

static buffer_header *header_of_buffer(uint64_t buffer)
{
    buffer_header *h =
        buffer ? mem_host_pointer(buffer - PARAM_BUFFER_HEADER_BYTES, PARAM_BUFFER_HEADER_BYTES)
               : NULL;
    return h && h->mark == PARAM_BUFFER_MAGIC ? h : NULL;
}

static uint64_t new_param_buffer(const buffer_header *h)
{
    const uint64_t at = sm_heap_alloc(PARAM_BUFFER_HEADER_BYTES + h->bytes);
    buffer_header *to = at ? mem_host_pointer(at, PARAM_BUFFER_HEADER_BYTES) : NULL;
    if (!to)
        return 0;
    *to = *h;
    return at + PARAM_BUFFER_HEADER_BYTES;
}

cudaError_t nested_new_param_buffer_v2(const rt_nested *n, sm_runtime_call *c, uint64_t *out)
{
    const rt_kernel *k = nested_kernel_at(n, nested_arg64(c, 0));
    const uint32_t *grid = c->arg[1].word, *block = c->arg[2].word;
    if (!k) {
        nested_raise_fault(c,
                           "a launch of 0x%llx, which is not a kernel: function pointers for "
                           "device launches must be set by device code",
                           (unsigned long long)nested_arg64(c, 0));
        return cudaErrorInvalidDeviceFunction;
    }
    const buffer_header h = {.mark = PARAM_BUFFER_MAGIC,
                             .function = nested_arg64(c, 0),
                             .bytes = k->func ? k->func->param_bytes : 0,
                             .grid = {grid[0], grid[1], grid[2]},
                             .block = {block[0], block[1], block[2]},
                             .shared = (uint32_t)nested_arg_int(c, 3)};
    *out = new_param_buffer(&h);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t nested_new_param_buffer_v1(const sm_runtime_call *c, uint64_t *out)
{
    const buffer_header h = {.mark = PARAM_BUFFER_MAGIC, .bytes = nested_arg64(c, 1)};
    *out = new_param_buffer(&h);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Warn of parameters that point to shared or local memory. Compilers warn only in simple cases. */
static void warn_private_pointers(rt_nested *n, rt_launch *l)
{
    const ptx_func *f = l->kernel->func;
    for (uint32_t k = 0; k < f->param_count && !n->warned; k++) {
        uint64_t value = 0;
        if (f->params[k].size == sizeof value)
            memcpy(&value, l->params + f->params[k].offset, sizeof value);
        if (sm_is_private_address(value)) {
            rt_print_message(
                "kernel %s, launched by a kernel, gets a pointer to its parent's shared or local "
                "memory as parameter %u: its threads would access their own there; pass global "
                "memory",
                rt_kernel_display_name(l->kernel), k + 1);
            n->warned = true;
        }
    }
}

static cudaError_t launch_from_buffer(rt_nested *n, const buffer_header *h, uint64_t buffer,
                                      rt_launch *l)
{
    rt_take_lock_again();
    rt_kernel *k = rt_module_kernel_at(n->module, h->function);
    cudaError_t e = k ? rt_launch_prepare(k, NULL, true, l) : cudaErrorInvalidDeviceFunction;
    rt_release_lock();
    e = e == cudaErrorInvalidValue || e == cudaErrorLaunchOutOfResources
            ? cudaErrorInvalidConfiguration /* as an H200 says of every invalid launch
                                               configuration */
            : e;
    const uint64_t bytes = e || h->bytes < k->func->param_bytes ? 0 : k->func->param_bytes;
    const void *from = bytes ? mem_host_pointer(buffer, bytes) : NULL;
    if (from) {
        memcpy(l->params, from, bytes);
        warn_private_pointers(n, l);
    }
    return e;
}

/* Is the limit on pending launches reached? An H200 starts the launches of a few blocks almost as
 * fast as they are made, so launches of small grids do not count. Tail launches always count, since
 * they wait for the end of the grid, and so do the grids that contain this grid. */
static bool is_pending_limit_reached(const rt_nested *n, bool tail)
{
    size_t most = 0;
    cudaDeviceGetLimit(&most, cudaLimitDevRuntimePendingLaunchCount);
    most = most < MIN_PENDING_LAUNCHES ? MIN_PENDING_LAUNCHES : most;
    const uint64_t waiting = n->blocks > MAX_BLOCKS_WITHOUT_LIMIT ? n->count[0]
                             : tail                               ? n->count[1]
                                                                  : 0;
    return n->depth + waiting >= most;
}

/* Modelled time of a launch, ns after the start of the grid. Consecutive launches of one thread are
 * a fixed interval apart, and launches of different threads a shorter one. */
static double nested_launch_time(rt_nested *n, const sm_runtime_call *c)
{
    if (n->block != c->block) {
        memset(n->by_thread, 0, sizeof n->by_thread);
        n->block = c->block;
    }
    const double own = n->by_thread[c->thread]++ * rt.profile.device_call_us;
    const double all = n->count[0] * rt.profile.device_apart_us;
    return (own > all ? own : all) * 1e3;
}

static cudaError_t launch_nested(rt_nested *n, const sm_runtime_call *c, const buffer_header *h,
                                 uint64_t buffer, uint64_t stream)
{
    nested_work w = {.kind = NESTED_KERNEL,
                     .launch = {.grid = {h->grid[0], h->grid[1], h->grid[2]},
                                .block = {h->block[0], h->block[1], h->block[2]},
                                .shared = h->shared}};
    cudaError_t e = nested_find_stream(n, c, stream, &w.stream);
    const bool tail = !e && n->streams.of[w.stream].tail;
    w.launch.depth = n->depth + !tail;
    e = e ? e : launch_from_buffer(n, h, buffer, &w.launch);
    if (!e && is_pending_limit_reached(n, tail)) {
        e = cudaErrorLaunchPendingCountExceeded;
        free(w.launch.params);
    }
    if (!e) {
        w.issued = nested_launch_time(n, c);
        e = nested_add_work(n, &w);
        if (e)
            free(w.launch.params);
    }
    n->count[0] += !e;
    n->count[1] += !e && tail;
    return e;
}

cudaError_t nested_launch_v2(rt_nested *n, sm_runtime_call *c)
{
    const uint64_t buffer = nested_arg64(c, 0);
    const buffer_header *h = header_of_buffer(buffer);
    if (!h) {
        nested_raise_fault(
            c,
            "cudaLaunchDevice with a buffer (0x%llx) that cudaGetParameterBuffer did not "
            "return, or "
            "that has been launched already",
            (unsigned long long)buffer);
        return cudaErrorInvalidValue;
    }
    const buffer_header copied = *h;
    cudaError_t e = launch_nested(n, c, &copied, buffer, nested_arg64(c, 1));
    sm_heap_free(buffer - PARAM_BUFFER_HEADER_BYTES);
    return e;
}

/* Launch with all arguments in one call: function, parameter buffer (0 if there are no parameters),
 * shape and stream. */
cudaError_t nested_launch_v1(rt_nested *n, const sm_runtime_call *c)
{
    const uint64_t buffer = nested_arg64(c, 1);
    const buffer_header *of_buffer = header_of_buffer(buffer);
    if (buffer && !of_buffer)
        return cudaErrorInvalidValue;
    const uint32_t *grid = c->arg[2].word, *block = c->arg[3].word;
    const buffer_header h = {.function = nested_arg64(c, 0),
                             .bytes = of_buffer ? of_buffer->bytes : 0,
                             .grid = {grid[0], grid[1], grid[2]},
                             .block = {block[0], block[1], block[2]},
                             .shared = (uint32_t)nested_arg_int(c, 4)};
    cudaError_t e = launch_nested(n, c, &h, buffer, nested_arg64(c, 5));
    if (buffer)
        sm_heap_free(buffer - PARAM_BUFFER_HEADER_BYTES);
    return e;
}
