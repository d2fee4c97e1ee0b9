#include "gpu_driver.h"

#include <dlfcn.h>
#include <stdio.h>

gpu_driver gpu_calls; /* functions of the loaded driver library */

bool gpu_driver_load(char *err, size_t cap)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        snprintf(err, cap, "cannot load the GPU driver: %s", dlerror());
        return false;
    }
#define CALL(name, field, parameters)                                     \
    gpu_calls.field = (CUresult(*) parameters)dlsym(library, name);       \
    if (!gpu_calls.field) {                                               \
        snprintf(err, cap, "the GPU driver is too old: it has no " name); \
        return false;                                                     \
    }
    GPU_CALLS(CALL)
#undef CALL
    return true;
}
