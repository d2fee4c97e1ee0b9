// A program with machine code only: one clear sentence, and the code that a device would give.
// flags: -gencode arch=compute_90,code=sm_90
// stderr: no PTX.*-gencode arch=compute_90,code=compute_90
#include "check.h"

__device__ int word;

__global__ void k(int *p)
{
    *p = word;
}

int main()
{
    int *d, h;
    OK(cudaMalloc(&d, 4));
    k<<<1, 1>>>(d);
    EXPECT(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    EXPECT(cudaErrorNoKernelImageForDevice, cudaMemcpyFromSymbol(&h, word, 4));
    OK(cudaMemset(d, 0, 4)); // the device itself is well
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 0);
    return print_failures();
}
