/* Modules, functions, launches (Driver API, "Module Management" and "Execution Control"). A
 * CUfunction is what the runtime's cudaGetFuncBySymbol gives. */
#include "cudriver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult load(CUmodule *out, const void *image, char *log, size_t size)
{
    CU_CALL_IF(out && image, cu_table()->module_open(image, log, size, (rt_module **)out));
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    return load(out, image, NULL, 0);
}

CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    return load(out, image, NULL, 0);
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned int count,
                            CUjit_option *option, void **value)
{
    char *log = NULL;
    unsigned *said = NULL;
    size_t size = 0;
    if (count && (!option || !value)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
        switch ((int)option[i]) {
        case CU_JIT_ERROR_LOG_BUFFER:
            log = value[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: /* in: the room; out: what was written */
            size = (uint32_t)(uintptr_t)value[i];
            said = (unsigned *)&value[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            *(unsigned *)&value[i] = 0; /* nothing to tell */
            break;
        default: /* the others are about machine code: there is none */
            break;
        }
    }
    if (log && size) {
        log[0] = 0;
    }
    CUresult r = load(out, image, log, size);
    if (said) {
        *said = log && size ? (unsigned)strlen(log) : 0;
    }
    return r;
}

/* The bytes of a file and a NUL; NULL with *R set otherwise. */
static char *file_bytes(const char *path, CUresult *r)
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
    if (f) {
        fclose(f);
    }
    return text;
}

CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    CUresult r = cu_enter(true);
    if (r) {
        return r;
    }
    cu_leave(cudaSuccess);
    char *text = path ? file_bytes(path, &r) : NULL;
    if (!path) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (text) {
        r = load(out, text, NULL, 0);
        free(text);
    }
    return r;
}

CUresult cuModuleUnload(CUmodule module)
{
    CU_CALL(cu_table()->module_close((rt_module *)module));
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    CU_CALL_IF(out && name,
               cu_table()->module_kernel((rt_module *)module, name, (rt_kernel **)out));
}

static cudaError_t global(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
    uint64_t address = 0;
    size_t size = 0;
    cudaError_t e = cu_table()->module_variable((rt_module *)module, name, &address, &size);
    if (!e && at) {
        *at = address;
    }
    if (!e && bytes) {
        *bytes = size;
    }
    return e;
}

CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
    CU_CALL_IF(name && (at || bytes), global(at, bytes, module, name));
}

/* --- functions ----------------------------------------------------------------------------------
 */

static cudaError_t attribute(int *value, CUfunction_attribute which, CUfunction function)
{
    struct cudaFuncAttributes a;
    uint32_t params;
    cudaError_t e = cu_table()->kernel(function, &params);
    e = e ? e : cudaFuncGetAttributes(&a, function);
    if (e) {
        return e;
    }
    switch ((int)which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a.maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)a.sharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)a.constSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)a.localSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a.numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a.ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a.binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a.preferredShmemCarveout;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction function)
{
    CU_CALL_IF(value, attribute(value, which, function));
}

static cudaError_t set_attribute(CUfunction function, CUfunction_attribute which, int value)
{
    uint32_t params;
    cudaError_t e = cu_table()->kernel(function, &params);
    /* Those that can be set have the same numbers in both. */
    return e ? e : cudaFuncSetAttribute(function, (enum cudaFuncAttribute)which, value);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value)
{
    CU_CALL(set_attribute(function, which, value));
}

/* Addresses of the parameters in the buffer that EXTRA describes. */
static cudaError_t unpack(CUfunction function, void **extra, uint32_t params, void ***out)
{
    char *buffer = NULL;
    size_t size = 0;
    for (void **x = extra; *x != CU_LAUNCH_PARAM_END; x += 2) {
        if (*x == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = x[1];
        } else if (*x == CU_LAUNCH_PARAM_BUFFER_SIZE && x[1]) {
            size = *(size_t *)x[1];
        } else {
            return cudaErrorInvalidValue;
        }
    }
    void **args = malloc((params + 1) * sizeof *args);
    cudaError_t e = args ? cudaSuccess : cudaErrorMemoryAllocation;
    for (uint32_t i = 0; !e && i < params; i++) {
        size_t at, bytes;
        e = cudaFuncGetParamInfo(function, i, &at, &bytes);
        if (!e && (!buffer || at > size || bytes > size - at)) {
            e = cudaErrorInvalidValue;
        } else if (!e) {
            args[i] = buffer + at;
        }
    }
    if (e) {
        free(args);
    } else {
        *out = args;
    }
    return e;
}

static cudaError_t launch(CUfunction function, dim3 grid, dim3 block, unsigned shared,
                          CUstream stream, void **args, void **extra)
{
    uint32_t params = 0;
    void **unpacked = NULL;
    cudaError_t e = cu_table()->kernel(function, &params);
    if (!e && extra) {
        e = unpack(function, extra, params, &unpacked);
    }
    e = e ? e : cudaLaunchKernel(function, grid, block, extra ? unpacked : args, shared, stream);
    free(unpacked);
    return e;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream, void **args,
                        void **extra)
{
    dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    CU_CALL_IF(!args || !extra, launch(function, grid, block, shared, stream, args, extra));
}
