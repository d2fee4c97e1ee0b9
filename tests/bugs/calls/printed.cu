// Device printf that a GPU does not print whole, one an argument: see host.cu for the marks.
#include "../cases.h"

__global__ void line_of_each()
{
    printf("%d\n", blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void many_arguments(int v)
{
    printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %s|\n", v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, "no"); // BUG too_many_arguments host
}

__global__ void arguments_32(int v)
{
    printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d|\n", v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v);
}

static void more_than_the_buffer()
{
    line_of_each<<<800, 128>>>(); // BUG more_than_the_buffer host
    cudaDeviceSynchronize();
}

static void too_many_arguments()
{
    many_arguments<<<1, 1>>>(7);
    cudaDeviceSynchronize();
}

static void fits()
{
    line_of_each<<<400, 128>>>();
    arguments_32<<<1, 1>>>(7);
    cudaDeviceSynchronize();
}

static void larger_buffer()
{
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20);
    line_of_each<<<800, 128>>>();
    cudaDeviceSynchronize();
}

#define CASES(X) X(more_than_the_buffer) X(too_many_arguments) X(fits) X(larger_buffer)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
}
