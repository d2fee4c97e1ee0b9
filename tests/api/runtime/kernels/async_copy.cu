// Copies from global to shared memory that a kernel does not wait for at once, through
// cuda_pipeline.h and cooperative groups, and with sources that are shorter than the copy.
// flags: -arch=compute_90
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cuda_pipeline.h>
#include <vector>

static const int threads = 128, stages = 3;

/* Sums of tiles, with some tiles ahead of the one that is summed. */
template <typename T> __global__ void sums(const T *in, T *out, int tiles)
{
    __shared__ T tile[stages][threads];
    const int t = threadIdx.x;
    T sum = {};
    for (int k = 0; k < stages - 1; k++) {
        if (k < tiles) {
            __pipeline_memcpy_async(&tile[k][t], &in[k * threads + t], sizeof(T));
        }
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; k++) {
        const int ahead = k + stages - 1;
        if (ahead < tiles) {
            __pipeline_memcpy_async(&tile[ahead % stages][t], &in[ahead * threads + t], sizeof(T));
        }
        __pipeline_commit();
        __pipeline_wait_prior(stages - 1);
        __syncthreads();
        const T other = tile[k % stages][(t + 1) % threads];
        for (size_t w = 0; w < sizeof(T) / 4; w++) {
            ((uint32_t *)&sum)[w] += ((const uint32_t *)&other)[w];
        }
        __syncthreads();
    }
    out[t] = sum;
}

template <typename T> static void check_sums(int tiles)
{
    const size_t words = sizeof(T) / 4, count = (size_t)tiles * threads;
    std::vector<uint32_t> in(count * words), out(threads * words);
    for (size_t k = 0; k < in.size(); k++) {
        in[k] = (uint32_t)(k * 2654435761u);
    }
    T *d, *r;
    OK(cudaMalloc(&d, count * sizeof(T)));
    OK(cudaMalloc(&r, threads * sizeof(T)));
    OK(cudaMemcpy(d, in.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    sums<<<1, threads>>>(d, r, tiles);
    OK(cudaMemcpy(out.data(), r, threads * sizeof(T), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < threads; t++) {
        for (size_t w = 0; w < words; w++) {
            uint32_t want = 0;
            for (int k = 0; k < tiles; k++) {
                want += in[((size_t)k * threads + (t + 1) % threads) * words + w];
            }
            wrong += out[t * words + w] != want;
        }
    }
    CHECK(wrong == 0);
    OK(cudaFree(d));
    OK(cudaFree(r));
}

/* Lane t copies 16 bytes of which the last t % 17 are zeros; the array ends where the last lane's
 * source does, so nothing behind it may be read. */
__global__ void shorter(const unsigned char *in, unsigned char *out)
{
    __shared__ __align__(16) unsigned char tile[32 * 16];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(tile + 16 * t, in + 16 * t, 16, t % 17);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int k = 0; k < 16; k++) {
        out[16 * t + k] = tile[16 * t + k];
    }
}

static void check_shorter()
{
    const int zeros = 31 % 17, bytes = 32 * 16 - zeros;
    std::vector<unsigned char> in(bytes), out(32 * 16, 0xee);
    for (int k = 0; k < bytes; k++) {
        in[k] = (unsigned char)(k * 7 + 1);
    }
    unsigned char *d, *r;
    OK(cudaMalloc(&d, bytes));
    OK(cudaMalloc(&r, 32 * 16));
    OK(cudaMemcpy(d, in.data(), bytes, cudaMemcpyHostToDevice));
    shorter<<<1, 32>>>(d, r);
    OK(cudaMemcpy(out.data(), r, 32 * 16, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < 32; t++) {
        for (int k = 0; k < 16; k++) {
            wrong += out[16 * t + k] != (k < 16 - t % 17 ? in[16 * t + k] : 0);
        }
    }
    CHECK(wrong == 0);
    OK(cudaFree(d));
    OK(cudaFree(r));
}

__global__ void group_copy(const int *in, int *out, int n)
{
    namespace cg = cooperative_groups;
    __shared__ int tile[300];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof(int) * n);
    cg::wait(block);
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        out[k] = tile[n - 1 - k];
    }
}

static void check_group()
{
    const int n = 299;
    int in[n], out[n], wrong = 0;
    for (int k = 0; k < n; k++) {
        in[k] = k * k;
    }
    int *d, *r;
    OK(cudaMalloc(&d, sizeof in));
    OK(cudaMalloc(&r, sizeof in));
    OK(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    group_copy<<<1, 64>>>(d, r, n);
    OK(cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost));
    for (int k = 0; k < n; k++) {
        wrong += out[k] != in[n - 1 - k];
    }
    CHECK(wrong == 0);
    OK(cudaFree(d));
    OK(cudaFree(r));
}

int main()
{
    check_sums<uint32_t>(7);
    check_sums<uint2>(1);
    check_sums<uint4>(10);
    check_shorter();
    check_group();
    return print_failures();
}
