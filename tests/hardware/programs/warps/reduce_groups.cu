// Cooperative groups: tiles, coalesced groups, cg::reduce and scans, a grid that waits for itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int sum_group(cg::thread_group g, int *temp, int value)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = value;
        g.sync();
        if (lane < i)
            value += temp[lane + i];
        g.sync();
    }
    return value;
}

__global__ void sum_block(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    auto block = cg::this_thread_block();
    int mine = 0;
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size())
        mine += in[i];
    int s = sum_group(block, temp, mine);
    if (block.thread_rank() == 0)
        atomicAdd(out, s);
}

template <int SIZE> __global__ void sum_tiles(const int *in, int *out)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int v = in[cg::this_grid().thread_rank()];
    int sum = cg::reduce(tile, v, cg::plus<int>());
    int most = cg::reduce(tile, v, cg::greater<int>());
    int before = cg::exclusive_scan(tile, v, cg::plus<int>());
    int upto = cg::inclusive_scan(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0)
        atomicAdd(&out[0], sum), atomicMax(&out[1], most);
    if (upto - before != v)
        atomicAdd(&out[2], 1);
    if (tile.thread_rank() == tile.size() - 1 && upto != sum)
        atomicAdd(&out[3], 1);
}

__global__ void odd_ones(const int *in, int *out)
{
    int v = in[cg::this_grid().thread_rank()];
    if (v & 1) {
        auto active = cg::coalesced_threads();
        int sum = cg::reduce(active, v, cg::plus<int>());
        if (active.thread_rank() == 0)
            atomicAdd(&out[0], sum), atomicAdd(&out[1], active.size());
    }
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto alike = cg::labeled_partition(tile, v % 5);
    if (alike.thread_rank() == 0)
        atomicAdd(&out[2], 1);
    auto halves = cg::binary_partition(tile, v > 500);
    if (halves.thread_rank() == 0)
        atomicMax(&out[3], halves.size());
}

__global__ void waves(int *data, int n, int rounds)
{
    auto grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            data[(r + 1) % 2 * n + i] =
                data[r % 2 * n + (i + 1) % n] + data[r % 2 * n + (i + n - 1) % n];
        grid.sync();
    }
}

int main()
{
    const int n = 4096;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, 8 * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = (i * 7919) % 1009;
    auto clear = [&] { cudaDeviceSynchronize(), memset(out, 0, 8 * sizeof *out); };
    clear();
    sum_block<<<4, 256, 256 * sizeof(int)>>>(in, out, n);
    cudaDeviceSynchronize();
    printf("block: %d\n", out[0]);
#define TILES(size)                             \
    clear();                                    \
    sum_tiles<size><<<n / 128, 128>>>(in, out); \
    cudaDeviceSynchronize();                    \
    printf("tiles of %d: %d, most %d, wrong scans %d %d\n", size, out[0], out[1], out[2], out[3]);
    TILES(32)
    TILES(16)
    TILES(4)
    TILES(1)
    clear();
    odd_ones<<<n / 256, 256>>>(in, out);
    cudaDeviceSynchronize();
    printf("odd: %d in %d, groups alike %d, largest half %d\n", out[0], out[1], out[2], out[3]);
    int m = 1000, rounds = 9, *data;
    cudaMallocManaged(&data, 2 * m * sizeof *data);
    for (int i = 0; i < m; i++)
        data[i] = i == 500;
    void *args[] = {&data, &m, &rounds};
    cudaError_t error = cudaLaunchCooperativeKernel((void *)waves, dim3(8), dim3(128), args, 0, 0);
    cudaDeviceSynchronize();
    printf("grid: %s:", cudaGetErrorName(error));
    for (int i = 490; i <= 510; i++)
        printf(" %d", data[rounds % 2 * m + i]);
    printf("\n");
    return 0;
}
