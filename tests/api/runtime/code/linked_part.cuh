// The second file of linked.cu.
#include <cstdio>

__device__ int counter = 10;
static __device__ int hidden = 2;

template <class T> __device__ __noinline__ T next(T x)
{
    return x + 1;
}

static __device__ __noinline__ int mine(int x)
{
    return x - hidden;
}

__device__ int other(int x)
{
    printf("second %d\n", mine(x));
    return next(x);
}
