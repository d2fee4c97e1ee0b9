// Races between a few threads that pass data on through locks, flags and atomic operations of one scope
// or another; the data is volatile, which keeps it out of registers and orders nothing. As races.cu.
#include "race_cases.h"
#include <cuda/atomic>

__device__ int lock_word, flag;

// Who the two sides are: threads of two blocks, two warps of a block, or one thread.
#define BLOCK_0 (ME == 0)
#define BLOCK_1 (ME == THREADS)
#define WARP_0 (ME == 0)
#define WARP_1 (ME == 32)

template <bool block> __device__ void fence()
{
    if (block)
        __threadfence_block();
    else
        __threadfence();
}
template <bool block> __device__ void take()
{
    while (block ? atomicCAS_block(&lock_word, 0, 1) : atomicCAS(&lock_word, 0, 1))
        ;
}
template <bool block> __device__ void give()
{
    if (block)
        atomicExch_block(&lock_word, 0);
    else
        atomicExch(&lock_word, 0);
}
// A critical section: with a fence of a scope after taking and before giving, or without.
enum { NO_FENCE, BLOCK_FENCE, FENCE };
template <int scope> __device__ void fence_of()
{
    if (scope == BLOCK_FENCE)
        __threadfence_block();
    if (scope == FENCE)
        __threadfence();
}

// --- locks
__global__ void fine_lock_two_blocks(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        __threadfence();
        data[0] = ME + 1;
        __threadfence();
        give<false>();
    }
}
__global__ void bug_lock_no_first_fence(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        data[0] = ME + 1; // BUG bug_lock_no_first_fence
        __threadfence();
        give<false>();
    }
}
__global__ void bug_lock_no_last_fence(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        __threadfence();
        data[0] = ME + 1; // BUG bug_lock_no_last_fence
        give<false>();
    }
}
__global__ void bug_lock_fences_of_block(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        __threadfence_block();
        data[0] = ME + 1; // BUG bug_lock_fences_of_block
        __threadfence_block();
        give<false>();
    }
}
__global__ void bug_lock_first_fence_of_block(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        if (BLOCK_0)
            __threadfence_block();
        else
            __threadfence();
        data[0] = ME + 1; // BUG bug_lock_first_fence_of_block
        __threadfence();
        give<false>();
    }
}
__global__ void bug_lock_last_fence_of_block(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        __threadfence();
        data[0] = ME + 1; // BUG bug_lock_last_fence_of_block
        if (BLOCK_1)
            __threadfence_block();
        else
            __threadfence();
        give<false>();
    }
}
__global__ void fine_block_lock_two_warps(const int *in, int *out)
{
    volatile int *data = out;
    if (WARP_0 || WARP_1) {
        take<true>();
        __threadfence_block();
        data[0] = ME + 1;
        __threadfence_block();
        give<true>();
    }
}
__global__ void fine_two_scopes_one_block(const int *in, int *out)
{
    volatile int *data = out;
    if (WARP_0) {
        take<false>();
        __threadfence();
        data[0] = 1;
        __threadfence();
        give<false>();
    } else if (WARP_1) {
        take<true>();
        __threadfence_block();
        data[0] = 2;
        __threadfence_block();
        give<true>();
    }
}
__global__ void bug_one_warp_without_first_fence(const int *in, int *out)
{
    volatile int *data = out;
    if (WARP_0) {
        take<false>();
        data[0] = 1; // BUG bug_one_warp_without_first_fence
        __threadfence();
        give<false>();
    } else if (WARP_1) {
        take<true>();
        __threadfence_block();
        data[0] = 2; // BUG bug_one_warp_without_first_fence
        __threadfence_block();
        give<true>();
    }
}
__global__ void bug_one_warp_without_last_fence(const int *in, int *out)
{
    volatile int *data = out;
    if (WARP_0) {
        take<true>();
        __threadfence_block();
        data[0] = 1; // BUG bug_one_warp_without_last_fence
        give<true>();
    } else if (WARP_1) {
        take<true>();
        __threadfence_block();
        data[0] = 2; // BUG bug_one_warp_without_last_fence
        __threadfence_block();
        give<true>();
    }
}
__global__ void bug_lock_on_one_warp(const int *in, int *out)
{
    volatile int *data = out;
    if (WARP_0) {
        take<true>();
        __threadfence_block();
        data[0] = 1;
        __threadfence_block();
        give<true>();
    } else if (WARP_1) {
        data[0] = 2; // BUG bug_lock_on_one_warp
    }
}
__global__ void bug_write_after_lock(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0 || BLOCK_1) {
        take<false>();
        __threadfence();
        out[8 + ME] = data[0]; // BUG bug_write_after_lock
        __threadfence();
        give<false>();
        if (BLOCK_0)
            data[0] = 1; // BUG bug_write_after_lock
    }
}
__global__ void fine_one_thread(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0) {
        take<true>();
        data[0] = 1;
        give<true>();
        data[0] = 2;
        atomicExch_block(&out[0], 3);
        out[1] = data[0];
    }
}

