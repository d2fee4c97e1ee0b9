/* Launches in the way from before CUDA 4: block, shared memory and parameters are kept with the
 * function. */
#define CUDA_ENABLE_DEPRECATED
#include "check.h"

int main(int argc, char **argv)
{
    enum { N = 64 };
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr at, factor;
    size_t bytes;
    const float one = 1;
    float host[N];

    OK(cuInit(0));
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuModuleLoad(&module, argc > 1 ? argv[1] : ""));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    OK(cuMemcpyHtoD(factor, &one, sizeof one));
    OK(cuMemAlloc(&at, sizeof host));
    for (int k = 0; k < N; k++)
        host[k] = (float)k + 1;
    OK(cuMemcpyHtoD(at, host, sizeof host));

    IS(ERROR_INVALID_VALUE, cuFuncSetBlockShape(scale, 0, 1, 1));
    IS(ERROR_INVALID_VALUE, cuParamSetv(scale, 1 << 20, host, 8));
    OK(cuParamSetv(scale, 5000, host, 8)); /* no parameter of the function: without effect */
    OK(cuParamSetv(scale, 0, &at, sizeof at));
    OK(cuParamSeti(scale, 8, N));
    OK(cuParamSetf(scale, 12, 3));
    OK(cuParamSetSize(scale, 17)); /* only the launch looks at it */
    IS(ERROR_LAUNCH_OUT_OF_RESOURCES, cuLaunch(scale));
    OK(cuParamSetSize(scale, 0));
    OK(cuLaunch(scale)); /* with zeros: no elements */
    OK(cuParamSetSize(scale, 16));
    OK(cuLaunch(scale)); /* by one thread: element 0 */
    OK(cuFuncSetBlockShape(scale, 16, 1, 1));
    OK(cuFuncSetSharedSize(scale, 32));
    IS(ERROR_INVALID_VALUE, cuLaunchGrid(scale, 0, 1));
    OK(cuLaunch(scale));                      /* elements 0 to 15 */
    OK(cuLaunchGrid(scale, 2, 1));            /* 0 to 31 */
    OK(cuLaunchGridAsync(scale, 3, 1, NULL)); /* 0 to 47 */
    OK(cuMemcpyDtoH(host, at, sizeof host));
    for (int k = 0; k < N; k++)
        SO(host[k] == (float)(k + 1) * (k < 1 ? 81 : k < 16 ? 27 : k < 32 ? 9 : k < 48 ? 3 : 1));
    return failures != 0;
}
