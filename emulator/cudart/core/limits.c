/* Limits of the device (Runtime API, cudaDeviceSetLimit). Each limit has a minimum, a maximum, and
 * a granularity to which values are rounded up, as measured on an H200. */

#include "../../sm/heap.h"
#include "recorder.h"
#include "state.h"

#define KB                        UINT64_C(1024)
#define MB                        (KB * KB)

#define DEFAULT_PRINTF_FIFO_BYTES UINT64_C(8650752)
#define MIN_PRINTF_FIFO_BYTES     (512 * KB)
#define PRINTF_FIFO_ROUNDING      UINT64_C(256) /* FIFO sizes are rounded up to a multiple of it */
#define DEFAULT_HEAP_BYTES        (8 * MB)
#define MIN_HEAP_BYTES            (4 * MB)
#define HEAP_ROUNDING             (64 * KB) /* heap sizes are rounded up to a multiple of it */
#define MAX_STACK_BYTES           (512 * KB)
#define STACK_ROUNDING            UINT64_C(16) /* stack sizes are rounded up to a multiple of it */
/* Smallest value of cudaLimitDevRuntimePendingLaunchCount. */
#define MIN_PENDING_LAUNCHES UINT64_C(32)
/* Largest value of cudaLimitDevRuntimePendingLaunchCount. */
#define MAX_PENDING_LAUNCHES          UINT64_C(599186)
#define MAX_L2_FETCH_BYTES            UINT64_C(128) /* cudaLimitMaxL2FetchGranularity */
#define L2_SIXTEENTHS                 16u /* L2 is set aside for persisting accesses in sixteenths */
#define DEFAULT_PERSISTING_SIXTEENTHS 3u  /* default of cudaLimitPersistingL2CacheSize */
#define MAX_PERSISTING_SIXTEENTHS     10u /* maximum of cudaLimitPersistingL2CacheSize */

/* Limits that only the driver API names (CU_LIMIT_*). */
#define DRIVER_LIMIT_SHARED_MEMORY_SIZE 7 /* CU_LIMIT_SHMEM_SIZE */
#define DRIVER_LIMIT_CIG                8 /* CU_LIMIT_CIG_ENABLED: compute in graphics */
#define DRIVER_LIMIT_CIG_SHARED_MEMORY  9 /* CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED */

static size_t default_limit(enum cudaLimit limit)
{
    switch ((int)limit) {
    case cudaLimitStackSize: return 1 * KB;
    case cudaLimitPrintfFifoSize: return DEFAULT_PRINTF_FIFO_BYTES;
    case cudaLimitMallocHeapSize: return DEFAULT_HEAP_BYTES;
    case cudaLimitDevRuntimeSyncDepth: return 2;
    case cudaLimitDevRuntimePendingLaunchCount: return 2048;
    case cudaLimitMaxL2FetchGranularity: return 64;
    case DRIVER_LIMIT_SHARED_MEMORY_SIZE: return rt.profile.shared_per_block_optin;
    case DRIVER_LIMIT_CIG: return 0;
    default: return rt.profile.l2_bytes / L2_SIXTEENTHS * DEFAULT_PERSISTING_SIXTEENTHS;
    }
}

/* Device-side synchronization and its depth limit (cudaLimitDevRuntimeSyncDepth) do not exist from
 * compute capability 9.0 on. */
static cudaError_t check_limit(enum cudaLimit limit)
{
    if ((unsigned)limit > DRIVER_LIMIT_CIG_SHARED_MEMORY)
        return cudaErrorInvalidValue;
    return (int)limit == DRIVER_LIMIT_CIG_SHARED_MEMORY ||
                   (limit == cudaLimitDevRuntimeSyncDepth && rt.profile.compute_major >= 9)
               ? cudaErrorUnsupportedLimit
               : cudaSuccess;
}

static size_t round_up(size_t value, size_t grain)
{
    return (value + grain - 1) / grain * grain;
}

static cudaError_t round_limit(enum cudaLimit limit, size_t *value)
{
    const size_t part = rt.profile.l2_bytes / L2_SIXTEENTHS;
    switch ((int)limit) {
    case cudaLimitStackSize:
        if (*value >= MAX_STACK_BYTES)
            return cudaErrorInvalidValue;
        *value = round_up(*value, STACK_ROUNDING);
        rt.state.stack_bytes = *value;
        return cudaSuccess;
    case cudaLimitPrintfFifoSize:
        *value = *value < MIN_PRINTF_FIFO_BYTES ? MIN_PRINTF_FIFO_BYTES
                                                : round_up(*value, PRINTF_FIFO_ROUNDING);
        return cudaSuccess;
    case cudaLimitMallocHeapSize:
        *value = *value < MIN_HEAP_BYTES ? MIN_HEAP_BYTES : round_up(*value, HEAP_ROUNDING);
        return sm_heap_resize(*value) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaLimitDevRuntimePendingLaunchCount:
        *value = *value < MIN_PENDING_LAUNCHES   ? MIN_PENDING_LAUNCHES
                 : *value > MAX_PENDING_LAUNCHES ? MAX_PENDING_LAUNCHES
                                                 : *value;
        return cudaSuccess;
    case cudaLimitMaxL2FetchGranularity:
        return *value > MAX_L2_FETCH_BYTES ? cudaErrorInvalidValue : cudaSuccess;
    case cudaLimitPersistingL2CacheSize:
        if (*value > part * MAX_PERSISTING_SIXTEENTHS)
            return cudaErrorInvalidValue;
        *value = part ? round_up(*value, part) : 0;
        return cudaSuccess;
    case DRIVER_LIMIT_SHARED_MEMORY_SIZE:
    case DRIVER_LIMIT_CIG: return cudaErrorNotPermitted;
    default: return cudaSuccess;
    }
}

void rt_reset_limits(void)
{
    for (unsigned i = 0; i < sizeof rt.contexts.limits / sizeof *rt.contexts.limits; i++)
        rt.contexts.limits[i].set = false;
    sm_heap_release();
    sm_heap_resize(DEFAULT_HEAP_BYTES);
}

uint64_t rt_printf_buffer_bytes(void)
{
    return rt.contexts.limits[cudaLimitPrintfFifoSize].set
               ? rt.contexts.limits[cudaLimitPrintfFifoSize].value
               : DEFAULT_PRINTF_FIFO_BYTES;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !value);
    e = e ? e : check_limit(limit);
    if (!e) {
        *value =
            rt.contexts.limits[limit].set ? rt.contexts.limits[limit].value : default_limit(limit);
    }
    return rt_unlock(e);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t e = rt_lock();
    e = e ? e : check_limit(limit);
    if (!e && limit == cudaLimitMallocHeapSize)
        e = rt_finish_all(); /* a queued launch may still use the heap */
    e = e ? e : round_limit(limit, &value);
    if (!e) {
        rt.contexts.limits[limit].value = value;
        rt.contexts.limits[limit].set = true;
        RT_CALL_RECORDER(limits, rt.state.stack_bytes,
                         limit == cudaLimitMallocHeapSize ? value : 0);
    }
    return rt_unlock(e);
}
