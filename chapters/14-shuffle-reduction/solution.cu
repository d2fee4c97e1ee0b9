// Chapter 14: sums by shuffles. A block adds up with five steps per warp, a word each, one barrier.
// Build and run: ./warpbook run 14     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

const unsigned ALL = 0xffffffff; // member mask: every lane of the warp takes part

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The sum of VALUE over the 32 lanes of a warp, right in lane 0. Every lane calls it.
__device__ int warp_sum(int value)
{
    // TODO 1 (about 3 lines): an older text's last warp, not correct since Volta. Use shuffles.
    // A shuffle waits for all lanes of its mask, so a step cannot read a value too early, and it
    // needs no memory. The upper lanes add as well; their result is unused.
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL, value, distance);
    return value;
    // END TODO 1
}

// The sum of VALUE over the block, right in thread 0. The block is a whole number of warps.
__device__ int block_sum(int value)
{
    // TODO 2 (about 8 lines): each warp's sum to part; one barrier; the first warp adds them up.
    // The barrier stands between the warps' writes and the first warp's reads, the only exchange
    // between warps. All 32 lanes of the first warp shuffle; those without a warp's sum hold 0.
    __shared__ int part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        part[warp] = value;
    __syncthreads();
    if (warp == 0)
        value = warp_sum(lane < warps ? part[lane] : 0);
    // END TODO 2
    return value;
}

// *total += the sum of data[0 .. n-1], with any grid. data is aligned to 16 bytes, n is any number.
__global__ void sum_all(int *total, const int *data, int n)
{
    // TODO 3 (about 10 lines): a grid-stride loop over int4, the rest, one atomicAdd a block.
    // Few blocks with many iterations: the start, the barrier and the atomic are paid once for many
    // elements. 16 bytes per load; up to three elements at the end are loaded one by one.
    const int4 *data4 = (const int4 *)data;
    int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, sum = 0;
    for (int i = first; i < n / 4; i += all) {
        int4 v = data4[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int i = n / 4 * 4 + first; i < n; i += all)
        sum += data[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
    // END TODO 3
}

__device__ int four(const int *data, int n4) // this thread's four elements; 0 past the end
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = i < n4 ? ((const int4 *)data)[i] : make_int4(0, 0, 0, 0);
    return v.x + v.y + v.z + v.w;
}

// One sum per block, four elements per thread, added up in three ways: shuffles, the tree of
// chapter 10 with a barrier per step, and the instruction that adds a warp's ints (from sm_80).
__global__ void sums_shuffle(int *sums, const int *data, int n4)
{
    int sum = block_sum(four(data, n4));
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void sums_tree(int *sums, const int *data, int n4)
{
    __shared__ int part[1024];
    part[threadIdx.x] = four(data, n4);
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void sums_redux(int *sums, const int *data, int n4)
{
#if __CUDA_ARCH__ >= 800
    __shared__ int part[32];
    int t = threadIdx.x, sum = __reduce_add_sync(ALL, four(data, n4));
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = __reduce_add_sync(ALL, t < blockDim.x / 32 ? part[t] : 0);
    if (t == 0)
        sums[blockIdx.x] = sum;
#endif
}

int main(void)
{
    lab_begin("14-shuffle-reduction");
    auto part = [](const lab_array<int> &data, long first, long count) {
        double sum = 0;
        for (long i = first; i < first + count && i < data.n; i++) sum += data[i];
        return sum;
    };
    LAB_CHECK("sums_shuffle", n) {
        for (int block : {32, 96, 256, 1024}) {
            lab_case("block", block);
            lab_array<int> data(4L * n), sums((n + block - 1) / block, LAB_POISON);
            sums_shuffle<<<sums.n, block>>>(sums.device, data.device, n);
            lab_expect(sums, [&](int b) { return part(data, b * 4 * block, 4 * block); }, 0, "sum");
        }
    }
    LAB_CHECK("sum_all", n) {
        for (int grid : {1, 3, 40}) {
            lab_case("blocks", grid);
            lab_array<int> data(n), total(1, LAB_POISON);
            CUDA_CHECK(cudaMemset(total.device, 0, sizeof(int)));
            sum_all<<<grid, 256>>>(total.device, data.device, n);
            lab_expect(total, [&](long) { return part(data, 0, n); }, 0, "integers");
        }
    }

    int n = (int)lab_elements(1 << 23, 1 << 28) / 4096 * 4096, few = 4 * 132;
    lab_array<int> data(n), sums(n / 128, LAB_POISON);
    LAB_MEASURE("sum_all", n, 4.0 * n) {
        CUDA_CHECK(cudaMemsetAsync(sums.device, 0, sizeof(int)));
        sum_all<<<few, 1024>>>(sums.device, data.device, n);
    }
    for (int block : {32, 64, 128, 256, 512, 1024}) {
        int grid = n / 4 / block;
        LAB_SWEEP("sums_tree", block, n, 4.0 * (n + grid))
            sums_tree<<<grid, block>>>(sums.device, data.device, n / 4);
        LAB_SWEEP("sums_shuffle", block, n, 4.0 * (n + grid))
            sums_shuffle<<<grid, block>>>(sums.device, data.device, n / 4);
        LAB_SWEEP("sums_redux", block, n, 4.0 * (n + grid))
            sums_redux<<<grid, block>>>(sums.device, data.device, n / 4);
    }

    LAB_GOAL("sums_shuffle", "shared_load_conflicts", "at_most", 0, "32 words, 32 banks");
    LAB_GOAL("sum_all", "barriers_per_warp", "at_most", 2, "the warps, then the first warp");
    LAB_GOAL("sum_all", "shuffles_per_warp", "at_most", 6, "5 a warp, 5 more in the first");
    LAB_GOAL("sum_all", "load_sectors_per_request", "at_least", 15, "32 lanes of 16 bytes");
    LAB_WORK("sum_all", 1.01 * n / 4096 / few, 0.05, 24);
    LAB_WORK("sums_shuffle", 1, 0.33, 20);
    return lab_end();
}
