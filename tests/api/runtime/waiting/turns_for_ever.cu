// A loop whose iterations change nothing is stopped too, and the message names no wait.
// stderr: turns_for_ever.cu:[0-9]+: thread .*: it is in a loop that can never end: its iterations repeat the same values
#include "check.h"

__global__ void turns(float *out)
{
    float sum = 0;
    while (blockDim.x > 0) // always
        sum += 1;          // until 2^24, which 1 does not change
    *out = sum;
}

int main()
{
    float *out;
    OK(cudaMalloc(&out, 4));
    turns<<<1, 32>>>(out);
    EXPECT(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    OK(cudaDeviceReset());
    return print_failures();
}
