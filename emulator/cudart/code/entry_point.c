/* Lookup of driver API functions (Runtime API, "Driver Entry Point Access"): loads libcuda.so.1
 * from the directory of this library and calls its cuGetProcAddress. */

#include "../core/call.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Type of cuGetProcAddress in CUDA 12 and later. It returns a CUresult; *STATUS has the same
 * numbers as cudaDriverEntryPointQueryResult. */
typedef int get_proc_address(const char *symbol, void **out, int version, uint64_t flags,
                             int *status);

static get_proc_address *load_driver_lookup(void)
{
    static get_proc_address *found; /* the loaded cuGetProcAddress; guarded by the lock */
    Dl_info self;
    char path[PATH_MAX];
    if (found || !dladdr((void *)&load_driver_lookup, &self))
        return found;
    const char *slash = strrchr(self.dli_fname, '/');
    const int length = slash ? (int)(slash - self.dli_fname + 1) : 0;
    const int n = snprintf(path, sizeof path, "%.*slibcuda.so.1", length, self.dli_fname);
    void *library = n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        rt_print_message("cudaGetDriverEntryPoint: %s", dlerror());
        return NULL;
    }
    found = (get_proc_address *)dlsym(library, "cuGetProcAddress_v2");
    return found;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !function || flags > cudaEnablePerThreadDefaultStream)
        return rt_set_last_error(cudaErrorInvalidValue);
    rt_take_lock_again();
    get_proc_address *get = load_driver_lookup();
    rt_release_lock();
    if (!get)
        return rt_set_last_error(cudaErrorNotSupported);
    int found = cudaDriverEntryPointSymbolNotFound;
    int (*init)(unsigned) = NULL;
    if (get("cuInit", (void **)&init, 2000, 0, &found) == 0)
        init(0); /* initialises the driver API, since the program may not call cuInit itself */
    *function = NULL;
    get(symbol, function, (int)version, flags, &found);
    if (status)
        *status = (enum cudaDriverEntryPointQueryResult)found;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, TOOLKIT_VERSION, flags, status);
}
