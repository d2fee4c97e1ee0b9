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
    // A warp has 48 x 64 sums and a lane 12 x 8 of them: rows down + 0..3, + 16..19 and + 32..35,
    // columns across + 0..3 and + 32..35. So 8 lanes read 8 neighbouring float4 of b, and 4 groups
    // 4 of a. While one stage is multiplied, copies into the other are in flight; while a column of
    // a is multiplied with a row of b, the next of each are on their way into registers.
    enum { DEEP = 16, DOWN = THREADS / DEEP, QUADS = TILE_N / 4, PAST = THREADS / QUADS };
    static_assert(TILE_M == 96 && TILE_N == 128 && THREADS == 128, "4 warps of 48 x 64 sums");
    __shared__ __align__(16) float ta[2][DEEP][TILE_M + 4], tb[2][DEEP][TILE_N];
    int t = threadIdx.x, top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;
    int row = t / DEEP, x = t % DEEP, z = t / QUADS, column = t % QUADS * 4; // what it copies
    bool inside = top + TILE_M <= m && left + TILE_N <= n && n % 4 == 0;
    const float *of_a = &a[(long)(top + row) * k + x], *of_b = &b[(long)z * n + left + column];
    auto copy = [&](bool whole, int s, int k0) { // WHOLE: nothing lies beyond the edges
        for (int i = 0; i < TILE_M; i += DOWN)   // a is transposed on its way, word by word
            __pipeline_memcpy_async(&ta[s][x][row + i], of_a + (long)i * k, 4,
                                    whole || (k0 + x < k && top + row + i < m) ? 0 : 4);
        for (int i = 0; i < DEEP; i += PAST)
            for (int j = 0; j < (whole || n % 4 == 0 ? 1 : 4); j++) {
                bool there = whole || (k0 + z + i < k && left + column + j < n);
                if (whole || n % 4 == 0)
                    __pipeline_memcpy_async(&tb[s][z + i][column], of_b + (long)i * n, 16,
                                            there ? 0 : 16);
                else
                    __pipeline_memcpy_async(&tb[s][z + i][column + j], of_b + (long)i * n + j, 4,
                                            there ? 0 : 4);
            }
    };
    auto fetch = [&](int s, int k0) { // k0 .. + DEEP - 1 into stage s; zeros beyond the edges
        if (inside && k0 + DEEP <= k)
            copy(true, s, k0);
        else
            copy(false, s, k0);
        of_a += DEEP, of_b += (long)DEEP * n;
    };
    auto wait = [] {
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    };
    int down = t / 64 * 48 + t % 32 / 8 * 4, across = t / 32 % 2 * 64 + t % 8 * 4;
    float sum[12][8] = {};
    float4 u[2][3], v[2][2];
    auto read = [&](int f, int s, int x) {
        for (int h = 0; h < 3; h++)
            u[f][h] = *(float4 *)&ta[s][x][down + 16 * h];
        for (int h = 0; h < 2; h++)
            v[f][h] = *(float4 *)&tb[s][x][across + 32 * h];
    };
    fetch(0, 0);
    wait();
    read(0, 0, 0);
    for (int k0 = 0, s = 0; k0 < k; k0 += DEEP) {
        bool more = k0 + DEEP < k;
        if (more)
            fetch(s ^ 1, k0 + DEEP);
#pragma unroll
        for (int x = 0; x < DEEP; x++) {
            if (x == DEEP - 1)
                wait(), s ^= more;
            read((x + 1) % 2, s, (x + 1) % DEEP);
            for (int i = 0; i < 12; i++)
                for (int l = 0; l < 8; l++) { // to and fro: neighbours share a factor
                    int j = i % 2 ? 7 - l : l;
                    sum[i][j] += (&u[x % 2][i / 4].x)[i % 4] * (&v[x % 2][j / 4].x)[j % 4];
                }
        }
    }
    // Sums that are stored by four must lie in four neighbouring registers, which costs
    // multiply-adds their turns above. Added to a zero that the compiler cannot know, they are
    // stored from other registers.
    const float zero = k < 0;
    for (int i = 0; i < 12; i++)
        for (int h = 0; h < 2; h++) {
            int row = top + down + i / 4 * 16 + i % 4, column = left + across + 32 * h;
            float w[4];
            for (int j = 0; j < 4; j++)
                w[j] = sum[i][4 * h + j] + zero;
            if (row < m && column < n)
                store4(&c[(long)row * n + column], make_float4(w[0], w[1], w[2], w[3]), n - column,
                       n % 4 == 0);
        }
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
