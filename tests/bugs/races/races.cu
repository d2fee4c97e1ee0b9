// Races on global memory. A planted one is a kernel that begins with bug_, whose line to be named
// has "BUG name" at its end; kernels that begin with fine_ look like it and have none. Started with
// a name, the program runs that case.
#include "race_cases.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

__device__ int word[8], lock_word, turn, ticket;
__device__ volatile int ready;
__device__ unsigned done;

// --- missing atomics
__global__ void bug_histogram(const int *in, int *out)
{
    out[in[ME] % 8]++; // BUG bug_histogram
}
__global__ void fine_histogram(const int *in, int *out)
{
    atomicAdd(&out[in[ME] % 8], 1);
}
__global__ void bug_histogram_block(const int *in, int *out)
{
    atomicAdd_block(&out[in[ME] % 8], 1); // BUG bug_histogram_block
}
__global__ void fine_histogram_block(const int *in, int *out)
{
    atomicAdd_block(&out[8 * blockIdx.x + in[ME] % 8], 1);
}
__global__ void bug_plain_counter(const int *in, int *out)
{
    atomicAdd(&out[0], 1);
    out[8 + ME] = out[0]; // BUG bug_plain_counter
}
__global__ void fine_counter(const int *in, int *out)
{
    atomicAdd(&out[0], 1);
    out[8 + ME] = atomicAdd(&out[0], 0);
}
__global__ void bug_plain_reset(const int *in, int *out)
{
    if (ME == 0)
        out[0] = 5; // BUG bug_plain_reset
    atomicMax(&out[0], in[ME]);
}
__global__ void bug_guard(const int *in, int *out)
{
    if (out[0] < in[ME]) // BUG bug_guard
        atomicMax(&out[0], in[ME]);
}
__global__ void fine_cas_loop(const int *in, int *out) // the Programming Guide's: the first read is a guess
{
    int old = out[0], seen;
    do {
        seen = old;
        old = atomicCAS(&out[0], seen, max(seen, in[ME]));
    } while (old != seen);
}
__global__ void bug_cas_block(const int *in, int *out)
{
    int old = atomicAdd(&out[0], 0), seen;
    do {
        seen = old;
        old = atomicCAS_block(&out[0], seen, seen + in[ME]); // BUG bug_cas_block
    } while (old != seen);
}
__global__ void bug_same_word(const int *in, int *out)
{
    out[0] = ME; // BUG bug_same_word
}
__global__ void fine_same_value(const int *in, int *out)
{
    if (in[ME] >= 0)
        out[0] = 1;
}
__global__ void bug_bytes(const int *in, int *out)
{
    ((unsigned char *)out)[ME / 2] = (unsigned char)ME; // BUG bug_bytes
}
__global__ void fine_bytes(const int *in, int *out)
{
    ((unsigned char *)out)[ME] = (unsigned char)ME;
}

// --- missing barriers
__global__ void bug_neighbour(const int *in, int *out)
{
    out[ME] = in[ME];
    __syncthreads();
    out[N + ME] = out[(ME + 1) % (BLOCKS * THREADS)]; // BUG bug_neighbour
}
__global__ void fine_neighbour(const int *in, int *out)
{
    out[ME] = in[ME];
    __syncthreads();
    out[N + ME] = out[blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x];
}
__global__ void bug_two_warps(const int *in, int *out)
{
    out[ME] = in[ME];
    out[N + ME] = out[ME ^ 32]; // BUG bug_two_warps
}
__global__ void bug_two_lanes(const int *in, int *out)
{
    out[ME] = in[ME];
    out[N + ME] = out[ME ^ 1]; // BUG bug_two_lanes
}
__global__ void fine_two_lanes(const int *in, int *out)
{
    out[ME] = in[ME];
    __syncwarp();
    out[N + ME] = out[ME ^ 1];
}
__global__ void bug_tile(const int *in, int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[ME] = in[ME];
    tile.sync();
    out[N + ME] = out[ME ^ 8]; // BUG bug_tile
}
__global__ void fine_tile(const int *in, int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[ME] = in[ME];
    tile.sync();
    out[N + ME] = out[ME ^ 4];
}
__global__ void bug_in_place(const int *in, int *out)
{
    out[ME] = out[ME + 1] + 1; // BUG bug_in_place
}
__global__ void fine_double_buffer(const int *in, int *out)
{
    for (int k = 0; k < 4; k++) {
        int *from = out + (k & 1) * N, *to = out + (~k & 1) * N;
        to[ME] = from[blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x] + 1;
        __syncthreads();
    }
}
__global__ void bug_double_buffer(const int *in, int *out)
{
    for (int k = 0; k < 4; k++) {
        int *from = out + (k & 1) * N, *to = out + (~k & 1) * N;
        to[ME] = from[blockIdx.x * blockDim.x + (threadIdx.x + 33) % blockDim.x] + 1; // BUG bug_double_buffer
    }
}
__global__ void fine_named_barrier(const int *in, int *out)
{
    if (threadIdx.x < 32) {
        out[ME] = in[ME];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[N + ME] = out[ME - 32];
    }
}
__global__ void bug_named_barrier(const int *in, int *out)
{
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        out[ME] = in[ME];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[N + ME] = out[ME - 32]; // BUG bug_named_barrier
    }
}

