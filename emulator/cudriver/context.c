/* Contexts (Driver API, "Context Management" and "Primary Context Management"). */
#include "../cudart/core/state.h"
#include "cudriver.h"

#define API_VERSION 3020 /* the value that cuCtxGetApiVersion returns since CUDA 3.2 */

/* --- the primary context ---------------------------------------------------------------------- */

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(true, device ? cudaErrorInvalidDevice : cu_runtime_table()->release());
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(true, device ? cudaErrorInvalidDevice : cudaDeviceReset());
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    CU_CALL_WITHOUT_CONTEXT(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK),
                            device ? cudaErrorInvalidDevice : cudaSetDeviceFlags(flags));
}

static cudaError_t primary_context_state(unsigned *flags, int *active)
{
    cudaError_t e = cudaGetDeviceFlags(flags);
    *flags &= ~(unsigned)CU_CTX_MAP_HOST; /* this flag has had no effect since CUDA 3.2 */
    *active = cu_runtime_table()->active();
    return e;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    CU_CALL_WITHOUT_CONTEXT(flags && active,
                            device ? cudaErrorInvalidDevice : primary_context_state(flags, active));
}

CUresult older_primary_ctx_release(CUdevice device) CU_HIDDEN_SYMBOL("cuDevicePrimaryCtxRelease");
CUresult older_primary_ctx_release(CUdevice device)
{
    return cuDevicePrimaryCtxRelease(device);
}

CUresult older_primary_ctx_reset(CUdevice device) CU_HIDDEN_SYMBOL("cuDevicePrimaryCtxReset");
CUresult older_primary_ctx_reset(CUdevice device)
{
    return cuDevicePrimaryCtxReset(device);
}

CUresult older_primary_ctx_set_flags(CUdevice device, unsigned flags)
    CU_HIDDEN_SYMBOL("cuDevicePrimaryCtxSetFlags");
CUresult older_primary_ctx_set_flags(CUdevice device, unsigned flags)
{
    return cuDevicePrimaryCtxSetFlags(device, flags);
}

/* --- contexts that the program creates -------------------------------------------------------- */

static CUresult create_context(CUcontext *out, unsigned flags, CUdevice device)
{
    CU_CALL_WITHOUT_CONTEXT(out && !(flags & ~(unsigned)CU_CTX_FLAGS_MASK),
                            device ? cudaErrorInvalidDevice
                                   : cu_runtime_table()->create((rt_context **)out, flags));
}

CUresult older_ctx_create_v2(CUcontext *out, unsigned flags, CUdevice device)
    CU_HIDDEN_SYMBOL("cuCtxCreate_v2");
CUresult older_ctx_create_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    return create_context(out, flags, device);
}

CUresult older_ctx_create_v3(CUcontext *out, CUexecAffinityParam *affinity, int count,
                             unsigned flags, CUdevice device) CU_HIDDEN_SYMBOL("cuCtxCreate_v3");
CUresult older_ctx_create_v3(CUcontext *out, CUexecAffinityParam *affinity, int count,
                             unsigned flags, CUdevice device)
{
    return affinity && count ? CUDA_ERROR_NOT_SUPPORTED : create_context(out, flags, device);
}

CUresult cuCtxCreate(CUcontext *out, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
    if (params && (params->numExecAffinityParams || params->cigParams))
        return CUDA_ERROR_NOT_SUPPORTED;
    return create_context(out, flags, device);
}

/* --- the current context ---------------------------------------------------------------------- */

static cudaError_t context_id(const rt_context *c, unsigned long long *id)
{
    const rt_driver *d = cu_runtime_table();
    c = c ? c : d->current();
    cudaError_t e = d->context_usable(c);
    if (!e)
        *id = (unsigned long long)(uintptr_t)c;
    return e;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    unsigned long long id;
    CU_CALL_WITHOUT_CONTEXT(version, context_id((const rt_context *)context, &id)
                                         ?: (*version = API_VERSION, cudaSuccess));
}

/* The limits have the same numbers in both APIs. */
CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    CU_CALL_IF(value, cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

/* --- other properties of contexts ------------------------------------------------------------- */

static cudaError_t get_context_flags(unsigned *flags)
{
    const rt_context *c = cu_runtime_table()->current();
    cudaError_t e = cudaSuccess;
    if (c->primary) {
        e = cudaGetDeviceFlags(flags);
        *flags &= ~(unsigned)CU_CTX_MAP_HOST;
    } else {
        *flags = c->flags;
    }
    return e;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    CU_CALL_IF(flags, get_context_flags(flags));
}

static cudaError_t set_context_flags(unsigned flags)
{
    rt_context *c = cu_runtime_table()->current();
    if (c->primary)
        return cudaSetDeviceFlags(flags);
    c->flags = flags;
    return cudaSuccess;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    CU_CALL_IF(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK), set_context_flags(flags));
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    CU_CALL_WITHOUT_CONTEXT(id, context_id((const rt_context *)context, id));
}

/* Destroys the context. The emulator does not count calls of cuCtxAttach, so the first cuCtxDetach
 * destroys the context. */
CUresult cuCtxDetach(CUcontext context)
{
    CU_CALL_WITHOUT_CONTEXT(true, context ? cu_runtime_table()->destroy((rt_context *)context)
                                          : cudaErrorDeviceUninitialized);
}

CUresult newer_ctx_synchronize(CUcontext context) CU_HIDDEN_SYMBOL("cuCtxSynchronize_v2");
CUresult newer_ctx_synchronize(CUcontext context)
{
    const rt_driver *d = cu_runtime_table();
    CU_CALL_WITHOUT_CONTEXT(true, context ? d->context_usable((rt_context *)context)
                                     ?: cudaDeviceSynchronize()
                               : d->current_usable() ?: cudaDeviceSynchronize());
}

CUresult newer_ctx_get_device(CUdevice *device, CUcontext context)
    CU_HIDDEN_SYMBOL("cuCtxGetDevice_v2");
CUresult newer_ctx_get_device(CUdevice *device, CUcontext context)
{
    const rt_driver *d = cu_runtime_table();
    CU_CALL_WITHOUT_CONTEXT(
        device, (context ? d->context_usable((rt_context *)context) : d->current_usable())
                    ?: (*device = 0, cudaSuccess));
}

/* There is only one device, so there are no peers. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    CU_CALL_IF(!flags, cu_runtime_table()->context_usable((rt_context *)peer)
                           ?: cudaErrorPeerAccessUnsupported);
}
