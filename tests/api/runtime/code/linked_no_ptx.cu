// Machine code alone, of several files: what to add is said.
// flags: -rdc=true -gencode arch=compute_90,code=sm_90 -x cu tests/api/runtime/code/linked_part.cuh
// stderr: machine code but no PTX.*-arch=sm_90.*arch=compute_90,code=compute_90
#include "check.h"

extern __device__ int other(int x);

__global__ void k(int *p)
{
    *p = other(1);
}

int main()
{
    int *p;
    OK(cudaMalloc(&p, sizeof *p));
    k<<<1, 1>>>(p);
    EXPECT(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    return print_failures();
}
