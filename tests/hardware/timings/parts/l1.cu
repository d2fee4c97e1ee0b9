/* What L1 takes for a request that it holds: by how the lanes lie, by width, by lines touched.
 * Every SM is full of warps that load again and again from a few KB of their own SM's copy. */
#include "record.h"

enum { BLOCK = 256, WORDS = 8192 }; /* 32 KB */

/* Loads that the compiler neither drops nor makes once for all turns. */
__device__ void load(float &v, const float *at)
{
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(at));
}

__device__ void load(float2 &v, const float *at)
{
    asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(at));
}

__device__ void load(float4 &v, const float *at)
{
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at));
}

/* Four loads of T a turn, 1024 words apart; lane l begins at word start[l]. */
template <class T> __global__ void hits(float *out, const float *table, const int *start, int times)
{
    const float *at = table + start[threadIdx.x % 32];
    float sum = 0;
    for (int k = 0; k < times; k++) {
        T v[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            load(v[u], at + (k & 7) * 128 + u * 1024);
#pragma unroll
        for (int u = 0; u < 4; u++)
            sum += *(const float *)&v[u];
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

/* Eight loads of neighbouring words, as a stencil has them. */
__global__ void overlap(float *out, const float *table, int times)
{
    const float *at = table + 4 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < times; k++) {
        float v[8];
#pragma unroll
        for (int u = 0; u < 8; u++)
            load(v[u], at + (k & 7) * 256 + (u < 4 ? u - 4 : u - 3));
#pragma unroll
        for (int u = 0; u < 8; u++)
            sum += v[u];
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

int main()
{
    const int times = timings().emulated ? 8 : 1024, grid = 132 * 8;
    device_array<float> table(WORDS + 8192), out(grid * BLOCK);
    device_array<int> start(32);
    const size_t n = (size_t)grid * BLOCK * times * 4;
    auto lanes = [&](auto where) {
        int at[32];
        for (int l = 0; l < 32; l++)
            at[l] = where(l);
        CHECK(cudaMemcpy(start.p, at, sizeof at, cudaMemcpyHostToDevice));
    };
    auto word = [&](const char *name, double x) {
        measure(name, x, n, 4.0 * n,
                [&] { hits<float><<<grid, BLOCK>>>(out.p, table.p, start.p, times); });
    };
    for (int shift : {0, 1, 4, 8, 16, 31}) {
        lanes([&](int l) { return shift + l; });
        word("l1_shift", shift);
    }
    for (int stride : {0, 2, 3, 4, 8, 16, 32}) {
        lanes([&](int l) { return stride * l; });
        word("l1_stride", stride);
    }
    /* LINES lines, lanes of one line side by side, and every lane in a bank of its own. */
    for (int lines : {1, 2, 4, 8, 16, 32}) {
        lanes([&](int l) { return 32 * (l * lines / 32) + l; });
        word("l1_lines", lines);
    }
    /* The same lines, and lanes of one line far apart. */
    for (int lines : {2, 4, 8, 16}) {
        lanes([&](int l) { return 32 * (l % lines) + l; });
        word("l1_lines_mixed", lines);
    }
    /* WAYS lanes in each bank, all in one line of their own each. */
    for (int ways : {2, 4, 8}) {
        lanes([&](int l) { return 32 * (l % ways) + l / ways; });
        word("l1_bank_ways", ways);
    }
    for (int shift : {0, 4, 8, 16}) { /* 8 and 16 bytes a lane */
        lanes([&](int l) { return shift + 2 * l; });
        measure("l1_shift_8", shift, n, 8.0 * n,
                [&] { hits<float2><<<grid, BLOCK>>>(out.p, table.p, start.p, times); });
        lanes([&](int l) { return shift + 4 * l; });
        measure("l1_shift_16", shift, n, 16.0 * n,
                [&] { hits<float4><<<grid, BLOCK>>>(out.p, table.p, start.p, times); });
    }
    measure("l1_overlap", -1, 2 * n, 8.0 * n,
            [&] { overlap<<<grid, BLOCK>>>(out.p, table.p, times); });
    return 0;
}
