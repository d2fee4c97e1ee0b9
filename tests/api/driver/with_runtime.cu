// Runtime and driver API in one program: one primary context, one memory, one error each.
#include <cuda_runtime.h>

#include <stdlib.h>

#include "check.h"

__global__ void fill(int *data, int value)
{
    data[threadIdx.x] = value;
}

int main(int argc, char **argv)
{
    CUcontext now, primary, own;
    CUmodule module;
    CUfunction function;
    CUdevice device = 0;
    unsigned flags;
    int active = -1, back[32], *data, *mine;
    if (argc != 3)
        return 2;

    SO(cudaGetDeviceCount(&active) == cudaSuccess); // initialises the driver API, makes no context
    OK(cuCtxGetCurrent(&now));
    SO(now == NULL);
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(active == 0);
    SO(cudaInitDevice(0, 0, 0) == cudaSuccess); // makes it
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(active == 1);
    OK(cuCtxGetCurrent(&now));
    SO(now == NULL);
    SO(cudaMalloc(&data, sizeof back) == cudaSuccess); // makes it current
    OK(cuCtxGetCurrent(&now));
    SO(now != NULL);
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(active == 1);
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    SO(primary == now);
    OK(cuDevicePrimaryCtxRelease(device)); // the runtime is a user, too

    fill<<<1, 32>>>(data, 42);
    OK(cuMemcpyDtoH(back, (CUdeviceptr)data, sizeof back));
    SO(back[0] == 42 && back[31] == 42);
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&function, module, "scale"));
    float one[32], by = 1.5f;
    int n = 32;
    for (float &f : one)
        f = 1;
    SO(cudaMemcpy(data, one, sizeof one, cudaMemcpyHostToDevice) == cudaSuccess);
    void *params[] = {&data, &n, &by};
    OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    SO(cudaMemcpy(one, data, sizeof one, cudaMemcpyDeviceToHost) == cudaSuccess);
    SO(one[0] == 3 && one[31] == 3);

    // The driver API's errors are not the runtime's last error.
    IS(ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "nothing"));
    SO(cudaGetLastError() == cudaSuccess);

    // The runtime works in whatever context is current.
    OK(cuCtxCreate(&own, NULL, 0, device));
    size_t before, left, total;
    OK(cuMemGetInfo(&before, &total));
    SO(cudaMalloc(&mine, 64 << 20) == cudaSuccess);
    OK(cuCtxDestroy(own));
    OK(cuCtxGetCurrent(&now));
    SO(now == primary);
    SO(cudaMemGetInfo(&left, &total) == cudaSuccess);
    SO(left >= before);
    SO(cudaMemcpy(one, data, sizeof one, cudaMemcpyDeviceToHost) == cudaSuccess);

    SO(cudaDeviceReset() == cudaSuccess);
    OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    SO(active == 0);
    return failures != 0;
}
