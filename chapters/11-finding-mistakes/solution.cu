// Chapter 11: finding mistakes. Four programs with one mistake each, which no compiler sees.
// Build and run: ./warpbook run 11     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { BLOCK = 128, BINS = 32 };
static int blocks(int n) { return (n + BLOCK - 1) / BLOCK; }

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Each block of BLOCK elements in reverse order; what lies past the end counts as 0.
__global__ void reverse(int *out, const int *in, int n)
{
    __shared__ int tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    // TODO 1 (about 1 line): what is missing? A thread reads what may not be there yet.
    // The element that a thread reads was stored by a thread of another warp, which may not have
    // come to its store yet. The barrier makes all threads of the block wait for one another.
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    int value = tile[BLOCK - 1 - threadIdx.x];
    // END TODO 1
    if (i < n)
        out[i] = value;
}

// The sum of each block of BLOCK elements.
__global__ void sums(int *out, const int *in, int n)
{
    __shared__ int part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    // TODO 2 (about 5 lines): the sums are right, and yet there is a mistake. Who waits for whom?
    // A barrier is for all threads of the block, also for those with nothing to add. So it stands
    // outside the if, and each of them executes it in each step.
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    // END TODO 2
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// TODO 3 (about 3 lines): two mistakes: memory that nobody fills, and work that does not wait.
// bins[b] += how many elements of in have the remainder b by BINS.
// Shared memory holds anything at first: each bin needs its 0 before the first addition. Work in
// two streams has no order, unless one waits for an event of the other.
__global__ void count(int *bins, const int *in, int n)
{
    __shared__ int tile[BINS];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x;
    if (t < BINS)
        tile[t] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&tile[in[i] % BINS], 1);
    __syncthreads();
    if (t < BINS)
        atomicAdd(&bins[t], tile[t]);
}

__global__ void twice(int *out, const int *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

// out = 2 * from, by way of room on the device: one stream copies, the other one computes.
static void copy_and_double(int *out, int *room, const int *from, int n, cudaStream_t *stream,
                            cudaEvent_t copied)
{
    CUDA_CHECK(cudaMemcpyAsync(room, from, n * sizeof(int), cudaMemcpyDefault, stream[0]));
    CUDA_CHECK(cudaEventRecord(copied, stream[0]));
    CUDA_CHECK(cudaStreamWaitEvent(stream[1], copied, 0));
    twice<<<blocks(n), BLOCK, 0, stream[1]>>>(out, room, n);
}
// END TODO 3

int main(void)
{
    lab_begin("11-finding-mistakes");
    cudaStream_t stream[2];
    cudaEvent_t copied;
    for (cudaStream_t &s : stream)
        CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&copied));

    LAB_CHECK("reverse", n) {
        lab_array<int> in(n), out(n, LAB_POISON);
        reverse<<<blocks(n), BLOCK>>>(out.device, in.device, n);
        auto from = [](long i) { return i + BLOCK - 1 - 2 * (i % BLOCK); };
        lab_expect(out, [&](long i) { return from(i) < n ? in[from(i)] : 0; }, 0, "a copy");
    }
    LAB_CHECK("sums", n) {
        lab_array<int> in(n), out(blocks(n), LAB_POISON);
        sums<<<blocks(n), BLOCK>>>(out.device, in.device, n);
        auto sum = [&](long b) {
            long s = 0;
            for (long i = b * BLOCK; i < n && i / BLOCK == b; i++) s += in[i];
            return s;
        };
        lab_expect(out, sum, 0, "sums of ints are exact");
    }
    LAB_CHECK("count", n) {
        lab_array<int> in(n, LAB_RANDOM, 0, 1000), bins(BINS, LAB_RANDOM, 0, 0);
        count<<<blocks(n), BLOCK>>>(bins.device, in.device, n);
        auto bin = [&](long b) {
            long c = 0;
            for (long i = 0; i < n; i++) c += in[i] % BINS == b;
            return c;
        };
        lab_expect(bins, bin, 0, "a count is exact");
    }
    LAB_CHECK("twice", n) {
        lab_array<int> in(n), room(n, LAB_POISON), out(n, LAB_POISON);
        copy_and_double(out.device, room.device, in.device, n, stream, copied);
        CUDA_CHECK(cudaDeviceSynchronize());
        lab_expect(out, [&](long i) { return 2 * in[i]; }, 0, "twice is exact");
        lab_expect(room, [&](long i) { return in[i]; }, 0, "out is made from room");
    }

    int n = (int)lab_elements(1 << 22, 1 << 28);
    lab_array<int> in(n), out(blocks(n), LAB_POISON);
    LAB_MEASURE("sums", n, 4.0 * n)
        sums<<<blocks(n), BLOCK>>>(out.device, in.device, n);

    LAB_GOAL("sums", "barriers_per_warp", "equal", 8, "one, and one in each of 7 steps");
    LAB_WORK("reverse twice", 1, 1, 28);
    LAB_WORK("sums count", 1, 0.25, 16);
    for (cudaStream_t s : stream) CUDA_CHECK(cudaStreamDestroy(s));
    CUDA_CHECK(cudaEventDestroy(copied));
    return lab_end();
}
