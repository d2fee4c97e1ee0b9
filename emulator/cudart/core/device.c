/* The device (Runtime API, "Device Management"): properties, flags, synchronization and reset. */
#include "../../memory/memory.h"
#include "../checks/checks.h"
#include "../graphs/capture.h"
#include "../memory/release.h"
#include "context.h"
#include "recorder.h"
#include "state.h"

#include <stdio.h>
#include <string.h>

/* Suffix of the device name that programs see, lest a modelled time be taken for a measured one. */
#define DEVICE_NAME_SUFFIX " (warpbook)"

/* The flags that cudaSetDeviceFlags stores. It accepts other flags and ignores them. */
#define STORED_DEVICE_FLAGS                                                             \
    (unsigned)(cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | \
               cudaDeviceSyncMemops)

/* Take the lock and check that DEVICE exists. For calls that only read the device profile: these
 * work even after a sticky error. */
static cudaError_t lock_and_check_device(int device)
{
    rt_lock_without_checks();
    return rt.failed ? rt.failed : device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    cudaError_t e = lock_and_check_device(0);
    e = RT_INVALID_IF(e, !count);
    return RT_UNLOCK_WITH(e, count, 1);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t e = lock_and_check_device(0);
    e = RT_INVALID_IF(e, !device);
    return RT_UNLOCK_WITH(e, device, 0);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t e = rt_lock();
    if (e == rt.state.sticky)
        e = cudaSuccess; /* this call works after a sticky error, too */
    if (!e && device) {
        e = rt_error_because(cudaErrorInvalidDevice,
                             "there is no device %d: this machine has one, device 0", device);
    }
    return rt_unlock(e);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    cudaError_t e = lock_and_check_device(device);
    if (!e) {
        rt_primary_context_use_by_runtime(); /* creates the primary context, not current */
        if (flags & cudaInitDeviceFlagsAreValid)
            rt.flags = device_flags & STORED_DEVICE_FLAGS;
    }
    return rt_unlock(e);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    cudaError_t e = lock_and_check_device(0);
    e = RT_INVALID_IF(e, count < 0);
    for (int i = 0; !e && i < count; i++)
        e = !devices ? cudaErrorInvalidValue : devices[i] ? cudaErrorInvalidDevice : cudaSuccess;
    return rt_unlock(e);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    cudaError_t e = lock_and_check_device(0);
    const unsigned how =
        flags & cudaDeviceScheduleMask; /* at most one scheduling policy may be set */
    e = RT_INVALID_IF(e, flags & ~(unsigned)cudaDeviceMask || how & (how - 1));
    if (!e)
        rt.flags = flags & STORED_DEVICE_FLAGS;
    return rt_unlock(e);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    cudaError_t e = lock_and_check_device(0);
    e = RT_INVALID_IF(e, !flags);
    if (!e) {
        *flags =
            rt.contexts.was_reset && !rt.contexts.primary.live ? 0 : rt.flags | cudaDeviceMapHost;
    }
    return rt_unlock(e);
}

static int device_attribute_value(enum cudaDeviceAttr attr)
{
    const device_profile *P = &rt.profile;
    switch (attr) {
#define ATTR(name, value)   \
    case cudaDevAttr##name: \
        return (int)(value);
#define PROPERTY(name, field, value) ATTR(name, value)
#include "attr.def"
#undef ATTR
#undef PROPERTY
    default: return 0;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    cudaError_t e = lock_and_check_device(device);
    e = RT_INVALID_IF(e, !value || attr < cudaDevAttrMaxThreadsPerBlock || attr >= cudaDevAttrMax);
    return RT_UNLOCK_WITH(e, value, device_attribute_value(attr));
}

static void fill_properties(struct cudaDeviceProp *p)
{
    const device_profile *P = &rt.profile;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s" DEVICE_NAME_SUFFIX, P->name);
    /* The UUID comes from the profile, so every run reports the same UUID. */
    memcpy(p->uuid.bytes, P->id, sizeof p->uuid.bytes);
    p->totalGlobalMem = P->memory_bytes;
#define ATTR(name, value)
#define PROPERTY(name, field, value) p->field = (__typeof__(p->field))(value);
#include "attr.def"
#undef ATTR
#undef PROPERTY
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    cudaError_t e = lock_and_check_device(device);
    e = RT_INVALID_IF(e, !properties);
    if (!e)
        fill_properties(properties);
    return rt_unlock(e);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    return wanted ? cudaGetDevice(device) : rt_set_last_error(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    cudaError_t e = lock_and_check_device(device);
    e = RT_INVALID_IF(e, !id || size < 13);
    if (!e)
        snprintf(id, (size_t)size, "0000:00:00.0");
    return rt_unlock(e);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    cudaError_t e = lock_and_check_device(0);
    e = RT_INVALID_IF(e, !device || !id);
    unsigned at[4];
    e = RT_INVALID_IF(e, sscanf(id, "%x:%x:%x.%x", &at[0], &at[1], &at[2], &at[3]) != 4);
    e = RT_ERROR_IF(e, at[0] || at[1] || at[2] || at[3], cudaErrorInvalidDevice);
    return RT_UNLOCK_WITH(e, device, 0);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t e = lock_and_check_device(device);
    e = RT_INVALID_IF(e, !can);
    e = RT_ERROR_IF(e, peer, cudaErrorInvalidDevice);
    if (!e)
        *can = 0; /* a device is not a peer of itself */
    return rt_unlock(e);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return rt_set_last_error(cudaErrorInvalidValue);
    *version = TOOLKIT_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version); /* there is no real driver that could be too old */
}

/* --- hints ------------------------------------------------------------------------------------ */

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !config);
    return RT_UNLOCK_WITH(e, config, rt.contexts.cache_config);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, (unsigned)config > cudaFuncCachePreferEqual);
    if (!e)
        rt.contexts.cache_config = config;
    return rt_unlock(e);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !config);
    return RT_UNLOCK_WITH(e, config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    /* Banks have been four bytes wide since Maxwell, so this hint changes nothing. */
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, (unsigned)config > cudaSharedMemBankSizeEightByte);
    return rt_unlock(e);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return rt_unlock(rt_lock());
}

