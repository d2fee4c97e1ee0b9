// Chapter 15: memory model. What a thread has written, and when another one may read it.
// Build and run: ./warpbook run 15     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"
#include <climits>
#include <cuda/atomic>
#include <vector>

enum { TILE = 1024, COLUMNS = 256, BLOCK = 256 };
enum : unsigned { ALL = 0xffffffff }; // every lane of a warp
__device__ unsigned ticket, arrived;  // count blocks: 0 before and after each launch

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[2 t], out[2 t + 1]: sum and largest of all ints up to the end of tile t. A block, one warp,
// takes the next tile when it begins. flags[t] becomes equal to launch when both words are written.
__global__ void carry(long long *out, const int *in, int n, int *flags, int launch)
{
    int tile = __shfl_sync(ALL, threadIdx.x ? 0 : atomicInc(&ticket, gridDim.x - 1), 0);
    long long sum = 0, largest = INT_MIN;
    for (int i = tile * TILE + threadIdx.x; i < min(n, (tile + 1) * TILE); i += 32)
        sum += in[i], largest = max(largest, (long long)in[i]);
    for (int d = 16; d > 0; d /= 2) { // lane 0 has both of the tile
        sum += __shfl_down_sync(ALL, sum, d);
        largest = max(largest, __shfl_down_sync(ALL, largest, d));
    }
    // TODO 1 (about 10 lines): lane 0 waits for tile - 1, adds what stands there, and publishes.
    // END TODO 1
}

// out[c] = the sum of column c. in: rows of COLUMNS ints. part: a row for each block.
__global__ void column_sums(int *out, int *part, const int *in, int rows)
{
    int c = threadIdx.x, sum = 0;
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        sum += in[r * COLUMNS + c];
    part[blockIdx.x * COLUMNS + c] = sum;
    // TODO 2 (about 13 lines): the block that is done last adds up the rows of part.
    // END TODO 2
}

struct record { int value, place, lock; }; // lock: 0 free, 1 held; the others change under it only

__device__ bool is_better(int value, int place, const record &than)
{
    return value > than.value || (value == than.value && place < than.place);
}

// *found: the largest int and its first place, over all launches so far.
__global__ void largest(record *found, const int *in, int n)
{
    __shared__ record here; // the best of the block
    if (threadIdx.x == 0)
        here = {INT_MIN, INT_MAX, 0};
    __syncthreads();
    (void)&here;
    record mine = {INT_MIN, INT_MAX, 0};
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (in[i] > mine.value)
            mine.value = in[i], mine.place = i;
    for (int d = 16; d > 0; d /= 2) { // lane 0 has the best of its warp
        int value = __shfl_down_sync(ALL, mine.value, d);
        int place = __shfl_down_sync(ALL, mine.place, d);
        if (is_better(value, place, mine))
            mine.value = value, mine.place = place;
    }
    // TODO 3 (about 14 lines): warps put theirs into here, under here.lock; then thread 0 puts
    // here into *found, under found->lock. No volatile. Which scope does each lock need?
    // END TODO 3
}

int main(void)
{
    int launch = 0, sms;
    lab_begin("15-memory-model");
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));

    LAB_CHECK("carry", n) {
        int tiles = (n + TILE - 1) / TILE;
        lab_array<int> in(n), flags(tiles, LAB_POISON);
        lab_array<long long> out(2L * tiles, LAB_POISON);
        carry<<<tiles, 32>>>(out.device, in.device, n, flags.device, ++launch);
        std::vector<long> want(2 * tiles);
        for (long i = 0, sum = 0, most = INT_MIN; i < n; i++) {
            want[i / TILE * 2] = sum += in[i];
            want[i / TILE * 2 + 1] = most = in[i] > most ? in[i] : most;
        }
        lab_expect(out, [&](long k) { return want[k]; }, 0, "integers");
    }
    LAB_CHECK_UP_TO("column_sums", n, 4096)
        for (int blocks : {1, 7, 40}) {
            lab_case("blocks", blocks);
            lab_array<int> in((long)n * COLUMNS), part(blocks * COLUMNS, LAB_POISON);
            lab_array<int> out(COLUMNS, LAB_POISON);
            column_sums<<<blocks, COLUMNS>>>(out.device, part.device, in.device, n);
            auto want = [&](long c) {
                long sum = 0;
                for (long r = 0; r < n; r++)
                    sum += in[r * COLUMNS + c];
                return sum;
            };
            lab_expect(out, want, 0, "integers");
        }
    LAB_CHECK("largest", n) {
        lab_array<int> in(n, LAB_RANDOM, 0, 1000), found(3, LAB_POISON);
        const record none = {INT_MIN, INT_MAX, 0};
        CUDA_CHECK(cudaMemcpy(found.device, &none, sizeof none, cudaMemcpyHostToDevice));
        largest<<<n % 50 + 1, BLOCK>>>((record *)found.device, in.device, n);
        long at = 0;
        for (long i = 0; i < n; i++)
            at = in[i] > in[at] ? i : at;
        lab_expect(found, [&](long k) { return k == 0 ? in[at] : k == 1 ? at : 0; }, 0, "integers");
    }

    int n = (int)lab_elements(1 << 23, 1 << 26) / TILE * TILE, few = (n / 32 / TILE + 1) * TILE;
    int rows = n / COLUMNS, blocks = 1; // few blocks for few rows: the last one reads a row of each
    while (blocks < sms && (blocks + 1) * (blocks + 1) <= rows)
        blocks++;
    lab_array<int> in(n), flags(n / TILE + 1, LAB_POISON), part(sms * COLUMNS, LAB_POISON);
    lab_array<int> sums(COLUMNS, LAB_POISON), found(3, LAB_RANDOM, 0, 0);
    lab_array<long long> out(n / TILE * 2L + 2, LAB_POISON);
    LAB_MEASURE("carry", few, 4.0 * few)
        carry<<<few / TILE, 32>>>(out.device, in.device, few, flags.device, ++launch);
    LAB_MEASURE("column_sums", n, 4.0 * n)
        column_sums<<<blocks, COLUMNS>>>(sums.device, part.device, in.device, rows);
    LAB_MEASURE("largest", n, 4.0 * n)
        largest<<<blocks, BLOCK>>>((record *)found.device, in.device, n);

    LAB_GOAL("carry", "cost", "at_most", 2, "fences wait as releases do, and the blocks add up");
    LAB_GOAL("largest", "cost", "at_most", 2, "other locks, other waits");
    LAB_GOAL("carry", "device_fences_per_block", "at_most", 2, "a block publishes once");
    LAB_GOAL("column_sums", "atomic_requests_per_block", "at_most", 2, "a block counts once");
    LAB_GOAL("largest", "device_fences_per_block", "at_most", 2, "only thread 0 leaves the block");
    LAB_GOAL("carry", "system_fences", "at_most", 0, "nobody outside the device waits");
    LAB_GOAL("column_sums", "system_fences", "at_most", 0, "nobody outside the device waits");
    LAB_GOAL("largest", "system_fences", "at_most", 0, "nobody outside the device waits");
    LAB_WORK("column_sums largest", rows / blocks + 4, 2, 24);
    return lab_end();
}
