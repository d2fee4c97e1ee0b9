/* What warps and blocks wait for: barriers by block size and occupancy, alone and around shared
 * memory; spilled registers; flags, locks and tickets between blocks; barriers of the whole grid. */
#include "record.h"

#include <cooperative_groups.h>

enum { TIMES = 256 };

__global__ void barriers(int *out, int times)
{
    for (int k = 0; k < times; k++)
        __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

/* A word goes round by way of shared memory: stored, barrier, loaded, barrier. */
__global__ void pass_round(int *out, int times)
{
    __shared__ int word[1024];
    int v = threadIdx.x;
    for (int k = 0; k < times; k++) {
        word[threadIdx.x] = v;
        __syncthreads();
        v = word[(threadIdx.x + 32) % blockDim.x] + 1;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* WORDS ints a thread in local memory, each stored and read once a turn. */
template <int WORDS> __global__ void local_words(int *out, int mask, int times)
{
    int a[WORDS], sum = 0;
    for (int k = 0; k < times; k++) {
#pragma unroll 4
        for (int j = 0; j < WORDS; j++)
            a[j ^ mask] = j + k + threadIdx.x;
#pragma unroll 4
        for (int j = 0; j < WORDS; j++)
            sum += a[(j + 5) % WORDS ^ mask];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* A thread a block takes the lock TIMES times and adds to an ordinary word. */
__global__ void locked(int *lock, volatile int *word, int times)
{
    for (int k = 0; k < times; k++) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *word = *word + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* Block b waits for the flag of block b - 1, then sets its own. */
__global__ void hand_on(volatile int *flag, int launch)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (b > 0 && flag[32 * (b - 1)] != launch) {
        }
        __threadfence();
        flag[32 * b] = launch;
    }
}

/* Blocks draw tickets until all are gone. */
__global__ void tickets(int *next, int *out, int most)
{
    __shared__ int mine;
    for (;;) {
        if (threadIdx.x == 0)
            mine = atomicAdd(next, 1);
        __syncthreads();
        if (mine >= most)
            break;
        out[mine] = threadIdx.x;
        __syncthreads();
    }
}

__global__ void grid_barriers(int *out, int times)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int k = 0; k < times; k++)
        grid.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

/* Every block counts itself in; the last one knows. */
__global__ void last_block(unsigned *count, int *out)
{
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicInc(count, gridDim.x - 1) == gridDim.x - 1)
            *out = blockIdx.x;
    }
}

template <int WORDS> static void local()
{
    device_array<int> out(132 * 2048);
    for (int blocks_per_sm : {1, 8})
        for (int times : {1, 4}) {
            char name[64];
            snprintf(name, sizeof name, "local_words_%dx%d", blocks_per_sm, times);
            measure(name, WORDS, (size_t)132 * blocks_per_sm * 256 * WORDS * times, 0,
                    [&] { local_words<WORDS><<<132 * blocks_per_sm, 256>>>(out.p, 1, times); });
        }
}

int main()
{
    const size_t threads = 132 * 2048;
    device_array<int> out(threads), word(1 << 20);
    for (int block : {32, 64, 128, 256, 512, 1024})
        for (int per_sm : {1, 2048 / block}) {
            if (per_sm > 32)
                per_sm = 32;
            char name[64];
            snprintf(name, sizeof name, "barriers_%s", per_sm == 1 ? "one" : "full");
            measure(name, block, (size_t)132 * per_sm * block, 0,
                    [&] { barriers<<<132 * per_sm, block>>>(out.p, TIMES); });
            snprintf(name, sizeof name, "pass_round_%s", per_sm == 1 ? "one" : "full");
            measure(name, block, (size_t)132 * per_sm * block, 0,
                    [&] { pass_round<<<132 * per_sm, block>>>(out.p, TIMES); });
        }
    local<8>();
    local<16>();
    local<32>();
    local<64>();
    local<128>();
    for (int blocks : {1, 2, 8, 32, 132, 528})
        measure("locked", blocks, blocks, 0, [&] {
            CHECK(cudaMemsetAsync(word.p, 0, 4));
            locked<<<blocks, 32>>>(word.p, word.p + 32, 1);
        });
    int launch = 0;
    for (int blocks : {1, 32, 132, 1056, 4224})
        measure("hand_on", blocks, blocks, 0, [&] { hand_on<<<blocks, 32>>>(word.p, ++launch); });
    CHECK(cudaMemset(word.p, 0, 4096));
    for (int most : {132, 4096, 32768})
        measure("tickets", most, most, 0, [&] {
            CHECK(cudaMemsetAsync(word.p, 0, 4));
            tickets<<<132 * 4, 128>>>(word.p, out.p, most);
        });
    for (int blocks : {132, 4096, 32768})
        measure("last_block", blocks, blocks, 0,
                [&] { last_block<<<blocks, 128>>>((unsigned *)word.p + 64, out.p); });
    for (int per_sm : {1, 2, 8})
        for (int times : {0, 16}) {
            int *to = out.p, turns = times;
            void *arguments[] = {&to, &turns};
            char name[64];
            snprintf(name, sizeof name, "grid_barriers_%d", times);
            measure(name, per_sm, per_sm, 0, [&] {
                CHECK(cudaLaunchCooperativeKernel((void *)grid_barriers, 132 * per_sm, 256,
                                                  arguments, 0, 0));
            });
        }
    return 0;
}
