// Assignment 8: the matrix product, at 80 % of what the device can multiply and add.
// Build and run: ./warpbook run matrix-product   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"
#include <cuda_pipeline.h>

enum { TILE_M = 96, TILE_N = 128, THREADS = 128, BLOCKS = 3 }; // yours to choose
static_assert(TILE_M && TILE_N && BLOCKS && THREADS && THREADS % 32 == 0, "whole warps");
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
__launch_bounds__(THREADS, BLOCKS)
__global__ void multiply(float *c, const float *a, const float *b, int m, int n, int k)
{
    // TODO 1 (about 70 lines): multiply. Whatever m, n and k are, 1 included.
    // Hint: a tile of a and of b in shared memory, and 8 x 8 sums in the registers of a thread
    // END TODO 1
}

static void run(float *c, const float *a, const float *b, int m, int n, int k)
{
    dim3 grid((n + TILE_N - 1) / TILE_N, (m + TILE_M - 1) / TILE_M);
    multiply<<<grid, THREADS>>>(c, a, b, m, n, k);
}

// Fused multiply-adds and nothing else, eight chains per thread: what the device can do at most.
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

    long side = 32, n = lab_elements(3072 * 3072, 1 << 26);
    while ((side + 32) * (side + 32) <= n)
        side += 32;
    const int k = 256;
    lab_array<float> a(side * k), b(k * side), c(side * side, LAB_POISON);
    LAB_ROUNDS { // both: side * side * k multiply-adds. Bytes: those that the product must move
        LAB_MEASURE("roof", side * side, 4.0 * side * (2 * k + side))
            roof<<<side * side / 8 / 128, 128>>>(c.device, k);
        LAB_MEASURE("multiply", side * side, 4.0 * side * (2 * k + side))
            run(c.device, a.device, b.device, side, side, k);
    }

    LAB_GOAL("multiply", "bytes_per_sector", "at_least", 2, "a load serves 64 rows or columns");
    LAB_GOAL("multiply", "flops_per_byte", "at_most", 140, "each product is added once");
    LAB_GOAL("multiply", "lanes_per_instruction", "at_least", 24, "all lanes of a warp work");
    LAB_GOAL("multiply", "busiest_warp", "at_most", 4, "all warps and blocks do");
    return lab_end();
}
