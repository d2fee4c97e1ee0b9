// A program for all devices has PTX for the newest alone, and machine code for this one: not a word about it.
// toolkit: 13
// flags: -gencode arch=compute_75,code=sm_75 -gencode arch=compute_100,code=compute_100
// env: WARPBOOK_PROFILE=t4
#include "check.h"

__global__ void k(int *p)
{
    *p = 62;
}

int main()
{
    int *d, h = 0;
    OK(cudaMalloc(&d, 4));
    k<<<1, 1>>>(d);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 62);
    return print_failures();
}
