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

// More than its values need: what the assembler sets aside for calls.
__global__ void prints(int a)
{
    printf("%d\n", a);
}

int main()
{
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, squeezed));
    CHECK(a.numRegs > 16 && a.numRegs <= 32);
    int blocks = 0, sms = 0, n = 1;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, squeezed, 1024, 0));
    CHECK(blocks == 2);
    OK(cudaFuncGetAttributes(&a, prints));
    CHECK(a.numRegs == 24);

    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    double *p;
    OK(cudaMalloc(&p, 24 * 1024 * sizeof *p));
    void *args[] = {&p, &n};
    OK(cudaLaunchCooperativeKernel(squeezed, 2 * sms, 1024, args));
    OK(cudaDeviceSynchronize());
    EXPECT(cudaErrorCooperativeLaunchTooLarge,
           cudaLaunchCooperativeKernel(squeezed, 2 * sms + 1, 1024, args));
    return finish();
}
