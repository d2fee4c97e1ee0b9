// Assignment 5: prefix sums, read once and written once. out[i] = in[0] + ... + in[i].
// Build and run: ./warpbook run prefix   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"
#include <vector>
#include <cub/device/device_scan.cuh> // the library that the toolkit brings: measured next to yours

enum { THREADS = 1024, VECTORS = 8, TILE = THREADS * VECTORS * 4 }; // yours to choose
enum : unsigned { ALL = 0xffffffff }; static_assert(TILE == THREADS * VECTORS * 4, "TILE fits");
static_assert(THREADS % 32 == 0 && THREADS <= 1024 && TILE > 0, "a block is 1 to 32 whole warps");
// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The sum of VALUE over the lanes up to this one. Every lane of the warp calls it.
__device__ int warp_scan(int value)
{
    // TODO 1 (about 5 lines): by shuffles upwards, over distances 1, 2, 4, 8 and 16.
    // After the step of distance d a lane holds the sum of 2d lanes, itself the last. A lane
    // without a lane d below it gets its own value back, which must not be added.
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(ALL, value, d);
        value += lane >= d ? below : 0;
    }
    // END TODO 1
    return value;
}

// Vector k of a lane is int4 number 32 k + lane of its warp's part of the tile. ahead[k]: the sum
// of all ints that precede it in the tile. Returns the sum of the tile, in every thread.
__device__ int tile_scan(int ahead[VECTORS], const int4 v[VECTORS])
{
    int total = 0;
    // TODO 2 (about 14 lines): warp_scan for each k, with a carry; then the sums of the warps.
    // 128 neighbouring ints per step: only one word per warp goes through shared memory. Every warp
    // scans these words for itself, which is cheaper than a second barrier.
    __shared__ int part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, carry = 0;
    for (int k = 0; k < VECTORS; k++) {
        int own = v[k].x + v[k].y + v[k].z + v[k].w, sum = warp_scan(own);
        ahead[k] = carry + sum - own;
        carry += __shfl_sync(ALL, sum, 31);
    }
    if (lane == 0)
        part[warp] = carry;
    __syncthreads();
    int sums = warp_scan(lane < THREADS / 32 ? part[lane] : 0);
    int warps_ahead = __shfl_sync(ALL, sums, warp - 1);
    for (int k = 0; k < VECTORS && warp > 0; k++)
        ahead[k] += warps_ahead;
    total = __shfl_sync(ALL, sums, 31);
    // END TODO 2
    return total;
}

// A word a tile, read by later tiles: the sum of its OWN ints, later that of ALL_SO_FAR. Its 64
// bits are written at once, so a new kind is never seen with an old sum. Other launches' are
// NOTHING.
enum kind { NOTHING, OWN, ALL_SO_FAR };
typedef unsigned long long word;

__device__ void publish(word *tile, unsigned launch, kind kind, int sum)
{
    *(volatile word *)tile = (word)(launch * 4 + kind) << 32 | (unsigned)sum;
}

__device__ kind look(const word *tile, unsigned launch, int *sum)
{
    word now = *(const volatile word *)tile;
    *sum = (int)now;
    return now >> 34 == launch ? (kind)(now >> 32 & 3) : NOTHING;
}

// The sum of all tiles that precede TILE, whose own sum is TOTAL, in every thread.
__device__ int sum_ahead(word *tiles, unsigned launch, int tile, int total)
{
    __shared__ int ahead;
    // TODO 3 (about 18 lines): publish, look back, publish. The first warp does it, a tile a lane.
    // A tile with ALL_SO_FAR ends the search; those before it give their OWN sums. A block waits
    // only for lower tickets, which running blocks hold: so at least one block always makes
    // progress.
    if (threadIdx.x < 32) {
        int lane = threadIdx.x, at = tile - 1 - lane, sum = 0;
        if (lane == 0)
            publish(&tiles[tile], launch, OWN, total);
        for (unsigned all = 0; !all;) {
            int value = 0;
            kind kind = at >= 0 ? look(&tiles[at], launch, &value) : ALL_SO_FAR;
            all = __ballot_sync(ALL, kind == ALL_SO_FAR);
            unsigned needed = all ? all ^ (all - 1) : ALL; // the lanes up to the nearest of them
            if (__ballot_sync(ALL, kind == NOTHING) & needed) {
                all = 0; // look again
                continue;
            }
            sum += __shfl_sync(ALL, warp_scan(needed >> lane & 1 ? value : 0), 31);
            at -= 32;
        }
        if (lane == 0) {
            publish(&tiles[tile], launch, ALL_SO_FAR, sum + total);
            ahead = sum;
        }
    }
    __syncthreads();
    // END TODO 3
    return ahead;
}

__device__ unsigned ticket; // wraps to 0 with the last block: ready for the next launch

