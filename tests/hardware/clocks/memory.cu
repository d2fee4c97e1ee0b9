/* Latency of global memory: chains of dependent loads by one thread, over arrays of many sizes and
 * strides (Saavedra; Wong et al.), with the cache's rules that PTX can name, and loads of a whole
 * warp in several strides. */
#include "clocks.h"

enum { STEPS = 64 };

struct by_default {
    static __device__ unsigned long long load(const unsigned long long *p)
    {
        return *p;
    }
};
struct by_l2 {
    static __device__ unsigned long long load(const unsigned long long *p)
    {
        return __ldcg(p);
    }
};
struct by_nc {
    static __device__ unsigned long long load(const unsigned long long *p)
    {
        return __ldg(p);
    }
};
struct by_volatile {
    static __device__ unsigned long long load(const unsigned long long *p)
    {
        return *(const volatile unsigned long long *)p;
    }
};

/* ring[k] is the address of the next element. WARM steps come first. */
template <class HOW>
__global__ void chase(long long *cycles, const unsigned long long *ring, int warm,
                      unsigned long long *out)
{
    const unsigned long long *p = ring;
#pragma unroll 1
    for (int k = 0; k < warm; k++)
        p = (const unsigned long long *)HOW::load(p);
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        p = (const unsigned long long *)HOW::load(p);
    out[0] = (unsigned long long)p;
    long long stop = clock64();
    cycles[0] = stop - start;
}

template <class HOW>
__global__ void chase_loop(long long *cycles, const unsigned long long *ring, int warm, int steps,
                           unsigned long long *out)
{
    const unsigned long long *p = ring;
#pragma unroll 1
    for (int k = 0; k < warm; k++)
        p = (const unsigned long long *)HOW::load(p);
    long long start = clock64();
#pragma unroll 1
    for (int k = 0; k < steps; k++)
        p = (const unsigned long long *)HOW::load(p);
    out[0] = (unsigned long long)p;
    long long stop = clock64();
    cycles[0] = stop - start;
}

/* By an index into an array of ints, as most programs write it. */
__global__ void chase_index(long long *cycles, const int *next, int warm, int *out)
{
    int j = 0;
    for (int k = 0; k < warm; k++)
        j = next[j];
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        j = next[j];
    long long stop = clock64();
    out[0] = j;
    cycles[0] = stop - start;
}

/* Each access by itself, its time kept in shared memory (Mei and Chu). */
__global__ void fine(long long *cycles, const int *next, int warm, int *out)
{
    __shared__ unsigned took[256];
    __shared__ int at[256];
    int j = 0;
    for (int k = 0; k < warm; k++)
        j = next[j];
    for (int k = 0; k < 256; k++) {
        unsigned start = clock();
        j = next[j];
        at[k] = j;
        unsigned stop = clock();
        took[k] = stop - start;
    }
    out[0] = at[threadIdx.x + 17];
    long long sum = 0, least = 1 << 30, most = 0;
    for (int k = 0; k < 256; k++) {
        sum += took[k];
        least = min(least, (long long)took[k]);
        most = max(most, (long long)took[k]);
    }
    cycles[0] = sum;
    cycles[1] = least;
    cycles[2] = most;
}

/* A warp's loads, one needing the other: lane l reads word l * STRIDE of rows of SIZE words. */
template <class T>
__global__ void warp_stride(long long *cycles, const T *data, int stride, int rows, int row, int passes,
                            T *out)
{
    long long took = 0;
    int zero = 0;
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
        long long start = clock64();
#pragma unroll 1
        for (int k = 0; k < rows; k++)
            zero = ((const int *)(data + (size_t)k * row + threadIdx.x * stride + zero))[0];
        took = clock64() - start;
    }
    out[threadIdx.x] = (T)zero;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

/* EACH independent loads of a warp, then their sum. */
template <int EACH>
__global__ void many(long long *cycles, const float *data, int step, int passes, float *out)
{
    long long took = 0;
    float sum = 0;
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
        long long start = clock64();
#pragma unroll
        for (int e = 0; e < EACH; e++)
            sum += data[threadIdx.x + e * step];
        out[threadIdx.x] = sum;
        took = clock64() - start;
    }
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void store(long long *cycles, float *data, int step, int passes)
{
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < passes; p++) {
        long long start = clock64();
#pragma unroll
        for (int e = 0; e < 32; e++)
            data[threadIdx.x * step + e * 1024] = e;
        took = clock64() - start;
    }
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void make_ring(unsigned long long *ring, size_t count, size_t stride)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count;
         k += (size_t)gridDim.x * blockDim.x)
        ring[k * stride] = (unsigned long long)(ring + (k + 1) % count * stride);
}

