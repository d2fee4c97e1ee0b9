// A report names a variable as the program writes it, with its namespace.
// alone: the fault ends its device
// stderr: names_of_variables.cu:[0-9]+: .*0 bytes past the end of the 16 bytes of the __device__ variable shape::edge \(0x
#include "check.h"

namespace shape {
__device__ int edge[4];
}

__global__ void past_the_end(int n)
{
    shape::edge[n] = 1;
}

int main()
{
    past_the_end<<<1, 1>>>(4);
    EXPECT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    return print_failures();
}
