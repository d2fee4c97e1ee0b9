// Two kernels that each wait for the other one first can never end: both have had their turns, and
// the launch is stopped with what it waits for.
// alone: the names of its kernels and variables are looked at
// stderr: kernels_wait_for_ever.cu:[0-9]+: .*waits for the 4 bytes at .*__device__ variable (first|second) .*, which hold 0, to change
#include "check.h"

__device__ volatile int first, second;

__global__ void one()
{
    while (!first)
        ;
    second = 1;
}

__global__ void other()
{
    while (!second)
        ;
    first = 1;
}

int main()
{
    cudaStream_t s, t;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    one<<<2, 64, 0, s>>>();
    other<<<2, 64, 0, t>>>();
    EXPECT(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    return print_failures();
}
