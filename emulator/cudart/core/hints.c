/* Calls that only affect speed, and calls about peer devices; this device has no peers. */
#include "call.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* There is one device, and a device is not its own peer. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e       ? e
                     : flags ? cudaErrorInvalidValue
                     : peer  ? cudaErrorInvalidDevice
                             : cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    cudaError_t e = rt_lock();
    return rt_unlock(e ? e : peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to)
{
    (void)attr, (void)from, (void)to;
    cudaError_t e = rt_lock();
    if (!e) /* the two devices must exist and differ */
        e = value ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    return rt_unlock(e);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device)
{
    return device ? rt_set_last_error(device < 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice)
                  : cudaFuncSetAttribute(kernel, attr, value);
}

/* No other device writes to this device's memory, so there is nothing to flush. */
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    cudaError_t e = rt_lock();
    if (!e && (target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice ||
               (scope != cudaFlushGPUDirectRDMAWritesToOwner &&
                scope != cudaFlushGPUDirectRDMAWritesToAllDevices)))
        e = cudaErrorInvalidValue;
    return rt_unlock(e);
}
