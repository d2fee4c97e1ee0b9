// Sums whose last steps lack a barrier: the first step adds what other warps hold, behind one
// barrier, and the next step reads what another warp has just written. That is a race; a GPU gives
// the right sum in most blocks where all warps do the same work. A line says for one shape whether
// most blocks are right or few. tail_reductions shares: the numbers, with many blocks.
#include <cstdio>
#include <cstring>
#include <vector>

#define START                                    \
    __shared__ T sm[THREADS];                    \
    const int tid = threadIdx.x;                 \
    sm[tid] = (T)in[blockIdx.x * THREADS + tid]; \
    __syncthreads();
#define FINISH    \
    if (tid == 0) \
        out[blockIdx.x] = (long long)sm[0];

// From step S down, all in one loop.
template <typename T, int THREADS, int S>
__global__ void rolled_syncwarp(const int *in, long long *out)
{
    START
#pragma unroll 1
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s];
        __syncwarp();
    }
    FINISH
}
template <typename T, int THREADS, int S>
__global__ void unrolled_syncwarp(const int *in, long long *out)
{
    START
#pragma unroll
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s];
        __syncwarp();
    }
    FINISH
}
template <typename T, int THREADS, int S>
__global__ void loop_syncwarp(const int *in, long long *out) // as the compiler likes
{
    START
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s];
        __syncwarp();
    }
    FINISH
}
template <typename T, int THREADS, int S>
__global__ void rolled_volatile(const int *in, long long *out)
{
    START
    volatile T *v = sm;
#pragma unroll 1
    for (int s = S; s > 0; s >>= 1)
        if (tid < s)
            v[tid] += v[tid + s];
    FINISH
}
template <typename T, int THREADS, int S>
__global__ void unrolled_volatile(const int *in, long long *out)
{
    START
    volatile T *v = sm;
#pragma unroll
    for (int s = S; s > 0; s >>= 1)
        if (tid < s)
            v[tid] += v[tid + s];
    FINISH
}
template <typename T, int THREADS, int S> __global__ void rolled_bare(const int *in, long long *out)
{
    START
#pragma unroll 1
    for (int s = S; s > 0; s >>= 1)
        if (tid < s)
            sm[tid] += sm[tid + s];
    FINISH
}
// The first warps alone, without a condition in each step: lanes read past their part.
template <typename T, int THREADS, int S>
__global__ void guarded_syncwarp(const int *in, long long *out)
{
    START
    if (tid < S) {
        sm[tid] += sm[tid + S];
        __syncwarp();
        if (tid < 32)
            for (int s = S / 2; s > 0; s >>= 1) {
                T sum = sm[tid] + sm[tid + s];
                __syncwarp();
                sm[tid] = sum;
                __syncwarp();
            }
    }
    FINISH
}
template <typename T, int THREADS, int S>
__global__ void guarded_volatile(const int *in, long long *out)
{
    START
    if (tid < S) {
        volatile T *v = sm;
        v[tid] += v[tid + S];
        if (tid < 32) {
            v[tid] += v[tid + 32];
            v[tid] += v[tid + 16];
            v[tid] += v[tid + 8];
            v[tid] += v[tid + 4];
            v[tid] += v[tid + 2];
            v[tid] += v[tid + 1];
        }
    }
    FINISH
}
// The last steps by shuffles.
template <typename T, int THREADS, int S>
__global__ void then_shuffles(const int *in, long long *out)
{
    START
    if (tid < S)
        sm[tid] += sm[tid + S];
    if (tid < 32) {
        T sum = sm[tid] + sm[tid + 32];
        for (int s = 16; s > 0; s >>= 1)
            sum += __shfl_down_sync(~0u, sum, s);
        if (tid == 0)
            out[blockIdx.x] = (long long)sum;
    }
}
// Barriers down to 2 S, none from there.
template <typename T, int THREADS, int S>
__global__ void barriers_before(const int *in, long long *out)
{
    START
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s];
        if (s > S)
            __syncthreads();
        else
            __syncwarp();
    }
    FINISH
}
// The other warps are late: they load from global memory first.
template <typename T, int THREADS, int S> __global__ void late_warps(const int *in, long long *out)
{
    START
    int extra = 0;
    if (tid >= 32)
        for (int k = 0; k < 4; k++)
            extra = ((volatile const int *)in)[(tid * 37 + extra + k) & 1023] & 7;
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s] + (extra >> 3);
        __syncwarp();
    }
    FINISH
}
// The other warps are later by some arithmetic.
template <typename T, int THREADS, int S> __global__ void busy_warps(const int *in, long long *out)
{
    START
    unsigned extra = tid;
    if (tid >= 32)
        for (int k = 0; k < 100; k++)
            extra = extra * extra + 13;
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s] + (extra == 12345);
        __syncwarp();
    }
    FINISH
}
// The first warp is later by some arithmetic: nothing is left to race for.
template <typename T, int THREADS, int S> __global__ void busy_first(const int *in, long long *out)
{
    START
    unsigned extra = tid;
    if (tid < 32)
        for (int k = 0; k < 100; k++)
            extra = extra * extra + 13;
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s] + (extra == 12345);
        __syncwarp();
    }
    FINISH
}
// A right one.
template <typename T, int THREADS, int S>
__global__ void all_barriers(const int *in, long long *out)
{
    START
    for (int s = S; s > 0; s >>= 1) {
        if (tid < s)
            sm[tid] += sm[tid + s];
        __syncthreads();
    }
    FINISH
}