// --- flags
__global__ void bug_flag_without_fence(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        ready = 1;
    } else if (ME == THREADS) {
        while (!ready)
            ;
        out[1] = out[0]; // BUG bug_flag_without_fence
    }
}
__global__ void bug_flag_fence_block(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence_block();
        ready = 1;
    } else if (ME == THREADS) {
        while (!ready)
            ;
        __threadfence();
        out[1] = out[0]; // BUG bug_flag_fence_block
    }
}
__global__ void bug_flag_one_fence(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence();
        ready = 1;
    } else if (ME == THREADS) {
        while (!ready)
            ;
        out[1] = out[0]; // BUG bug_flag_one_fence
    }
}
__global__ void fine_flag(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence();
        ready = 1;
    } else if (ME == THREADS) {
        while (!ready)
            ;
        __threadfence();
        out[1] = out[0];
    }
}
__global__ void fine_flag_atomic(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence();
        atomicExch(&turn, 1);
    } else if (ME == THREADS) {
        while (!atomicAdd(&turn, 0))
            ;
        __threadfence();
        out[1] = out[0];
    }
}
__global__ void bug_flag_atomic_one_fence(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence();
        atomicExch(&turn, 1);
    } else if (ME == THREADS) {
        while (!atomicAdd(&turn, 0)) // UNFENCED bug_flag_atomic_one_fence
            ;
        out[1] = out[0]; // BUG bug_flag_atomic_one_fence
    }
}
__global__ void bug_flag_relaxed_reader(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(turn);
    if (ME == 0) {
        out[0] = in[0] + 1;
        flag.store(1, cuda::memory_order_release);
    } else if (ME == THREADS) {
        while (!flag.load(cuda::memory_order_relaxed)) // UNFENCED bug_flag_relaxed_reader
            ;
        out[1] = out[0]; // BUG bug_flag_relaxed_reader
    }
}
__global__ void fine_flag_read_in_l2(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence();
        atomicExch(&turn, 1);
    } else if (ME == THREADS) {
        while (!atomicAdd(&turn, 0))
            ;
        out[1] = __ldcg(&out[0]);
    }
}
__global__ void bug_flag_atomic_block(const int *in, int *out)
{
    if (ME == 0) {
        out[0] = in[0] + 1;
        __threadfence();
        atomicExch_block(&turn, 1); // BUG bug_flag_atomic_block
    } else if (ME == THREADS) {
        while (!atomicAdd(&turn, 0))
            ;
        __threadfence();
        out[1] = out[0];
    }
}
__global__ void fine_flag_release(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(turn);
    if (ME == 0) {
        out[0] = in[0] + 1;
        flag.store(1, cuda::memory_order_release);
    } else if (ME == THREADS) {
        while (!flag.load(cuda::memory_order_acquire))
            ;
        out[1] = out[0];
    }
}
__global__ void bug_flag_relaxed(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(turn);
    if (ME == 0) {
        out[0] = in[0] + 1;
        flag.store(1, cuda::memory_order_relaxed);
    } else if (ME == THREADS) {
        while (!flag.load(cuda::memory_order_acquire))
            ;
        out[1] = out[0]; // BUG bug_flag_relaxed
    }
}
__global__ void fine_flag_block(const int *in, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(word[blockIdx.x]);
    if (threadIdx.x == 0) {
        out[ME] = in[0] + 1;
        flag.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (!flag.load(cuda::memory_order_acquire))
            ;
        out[ME] = out[ME - 32];
    }
}

