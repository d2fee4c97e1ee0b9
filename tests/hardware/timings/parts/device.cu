/* The device's own times: first call, launches, block dispatch, copies, latencies, atomics,
 * arithmetic, shared memory by stride. */
#include "record.h"

#include <chrono>

__global__ void empty() {}

__global__ void empty_shared()
{
    extern __shared__ int unused[];
    if (clock64() == 0)
        unused[0] = 0;
}

/* Each load's address is what the load before it read. Goes on where the last launch stopped. */
__global__ void chase(const unsigned *next, unsigned *out, int steps)
{
    unsigned at = *out;
    for (int i = 0; i < steps; i++)
        at = next[at];
    *out = at;
}

__global__ void chase_shared(unsigned *out, int steps)
{
    __shared__ unsigned next[256];
    for (int i = 0; i < 256; i++)
        next[i] = (i + 32) & 255;
    unsigned at = 0;
    for (int i = 0; i < steps; i++)
        at = next[at];
    *out = at;
}

/* TIMES atomics a thread on SPREAD words, neighbouring lanes on neighbouring ones. */
__global__ void add_spread(unsigned *total, unsigned spread, int times)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & (spread - 1);
    for (int k = 0; k < times; k++)
        atomicAdd(&total[i], threadIdx.x + 1);
}

/* The same, and the old value is used. */
__global__ void add_spread_return(unsigned *total, unsigned *out, unsigned spread, int times)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, i = thread & (spread - 1), sum = 0;
    for (int k = 0; k < times; k++)
        sum += atomicAdd(&total[i], threadIdx.x + 1);
    out[thread] = sum;
}