static const int BLOCKS = 2048, MOST = 1024;

// What is shown only with shares: an H200 gives neither nearly all sums right nor nearly all wrong.
enum { PLAIN, SHARES };

int main(int argc, char **argv)
{
    const bool shares = argc > 1 && !strcmp(argv[1], "shares");
    const int blocks = shares ? BLOCKS : 64, repeats = shares ? 20 : 1;
    std::vector<int> in((size_t)BLOCKS * MOST);
    unsigned state = 1;
    for (int &x : in)
        x = (int)((state = state * 1664525 + 1013904223) >> 20) + 1;
    int *device_in;
    long long *device_out;
    cudaMalloc(&device_in, in.size() * sizeof(int));
    cudaMalloc(&device_out, BLOCKS * sizeof(long long));
    cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    std::vector<long long> out(BLOCKS);
    setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); // reports of races stand before their line
    auto show = [&](int when, const char *name, auto kernel, int threads, int sums) {
        if (when == SHARES && !shares)
            return;
        int right = 0;
        for (int r = 0; r < repeats; r++) {
            cudaMemset(device_out, 0, BLOCKS * sizeof(long long));
            kernel<<<blocks, threads>>>(device_in, device_out);
            cudaMemcpy(out.data(), device_out, blocks * sizeof(long long), cudaMemcpyDeviceToHost);
            for (int b = 0; b < blocks; b++) {
                long long sum = 0;
                for (int t = 0; t < sums; t++)
                    sum += in[(size_t)b * threads + t];
                right += out[b] == sum;
            }
        }
        const double share = 100.0 * right / ((double)blocks * repeats);
        printf("%s %s", name, cudaGetErrorName(cudaGetLastError()));
        if (shares)
            printf(" %.3f %%\n", share);
        else
            printf(" %s\n", share > 60 ? "most" : share < 5 ? "few" : "some");
    };
#define SHOW(when, name, type, threads, step)                                              \
    show(when, #name " " #type " " #threads " " #step, name<type, threads, step>, threads, \
         2 * step);
#define SMALL(when, name)             \
    SHOW(when, name, int, 128, 64)    \
    SHOW(when, name, float, 128, 64)  \
    SHOW(when, name, double, 128, 64) \
    SHOW(when, name, int, 256, 64)
#define LARGE(when, name)           \
    SHOW(when, name, int, 256, 128) \
    SHOW(when, name, int, 512, 256) \
    SHOW(SHARES, name, int, 1024, 512)
#define ALL(small, large, name)    \
    SHOW(PLAIN, name, int, 64, 32) \
    SMALL(small, name)             \
    LARGE(large, name)
    ALL(PLAIN, PLAIN, rolled_syncwarp)
    ALL(PLAIN, SHARES, unrolled_syncwarp)
    ALL(PLAIN, SHARES, loop_syncwarp)
    ALL(PLAIN, PLAIN, rolled_volatile)
    ALL(PLAIN, SHARES, unrolled_volatile)
    ALL(PLAIN, PLAIN, rolled_bare)
    SMALL(PLAIN, guarded_syncwarp)
    SMALL(PLAIN, guarded_volatile)
    SMALL(PLAIN, then_shuffles)
#define WHOLE(when, name, type, threads, step) \
    show(when, #name " " #type " " #threads " " #step, name<type, threads, step>, threads, threads);
    WHOLE(PLAIN, barriers_before, int, 256, 64)
    WHOLE(SHARES, barriers_before, int, 512, 64)
    WHOLE(PLAIN, barriers_before, float, 1024, 64)
    WHOLE(SHARES, barriers_before, int, 512, 128)
    WHOLE(PLAIN, barriers_before, int, 512, 32)
    SHOW(SHARES, late_warps, int, 128, 64)
    SHOW(SHARES, late_warps, int, 256, 64)
    SHOW(PLAIN, late_warps, float, 128, 64)
    SHOW(PLAIN, late_warps, double, 128, 64)
    LARGE(PLAIN, late_warps)
    SMALL(PLAIN, busy_warps)
    LARGE(PLAIN, busy_warps)
    SMALL(SHARES, busy_first)
    LARGE(SHARES, busy_first)
    ALL(PLAIN, PLAIN, all_barriers)
    return 0;
}
