// A link that nvcc leaves to run time, as there is PTX only, and that finds nothing of a name.
// flags: -rdc=true -gencode arch=compute_90,code=compute_90
// stderr: cannot be linked: Undefined reference to '_Z7missingi'
#include "check.h"

extern __device__ int missing(int x);

__global__ void lacks(int *p)
{
    *p = missing(1);
}

__global__ void whole(int *p)
{
    *p = 1;
}

int main()
{
    int *p;
    OK(cudaMalloc(&p, sizeof *p));
    whole<<<1, 1>>>(p);
    EXPECT(cudaErrorInvalidSource, cudaGetLastError());
    lacks<<<1, 1>>>(p);
    EXPECT(cudaErrorInvalidSource, cudaGetLastError());
    return print_failures();
}
