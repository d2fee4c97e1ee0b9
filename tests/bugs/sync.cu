// Mistakes with barriers and member masks, one an argument: see host.cu for the marks.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cg = cooperative_groups;
enum { N = 256 };
__device__ int data[N];
__device__ int result[N];

__global__ void in_branch(int n)
{
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 64)
        __syncthreads(); // BUG in_branch sync
    result[threadIdx.x] = s[threadIdx.x ^ 1] + n;
}

__global__ void in_both_branches(int n)
{
    __shared__ int s[N];
    if (threadIdx.x < 128) {
        s[threadIdx.x] = n;
        __syncthreads(); // SEE in_both_branches sync
        result[threadIdx.x] = s[127 - threadIdx.x];
    } else {
        s[threadIdx.x] = 2 * n;
        __syncthreads(); // BUG in_both_branches sync
        result[threadIdx.x] = s[383 - threadIdx.x] + 1;
    }
}

__global__ void after_return(int n)
{
    __shared__ int s[N];
    if ((int)threadIdx.x >= n)
        return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads(); // BUG after_return sync
    result[threadIdx.x] = s[n - 1 - threadIdx.x];
}

__global__ void in_loop_of_thread(int n)
{
    __shared__ int s[N];
    for (int i = threadIdx.x; i < n; i += 64) {
        s[i] = i;
        __syncthreads(); // BUG in_loop_of_thread sync
        result[i] = s[i ^ 1];
    }
}

__global__ void skipped_once(int n)
{
    __shared__ int s[N];
    s[threadIdx.x] = n;
    if (threadIdx.x % 2 == 0)
        __syncthreads(); // SEE skipped_once sync
    s[threadIdx.x ^ 1] += n;
    __syncthreads(); // BUG skipped_once sync
    result[threadIdx.x] = s[threadIdx.x];
}

__global__ void counts_differ(int n)
{
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 128;" ::: "memory"); // SEE counts_differ sync
    else
        asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG counts_differ sync
    result[threadIdx.x] = n;
}

__global__ void full_mask_in_branch(int n)
{
    int v = data[threadIdx.x], up = 0;
    if (threadIdx.x % 32 < 16)
        up = __shfl_down_sync(0xffffffff, v, 1); // BUG full_mask_in_branch sync
    result[threadIdx.x] = up + v * n;
}

__global__ void full_mask_in_loop(int n)
{
    int v = data[threadIdx.x];
    for (int i = threadIdx.x; i < n; i += 32)
        v += __shfl_xor_sync(0xffffffff, v, 1); // BUG full_mask_in_loop sync
    result[threadIdx.x] = v;
}

__global__ void ballot_in_branch(int n)
{
    unsigned votes = 0;
    if (data[threadIdx.x] + (int)threadIdx.x > n)
        votes = __ballot_sync(0xffffffff, data[threadIdx.x] & 1); // BUG ballot_in_branch sync
    result[threadIdx.x] = votes + data[threadIdx.x];
}

__global__ void syncwarp_in_branch(int n)
{
    __shared__ volatile int s[N];
    s[threadIdx.x] = n;
    if (threadIdx.x & 1)
        __syncwarp(); // BUG syncwarp_in_branch sync
    result[threadIdx.x] = s[threadIdx.x ^ 1];
    data[threadIdx.x] = n;
}

__global__ void fine_uniform_branch(int n)
{
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    if (n > 10)
        __syncthreads();
    result[threadIdx.x] = s[threadIdx.x] + n;
}

__global__ void fine_guarded(int n)
{
    __shared__ int s[N];
    if ((int)threadIdx.x < n)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if ((int)threadIdx.x < n)
        result[threadIdx.x] = s[n - 1 - threadIdx.x];
}