// --- flags
template <int writes, int reads> __device__ void pass(volatile int *data, bool from, bool to, int *sum)
{
    if (from) {
        data[0] = 5;
        fence_of<writes>();
        atomicExch(&flag, 1);
    } else if (to) {
        while (atomicAdd(&flag, 0) == 0)
            ;
        fence_of<reads>();
        *sum = data[0]; // BUG bug_pass_block_fence
    }
}
__global__ void fine_pass_two_blocks(const int *in, int *out)
{
    pass<FENCE, NO_FENCE>(out, BLOCK_0, BLOCK_1, out + 1);
}
__global__ void bug_pass_block_fence(const int *in, int *out)
{
    pass<BLOCK_FENCE, FENCE>(out, BLOCK_0, BLOCK_1, out + 1);
}
__global__ void fine_pass_two_warps(const int *in, int *out)
{
    pass<BLOCK_FENCE, BLOCK_FENCE>(out, WARP_0, WARP_1, out + 1);
}
__global__ void fine_pass_in_a_chain(const int *in, int *out) // each hop as wide as it must be
{
    volatile int *data = out;
    const int mine = ME == 0 ? 0 : ME == 32 ? 1 : ME == THREADS ? 2 : ME == THREADS + 32 ? 3 : -1;
    if (mine >= 0) {
        while (atomicAdd(&flag, 0) != mine)
            ;
        data[0] += mine + 1;
        fence<false>();
        atomicExch(&flag, mine + 1);
    }
}
__global__ void bug_read_after_flag(const int *in, int *out)
{
    volatile int *data = out;
    if (BLOCK_0) {
        out[1] = data[0];
        __threadfence();
        atomicExch(&flag, 1);
        out[2] = data[0]; // BUG bug_read_after_flag
    } else if (BLOCK_1) {
        while (atomicAdd(&flag, 0) == 0)
            ;
        __threadfence();
        data[0] = 1; // BUG bug_read_after_flag
    }
}

// --- a release is no acquire
__global__ void bug_last_block_only_releases(const int *in, int *out)
{
    __shared__ bool last;
    cuda::atomic_ref<int, cuda::thread_scope_device> count(flag);
    out[1 + ME] = in[ME];
    __syncthreads();
    if (threadIdx.x == 0)
        last = count.fetch_add(1, cuda::memory_order_release) == gridDim.x - 1;
    __syncthreads();
    if (last)
        out[1 + N + ME] = out[1 + (ME + THREADS) % (BLOCKS * THREADS)]; // BUG bug_last_block_only_releases
}
__global__ void bug_read_after_another_release(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> first(flag), second(lock_word);
    if (BLOCK_0) {
        out[0] = in[0];
        first.store(1, cuda::memory_order_release);
    } else if (BLOCK_1) {
        while (!first.load(cuda::memory_order_relaxed))
            ;
        second.store(1, cuda::memory_order_release);
        out[1] = out[0]; // BUG bug_read_after_another_release
    }
}
__global__ void fine_passed_on_by_acquire_and_release(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> turn(flag);
    const int mine = ME == 0 ? 0 : ME == 32 ? 1 : ME == THREADS ? 2 : ME == THREADS + 32 ? 3 : -1;
    if (mine >= 0) {
        while (turn.load(cuda::memory_order_acquire) != mine)
            ;
        out[0] += mine + 1;
        turn.store(mine + 1, cuda::memory_order_release);
    }
}

