// Chapter 9: divergence. Where lanes of a warp diverge, one group of them waits for the other.
// Build and run: ./warpbook run 9     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"
#include <vector>

enum { ROUNDS = 64, PITCH = 128 };

template <bool ODD> __host__ __device__ int work(unsigned x) // two kinds of work of equal length
{
    for (int k = 0; k < ROUNDS; k++)
        x = ODD ? (x ^ (x << 13)) + 0x9E3779B9u : (x ^ (x >> 15)) * 0x2C1B3C6Du;
    return (int)x;
}

// out[i] = one kind of work on in[i] where i is even, the other where i is odd.
__global__ void alternate(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i % 2 ? work<true>(in[i]) : work<false>(in[i]);
}

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The same out. Only the assignment of elements to threads differs.
__global__ void regrouped(int *out, const int *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t;
    // TODO 1 (about 2 lines): element i for thread t, so that no warp has both kinds.
    // Hint: warps 0 and 1 share the elements 0 to 63. Which of them for lane L of warp 1?
    // END TODO 1
    if (i < n)
        out[i] = i % 2 ? work<true>(in[i]) : work<false>(in[i]);
}

// Rows are of different lengths, 0 to 128.
__host__ __device__ int length(int r) { return (r * 37 + 11) % (PITCH + 1); }

// sums[r] = data[PITCH * r] + ... + data[PITCH * r + length(r) - 1], for each of n rows.
__global__ void rows_by_warp(int *sums, const int *data, int n)
{
    // TODO 2 (about 8 lines): the lanes of warp r, counted over the grid, add up row r.
    // Hint: a loop of lane, lane + 32, lane + 64, ... below length(r); then five shuffles
    // END TODO 2
}

// found[2 b], found[2 b + 1] = largest element of block b and where it is, the first if it is there
// more than once. Before the launch all are -1, or what was found so far; all locks are 0: free.
__global__ void block_largest(int *found, int *locks, const int *data, int n)
{
    // TODO 3 (about 14 lines): take the lock; if element i is better, store it; release the lock.
    // Hint: atomicCAS(lock, 0, 1) returns 0 if you got it; __threadfence(); atomicExch(lock, 0)
    // END TODO 3
}

__global__ void rows_by_thread(int *sums, const int *data) // a warp waits for its longest row
{
    int r = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < length(r); k++) sum += data[PITCH * r + k];
    sums[r] = sum;
}

// For the sweep, G neighbouring threads take the same way, of two or of 32.
__global__ void two_ways(int *out, int g)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = t / g % 2 ? work<true>(t) : work<false>(t);
}

__global__ void many_ways(int *out, int g)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, x = t;
    for (int way = 0; way < 32; way++) if (t / g % 32 == way) x = work<false>(x);
    out[t] = x;
}

int main(void)
{
    lab_begin("09-divergence");
    LAB_CHECK("regrouped", n) {
        lab_array<int> in(n), out(n, LAB_POISON);
        regrouped<<<(n + 255) / 256, 256>>>(out.device, in.device, n);
        auto want = [&](long i) { return i % 2 ? work<true>(in[i]) : work<false>(in[i]); };
        lab_expect(out, want, 0, "integers");
    }
    LAB_CHECK_UP_TO("rows_by_warp", n, 8192) {
        lab_array<int> data((long)n * PITCH), sums(n, LAB_POISON);
        rows_by_warp<<<(n + 7) / 8, 256>>>(sums.device, data.device, n);
        auto want = [&](long r) {
            double sum = 0;
            for (long k = 0; k < length((int)r); k++) sum += data[PITCH * r + k];
            return sum;
        };
        lab_expect(sums, want, 0, "integers");
    }
    LAB_CHECK_UP_TO("block_largest", n, 30000) {
        int grid = (n + 63) / 64;
        lab_array<int> data(n, LAB_RANDOM, 0, 100), locks(grid), found(2L * grid, LAB_POISON);
        CUDA_CHECK(cudaMemset(locks.device, 0, grid * sizeof(int)));
        std::vector<int> before(2 * grid, -1); // nothing yet; for odd blocks: 100, behind all data
        for (int b = 1; b < grid; b += 2) before[2 * b] = 100, before[2 * b + 1] = n;
        CUDA_CHECK(cudaMemcpy(found.device, before.data(), 8 * grid, cudaMemcpyHostToDevice));
        block_largest<<<grid, 64>>>(found.device, locks.device, data.device, n);
        auto want = [&](long w) {
            long best = w / 2 * 64;
            for (long i = best + 1; i < n && i < w / 2 * 64 + 64; i++)
                best = data[i] > data[best] ? i : best;
            return data[best] < before[w / 2 * 2] ? before[w] : w % 2 ? best : (long)data[best];
        };
        lab_expect(found, want, 0, "integers");
    }

    int n = (int)lab_elements(1 << 22, 1 << 28) / 32768 * 32768, rows = n / PITCH;
    int few = (int)lab_elements(1 << 23, 1 << 28) / 32768 * 1024;
    lab_array<int> in(n), out(n, LAB_POISON);
    LAB_MEASURE("alternate", n, 8.0 * n) alternate<<<n / 256, 256>>>(out.device, in.device, n);
    LAB_MEASURE("regrouped", n, 8.0 * n) regrouped<<<n / 256, 256>>>(out.device, in.device, n);
    LAB_MEASURE("rows_by_thread", rows, 4.0 * (rows * PITCH / 2 + rows))
        rows_by_thread<<<rows / 256, 256>>>(out.device, in.device);
    LAB_MEASURE("rows_by_warp", rows, 4.0 * (rows * PITCH / 2 + rows))
        rows_by_warp<<<rows / 8, 256>>>(out.device, in.device, rows);
    for (int g : {1, 2, 4, 8, 16, 32, 64}) {
        LAB_SWEEP("two_ways", g, few, 4.0 * few) two_ways<<<few / 256, 256>>>(out.device, g);
        LAB_SWEEP("many_ways", g, few, 4.0 * few) many_ways<<<few / 256, 256>>>(out.device, g);
    }

    LAB_GOAL("regrouped", "divergent_branches_per_warp", "at_most", 0, "one kind a warp");
    LAB_GOAL("regrouped", "bytes_per_sector", "at_least", 15, "every second word");
    LAB_GOAL("block_largest", "atomic_requests_per_warp", "at_least", 2, "take the lock, free it");
    LAB_GOAL("rows_by_warp", "bytes_per_sector", "at_least", 25, "lanes in a row");
    LAB_WORK("regrouped", 1, 1, 28);
    LAB_WORK("rows_by_warp", 3.25, 1, 20);
    return lab_end();
}
