// Mistakes that have a line and a cure of their own, one an argument: see host.cu for the marks.
#include "cases.h"
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 256 };
__device__ int input[N], result[N];

// --- values that several threads change in place: atomicAdd, not a barrier
__global__ void count_kernel(int bins, bool atomic)
{
    __shared__ int mine[N];
    mine[threadIdx.x] = 0;
    __syncthreads();
    int k = threadIdx.x % bins;
    if (atomic)
        atomicAdd(&mine[k], 1);
    else
        mine[k]++; // BUG counted_in_place race
    __syncthreads();
    result[threadIdx.x] = mine[threadIdx.x];
}
__global__ void sum_kernel(bool barrier)
{
    __shared__ int total[2];
    if (threadIdx.x < 2)
        total[threadIdx.x] = 0;
    __syncthreads();
    if (barrier)
        atomicAdd(&total[1], input[threadIdx.x] + 1);
    else
        total[1] += input[threadIdx.x] + 1; // BUG summed_in_place race
    __syncthreads();
    result[threadIdx.x] = total[1];
}
// --- a tree without a barrier: the barrier is the cure, and never __syncwarp() in a large block
__global__ void tree_kernel(bool barrier)
{
    __shared__ int part[N];
    part[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (barrier)
            __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half]; // BUG tree_without_barrier race
    }
    __syncthreads();
    result[threadIdx.x] = part[0];
}
__global__ void lanes_kernel(bool barrier)
{
    __shared__ int tile[N];
    tile[threadIdx.x] = input[threadIdx.x];
    if (barrier)
        __syncthreads();
    result[threadIdx.x] = tile[threadIdx.x ^ 1]; // BUG neighbour_lane race
}
// --- a load that the compiler moves in front of the branch in which it is used first
__global__ void offset_kernel(bool barrier)
{
    __shared__ int sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[31] = atomicAdd(&result[0], sums[31]);
    if (barrier)
        __syncthreads();
    result[1 + threadIdx.x] = sums[31] + threadIdx.x;
}
__global__ void shifted_kernel(int *next)
{
    __shared__ int sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = input[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        sums[31] = atomicAdd(next, sums[31]);     // BUG used_by_all race
    result[threadIdx.x] = sums[31] + threadIdx.x; // SEE used_by_all race
}

static void counted_in_place()
{
    count_kernel<<<1, N>>>(8, false);
}
static void summed_in_place()
{
    sum_kernel<<<1, N>>>(false);
}
static void tree_without_barrier()
{
    tree_kernel<<<1, N>>>(false);
}
static void neighbour_lane()
{
    lanes_kernel<<<1, N>>>(false);
}
static void used_by_all()
{
    int *next;
    cudaMalloc(&next, sizeof *next);
    cudaMemset(next, 0, sizeof *next);
    shifted_kernel<<<1, N>>>(next);
    cudaFree(next);
}
static void fine_atomics()
{
    count_kernel<<<1, N>>>(8, true);
    sum_kernel<<<1, N>>>(true);
    count_kernel<<<1, N>>>(N, false);
}
static void fine_barriers()
{
    tree_kernel<<<1, N>>>(true);
    lanes_kernel<<<1, N>>>(true);
    offset_kernel<<<1, N - 1>>>(true);
}

#define CASES(X)        \
    X(counted_in_place) \
    X(summed_in_place)  \
    X(tree_without_barrier) X(neighbour_lane) X(used_by_all) X(fine_atomics) X(fine_barriers)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
    return cudaDeviceSynchronize() != cudaSuccess;
}
