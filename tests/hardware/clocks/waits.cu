/* What waiting costs: reads of clocks themselves, barriers by warps, fences, nanosleep, branches and
 * calls, first passes through code; and when the blocks of a grid begin. */
#include "clocks.h"

enum { STEPS = 32 };

__global__ void reads(long long *cycles, unsigned *out)
{
    long long t[8];
    unsigned u[8];
    unsigned long long g[4];
    for (int p = 0; p < 2; p++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            t[k] = clock64();
#pragma unroll
        for (int k = 0; k < 8; k++)
            u[k] = clock();
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g[k]));
        long long stop = clock64();
        cycles[0] = t[1] - t[0];
        cycles[1] = t[7] - t[0];
        cycles[2] = u[1] - u[0];
        cycles[3] = u[7] - u[0];
        cycles[4] = stop - start;
        cycles[5] = (long long)(g[3] - g[0]);
    }
    out[0] = (unsigned)(t[3] + u[4] + g[1]);
}

/* The step of %globaltimer, in ns, and its rate against clock64. */
__global__ void timer(long long *cycles)
{
    unsigned long long g, first, last;
    long long start = clock64(), c;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
    last = first;
    long long step = 1 << 30;
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
        if (g != last)
            step = min(step, (long long)(g - last));
        last = g;
        c = clock64();
    } while (c - start < 2000000);
    cycles[0] = step;
    cycles[1] = (long long)(last - first);
}

__global__ void barriers(long long *cycles, int *out)
{
    int x = threadIdx.x;
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        __syncthreads();
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            __syncthreads();
        took = clock64() - start;
    }
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

/* One warp comes late by a chain of N steps. */
__global__ void late(long long *cycles, int n, int *out)
{
    float x = threadIdx.x;
    long long took = 0;
    for (int p = 0; p < 2; p++) {
        __syncthreads();
        long long start = clock64();
        if (threadIdx.x / 32 == 1)
            for (int k = 0; k < n; k++)
                x = x * 1.5f + 2.0f;
        __syncthreads();
        took = clock64() - start;
    }
    out[threadIdx.x] = (int)x;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void shared_steps(long long *cycles, int *out)
{
    __shared__ int s[1024];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    long long took = 0;
    int v = 0;
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < 8; k++) {
            v = s[(threadIdx.x + 1) % blockDim.x];
            __syncthreads();
            s[threadIdx.x] = v + 1;
            __syncthreads();
        }
        took = clock64() - start;
    }
    out[threadIdx.x] = v;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void any_count(long long *cycles, int *out)
{
    int x = threadIdx.x;
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < STEPS; k++)
            x = __syncthreads_count(x & 1) + threadIdx.x;
        took = clock64() - start;
    }
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

template <int HOW> __global__ void fences(long long *cycles, volatile int *at)
{
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            if (HOW & 4)
                at[threadIdx.x] = k;
            if ((HOW & 3) == 0)
                __threadfence_block();
            if ((HOW & 3) == 1)
                __threadfence();
            if ((HOW & 3) == 2)
                __threadfence_system();
        }
        took = clock64() - start;
    }
    if (threadIdx.x == 0)
        cycles[0] = took;
}

__global__ void sleeps(long long *cycles, unsigned ns)
{
    long long start = clock64();
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        __nanosleep(ns);
    cycles[0] = clock64() - start;
}

__global__ void waits(long long *cycles, long long n)
{
    long long start = clock64();
    while (clock64() - start < n) {
    }
    cycles[0] = clock64() - start;
}

/* An empty loop, one with a step, and one whose lanes part. */
__global__ void loops(long long *cycles, int n, int lanes, int *out)
{
    int x = threadIdx.x;
    long long took[4];
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll 1
        for (int k = 0; k < n; k++)
            asm volatile("" ::: "memory");
        long long a = clock64();
#pragma unroll 1
        for (int k = 0; k < n; k++)
            asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(n));
        long long b = clock64();
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            if (threadIdx.x % 32 < lanes)
                asm volatile("mul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;\n\tmul.lo.s32 %0, %0, %1;" : "+r"(x) : "r"(n));
            else
                asm volatile("mul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;\n\tmul.hi.s32 %0, %0, %1;" : "+r"(x) : "r"(n));
        }
        long long c = clock64();
        took[0] = a - start, took[1] = b - a, took[2] = c - b;
    }
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        for (int k = 0; k < 3; k++)
            cycles[k] = took[k];
}