// --- atomic operations beside volatile ones
__global__ void bug_volatile_beside_atomic(const int *in, int *out)
{
    if (BLOCK_0)
        atomicExch(&out[0], 1); // BUG bug_volatile_beside_atomic
    else if (BLOCK_1)
        *(volatile int *)out = 2; // BUG bug_volatile_beside_atomic
}
__global__ void bug_volatile_beside_block_atomic(const int *in, int *out)
{
    if (WARP_0)
        atomicAdd_block(&out[0], 1); // BUG bug_volatile_beside_block_atomic
    else if (WARP_1)
        *(volatile int *)out = 2; // BUG bug_volatile_beside_block_atomic
}
__global__ void fine_atomics_of_two_scopes(const int *in, int *out)
{
    if (WARP_0)
        atomicExch(&out[0], 1);
    else if (WARP_1)
        atomicExch_block(&out[0], 2);
}
__global__ void bug_volatile_sum(const int *in, int *out)
{
    volatile int *sum = out;
    if (threadIdx.x == 0)
        *sum += in[ME]; // BUG bug_volatile_sum
}
__global__ void bug_volatile_largest(const int *in, int *out) // a lock is missing
{
    volatile int *most = out;
    if (ME < 5 && in[ME] > *most)
        *most = in[ME]; // BUG bug_volatile_largest
}
__global__ void bug_volatile_largest_of_a_row(const int *in, int *out)
{
    volatile int *most = &out[ME / 8];
    if (ME < 32)
        for (int k = 0; k < 4; k++)
            if (in[32 * k + ME] > *most)
                *most = in[32 * k + ME]; // BUG bug_volatile_largest_of_a_row
}
__global__ void bug_volatile_any_lane(const int *in, int *out)
{
    if (threadIdx.x < 2)
        *(volatile int *)&out[blockIdx.x] = threadIdx.x; // BUG bug_volatile_any_lane
}
__global__ void fine_volatile_same_value(const int *in, int *out)
{
    *(volatile int *)&out[ME / 32] = ME / 32;
}
__global__ void fine_volatile_lanes_under_lock(const int *in, int *out)
{
    volatile int *most = out;
    if (ME >= 32)
        return;
    for (bool done = false; !done;)
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            __threadfence();
            if (in[ME] > *most)
                *most = in[ME];
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
}
__global__ void bug_volatile_total_read_early(const int *in, int *out)
{
    atomicAdd(&out[0], in[ME]);
    if (threadIdx.x == 0)
        out[1 + blockIdx.x] = *(volatile int *)out; // BUG bug_volatile_total_read_early
}
__global__ void fine_volatile_stop(const int *in, int *out) // who finds it tells all to stop
{
    volatile int *stop = out;
    for (int k = 0; k < 16 && !*stop; k++)
        if (in[(ME + k) % N] == 37)
            *stop = 1;
}
__global__ void fine_volatile_lock_release(const int *in, int *out)
{
    volatile int *data = out;
    if (threadIdx.x == 0) {
        take<false>();
        __threadfence();
        data[0] += in[ME];
        __threadfence();
        *(volatile int *)&lock_word = 0;
    }
}

