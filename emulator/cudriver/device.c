/* Devices (Driver API, "Device Management"): from the runtime; none needs a context. */
#include "cudriver.h"

#include <stdio.h>
#include <string.h>

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    /* The attributes have the same numbers in both APIs; the runtime does not know these two. */
    const bool virtual = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
                         attribute ==
                             CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    CU_CALL_WITHOUT_CONTEXT(
        value, virtual && !device
                   ? (*value = 1, cudaSuccess)
                   : cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

static cudaError_t copy_device_name(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (!e)
        snprintf(name, (size_t)length, "%s", p.name);
    return e;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(name && length > 0, copy_device_name(name, length, device));
}

static cudaError_t total_memory(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (!e)
        *bytes = p.totalGlobalMem;
    return e;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(bytes, total_memory(bytes, device));
}

static cudaError_t device_uuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (!e)
        memcpy(uuid->bytes, p.uuid.bytes, sizeof uuid->bytes);
    return e;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(uuid, device_uuid(uuid, device));
}

CUresult older_device_get_uuid(CUuuid *uuid, CUdevice device) CU_HIDDEN_SYMBOL("cuDeviceGetUuid");
CUresult older_device_get_uuid(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

static cudaError_t compute_capability(int *major, int *minor, CUdevice device)
{
    cudaError_t e = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return e ? e : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(major && minor, compute_capability(major, minor, device));
}

static cudaError_t device_properties(CUdevprop *out, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    int clock = 0;
    e = e ? e : cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
    if (!e) {
        *out = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                           .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                           .totalConstantMemory = (int)p.totalConstMem,
                           .SIMDWidth = p.warpSize,
                           .memPitch = (int)p.memPitch,
                           .regsPerBlock = p.regsPerBlock,
                           .clockRate = clock,
                           .textureAlign = (int)p.textureAlignment};
        memcpy(out->maxThreadsDim, p.maxThreadsDim, sizeof out->maxThreadsDim);
        memcpy(out->maxGridSize, p.maxGridSize, sizeof out->maxGridSize);
    }
    return e;
}

CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(out, device_properties(out, device));
}

/* Always 0: only a device under MPS can be limited to some of its SMs. */
CUresult cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type, CUdevice device)
{
    (void)type;
    CU_CALL_WITHOUT_CONTEXT(value, device ? cudaErrorInvalidDevice : (*value = 0, cudaSuccess));
}

/* Not supported: LUIDs identify adapters on Windows only. */
CUresult cuDeviceGetLuid(char *luid, unsigned int *mask, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(luid && mask, device ? cudaErrorInvalidDevice : cudaErrorNotSupported);
}
