/* Shared and constant memory, atomic operations, texture fetches: latencies of chains, by ways of
 * conflict, by size and by lanes. */
#include "clocks.h"

enum { STEPS = 64 };

template <class T> __global__ void shared_chain(long long *cycles, int stride, int *out)
{
    __shared__ T s[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x)
        s[k] = (T)((k + blockDim.x * stride) & 4095);
    __syncthreads();
    T j = (T)((threadIdx.x * stride) & 4095);
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            j = s[j];
        took = clock64() - start;
    }
    out[threadIdx.x] = (int)j;
    if (threadIdx.x == blockDim.x - 1)
        cycles[0] = took;
}

/* Loads of four words a lane, and of one byte. */
__global__ void shared_wide(long long *cycles, int *out)
{
    __shared__ int4 s[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        s[k] = make_int4((k + 32) & 255, 0, 0, 0);
    __syncthreads();
    int j = threadIdx.x;
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        int4 v = s[j];
        j = v.x + v.y + v.z + v.w;
    }
    long long took = clock64() - start;
    out[threadIdx.x] = j;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

/* Stores and then independent loads. */
__global__ void shared_stores(long long *cycles, int stride, int *out)
{
    __shared__ volatile int s[8192];
    long long took = 0;
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < 32; k++)
            s[(threadIdx.x * stride + k * 32) & 8191] = k;
        took = clock64() - start;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void shared_loads(long long *cycles, int stride, int *out)
{
    __shared__ int s[8192];
    for (int k = threadIdx.x; k < 8192; k += blockDim.x)
        s[k] = k;
    __syncthreads();
    long long took = 0;
    int sum = 0;
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += s[(threadIdx.x * stride + k * 32) & 8191];
        out[threadIdx.x] = sum;
        took = clock64() - start;
    }
    if (threadIdx.x == blockDim.x - 1)
        cycles[0] = took;
}

/* A store that the next load needs. */
__global__ void shared_round(long long *cycles, int *out)
{
    __shared__ volatile int s[64];
    s[threadIdx.x] = threadIdx.x;
    long long start = clock64();
    int j = threadIdx.x;
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        s[j] = j;
        j = s[j];
    }
    long long took = clock64() - start;
    out[threadIdx.x] = j;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__constant__ unsigned ring[16384];

__global__ void constant_chain(long long *cycles, int warm, int *out)
{
    unsigned j = 0;
#pragma unroll 1
    for (int k = 0; k < warm; k++)
        j = ring[j];
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        j = ring[j];
    long long took = clock64() - start;
    out[threadIdx.x] = (int)j;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

/* WAYS addresses a load. */
__global__ void constant_ways(long long *cycles, int ways, int *out)
{
    unsigned j = threadIdx.x % ways * 4;
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            j = ring[j + 8192];
        took = clock64() - start;
    }
    out[threadIdx.x] = (int)j;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

template <class OP> __global__ void atomic_chain(long long *cycles, unsigned *at, int lanes, int stride, int *out)
{
    unsigned x = 0;
    long long took = 0;
    if (threadIdx.x < lanes) {
#pragma unroll 1
        for (int p = 0; p < 2; p++) {
            long long start = clock64();
#pragma unroll 1
            for (int k = 0; k < 32; k++)
                x = OP::one(at + threadIdx.x * stride + (x & 0x40000000u), x);
            took = clock64() - start;
        }
        out[threadIdx.x] = (int)x;
    }
    if (threadIdx.x == 0)
        cycles[0] = took;
}

template <class OP> __global__ void shared_atomic_chain(long long *cycles, int lanes, int stride, int *out)
{
    __shared__ unsigned s[2048];
    unsigned x = 0;
    long long took = 0;
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        s[k] = 0;
    __syncthreads();
    if (threadIdx.x < lanes) {
#pragma unroll 1
        for (int p = 0; p < 2; p++) {
            long long start = clock64();
#pragma unroll 1
            for (int k = 0; k < 32; k++)
                x = OP::one(s + threadIdx.x * stride + (x & 0x40000000u), x);
            took = clock64() - start;
        }
        out[threadIdx.x] = (int)x;
    }
    if (threadIdx.x == 0)
        cycles[0] = took;
}

struct adds {
    static __device__ unsigned one(unsigned *p, unsigned x)
    {
        return atomicAdd(p, (x & 1) + 1);
    }
};
struct floats {
    static __device__ unsigned one(unsigned *p, unsigned x)
    {
        return (unsigned)atomicAdd((float *)p, (float)(x & 1));
    }
};
struct swaps {
    static __device__ unsigned one(unsigned *p, unsigned x)
    {
        return atomicCAS(p, x, x + 1);
    }
};
struct exchanges {
    static __device__ unsigned one(unsigned *p, unsigned x)
    {
        return atomicExch(p, x & 7);
    }
};
struct maxima {
    static __device__ unsigned one(unsigned *p, unsigned x)
    {
        return atomicMax(p, x & 7);
    }
};

/* Results that nobody needs. */
__global__ void reductions(long long *cycles, unsigned *at, int stride)
{
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < 16; k++)
            atomicAdd(at + threadIdx.x * stride + k * 4096, k + threadIdx.x);
        took = clock64() - start;
    }
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void fetches(long long *cycles, cudaTextureObject_t texture, int warm, int *out)
{
    int j = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < warm; k++)
        j = tex1Dfetch<int>(texture, j);
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < STEPS; k++)
        j = tex1Dfetch<int>(texture, j);
    long long took = clock64() - start;
    out[threadIdx.x] = j;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

