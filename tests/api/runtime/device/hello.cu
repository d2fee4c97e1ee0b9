// Device printf appears when the host waits, a reset included; host output keeps its place.
// stdout: ^before thread 0 of 2 thread 1 of 2 3.50 % c after last $
#include "check.h"

__global__ void hello()
{
    printf("thread %d of %d\n", threadIdx.x, blockDim.x);
}

__global__ void forms(double x, const char *s)
{
    printf("%.2f %% %c\n", x, 'c');
}

__global__ void last()
{
    printf("last\n");
}

int main()
{
    hello<<<1, 2>>>();
    forms<<<1, 1>>>(3.5, nullptr);
    printf("before\n");
    OK(cudaDeviceSynchronize());
    printf("after\n");
    last<<<1, 1>>>();
    OK(cudaDeviceReset());
    return print_failures();
}