/* --- synchronization and reset ---------------------------------------------------------------- */

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_wait_all();
    e = e ? e : rt_finish_all();
    rt_pools_release_unused();
    return rt_unlock(e);
}

void rt_reset_device_memory(void)
{
    const mem_map *map = mem_take_snapshot();
    for (uint32_t i = 0; map && i < map->count; i++)
        if (map->range[i].kind == MEM_DEVICE && !map->range[i].freed &&
            !rt_memory_owner(map->range[i].base))
            mem_free_range(map->range[i].base);
    mem_release_snapshot(map);
}

void rt_reset_device(void)
{
    /* A reset does not recover a device after a fault, as on an H200. But a shortage of host
     * memory, or a feature that the emulator lacks, is not the program's fault, so the reset clears
     * such an error. */
    bool lost = rt.state.sticky && rt.state.sticky != cudaErrorMemoryAllocation &&
                rt.state.sticky != cudaErrorNotSupported;
    rt.state = (rt_device_state){.sticky = lost ? cudaErrorDevicesUnavailable : cudaSuccess};
    RT_CALL_RECORDER(reset);
}

void rt_reset_primary_context(void)
{
    rt_primary_context_destroy();
    rt.contexts.was_reset = true;
}

cudaError_t cudaDeviceReset(void)
{
    rt_lock_without_checks();
    cudaError_t usable = rt_device_unusable_reason();
    if (usable)
        return rt_unlock(usable);
    if (rt_this_thread_runs_op())
        return rt_unlock(cudaErrorNotPermitted);
#define RESET(subject, part, meaning)                                                             \
    _Static_assert(sizeof rt.part, "each row of resets.def names a part of the runtime's state"); \
    rt_reset_##subject();
#include "resets.def"
#undef RESET
    cudaError_t e = rt_unlock(cudaSuccess);
    cudaGetLastError();
    return e;
}

static cudaError_t set_in_profiled_range(bool profiled)
{
    cudaError_t e = rt_lock();
    rt.profiled_ranges += profiled && !rt.profiled;
    rt.profiled = profiled;
    return rt_unlock(e);
}

cudaError_t cudaProfilerStart(void)
{
    return set_in_profiled_range(true);
}

cudaError_t cudaProfilerStop(void)
{
    return set_in_profiled_range(false);
}

/* --- atomics between host and device ---------------------------------------------------------- */

/* No atomic operation is native: the device sits behind PCI Express, and no device is a peer. */
static cudaError_t atomic_capabilities(unsigned int *out, const enum cudaAtomicOperation *operation,
                                       unsigned int count, bool device)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !out || !operation || !count);
    e = RT_ERROR_IF(e, !device, cudaErrorInvalidDevice);
    for (unsigned k = 0; !e && k < count; k++)
        if ((unsigned)operation[k] > cudaAtomicOperationFloatMax)
            e = cudaErrorInvalidValue;
        else
            out[k] = 0;
    return rt_unlock(e);
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *out,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device)
{
    return atomic_capabilities(out, operations, count, device == 0);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *out,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned int count, int from, int to)
{
    (void)from, (void)to;
    return atomic_capabilities(out, operations, count, false);
}
