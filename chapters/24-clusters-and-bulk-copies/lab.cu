// Chapter 24: clusters and bulk copies. A row lies in the shared memory of all blocks of a cluster.
// Build and run: ./warpbook run 24   or, on sm_90: nvcc -arch=sm_90 -I ../../common lab.cu; ./a.out
#include "lab.h"
#include "lab_sm_90.h"
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <vector>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BLOCK = 256, BLOCKS = 8, TILE = 8 * BLOCK, ROW = BLOCKS * TILE }; // BLOCKS: of a cluster

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The sum over all threads of the cluster. Given: mine, the sum over the threads of this block.
__device__ int cluster_sum(int mine)
{
    int sum = mine;
    // TODO 1 (about 8 lines): add up the sums of all blocks. Who waits for whom, and how often?
    // END TODO 1
    return sum;
}

// Given: how many ints of the tile that begins at in[first] lie before n, a multiple of 4.
__device__ int count_at(long first, long n)
{
    return first >= n ? 0 : n - first < TILE ? (int)(n - first) : TILE;
}

// One thread: starts the copy of the tile at in[first]. A phase of full ends when it has arrived.
__device__ void fetch(int *tile, const int *in, long first, long n, uint64_t *full)
{
    // TODO 2 (about 4 lines): an arrival that says how many bytes will come, and one bulk copy.
    ptx::mbarrier_arrive(full);
    // END TODO 2
}

// Given: makes count mbarriers. One arrival ends a phase, and the bytes that the arrival announced.
__device__ void begin(uint64_t *full, int count)
{
    if (threadIdx.x < count)
        ptx::mbarrier_init(&full[threadIdx.x], 1);
    ptx::fence_proxy_async(ptx::space_shared); // bulk copies see them from now on
    __syncthreads();
}

// Given: waits until the phase of this parity has ended. The first phase has parity 0, the next 1.
__device__ void wait(uint64_t *full, bool parity)
{
    while (!ptx::mbarrier_try_wait_parity(full, parity))
        ;
}

// Given: the cluster's k-th row begins at in[row_at(k)], the block's tile in it at in[tile_at(k)].
__device__ long row_at(int k)
{
    return (blockIdx.x / BLOCKS * BLOCKS + (long)k * gridDim.x) * TILE;
}
__device__ long tile_at(int k)
{
    return row_at(k) + blockIdx.x % BLOCKS * TILE;
}

// Given: each out is the sum of the other ints of its row. The tile may be overwritten then.
__device__ void use(int *out, const int *tile, long first, long n)
{
    __shared__ int warps[BLOCK / 32];
    int sum = 0, lane = threadIdx.x % 32, count = count_at(first, n);
    for (int j = threadIdx.x; j < count; j += BLOCK)
        sum += tile[j];
    sum = __reduce_add_sync(~0u, sum);
    if (lane == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = cluster_sum(__reduce_add_sync(~0u, lane < BLOCK / 32 ? warps[lane] : 0));
    for (int j = threadIdx.x; j < count; j += BLOCK)
        out[first + j] = sum - tile[j];
    __syncthreads();
}

// Given, to compare with: the threads load the tile.
__cluster_dims__(BLOCKS) __global__ void rows_loaded(int *out, const int *in, long n)
{
    __shared__ int tile[TILE];
    for (long first = tile_at(0); first / ROW * ROW < n; first += (long)gridDim.x * TILE) {
        for (int j = threadIdx.x; j < count_at(first, n); j += BLOCK)
            tile[j] = in[first + j];
        use(out, tile, first, n);
    }
}

// Given: one thread fetches the tile, and all wait for its phase.
__cluster_dims__(BLOCKS) __global__ void rows_bulk(int *out, const int *in, long n)
{
    __shared__ alignas(16) int tile[TILE];
    __shared__ uint64_t full;
    begin(&full, 1);
    for (int k = 0; row_at(k) < n; k++) {
        if (threadIdx.x == 0)
            fetch(tile, in, tile_at(k), n, &full);
        wait(&full, k % 2);
        use(out, tile, tile_at(k), n);
    }
}

template <int STAGES>
__cluster_dims__(BLOCKS) __global__ void rows_staged(int *out, const int *in, long n)
{
    __shared__ alignas(16) int tile[STAGES][TILE];
    __shared__ uint64_t full[STAGES];
    begin(full, STAGES);
    // TODO 3 (about 9 lines): keep STAGES tiles in use or on their way, in turn.
    for (int k = 0; row_at(k) < n; k++)
        use(out, tile[0], tile_at(k), n);
    // END TODO 3
}

// Two clusters go through all rows, so that each mbarrier has several phases. Units of 16 bytes.
static void check(decltype(&rows_bulk) k, long units)
{
    lab_array<int> in(4 * units), out(4 * units, LAB_POISON);
    std::vector<int> sum(4 * units / ROW + 1);
    for (long i = 0; i < 4 * units; i++)
        sum[i / ROW] += in[i];
    k<<<2 * BLOCKS, BLOCK>>>(out.device, in.device, 4 * units);
    lab_expect(out, [&](long i) { return sum[i / ROW] - in[i]; }, 0, "sums of ints are exact");
}

int main(void)
{
    cudaDeviceProp device;
    const decltype(&rows_bulk) staged[] = {rows_staged<1>, rows_staged<2>, rows_staged<3>};
    lab_begin("24-clusters-and-bulk-copies");
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));

    LAB_CHECK("rows_loaded", units)
        check(rows_loaded, units);
    LAB_CHECK("rows_bulk", units)
        check(rows_bulk, units);
    LAB_CHECK("rows_staged", units)
        for (int stages : {1, 2, 3}) {
            lab_case("stages", stages);
            check(staged[stages - 1], units);
        }

    long n = lab_elements(1 << 22, 1 << 28) / 4 * 4, rows = (n + ROW - 1) / ROW;
    long most = 2 * device.multiProcessorCount / BLOCKS, clusters = rows < most ? rows : most;
    lab_array<int> in(n), out(n, LAB_POISON);
    LAB_MEASURE("rows_loaded", n, 8.0 * n)
        rows_loaded<<<clusters * BLOCKS, BLOCK>>>(out.device, in.device, n);
    LAB_MEASURE("rows_bulk", n, 8.0 * n)
        rows_bulk<<<clusters * BLOCKS, BLOCK>>>(out.device, in.device, n);
    for (int stages : {1, 2, 3})
        LAB_SWEEP("rows_staged", stages, n, 8.0 * n)
            staged[stages - 1]<<<clusters * BLOCKS, BLOCK>>>(out.device, in.device, n);

    double share = (double)((rows + clusters - 1) / clusters); // tiles of a block
    LAB_GOAL("rows_loaded", "remote_requests_per_warp", "at_least", share / 10, "by shared memory");
    LAB_GOAL("rows_loaded", "cluster_barriers_per_warp", "at_most", 3 * share + 2, "two do");
    LAB_GOAL("rows_bulk", "sectors_per_bulk_copy", "at_least", 64, "few large copies");
    LAB_GOAL("rows_staged<2>", "phases_in_flight", "at_least", 1 - 2 / share, "one tile ahead");
    LAB_GOAL("rows_staged<3>", "phases_in_flight", "at_least", 2 - 6 / share, "two tiles ahead");
    LAB_WORK("rows_loaded", 8 * share, 8 * share, 24);
    LAB_WORK("rows_bulk rows_staged<2>", 0, 8 * share, 24); // no loads: bulk copies alone
    return lab_end();
}
