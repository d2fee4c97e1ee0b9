// Chapter 20: whose memory. Pages that move, memory of the host read in place, and a pool.
// Build and run: ./warpbook run 20     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"
#include "lab_memory.h"

enum { BLOCK = 256, GROUP = 32 };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// BYTES bytes of managed memory, which the host has written. launch() puts a kernel that uses all
// of them into the stream; after it the host reads them.
template <class F>
static void with_pages(void *data, size_t bytes, cudaStream_t stream, F launch)
{
    // TODO 1 (about 5 lines): let the pages be where they are needed, before they are needed.
    // Hint: cudaMemPrefetchAsync(data, bytes, place, 0, stream), with a place of cudaMemLocation
    launch();
    // END TODO 1
}

// out[g] = the sum of the GROUP ints from in[g * GROUP] on, as far as there are n. The grid has a
// thread an int. The ints may lie in the host's memory: each of their bytes then crosses the link.
__global__ void group_sums(int *out, const int *in, int n)
{
    // TODO 2 (about 6 lines): read each int once, and neighbours together.
    // Hint: a warp has as many lanes as a group has ints
    (void)out, (void)in, (void)n;
    // END TODO 2
}

__global__ void blur(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * (in[i] + in[min(i + 1, n - 1)]);
}

static int blocks(int threads) { return (threads + BLOCK - 1) / BLOCK; }
static int groups(int ints) { return (ints + GROUP - 1) / GROUP; }

// out = in, blurred twice. Between the two lie n floats that nobody needs afterwards.
static void blur_twice(float *out, const float *in, int n, cudaStream_t stream)
{
    // TODO 3 (about 5 lines): take them from the device's pool, and give them back, in the stream.
    // Hint: cudaMallocAsync(&pointer, bytes, stream), cudaFreeAsync(pointer, stream)
    (void)out, (void)in, (void)n, (void)stream;
    // END TODO 3
}

// Given, to compare with: the same with cudaMalloc. cudaFree waits until the device is done.
static void blur_twice_malloc(float *out, const float *in, int n, cudaStream_t stream)
{
    float *between;
    CUDA_CHECK(cudaMalloc(&between, n * sizeof(float)));
    blur<<<blocks(n), BLOCK, 0, stream>>>(between, in, n);
    blur<<<blocks(n), BLOCK, 0, stream>>>(out, between, n);
    CUDA_CHECK(cudaFree(between));
}

// Given, to compare with: a thread a group. What the lanes of a warp read together lies apart.
__global__ void group_sums_apart(int *out, const int *in, int n)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = g * GROUP; i < n && i < (g + 1) * GROUP; i++)
        sum += in[i];
    if (g * GROUP < n) out[g] = sum;
}

// Given: the device's pointer to memory of the host. A kernel that uses it works in place: what it
// reads and writes crosses the link.
static int *mapped(int *host, size_t bytes)
{
    int *device = NULL;
    CUDA_CHECK(cudaHostRegister(host, bytes, cudaHostRegisterMapped)); // pins the pages
    CUDA_CHECK(cudaHostGetDevicePointer(&device, host, 0));
    return device;
}

