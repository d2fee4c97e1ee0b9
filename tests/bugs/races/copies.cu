// Mistakes with asynchronous copies (cp.async): a use before the wait, a wait for too few groups, no barrier
// after it, a refill while others still read. The line of the use and the copy's are marked. As races.cu.
#include "race_cases.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

enum { TILE = 4 * THREADS, TILES = N / TILE };

// 16 bytes per thread.
#define FETCH(tile, k) __pipeline_memcpy_async(&(tile)[4 * threadIdx.x], &in[(k) * TILE + 4 * threadIdx.x], 16)

// What a thread reads of a tile: what the next thread copied, and half the tile away.
__device__ int next_of(const int *tile)
{
    return tile[(4 * threadIdx.x + 5) % TILE];
}
#define HALF(tile) (tile)[(4 * threadIdx.x + TILE / 2) % TILE]

// --- a use before the wait
__global__ void bug_no_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_no_wait
    __pipeline_commit();
    __syncthreads();
    out[ME] = HALF(tile); // BUG bug_no_wait
}
__global__ void bug_own_part_before_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_own_part_before_wait
    __pipeline_commit();
    out[ME] = ((volatile int *)tile)[4 * threadIdx.x + 1]; // BUG bug_own_part_before_wait
    __pipeline_wait_prior(0);
}
__global__ void bug_wait_after_use(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_wait_after_use
    __pipeline_commit();
    __syncthreads();
    out[ME] = HALF(tile); // BUG bug_wait_after_use
    __pipeline_wait_prior(0);
    __syncthreads();
}
__global__ void bug_written_before_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_written_before_wait
    __pipeline_commit();
    tile[4 * threadIdx.x] = 0; // BUG bug_written_before_wait
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}
__global__ void bug_half_waits(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_half_waits
    __pipeline_commit();
    if (threadIdx.x < THREADS / 2)
        __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile); // BUG bug_half_waits
}
__global__ void bug_updated_before_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_updated_before_wait
    __pipeline_commit();
    __syncthreads();
    atomicAdd(&tile[4 * threadIdx.x], 1); // BUG bug_updated_before_wait
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = tile[threadIdx.x];
}

// --- a wait for too few groups
__global__ void bug_leaves_its_own_group(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][TILE];
    int sum = 0;
    FETCH(tile[0], 0);
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES)
            FETCH(tile[(k + 1) % 2], k + 1); // BUG bug_leaves_its_own_group
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += HALF(tile[k % 2]); // BUG bug_leaves_its_own_group
        __syncthreads();
    }
    out[ME] = sum;
}
__global__ void bug_last_group_is_left(const int *in, int *out) // no commit for tiles past the end
{
    __shared__ __align__(16) int tile[2][TILE];
    int sum = 0;
    FETCH(tile[0], 0);
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES) {
            FETCH(tile[(k + 1) % 2], k + 1); // BUG bug_last_group_is_left
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += HALF(tile[k % 2]); // BUG bug_last_group_is_left
        __syncthreads();
    }
    out[ME] = sum;
}
__global__ void bug_never_committed(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_never_committed
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile); // BUG bug_never_committed
    __pipeline_commit();
}
__global__ void bug_committed_after_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][TILE];
    FETCH(tile[0], 0);
    __pipeline_commit();
    FETCH(tile[1], 1); // BUG bug_committed_after_wait
    __pipeline_wait_prior(0);
    __pipeline_commit();
    __syncthreads();
    out[ME] = HALF(tile[0]) + HALF(tile[1]); // BUG bug_committed_after_wait
}

// --- no barrier after the wait
__global__ void bug_no_barrier(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_no_barrier
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[ME] = HALF(tile); // BUG bug_no_barrier
}
__global__ void bug_barrier_before_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_barrier_before_wait
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[ME] = HALF(tile); // BUG bug_barrier_before_wait
}
__global__ void bug_no_warp_barrier(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_no_warp_barrier
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[ME] = tile[(4 * threadIdx.x & ~127) + (4 * threadIdx.x + 5) % 128]; // BUG bug_no_warp_barrier
}
__global__ void bug_group_does_not_meet(const int *in, int *out) // cg::wait_prior of a tile, data of the block
{
    __shared__ __align__(16) int tile[TILE];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    FETCH(tile, 0); // BUG bug_group_does_not_meet
    __pipeline_commit();
    cg::wait_prior<0>(warp);
    out[ME] = HALF(tile); // BUG bug_group_does_not_meet
}