// --- the same in shared memory, where barriers are not the only way
__global__ void fine_shared_lock(const int *in, int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        __threadfence_block();
        sum += in[ME];
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
__global__ void bug_shared_lock_no_fence(const int *in, int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        sum += in[ME]; // BUG bug_shared_lock_no_fence
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
__global__ void fine_shared_flag(const int *in, int *out)
{
    __shared__ int box;
    __shared__ volatile int full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        box = in[ME];
        __threadfence_block();
        full = 1;
    } else if (threadIdx.x == 32) {
        while (!full)
            ;
        __threadfence_block();
        out[ME] = box;
    }
}
__global__ void bug_shared_flag_no_fence(const int *in, int *out)
{
    __shared__ int box;
    __shared__ volatile int full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        box = in[ME];
        full = 1;
    } else if (threadIdx.x == 32) {
        while (!full)
            ;
        out[ME] = box; // BUG bug_shared_flag_no_fence
    }
}
__global__ void fine_shared_same_value(const int *in, int *out)
{
    __shared__ int any;
    if (threadIdx.x == 0)
        any = 0;
    __syncthreads();
    if (in[ME] > 3)
        any = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = any;
}
__global__ void bug_shared_counter_read_early(const int *in, int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (in[ME] & 1)
        atomicAdd(&n, 1);
    if (threadIdx.x == 32)
        out[blockIdx.x] = n; // BUG bug_shared_counter_read_early
}
__global__ void bug_shared_counter_reset_early(const int *in, int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0; // BUG bug_shared_counter_reset_early
    for (int k = 0; k < 2; k++) {
        __syncthreads();
        if (in[ME] & 1)
            atomicAdd(&n, 1);
        __syncthreads();
        out[ME] += n; // BUG bug_shared_counter_reset_early
        if (threadIdx.x == 0)
            n = 0; // BUG bug_shared_counter_reset_early
    }
}
__global__ void bug_shared_volatile_sum(const int *in, int *out)
{
    __shared__ volatile int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        sum += in[ME]; // BUG bug_shared_volatile_sum
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

#define CASES(CASE)                                                                                \
    CASE(fine_lock_two_blocks) CASE(bug_lock_no_first_fence) CASE(bug_lock_no_last_fence)          \
    CASE(bug_lock_fences_of_block) CASE(fine_block_lock_two_warps) CASE(fine_two_scopes_one_block) \
    CASE(bug_one_warp_without_first_fence) CASE(bug_one_warp_without_last_fence)                   \
    CASE(bug_lock_on_one_warp) CASE(bug_write_after_lock) CASE(fine_one_thread)                    \
    CASE(fine_pass_two_blocks) CASE(bug_pass_block_fence) CASE(fine_pass_two_warps)                \
    CASE(fine_pass_in_a_chain) CASE(bug_read_after_flag) CASE(bug_volatile_beside_atomic)          \
    CASE(bug_volatile_beside_block_atomic) CASE(fine_atomics_of_two_scopes) CASE(bug_volatile_sum) \
    CASE(bug_volatile_largest) CASE(bug_volatile_largest_of_a_row) CASE(bug_volatile_any_lane)     \
    CASE(fine_volatile_same_value) CASE(fine_volatile_lanes_under_lock)                            \
    CASE(bug_volatile_total_read_early) CASE(fine_volatile_stop) CASE(fine_volatile_lock_release)  \
    CASE(fine_shared_lock) CASE(bug_shared_lock_no_fence) CASE(fine_shared_flag)                   \
    CASE(bug_shared_flag_no_fence) CASE(fine_shared_same_value)                                    \
    CASE(bug_shared_counter_read_early) CASE(bug_shared_counter_reset_early)                       \
    CASE(bug_shared_volatile_sum) CASE(bug_lock_first_fence_of_block)                               \
    CASE(bug_lock_last_fence_of_block) CASE(bug_last_block_only_releases)                           \
    CASE(bug_read_after_another_release) CASE(fine_passed_on_by_acquire_and_release)
RACE_CASES(CASES)