/* Straight-line code of LENGTH instructions, the first time and the second. */
template <int LENGTH> __global__ void first_pass(long long *cycles, int *out)
{
    int x = threadIdx.x;
    long long took[2];
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll
        for (int k = 0; k < LENGTH; k++)
            asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(p));
        took[p] = clock64() - start;
    }
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        cycles[0] = took[0], cycles[1] = took[1];
}

__device__ __noinline__ int callee(int x, int y)
{
    return x * y + 3;
}

__global__ void calls(long long *cycles, int y, int *out)
{
    int x = threadIdx.x;
    long long took = 0;
#pragma unroll 1
    for (int p = 0; p < 2; p++) {
        long long start = clock64();
#pragma unroll 1
        for (int k = 0; k < STEPS; k++)
            x = callee(x, y);
        took = clock64() - start;
    }
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        cycles[0] = took;
}

struct stamp {
    unsigned sm;
    long long start, stop;
    unsigned long long wall, end;
};

__global__ void blocks(stamp *at, int n, int *out)
{
    long long start = clock64();
    unsigned long long wall;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wall));
    int x = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x) : "r"(n));
    __syncthreads();
    if (threadIdx.x == 0) {
        stamp s;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(s.sm));
        s.start = start;
        s.wall = wall;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.end));
        s.stop = clock64();
        at[blockIdx.x] = s;
    }
    if (x == 12345)
        out[0] = x;
}

/* When blocks begin: medians over all that have what is asked for. */
static void starts_row(const char *name, const char *what, double x, int count,
                       const std::vector<long long> &cycles)
{
    char label[40];
    snprintf(label, sizeof label, "%s.%s", name, what);
    row(label, x, count, cycles);
}

