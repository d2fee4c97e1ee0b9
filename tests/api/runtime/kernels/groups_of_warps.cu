// flags: -arch=sm_90
// Cooperative groups of several warps keep their barriers and values in reserved shared memory.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <int SIZE> __global__ void sums(const int *in, int *out)
{
    __shared__ int mine[3];
    __shared__ cg::block_tile_memory<256> room;
    auto block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<SIZE>(block);
    if (threadIdx.x < 3)
        mine[threadIdx.x] = 7;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 3; round++) {
        const int sum = cg::reduce(tile, in[i] + round, cg::plus<int>());
        tile.sync();
        if (tile.thread_rank() == 0)
            out[round * 64 + i / SIZE] = sum;
    }
    block.sync();
    if (threadIdx.x == 0 && mine[0] + mine[1] + mine[2] != 21)
        out[0] = -1;
}

template <int SIZE> static void run(const int *in, int *out)
{
    sums<SIZE><<<4, 256>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int round = 0; round < 3; round++)
        for (int g = 0; g < 1024 / SIZE; g++) {
            int want = 0;
            for (int k = 0; k < SIZE; k++)
                want += in[g * SIZE + k] + round;
            CHECK(out[round * 64 + g] == want);
        }
}

int main(void)
{
    int *in, *out;
    OK(cudaMallocManaged(&in, 1024 * sizeof *in));
    OK(cudaMallocManaged(&out, 192 * sizeof *out));
    for (int i = 0; i < 1024; i++)
        in[i] = i * 37 % 101;
    run<32>(in, out);
    run<64>(in, out);
    run<128>(in, out);
    run<256>(in, out);
    return failures != 0;
}
