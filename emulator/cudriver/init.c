/* Initialisation, error codes, and access to the runtime's table of functions. */
#include "cudriver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool initialised; /* cuInit has succeeded */

const rt_driver *cu_runtime_table(void)
{
    static const rt_driver *_Atomic table;
    if (!table && __cudaWarpbookDriver)
        table = __cudaWarpbookDriver();
    return table;
}

void cu_set_initialised(void)
{
    initialised = true;
}

CUresult cu_begin_call(bool current)
{
    const rt_driver *d = cu_runtime_table();
    if (!initialised && (!d || !d->opened()))
        return CUDA_ERROR_NOT_INITIALIZED;
    d->begin();
    cudaError_t e = current ? d->current_usable() : cudaSuccess;
    return e ? cu_end_call(e) : CUDA_SUCCESS;
}

CUresult cu_begin_call_on(CUstream stream)
{
    return cu_begin_call(!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD);
}

CUresult cu_end_call(cudaError_t e)
{
    cu_runtime_table()->end();
    return cu_result_of(e);
}

CUresult cu_result_of(cudaError_t e)
{
    switch ((int)e) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidMemcpyDirection: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
#define ERROR(name) case name:
#include "error.def"
#undef ERROR
        return (CUresult)e; /* the error has the same number in both APIs */
    }
    return CUDA_ERROR_UNKNOWN;
}

int cu_report_unsupported(const char *name, atomic_flag *said)
{
    if (cu_runtime_table())
        cu_runtime_table()->say_missing(name, said);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Report that the process has loaded another libcudart first. This library cannot work with it. */
static CUresult report_other_runtime(void)
{
    Dl_info ours = {0}, theirs = {0};
    dladdr((const void *)report_other_runtime, &ours);
    dladdr((const void *)cudaGetDeviceCount, &theirs);
    fprintf(
        stderr,
        "warpbook: %s needs the libcudart in its own folder, but %s was loaded: put that folder "
        "first in LD_LIBRARY_PATH\n",
        ours.dli_fname, theirs.dli_fname);
    return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
}

CUresult cuInit(unsigned int flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    int count;
    const rt_driver *d = cu_runtime_table();
    if (!d)
        return report_other_runtime();
    d->begin();
    CUresult r = cu_end_call(cudaGetDeviceCount(&count));
    if (!r)
        cu_set_initialised();
    return r;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version =
        TOOLKIT_VERSION; /* there is no real driver, so the driver version cannot be too old */
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    switch ((int)error) {
#define ERROR(code)    \
    case code:         \
        *name = #code; \
        return CUDA_SUCCESS;
#include "error.def"
#undef ERROR
    }
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const char *name;
    CUresult r = text ? cuGetErrorName(error, &name) : CUDA_ERROR_INVALID_VALUE;
    if (text)
        *text = r ? NULL : cudaGetErrorString((cudaError_t)error);
    return r;
}
