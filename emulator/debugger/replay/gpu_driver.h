/* NVIDIA's driver API. The library libcuda.so.1 is loaded when a replay on a GPU needs it; the
 * replayer is not linked with it. */
#pragma once

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* For each driver function: CALL(name in the driver library, name here, parameters) */
#define GPU_CALLS(CALL)                                                                            \
    CALL("cuInit", init, (unsigned))                                                               \
    CALL("cuDeviceGet", device_get, (CUdevice *, int))                                             \
    CALL("cuDeviceGetName", device_name, (char *, int, CUdevice))                                  \
    CALL("cuDeviceGetAttribute", device_attribute, (int *, CUdevice_attribute, CUdevice))          \
    CALL("cuDevicePrimaryCtxRetain", primary_retain, (CUcontext *, CUdevice))                      \
    CALL("cuCtxSetCurrent", context_set, (CUcontext))                                              \
    CALL("cuCtxSynchronize", synchronize, (void))                                                  \
    CALL("cuCtxSetLimit", set_limit, (CUlimit, size_t))                                            \
    CALL("cuGetErrorString", error_string, (CUresult, const char **))                              \
    CALL("cuMemAddressReserve", reserve,                                                           \
         (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long))                         \
    CALL(                                                                                          \
        "cuMemCreate", create,                                                                     \
        (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long)) \
    CALL("cuMemMap", map,                                                                          \
         (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))          \
    CALL("cuMemSetAccess", set_access, (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t))     \
    CALL("cuMemAlloc_v2", alloc, (CUdeviceptr *, size_t))                                          \
    CALL("cuMemFree_v2", free, (CUdeviceptr))                                                      \
    CALL("cuMemHostRegister_v2", host_register, (void *, size_t, unsigned))                        \
    CALL("cuMemHostUnregister", host_unregister, (void *))                                         \
    CALL("cuMemHostGetDevicePointer_v2", host_pointer, (CUdeviceptr *, void *, unsigned))          \
    CALL("cuMemcpyHtoD_v2", copy_in, (CUdeviceptr, const void *, size_t))                          \
    CALL("cuMemcpyDtoH_v2", copy_out, (void *, CUdeviceptr, size_t))                               \
    CALL("cuMemcpy", copy, (CUdeviceptr, CUdeviceptr, size_t))                                     \
    CALL("cuMemsetD8_v2", fill8, (CUdeviceptr, unsigned char, size_t))                             \
    CALL("cuMemsetD16_v2", fill16, (CUdeviceptr, unsigned short, size_t))                          \
    CALL("cuMemsetD32_v2", fill32, (CUdeviceptr, unsigned, size_t))                                \
    CALL("cuModuleLoadData", load, (CUmodule *, const void *))                                     \
    CALL("cuModuleUnload", unload, (CUmodule))                                                     \
    CALL("cuModuleGetFunction", function, (CUfunction *, CUmodule, const char *))                  \
    CALL("cuModuleGetGlobal_v2", global, (CUdeviceptr *, size_t *, CUmodule, const char *))        \
    CALL("cuFuncGetParamInfo", param_info, (CUfunction, size_t, size_t *, size_t *))               \
    CALL("cuFuncSetAttribute", function_set, (CUfunction, CUfunction_attribute, int))              \
    CALL("cuLaunchKernelEx", launch, (const CUlaunchConfig *, CUfunction, void **, void **))       \
    CALL("cuEventCreate", event_create, (CUevent *, unsigned))                                     \
    CALL("cuEventRecord", event_record, (CUevent, CUstream))                                       \
    CALL("cuEventSynchronize", event_wait, (CUevent))                                              \
    CALL("cuEventElapsedTime", event_time, (float *, CUevent, CUevent))

typedef struct gpu_driver {
#define CALL(name, field, parameters) CUresult(*field) parameters;
    GPU_CALLS(CALL)
#undef CALL
} gpu_driver;

extern gpu_driver gpu_calls; /* functions of the loaded driver library */

/* Load the driver library and look up its functions. False: ERR names what is missing. */
bool gpu_driver_load(char *err, size_t cap);
