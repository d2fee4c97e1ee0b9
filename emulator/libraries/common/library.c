#include "library.h"

#include <stdio.h>

bool library_has_context(void)
{
    CUcontext context = NULL;
    if (cuInit(0) || cuCtxGetCurrent(&context))
        return false;
    return context || (!cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context));
}

CUresult library_launch(CUmodule kernels, const char *name, const library_shape *shape,
                        CUstream stream, void **args)
{
    CUfunction kernel;
    unsigned side[6];
    for (int i = 0; i < 3; i++) {
        side[i] = shape->grid[i] ? shape->grid[i] : 1;
        side[3 + i] = shape->block[i] ? shape->block[i] : 1;
    }
    const CUresult failed = cuModuleGetFunction(&kernel, kernels, name);
    return failed ? failed
                  : cuLaunchKernel(kernel, side[0], side[1], side[2], side[3], side[4], side[5],
                                   shape->shared, stream, args, NULL);
}

bool library_property(int which, int unit, int *value)
{
    const int part[] = {library_version / unit, library_version % unit / 100,
                        library_version % 100};
    if (!value || which < 0 || which > 2)
        return false;
    *value = part[which];
    return true;
}

int library_report_missing(const char *name, atomic_flag *said)
{
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr, "warpbook: %s is not among the calls that this lib%s has: it returns %s\n",
                name, library_name, library_missing_name);
    return library_missing;
}
