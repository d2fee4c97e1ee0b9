// Assignment 1: the fastest sum. *total = data[0] + ... + data[n-1], exact, in one launch.
// Build and run: ./warpbook run fastest   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"
#include <cub/device/device_reduce.cuh> // the toolkit's library, measured next to yours

enum { THREADS = 512, BLOCKS_PER_SM = 4, LOADS = 4 }; // yours to choose: 64 warps fit an SM
enum { MOST_BLOCKS = 8192 }; static_assert(BLOCKS_PER_SM <= 62, "part has room for 62 an SM");
enum : unsigned { ALL = 0xffffffff };   // every lane of a warp

__device__ unsigned arrived;            // how many blocks are done; 0 before and after a launch
__device__ long long part[MOST_BLOCKS]; // room for a sum a block; holds anything
static_assert(THREADS % 32 == 0 && THREADS * BLOCKS_PER_SM * LOADS > 0, "whole warps");
// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The sum of this thread's elements. data is aligned to 16 bytes; n is any number.
__device__ long long thread_sum(const int *data, int n)
{
    long long sum = 0;
    // TODO 1 (about 16 lines): a grid-stride loop, LOADS loads of 16 bytes in flight at a time.
    // All loads of an iteration are issued before the first is used: bytes in flight keep the
    // memory busy. 64 bits from the first addition on: the sum of two ints may not fit into 32.
    const int4 *data4 = (const int4 *)data;
    long first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, i = first;
    for (; i + (LOADS - 1) * all < n / 4; i += LOADS * all) {
        int4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = data4[i + k * all];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += (long long)v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (; i < n / 4; i += all)
        sum += (long long)data4[i].x + data4[i].y + data4[i].z + data4[i].w;
    for (i = n / 4 * 4 + first; i < n; i += all)
        sum += data[i];
    // END TODO 1
    return sum;
}

// The sum of VALUE over the block, right in thread 0. Called twice by some blocks.
__device__ long long block_sum(long long value)
{
    // TODO 2 (about 10 lines): shuffles, a word per warp, one barrier: chapter 14, with 64 bits.
    // A warp's five steps need no barrier, so the only one is between warps. Before a second call
    // the caller needs a barrier: else words would be overwritten while they are read.
    __shared__ long long word[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL, value, distance);
    if (lane == 0)
        word[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = lane < warps ? word[lane] : 0;
        for (int distance = 16; distance > 0; distance /= 2)
            value += __shfl_down_sync(ALL, value, distance);
    }
    // END TODO 2
    return value;
}

__global__ void sum(long long *total, const int *data, int n)
{
    long long value = block_sum(thread_sum(data, n));
    // TODO 3 (about 14 lines): the block that is done last adds up all sums in part.
    // The first fence orders a block's word before its arrival, the second one its arrival before
    // what it reads. atomicInc wraps to 0, ready for the next launch: total need not be cleared.
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = value;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    value = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        value += part[b];
    value = block_sum(value);
    if (threadIdx.x == 0)
        *total = value;
    // END TODO 3
}

int main(void)
{
    lab_begin("labs/01-fastest-sum");
    auto check = [](int n, double low, double high) {
        for (int grid : {1, 3, 600}) { // any number of blocks, and of warps in each
            int threads = grid == 1 ? (int)THREADS : grid == 3 ? 96 : 64;
            lab_case("blocks", grid);
            lab_array<int> data(n, LAB_RANDOM, low, high);
            lab_array<long long> total(1, LAB_POISON);
            sum<<<grid, threads>>>(total.device, data.device, n);
            auto want = [&](long) {
                double all = 0; // exact below 2^53
                for (int i = 0; i < n; i++)
                    all += data[i];
                return all;
            };
            lab_expect(total, want, 0, "integers");
        }
    };
    LAB_CHECK("sum", n)
        check(n, -1000, 1000);
    LAB_CHECK("sum_exact", n) // 32 bits are not enough for two of these
        check(n, -1e9, 2147483647);

    int n = (int)lab_elements(1 << 23, 1 << 28), sms;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    lab_array<int> data(n);
    lab_array<long long> total(1, LAB_POISON);
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, data.device, total.device, n); // asks how many
    lab_array<char> room(bytes);
    LAB_ROUNDS {
        LAB_MEASURE("sum", n, 4.0 * n)
            sum<<<sms * BLOCKS_PER_SM, THREADS>>>(total.device, data.device, n);
        LAB_MEASURE("cub", n, 4.0 * n)
            CUDA_CHECK(cub::DeviceReduce::Sum(room.device, bytes, data.device, total.device, n));
    }

    LAB_GOAL("sum", "load_sectors_per_request", "at_least", 15, "32 lanes of 16 bytes are 16");
    LAB_GOAL("sum", "load_sectors_per_request", "at_most", 16, "and side by side no more");
    LAB_GOAL("sum", "shuffles_per_warp", "at_most", 12, "once a warp, not in each iteration");
    LAB_GOAL("sum", "barriers_per_warp", "at_most", 3, "where warps exchange sums");
    LAB_GOAL("sum", "lanes_per_instruction", "at_least", 24, "all lanes of a warp add");
    LAB_GOAL("sum", "busiest_warp", "at_most", 4, "all warps and blocks do");
    LAB_GOAL("sum", "bytes_per_sector", "at_least", 24, "32: each int is loaded once");
    return lab_end();
}
