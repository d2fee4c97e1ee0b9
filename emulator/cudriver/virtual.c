/* Memory that the program maps itself (Driver API, "Virtual Memory Management"). */
#include "cudriver.h"

static const rt_virtual *calls(void)
{
    return cu_runtime_table()->virtual;
}

/* The memory that this device can make: its own, for processes on this machine. */
static cudaError_t check_properties(const CUmemAllocationProp *p)
{
    const unsigned windows = CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT;
    if (p->type != CU_MEM_ALLOCATION_TYPE_PINNED || p->requestedHandleTypes & windows ||
        p->win32HandleMetaData || p->location.type == CU_MEM_LOCATION_TYPE_INVALID)
        return cudaErrorInvalidValue;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        p->requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC)
        return cudaErrorNotSupported;
    return p->location.id ? cudaErrorInvalidDevice : cudaSuccess;
}

static rt_physical *physical_of(CUmemGenericAllocationHandle handle)
{
    return (rt_physical *)(uintptr_t)handle;
}

/* Store the handle P in *OUT unless E is an error; returns E. */
static cudaError_t handle_of(CUmemGenericAllocationHandle *out, rt_physical *const *p,
                             cudaError_t e)
{
    if (!e)
        *out = (uintptr_t)*p; /* cppcheck-suppress uninitvar ; set where E is success */
    return e;
}

static cudaError_t create(CUmemGenericAllocationHandle *out, size_t size,
                          const CUmemAllocationProp *prop)
{
    rt_physical *p;
    cudaError_t e = check_properties(prop);
    e = e ? e
          : calls()->create(&p, size,
                            prop->requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    return handle_of(out, &p, e);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    CU_CALL_WITHOUT_CONTEXT(out && prop && !flags, create(out, size, prop));
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CU_CALL_WITHOUT_CONTEXT(true, calls()->release(physical_of(handle)));
}

static cudaError_t retain(CUmemGenericAllocationHandle *out, const void *at)
{
    rt_physical *p;
    return handle_of(out, &p, calls()->retain(&p, (uintptr_t)at));
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *at)
{
    CU_CALL_WITHOUT_CONTEXT(out, retain(out, at));
}

static cudaError_t properties(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    bool shared;
    const cudaError_t e = calls()->is_shared(physical_of(handle), &shared);
    if (!e) {
        *prop = (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                      .requestedHandleTypes =
                                          shared ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                                                 : CU_MEM_HANDLE_TYPE_NONE};
    }
    return e;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle)
{
    CU_CALL_WITHOUT_CONTEXT(prop, properties(prop, handle));
}

CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    CU_CALL_WITHOUT_CONTEXT(out && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && !flags,
                            calls()->export(out, physical_of(handle)));
}

static cudaError_t import(CUmemGenericAllocationHandle *out, const void *file)
{
    rt_physical *p;
    return handle_of(out, &p, calls()->import(&p, (int)(intptr_t)file));
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *file,
                                        CUmemAllocationHandleType type)
{
    CU_CALL_WITHOUT_CONTEXT(out && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                            import(out, file));
}

static cudaError_t reserve(CUdeviceptr *out, size_t size, size_t align, CUdeviceptr wish)
{
    uint64_t at;
    const cudaError_t e = calls()->reserve(&at, size, align, wish);
    if (!e)
        *out = at;
    return e;
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t align, CUdeviceptr wish,
                             unsigned long long flags)
{
    CU_CALL_WITHOUT_CONTEXT(out && !flags, reserve(out, size, align, wish));
}

CUresult cuMemAddressFree(CUdeviceptr at, size_t size)
{
    CU_CALL_WITHOUT_CONTEXT(true, calls()->free(at, size));
}

CUresult cuMemMap(CUdeviceptr at, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    CU_CALL_WITHOUT_CONTEXT(!flags, calls()->map(at, size, offset, physical_of(handle)));
}

CUresult cuMemUnmap(CUdeviceptr at, size_t size)
{
    CU_CALL_WITHOUT_CONTEXT(true, calls()->unmap(at, size));
}

static bool is_this_device(const CUmemLocation *l)
{
    return l->type == CU_MEM_LOCATION_TYPE_DEVICE && !l->id;
}

static cudaError_t set_access(CUdeviceptr at, size_t size, const CUmemAccessDesc *desc,
                              size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (desc[k].location.type > CU_MEM_LOCATION_TYPE_DEVICE)
            return cudaErrorNotSupported;
        if (!is_this_device(&desc[k].location))
            return cudaErrorInvalidValue;
        if (desc[k].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
            desc[k].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
            desc[k].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return cudaErrorInvalidValue;
    }
    const CUmemAccess_flags flags = desc[count - 1].flags;
    return calls()->set_access(at, size,
                               flags == CU_MEM_ACCESS_FLAGS_PROT_NONE   ? MEM_ACCESS_NONE
                               : flags == CU_MEM_ACCESS_FLAGS_PROT_READ ? MEM_ACCESS_READ
                                                                        : MEM_ACCESS_ALL);
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    CU_CALL_WITHOUT_CONTEXT(desc && count, set_access(at, size, desc, count));
}

static cudaError_t get_access(unsigned long long *flags, CUdeviceptr at)
{
    static const CUmemAccess_flags flags_of[] = {[MEM_ACCESS_NONE] = CU_MEM_ACCESS_FLAGS_PROT_NONE,
                                                 [MEM_ACCESS_READ] = CU_MEM_ACCESS_FLAGS_PROT_READ,
                                                 [MEM_ACCESS_ALL] =
                                                     CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    mem_mapped_access is;
    const cudaError_t e = calls()->get_access(at, &is);
    if (!e)
        *flags = flags_of[is];
    return e;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr at)
{
    CU_CALL_WITHOUT_CONTEXT(flags && location && at, is_this_device(location)
                                                         ? get_access(flags, at)
                                                         : cudaErrorInvalidDevice);
}
