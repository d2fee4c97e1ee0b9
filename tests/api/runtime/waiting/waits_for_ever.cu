// Kernels that can never end are stopped, with what they wait for; the device is as after a trap.
// stderr: waits_for_ever.cu:[0-9]+: .*waits for the 4 bytes at .*cudaMalloc returned.*, which hold 1, to change
#include "check.h"

__global__ void kept(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
}

int main()
{
    int *lock;
    OK(cudaMalloc(&lock, 4));
    OK(cudaMemset(lock, 0, 4));
    kept<<<1, 1>>>(lock);
    OK(cudaDeviceSynchronize()); // once is no wait
    kept<<<8, 64>>>(lock);
    EXPECT(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    OK(cudaDeviceReset());
    return print_failures();
}
