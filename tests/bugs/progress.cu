// Kernels that never end, one an argument: see host.cu for the marks. The line to be named is in
// the loop.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 256 };
__device__ int data[N] = {0};
__device__ int result[N];
__device__ int flag, lock, count;
__device__ volatile int ready[2];

__global__ void counter_forgotten(int n)
{
    int i = threadIdx.x, sum = 0;
    while (i < n) // BUG counter_forgotten fault
        sum += data[i] + 1;
    result[threadIdx.x] = sum;
}

__global__ void same_store(int n)
{
    int i = threadIdx.x;
    while (i < n) // BUG same_store fault
        result[i] = 2 * n;
}

__global__ void store_that_grows(int n)
{
    int i = threadIdx.x;
    while (i < n) // BUG store_that_grows fault
        result[i]++;
}

__global__ void atomic_that_grows(int n)
{
    int i = threadIdx.x;
    while (i < n) // BUG atomic_that_grows fault
        atomicAdd(&result[i], i + 1);
}

__global__ void counter_of_another(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; i++) // BUG counter_of_another fault
            sum += data[j] ^ i;
    result[threadIdx.x] = sum;
}

__global__ void unsigned_underflow(int n)
{
    int sum = 0;
    for (unsigned i = n; i >= 0; i--) // BUG unsigned_underflow fault
        sum += i * sum + data[i % N];
    result[threadIdx.x] = sum;
}

// These store in each iteration, so that the state of the kernel does not repeat.
__global__ void step_of_zero(int n)
{
    __shared__ int tile[N];
    for (int first = 0; first < n; first += data[0]) { // BUG step_of_zero fault
        tile[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        result[threadIdx.x] += tile[N - 1 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void divided_by_one(int n)
{
    for (int whole = N; whole > 1; whole /= n) // BUG divided_by_one fault
        result[threadIdx.x] += whole;
}

__global__ void inner_does_not_move(int n)
{
    for (int row = 0; row < n; row++)
        for (int k = row; k < n + 1; k += data[k % N]) // BUG inner_does_not_move fault
            result[threadIdx.x] += k;
}

__global__ void two_conditions(int n)
{
    int left = 0, right = 0;
    while (left < n && right < n) { // BUG two_conditions fault
        result[threadIdx.x]++;
        left += data[left % N];
        right += data[right % N];
    }
}

// Some lanes leave the loop and wait for their warp to reconverge.
__global__ void never_that_exact(int n)
{
    float x = threadIdx.x + 1, y = n * x;
    while (fabsf(y * y - x) > 1e-9f) // BUG never_that_exact fault
        y = 0.5f * (y + x / y);
    result[threadIdx.x] = y;
}

__global__ void grid_barrier(int n)
{
    cooperative_groups::this_grid().sync();
    result[threadIdx.x] = n;
}

__global__ void misses_its_end(int n)
{
    int sum = 0;
    for (unsigned long long i = 1; i != n; i += 2) // BUG misses_its_end fault
        sum += data[i % N] ^ i;
    result[threadIdx.x] = sum;
}

__global__ void half_of_one(int n)
{
    int i = n, sum = 0;
    while (i > 0) { // BUG half_of_one fault
        sum += data[i % N] + sum * i;
        i = (i + 1) / 2;
    }
    result[threadIdx.x] = sum;
}

__global__ void flag_plain(int n)
{
    if (threadIdx.x == 0)
        result[0] = n;
    while (flag == 0) // BUG flag_plain fault
        __threadfence();
    result[threadIdx.x] = n;
}

__global__ void flag_volatile(int n)
{
    while (ready[0] != n) // BUG flag_volatile fault
        ;
    result[threadIdx.x] = n;
}

__global__ void flag_atomic(int n)
{
    while (atomicAdd(&flag, 0) == 0) // BUG flag_atomic fault
        ;
    result[threadIdx.x] = n;
}

__global__ void flag_with_a_count(int n)
{
    int looks = 0;
    while (ready[0] != n) // BUG flag_with_a_count fault
        looks++;
    result[threadIdx.x] = looks;
}

__global__ void never_released(int n)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) // BUG never_released fault
            ;
        count += n;
    }
}

__global__ void taken_twice(int n)
{
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++)
            while (atomicExch(&lock, 1) != 0) // BUG taken_twice fault
                ;
    result[threadIdx.x] = n;
}

__global__ void lanes_of_a_warp(int n)
{
    while (atomicCAS(&lock, 0, 1) != 0) // BUG lanes_of_a_warp fault
        ;
    __syncwarp(); // all come here before any gives the lock back
    count += n;
    atomicExch(&lock, 0);
}

__global__ void cas_never(int n)
{
    int old = 5;
    while (atomicCAS(&count, old, old + n) != old) // BUG cas_never fault
        ;
}

__global__ void blocks_cross(int n)
{
    if (threadIdx.x == 0) {
        while (!ready[1 - blockIdx.x]) // BUG blocks_cross fault
            ;
        ready[blockIdx.x] = n;
    }
}

__global__ void barrier_in_loop(int n)
{
    __shared__ int s;
    s = 0;
    do {
        if (threadIdx.x == 0)
            s = n - n;
        __syncthreads();
    } while (s == 0); // BUG barrier_in_loop fault
    result[threadIdx.x] = s;
}

// On a GPU the blocks that wait take all places, and the last block never begins.
__global__ void last_block_has_no_place(int n)
{
    if (blockIdx.x == gridDim.x - 1)
        atomicExch(&flag, 1);
    while (atomicAdd(&flag, 0) == 0) // BUG last_block_has_no_place fault
        ;
    result[threadIdx.x % N] = n;
}

