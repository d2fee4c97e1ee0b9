// nvcc --compress-mode=speed: the PTX of a real fat binary in this packing.
// toolkit: 13
// flags: --compress-mode=speed -arch=sm_80
#include "check.h"

__global__ void k(int *p)
{
    p[threadIdx.x] = threadIdx.x * 3;
}

int main()
{
    int *d, h[64];
    OK(cudaMalloc(&d, sizeof h));
    k<<<1, 64>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[63] == 189);
    return print_failures();
}