/* In an order that no prefetcher guesses: x -> 5 x + 3 goes through all of a power of two. */
__global__ void make_mixed(unsigned long long *ring, size_t count, size_t stride)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count;
         k += (size_t)gridDim.x * blockDim.x)
        ring[k * stride] = (unsigned long long)(ring + ((k * 1664525 + 1013904223) & (count - 1)) * stride);
}

__global__ void make_index(int *next, int count, int stride)
{
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x)
        next[(size_t)k * stride] = (k + 1) % count * stride;
}

/* Reads all of an array, so that L2 holds something else. */
__global__ void sweep(const float4 *data, size_t n, float *out)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += data[i].x;
    if (sum == 12345.0f)
        out[0] = sum;
}

typedef unsigned long long word;

template <class HOW>
static void sizes(const char *name, word *ring, size_t most, size_t stride, word *out)
{
    for (size_t bytes = 4096; bytes <= most; bytes *= 2) {
        size_t count = bytes / stride;
        if (count < 4)
            continue;
        make_ring<<<count > 4096 ? 64 : 1, 128>>>(ring, count, stride / 8);
        int warm = count > 20000 ? 0 : (int)(2 * count);
        sample(name, (double)bytes, STEPS,
               [&](long long *c) { chase<HOW><<<1, 1>>>(c, ring, warm, out); });
    }
}

