/* Devices (Driver API, "Device Management"): the runtime's answers; no context is needed. */
#include "cudriver.h"

#include <stdio.h>
#include <string.h>

CUresult cuDeviceGetCount(int *count)
{
    CU_CALL_BARE(count, cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CU_CALL_BARE(device, ordinal ? cudaErrorInvalidDevice : (*device = 0, cudaSuccess));
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    /* Attributes have the same numbers in both. */
    CU_CALL_BARE(value, cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

static cudaError_t name_of(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (!e) {
        snprintf(name, (size_t)length, "%s", p.name);
    }
    return e;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    CU_CALL_BARE(name && length > 0, name_of(name, length, device));
}

static cudaError_t total_of(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (!e) {
        *bytes = p.totalGlobalMem;
    }
    return e;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    CU_CALL_BARE(bytes, total_of(bytes, device));
}

static cudaError_t uuid_of(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (!e) {
        memcpy(uuid->bytes, p.uuid.bytes, sizeof uuid->bytes);
    }
    return e;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    CU_CALL_BARE(uuid, uuid_of(uuid, device));
}

CUresult older_uuid(CUuuid *uuid, CUdevice device) CU_OLDER("cuDeviceGetUuid");
CUresult older_uuid(CUuuid *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}