// --- locks
template <bool fences> __device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    if (fences)
        __threadfence();
}
template <bool fences> __device__ void give(int *lock)
{
    if (fences)
        __threadfence();
    atomicExch(lock, 0);
}
__global__ void fine_lock(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        take<true>(&lock_word);
        out[0] += in[ME];
        give<true>(&lock_word);
    }
}
__global__ void fine_lock_lanes(const int *in, int *out)
{
    for (bool over = false; !over;) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            __threadfence();
            out[0] += in[ME];
            __threadfence();
            atomicExch(&lock_word, 0);
            over = true;
        }
    }
}
__global__ void bug_lock_without_fence(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        take<false>(&lock_word);
        out[0] += in[ME]; // BUG bug_lock_without_fence
        give<false>(&lock_word);
    }
}
__global__ void bug_lock_on_one_side(const int *in, int *out)
{
    if (threadIdx.x == 0 && blockIdx.x) {
        take<true>(&lock_word);
        out[0] += in[ME]; // BUG bug_lock_on_one_side
        give<true>(&lock_word);
    } else if (threadIdx.x == 0) {
        out[0] += in[ME]; // BUG bug_lock_on_one_side
    }
}
__global__ void bug_lock_of_block(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS_block(&lock_word, 0, 1) != 0) // BUG bug_lock_of_block
            ;
        __threadfence();
        out[0] += in[ME];
        __threadfence();
        atomicExch(&lock_word, 0);
    }
}
__global__ void bug_two_locks(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        int *lock = &word[blockIdx.x & 1];
        take<true>(lock);
        out[0] += in[ME]; // BUG bug_two_locks
        give<true>(lock);
    }
}
__global__ void fine_ticket_lock(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&ticket, 1);
        while (atomicAdd(&turn, 0) != mine)
            ;
        __threadfence();
        out[0] += in[ME];
        __threadfence();
        atomicAdd(&turn, 1);
    }
}

// --- the last block
template <bool fence, bool barrier, bool reader> __device__ void last_block(const int *in, int *out)
{
    __shared__ bool last;
    out[1 + ME] = in[ME]; // SEE bug_last_block_no_fence bug_last_block_no_barrier
    if (fence)
        __threadfence();
    if (barrier)
        __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&done, 1) == gridDim.x - 1; // UNFENCED bug_last_block_no_fence // UNFENCED bug_last_block_one_fence
    __syncthreads();
    if (reader)
        __threadfence();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < (int)(gridDim.x * blockDim.x); k++)
            sum += out[1 + k]; // BUG bug_last_block_no_fence bug_last_block_no_barrier bug_last_block_one_fence
        out[0] = sum;
    }
}
__global__ void fine_last_block(const int *in, int *out)
{
    last_block<true, true, true>(in, out);
}
__global__ void bug_last_block_no_fence(const int *in, int *out)
{
    last_block<false, true, true>(in, out);
}
__global__ void bug_last_block_no_barrier(const int *in, int *out)
{
    last_block<true, false, true>(in, out);
}
__global__ void bug_last_block_one_fence(const int *in, int *out)
{
    last_block<true, true, false>(in, out);
}
__global__ void fine_last_block_acq_rel(const int *in, int *out)
{
    __shared__ bool last;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(done);
    out[1 + ME] = in[ME];
    __syncthreads();
    if (threadIdx.x == 0)
        last = count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    __syncthreads();
    if (last)
        out[1 + N + ME] = out[1 + (ME + THREADS) % (BLOCKS * THREADS)];
}
__global__ void fine_last_block_fence_of_one(const int *in, int *out)
{
    __shared__ bool last;
    out[1 + ME] = in[ME];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last)
        out[1 + N + ME] = out[1 + (ME + THREADS) % (BLOCKS * THREADS)];
}
// Blocks take turns; thread 0 waits and passes the turn on for all.
template <bool before, bool after> __device__ void in_turn(const int *in, int *out)
{
    if (threadIdx.x == 0)
        while (atomicAdd(&turn, 0) != (int)blockIdx.x) // UNFENCED bug_turns_after
            ;
    __syncthreads();
    if (after)
        __threadfence();
    out[threadIdx.x] += in[ME]; // BUG bug_turns_before bug_turns_after
    if (before)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&turn, blockIdx.x + 1); // UNFENCED bug_turns_before
}
__global__ void fine_turns(const int *in, int *out)
{
    in_turn<true, true>(in, out);
}
__global__ void bug_turns_before(const int *in, int *out)
{
    in_turn<false, true>(in, out);
}
__global__ void bug_turns_after(const int *in, int *out)
{
    in_turn<true, false>(in, out);
}
__global__ void fine_aggregated(const int *in, int *out)
{
    auto group = cg::coalesced_threads();
    int at = 0;
    if (group.thread_rank() == 0)
        at = atomicAdd(&done, group.size());
    out[group.shfl(at, 0) + group.thread_rank()] = in[ME];
}
// --- a chain of blocks, each with the sum of those before it
__global__ void fine_look_back(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        int sum = in[blockIdx.x];
        if (blockIdx.x) {
            while (atomicAdd(&word[blockIdx.x - 1], 0) == 0)
                ;
            __threadfence();
            sum += out[blockIdx.x - 1];
        }
        out[blockIdx.x] = sum;
        __threadfence();
        atomicExch(&word[blockIdx.x], 1);
    }
}
__global__ void bug_look_back(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        int sum = in[blockIdx.x];
        if (blockIdx.x) {
            while (atomicAdd(&word[blockIdx.x - 1], 0) == 0)
                ;
            __threadfence();
            sum += out[blockIdx.x - 1]; // BUG bug_look_back
        }
        atomicExch(&word[blockIdx.x], 1);
        out[blockIdx.x] = sum; // BUG bug_look_back
    }
}
// In place: what a block reads is over when it says how many it keeps.
__global__ void fine_compaction(const int *in, int *out)
{
    const int x = out[ME], kept = __syncthreads_count(x >= 0);
    volatile int *of = word;
    if (threadIdx.x == 0)
        of[blockIdx.x] = kept;
    __shared__ int before;
    if (threadIdx.x == 0) {
        before = 0;
        for (int k = 0; k < (int)blockIdx.x; k++) {
            while (!of[k])
                ;
            before += of[k];
        }
    }
    __syncthreads();
    out[before / 2 + threadIdx.x] = x + ME;
}
// --- the whole grid waits
__global__ void fine_grid_sync(const int *in, int *out)
{
    out[ME] = in[ME];
    cg::this_grid().sync();
    out[N + ME] = out[(ME + THREADS) % (BLOCKS * THREADS)];
    cg::this_grid().sync();
    out[ME] = 0;
}
__global__ void bug_grid_sync(const int *in, int *out)
{
    out[ME] = in[ME];
    cg::this_grid().sync();
    out[ME] = out[(ME + THREADS) % (BLOCKS * THREADS)]; // BUG bug_grid_sync
}
__device__ void own_grid_barrier(bool fence)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        if (fence)
            __threadfence();
        atomicAdd(&done, 1);
        while (atomicAdd(&done, 0) < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
}
__global__ void fine_own_grid_barrier(const int *in, int *out)
{
    out[ME] = in[ME];
    own_grid_barrier(true);
    out[N + ME] = out[(ME + THREADS) % (BLOCKS * THREADS)];
}
__global__ void bug_own_grid_barrier(const int *in, int *out)
{
    out[ME] = in[ME];
    own_grid_barrier(false);
    out[N + ME] = out[(ME + THREADS) % (BLOCKS * THREADS)]; // BUG bug_own_grid_barrier
}