__global__ void fine_blocks_return(int n)
{
    __shared__ int s[N];
    if (blockIdx.x * blockDim.x >= n)
        return; // the whole block
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    result[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void fine_producer_consumer(int n)
{
    __shared__ int s[N];
    if (threadIdx.x < 128) {
        s[threadIdx.x] = n;
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        result[threadIdx.x] = s[threadIdx.x - 128];
    }
}

__global__ void fine_half_of_block(int n)
{
    __shared__ int s[N];
    if (threadIdx.x >= 128)
        return;
    s[threadIdx.x] = n;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    result[threadIdx.x] = s[127 - threadIdx.x];
}

__global__ void fine_mask_of_branch(int n)
{
    int v = data[threadIdx.x] + n;
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x % 32 < 20);
    if (threadIdx.x % 32 < 20)
        v += __shfl_xor_sync(mask, v, 1);
    result[threadIdx.x] = v;
}

__global__ void fine_active_mask(int n)
{
    if (data[threadIdx.x] + (int)threadIdx.x > n) {
        cg::coalesced_group g = cg::coalesced_threads();
        result[threadIdx.x] = g.shfl(data[threadIdx.x], 0) + g.num_threads();
    }
}

__global__ void fine_tiles(int n)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = data[threadIdx.x];
    if (threadIdx.x / 8 % 2)
        for (int d = 4; d; d /= 2)
            v += tile.shfl_down(v, d);
    result[threadIdx.x] = v + n;
}

__global__ void fine_tail_returns(int n)
{
    if ((int)threadIdx.x >= n)
        return;
    unsigned votes = __ballot_sync(0xffffffff, threadIdx.x & 1); // those that have left are not asked
    result[threadIdx.x] = votes;
}

__global__ void fine_reduction(int n)
{
    __shared__ int s[N / 32];
    int v = data[threadIdx.x] + n;
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x == 0)
            result[0] = v;
    }
}

__global__ void fine_loop_of_block(int n)
{
    __shared__ int s[N];
    for (int base = 0; base < n; base += N) {
        int i = base + threadIdx.x;
        s[threadIdx.x] = i < n ? i : 0;
        __syncthreads();
        if (threadIdx.x == 0)
            result[base / N % N] = s[n % N];
        __syncthreads();
    }
}

// Values from lanes past the end of the block: dropped, and not.
__global__ void lane_past_the_block(int n)
{
    int v = data[threadIdx.x] + n;
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d); // BUG lane_past_the_block sync
    if (threadIdx.x % 32 == 0)
        atomicAdd(&result[0], v);
}

__global__ void fine_lane_past_the_block(int n)
{
    int v = data[threadIdx.x] + n, count = blockDim.x % 32;
    for (int d = 16; d; d /= 2) {
        int other = __shfl_down_sync(0xffffffff, v, d);
        v += threadIdx.x / 32 == 0 || (int)threadIdx.x % 32 + d < count ? other : 0;
    }
    if (threadIdx.x % 32 == 0)
        atomicAdd(&result[0], v);
}

#define CASES(X)                                                                                   \
    X(in_branch, 1) X(in_both_branches, 1) X(after_return, 100) X(in_loop_of_thread, 100)          \
    X(skipped_once, 1) X(counts_differ, 1) X(full_mask_in_branch, 1) X(full_mask_in_loop, 40)      \
    X(ballot_in_branch, 50) X(syncwarp_in_branch, 1) X(fine_uniform_branch, 20)                    \
    X(fine_guarded, 100) X(fine_blocks_return, 256) X(fine_producer_consumer, 1)                   \
    X(fine_half_of_block, 1) X(fine_mask_of_branch, 1) X(fine_active_mask, 77) X(fine_tiles, 1)    \
    X(lane_past_the_block, 1) X(fine_lane_past_the_block, 1) X(fine_tail_returns, 77) X(fine_reduction, 1) X(fine_loop_of_block, 1000)

// How many threads a block has, of a case that wants other than N.
static int threads_of(const char *name)
{
    return strstr(name, "past_the_block") ? 48 : !strcmp(name, "in_loop_of_thread") ? 64 : !strcmp(name, "full_mask_in_loop") ? 32 : N;
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
#define RUN(name, n)                                                                               \
    if (strcmp(argv[k], #name) == 0)                                                               \
        name<<<2, threads_of(argv[k])>>>(n);
        CASES(RUN)
    }
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorName(e));
    return 0;
}
