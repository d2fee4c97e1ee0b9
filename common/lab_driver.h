/* The driver API, for the chapter about contexts, and the time that a call takes on the host.
 * Include it after lab.h; CUDA_CHECK then accepts calls of the driver API too.
 *
 * The functions are looked up at run time in libcuda.so.1, which both the GPU's driver and the
 * emulator provide. So a lab is built by the same command as any other, without -lcuda. */
#ifndef WARPBOOK_LAB_DRIVER_H
#define WARPBOOK_LAB_DRIVER_H

#include <cuda.h>
#include <dlfcn.h>

#include "lab_measure.h"

static inline void *lab_driver_function(const char *name)
{
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *at = library ? dlsym(library, name) : NULL;
    if (!at)
        lab_stop(3, "There is no %s (%s). Without a GPU, run\n    ./warpbook exec PROGRAM", name,
                 library ? "the driver is older than the toolkit" : dlerror());
    return at;
}

/* Define a function that cuda.h declares. The name may be a macro, as cuCtxCreate for
 * cuCtxCreate_v4; it is expanded first. */
#define LAB_SYMBOL_OF(name) #name
#define LAB_SYMBOL(name)    LAB_SYMBOL_OF(name)
#define LAB_DRIVER_FUNCTION(name, params, args)                                                 \
    extern "C" __attribute__((visibility("hidden"))) CUresult name params             \
    {                                                                                 \
        static const auto entry = (decltype(&name))lab_driver_function(LAB_SYMBOL(name));       \
        return entry args;                                                            \
    }

LAB_DRIVER_FUNCTION(cuInit, (unsigned int flags), (flags))
LAB_DRIVER_FUNCTION(cuGetErrorName, (CUresult e, const char **s), (e, s))
LAB_DRIVER_FUNCTION(cuGetErrorString, (CUresult e, const char **s), (e, s))
LAB_DRIVER_FUNCTION(cuDeviceGet, (CUdevice * d, int i), (d, i))
LAB_DRIVER_FUNCTION(cuDevicePrimaryCtxRetain, (CUcontext * c, CUdevice d), (c, d))
LAB_DRIVER_FUNCTION(cuDevicePrimaryCtxRelease, (CUdevice d), (d))
LAB_DRIVER_FUNCTION(cuDevicePrimaryCtxReset, (CUdevice d), (d))
LAB_DRIVER_FUNCTION(cuDevicePrimaryCtxGetState, (CUdevice d, unsigned int *f, int *a), (d, f, a))
#if CUDA_VERSION < 13000 /* there a context has no parameters */
LAB_DRIVER_FUNCTION(cuCtxCreate, (CUcontext * c, unsigned int f, CUdevice d), (c, f, d))
static inline CUresult cuCtxCreate(CUcontext *c, const void *, unsigned int f, CUdevice d)
{
    return cuCtxCreate(c, f, d);
}
#else
LAB_DRIVER_FUNCTION(cuCtxCreate, (CUcontext * c, CUctxCreateParams *p, unsigned int f, CUdevice d),
          (c, p, f, d))
#endif
LAB_DRIVER_FUNCTION(cuCtxDestroy, (CUcontext c), (c))
LAB_DRIVER_FUNCTION(cuCtxPushCurrent, (CUcontext c), (c))
LAB_DRIVER_FUNCTION(cuCtxPopCurrent, (CUcontext * c), (c))
LAB_DRIVER_FUNCTION(cuCtxSetCurrent, (CUcontext c), (c))
LAB_DRIVER_FUNCTION(cuCtxGetCurrent, (CUcontext * c), (c))
LAB_DRIVER_FUNCTION(cuCtxGetDevice, (CUdevice * d), (d))
LAB_DRIVER_FUNCTION(cuCtxSynchronize, (void), ())
LAB_DRIVER_FUNCTION(cuMemAlloc, (CUdeviceptr * p, size_t n), (p, n))
LAB_DRIVER_FUNCTION(cuMemFree, (CUdeviceptr p), (p))
LAB_DRIVER_FUNCTION(cuMemGetInfo, (size_t *f, size_t *t), (f, t))
LAB_DRIVER_FUNCTION(cuMemGetAddressRange, (CUdeviceptr * b, size_t *n, CUdeviceptr p), (b, n, p))
LAB_DRIVER_FUNCTION(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t n), (to, from, n))
LAB_DRIVER_FUNCTION(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t n), (to, from, n))
LAB_DRIVER_FUNCTION(cuMemsetD32, (CUdeviceptr p, unsigned int value, size_t n), (p, value, n))

/* CUDA_CHECK for the driver API. It uses no context, because the error may be about contexts. */
static inline void lab_check_call(CUresult error, const char *call, const char *file, int line)
{
    const char *name = "?", *text = "?", *slash = strrchr(file, '/');
    if (error == CUDA_SUCCESS)
        return;
    cuGetErrorName(error, &name);
    cuGetErrorString(error, &text);
    lab_fail("%s at %s:%d failed: %s (%s).", call, slash ? slash + 1 : file, line, text, name);
}

/* The context that is current in the calling thread, or NULL. */
static inline CUcontext lab_current(void)
{
    CUcontext context = NULL;
    CUDA_CHECK(cuCtxGetCurrent(&context));
    return context;
}

/* Number of contexts on the calling thread's stack, counted by popping all of them; they are
 * pushed again. */
static inline int lab_stack_depth(void)
{
    enum { DEEPEST = 64 };
    CUcontext popped[DEEPEST];
    int depth = 0;
    while (depth < DEEPEST && lab_current() && cuCtxPopCurrent(&popped[depth]) == CUDA_SUCCESS)
        depth++;
    for (int k = depth - 1; k >= 0; k--)
        CUDA_CHECK(cuCtxPushCurrent(popped[k]));
    return depth;
}

/* True: the device's primary context is active. */
static inline bool lab_primary_active(CUdevice device)
{
    unsigned flags;
    int yes = 0;
    CUDA_CHECK(cuDevicePrimaryCtxGetState(device, &flags, &yes));
    return yes;
}

/* Milliseconds that one CALL takes on the host. On a GPU, measured with the host's clock. On the
 * emulator, the modelled time of creating contexts, because the emulator's own speed says nothing
 * about a GPU. */
template <class F> static double lab_host_time(F call)
{
    timespec from, to;
    if (lab_run().emulated) {
        auto modelled = (double (*)(void))dlsym(RTLD_DEFAULT, "__cudaWarpbookHostMs");
        if (!modelled)
            lab_stop(3, "The emulator is older than this lab: run make.");
        double before = modelled();
        call();
        return modelled() - before;
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    call();
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) * 1e-6;
}

/* Print and record a time that was not measured by LAB_MEASURE. X: value of a swept parameter, or
 * NAN. */
static inline void lab_row(const char *name, double x, long n, double bytes, double ms)
{
    lab_variant *variant = lab_find_variant(name);
    char at[32] = "-";
    if (lab_run().only_check || lab_run().device_lost || (variant && variant->failed))
        return;
    lab_measure_copy(n);
    if (!isnan(x))
        snprintf(at, sizeof at, "%g", x);
    lab_record_time("measure", name, at, n, bytes, ms, "-");
    lab_print_row(name, at, ms, ms > 0 ? bytes / ms / 1e6 : 0);
}

#endif
