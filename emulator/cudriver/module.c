/* Modules (Driver API, "Module Management"). A CUfunction is the handle that the runtime's
 * cudaGetFuncBySymbol returns. */
#include "../cudart/code/kernel.h"
#include "cudriver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOAD_OPTIONS 256 /* maximum number of options of a call; CUDA defines fewer */

static CUresult load_module(CUmodule *out, const void *image, const rt_jit_options *jit)
{
    CU_CALL_IF(out && image, cu_runtime_table()->module_open(image, jit, (rt_module **)out));
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    return load_module(out, image, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    return load_module(out, image, NULL);
}

static cudaError_t load_module_with_options(CUmodule *out, const void *image, unsigned count,
                                            const int *option, void **value)
{
    rt_jit_options jit = {0};
    cudaError_t e = cu_runtime_table()->jit_read(count, option, value, &jit);
    return e ? e : cu_runtime_table()->module_open(image, &jit, (rt_module **)out);
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count,
                            CUjit_option *option, void **value)
{
    CU_CALL_IF(out && image && count <= MAX_LOAD_OPTIONS,
               load_module_with_options(out, image, count, (const int *)option, value));
}

char *cu_read_file(const char *path, CUresult *r)
{
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 4) : NULL;
    *r = size < 0 ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_OUT_OF_MEMORY;
    if (text) {
        rewind(f);
        size_t got = fread(text, 1, (size_t)size, f);
        memset(text + got, 0, 4);
        *r = CUDA_SUCCESS;
    }
    if (f)
        fclose(f);
    return text;
}

CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    CUresult r = cu_begin_call(true);
    if (r)
        return r;
    cu_end_call(cudaSuccess);
    char *text = path && out ? cu_read_file(path, &r) : NULL;
    if (!path || !out)
        return CUDA_ERROR_INVALID_VALUE;
    if (text) {
        r = load_module(out, text, NULL);
        free(text);
    }
    return r;
}

static cudaError_t find_global(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
    uint64_t address = 0;
    size_t size = 0;
    cudaError_t e = cu_runtime_table()->module_variable((rt_module *)module, name, &address, &size);
    if (!e && at)
        *at = address;
    if (!e && bytes)
        *bytes = size;
    return e;
}

CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
    CU_CALL_WITHOUT_CONTEXT(name && (at || bytes), find_global(at, bytes, module, name));
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    CU_CALL_WITHOUT_CONTEXT(
        count, cu_runtime_table()->module_kernel_names((rt_module *)module, NULL, 0, count));
}

static cudaError_t list_functions(CUfunction *out, unsigned cap, CUmodule module)
{
    const rt_driver *d = cu_runtime_table();
    unsigned count = 0;
    cudaError_t e = d->module_kernel_names((rt_module *)module, NULL, 0, &count);
    if (!e && !cap)
        return cudaSuccess;
    if (!e && !out)
        return cudaErrorInvalidValue;
    const unsigned most = cap < count ? cap : count;
    const char **name = malloc((most + 1) * sizeof *name);
    e = e      ? e
        : name ? d->module_kernel_names((rt_module *)module, name, most, &count)
               : cudaErrorMemoryAllocation;
    for (unsigned i = 0; !e && i < most; i++)
        e = d->module_kernel((rt_module *)module, name[i], (rt_kernel **)&out[i]);
    free(name);
    return e;
}

CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned int cap, CUmodule module)
{
    CU_CALL_WITHOUT_CONTEXT(true, list_functions(out, cap, module));
}

/* Kernels are loaded at first use, so the mode is always lazy loading. */
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    CU_CALL_WITHOUT_CONTEXT(mode, (*mode = CU_MODULE_LAZY_LOADING, cudaSuccess));
}