/* NAME: of the rows. */
static void starts(const char *name, int per_sm, int waves, int block, int n, size_t dynamic)
{
    static stamp *at;
    static int *out;
    if (!at) {
        CHECK(cudaMalloc(&at, 20000 * sizeof *at));
        CHECK(cudaMalloc(&out, 4096));
        CHECK(cudaFuncSetAttribute(blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    }
    const int count = 132 * per_sm * waves;
    std::vector<stamp> s(count);
    std::vector<long long> spread, among, gaps, took, wall_took, whole;
    const int launches = clocks().emulated ? 1 : 8;
    for (int k = 0; k < launches; k++) {
        blocks<<<count, block, dynamic>>>(at, n, out);
        CHECK(cudaMemcpy(s.data(), at, count * sizeof *at, cudaMemcpyDeviceToHost));
        if (!k && launches > 1)
            continue;
        unsigned long long first = ~0ull, last_of_first = 0, end = 0;
        std::vector<std::vector<stamp>> of(256);
        for (int b = 0; b < count; b++) {
            first = std::min(first, s[b].wall);
            end = std::max(end, s[b].end);
            if (b < 132 * per_sm)
                last_of_first = std::max(last_of_first, s[b].wall);
            of[s[b].sm & 255].push_back(s[b]);
            took.push_back(s[b].stop - s[b].start);
            wall_took.push_back((long long)(s[b].end - s[b].wall));
        }
        spread.push_back((long long)(last_of_first - first));
        whole.push_back((long long)(end - first));
        for (auto &v : of) {
            std::sort(v.begin(), v.end(), [](const stamp &a, const stamp &b) { return a.start < b.start; });
            if ((int)v.size() >= per_sm && per_sm > 1)
                among.push_back(v[per_sm - 1].start - v[0].start);
            std::vector<long long> stops;
            for (auto &b : v)
                stops.push_back(b.stop);
            std::sort(stops.begin(), stops.end());
            for (size_t b = per_sm; b < v.size(); b++)
                gaps.push_back(v[b].start - stops[b - per_sm]);
        }
    }
    const double x = block * 1000000.0 + per_sm * 1000 + waves;
    starts_row(name, "took", x, count, took);
    starts_row(name, "wall_ns", x, count, wall_took);
    starts_row(name, "spread_ns", x, count, spread);
    starts_row(name, "whole_ns", x, count, whole);
    if (!among.empty())
        starts_row(name, "on_one_sm", x, count, among);
    if (!gaps.empty())
        starts_row(name, "gap", x, count, gaps);
    if (n == 1000 && waves == 2 && per_sm == 2 && block == 128)
        for (int b = 0; b < count; b++)
            fprintf(stderr, "start\t%d\t%u\t%lld\t%lld\t%llu\t%llu\n", b, s[b].sm, s[b].start, s[b].stop,
                    s[b].wall, s[b].end);
}

int main(int argc, char **)
{
    int *out;
    CHECK(cudaMalloc(&out, 1 << 20));
    const char *read[] = {"clock64.two", "clock64.eight", "clock.two", "clock.eight",
                          "globaltimer.four", "globaltimer.four_ns"};
    sample_all(read, 6, -1, 8, [&](long long *c) { reads<<<1, 1>>>(c, (unsigned *)out); });
    const char *of_timer[] = {"globaltimer.step_ns", "globaltimer.of_2000000"};
    sample_all(of_timer, 2, -1, 1, [&](long long *c) { timer<<<1, 1>>>(c); });
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        sample("barrier", warps, STEPS, [&](long long *c) { barriers<<<1, 32 * warps>>>(c, out); });
        sample("barrier_count", warps, STEPS, [&](long long *c) { any_count<<<1, 32 * warps>>>(c, out); });
        sample("shared_steps", warps, 16, [&](long long *c) { shared_steps<<<1, 32 * warps>>>(c, out); });
    }
    for (int n : {10, 100, 1000})
        sample("late", n, n, [&](long long *c) { late<<<1, 128>>>(c, n, out); });
    sample("fence_block", -1, STEPS, [&](long long *c) { fences<0><<<1, 32>>>(c, out); });
    sample("fence", -1, STEPS, [&](long long *c) { fences<1><<<1, 32>>>(c, out); });
    sample("fence_system", -1, STEPS, [&](long long *c) { fences<2><<<1, 32>>>(c, out); });
    sample("store_fence_block", -1, STEPS, [&](long long *c) { fences<4><<<1, 32>>>(c, out); });
    sample("store_fence", -1, STEPS, [&](long long *c) { fences<5><<<1, 32>>>(c, out); });
    sample("store_fence_system", -1, STEPS, [&](long long *c) { fences<6><<<1, 32>>>(c, out); });
    for (int ns : {0, 100, 1000, 10000})
        sample("nanosleep", ns, 8, [&](long long *c) { sleeps<<<1, 1>>>(c, ns); });
    for (int n : {100, 1000, 100000})
        sample("wait", n, 1, [&](long long *c) { waits<<<1, 1>>>(c, n); });
    const char *of_loops[] = {"loop.empty", "loop.add", "loop.parted"};
    for (int n : {10, 100})
        for (int lanes : {0, 16, 32})
            sample_all(of_loops, 3, n + lanes / 100.0, n, [&](long long *c) { loops<<<1, 32>>>(c, n, lanes, out); });
    const char *passes[] = {"pass.first", "pass.second"};
    sample_all(passes, 2, 16, 16, [&](long long *c) { first_pass<16><<<1, 32>>>(c, out); });
    sample_all(passes, 2, 64, 64, [&](long long *c) { first_pass<64><<<1, 32>>>(c, out); });
    sample_all(passes, 2, 256, 256, [&](long long *c) { first_pass<256><<<1, 32>>>(c, out); });
    sample_all(passes, 2, 1024, 1024, [&](long long *c) { first_pass<1024><<<1, 32>>>(c, out); });
    sample_all(passes, 2, 4096, 4096, [&](long long *c) { first_pass<4096><<<1, 32>>>(c, out); });
    sample_all(passes, 2, 16384, 16384, [&](long long *c) { first_pass<16384><<<1, 32>>>(c, out); });
    sample("call", -1, STEPS, [&](long long *c) { calls<<<1, 32>>>(c, 5, out); });
    for (int block : {32, 128, 1024}) {
        const int n = block == 1024 ? 100 : 1000;
        if (block == 1024 && argc > 1)
            return 0; /* few rows are asked for: what follows is most of the work */
        starts("starts", 1, 1, block, n, 200 << 10);
        starts("starts", 1, 3, block, n, 200 << 10);
        starts("starts", 2, 2, block, n, 100 << 10);
    }
    starts("starts", 16, 1, 128, 100, 0);
    starts("starts", 16, 3, 128, 100, 0);
    starts("starts_short", 16, 3, 128, 10, 0);
    return 0;
}
