// Locks that threads take in orders that can stop them all, one an argument: see host.cu for the marks.
#include "cases.h"
#include <cuda/atomic>

enum { BLOCKS = 4, ACCOUNTS = 8 };
__device__ int locks[ACCOUNTS], balance[ACCOUNTS], left, right, gate;

__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1))
        __nanosleep(100);
    __threadfence();
}

__device__ void release(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void opposite_order()
{
    int *first = blockIdx.x & 1 ? &right : &left, *second = blockIdx.x & 1 ? &left : &right;
    if (threadIdx.x == 0) {
        while (atomicCAS(first, 0, 1))
            ;
        while (atomicCAS(second, 0, 1)) // BUG opposite_order_case race
            ;
        __threadfence();
        balance[0]++;
        __threadfence();
        atomicExch(second, 0);
        atomicExch(first, 0);
    }
}

__global__ void transfers(bool ordered)
{
    int from = blockIdx.x % ACCOUNTS, to = (blockIdx.x + 3) % ACCOUNTS;
    if (blockIdx.x >= ACCOUNTS) {
        from = to;
        to = blockIdx.x % ACCOUNTS;
    }
    if (threadIdx.x)
        return;
    int a = ordered ? min(from, to) : from, b = ordered ? max(from, to) : to;
    while (atomicExch(&locks[a], 1))
        ;
    while (atomicExch(&locks[b], 1)) // BUG transfers_between_accounts race
        ;
    __threadfence();
    balance[from]--;
    balance[to]++;
    __threadfence();
    atomicExch(&locks[b], 0);
    atomicExch(&locks[a], 0);
}

__global__ void philosophers(bool last_is_left_handed)
{
    const int me = blockIdx.x;
    int one = me, other = (me + 1) % gridDim.x;
    if (last_is_left_handed && other < one) {
        one = other;
        other = me;
    }
    if (threadIdx.x)
        return;
    take(&locks[one]);
    while (atomicCAS(&locks[other], 0, 1)) // BUG circle_of_forks race
        ;
    __threadfence();
    balance[me]++;
    release(&locks[other]);
    release(&locks[one]);
}

using word = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void of_libcu()
{
    word l(left), r(right);
    const bool odd = blockIdx.x & 1;
    if (threadIdx.x)
        return;
    while ((odd ? r : l).exchange(1, cuda::memory_order_acquire))
        ;
    while ((odd ? l : r).exchange(1, cuda::memory_order_acquire)) // BUG atomic_refs_in_opposite_order race
        ;
    balance[1]++;
    (odd ? l : r).store(0, cuda::memory_order_release);
    (odd ? r : l).store(0, cuda::memory_order_release);
}

__global__ void warps_of_a_block(bool barrier_between)
{
    __shared__ int a, b, sum;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        a = b = sum = 0;
    __syncthreads();
    for (int turn = 0; turn < 2; turn++) {
        if (threadIdx.x % 32 == 0 && turn == warp) {
            int *x = warp ? &b : &a, *y = warp ? &a : &b;
            while (atomicCAS_block(x, 0, 1))
                ;
            while (atomicCAS_block(y, 0, 1)) // BUG warps_in_opposite_order race
                ;
            __threadfence_block();
            sum++;
            __threadfence_block();
            atomicExch_block(y, 0);
            atomicExch_block(x, 0);
        }
        if (barrier_between)
            __syncthreads();
    }
    if (barrier_between && threadIdx.x == 0)
        balance[2] = sum;
}

// The second lock is given back where it is not free, and so is the first one.
__global__ void backs_off()
{
    int *first = blockIdx.x & 1 ? &right : &left, *second = blockIdx.x & 1 ? &left : &right;
    if (threadIdx.x)
        return;
    for (bool done = false; !done;) {
        take(first);
        if (atomicCAS(second, 0, 1) == 0) {
            __threadfence();
            balance[0]++;
            release(second);
            done = true;
        }
        release(first);
    }
}

__global__ void behind_a_gate()
{
    int *first = blockIdx.x & 1 ? &right : &left, *second = blockIdx.x & 1 ? &left : &right;
    if (threadIdx.x)
        return;
    take(&gate);
    take(first);
    take(second);
    balance[0]++;
    release(second);
    release(first);
    release(&gate);
}

// One thread that takes the locks in both orders meets nobody.
__global__ void alone()
{
    for (int k = 0; k < 2; k++) {
        take(k ? &left : &right);
        take(k ? &right : &left);
        release(k ? &right : &left);
        release(k ? &left : &right);
    }
}

static void opposite_order_case() { opposite_order<<<BLOCKS, 32>>>(); }
static void transfers_between_accounts() { transfers<<<2 * ACCOUNTS, 32>>>(false); }
static void circle_of_forks() { philosophers<<<5, 32>>>(false); }
static void atomic_refs_in_opposite_order() { of_libcu<<<BLOCKS, 32>>>(); }
static void warps_in_opposite_order() { warps_of_a_block<<<1, 64>>>(false); }
static void fine_ordered() { transfers<<<2 * ACCOUNTS, 32>>>(true); }
static void fine_left_handed() { philosophers<<<5, 32>>>(true); }
static void fine_barrier() { warps_of_a_block<<<1, 64>>>(true); }
static void fine_back_off() { backs_off<<<BLOCKS, 32>>>(); }
static void fine_gate() { behind_a_gate<<<BLOCKS, 32>>>(); }
static void fine_alone() { alone<<<1, 1>>>(); }

#define CASES(X)                                                                                   \
    X(opposite_order_case) X(transfers_between_accounts) X(circle_of_forks)                        \
    X(atomic_refs_in_opposite_order) X(warps_in_opposite_order) X(fine_ordered)                    \
    X(fine_left_handed) X(fine_barrier) X(fine_back_off) X(fine_gate) X(fine_alone)

int main(int argc, char **argv)
{
    RUN_CASES(CASES)
}
