/* Sums of ints: tree in place in global memory, in shared memory, with four elements a thread,
 * with vector loads and shuffles; one partial sum a block. */
#include "record.h"

__global__ void fill_ones(int *data, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 1;
}

__global__ void sum_global(int *data, int *out, size_t n)
{
    int *part = data + (size_t)blockIdx.x * blockDim.x;
    if ((size_t)blockIdx.x * blockDim.x + threadIdx.x >= n)
        return;
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__device__ void tree(int *part, int *out)
{
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void sum_shared(const int *data, int *out, size_t n)
{
    extern __shared__ int part[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? data[i] : 0;
    tree(part, out);
}

/* Neighbours added with growing distance: bank conflicts and idle lanes in every warp. */
__global__ void sum_shared_interleaved(const int *data, int *out, size_t n)
{
    extern __shared__ int part[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? data[i] : 0;
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        __syncthreads();
        unsigned at = 2 * step * threadIdx.x;
        if (at < blockDim.x)
            part[at] += part[at + step];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void sum_unrolled(const int *data, int *out, size_t n)
{
    extern __shared__ int part[];
    size_t i = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        sum += i + k * blockDim.x < n ? data[i + k * blockDim.x] : 0;
    part[threadIdx.x] = sum;
    tree(part, out);
}

__global__ void sum_shuffle(const int4 *data, int *out, size_t n4)
{
    __shared__ int part[32];
    int sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n4;
         i += (size_t)gridDim.x * blockDim.x) {
        int4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

/* Every thread adds its element to one total. */
__global__ void sum_atomic(const int *data, int *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, data[i]);
}

int main()
{
    for (int log2 : {20, 22, 24, 28}) {
        size_t n = (size_t)1 << log2;
        if (!fits(n))
            continue;
        device_array<int> data(n), out(n / 32 + 1);
        fill_ones<<<blocks_for(n, 256), 256>>>(data.p, n);
        for (int block : {64, 128, 256, 512, 1024}) {
            size_t shared = block * sizeof(int);
            unsigned blocks = blocks_for(n, block), blocks4 = blocks_for(n, 4 * block);
            measure("sum_global", block, n, 4.0 * n,
                    [&] { sum_global<<<blocks, block>>>(data.p, out.p, n); });
            measure("sum_shared", block, n, 4.0 * n,
                    [&] { sum_shared<<<blocks, block, shared>>>(data.p, out.p, n); });
            measure("sum_shared_interleaved", block, n, 4.0 * n,
                    [&] { sum_shared_interleaved<<<blocks, block, shared>>>(data.p, out.p, n); });
            measure("sum_unrolled", block, n, 4.0 * n,
                    [&] { sum_unrolled<<<blocks4, block, shared>>>(data.p, out.p, n); });
            measure("sum_shuffle", block, n, 4.0 * n, [&] {
                sum_shuffle<<<132 * 2048 / block, block>>>((const int4 *)data.p, out.p, n / 4);
            });
        }
        if (log2 <= 24)
            measure("sum_atomic", -1, n, 4.0 * n,
                    [&] { sum_atomic<<<blocks_for(n, 256), 256>>>(data.p, out.p, n); });
    }
    return 0;
}