// out, in: n ints, aligned to 16 bytes. tiles: a word per tile, with any content. launch: new.
__launch_bounds__(THREADS) // at most 64 registers, so that 1024 threads fit
__global__ void scan(int *out, const int *in, int n, bool exclusive, word *tiles, unsigned launch)
{
    __shared__ int tile; // in the order in which blocks begin, not of blockIdx
    if (threadIdx.x == 0)
        tile = atomicInc(&ticket, gridDim.x - 1);
    __syncthreads();
    int first = tile * TILE + threadIdx.x / 32 * (VECTORS * 128) + threadIdx.x % 32 * 4;
    int4 v[VECTORS];
#pragma unroll
    for (int k = 0, i = first; k < VECTORS; k++, i += 128)
        v[k] = i + 3 < n ? *(const int4 *)(in + i)
                         : make_int4(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0,
                                     i + 2 < n ? in[i + 2] : 0, 0);
    int ahead[VECTORS] = {}, total = tile_scan(ahead, v);
    int before = sum_ahead(tiles, launch, tile, total);
#pragma unroll
    for (int k = 0, i = first; k < VECTORS; k++, i += 128) {
        int a = before + ahead[k], b = a + v[k].x, c = b + v[k].y, d = c + v[k].z;
        int4 s = exclusive ? make_int4(a, b, c, d) : make_int4(b, c, d, d + v[k].w);
        if (i + 3 < n)
            *(int4 *)(out + i) = s;
        else
            for (int j = i; j < n; j++)
                out[j] = j == i ? s.x : j == i + 1 ? s.y : s.z;
    }
}

// For a check: the sum ahead of TILE, in a row of tiles that no other block goes on with.
__global__ void look_back(int *out, word *tiles, int tile)
{
    int sum = sum_ahead(tiles, 1, tile, 0);
    if (threadIdx.x < 32)
        out[threadIdx.x] = sum;
}

int main(void)
{
    lab_begin("labs/05-prefix-sum");
    unsigned launch = 0;
    auto scan_all = [&](int *out, const int *in, int n, bool exclusive, word *tiles) {
        scan<<<(n + TILE - 1) / TILE, THREADS>>>(out, in, n, exclusive, tiles, ++launch);
    };
    auto check = [&](int n, bool exclusive) {
        lab_array<int> in(n), out(n, LAB_POISON);
        lab_array<long long> tiles(n / TILE + 1, LAB_POISON);
        scan_all(out.device, in.device, n, exclusive, (word *)tiles.device);
        std::vector<int> sums(n + 1);
        for (int i = 0; i < n; i++)
            sums[i + 1] = sums[i] + in[i];
        lab_expect(out, [&](long i) { return sums[i + !exclusive]; }, 0, "integers");
    };
    LAB_CHECK("scan", n)
        check(n, false);
    LAB_CHECK("scan_exclusive", n)
        check(n, true);
    LAB_CHECK_AT("scan_long", 3000001)
        check(3000001, false);
    LAB_CHECK_AT("look_back", 70) { // tile 10 has ALL_SO_FAR, the others their OWN, for ever
        lab_array<int> own(70), out(32, LAB_POISON);
        lab_array<long long> tiles(70, LAB_POISON);
        std::vector<word> row(70);
        int sum = 0;
        for (int k = 0; k < 69; k++) {
            sum += own[k];
            row[k] = k == 10 ? (word)(4 + ALL_SO_FAR) << 32 | (unsigned)sum
                             : (word)(4 + OWN) << 32 | (unsigned)own[k];
        }
        CUDA_CHECK(cudaMemcpy(tiles.device, row.data(), 8 * 70, cudaMemcpyDefault));
        look_back<<<1, THREADS>>>(out.device, (word *)tiles.device, 69);
        lab_expect(out, [&](long) { return sum; }, 0, "integers");
    }

    int n = (int)lab_elements(1 << 23, 1 << 28);
    lab_array<int> in(n), out(n, LAB_POISON);
    lab_array<long long> tiles(n / TILE + 1, LAB_POISON);
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, in.device, out.device, n); // asks how many
    lab_array<char> room(bytes);
    LAB_ROUNDS {
        LAB_MEASURE("scan", n, 8.0 * n)
            scan_all(out.device, in.device, n, false, (word *)tiles.device);
        LAB_MEASURE("cub", n, 8.0 * n)
            CUDA_CHECK(cub::DeviceScan::InclusiveSum(room.device, bytes, in.device, out.device, n));
    }

    LAB_GOAL("scan", "store_sectors_per_request", "at_least", 12, "32 lanes of 16 bytes are 16");
    LAB_GOAL("scan", "barriers_per_warp", "at_most", 4, "a ticket, the warps' sums, what is ahead");
    LAB_GOAL("scan", "load_sectors_per_store_sector", "at_most", 1.1, "read once, written once");
    LAB_GOAL("scan", "shuffles_per_store_request", "at_most", 10.5, "six a vector, seven a warp");
    LAB_GOAL("scan", "bytes_per_instruction", "at_least", 10, "32 lanes scan in five steps");
    LAB_GOAL("scan", "lanes_per_instruction", "at_least", 24, "all lanes of a warp add");
    LAB_GOAL("scan", "busiest_warp", "at_most", 4, "all warps and blocks do");
    return lab_end();
}
