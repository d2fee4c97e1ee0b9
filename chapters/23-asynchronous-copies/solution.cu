// Chapter 23: asynchronous copies. Blocks go from tile to tile; the next one is on its way early.
// Build and run: ./warpbook run 23     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"
#include <cuda_pipeline.h>

enum { BLOCK = 256, TILE = 4 * BLOCK, TAPS = 8 };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Starts the copy of the TILE ints from in[first] on to tile, as one group. Past n it fills in 0.
__device__ void fetch(int *tile, const int *in, long first, int n)
{
    // TODO 1 (about 4 lines): an asynchronous copy of 16 bytes per thread, and its group.
    // Each thread copies 4 ints, side by side. Of the 16 bytes those past n are not read, but
    // filled with zeros. The commit makes a group of the copies, for which a wait can wait.
    long at = 4 * threadIdx.x, left = n - (first + at);
    int missing = left <= 0 ? 4 : left < 4 ? 4 - (int)left : 0;
    __pipeline_memcpy_async(&tile[at], &in[first + at], 16, 4 * missing);
    __pipeline_commit();
    // END TODO 1
}

// Given: the same by way of registers, and done when it returns.
__device__ void load(int *tile, const int *in, long first, int n)
{
    long i = first + 4 * threadIdx.x;
    auto at = [&](long k) { return k < n ? in[k] : 0; };
    ((int4 *)tile)[threadIdx.x] =
        i + 3 < n ? *(const int4 *)&in[i] : make_int4(at(i), at(i + 1), at(i + 2), at(i + 3));
}

// Given: out is the sum of TAPS ints of the tile, after whose last one comes its first again.
__device__ void use(int *out, const int *tile, long first, int n)
{
    for (int j = threadIdx.x; j < TILE; j += BLOCK) {
        int sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += tile[(j + k) % TILE];
        if (first + j < n)
            out[first + j] = sum;
    }
}

// Given, to compare with: load a tile, use it, load the next one.
__global__ void tiles_loaded(int *out, const int *in, int n)
{
    __shared__ __align__(16) int tile[TILE];
    long step = (long)gridDim.x * TILE;
    for (long first = (long)blockIdx.x * TILE; first < n; first += step) {
        load(tile, in, first, n);
        __syncthreads();
        use(out, tile, first, n);
        __syncthreads();
    }
}

__global__ void tiles_async(int *out, const int *in, int n)
{
    __shared__ __align__(16) int tile[TILE];
    long step = (long)gridDim.x * TILE;
    for (long first = (long)blockIdx.x * TILE; first < n; first += step) {
        // TODO 2 (about 5 lines): fetch the tile, wait for it, use it. Who waits for whom?
        // The wait is for the thread's own copies only. The first barrier makes that a wait for
        // all. The second one keeps the next fetch from overwriting what others still read.
        fetch(tile, in, first, n);
        __pipeline_wait_prior(0);
        __syncthreads();
        use(out, tile, first, n);
        __syncthreads();
        // END TODO 2
    }
}

template <int STAGES> __global__ void tiles_staged(int *out, const int *in, int n)
{
    __shared__ __align__(16) int tile[STAGES][TILE];
    long step = (long)gridDim.x * TILE, first = (long)blockIdx.x * TILE;
    // TODO 3 (about 9 lines): keep STAGES tiles in use or on their way, in turn.
    // STAGES - 1 tiles are fetched before the loop, and in it always the one that is as far ahead.
    // So the wait leaves STAGES - 1 groups in flight. Tiles past n make groups too, of zeros only:
    // thus the number is the same to the end.
    for (int s = 0; s < STAGES - 1; s++)
        fetch(tile[s], in, first + s * step, n);
    for (int s = 0; first < n; s = (s + 1) % STAGES, first += step) {
        fetch(tile[(s + STAGES - 1) % STAGES], in, first + (STAGES - 1) * step, n);
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        use(out, tile[s], first, n);
        __syncthreads();
    }
    // END TODO 3
}

typedef void (*kernel)(int *, const int *, int);

// Three blocks go through all tiles, so that each of them comes round.
static void check(kernel k, int n)
{
    lab_array<int> in(n), out(n, LAB_POISON);
    k<<<3, BLOCK>>>(out.device, in.device, n);
    auto want = [&](long i) {
        long sum = 0, first = i / TILE * TILE;
        for (long j = i - first; j < i - first + TAPS; j++)
            sum += first + j % TILE < n ? in[first + j % TILE] : 0;
        return sum;
    };
    lab_expect(out, want, 0, "sums of ints are exact");
}

int main(void)
{
    cudaDeviceProp device;
    const kernel staged[] = {tiles_staged<1>, tiles_staged<2>, tiles_staged<3>, tiles_staged<4>};
    lab_begin("23-asynchronous-copies");
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));

    LAB_CHECK("tiles_loaded", n)
        check(tiles_loaded, n);
    LAB_CHECK("tiles_async", n)
        check(tiles_async, n);
    LAB_CHECK("tiles_staged", n)
        for (int stages : {1, 2, 3, 4}) {
            lab_case("stages", stages);
            check(staged[stages - 1], n);
        }

    int n = (int)lab_elements(1 << 22, 1 << 28), most = 2 * device.multiProcessorCount;
    int tiles = (n + TILE - 1) / TILE, blocks = tiles < most ? tiles : most; // two blocks per SM
    lab_array<int> in(n), out(n, LAB_POISON);
    LAB_MEASURE("tiles_loaded", n, 8.0 * n)
        tiles_loaded<<<blocks, BLOCK>>>(out.device, in.device, n);
    LAB_MEASURE("tiles_async", n, 8.0 * n)
        tiles_async<<<blocks, BLOCK>>>(out.device, in.device, n);
    for (int stages : {1, 2, 3, 4})
        LAB_SWEEP("tiles_staged", stages, n, 8.0 * n)
            staged[stages - 1]<<<blocks, BLOCK>>>(out.device, in.device, n);

    int share = (tiles + blocks - 1) / blocks; // tiles of a block: a load and four stores each
    LAB_GOAL("tiles_async", "waits_per_async_copy", "at_most", 1, "wait for each copy once");
    LAB_GOAL("tiles_staged<2>", "copy_groups_left_per_wait", "at_least", 1, "one tile on its way");
    LAB_GOAL("tiles_staged<4>", "copy_groups_left_per_wait", "at_least", 3, "three on their way");
    LAB_GOAL("tiles_async", "async_copies_per_warp", "at_least", share / 2.0, "by the copier");
    LAB_GOAL("tiles_async", "async_copies_per_warp", "at_most", share, "16 bytes per lane");
    LAB_GOAL("tiles_async", "shared_load_conflicts", "at_most", 0, "lanes read in a row");
    LAB_WORK("tiles_async tiles_staged<2>", share + 1, 4 * share, 28);
    return lab_end();
}
