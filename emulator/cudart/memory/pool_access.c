/* Who may access a pool; a location's pools (Runtime API, "Stream Ordered Memory Allocator"). */
#include "../core/state.h"
#include "pool.h"

static bool is_this_device(const struct cudaMemLocation *l)
{
    return l && l->type == cudaMemLocationTypeDevice && !l->id;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                 struct cudaMemLocation *location)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !flags || !rt_pool_of(handle) || !location);
    if (!e && !is_this_device(location)) {
        e = location->type == cudaMemLocationTypeNone ? cudaErrorInvalidValue
                                                      : cudaErrorInvalidDevice;
    }
    if (!e) {
        const rt_pool *p = rt_pool_of(handle);
        *flags = p->kind == MEM_PINNED && !p->open_to_device ? cudaMemAccessFlagsProtNone
                                                             : cudaMemAccessFlagsProtReadWrite;
    }
    return rt_unlock(e);
}

/* A device cannot lose access to its own pools. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const struct cudaMemAccessDesc *desc,
                                 size_t count)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !rt_pool_of(handle) || (count && !desc));
    for (size_t i = 0; !e && i < count; i++) {
        e = desc[i].location.type == cudaMemLocationTypeNone   ? cudaErrorNotSupported
            : !is_this_device(&desc[i].location)               ? cudaErrorInvalidDevice
            : desc[i].flags != cudaMemAccessFlagsProtReadWrite ? cudaErrorInvalidDevice
                                                               : cudaSuccess;
    }
    if (!e && count)
        rt_pool_of(handle)->open_to_device = true;
    return rt_unlock(e);
}

static cudaError_t lock_and_check_pool_location(const void *out, const struct cudaMemLocation *l,
                                                enum cudaMemAllocationType type)
{
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !out || !l || type != cudaMemAllocationTypePinned);
    e = RT_ERROR_IF(e, l->type == cudaMemLocationTypeDevice && l->id, cudaErrorInvalidDevice);
    if (!e && l->type != cudaMemLocationTypeDevice) {
        rt_print_message("memory pools of the host are not supported");
        e = cudaErrorNotSupported;
    }
    return e;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    const bool managed = type == cudaMemAllocationTypeManaged;
    cudaError_t e;
    if (out && location &&
        location->type == (managed ? cudaMemLocationTypeNone : cudaMemLocationTypeHost)) {
        e = rt_lock();
        if (!e)
            *out = (cudaMemPool_t)(managed ? &rt.pools.of_managed : &rt.pools.of_host);
        return rt_unlock(e);
    }
    e = lock_and_check_pool_location(out, location, type);
    return RT_UNLOCK_WITH(e, out, (cudaMemPool_t)&rt.pools.standard);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *out, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    cudaError_t e = lock_and_check_pool_location(out, location, type);
    return RT_UNLOCK_WITH(e, out, (cudaMemPool_t)rt.pools.current);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t handle)
{
    cudaError_t e = lock_and_check_pool_location(location, location, type);
    rt_pool *p = rt_pool_of(handle);
    e = RT_INVALID_IF(e, !p);
    if (!e)
        rt.pools.current = p;
    return rt_unlock(e);
}

/* Sharing with other processes: what a device returns for a pool that cannot be shared. */

cudaError_t cudaMemPoolExportToShareableHandle(void *out, cudaMemPool_t handle,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned int flags)
{
    (void)out, (void)handle, (void)type, (void)flags;
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *out, void *p)
{
    (void)out, (void)p;
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : cudaErrorInvalidValue);
}
