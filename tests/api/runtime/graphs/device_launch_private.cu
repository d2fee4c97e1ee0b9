// A kernel that is launched by a kernel has its own shared and local memory: pointers to that of
// its parent are reported.
// alone: the names of its kernels are looked at
// flags: -rdc=true -lcudadevrt
// stderr: kernel child, launched by a kernel, gets a pointer to its parent.s shared or local memory as parameter 2
#include "check.h"

__global__ void child(int *out, const int *in)
{
    out[0] = in[0] == 5;
}

__device__ int *hide(int *p)
{
    return p; /* from the compiler, which would warn */
}

__global__ void parent(int *out)
{
    __shared__ int mine;
    mine = 5;
    child<<<1, 1>>>(out, hide(&mine));
}

__global__ void good(int *out, int *in)
{
    *in = 5;
    child<<<1, 1>>>(out, in);
}

int main()
{
    int *d, is = 0;
    OK(cudaMalloc(&d, 2 * sizeof *d));
    good<<<1, 1>>>(d, d + 1);
    OK(cudaMemcpy(&is, d, sizeof is, cudaMemcpyDeviceToHost));
    CHECK(is == 1);
    parent<<<1, 1>>>(d);
    cudaDeviceSynchronize();
    return print_failures();
}