int main()
{
    const size_t MB = 1 << 20;
    bool emulated = clocks().emulated;
    const size_t room = 16384 * MB;
    word *ring, *out;
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMalloc(&ring, room));

    sizes<by_default>("chase.128", ring, 64 * MB, 128, out);
    sizes<by_default>("chase.32", ring, 1 * MB, 32, out);
    sizes<by_l2>("chase_cg.128", ring, 1 * MB, 128, out);
    sizes<by_nc>("chase_nc.128", ring, 1 * MB, 128, out);
    sizes<by_volatile>("chase_volatile.128", ring, 1 * MB, 128, out);
    /* Past every cache: L2 and DRAM by size, one line of each page of STRIDE bytes. */
    for (size_t stride : {4096u, 65536u, 1u << 20, 2u << 20, 4u << 20, 8u << 20, 32u << 20})
        for (size_t bytes = 64 * stride; bytes <= room && bytes / stride <= 16384; bytes *= 4) {
            char name[40];
            size_t count = bytes / stride;
            snprintf(name, sizeof name, "chase_pages.%zuK", stride / 1024);
            make_ring<<<64, 128>>>(ring, count, stride / 8);
            sample(name, (double)bytes, STEPS, [&](long long *c) {
                chase<by_default><<<1, 1>>>(c, ring, count > 4096 ? 4096 : (int)(2 * count), out);
            });
        }
    /* From DRAM: something else has been through L2 before. */
    for (size_t stride : {128u, 1024u, 65536u, 1u << 21}) {
        char name[40];
        size_t count = 256 * MB / stride;
        snprintf(name, sizeof name, "chase_dram.%zu", stride);
        make_ring<<<64, 128>>>(ring, count, stride / 8);
        sample(name, -1, STEPS, [&](long long *c) {
            sweep<<<emulated ? 132 : 1056, 256>>>((const float4 *)(ring + 40 * MB / 8 * 8),
                                                  150 * MB / 16, (float *)out);
            chase<by_default><<<1, 1>>>(c, ring, 0, out);
        });
    }
    /* In random order, all of the array's lines. */
    for (size_t bytes : {16384u, 131072u, 1u << 20, 16u << 20, 128u << 20, 512u << 20}) {
        make_mixed<<<64, 128>>>(ring, bytes / 128, 16);
        sample("chase_mixed", (double)bytes, STEPS, [&](long long *c) {
            chase<by_default><<<1, 1>>>(c, ring, bytes > 4 * MB ? 64 : (int)(bytes / 64), out);
        });
    }
    for (size_t bytes : {8192u, 65536u, 524288u, 4u << 20})
        for (int steps : {64, 1024}) {
            make_ring<<<8, 128>>>(ring, bytes / 128, 16);
            sample("chase_loop", (double)bytes, steps, [&](long long *c) {
                chase_loop<by_default><<<1, 1>>>(c, ring, (int)(bytes / 64), steps, out);
            });
        }
    for (int bytes : {8192, 65536, 524288, 4 << 20}) {
        int *next = (int *)ring;
        make_index<<<8, 128>>>(next, bytes / 128, 32);
        sample("chase_index", bytes, STEPS, [&](long long *c) {
            chase_index<<<1, 1>>>(c, next, bytes / 64, (int *)out);
        });
    }
    /* Saavedra: arrays of N bytes in strides. */
    for (size_t bytes : {16u << 10, 96u << 10, 192u << 10, 224u << 10, 256u << 10, 320u << 10, 1u << 20, 32u << 20})
        for (size_t stride = 8; stride <= bytes / 8; stride *= stride < 64 ? 2 : 4) {
            char name[40];
            size_t count = bytes / stride;
            snprintf(name, sizeof name, "saavedra.%zu", bytes);
            make_ring<<<32, 128>>>(ring, count, stride / 8);
            sample(name, (double)stride, STEPS, [&](long long *c) {
                chase<by_default><<<1, 1>>>(c, ring, count > 40000 ? 0 : (int)(2 * count), out);
            });
        }
    const char *fine_names[] = {"fine.sum", "fine.least", "fine.most"};
    for (int bytes : {4096, 131072, 1 << 20, 64 << 20})
        for (int stride : {4, 32, 128}) {
            if (bytes / stride > 600000)
                continue;
            int *next = (int *)ring, count = bytes / stride;
            make_index<<<32, 128>>>(next, count, stride / 4);
            sample_all(fine_names, 3, bytes + stride / 1000.0, 256, [&](long long *c) {
                fine<<<1, 1>>>(c, next, count > 20000 ? 0 : count, (int *)out);
            });
        }
    CHECK(cudaMemset(ring, 0, 64 * MB));
    for (int stride : {0, 1, 2, 3, 4, 8, 16, 32, 33, 64})
        for (int passes : {1, 2}) {
            char name[40];
            snprintf(name, sizeof name, "warp_stride.%s", passes == 1 ? "l2" : "l1");
            sample(name, stride, 16, [&](long long *c) {
                warp_stride<<<1, 32>>>(c, (const int *)ring, stride, 16, 2048, passes, (int *)out);
            });
        }
    for (int stride : {1, 2, 4, 8})
        for (int passes : {1, 2}) {
            char name[40];
            snprintf(name, sizeof name, "warp_stride64.%s", passes == 1 ? "l2" : "l1");
            sample(name, stride, 16, [&](long long *c) {
                warp_stride<<<1, 32>>>(c, (const long long *)ring, stride, 16, 1024, passes, (long long *)out);
            });
        }
    for (int passes : {1, 2}) {
        const char *name[] = {"many.1", "many.2", "many.4", "many.8", "many.16", "many.32"};
        for (int step : {32, 1024}) {
            const float *data = (const float *)ring;
            float *to = (float *)out;
            double x = passes * 10000 + step;
            sample(name[0], x, 1, [&](long long *c) { many<1><<<1, 32>>>(c, data, step, passes, to); });
            sample(name[1], x, 2, [&](long long *c) { many<2><<<1, 32>>>(c, data, step, passes, to); });
            sample(name[2], x, 4, [&](long long *c) { many<4><<<1, 32>>>(c, data, step, passes, to); });
            sample(name[3], x, 8, [&](long long *c) { many<8><<<1, 32>>>(c, data, step, passes, to); });
            sample(name[4], x, 16, [&](long long *c) { many<16><<<1, 32>>>(c, data, step, passes, to); });
            sample(name[5], x, 32, [&](long long *c) { many<32><<<1, 32>>>(c, data, step, passes, to); });
        }
    }
    for (int step : {1, 2, 8, 32})
        sample("store", step, 32, [&](long long *c) { store<<<1, 32>>>(c, (float *)ring, step, 2); });
    return 0;
}
