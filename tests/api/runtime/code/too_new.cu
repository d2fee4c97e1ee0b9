// PTX for a later device than the profile's.
// flags: -arch=compute_100
// env: WARPBOOK_PROFILE=t4
// stderr: compute capability 10.0 and later, this device has 7.5.*-arch=sm_75
#include "check.h"

__global__ void k() {}

int main()
{
    k<<<1, 1>>>();
    EXPECT(cudaErrorNoKernelImageForDevice, cudaGetLastError());
    return print_failures();
}