#define CASES(CASE)                                                                                \
    CASE(bug_histogram) CASE(fine_histogram) CASE(bug_histogram_block) CASE(fine_histogram_block)  \
    CASE(bug_plain_counter) CASE(fine_counter) CASE(bug_plain_reset) CASE(bug_guard)               \
    CASE(bug_cas_block) CASE(fine_cas_loop) CASE(bug_same_word) CASE(fine_same_value)              \
    CASE(bug_bytes) CASE(fine_bytes) CASE(bug_neighbour) CASE(fine_neighbour) CASE(bug_two_warps)  \
    CASE(bug_two_lanes) CASE(fine_two_lanes) CASE(bug_tile) CASE(fine_tile) CASE(bug_in_place)     \
    CASE(fine_double_buffer) CASE(bug_double_buffer) CASE(fine_named_barrier)                      \
    CASE(bug_named_barrier) CASE(bug_flag_without_fence) CASE(bug_flag_fence_block)                \
    CASE(bug_flag_one_fence) CASE(fine_flag) CASE(fine_flag_atomic) CASE(bug_flag_atomic_block)    \
    CASE(fine_flag_release) CASE(bug_flag_relaxed) CASE(fine_flag_block) CASE(fine_lock)           \
    CASE(fine_lock_lanes) CASE(bug_lock_without_fence) CASE(bug_lock_on_one_side)                  \
    CASE(bug_lock_of_block) CASE(bug_two_locks) CASE(fine_ticket_lock) CASE(fine_last_block)       \
    CASE(bug_last_block_no_fence) CASE(bug_last_block_no_barrier) CASE(bug_last_block_one_fence)   \
    CASE(fine_last_block_acq_rel) CASE(fine_last_block_fence_of_one) CASE(fine_turns)              \
    CASE(bug_turns_before) CASE(bug_turns_after) CASE(bug_flag_atomic_one_fence)                   \
    CASE(bug_flag_relaxed_reader) CASE(fine_flag_read_in_l2) CASE(fine_aggregated)                 \
    CASE(fine_look_back) CASE(bug_look_back) CASE(fine_grid_sync) CASE(bug_grid_sync)              \
    CASE(fine_own_grid_barrier) CASE(bug_own_grid_barrier)

RACE_CASES(CASES)
