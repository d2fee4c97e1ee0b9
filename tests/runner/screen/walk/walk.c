/* Runs the kernels of walk.ptx, so that tests can record the run and step through it. Argument: the
 * file. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void need(CUresult r, const char *what)
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
    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    need(cuModuleLoadData(&module, text), "cuModuleLoadData");
    need(cuModuleGetFunction(&smooth, module, "_Z6smoothPfPKf"), "smooth");
    need(cuModuleGetFunction(&twice, module, "_Z5twicePf"), "twice");
    need(cuMemAlloc(&in, sizeof host), "cuMemAlloc");
    need(cuMemAlloc(&out, sizeof host), "cuMemAlloc");
    need(cuMemcpyHtoD(in, host, sizeof host), "cuMemcpyHtoD");
    void *both[] = {&out, &in}, *one[] = {&out};
    need(cuLaunchKernel(smooth, 1, 1, 1, 64, 1, 1, 0, NULL, both, NULL), "smooth");
    need(cuLaunchKernel(twice, 1, 1, 1, 64, 1, 1, 0, NULL, one, NULL), "twice");
    need(cuMemcpyDtoH(host, out, sizeof host), "cuMemcpyDtoH");
    return 0;
}