int main(void)
{
    lab_begin("20-whose-memory");
    int n = (int)lab_elements(1 << 22, 1 << 26), few = min(n, 1 << 16);
    cudaStream_t stream; // it and the default stream do not wait for each other
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    auto at = [](const lab_array<float> &a, long i) { return (double)a[i < a.n ? i : a.n - 1]; };
    blur<<<1, 1>>>(NULL, NULL, 0); // loading it makes the host wait

    if (lab_pages_move("with_pages")) LAB_CHECK("with_pages", size) {
        size_t bytes = size * sizeof(float);
        lab_array<float> in(size), out(size, LAB_POISON);
        int calls = 0, before = cudaInvalidDeviceId;
        float *data; // the input, and behind it the output
        CUDA_CHECK(cudaMallocManaged(&data, 2 * bytes));
        for (int i = 0; i < size; i++) data[i] = in[i], data[size + i] = 0;
        lab_hold(stream);
        with_pages(data, 2 * bytes, stream, [&] {
            calls++, before = lab_pages_at(data, 2 * bytes);
            blur<<<blocks(size), BLOCK, 0, stream>>>(data + size, data, size);
        });
        int after = lab_pages_at(data, 2 * bytes);
        lab_require(lab_release(), "the host waited: it is only to put work into the stream");
        lab_between(calls, 1, 1, "calls of launch()", "once");
        lab_require(before == 0, "launch() was called before all pages were sent to the device");
        lab_require(after == cudaCpuDeviceId, "not all pages were sent back to the host");
        CUDA_CHECK(cudaMemcpy(out.device, data + size, bytes, cudaMemcpyDefault));
        lab_expect(out, [&](long i) { return (at(in, i) + at(in, i + 1)) / 2; }, 1e-6, "roundings");
        CUDA_CHECK(cudaFree(data));
    }
    LAB_CHECK("group_sums", size) { // in place: the ints stay in the host's memory
        lab_array<int> in(size), out(groups(size), LAB_POISON);
        int *host = (int *)malloc(size * sizeof(int));
        for (int i = 0; i < size; i++) host[i] = in[i];
        group_sums<<<blocks(size), BLOCK>>>(out.device, mapped(host, size * sizeof(int)), size);
        auto sum = [&](long g) {
            long all = 0, last = min((g + 1) * GROUP, (long)size);
            for (long i = g * GROUP; i < last; i++) all += in[i];
            return all;
        };
        lab_expect(out, sum, 0, "sums of ints are exact");
        CUDA_CHECK(cudaHostUnregister(host)), free(host);
    }
    LAB_CHECK("blur_twice", size) {
        lab_array<float> in(size), out(size, LAB_POISON);
        lab_pool_use pool;
        lab_hold(stream);
        blur_twice(out.device, in.device, size, stream);
        lab_require(lab_release(), "the host waited: cudaFree does, cudaFreeAsync does not");
        auto want = [&](long i) { return (at(in, i) + 2 * at(in, i + 1) + at(in, i + 2)) / 4; };
        lab_expect(out, want, 1e-6, "two roundings");
        bool enough = pool.most() >= size * sizeof(float);
        lab_require(enough, "the floats between are not the pool's, or too few");
        lab_require(pool.left() == 0, "the floats between were not given back to the pool");
    }

    lab_array<int> in(n), sums(groups(n), LAB_POISON);
    lab_array<float> from(few), to(few, LAB_POISON);
    int *host = (int *)calloc(n, sizeof(int)), *there = mapped(host, n * sizeof(int));
    LAB_MEASURE("copied", n, 4.0 * n) {
        CUDA_CHECK(cudaMemcpyAsync(in.device, host, 4L * n, cudaMemcpyDefault));
        group_sums<<<blocks(n), BLOCK>>>(sums.device, in.device, n);
    }
    if (!lab_run().emulated) { // which does not model what a kernel's own loads take on the link
        LAB_MEASURE("in_place", n, 4.0 * n)
            group_sums<<<blocks(n), BLOCK>>>(sums.device, there, n);
        LAB_MEASURE("in_place_apart", n, 4.0 * n)
            group_sums_apart<<<blocks(groups(n)), BLOCK>>>(sums.device, there, n);
    }
    CUDA_CHECK(cudaHostUnregister(host)), free(host);
    LAB_MEASURE("group_sums", n, 4.0 * n)
        group_sums<<<blocks(n), BLOCK>>>(sums.device, in.device, n);
    LAB_MEASURE("group_sums_apart", n, 4.0 * n)
        group_sums_apart<<<blocks(groups(n)), BLOCK>>>(sums.device, in.device, n);
    for (int times : {1, 4, 16, 64}) {
        LAB_SWEEP("blur_twice_malloc", times, few, 16.0 * few * times)
            for (int k = 0; k < times; k++) blur_twice_malloc(to.device, from.device, few, 0);
        LAB_SWEEP("blur_twice", times, few, 16.0 * few * times)
            for (int k = 0; k < times; k++) blur_twice(to.device, from.device, few, 0);
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
    LAB_GOAL("group_sums", "bytes_per_sector", "at_least", 26, "each byte crosses the link once");
    LAB_WORK("group_sums", 1, 1, 16);
    return lab_end();
}
