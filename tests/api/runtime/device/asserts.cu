// A failed assert names itself, and its code stays.
// stderr: asserts.cu:[0-9]*.*threadIdx.x < 3
#include "check.h"

#include <cassert>

__global__ void limited()
{
    assert(threadIdx.x < 3);
}

int main()
{
    limited<<<1, 4>>>();
    EXPECT(cudaErrorAssert, cudaDeviceSynchronize());
    EXPECT(cudaErrorAssert, cudaGetLastError());
    return print_failures();
}
