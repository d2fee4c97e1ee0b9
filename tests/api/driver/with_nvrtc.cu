// Kernels compiled while the program runs: libnvrtc looks for a driver, and takes this one. With -DMACHINE_CODE the
// program asks for machine code, as many do (tests/api/adopted).
#include <nvrtc.h>

#include <stdlib.h>

#include "check.h"

static const char text[] = "template <typename T> __global__ void add(T *data, T value)\n"
                           "{\n"
                           "    data[threadIdx.x] += value + (T)offset[threadIdx.x % 2] + PLUS;\n"
                           "}\n";

#ifdef MACHINE_CODE
#define ARCHITECTURE "sm_90"
#define GET_SIZE     nvrtcGetCUBINSize
#define GET          nvrtcGetCUBIN
#else
#define ARCHITECTURE "compute_90"
#define GET_SIZE     nvrtcGetPTXSize
#define GET          nvrtcGetPTX
#endif

int main(int argc, char **argv)
{
    const char *options[] = {"--gpu-architecture=" ARCHITECTURE, "-DPLUS=5"}, *name;
    static char full[400];
    nvrtcProgram program;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CUdeviceptr data, offset;
    float value = 1.5f, back[32];
    const int steps[2] = {0, 100};
    size_t size = 0;

    (void)argc;
    (void)argv;
    snprintf(full, sizeof full, "__constant__ int offset[2];\n%s", text);
    SO(nvrtcCreateProgram(&program, full, "add.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
    SO(nvrtcAddNameExpression(program, "add<float>") == NVRTC_SUCCESS);
    SO(nvrtcAddNameExpression(program, "&offset") == NVRTC_SUCCESS);
    SO(nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
    SO(GET_SIZE(program, &size) == NVRTC_SUCCESS);
    char *code = (char *)malloc(size);
    SO(GET(program, code) == NVRTC_SUCCESS);

    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, code));
    SO(nvrtcGetLoweredName(program, "add<float>", &name) == NVRTC_SUCCESS);
    OK(cuModuleGetFunction(&add, module, name));
    SO(nvrtcGetLoweredName(program, "&offset", &name) == NVRTC_SUCCESS);
    OK(cuModuleGetGlobal(&offset, &size, module, name));
    SO(size == sizeof steps);
    OK(cuMemcpyHtoD(offset, steps, sizeof steps));
    OK(cuMemAlloc(&data, sizeof back));
    OK(cuMemsetD8(data, 0, sizeof back));
    void *args[] = {&data, &value};
    OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH(back, data, sizeof back));
    for (int k = 0; k < 32; k++)
        SO(back[k] == 6.5f + 100 * (k % 2));
    SO(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    free(code);
    OK(cuModuleUnload(module));
    return failures != 0;
}
