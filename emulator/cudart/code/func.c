/* Attributes and occupancy of kernels (Runtime API, "Execution Control" and "Occupancy"). */

#include "../checks/checks.h"
#include "../core/state.h"
#include "cluster.h"
#include "launch.h"

#include <string.h>

/* Take the lock, and find and load the kernel. */
static cudaError_t lock_and_load_kernel(const void *function, rt_kernel **k)
{
    cudaError_t e = rt_lock();
    *k = function ? rt_find_kernel(function) : NULL;
    e = e          ? e
        : *k       ? cudaSuccess
        : function ? cudaErrorInvalidResourceHandle
                   : cudaErrorInvalidDeviceFunction;
    return e ? e : rt_kernel_load_once(*k);
}

/* cudaFuncAttributeMaxDynamicSharedMemorySize as cudaFuncGetAttributes reports it: the value that
 * the program set, even if launches without opt-in could use more. */
static uint64_t reported_dynamic_limit(const rt_kernel *k)
{
    return k->max_dynamic < 0 ? rt_max_dynamic_shared_bytes(k) : (uint64_t)k->max_dynamic;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
    if (!a)
        return rt_set_last_error(cudaErrorInvalidValue);
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    if (!e) {
        memset(a, 0, sizeof *a);
        a->sharedSizeBytes = k->info.static_shared;
        a->constSizeBytes = k->info.const_bytes;
        a->localSizeBytes = k->info.local_bytes;
        a->maxThreadsPerBlock = (int)k->max_threads;
        a->numRegs = (int)k->info.registers;
        a->ptxVersion = (int)rt_module_compute_capability(k->module);
        a->binaryVersion = (int)rt_compute_capability();
        a->maxDynamicSharedSizeBytes = (int)reported_dynamic_limit(k);
        a->preferredShmemCarveout = k->carveout;
        rt_fill_cluster_attributes(k, a);
    }
    return rt_unlock(e);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
    if (!function)
        return rt_set_last_error(cudaErrorInvalidValue);
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    if (!e) {
        switch (attr) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 ||
                (uint64_t)value + k->info.static_shared > rt.profile.shared_per_block_optin) {
                e = rt_error_because(cudaErrorInvalidValue,
                                     "%d bytes of dynamic and %llu of static shared memory are "
                                     "more than the %llu bytes of a block on this device",
                                     value, (unsigned long long)k->info.static_shared,
                                     (unsigned long long)rt.profile.shared_per_block_optin);
            } else {
                k->max_dynamic = value;
            }
            break;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100)
                e = cudaErrorInvalidValue;
            else
                k->carveout = value;
            break;
        case cudaFuncAttributeClusterDimMustBeSet:
        case cudaFuncAttributeRequiredClusterWidth:
        case cudaFuncAttributeRequiredClusterHeight:
        case cudaFuncAttributeRequiredClusterDepth:
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            e = rt_cluster_set_attribute(k, attr, value);
            break;
        default: e = cudaErrorInvalidValue;
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    e = RT_INVALID_IF(e, (unsigned)config > cudaFuncCachePreferEqual);
    if (!e)
        k->cache = config;
    return rt_unlock(e);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    e = RT_INVALID_IF(e, (unsigned)config > cudaSharedMemBankSizeEightByte);
    return rt_unlock(e);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    if (!name)
        return rt_set_last_error(cudaErrorInvalidValue);
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    return RT_UNLOCK_WITH(e, name, k->name);
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size)
{
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    e = RT_INVALID_IF(e, !offset || index >= k->func->param_count);
    if (!e) {
        *offset = k->func->params[index].offset;
        if (size)
            *size = k->func->params[index].size;
    }
    return rt_unlock(e);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(symbol, &k);
    e = e == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : e;
    e = RT_INVALID_IF(e, !function);
    return RT_UNLOCK_WITH(e, function, (cudaFunction_t)k);
}

/* --- occupancy -------------------------------------------------------------------------------- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t dynamic,
                                                                   unsigned int flags)
{
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    if (!e && (!blocks || threads <= 0 || flags & ~(unsigned)cudaOccupancyDisableCachingOverride))
        e = cudaErrorInvalidValue;
    if (!e) {
        bool fits = dynamic <= rt_max_dynamic_shared_bytes(k);
        *blocks = fits ? (int)rt_blocks_per_sm(k, (uint64_t)threads, dynamic) : 0;
    }
    return rt_unlock(e);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                  dynamic, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int threads)
{
    rt_kernel *k;
    cudaError_t e = lock_and_load_kernel(function, &k);
    e = RT_INVALID_IF(e, !bytes || blocks <= 0 || threads <= 0);
    e = RT_INVALID_IF(e, rt_blocks_per_sm(k, (uint64_t)threads, 0) < (uint32_t)blocks);
    if (!e) {
        /* Divide the SM's shared memory by the number of blocks, without subtracting what the
         * system reserves per block. An H200 does the same. */
        const uint64_t unit = rt.profile.compute_major >= 8 ? 128 : 256;
        const uint64_t part = rt.profile.shared_per_sm / (uint64_t)blocks / unit * unit;
        const uint64_t rest = part > k->info.static_shared ? part - k->info.static_shared : 0;
        const uint64_t most = reported_dynamic_limit(k);
        *bytes = rest < most ? rest : most;
    }
    return rt_unlock(e);
}
