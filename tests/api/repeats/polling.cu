// Kernels whose blocks, warps or lanes wait for one another, each in another way: "name ms" a line,
// and what they have computed where that is wrong. tests/api/repeats/run-repeats runs it with one, two
// and four host threads.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

enum { THREADS = 128 };

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// word[0]: a lock; word[1]: what it guards
__global__ void locked(int *word)
{
    if (threadIdx.x % 32 != 0)
        return;
    for (int k = 0; k < 4; k++) {
        while (atomicCAS(&word[0], 0, 1) != 0) {
        }
        __threadfence();
        *(volatile int *)&word[1] += 1;
        __threadfence();
        atomicExch(&word[0], 0);
    }
}

// All lanes of a warp want the lock
__global__ void locked_by_lanes(int *word)
{
    for (bool mine = false; !mine;)
        if (atomicCAS(&word[0], 0, 1) == 0) {
            __threadfence();
            *(volatile int *)&word[1] += 1;
            __threadfence();
            atomicExch(&word[0], 0);
            mine = true;
        }
}

__global__ void forwards(int *word)
{
    volatile int *flag = word;
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0) {
        }
        flag[blockIdx.x] = 1;
    }
}

__global__ void backwards(int *word)
{
    volatile int *flag = word;
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && flag[blockIdx.x + 1] == 0)
            __nanosleep(100);
        flag[blockIdx.x] = 1;
    }
}

// An ordinary load: the fence keeps it in the loop
__global__ void fenced(int *word)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && word[blockIdx.x + 1] == 0)
            __threadfence();
        word[blockIdx.x] = 1;
    }
}

__global__ void swapped(int *word)
{
    float *sum = (float *)word;
    unsigned *bits = (unsigned *)sum, was = *(volatile unsigned *)bits, now;
    do {
        now = was;
        was = atomicCAS(bits, now, __float_as_uint(__uint_as_float(now) + 1.0f));
    } while (was != now);
}

__global__ void queue(int *word)
{
    __shared__ int mine;
    for (;;) {
        if (threadIdx.x == 0)
            mine = atomicAdd(&word[0], 1);
        __syncthreads();
        if (mine >= 1000)
            break;
        for (int k = 0; k < mine % 7; k++)
            atomicAdd(&word[1 + k], 1);
        __syncthreads();
    }
}

// Nobody waits and nobody looks: blocks run beside one another, and what is counted of each is added up
__global__ void scattered(int *word)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 10; k++) {
        at = at * 1664525u + 1013904223u;
        atomicAdd(&word[at >> 8 & 1023], 1);
        atomicAdd((float *)&word[1024 + (at >> 8 & 31)], 1.0f);
    }
}

__global__ void grid(int *word)
{
    cooperative_groups::grid_group all = cooperative_groups::this_grid();
    for (int k = 0; k < 5; k++) {
        if (threadIdx.x == 0)
            atomicAdd(&word[k], 1);
        all.sync();
    }
}

__global__ void last_block(int *word)
{
    __shared__ bool last;
    word[1 + blockIdx.x] = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&word[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int k = threadIdx.x; k < gridDim.x; k += blockDim.x)
            word[1 + k] += 1;
}

// A warp waits for another one of its block by a word in shared memory
__global__ void within(int *word)
{
    __shared__ volatile int turn;
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0)
        turn = warps - 1;
    __syncthreads();
    while (turn != warp) {
    }
    for (int k = 0; k < 100; k++)
        __nanosleep(10);
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        word[blockIdx.x] += 1;
        turn = warp - 1;
    }
}

static cudaEvent_t begin, end;
static int *word;

static void run(const char *name, void (*kernel)(int *), int blocks, bool together)
{
    void *arguments[] = {&word};
    float ms;
    check(cudaMemset(word, 0, 1 << 20));
    check(cudaEventRecord(begin));
    if (together)
        check(cudaLaunchCooperativeKernel((void *)kernel, blocks, THREADS, arguments, 0, 0));
    else
        kernel<<<blocks, THREADS>>>(word);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&ms, begin, end));
    printf("%s\t%.9g\n", name, ms);
}

static void expect(const char *what, int at, int value)
{
    int is;
    check(cudaMemcpy(&is, word + at, 4, cudaMemcpyDeviceToHost));
    if (is != value)
        printf("%s: %d instead of %d\n", what, is, value);
}

int main()
{
    check(cudaMalloc(&word, 1 << 20));
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    run("locked", locked, 300, false);
    expect("locked", 1, 300 * THREADS / 32 * 4);
    run("locked_by_lanes", locked_by_lanes, 20, false);
    expect("locked_by_lanes", 1, 20 * THREADS);
    run("forwards", forwards, 3000, false);
    expect("forwards", 2999, 1);
    run("backwards", backwards, 100, false);
    expect("backwards", 0, 1);
    run("fenced", fenced, 100, false);
    expect("fenced", 0, 1);
    run("swapped", swapped, 50, false);
    expect("swapped", 0, 0x45c80000);
    run("queue", queue, 40, false);
    expect("queue", 1, 857 * THREADS);
    run("scattered", scattered, 200, false);
    run("grid", grid, 100, true);
    expect("grid", 4, 100);
    run("last_block", last_block, 500, false);
    expect("last_block", 500, 500);
    run("within", within, 30, false);
    expect("within", 29, THREADS / 32);
    return 0;
}
