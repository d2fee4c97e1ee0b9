/* Libraries and kernels (Driver API, "Library Management"): the calls that calls.def cannot define.
 * A CUkernel is also a CUfunction, since there is one device. */
#include "cudriver.h"

CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
    uint32_t params;
    CU_CALL_IF(out, cu_runtime_table()->kernel(kernel, &params)
                        ?: (*out = (CUfunction)kernel, cudaSuccess));
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which, CUkernel kernel,
                              CUdevice device)
{
    return device    ? CUDA_ERROR_INVALID_DEVICE
           : !kernel ? CUDA_ERROR_INVALID_HANDLE
                     : cuFuncGetAttribute(value, which, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel kernel,
                              CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE
                  : cuFuncSetAttribute((CUfunction)kernel, which, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)kernel, config);
}
