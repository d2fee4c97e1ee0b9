// PTX for a later device than the profile's runs, and a sentence says what such a device does.
// toolkit: 13
// flags: -arch=compute_100
// env: WARPBOOK_PROFILE=t4
// stderr: compute capability 10.0 and later; a device of 7.5 refuses it.*-arch=sm_75
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
