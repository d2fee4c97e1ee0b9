/* Libraries of device code loaded at run time (Runtime API, "Library Management"). */
#include "../core/call.h"
#include "../core/handle.h"
#include "../streams/op.h"
#include "jit.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* Maximum number of options of a call; CUDA defines fewer. */
#define MAX_LIBRARY_OPTIONS 256

/* Are all options known? The known options control lifetime and sharing with the host, and have no
 * effect in the emulator. */
static bool are_options_known(unsigned count, const enum cudaLibraryOption *option,
                              void *const *value)
{
    bool known = !count || (option && value);
    for (unsigned i = 0; known && i < count; i++)
        known = (unsigned)option[i] <= cudaLibraryBinaryIsPreserved;
    return known;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *option,
                                void **value, unsigned int options,
                                enum cudaLibraryOption *library_option, void **library_value,
                                unsigned int library_options)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || !code || options > MAX_LIBRARY_OPTIONS ||
               !are_options_known(library_options, library_option, library_value)))
        e = cudaErrorInvalidValue;
    rt_module *m = NULL;
    if (!e) {
        rt_jit_options jit = {0};
        e = rt_jit_read_options(options, (const int *)option, value, &jit);
        e = e ? e : rt_module_open(code, &jit, &m);
    }
    if (!e && !rt_handle_add(m, RT_HANDLE_LIBRARY)) {
        rt_module_remove(m);
        e = cudaErrorMemoryAllocation;
    }
    return RT_UNLOCK_WITH(e, out, (cudaLibrary_t)m);
}

/* Read a whole file and append a NUL; the buffer is malloc'ed. */
static char *read_whole_file(const char *path, cudaError_t *e)
{
    FILE *f = fopen(path, "rbe");
    char *text = NULL;
    long size = -1;
    *e = cudaErrorFileNotFound;
    if (f && !fseek(f, 0, SEEK_END)) {
        size = ftell(f);
        rewind(f);
    }
    if (size >= 0) {
        text =
            calloc(1, (size_t)size +
                          4); /* 4 bytes more: the magic number of the image is read as 4 bytes */
        *e = cudaErrorMemoryAllocation;
    }
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
        free(text);
        text = NULL;
        *e = cudaErrorFileNotFound;
    }
    if (f)
        fclose(f);
    return text;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path,
                                    enum cudaJitOption *option, void **value, unsigned int options,
                                    enum cudaLibraryOption *library_option, void **library_value,
                                    unsigned int library_options)
{
    if (!out || !path || options > MAX_LIBRARY_OPTIONS)
        return rt_set_last_error(cudaErrorInvalidValue);
    cudaError_t e;
    char *text = read_whole_file(path, &e);
    if (!text)
        return rt_set_last_error(e);
    e = cudaLibraryLoadData(out, text, option, value, options, library_option, library_value,
                            library_options);
    free(text);
    return e;
}

/* Take the lock and find the library. VALID: the output pointers and the name that the call needs
 * are not NULL. */
static cudaError_t lock_and_find_library(cudaLibrary_t handle, bool valid, rt_module **m)
{
    cudaError_t e = rt_lock();
    *m = (rt_module *)handle;
    if (!e && !valid)
        return cudaErrorInvalidValue;
    /* The module may have been freed with its context, or by cudaDeviceReset. */
    return e ? e
           : rt_handle_is_valid(handle, RT_HANDLE_LIBRARY) && rt_is_module_opened(*m)
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    rt_module *m;
    cudaError_t e = lock_and_find_library(library, true, &m);
    e = e ? e : rt_finish_all();
    if (!e) {
        rt_handle_remove(m);
        rt_module_remove(m);
    }
    return rt_unlock(e);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
    rt_module *m;
    cudaError_t e = lock_and_find_library(library, out && name, &m);
    if (!e) {
        rt_kernel *k = NULL;
        e = rt_module_kernel(m, name, &k);
        *out = e ? *out : (cudaKernel_t)k;
    }
    return rt_unlock(e);
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    rt_module *m;
    cudaError_t e = lock_and_find_library(library, count, &m);
    if (!e) {
        for (*count = 0; rt_module_kernel_name(m, *count); (*count)++) {
        }
    }
    return rt_unlock(e);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int cap,
                                        cudaLibrary_t library)
{
    rt_module *m;
    cudaError_t e = lock_and_find_library(library, kernels, &m);
    const char *name;
    for (unsigned i = 0; !e && i < cap && (name = rt_module_kernel_name(m, i)); i++) {
        rt_kernel *k = NULL;
        e = rt_module_kernel(m, name, &k);
        kernels[i] = (cudaKernel_t)k;
    }
    return rt_unlock(e);
}

static cudaError_t find_variable(void **at, size_t *bytes, cudaLibrary_t library, const char *name,
                                 bool managed)
{
    rt_module *m;
    cudaError_t e = lock_and_find_library(library, name && (at || bytes), &m);
    if (!e) {
        size_t size = 0;
        bool is_managed = false;
        const uint64_t address = rt_module_variable(m, name, &size, &is_managed);
        rt_kernel *kernel;
        e = address && (is_managed || !managed) ? cudaSuccess
            : !managed && !rt_module_kernel(m, name, &kernel)
                ? cudaErrorInvalidValue /* NAME is a kernel, not a variable */
                : cudaErrorSymbolNotFound;
        if (!e && at)
            *at = (void *)(uintptr_t)address;
        if (!e && bytes)
            *bytes = size;
    }
    return rt_unlock(e);
}

cudaError_t cudaLibraryGetGlobal(void **at, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return find_variable(at, bytes, library, name, false);
}

cudaError_t cudaLibraryGetManaged(void **at, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return find_variable(at, bytes, library, name, true);
}

/* Unified functions exist only on devices that can run host code. */
cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library,
                                          const char *symbol)
{
    rt_module *m;
    cudaError_t e = lock_and_find_library(library, function && symbol, &m);
    return rt_unlock(e ? e : cudaErrorInvalidValue);
}
