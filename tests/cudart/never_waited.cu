// Work that nobody waits for is lost, with one line that says so.
// stderr: 2 operations were never waited for
#include "check.h"

__global__ void hello()
{
    printf("lost\n");
}

int main()
{
    int *d;
    OK(cudaMalloc(&d, 4));
    hello<<<1, 1>>>();
    OK(cudaMemsetAsync(d, 0, 4));
    return finish();
}
