// More races on global memory, as races.cu: graph kernels, reductions, locks and flags by scope.
#include "race_cases.h"

__device__ int lock_word, own_word[BLOCKS], changed, filled;
__device__ unsigned count;

// Each vertex has two neighbours.
__device__ int nb(int v, int j)
{
    return (v + (j ? 7 : 1)) % (BLOCKS * THREADS);
}
__global__ void fine_push_atomic(const int *in, int *out)
{
    for (int j = 0; j < 2; j++)
        atomicAdd(&out[nb(ME, j)], 1);
}
__global__ void bug_push(const int *in, int *out)
{
    for (int j = 0; j < 2; j++)
        out[nb(ME, j)]++; // BUG bug_push
}
__global__ void fine_pull(const int *in, int *out)
{
    int s = 0;
    for (int j = 0; j < 2; j++)
        s += in[nb(ME, j)];
    out[ME] = s;
}
__global__ void bug_pull(const int *in, int *out)
{
    int s = 0;
    for (int j = 0; j < 2; j++)
        s += out[nb(ME, j)];
    out[ME] = s; // BUG bug_pull
}
__global__ void fine_cond_max(const int *in, int *out)
{
    atomicMax(&out[0], in[ME]);
}
__global__ void bug_cond_max(const int *in, int *out)
{
    if (out[0] < in[ME])
        out[0] = in[ME]; // BUG bug_cond_max
}
__global__ void fine_worklist(const int *in, int *out)
{
    if (in[ME] & 1) {
        int k = atomicAdd(&filled, 1);
        out[k] = ME;
    }
}
__global__ void bug_worklist(const int *in, int *out)
{
    if (in[ME] & 1) {
        int k = filled++; // BUG bug_worklist
        out[k] = ME; // BUG bug_worklist
    }
}
__global__ void fine_syncwarp_warp_reduce(const int *in, int *out)
{
    int l = threadIdx.x & 31;
    int *p = out + (ME & ~31);
    p[l] = in[ME];
    __syncwarp();
    for (int d = 16; d; d >>= 1) {
        int t = 0;
        if (l < d)
            t = p[l + d];
        __syncwarp();
        if (l < d)
            p[l] += t;
        __syncwarp();
    }
}
__global__ void bug_warp_reduce(const int *in, int *out)
{
    int l = threadIdx.x & 31;
    int *p = out + (ME & ~31);
    p[l] = in[ME];
    for (int d = 16; d; d >>= 1) {
        if (l < d)
            p[l] += p[l + d]; // BUG bug_warp_reduce
    }
}
__global__ void fine_block_reduce(const int *in, int *out)
{
    int t = threadIdx.x;
    int *p = out + blockIdx.x * blockDim.x;
    p[t] = in[ME];
    __syncthreads();
    for (int d = THREADS / 2; d; d >>= 1) {
        if (t < d)
            p[t] += p[t + d];
        __syncthreads();
    }
}
__global__ void bug_block_reduce(const int *in, int *out)
{
    int t = threadIdx.x;
    int *p = out + blockIdx.x * blockDim.x;
    p[t] = in[ME];
    __syncthreads();
    for (int d = THREADS / 2; d; d >>= 1) {
        if (t < d)
            p[t] += p[t + d]; // BUG bug_block_reduce
    }
}
__global__ void bug_load_after_block_fence(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            out[0] = 5;
            __threadfence_block();
            atomicExch(&lock_word, 1);
        } else if (blockIdx.x == 1) {
            while (atomicCAS(&lock_word, 1, 1) != 1)
                ;
            out[1] = out[0]; // BUG bug_load_after_block_fence
        }
    }
}
__global__ void fine_block_flag_same_block(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = 5;
        __threadfence_block();
        atomicExch_block(&own_word[blockIdx.x], 1);
    } else if (threadIdx.x == 32) {
        while (atomicCAS_block(&own_word[blockIdx.x], 1, 1) != 1)
            ;
        __threadfence_block();
        out[8 + blockIdx.x] = out[blockIdx.x];
    }
}
__global__ void bug_block_flag_no_fence(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = 5;
        atomicExch_block(&own_word[blockIdx.x], 1);
    } else if (threadIdx.x == 32) {
        while (atomicCAS_block(&own_word[blockIdx.x], 1, 1) != 1)
            ;
        out[8 + blockIdx.x] = out[blockIdx.x]; // BUG bug_block_flag_no_fence
    }
}
__global__ void fine_lock_volatile_release(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1))
            ;
        __threadfence();
        out[0] += 1;
        __threadfence();
        *(volatile int *)&lock_word = 0;
    }
}
__global__ void bug_lock_plain_release(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1))
            ;
        __threadfence();
        out[0] += 1; // BUG bug_lock_plain_release
        __threadfence();
        lock_word = 0; // BUG bug_lock_plain_release
    }
}
__global__ void bug_lock_release_before(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1))
            ;
        __threadfence();
        int v = out[0];
        __threadfence();
        atomicExch(&lock_word, 0);
        out[0] = v + 1; // BUG bug_lock_release_before
    }
}
__global__ void bug_lock_block_fence(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1))
            ;
        __threadfence();
        out[0] += 1; // BUG bug_lock_block_fence
        __threadfence_block();
        atomicExch(&lock_word, 0);
    }
}
__global__ void bug_lock_unlocked_read(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1))
            ;
        __threadfence();
        out[0] += 1;
        __threadfence();
        atomicExch(&lock_word, 0);
    }
    if (threadIdx.x == 33)
        out[5 + ME] = out[0]; // BUG bug_lock_unlocked_read
}
__global__ void fine_lock_in_block(const int *in, int *out)
{
    if ((threadIdx.x & 31) == 0) {
        int *l = &own_word[blockIdx.x];
        while (atomicCAS_block(l, 0, 1))
            ;
        __threadfence_block();
        out[blockIdx.x] += 1;
        __threadfence_block();
        atomicExch_block(l, 0);
    }
}
__global__ void bug_lock_block_scope_cas(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS_block(&lock_word, 0, 1))
            ;
        __threadfence();
        out[0] += 1;
        __threadfence();
        atomicExch_block(&lock_word, 0); // BUG bug_lock_block_scope_cas
    }
}
__global__ void fine_rw_counter(const int *in, int *out)
{
    atomicAdd(&out[0], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicInc(&count, gridDim.x) == gridDim.x - 1)
            out[1] = atomicAdd(&out[0], 0);
    }
}
__global__ void fine_last_volatile(const int *in, int *out)
{
    __shared__ bool am;
    volatile int *vo = out;
    if (threadIdx.x == 0) {
        vo[1 + blockIdx.x] = in[ME];
        __threadfence();
        am = atomicInc(&count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (am) {
        int s = 0;
        if (threadIdx.x == 0) {
            for (int k = 0; k < gridDim.x; k++)
                s += vo[1 + k];
            vo[0] = s;
            count = 0;
        }
    }
}
__global__ void bug_private_then_shared(const int *in, int *out)
{
    out[ME / 2] = in[ME]; // BUG bug_private_then_shared
}
__global__ void fine_changed_flag(const int *in, int *out)
{
    if (in[ME] > 3)
        changed = 1;
}
__global__ void bug_changed_flag_read(const int *in, int *out)
{
    if (in[ME] > 3)
        changed = 1;
    if (changed) // BUG bug_changed_flag_read
        out[ME] = 1;
}
__global__ void fine_atomic_flag(const int *in, int *out)
{
    if (in[ME] > 3)
        atomicExch(&changed, 1);
    if (atomicAdd(&changed, 0))
        out[ME] = 1;
}
__global__ void fine_exit_early(const int *in, int *out)
{
    if (threadIdx.x >= 40)
        return;
    out[ME] = in[ME];
    __syncthreads();
    if (threadIdx.x < 20)
        out[ME + 20] += 1;
}
__global__ void fine_device_malloc(const int *in, int *out)
{
    int *p = (int *)malloc(64);
    if (p) {
        p[0] = ME;
        out[ME] = p[0];
        free(p);
    }
}
__global__ void fine_tree(const int *in, int *out)
{
    int n = ME + BLOCKS * THREADS;
    out[n] = in[ME];
    __threadfence();
    n /= 2;
    while (n >= 1) {
        if (atomicAdd(&out[1024 + n], 1) == 0)
            return;
        __threadfence();
        out[n] = out[2 * n] + out[2 * n + 1];
        __threadfence();
        n /= 2;
    }
}
__global__ void bug_tree(const int *in, int *out)
{
    int n = ME + BLOCKS * THREADS;
    out[n] = in[ME];
    n /= 2;
    while (n >= 1) {
        if (atomicAdd(&out[1024 + n], 1) == 0)
            return;
        out[n] = out[2 * n] + out[2 * n + 1]; // BUG bug_tree
        n /= 2;
    }
}

// Read so often that the reads of a page are no longer kept one by one.
__global__ void bug_often_read(const int *in, int *out)
{
    int sum = 0;
    for (int k = 0; k < 256; k++)
        sum += out[(ME + 7 * k) % 512]; // BUG bug_often_read
    if (ME == BLOCKS * THREADS - 1)
        out[300] = sum; // BUG bug_often_read
}
// The same, but each block writes what it alone has read, behind a barrier.
__global__ void fine_often_read(const int *in, int *out)
{
    int sum = 0;
    for (int k = 0; k < 256; k++)
        sum += out[blockIdx.x * THREADS + (threadIdx.x + 7 * k) % THREADS];
    __syncthreads();
    out[ME] = sum;
}

// Each block waits for its own turn and then passes it on.
__device__ volatile int turn, volatile_lock;
__global__ void fine_turn_passed(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (turn != blockIdx.x)
            ;
        __threadfence();
        out[0] += in[blockIdx.x];
        __threadfence();
        turn = blockIdx.x + 1;
    }
}
// The same where the blocks come in the other order.
__global__ void fine_turn_passed_back(const int *in, int *out)
{
    const int mine = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        while (turn != mine)
            ;
        out[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        turn = mine + 1;
    }
}
// Two blocks may find it free at once.
__global__ void bug_lock_by_volatile(const int *in, int *out)
{
    if (threadIdx.x == 0) {
        while (volatile_lock != 0)
            ;
        volatile_lock = 1; // BUG bug_lock_by_volatile
        __threadfence();
        out[0] += in[blockIdx.x];
        __threadfence();
        volatile_lock = 0; // BUG bug_lock_by_volatile
    }
}

#define CASES(CASE)                                                                               \
    CASE(fine_push_atomic) CASE(bug_push) CASE(fine_pull) CASE(bug_pull) CASE(fine_cond_max)      \
    CASE(bug_cond_max) CASE(fine_worklist) CASE(bug_worklist)          \
    CASE(fine_syncwarp_warp_reduce) CASE(bug_warp_reduce) CASE(fine_block_reduce)                 \
    CASE(bug_block_reduce) CASE(bug_load_after_block_fence) CASE(fine_block_flag_same_block)      \
    CASE(bug_block_flag_no_fence) CASE(fine_lock_volatile_release) CASE(bug_lock_plain_release)   \
    CASE(bug_lock_release_before) CASE(bug_lock_block_fence) CASE(bug_lock_unlocked_read)         \
    CASE(fine_lock_in_block) CASE(bug_lock_block_scope_cas) CASE(fine_rw_counter)                 \
    CASE(fine_last_volatile) CASE(bug_private_then_shared) CASE(fine_changed_flag)                \
    CASE(bug_changed_flag_read) CASE(fine_atomic_flag) CASE(fine_exit_early)                      \
    CASE(fine_device_malloc) CASE(fine_tree) CASE(bug_tree)                      \
    CASE(bug_often_read) CASE(fine_often_read) CASE(fine_turn_passed)                            \
    CASE(fine_turn_passed_back) CASE(bug_lock_by_volatile)
RACE_CASES(CASES)