// --- a refill too early
__global__ void bug_refill(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    int sum = 0;
    for (int k = 0; k < TILES; k++) {
        FETCH(tile, k); // BUG bug_refill
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += HALF(tile); // BUG bug_refill
    }
    out[ME] = sum;
}
__global__ void bug_refill_two_stages(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][TILE];
    int sum = 0;
    FETCH(tile[0], 0);
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        FETCH(tile[(k + 1) % 2], (k + 1) % TILES); // BUG bug_refill_two_stages
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += HALF(tile[k % 2]); // BUG bug_refill_two_stages
    }
    out[ME] = sum;
}
__global__ void bug_fills_the_tile_in_use(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][TILE];
    int sum = 0;
    FETCH(tile[0], 0);
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        FETCH(tile[k % 2], (k + 1) % TILES); // BUG bug_fills_the_tile_in_use
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += HALF(tile[k % 2]); // BUG bug_fills_the_tile_in_use
        __syncthreads();
    }
    out[ME] = sum;
}
__global__ void bug_two_copies_to_one_tile(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0);
    __pipeline_commit();
    __syncthreads();
    __pipeline_memcpy_async(&tile[TILE - 4 - 4 * threadIdx.x], // BUG bug_two_copies_to_one_tile
                            &in[TILE + 4 * threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}

// --- the same with the classes that stand before it
__global__ void bug_pipeline_no_wait(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x], 16); // BUG bug_pipeline_no_wait
    pipe.producer_commit();
    __syncthreads();
    out[ME] = HALF(tile); // BUG bug_pipeline_no_wait
    pipe.consumer_wait();
    pipe.consumer_release();
}
__global__ void bug_mbarrier_is_not_waited_for(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, THREADS);
    __syncthreads();
    FETCH(tile, 0); // BUG bug_mbarrier_is_not_waited_for
    __pipeline_arrive_on(&bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    __syncthreads();
    out[ME] = HALF(tile); // BUG bug_mbarrier_is_not_waited_for
    while (!__mbarrier_test_wait(&bar, token))
        ;
}

// --- the source changes while the copy is in flight
__global__ void bug_source_changed(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    if (blockIdx.x > 0)
        return;
    FETCH(tile, 0);
    __pipeline_commit();
    ((int *)in)[4 * threadIdx.x] = 0; // BUG bug_source_changed
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}
__global__ void bug_source_changed_by_another(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    if (blockIdx.x > 0)
        return;
    FETCH(tile, 0);
    __pipeline_commit();
    __syncthreads();
    ((int *)in)[TILE - 1 - threadIdx.x] = 0; // BUG bug_source_changed_by_another
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}
__global__ void bug_source_updated(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    if (blockIdx.x > 0)
        return;
    FETCH(tile, 0);
    __pipeline_commit();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd((int *)in + 7, 1); // BUG bug_source_updated
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}
__global__ void bug_source_of_next_tile(const int *in, int *out) // in place, into the tile that is fetched ahead
{
    __shared__ __align__(16) int tile[2][TILE];
    if (blockIdx.x > 0)
        return;
    FETCH(tile[0], 0);
    __pipeline_commit();
    for (int k = 0; k + 1 < TILES; k++) {
        FETCH(tile[(k + 1) % 2], k + 1);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        ((int *)in)[(k + 1) * TILE + threadIdx.x] = HALF(tile[k % 2]); // BUG bug_source_of_next_tile
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    out[ME] = tile[1][4 * threadIdx.x];
}

// --- copies that nobody waits for
__global__ void bug_never_waited(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0); // BUG bug_never_waited
    __pipeline_commit();
    out[ME] = in[ME];
}
__global__ void bug_never_waited_in_a_loop(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILES][TILE];
    for (int k = 0; k < TILES; k++)
        FETCH(tile[k], k); // BUG bug_never_waited_in_a_loop
    out[ME] = in[ME];
}
__global__ void bug_never_waited_for_half(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    if (threadIdx.x < THREADS / 2) {
        FETCH(tile, 0); // BUG bug_never_waited_for_half
        __pipeline_commit();
    }
    out[ME] = in[ME];
}
__global__ void bug_never_waited_many(const int *in, int *out) // more than a GPU can have in flight
{
    __shared__ __align__(16) int tile[5 * N];
    for (int k = 0; threadIdx.x == 0 && k < 5 * N; k++)
        __pipeline_memcpy_async(&tile[k], &in[k % N], 4); // BUG bug_never_waited_many
    out[ME] = in[ME];
}
__global__ void bug_refilled_by_itself(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0);
    __pipeline_commit();
    FETCH(tile, 1); // BUG bug_refilled_by_itself
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}

