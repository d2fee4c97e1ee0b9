// Managed memory, a grid-stride loop, a launch sized by the occupancy calculator.
#include <cmath>
#include <cstdio>

__global__ void init(int n, float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        x[i] = i % 1000;
        y[i] = 2.0f;
    }
}

template <typename T> __global__ void saxpy(int n, T a, const T *__restrict__ x, T *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

__managed__ int launches;
__global__ void count()
{
    atomicAdd(&launches, 1);
}

int main()
{
    int n = 1 << 18, grid = 0, block = 0;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, saxpy<float>, 0, 0);
    printf("block %s, grid %s\n", block % 32 == 0 && block > 0 ? "whole warps" : "odd",
           grid > 0 ? "some" : "none");
    init<<<64, 256>>>(n, x, y);
    saxpy<float><<<64, 256>>>(n, 3.0f, x, y);
    count<<<3, 5>>>();
    cudaDeviceSynchronize();
    float worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmaxf(worst, fabsf(y[i] - (3.0f * (i % 1000) + 2.0f)));
    printf("largest error %g, counted %d\n", worst, launches);
    launches = 100;
    count<<<1, 1>>>();
    cudaDeviceSynchronize();
    printf("counted %d\n", launches);
    cudaFree(x);
    cudaFree(y);
    return worst != 0;
}
