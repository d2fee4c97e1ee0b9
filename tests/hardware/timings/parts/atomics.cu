/* Atomics: what a warp's request costs by operation and by how many words and lines its lanes update,
 * and how far requests of other words go on beside it; in global and in shared memory. */
#include "record.h"

enum { WARPS_A_BLOCK = 8, BLOCKS = 132 * 8, TIMES = 8 };

struct red_add {
    template <class T> static __device__ T with(T *at, T v) { return atomicAdd(at, v), T(0); }
};
struct red_one {
    template <class T> static __device__ T with(T *at, T) { return atomicAdd(at, T(1)), T(0); }
};
struct red_max {
    template <class T> static __device__ T with(T *at, T v) { return atomicMax(at, v), T(0); }
};
struct atom_add {
    template <class T> static __device__ T with(T *at, T v) { return atomicAdd(at, v); }
};
struct exchange {
    template <class T> static __device__ T with(T *at, T v) { return atomicExch(at, v); }
};
struct swap {
    template <class T> static __device__ T with(T *at, T v) { return atomicCAS(at, v, v + T(1)); }
};

/* Lanes 0 .. active - 1 of warp w update word lane % words of line w % lines, 128 bytes each. */
template <class T, class Op>
__global__ void in_lines(T *table, T *out, unsigned lines, unsigned words, unsigned active)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32;
    T *at = table + (thread / 32 & (lines - 1)) * (128 / sizeof(T)) + (lane & (words - 1)), sum = 0;
    if (lane < active)
        for (int k = 0; k < TIMES; k++)
            sum += Op::template with<T>(at, T(lane + 2));
    if (sum == T(-1))
        out[thread] = sum;
}

/* Every lane updates another word of the table each time, anywhere. */
template <class T, class Op> __global__ void anywhere(T *table, T *out, unsigned words)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, at = thread * 2654435761u;
    T sum = 0;
    for (int k = 0; k < TIMES; k++) {
        at = at * 1664525u + 1013904223u;
        sum += Op::template with<T>(&table[at >> 6 & (words - 1)], T(k + 2));
    }
    if (sum == T(-1))
        out[thread] = sum;
}

/* Each depends on the one before it: latency. */
template <class T, class Op> __global__ void chained(T *table, int times)
{
    T v = 0;
    for (int k = 0; k < times; k++)
        v = Op::template with<T>(table + (unsigned)v % 2, v);
    table[4] = v;
}

template <class T, class Op> __global__ void in_shared(T *out, unsigned words, int times)
{
    __shared__ T table[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        table[i] = 0;
    __syncthreads();
    T *at = &table[threadIdx.x & (words - 1)], sum = 0;
    for (int k = 0; k < times; k++)
        sum += Op::template with<T>(at, T(threadIdx.x + 2));
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = table[0] + sum;
}

template <class T, class Op> __global__ void anywhere_shared(T *out, unsigned words, int times)
{
    __shared__ T table[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        table[i] = 0;
    __syncthreads();
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    T sum = 0;
    for (int k = 0; k < times; k++) {
        at = at * 1664525u + 1013904223u;
        sum += Op::template with<T>(&table[at >> 9 & (words - 1)], T(k + 2));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = table[0] + sum;
}

template <class T, class Op> static void global(const char *name, bool all)
{
    const size_t most = (size_t)1 << 24, threads = BLOCKS * WARPS_A_BLOCK * 32;
    device_array<T> table(most), out(threads);
    const size_t n = threads * TIMES;
    char label[80];
    for (unsigned lines : {1u, 4u, 32u, 256u, 4096u})
        for (unsigned words : {1u, 2u, 8u, 16u, 32u}) {
            if (words > 128 / sizeof(T) || (!all && words != 1 && words != 32) ||
                (!all && lines != 1 && lines != 4096))
                continue;
            snprintf(label, sizeof label, "%s_words_%u", name, words);
            measure(label, lines, n, 0, [&] {
                in_lines<T, Op><<<BLOCKS, WARPS_A_BLOCK * 32>>>(table.p, out.p, lines, words, 32);
            });
        }
    for (unsigned lines : {1u, 32u, 4096u}) {
        snprintf(label, sizeof label, "%s_one_lane", name);
        measure(label, lines, n / 32, 0, [&] {
            in_lines<T, Op><<<BLOCKS, WARPS_A_BLOCK * 32>>>(table.p, out.p, lines, 1, 1);
        });
    }
    for (unsigned log2 : {5, 8, 10, 12, 16, 20, 24}) {
        if (!all && log2 != 8 && log2 != 16)
            continue;
        snprintf(label, sizeof label, "%s_anywhere", name);
        measure(label, 1u << log2, n, 0, [&] {
            anywhere<T, Op><<<BLOCKS, WARPS_A_BLOCK * 32>>>(table.p, out.p, 1u << log2);
        });
    }
}

template <class T, class Op> static void latency(const char *name)
{
    device_array<T> table(64);
    const int times = 2048;
    double ms = median_ms([&] { chained<T, Op><<<1, 1>>>(table.p, times); }) -
                median_ms([&] { chained<T, Op><<<1, 1>>>(table.p, 0); });
    row(name, -1, times, 0, ms * 1e6 / times);
}

template <class T, class Op> static void shared(const char *name)
{
    device_array<T> out(BLOCKS);
    const int times = 16;
    const size_t n = (size_t)BLOCKS * WARPS_A_BLOCK * 32 * times;
    char label[80];
    for (unsigned words : {1u, 2u, 4u, 8u, 16u, 32u, 256u}) {
        snprintf(label, sizeof label, "%s_words", name);
        measure(label, words, n, 0, [&] {
            in_shared<T, Op><<<BLOCKS, WARPS_A_BLOCK * 32>>>(out.p, words, times);
        });
    }
    for (unsigned words : {32u, 256u, 1024u}) {
        snprintf(label, sizeof label, "%s_anywhere", name);
        measure(label, words, n, 0, [&] {
            anywhere_shared<T, Op><<<BLOCKS, WARPS_A_BLOCK * 32>>>(out.p, words, times);
        });
    }
}

int main()
{
    typedef unsigned long long u64;
    global<unsigned, red_add>("red_add_u32", true);
    global<unsigned, atom_add>("atom_add_u32", true);
    global<unsigned, red_max>("red_max_u32", false);
    global<float, red_add>("red_add_f32", true);
    global<float, atom_add>("atom_add_f32", false);
    global<u64, red_add>("red_add_u64", true);
    global<double, red_add>("red_add_f64", false);
    global<unsigned, swap>("cas_u32", true);
    global<u64, swap>("cas_u64", false);
    global<unsigned, exchange>("exch_u32", false);
    latency<unsigned, atom_add>("atom_add_u32_ns");
    latency<unsigned, swap>("cas_u32_ns");
    latency<unsigned, exchange>("exch_u32_ns");
    shared<unsigned, red_one>("shared_red_one_u32");
    shared<unsigned, red_add>("shared_red_add_u32");
    shared<unsigned, atom_add>("shared_atom_add_u32");
    shared<unsigned, red_max>("shared_red_max_u32");
    shared<unsigned, swap>("shared_cas_u32");
    shared<float, red_add>("shared_red_add_f32");
    shared<u64, red_add>("shared_red_add_u64");
    shared<double, red_add>("shared_red_add_f64");
    return 0;
}
