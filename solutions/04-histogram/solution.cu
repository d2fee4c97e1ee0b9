// Assignment 4: a histogram of bytes, whatever the bytes are. bins[b] += how many of data are b.
// Build and run: ./warpbook run histogram   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"

enum { THREADS = 1024, BLOCKS_PER_SM = 2, LOADS = 2 }; // yours to choose: 64 warps fit an SM
enum { BINS = 256, COPIES = 32 }; // COPIES is yours to choose: 48 KB of shared memory a block
static_assert(THREADS % 32 == 0 && THREADS * BLOCKS_PER_SM * LOADS * COPIES > 0, "whole warps");
// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Every launch adds to bins. data is aligned to 16 bytes; n is any number.
__global__ void histogram(int *bins, const unsigned char *data, int n)
{
    // TODO 1 (about 4 lines): the block's counters in shared memory, zero before any thread counts.
    // Counters in shared memory take an update a cycle and bank, and only this block uses them. All
    // must be zero before any thread counts, hence the barrier.
    __shared__ int count[BINS * COPIES];
    for (int k = threadIdx.x; k < BINS * COPIES; k += blockDim.x)
        count[k] = 0;
    __syncthreads();
    // END TODO 1

    // TODO 2 (about 18 lines): count, 16 bytes per load, with separate counters for each lane.
    // Lane L uses counter b * 32 + L of byte b: bank L, which no other lane of the warp uses. So a
    // warp takes one pass, whether its 32 bytes are equal or all different.
    const uint4 *data16 = (const uint4 *)data;
    int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, i = first;
    int *mine = count + threadIdx.x % COPIES;
    auto add = [&](unsigned word) {
        for (int shift = 0; shift < 32; shift += 8)
            atomicAdd(&mine[(word >> shift & 255) * COPIES], 1);
    };
    for (; i + (LOADS - 1) * all < n / 16; i += LOADS * all) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = data16[i + k * all];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            add(v[k].x), add(v[k].y), add(v[k].z), add(v[k].w);
    }
    for (; i < n / 16; i += all)
        add(data16[i].x), add(data16[i].y), add(data16[i].z), add(data16[i].w);
    for (i = n / 16 * 16 + first; i < n; i += all)
        atomicAdd(&mine[data[i] * COPIES], 1);
    // END TODO 2

    // TODO 3 (about 8 lines): all have counted; add up the copies; at most BINS atomics per block.
    // A thread a bin. Each begins at another copy, or all lanes would read one bank. A block adds
    // 256 numbers to device memory, however much it has counted.
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        int sum = 0;
        for (int k = 0; k < COPIES; k++)
            sum += count[bin * COPIES + (bin + k) % COPIES];
        atomicAdd(&bins[bin], sum);
    }
    // END TODO 3
}

// The simplest kernel: a byte a thread at a time, and one set of counters for all.
__global__ void histogram_global(int *bins, const unsigned char *data, int n)
{
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        atomicAdd(&bins[data[i]], 1);
}

// The next step: counters in shared memory, one set a block.
__global__ void histogram_shared(int *bins, const uint4 *data, int n16)
{
    __shared__ int count[BINS];
    int all = gridDim.x * blockDim.x;
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        count[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += all)
        for (unsigned word : {data[i].x, data[i].y, data[i].z, data[i].w})
            for (int shift = 0; shift < 32; shift += 8)
                atomicAdd(&count[word >> shift & 255], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        atomicAdd(&bins[k], count[k]);
}

int main(void)
{
    lab_begin("labs/04-histogram");
    auto check = [](int n, lab_content content, int low, int high, int grids = 3) {
        for (int grid : {1, 3, 40}) {
            if (grids-- == 0) break;
            lab_case("blocks", grid);
            lab_array<unsigned char> data(n, content, low, high);
            lab_array<int> bins(BINS, LAB_RANDOM, 0, 1000);
            int count[BINS] = {};
            for (int i = 0; i < n; i++)
                count[data[i]]++;
            histogram<<<grid, THREADS>>>(bins.device, data.device, n);
            lab_expect(bins, [&](long b) { return bins[b] + count[b]; }, 0, "integers");
        }
    };
    LAB_CHECK("histogram", n)
        check(n, LAB_RANDOM, 0, 255);
    LAB_CHECK("histogram_skewed", n) { // as text, and all alike
        check(n, LAB_LETTERS, 0, 0);
        check(n, LAB_RANDOM, 255, 255);
    }
    LAB_CHECK_AT("histogram_long", 1 << 22) // 131072 for each of 32 copies of the only block
        check(1 << 22, LAB_ALIKE, 65, 122, 1);

    int n = (int)lab_elements(1 << 23, 1 << 28) * 4, sms; // bytes, as many as those of so many ints
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    lab_array<int> bins(BINS, LAB_RANDOM, 0, 0);
    lab_array<unsigned char> uniform(n, LAB_RANDOM, 0, 255), text(n, LAB_LETTERS, 0, 0);
    lab_array<unsigned char> alike(n, LAB_ALIKE, 65, 122);
    auto yours = [&](const lab_array<unsigned char> &data) {
        histogram<<<sms * BLOCKS_PER_SM, THREADS>>>(bins.device, data.device, n);
    };
    auto shared = [&](const lab_array<unsigned char> &data) {
        histogram_shared<<<sms * 4, 512>>>(bins.device, (const uint4 *)data.device, n / 16);
    };
    LAB_ROUNDS {
        LAB_MEASURE("histogram_global/uniform", n / 16, n / 16) // few: you would wait for more
            histogram_global<<<sms * 4, 512>>>(bins.device, uniform.device, n / 16);
        LAB_MEASURE("histogram_shared/uniform", n, n)
            shared(uniform);
        LAB_MEASURE("histogram_shared/text", n, n)
            shared(text);
        LAB_MEASURE("histogram_shared/alike", n, n)
            shared(alike);
        LAB_MEASURE("histogram/uniform", n, n)
            yours(uniform);
        LAB_MEASURE("histogram/text", n, n)
            yours(text);
        LAB_MEASURE("histogram/alike", n, n)
            yours(alike);
    }

    LAB_GOAL("histogram", "load_sectors_per_request", "at_least", 15, "32 lanes of 16 bytes");
    LAB_GOAL("histogram", "load_sectors_per_request", "at_most", 16, "and side by side no more");
    LAB_GOAL("histogram", "atomic_requests_per_block", "at_most", 8, "256 numbers a block");
    LAB_GOAL("histogram", "shared_atomic_wavefronts_per_request", "at_most", 1, "one pass");
    LAB_GOAL("histogram", "shared_load_conflicts", "at_most", 0, "copies added up in all banks");
    LAB_GOAL("histogram", "barriers_per_warp", "at_most", 2, "before counting and after it");
    LAB_GOAL("histogram", "bytes_per_shared_atomic", "at_least", 24, "32 lanes, a byte each, once");
    LAB_GOAL("histogram", "lanes_per_instruction", "at_least", 24, "all lanes of a warp count");
    LAB_GOAL("histogram", "busiest_warp", "at_most", 4, "all warps and blocks do");
    return lab_end();
}
