// Registers as the toolkit's assembler gave them, where the program has its code for this device:
// what is asked of a kernel, how many blocks an SM takes, how many a cooperative launch may have.
// flags: -arch=sm_90
#include "check.h"

#include <cooperative_groups.h>

// Many values live at once in PTX, held to 32 registers by the assembler.
__global__ void __launch_bounds__(1024, 2) squeezed(double *p, int n)
{
    double a[24];
    for (int i = 0; i < 24; i++) {
        a[i] = p[i * n + threadIdx.x];
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 24; i++) {
            a[i] = fma(a[i], a[(i + 5) % 24], p[k]);
        }
    }
    cooperative_groups::this_grid().sync();
    for (int i = 0; i < 24; i++) {
        p[i * n + threadIdx.x] = a[i];
    }
}

// More registers than 1024 threads can have.
__global__ void wide(double *p, int n)
{
    double a[34];
    for (int i = 0; i < 34; i++) {
        a[i] = p[i * n + threadIdx.x];
    }
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 34; i++) {
            a[i] = fma(a[i], a[(i + 5) % 34], p[k]);
        }
    }
    for (int i = 0; i < 34; i++) {
        p[i * n + threadIdx.x] = a[i];
    }
}

__global__ void __launch_bounds__(128) bounded(int *p)
{
    *p = 1;
}

// More than its values need: what the assembler sets aside for calls.
__global__ void prints(int a)
{
    printf("%d\n", a);
}

int main()
{
    // what the device says of itself beside the profile's figures, as an H200 does
    cudaDeviceProp device;
    OK(cudaGetDeviceProperties(&device, 0));
    CHECK(device.ECCEnabled == 1 && device.persistingL2CacheMaxSize == 39321600);
    CHECK(device.accessPolicyMaxWindowSize == 128 << 20 && device.hostRegisterReadOnlySupported);

    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, squeezed));
    CHECK(a.numRegs > 16 && a.numRegs <= 32);
    int blocks = 0, sms = 0, n = 1;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, squeezed, 1024, 0));
    CHECK(blocks == 2);
    OK(cudaFuncGetAttributes(&a, prints));
    CHECK(a.numRegs == 24);

    OK(cudaFuncGetAttributes(&a, squeezed));
    CHECK(a.localSizeBytes > 0); // spilled

    double *p;
    OK(cudaMalloc(&p, 64 * 1024 * sizeof *p));
    OK(cudaFuncGetAttributes(&a, wide));
    CHECK(a.numRegs > 144 && a.maxThreadsPerBlock == 384 && a.localSizeBytes == 0);
    wide<<<1, 384>>>(p, n);
    OK(cudaGetLastError());
    wide<<<1, 385>>>(p, n);
    EXPECT(cudaErrorLaunchOutOfResources, cudaGetLastError());
    OK(cudaDeviceSynchronize());
    bounded<<<1, 129>>>((int *)p);
    EXPECT(cudaErrorInvalidValue, cudaGetLastError());
    // the calculator looks at resources alone
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    CHECK(blocks == 8);
    size_t room = 0;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, bounded, 10, 64));
    CHECK(room == 23296);

    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    void *args[] = {&p, &n};
    OK(cudaLaunchCooperativeKernel((const void *)squeezed, 2 * sms, 1024, args));
    OK(cudaDeviceSynchronize());
    EXPECT(cudaErrorCooperativeLaunchTooLarge,
           cudaLaunchCooperativeKernel((const void *)squeezed, 2 * sms + 1, 1024, args));
    return print_failures();
}
