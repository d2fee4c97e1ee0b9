// Device code in two files, linked with -rdc=true: calls, variables and statics across them.
// flags: -rdc=true -x cu tests/api/runtime/code/linked_part.cuh
// stdout: ^first 3 second 1 $
#include "check.h"

static __device__ int hidden = 1;
extern __device__ int counter;
extern __device__ int other(int x);

template <class T> __device__ __noinline__ T next(T x)
{
    return x + 1;
}

static __device__ __noinline__ int mine(int x)
{
    return x * hidden;
}

__global__ void k(int *p)
{
    printf("first %d\n", mine(3));
    p[0] = other(next(2));
    counter++;
}

int main()
{
    int *d, h = 0;
    OK(cudaMalloc(&d, 4));
    k<<<1, 1>>>(d);
    OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 4);
    OK(cudaMemcpyFromSymbol(&h, counter, 4));
    CHECK(h == 11);
    return print_failures();
}
