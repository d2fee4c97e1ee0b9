// Assignment 8: the matrix product, at 80 % of what the device can multiply and add.
// Build and run: ./warpbook run matrix-product   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"
#include <cuda_pipeline.h>

enum { TILE_M = 128, TILE_N = 128, THREADS = 256 }; // yours to choose: a block's part of c
static_assert(TILE_M > 0 && TILE_N > 0 && THREADS > 0 && THREADS % 32 == 0, "whole warps");
// The 4 floats from p on, or the first LEFT of them. WHOLE: all are there, and p is at 16 bytes.
__device__ float4 load4(const float *p, int left, bool whole)
{
    if (whole)
        return *(const float4 *)p;
    return make_float4(p[0], left > 1 ? p[1] : 0, left > 2 ? p[2] : 0, left > 3 ? p[3] : 0);
}
__device__ void store4(float *p, float4 v, int left, bool whole)
{
    if (whole)
        *(float4 *)p = v;
    for (int k = 0; k < 4 && !whole; k++)
        if (k < left) p[k] = (&v.x)[k];
}
// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// c = a * b. a: m rows of k, b: k rows of n. Of a block: TILE_M rows and TILE_N columns of c,
// from blockIdx.y * TILE_M and blockIdx.x * TILE_N on.
__launch_bounds__(THREADS)
__global__ void multiply(float *c, const float *a, const float *b, int m, int n, int k)
{
    // TODO 1 (about 50 lines): multiply. Whatever m, n and k are, 1 included.
    // A warp has 32 x 64 sums and a lane 8 x 8 of them: rows down + 0..3 and + 16..19, columns
    // across + 0..3 and + 32..35. So 8 lanes read 8 neighbouring float4 of b, and 4 groups 4 of a.
    // While one stage is multiplied, copies into the next two are in flight.
    enum { DEEP = 8, STAGES = 3 };
    static_assert(TILE_M == 128 && TILE_N == 128 && THREADS == 256, "8 warps of 32 x 64 sums");
    __shared__ __align__(16) float ta[STAGES][DEEP][TILE_M + 4], tb[STAGES][DEEP][TILE_N];
    int t = threadIdx.x, top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;
    int row = t / DEEP, x = t % DEEP, z = t / 32, column = t % 32 * 4; // what it copies
    const float *of_a = &a[(long)(top + row) * k + x], *of_b = &b[(long)z * n + left + column];
    auto fetch = [&](int s, int k0) { // k0 .. + DEEP - 1 into stage s; zeros beyond the edges
        for (int i = 0; i < 4; i++)   // a is transposed on its way, word by word
            __pipeline_memcpy_async(&ta[s][x][row + 32 * i], of_a + 32l * i * k, 4,
                                    k0 + x < k && top + row + 32 * i < m ? 0 : 4);
        if (n % 4 == 0)
            __pipeline_memcpy_async(&tb[s][z][column], of_b, 16,
                                    k0 + z < k && left + column < n ? 0 : 16);
        for (int i = 0; i < 4 && n % 4; i++)
            __pipeline_memcpy_async(&tb[s][z][column + i], of_b + i, 4,
                                    k0 + z < k && left + column + i < n ? 0 : 4);
        of_a += DEEP, of_b += (long)DEEP * n;
        __pipeline_commit();
    };
    int down = t / 64 * 32 + t % 32 / 8 * 4, across = t / 32 % 2 * 64 + t % 8 * 4;
    float sum[8][8] = {};
    for (int s = 0; s < STAGES - 1; s++)
        fetch(s, s * DEEP);
    for (int k0 = 0, s = 0; k0 < k; k0 += DEEP, s = s < STAGES - 1 ? s + 1 : 0) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(s > 0 ? s - 1 : STAGES - 1, k0 + (STAGES - 1) * DEEP);
#pragma unroll
        for (int x = 0; x < DEEP; x++) {
            float4 u[2], v[2];
            for (int h = 0; h < 2; h++) {
                u[h] = *(float4 *)&ta[s][x][down + 16 * h];
                v[h] = *(float4 *)&tb[s][x][across + 32 * h];
            }
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    sum[i][j] += (&u[i / 4].x)[i % 4] * (&v[j / 4].x)[j % 4];
        }
    }
    for (int i = 0; i < 8; i++)
        for (int h = 0; h < 2; h++) {
            int row = top + down + i / 4 * 16 + i % 4, column = left + across + 32 * h;
            const float *v = &sum[i][4 * h];
            if (row < m && column < n)
                store4(&c[(long)row * n + column], make_float4(v[0], v[1], v[2], v[3]), n - column,
                       n % 4 == 0);
        }
    // END TODO 1
}

static void run(float *c, const float *a, const float *b, int m, int n, int k)
{
    dim3 grid((n + TILE_N - 1) / TILE_N, (m + TILE_M - 1) / TILE_M);
    multiply<<<grid, THREADS>>>(c, a, b, m, n, k);
}

// Fused multiply-adds and nothing else, eight chains a thread: what the device can do at most.
__global__ void roof(float *out, int rounds)
{
    float x[8];
    for (int c = 0; c < 8; c++)
        x[c] = threadIdx.x + c;
#pragma unroll 32
    for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 8; c++)
            x[c] = fmaf(x[c], 0.999f, 0.01f);
    float sum = 0;
    for (int c = 0; c < 8; c++)
        sum += x[c];
    out[(long)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void check(int m, int n, int k)
{
    lab_array<float> a((long)m * k), b((long)k * n), c((long)m * n, LAB_POISON);
    run(c.device, a.device, b.device, m, n, k);
    auto want = [&](long i) {
        double sum = 0;
        for (int x = 0; x < k; x++)
            sum += (double)a[i / n * k + x] * b[(long)x * n + i % n];
        return sum;
    };
    lab_expect(c, want, 1e-6 + 1e-7 * k, "k roundings of floats; tf32 and half lose more");
}

int main(void)
{
    lab_begin("labs/08-matrix-product");

    LAB_CHECK("multiply", size)
        for (int whole : {1, 4}) { // n and k: as they are, and rounded up to a multiple of 4
            auto up = [&](int x) { return (x + whole - 1) / whole * whole; };
            lab_case("multiples of", whole);
            check(size < 50 ? size : 50 + size % 97, up(size % 271 + 1), up(size % 61 + 1));
        }
    LAB_CHECK_UP_TO("multiply_long", k, 4099)
        check(37, 5, k);

    long side = 32, n = lab_elements(1 << 22, 1 << 26);
    while ((side + 32) * (side + 32) <= n)
        side += 32;
    const int k = 384;
    lab_array<float> a(side * k), b(k * side), c(side * side, LAB_POISON);
    LAB_ROUNDS { // both: side * side * k multiply-adds. Bytes: those that the product must move
        LAB_MEASURE("roof", side * side, 4.0 * side * (2 * k + side))
            roof<<<side * side / 8 / 128, 128>>>(c.device, k);
        LAB_MEASURE("multiply", side * side, 4.0 * side * (2 * k + side))
            run(c.device, a.device, b.device, side, side, k);
    }

    LAB_GOAL("multiply", "bytes_per_sector", "at_least", 2, "a load serves 64 rows or columns");
    LAB_GOAL("multiply", "flops_per_byte", "at_most", 190, "each product is added once");
    LAB_GOAL("multiply", "lanes_per_instruction", "at_least", 24, "all lanes of a warp work");
    LAB_GOAL("multiply", "busiest_warp", "at_most", 4, "all warps and blocks do");
    return lab_end();
}