// One warp of each block waits. The others exit, but the block keeps their places until it ends.
__global__ void exited_warps_keep_their_places(int n)
{
    if (blockIdx.x == gridDim.x - 1)
        atomicExch(&flag, 1);
    if (threadIdx.x == 0)
        while (atomicAdd(&flag, 0) == 0) // BUG exited_warps_keep_their_places fault
            ;
    if (threadIdx.x < N)
        result[threadIdx.x] = n;
}

// Few threads wait, but each block holds more than half of a multiprocessor's shared memory.
__global__ void no_place_for_shared_memory(int n)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = n;
    if (blockIdx.x == gridDim.x - 1)
        atomicExch(&flag, 1);
    if (threadIdx.x == 0)
        while (atomicAdd(&flag, 0) == 0) // BUG no_place_for_shared_memory fault
            ;
    result[threadIdx.x % N] = tile[threadIdx.x];
}

__global__ void barrier_of_too_many_blocks(int n)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&count, 1);
        while (atomicAdd(&count, 0) < (int)gridDim.x) // BUG barrier_of_too_many_blocks fault
            ;
    }
    __syncthreads();
    result[threadIdx.x % N] = n;
}

__global__ void half_waits(int n)
{
    if (threadIdx.x < 32)
        while (ready[0] != n) // BUG half_waits fault
            ;
    __syncthreads();
    result[threadIdx.x] = n;
}

__global__ void list_with_a_ring(int n)
{
    int at = threadIdx.x % 4 + n, sum = 0;
    while (data[at] != -1) { // BUG list_with_a_ring fault
        sum += at * at;
        at = data[at];
    }
    result[threadIdx.x] = sum;
}

__global__ void fine_long(int n)
{
    unsigned x = threadIdx.x;
    for (int k = 0; k < n; k++)
        x = x * 1664525u + 1013904223u + (x >> 3);
    result[threadIdx.x] = x;
}

// Slow, and each iteration of the outer loop takes long.
__global__ void fine_quadratic(int n)
{
    for (int a = 0; a < n && blockIdx.x == 0; a++)
        for (int b = 0; b < 40 * n; b++)
            result[threadIdx.x] += data[(a ^ b) % N];
}

__global__ void fine_one_thread(int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        for (int k = 0; k < n; k++)
            result[k % N] += data[(k + 1) % N];
}

// Each block waits for the one before it, which began earlier.
__global__ void fine_chain_of_many_blocks(int n)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(&count, 0) != (int)blockIdx.x)
            ;
        __threadfence();
        atomicAdd(&result[0], n);
        __threadfence();
        atomicAdd(&count, 1);
    }
}

// As many blocks as have places on an H200: two of 1024 threads on each of its 132 multiprocessors.
__global__ void fine_barrier_of_a_full_device(int n)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&count, 1);
        while (atomicAdd(&count, 0) < (int)gridDim.x)
            ;
    }
    __syncthreads();
    if (blockIdx.x == 0)
        result[threadIdx.x % N] = n;
}

__global__ void fine_handshake(int n)
{
    if (threadIdx.x == 0) {
        for (int k = 1; k <= n; k++) {
            ready[blockIdx.x] = k;
            __threadfence();
            while (ready[1 - blockIdx.x] < k)
                ;
        }
    }
}

#define CASES(X)                                                                                   \
    X(counter_forgotten, 100) X(same_store, 100) X(store_that_grows, 100)                          \
    X(step_of_zero, 100) X(divided_by_one, 1) X(inner_does_not_move, 100) X(two_conditions, 100) X(fine_quadratic, 150) X(atomic_that_grows, 100) X(counter_of_another, 9) X(unsigned_underflow, 100)                  \
    X(never_that_exact, 1) X(grid_barrier, 1)                                                      \
    X(misses_its_end, 100) X(half_of_one, 100) X(flag_plain, 1) X(flag_volatile, 1)                \
    X(flag_atomic, 1) X(flag_with_a_count, 1) X(never_released, 1) X(taken_twice, 1)               \
    X(lanes_of_a_warp, 1) X(cas_never, 1) X(blocks_cross, 1) X(barrier_in_loop, 1)                 \
    X(half_waits, 1) X(list_with_a_ring, 0) X(fine_long, 100000) X(fine_one_thread, 1000000)       \
    X(fine_handshake, 1000) X(last_block_has_no_place, 1) X(barrier_of_too_many_blocks, 1)         \
    X(fine_chain_of_many_blocks, 1) X(fine_barrier_of_a_full_device, 1)                            \
    X(no_place_for_shared_memory, 1) X(exited_warps_keep_their_places, 1)

// The blocks of a case, and their threads: an H200 has places for 264 blocks of 1024 threads.
static void shape_of(const char *name, int *blocks, int *threads, int *shared)
{
    const bool many = strstr(name, "many_blocks") || strstr(name, "place");
    const bool full = strstr(name, "full_device");
    *shared = strstr(name, "shared") ? 120000 : 0;
    if (*shared)
        cudaFuncSetAttribute(no_place_for_shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             *shared);
    *blocks = many ? 400 : full ? 264 : 2;
    *threads = many || full ? 1024 : N;
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        int blocks, threads, shared;
        shape_of(argv[k], &blocks, &threads, &shared);
#define RUN(name, n)                                                                               \
    if (strcmp(argv[k], #name) == 0)                                                               \
        name<<<blocks, threads, shared>>>(n);
        CASES(RUN)
    }
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorName(e));
    return 0;
}