template <class OP> static void atomics(const char *what, unsigned *at, int *out)
{
    char name[40];
    for (int stride : {0, 1, 32})
        for (int lanes : {1, 2, 4, 8, 16, 32}) {
            if (lanes == 1 && stride)
                continue;
            snprintf(name, sizeof name, "atomic_%s.%d", what, stride);
            sample(name, lanes, 32, [&](long long *c) {
                CHECK(cudaMemset(at, 0, 1 << 16));
                atomic_chain<OP><<<1, 32>>>(c, at, lanes, stride, out);
            });
            snprintf(name, sizeof name, "shared_atomic_%s.%d", what, stride);
            sample(name, lanes, 32,
                   [&](long long *c) { shared_atomic_chain<OP><<<1, 32>>>(c, lanes, stride, out); });
        }
}

int main()
{
    int *out;
    unsigned *at;
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMalloc(&at, 1 << 20));
    sample("shared_one", -1, STEPS, [&](long long *c) { shared_chain<int><<<1, 1>>>(c, 1, out); });
    for (int stride : {0, 1, 2, 3, 4, 8, 16, 32, 33, 64}) {
        sample("shared_stride", stride, STEPS,
               [&](long long *c) { shared_chain<int><<<1, 32>>>(c, stride, out); });
        sample("shared_stores", stride, 32,
               [&](long long *c) { shared_stores<<<1, 32>>>(c, stride, out); });
        sample("shared_loads", stride, 32,
               [&](long long *c) { shared_loads<<<1, 32>>>(c, stride, out); });
    }
    for (int stride : {1, 2, 4, 8, 16})
        sample("shared_stride64", stride, STEPS,
               [&](long long *c) { shared_chain<long long><<<1, 32>>>(c, stride, out); });
    for (int warps : {2, 4, 8, 16, 32}) {
        sample("shared_warps", warps, STEPS,
               [&](long long *c) { shared_chain<int><<<1, 32 * warps>>>(c, 1, out); });
        sample("shared_warps_32", warps, STEPS,
               [&](long long *c) { shared_chain<int><<<1, 32 * warps>>>(c, 32, out); });
        sample("shared_loads_warps", warps, 32,
               [&](long long *c) { shared_loads<<<1, 32 * warps>>>(c, 1, out); });
    }
    sample("shared_wide", -1, STEPS, [&](long long *c) { shared_wide<<<1, 32>>>(c, out); });
    sample("shared_round", -1, STEPS, [&](long long *c) { shared_round<<<1, 32>>>(c, out); });

    static unsigned next[16384];
    for (int stride : {16, 64, 256})
        for (int bytes = 512; bytes <= 65536; bytes *= 2) {
            int count = bytes / stride;
            if (count < 2)
                continue;
            for (int k = 0; k < count; k++)
                next[k * stride / 4] = (unsigned)((k + 1) % count * stride / 4);
            CHECK(cudaMemcpyToSymbol(ring, next, sizeof next));
            char name[40];
            snprintf(name, sizeof name, "constant.%d", stride);
            sample(name, bytes, STEPS,
                   [&](long long *c) { constant_chain<<<1, 1>>>(c, 2 * count, out); });
            if (stride == 64) {
                snprintf(name, sizeof name, "constant_cold.%d", stride);
                sample(name, bytes, STEPS,
                       [&](long long *c) { constant_chain<<<1, 1>>>(c, 0, out); });
            }
        }
    for (unsigned k = 0; k < 16384; k++)
        next[k] = k & 8191;
    CHECK(cudaMemcpyToSymbol(ring, next, sizeof next));
    for (int ways : {1, 2, 4, 8, 16, 32})
        sample("constant_ways", ways, STEPS,
               [&](long long *c) { constant_ways<<<1, 32>>>(c, ways, out); });

    atomics<adds>("add", at, out);
    atomics<floats>("float", at, out);
    atomics<swaps>("cas", at, out);
    atomics<exchanges>("exch", at, out);
    atomics<maxima>("max", at, out);
    for (int stride : {0, 1, 32})
        sample("reductions", stride, 16, [&](long long *c) { reductions<<<1, 32>>>(c, at, stride); });

    int *texels;
    CHECK(cudaMalloc(&texels, 1 << 22));
    std::vector<int> links(1 << 20);
    for (int bytes : {4096, 65536, 1 << 20, 4 << 20}) {
        int count = bytes / 128;
        for (int k = 0; k < count * 32; k++)
            links[k] = (k + 32) % (count * 32);
        CHECK(cudaMemcpy(texels, links.data(), bytes, cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        cudaTextureDesc how = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = texels;
        resource.res.linear.desc = cudaCreateChannelDesc<int>();
        resource.res.linear.sizeInBytes = bytes;
        cudaTextureObject_t texture;
        CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
        for (int threads : {1, 32}) {
            char name[40];
            snprintf(name, sizeof name, "texture.%d", threads);
            sample(name, bytes, STEPS,
                   [&](long long *c) { fetches<<<1, threads>>>(c, texture, 2 * count, out); });
        }
        CHECK(cudaDestroyTextureObject(texture));
    }
    return 0;
}
