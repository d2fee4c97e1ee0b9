/* Runs the kernels of walk.ptx, so that tests can record the run and step through it. Argument: the
 * file. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check_result(CUresult r, const char *what)
{
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "walk: %s: %d\n", what, (int)r);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static char text[1 << 16];
    float host[128];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction smooth, twice;
    CUdeviceptr in, out;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!f || fread(text, 1, sizeof text - 1, f) == 0)
        return 2;
    fclose(f);
    for (int i = 0; i < 128; i++)
        host[i] = (float)i / 4;
    check_result(cuInit(0), "cuInit");
    check_result(cuDeviceGet(&device, 0), "cuDeviceGet");
    check_result(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check_result(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check_result(cuModuleLoadData(&module, text), "cuModuleLoadData");
    check_result(cuModuleGetFunction(&smooth, module, "_Z6smoothPfPKf"), "smooth");
    check_result(cuModuleGetFunction(&twice, module, "_Z5twicePf"), "twice");
    check_result(cuMemAlloc(&in, sizeof host), "cuMemAlloc");
    check_result(cuMemAlloc(&out, sizeof host), "cuMemAlloc");
    check_result(cuMemcpyHtoD(in, host, sizeof host), "cuMemcpyHtoD");
    void *both[] = {&out, &in}, *one[] = {&out};
    check_result(cuLaunchKernel(smooth, 1, 1, 1, 64, 1, 1, 0, NULL, both, NULL), "smooth");
    check_result(cuLaunchKernel(twice, 1, 1, 1, 64, 1, 1, 0, NULL, one, NULL), "twice");
    check_result(cuMemcpyDtoH(host, out, sizeof host), "cuMemcpyDtoH");
    return 0;
}
