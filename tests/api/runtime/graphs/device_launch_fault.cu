// A mistake of a kernel that a kernel launched is told like any other, and stops the device.
// flags: -rdc=true -lcudadevrt
// stderr: device_launch_fault.cu:9.*4 bytes.*past the end
#include "check.h"

__global__ void child(int *p, int n)
{
    /* one too many */
    p[n] = (int)threadIdx.x;
}

__global__ void parent(int *p)
{
    child<<<1, 1>>>(p, 4);
}

int main()
{
    int *p;
    OK(cudaMalloc(&p, 16));
    parent<<<1, 1>>>(p);
    OK(cudaGetLastError());
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    return print_failures();
}
