/* What one step costs: in a chain, where each needs the result before it (one warp; ns a step), and
 * in a crowd, where all warps of an SM issue independent ones (cycles are left to the reader: ms
 * for STEPS a warp, 8 blocks of 256 threads an SM). Then chains of loads by many warps at once,
 * local memory by threads resident, and grids and clusters in step. */
#include "record.h"

#include <cooperative_groups.h>

enum { TURNS = 32, UNROLLED = 32, STEPS = TURNS * UNROLLED };

struct of_fma {
    typedef float type;
    static __device__ float step(float x)
    {
        return x * 0.75f + 1.0f;
    }
};
struct of_add {
    typedef int type;
    static __device__ int step(int x)
    {
        return (x + 7) ^ 0x55;
    } /* two instructions */
};
struct of_mul {
    typedef int type;
    static __device__ int step(int x)
    {
        return x * x + 7;
    }
};
struct of_mul64 {
    typedef unsigned long long type;
    static __device__ type step(type x)
    {
        return x * x + 0x9e3779b97f4a7c15ull;
    }
};
struct of_shift {
    typedef unsigned type;
    static __device__ type step(type x)
    {
        return __funnelshift_l(x, x, 5) + 3;
    }
};
struct of_f64 {
    typedef double type;
    static __device__ double step(double x)
    {
        return x * 0.75 + 1.0;
    }
};
struct of_rcp {
    typedef float type;
    static __device__ float step(float x)
    {
        float y;
        asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y + 1;
    }
};
struct of_rsqrt {
    typedef float type;
    static __device__ float step(float x)
    {
        float y;
        asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
};
struct of_ex2 {
    typedef float type;
    static __device__ float step(float x)
    {
        float y;
        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
};
struct of_sin {
    typedef float type;
    static __device__ float step(float x)
    {
        float y;
        asm volatile("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
};
struct of_sqrt {
    typedef float type;
    static __device__ float step(float x)
    {
        return sqrtf(x) + 1;
    }
};
struct of_div {
    typedef float type;
    static __device__ float step(float x)
    {
        return 3.0f / x;
    }
};
struct of_div_int {
    typedef unsigned type;
    static __device__ type step(type x)
    {
        return 0xfffffff1u / (x | 1) + 0x10000;
    }
};
struct of_div_u64 {
    typedef unsigned long long type;
    static __device__ type step(type x)
    {
        return 0xfffffffffffffff1ull / (x | 0x100000001ull) + 0x1000000000ull;
    }
};
struct of_sqrt_f64 {
    typedef double type;
    static __device__ double step(double x)
    {
        return sqrt(x) + 1;
    }
};
struct of_exp {
    typedef float type;
    static __device__ float step(float x)
    {
        return expf(-x);
    }
};
struct of_to_f64 {
    typedef double type;
    static __device__ double step(double x)
    {
        return (double)(float)x + 1e-9;
    }
};
struct of_half2 {
    typedef unsigned type;
    static __device__ unsigned step(unsigned x)
    {
        asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(x));
        return x;
    }
};
struct of_min {
    typedef int type;
    static __device__ int step(int x)
    {
        return min(x, 77) + threadIdx.x;
    }
};
struct of_div64 {
    typedef double type;
    static __device__ double step(double x)
    {
        return 3.0 / x;
    }
};
struct of_convert {
    typedef float type;
    static __device__ float step(float x)
    {
        return (float)(__float2int_rz(x) + 1);
    }
};
struct of_convert64 {
    typedef float type;
    static __device__ float step(float x)
    {
        return (float)((double)x + 1.0);
    }
};
struct of_shuffle {
    typedef int type;
    static __device__ int step(int x)
    {
        return __shfl_xor_sync(0xffffffff, x, 1);
    }
};
struct of_ballot {
    typedef unsigned type;
    static __device__ type step(type x)
    {
        return __ballot_sync(0xffffffff, x & 1) + threadIdx.x;
    }
};
struct of_redux {
    typedef unsigned type;
    static __device__ type step(type x)
    {
        return __reduce_add_sync(0xffffffff, x);
    }
};
struct of_match {
    typedef unsigned type;
    static __device__ type step(type x)
    {
        return __match_any_sync(0xffffffff, x & 3);
    }
};
struct of_popc {
    typedef unsigned type;
    static __device__ type step(type x)
    {
        return __popc(x) + 0x1234567;
    }
};
struct of_select {
    typedef int type;
    static __device__ int step(int x)
    {
        return x > 100 ? x - 77 : x + 12345;
    }
};
struct of_branch { /* all lanes go one way */
    typedef int type;
    static __device__ int step(int x)
    {
        if (x & 1)
            asm volatile("add.s32 %0, %0, 77; xor.b32 %0, %0, 1; mul.lo.s32 %0, %0, %0; add.s32 "
                         "%0, %0, 3; mul.lo.s32 %0, %0, %0; add.s32 %0, %0, 3; xor.b32 %0, %0, 5; "
                         "mul.lo.s32 %0, %0, %0;"
                         : "+r"(x));
        else
            asm volatile("add.s32 %0, %0, 78; xor.b32 %0, %0, 1; mul.lo.s32 %0, %0, %0; add.s32 "
                         "%0, %0, 3; mul.lo.s32 %0, %0, %0; add.s32 %0, %0, 5; xor.b32 %0, %0, 5; "
                         "mul.lo.s32 %0, %0, %0;"
                         : "+r"(x));
        return x;
    }
};

template <class OF> __global__ void chain(typename OF::type *out, int turns)
{
    typename OF::type x = (typename OF::type)(threadIdx.x + 2);
#pragma unroll 1
    for (int k = 0; k < turns; k++)
#pragma unroll
        for (int e = 0; e < UNROLLED; e++)
            x = OF::step(x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/* Loads whose address the load before gave. */
__global__ void chain_shared(unsigned *out, int turns)
{
    __shared__ unsigned next[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = (i * 5 + 33) & 1023 & ~31u | (i & 31);
    __syncthreads();
    unsigned at = threadIdx.x % 32;
    for (int k = 0; k < turns * UNROLLED; k++)
        at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void chain_shared_atomic(unsigned *out, int turns)
{
    __shared__ unsigned at[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        at[i] = 0;
    __syncthreads();
    unsigned x = threadIdx.x;
    for (int k = 0; k < turns * UNROLLED; k++)
        x = atomicAdd(&at[(x & 992) + threadIdx.x % 32], 32) + 32;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__constant__ unsigned table[1024];
__global__ void chain_constant(unsigned *out, int turns)
{
    unsigned at = 0;
    for (int k = 0; k < turns * UNROLLED; k++)
        at = table[at & 255] + k;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void chain_local(int *out, int turns)
{
    int own[64];
    for (int i = 0; i < 64; i++)
        own[i] = (i * 5 + 3) & 63;
    int at = out[0];
    for (int k = 0; k < turns * UNROLLED; k++)
        at = own[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at & 63;
}

/* Fences with and without a store before them, looks at what others may write, and blocks of one
 * cluster's size that hold nothing. */
__global__ void chain_fence(unsigned *out, int turns)
{
    for (int k = 0; k < turns * UNROLLED; k++)
        __threadfence();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void chain_store_fence(unsigned *out, int turns)
{
    volatile unsigned *to = out + blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < turns * UNROLLED; k++) {
        *to = k;
        __threadfence();
    }
}

__global__ void chain_look(unsigned *out, int turns)
{
    volatile unsigned *from = out + blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = 0;
    for (int k = 0; k < turns * UNROLLED; k++)
        at = from[at & 0x40000000];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at & 1;
}

__global__ void chain_nanosleep(unsigned *out, int turns)
{
    for (int k = 0; k < turns; k++)
        __nanosleep(100);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

/* LANES of each warp go their own ways through a cycle of random order. */
__global__ void chase(unsigned *out, const unsigned *next, unsigned words, int lanes, int steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 >= lanes)
        return;
    unsigned at = (unsigned)(i * 2654435761u) & (words - 1);
    for (int k = 0; k < steps; k++)
        at = next[at];
    out[i] = at;
}

__global__ void fill_random(unsigned *next, unsigned words)
{
    /* x -> a x + c has one cycle through all where a = 1 mod 8 and c is odd */
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        next[i] = (i * 1664525u + 1013904223u) & (words - 1);
}

/* Between two barriers, LOADS independent loads from global memory, or shared memory alone. */
__global__ void barriers_between(float *out, const float *in, int times, int size)
{
    __shared__ float s[1024];
    float sum = 0;
    for (int k = 0; k < times; k++) {
        s[threadIdx.x] = in[(k * blockDim.x + threadIdx.x) & (size - 1)] + sum;
        __syncthreads();
        sum += s[threadIdx.x ^ 33];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Registers that do not fit: EACH of four words a thread, capped for LEAST blocks an SM. */
template <int EACH, int LEAST>
__global__ void __launch_bounds__(256, LEAST) spilled(float4 *out, const float4 *in)
{
    size_t first = (size_t)blockIdx.x * 256 * EACH + threadIdx.x;
    float4 batch[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        batch[k] = in[first + k * 256];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        out[first + k * 256] = batch[k];
}

__global__ void in_step(int *out, int times)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int k = 0; k < times; k++)
        grid.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

/* Sums of tiles, each added to what the tile before it says: a chain of flags, and a look-back. */
__global__ void flags(volatile int *flag, int *out, const int *in, int launch)
{
    __shared__ int before;
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && flag[32 * (blockIdx.x - 1)] != launch) {
        }
        __threadfence();
        before = v;
        __threadfence();
        flag[32 * blockIdx.x] = launch;
    }
    __syncthreads();
    out[i] = v + before;
}

template <class OF> static void both(const char *name)
{
    static device_array<double> out(132 * 2048);
    typename OF::type *to = (typename OF::type *)out.p;
    char label[64];
    snprintf(label, sizeof label, "chain_ns_%s", name);
    double ms = median_ms([&] { chain<OF><<<1, 32>>>(to, 4 * TURNS); }) -
                median_ms([&] { chain<OF><<<1, 32>>>(to, TURNS); });
    row(label, -1, 1, 0, ms * 1e6 / (3 * STEPS));
    snprintf(label, sizeof label, "crowd_%s", name);
    measure(label, -1, STEPS, 0, [&] { chain<OF><<<132 * 8, 256>>>(to, TURNS); });
}

template <class K> static void loads(const char *name, K kernel)
{
    device_array<unsigned> out(132 * 2048);
    char label[64];
    snprintf(label, sizeof label, "chain_ns_%s", name);
    double ms = median_ms([&] { kernel(out.p, 1, 32, 4 * TURNS); }) -
                median_ms([&] { kernel(out.p, 1, 32, TURNS); });
    row(label, -1, 1, 0, ms * 1e6 / (3 * STEPS));
    snprintf(label, sizeof label, "crowd_%s", name);
    measure(label, -1, STEPS, 0, [&] { kernel(out.p, 132 * 8, 256, TURNS); });
}

int main()
{
    both<of_fma>("fma");
    both<of_add>("add_xor");
    both<of_mul>("mul");
    both<of_mul64>("mul64");
    both<of_shift>("rotate");
    both<of_f64>("fma_f64");
    both<of_rcp>("rcp");
    both<of_rsqrt>("rsqrt");
    both<of_ex2>("ex2");
    both<of_sin>("sin");
    both<of_sqrt>("sqrt");
    both<of_div>("div");
    both<of_div_int>("div_u32");
    both<of_div64>("div_f64");
    both<of_div_u64>("div_u64");
    both<of_sqrt_f64>("sqrt_f64");
    both<of_exp>("exp");
    both<of_to_f64>("to_f64");
    both<of_half2>("half2");
    both<of_min>("min");
    both<of_convert>("convert");
    both<of_convert64>("convert_f64");
    both<of_shuffle>("shuffle");
    both<of_ballot>("ballot");
    both<of_redux>("redux");
    both<of_match>("match");
    both<of_popc>("popc");
    both<of_select>("select");
    both<of_branch>("branch");
    loads("shared", [](unsigned *out, int g, int b, int t) { chain_shared<<<g, b>>>(out, t); });
    loads("shared_atomic",
          [](unsigned *out, int g, int b, int t) { chain_shared_atomic<<<g, b>>>(out, t); });
    loads("constant", [](unsigned *out, int g, int b, int t) { chain_constant<<<g, b>>>(out, t); });
    loads("local",
          [](unsigned *out, int g, int b, int t) { chain_local<<<g, b>>>((int *)out, t); });

    loads("fence", [](unsigned *out, int g, int b, int t) { chain_fence<<<g, b>>>(out, t); });
    loads("store_fence",
          [](unsigned *out, int g, int b, int t) { chain_store_fence<<<g, b>>>(out, t); });
    loads("look", [](unsigned *out, int g, int b, int t) { chain_look<<<g, b>>>(out, t); });
    loads("nanosleep_per_1024",
          [](unsigned *out, int g, int b, int t) { chain_nanosleep<<<g, b>>>(out, t); });

    const unsigned most = 1u << 27;
    device_array<unsigned> next(timings().log2_most < 27 ? 1u << 24 : most), out(132 * 2048);
    for (unsigned words : {1u << 12, 1u << 15, 1u << 20, 1u << 22, most}) {
        if (words == most && timings().log2_most < 27)
            continue;
        fill_random<<<1024, 256>>>(next.p, words);
        for (int lanes : {1, 32})
            for (int warps : {1, 4, 16, 64}) {
                char name[64];
                snprintf(name, sizeof name, "chase_%u_%d", words, lanes);
                int block = warps < 8 ? 32 * warps : 256;
                measure(name, warps, words, 0, [&] {
                    chase<<<132 * 32 * warps / block, block>>>(out.p, next.p, words, lanes, 64);
                });
            }
    }
    device_array<float> in(1 << 24), to(1 << 24);
    for (int block : {128, 1024})
        for (int per_sm : {1, 2048 / block})
            for (int size : {1 << 12, 1 << 20}) {
                char name[64];
                snprintf(name, sizeof name, "between_%s_%d", per_sm == 1 ? "one" : "full", size);
                measure(name, block, block, 0,
                        [&] { barriers_between<<<132 * per_sm, block>>>(to.p, in.p, 64, size); });
            }
    const size_t n4 = (size_t)1 << 22;
    auto spill = [&](const char *name, auto kernel, int each) {
        measure(name, each, n4, 32.0 * n4,
                [&] { kernel<<<n4 / 256 / each, 256>>>((float4 *)to.p, (float4 *)in.p); });
    };
    spill("spilled_free", spilled<4, 1>, 4);
    spill("spilled_capped", spilled<4, 8>, 4);
    spill("spilled_free", spilled<8, 1>, 8);
    spill("spilled_capped", spilled<8, 8>, 8);
    spill("spilled_free", spilled<16, 1>, 16);
    spill("spilled_capped", spilled<16, 4>, 16);
    spill("spilled_hard", spilled<16, 8>, 16);
    for (int block : {32, 256, 1024})
        for (int blocks : {2, 16, 132, 264, 132 * 2048 / block})
            for (int times : {8, 40}) {
                if (blocks > 132 * 32 || (blocks > 264 && block > 512))
                    continue;
                int *o = (int *)out.p, turns = times;
                void *arguments[] = {&o, &turns};
                char name[64];
                snprintf(name, sizeof name, "in_step_%dx%d", block, times);
                measure(name, blocks, blocks, 0, [&] {
                    CHECK(cudaLaunchCooperativeKernel((void *)in_step, blocks, block, arguments, 0,
                                                      0));
                });
            }
    int launch = 0;
    for (int blocks : {132, 1056, 4224})
        measure("flags", blocks, blocks, 0,
                [&] { flags<<<blocks, 256>>>((int *)next.p, (int *)to.p, (int *)in.p, ++launch); });
    return 0;
}
