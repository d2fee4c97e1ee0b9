/* Functions that only nvcc's generated code calls, before and after main. */
#include "../cudart.h"

RT_API void **__cudaRegisterFatBinary(void *wrapper);
RT_API void __cudaRegisterFatBinaryEnd(void **handle);
RT_API void __cudaUnregisterFatBinary(void **handle);
RT_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, void *tid, void *bid, void *block, void *grid,
                                   int *warp_size);
RT_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
RT_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                     int ext, size_t size, int constant, int global);
RT_API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
RT_API void __cudaRegisterUnifiedTable(void **handle, void *table);
RT_API char __cudaInitModule(void **handle);

/* Registration happens before main, so these functions take the lock without opening the device. */

void **__cudaRegisterFatBinary(void *wrapper)
{
    rt_acquire();
    rt_module *m = rt_module_add(wrapper);
    rt_release();
    return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle; /* nothing to do: modules are loaded at first use */
}

void __cudaUnregisterFatBinary(void **handle)
{
    rt_acquire();
    rt_module *m = (rt_module *)handle;
    /* Queued work refers to the module's kernels. If there is any, keep the module until the
     * process ends. */
    if (rt_module_known(m) && !rt_unwaited()) {
        rt_module_remove(m);
    }
    rt_release();
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp_size;
    rt_acquire();
    if (rt_module_known((rt_module *)handle)) {
        rt_module_add_kernel((rt_module *)handle, host, name);
    }
    rt_release();
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)global;
    rt_acquire();
    if (rt_module_known((rt_module *)handle)) {
        rt_module_add_symbol((rt_module *)handle, host, name, size, constant, NULL);
    }
    rt_release();
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)global;
    rt_acquire();
    if (rt_module_known((rt_module *)handle)) {
        rt_module_add_symbol((rt_module *)handle, host, name, size, constant, host);
    }
    rt_release();
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
    rt_say("__cudaRegisterHostVar is not supported: device code cannot use host variables here");
}

void __cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table;
    rt_say("__cudaRegisterUnifiedTable is not supported");
}

/* Called before the host first uses a managed variable: loading the module sets the variable's
 * pointer. */
char __cudaInitModule(void **handle)
{
    rt_module *m = (rt_module *)handle;
    cudaError_t e = rt_lock();
    if (!e) {
        e = rt_module_known(m) ? rt_module_ready(m) : cudaErrorInvalidValue;
    }
    return rt_unlock(e) == cudaSuccess;
}