__global__ void add_shared(unsigned *out, unsigned spread, int times)
{
    __shared__ unsigned total[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        total[i] = 0;
    __syncthreads();
    for (int k = 0; k < times; k++)
        atomicAdd(&total[threadIdx.x & (spread - 1)], threadIdx.x + 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = total[0];
}

/* CHAINS independent chains of dependent fused multiply-adds a thread. */
template <int CHAINS> __global__ void multiply_add(float *out, float x, int times)
{
    float v[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        v[c] = threadIdx.x + c;
    for (int k = 0; k < times; k++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            v[c] = v[c] * x + 1.0f;
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += v[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void load_shared_stride(float *out, int stride, int times)
{
    __shared__ float data[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        data[i] = i;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < times; k++)
        sum += data[(threadIdx.x % 32 * stride + k) & 1023];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void barriers(int *out, int times)
{
    for (int k = 0; k < times; k++)
        __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

static void copies()
{
    size_t most = 256u << 20;
    device_array<char> a(most), b(most);
    char *pinned, *pageable = (char *)malloc(most);
    CHECK(cudaMallocHost(&pinned, most));
    memset(pinned, 1, most);
    memset(pageable, 1, most);
    for (size_t n = 4; n <= most; n *= 8) {
        if (n > 4 && n * 8 > most)
            n = most;
        struct {
            const char *name;
            char *to, *from;
            cudaMemcpyKind kind;
            double bytes;
        } kinds[] = {
            {"h2d_pinned", a.p, pinned, cudaMemcpyHostToDevice, 1.0 * n},
            {"h2d_pageable", a.p, pageable, cudaMemcpyHostToDevice, 1.0 * n},
            {"d2h_pinned", pinned, a.p, cudaMemcpyDeviceToHost, 1.0 * n},
            {"d2h_pageable", pageable, a.p, cudaMemcpyDeviceToHost, 1.0 * n},
            {"d2d", b.p, a.p, cudaMemcpyDeviceToDevice, 2.0 * n},
        };
        for (auto &k : kinds)
            measure(k.name, n, n, k.bytes,
                    [&] { CHECK(cudaMemcpyAsync(k.to, k.from, n, k.kind, 0)); });
        measure("memset", n, n, 1.0 * n, [&] { CHECK(cudaMemsetAsync(a.p, 0, n, 0)); });
    }
    cudaFreeHost(pinned);
    free(pageable);
}

static void latencies()
{
    for (size_t bytes : {(size_t)16 << 10, (size_t)128 << 10, (size_t)1 << 20, (size_t)8 << 20,
                         (size_t)24 << 20, (size_t)48 << 20, (size_t)512 << 20}) {
        size_t words = bytes / 4, step = 128 / 4, lines = words / step;
        std::vector<unsigned> next(words);
        /* A cycle through every 128-byte line, a large odd number of lines ahead each time. */
        size_t ahead = lines > 64 ? (lines / 3) | 1 : 1;
        for (size_t i = 0; i < lines; i++)
            next[i * step] = (unsigned)((i + ahead) % lines * step);
        device_array<unsigned> d(words), out(1);
        CHECK(cudaMemcpy(d.p, next.data(), bytes, cudaMemcpyHostToDevice));
        /* Once through all that L2 may hold, so that it does. */
        int steps = lines <= 400000 ? std::max<int>(20000, (int)lines) : 20000;
        double ms = median_ms([&] { chase<<<1, 1>>>(d.p, out.p, steps); }) -
                    median_ms([&] { chase<<<1, 1>>>(d.p, out.p, 0); });
        row("chase_ns", (double)bytes, steps, 0, ms * 1e6 / steps);
    }
    device_array<unsigned> out(1);
    double ms = median_ms([&] { chase_shared<<<1, 1>>>(out.p, 20000); }) -
                median_ms([&] { chase_shared<<<1, 1>>>(out.p, 0); });
    row("chase_shared_ns", -1, 20000, 0, ms * 1e6 / 20000);
}

int main()
{
    auto before = std::chrono::steady_clock::now();
    CHECK(cudaFree(0));
    double context =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before)
            .count();
    timings();
    if (!timings().emulated)
        row("context_host_clock", -1, 1, 0, context);

    measure("launch_empty", -1, 1, 0, [] { empty<<<1, 1>>>(); });
    measure("launch_two_empty", -1, 1, 0, [] {
        empty<<<1, 1>>>();
        empty<<<1, 1>>>();
    });
    for (int block : {32, 64, 128, 256, 512, 1024})
        for (int log2 : {10, 14, 17, 20, 22})
            if (!timings().emulated || log2 <= 17) {
                char name[64];
                snprintf(name, sizeof name, "dispatch_%d", block);
                measure(name, 1 << log2, (size_t)1 << log2, 0,
                        [&] { empty<<<1 << log2, block>>>(); });
            }
    for (int kib : {1, 8, 32})
        measure("dispatch_256_shared_kib", kib, 1 << 17, 0,
                [&] { empty_shared<<<1 << 17, 256, kib * 1024>>>(); });
    copies();
    latencies();

    device_array<unsigned> total(1 << 20), out(1 << 20);
    for (unsigned spread : {1u, 2u, 8u, 32u, 256u, 4096u, 65536u, 1048576u}) {
        size_t n = (size_t)1 << 20;
        measure("atomic_spread", spread, n, 0,
                [&] { add_spread<<<4096, 256>>>(total.p, spread, 4); });
        measure("atomic_return_spread", spread, n, 0,
                [&] { add_spread_return<<<4096, 256>>>(total.p, out.p, spread, 4); });
        if (spread <= 256)
            measure("atomic_shared_spread", spread, n, 0,
                    [&] { add_shared<<<4096, 256>>>(out.p, spread, 16); });
    }
    device_array<float> sums(1 << 20);
    int times = timings().emulated ? 256 : 1024; /* n counts the operations: compare rates */
    size_t threads = 132 * 2048;
    measure("fma_chains_1", -1, threads * times, 0,
            [&] { multiply_add<1><<<132 * 8, 256>>>(sums.p, 0.5f, times); });
    measure("fma_chains_4", -1, threads * times * 4, 0,
            [&] { multiply_add<4><<<132 * 8, 256>>>(sums.p, 0.5f, times); });
    measure("fma_one_warp", -1, 32 * 4096, 0,
            [&] { multiply_add<1><<<1, 32>>>(sums.p, 0.5f, 4096); });
    for (int stride : {1, 2, 4, 8, 16, 32})
        measure("shared_stride", stride, threads * 256, 4.0 * threads * 256,
                [&] { load_shared_stride<<<132 * 8, 256>>>(sums.p, stride, 256); });
    for (int block : {64, 256, 1024})
        measure("barriers_256", block, threads, 0,
                [&] { barriers<<<132 * 2048 / block, block>>>((int *)sums.p, 256); });
    return 0;
}
