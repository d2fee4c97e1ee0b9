// Variables for the other files, and a pointer to a function of one.
#include "shapes.h"

#include <cstdio>

__device__ int triple(int x); // main.cu

__device__ int counter = 5;
__device__ float table[8] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
__constant__ int factors[4] = {2, 3, 5, 7};
__device__ int (*operation)(int) = triple;
__device__ float *middle = table + 4;
static __device__ int hidden = 70;

static __device__ __noinline__ int helper(int x)
{
    return x * hidden;
}

__device__ int scaled(int x)
{
    return helper(x) + factors[1];
}

static __global__ void start(int *out)
{
    out[0] = helper(1);
    out[1] = (int)(10 * *middle);
    out[2] = tickets();
    out[3] = plus_one(1);
    out[4] = operation(2);
    out[5] = counter += 100;
    table[7] = -1;
    printf("tables.cu: hidden %d\n", hidden);
}

void tables_run(int *d)
{
    start<<<1, 1>>>(d);
}