// --- right programs
__global__ void fine_source_changed_later(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    if (blockIdx.x > 0)
        return;
    for (int k = 0; k < 2; k++) {
        FETCH(tile, 0);
        __pipeline_commit();
        ((int *)in)[TILE + threadIdx.x] = k; // another part
        __pipeline_wait_prior(0);
        __syncthreads();
        ((int *)in)[threadIdx.x] = HALF(tile) + k;
        __syncthreads();
    }
    out[ME] = tile[threadIdx.x];
}
__global__ void fine_source_after_mbarrier(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    __shared__ __mbarrier_t bar;
    if (blockIdx.x > 0)
        return;
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, THREADS);
    __syncthreads();
    FETCH(tile, 0);
    __pipeline_arrive_on(&bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token))
        ;
    ((int *)in)[threadIdx.x] = HALF(tile);
    out[ME] = HALF(tile);
}
__global__ void fine_many_in_flight(const int *in, int *out)
{
    __shared__ __align__(16) int tile[5 * N];
    for (int k = 0; threadIdx.x == 0 && k < 5 * N; k++)
        __pipeline_memcpy_async(&tile[k], &in[k % N], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = tile[threadIdx.x] + tile[5 * N - 1 - threadIdx.x];
}
__global__ void fine_last_groups_are_left(const int *in, int *out) // nobody reads what they bring
{
    __shared__ __align__(16) int tile[3][TILE];
    for (int s = 0; s < 3; s++) {
        FETCH(tile[s], s);
        __pipeline_commit();
    }
    __pipeline_wait_prior(2);
    __syncthreads();
    out[ME] = HALF(tile[0]);
}
template <int STAGES> __device__ int staged(const int *in)
{
    __shared__ __align__(16) int tile[STAGES][TILE];
    int sum = 0;
    for (int s = 0; s < STAGES - 1; s++) {
        FETCH(tile[s], s % TILES);
        __pipeline_commit();
    }
    for (int k = 0; k < 2 * TILES; k++) {
        FETCH(tile[(k + STAGES - 1) % STAGES], (k + STAGES - 1) % TILES);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        sum += HALF(tile[k % STAGES]) + next_of(tile[k % STAGES]);
        __syncthreads();
    }
    return sum; // copies that nobody needs are still in flight
}
__global__ void fine_one_stage(const int *in, int *out) { out[ME] = staged<1>(in); }
__global__ void fine_two_stages(const int *in, int *out) { out[ME] = staged<2>(in); }
__global__ void fine_three_stages(const int *in, int *out) { out[ME] = staged<3>(in); }
__global__ void fine_four_stages(const int *in, int *out) { out[ME] = staged<4>(in); }
__global__ void fine_fetch_after_the_barrier(const int *in, int *out) // one barrier per iteration
{
    __shared__ __align__(16) int tile[3][TILE];
    int sum = 0;
    for (int s = 0; s < 2; s++) {
        FETCH(tile[s], s);
        __pipeline_commit();
    }
    for (int k = 0; k < TILES; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        if (k + 2 < TILES)
            FETCH(tile[(k + 2) % 3], k + 2);
        __pipeline_commit();
        sum += HALF(tile[k % 3]);
    }
    out[ME] = sum;
}
__global__ void fine_own_part(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[ME] = tile[4 * threadIdx.x + 3];
}
__global__ void fine_warp_barrier(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[ME] = tile[(4 * threadIdx.x & ~127) + (4 * threadIdx.x + 5) % 128];
}
__global__ void fine_wait_all(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    FETCH(tile, 0);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[ME] = HALF(tile);
}
__global__ void fine_one_warp_copies(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    for (int k = 4 * threadIdx.x; threadIdx.x < 32 && k < TILE; k += 128)
        __pipeline_memcpy_async(&tile[k], &in[k], 16, k % 3 ? 4 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile);
}
__global__ void fine_other_tile_meanwhile(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE], other[THREADS];
    FETCH(tile, 0);
    __pipeline_commit();
    other[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const int half = other[THREADS - 1 - threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[ME] = HALF(tile) + half;
}
__global__ void fine_group_copies(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    auto block = cg::this_thread_block();
    int sum = 0;
    for (int k = 0; k < TILES; k++) {
        cg::memcpy_async(block, tile, &in[k * TILE], sizeof tile);
        cg::wait(block);
        sum += HALF(tile);
        block.sync();
    }
    out[ME] = sum;
}
__global__ void fine_part_of_a_group(const int *in, int *out) // lanes past the end repeat the last copy
{
    __shared__ __align__(16) int tile[TILE];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int *mine = tile + warp.meta_group_rank() * TILE / 2;
    cg::memcpy_async(warp, mine, 64, in, 40);
    cg::wait(warp);
    out[ME] = mine[39 - warp.thread_rank()];
}
__global__ void fine_pipeline_of_block(const int *in, int *out)
{
    __shared__ __align__(16) int tile[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int k = 0, ahead = 0; k < TILES; k++) {
        for (; ahead < TILES && ahead < k + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[ahead % 2], &in[ahead * TILE],
                               cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += HALF(tile[k % 2]);
        pipe.consumer_release();
    }
    out[ME] = sum;
}
__global__ void fine_mbarrier(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, THREADS);
    __syncthreads();
    FETCH(tile, 0);
    __pipeline_arrive_on(&bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    while (!__mbarrier_test_wait(&bar, token))
        ;
    out[ME] = HALF(tile);
}
__global__ void fine_barrier_of_cuda(const int *in, int *out)
{
    __shared__ __align__(16) int tile[TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, THREADS);
    __syncthreads();
    cuda::memcpy_async(block, tile, in, sizeof(int) * 77, bar);
    bar.arrive_and_wait();
    out[ME] = tile[(threadIdx.x + 5) % 77];
}

#define CASES(X)                                                                                   \
    X(bug_no_wait) X(bug_own_part_before_wait) X(bug_wait_after_use) X(bug_written_before_wait)    \
    X(bug_half_waits) X(bug_updated_before_wait) X(bug_leaves_its_own_group)                       \
    X(bug_last_group_is_left) X(bug_never_committed) X(bug_committed_after_wait)                   \
    X(bug_no_barrier) X(bug_barrier_before_wait) X(bug_no_warp_barrier)                            \
    X(bug_group_does_not_meet) X(bug_refill) X(bug_refill_two_stages)                              \
    X(bug_fills_the_tile_in_use) X(bug_two_copies_to_one_tile) X(bug_pipeline_no_wait)             \
    X(bug_mbarrier_is_not_waited_for) X(fine_one_stage) X(fine_two_stages) X(fine_three_stages)    \
    X(fine_four_stages) X(fine_fetch_after_the_barrier) X(fine_own_part) X(fine_warp_barrier)      \
    X(fine_wait_all) X(fine_one_warp_copies) X(fine_other_tile_meanwhile) X(fine_group_copies)     \
    X(fine_part_of_a_group) X(fine_pipeline_of_block) X(fine_mbarrier)                             \
    X(fine_barrier_of_cuda) X(bug_source_changed) X(bug_source_changed_by_another)                 \
    X(bug_source_updated) X(bug_source_of_next_tile) X(bug_never_waited)                           \
    X(bug_never_waited_in_a_loop) X(bug_never_waited_for_half) X(bug_never_waited_many)            \
    X(bug_refilled_by_itself) X(fine_source_changed_later) X(fine_source_after_mbarrier)           \
    X(fine_many_in_flight) X(fine_last_groups_are_left)
RACE_CASES(CASES)
