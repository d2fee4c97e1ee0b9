// Chapter 10: shared-memory reductions. Each block adds up its part of data into one sum.
// Build and run: ./warpbook run 10      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The sum of VALUE over the block, right in thread 0. part: shared memory, an int per thread.
// blockDim.x is a power of two.
__device__ int block_sum(int *part, int value)
{
    int t = threadIdx.x;
    part[t] = value;
    // TODO 1 (about 5 lines): the lower half adds the upper half, again and again, to part[0].
    // Hint: half = blockDim.x / 2, blockDim.x / 4, ... 1; __syncthreads()
    // END TODO 1
    return part[t];
}

__global__ void reduce_shared(int *sums, const int *data, int n)
{
    __shared__ int part[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = block_sum(part, i < n ? data[i] : 0);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

// A block adds up 4 * blockDim.x elements: each thread four, then the tree.
__global__ void reduce_unrolled(int *sums, const int *data, int n)
{
    extern __shared__ int part[]; // dynamic: its size is the launch's third argument
    // TODO 2 (about 8 lines): add four elements, a block's width apart; the tree; store the sum.
    // Hint: the first element of this thread is blockIdx.x * 4 * blockDim.x + threadIdx.x
    // END TODO 2
}

static int blocks(int elements, int per_block)
{
    return (elements + per_block - 1) / per_block;
}

static int unrolled_blocks(int n, int block) // blocks that reduce_unrolled needs for n elements
{
    // TODO 3 (about 1 line): how many?
    // Hint: what does one block of reduce_unrolled cover?
    (void)n, (void)block;
    return 0;
    // END TODO 3
}

// The tree in global memory: every step reads and writes device memory. Overwrites data.
__global__ void reduce_global(int *sums, int *data, int n)
{
    int t = threadIdx.x, left = n - blockIdx.x * blockDim.x;
    int *mine = data + blockIdx.x * blockDim.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half && t + half < left)
            mine[t] += mine[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = mine[0];
}

// The next step: 16 bytes per load, and few blocks, each with many iterations before its one tree.
__global__ void reduce_vector(int *sums, const int4 *data, int n4)
{
    __shared__ int part[1024];
    int sum = 0, all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += all) {
        int4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sum = block_sum(part, sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

int main(void)
{
    const char *exact = "sums of integers are exact";
    auto part = [](const lab_array<int> &data, long first, long count) {
        double sum = 0;
        for (long i = first; i < first + count && i < data.n; i++)
            sum += data[i];
        return sum;
    };
    lab_begin("10-shared-reduction");

    LAB_CHECK("reduce_shared", n) {
        for (int block : {32, 64, 128, 256, 512}) {
            lab_case("block", block);
            lab_array<int> data(n), sums(blocks(n, block), LAB_POISON);
            reduce_shared<<<blocks(n, block), block>>>(sums.device, data.device, n);
            lab_expect(sums, [&](long b) { return part(data, b * block, block); }, 0, exact);
        }
    }
    LAB_CHECK("reduce_unrolled", n) {
        for (int block : {32, 64, 128, 256, 512}) {
            lab_case("block", block);
            lab_array<int> data(n), sums((long)ceil(n / (4.0 * block)), LAB_POISON);
            int grid = unrolled_blocks(n, block), shared = block * (int)sizeof(int);
            reduce_unrolled<<<grid, block, shared>>>(sums.device, data.device, n);
            auto want = [&](long b) { return part(data, b * 4 * block, 4 * block); };
            lab_expect(sums, want, 0, exact);
        }
    }

    int n = (int)lab_elements(1 << 24, 1 << 28) / 4 * 4, block = 128, few = 8 * 132;
    lab_array<int> data(n), sums(blocks(n, block) + few, LAB_POISON);
    LAB_MEASURE("reduce_global", n, 4.0 * (n + blocks(n, block)))
        reduce_global<<<blocks(n, block), block>>>(sums.device, data.device, n);
    LAB_MEASURE("reduce_shared", n, 4.0 * (n + blocks(n, block)))
        reduce_shared<<<blocks(n, block), block>>>(sums.device, data.device, n);
    for (int wide : {128, 512}) {
        int grid = unrolled_blocks(n, wide);
        const char *name = wide == 128 ? "reduce_unrolled/128" : "reduce_unrolled/512";
        LAB_MEASURE(name, n, 4.0 * (n + grid))
            reduce_unrolled<<<grid, wide, wide * sizeof(int)>>>(sums.device, data.device, n);
    }
    LAB_MEASURE("reduce_vector", n, 4.0 * (n + few))
        reduce_vector<<<few, 512>>>(sums.device, (const int4 *)data.device, n / 4);

    LAB_GOAL("reduce_shared", "shared_load_conflicts", "at_most", 0, "lanes read in a row");
    LAB_GOAL("reduce_unrolled", "bytes_per_sector", "at_least", 30, "each sector is read once");
    LAB_GOAL("reduce_shared", "divergent_branches_per_warp", "at_most", 2, "whole warps stop");
    LAB_WORK("reduce_shared", 1, 0.25, 24);
    LAB_GOAL("reduce_unrolled", "cost", "at_most", 2, "a loop that stays a loop takes 1.7 times");
    LAB_WORK("reduce_unrolled", 4, 0.25, 24);
    return lab_end();
}
