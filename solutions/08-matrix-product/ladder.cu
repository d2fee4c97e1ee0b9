// The ladder of assignment 8: one matrix product, in nine steps of this book's chapters.
// Run: tests/book/course/ladder writes what it measures into labs/08-matrix-product/ladder.tsv
#include "lab.h"

#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

// c = a * b. a: m rows of k; b: k rows of n. Each step keeps what the step before it has gained.
struct product {
    float *c;
    const float *a, *b;
    int m, n, k;
};

// Element (row, column) of a matrix; 0 beyond its edges.
__device__ float at(const float *matrix, int rows, int columns, int row, int column)
{
    return row < rows && column < columns ? matrix[(long)row * columns + column] : 0;
}

// The row of a with the column of b, element by element, from device memory.
__device__ void dot(product p, int row, int column)
{
    float sum = 0;
    if (row >= p.m || column >= p.n)
        return;
    for (int i = 0; i < p.k; i++)
        sum += p.a[(long)row * p.k + i] * p.b[(long)i * p.n + column];
    p.c[(long)row * p.n + column] = sum;
}

// Step 1, a thread for each element. Neighbouring lanes have neighbouring rows.
__global__ void naive(product p)
{
    dot(p, blockIdx.y * 32 + threadIdx.x, blockIdx.x * 32 + threadIdx.y);
}

// Step 2, coalesced: neighbouring lanes have neighbouring columns.
__global__ void coalesced(product p)
{
    dot(p, blockIdx.y * 32 + threadIdx.y, blockIdx.x * 32 + threadIdx.x);
}

// Step 3, tiled: a block loads an element once for 32 rows or columns.
__global__ void tiled(product p)
{
    __shared__ float ta[32][32], tb[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0;
    for (int k0 = 0; k0 < p.k; k0 += 32) {
        ta[y][x] = at(p.a, p.m, p.k, row, k0 + x);
        tb[y][x] = at(p.b, p.k, p.n, k0 + y, column);
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    if (row < p.m && column < p.n)
        p.c[(long)row * p.n + column] = sum;
}

// The steps from here on: a block of 256 threads has 128 x 128 elements, a thread 8 x 8 of them.
enum { TILE = 128, SIDE = 16, EACH = TILE / SIDE, DEEP = 8, BLOCK = SIDE * SIDE };

// Steps 4 and 5. PACKED: the 8 columns of a thread lie side by side, so those of neighbouring
// lanes are 8 words apart; else neighbouring lanes have neighbouring columns.
template <bool PACKED> __device__ void by_registers(product p)
{
    __shared__ float ta[TILE][PACKED ? DEEP : DEEP + 1], tb[DEEP][TILE];
    int t = threadIdx.x, x = t % SIDE, y = t / SIDE, top = blockIdx.y * TILE,
        left = blockIdx.x * TILE;
    float sum[EACH][EACH] = {};
    const int first = PACKED ? EACH : 1, next = PACKED ? 1 : SIDE;
    for (int k0 = 0; k0 < p.k; k0 += DEEP) {
#pragma unroll
        for (int i = 0; i < TILE * DEEP / BLOCK; i++) {
            int row = t / DEEP + i * (BLOCK / DEEP), down = t / TILE + i * (BLOCK / TILE);
            ta[row][t % DEEP] = at(p.a, p.m, p.k, top + row, k0 + t % DEEP);
            tb[down][t % TILE] = at(p.b, p.k, p.n, k0 + down, left + t % TILE);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            float a[EACH], b[EACH];
            for (int i = 0; i < EACH; i++) {
                a[i] = ta[y * first + i * next][k];
                b[i] = tb[k][x * first + i * next];
            }
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            int row = top + y * first + i * next, column = left + x * first + j * next;
            if (row < p.m && column < p.n)
                p.c[(long)row * p.n + column] = sum[i][j];
        }
}

// Step 4, registers: an element from shared memory serves 8 multiply-adds.
__global__ void __launch_bounds__(BLOCK) registers(product p)
{
    by_registers<true>(p);
}

// Step 5, conflict-free: the lanes of a warp read words of different banks.
__global__ void __launch_bounds__(BLOCK) conflict_free(product p)
{
    by_registers<false>(p);
}

// The 4 floats of row ROW from COLUMN on, or those of them that there are; 0 else.
__device__ float4 four(const float *matrix, int rows, int columns, int row, int column)
{
    if (columns % 4 == 0)
        return row < rows && column < columns
                   ? *(const float4 *)&matrix[(long)row * columns + column]
                   : make_float4(0, 0, 0, 0);
    return make_float4(
        at(matrix, rows, columns, row, column), at(matrix, rows, columns, row, column + 1),
        at(matrix, rows, columns, row, column + 2), at(matrix, rows, columns, row, column + 3));
}

// A part of 4 x 4 elements: 4 columns of a tile of A, transposed, with 4 of B.
typedef float quarter[4][4];

__device__ void outer(quarter &sum, float4 a, float4 b)
{
    const float down[4] = {a.x, a.y, a.z, a.w}, across[4] = {b.x, b.y, b.z, b.w};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j] += down[i] * across[j];
}

// Where thread T has its elements: a warp has 32 x 64 of them, a lane 4 rows from down and from
// down + 16, with 4 columns from across and from across + 32.
__device__ int down_of(int t)
{
    return t / 64 * 32 + t % 32 / 8 * 4;
}
__device__ int across_of(int t)
{
    return t / 32 % 2 * 64 + t % 8 * 4;
}

__device__ void step_of(quarter (&sum)[2][2], const float *column_of_a, const float *row_of_b,
                        int t)
{
    float4 a[2], b[2];
    for (int i = 0; i < 2; i++) {
        a[i] = *(const float4 *)&column_of_a[down_of(t) + 16 * i];
        b[i] = *(const float4 *)&row_of_b[across_of(t) + 32 * i];
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            outer(sum[i][j], a[i], b[j]);
}

__device__ void store_four(product p, int row, int column, const float *s)
{
    if (row >= p.m)
        return;
    if (p.n % 4 == 0 && column < p.n)
        *(float4 *)&p.c[(long)row * p.n + column] = make_float4(s[0], s[1], s[2], s[3]);
    for (int c = 0; c < 4 && p.n % 4; c++)
        if (column + c < p.n)
            p.c[(long)row * p.n + column + c] = s[c];
}

__device__ void store_sums(product p, quarter (&sum)[2][2], int top, int left)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 2; j++)
            store_four(p, top + down_of(threadIdx.x) + i / 4 * 16 + i % 4,
                       left + across_of(threadIdx.x) + 32 * j, sum[i / 4][j][i % 4]);
}

// Step 6, vectors: 16 bytes per load, from device memory and from shared memory.
__global__ void __launch_bounds__(BLOCK) vectors(product p)
{
    __shared__ __align__(16) float ta[DEEP][TILE + 4], tb[DEEP][TILE];
    int t = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    quarter sum[2][2] = {};
    for (int k0 = 0; k0 < p.k; k0 += DEEP) {
        int row = t / 2, k = t % 2 * 4, down = t / 32, column = t % 32 * 4;
        float4 a = four(p.a, p.m, p.k, top + row, k0 + k);
        *(float4 *)&tb[down][column] = four(p.b, p.k, p.n, k0 + down, left + column);
        ta[k][row] = a.x, ta[k + 1][row] = a.y, ta[k + 2][row] = a.z, ta[k + 3][row] = a.w;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEEP; i++)
            step_of(sum, ta[i], tb[i], t);
        __syncthreads();
    }
    store_sums(p, sum, top, left);
}

// Step 7, asynchronous: copies into the next two tiles run while one is multiplied.
enum { STAGES = 3 };

__global__ void __launch_bounds__(BLOCK) asynchronous(product p)
{
    __shared__ __align__(16) float ta[STAGES][DEEP][TILE + 4], tb[STAGES][DEEP][TILE];
    int t = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int row = t / DEEP, x = t % DEEP, z = t / 32, column = t % 32 * 4;
    const float *of_a = &p.a[(long)(top + row) * p.k + x],
                *of_b = &p.b[(long)z * p.n + left + column];
    auto fetch = [&](int s, int k0) {
        for (int i = 0; i < 4; i++) // transposed, word by word
            __pipeline_memcpy_async(&ta[s][x][row + 32 * i], of_a + 32l * i * p.k, 4,
                                    k0 + x < p.k && top + row + 32 * i < p.m ? 0 : 4);
        if (p.n % 4 == 0)
            __pipeline_memcpy_async(&tb[s][z][column], of_b, 16,
                                    k0 + z < p.k && left + column < p.n ? 0 : 16);
        for (int i = 0; i < 4 && p.n % 4; i++)
            __pipeline_memcpy_async(&tb[s][z][column + i], of_b + i, 4,
                                    k0 + z < p.k && left + column + i < p.n ? 0 : 4);
        of_a += DEEP, of_b += (long)DEEP * p.n;
        __pipeline_commit();
    };
    quarter sum[2][2] = {};
    for (int s = 0; s < STAGES - 1; s++)
        fetch(s, s * DEEP);
    for (int k0 = 0, s = 0; k0 < p.k; k0 += DEEP, s = s < STAGES - 1 ? s + 1 : 0) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(s > 0 ? s - 1 : STAGES - 1, k0 + (STAGES - 1) * DEEP);
#pragma unroll
        for (int i = 0; i < DEEP; i++)
            step_of(sum, ta[s][i], tb[s][i], t);
    }
    store_sums(p, sum, top, left);
}

// Step 8, scheduled: as many issue slots as can be had are for multiply-adds. With 12 x 8 sums a
// thread loads less for each. Factors are read while those before them are multiplied, and three
// blocks of 128 threads take turns. To and fro, so that neighbours share a factor.
enum { DOWN = 96, DEEPER = 16, FEW = 128 };

__global__ void __launch_bounds__(FEW, 3) scheduled(product p)
{
    __shared__ __align__(16) float ta[2][DEEPER][DOWN + 4], tb[2][DEEPER][TILE];
    int t = threadIdx.x, top = blockIdx.y * DOWN, left = blockIdx.x * TILE;
    int row = t / DEEPER, x = t % DEEPER, z = t / 32, column = t % 32 * 4;
    bool inside = top + DOWN <= p.m && left + TILE <= p.n && p.n % 4 == 0;
    const float *of_a = &p.a[(long)(top + row) * p.k + x],
                *of_b = &p.b[(long)z * p.n + left + column];
    auto copy = [&](bool whole, int s, int k0) { // WHOLE: nothing lies beyond the edges
        for (int i = 0; i < DOWN; i += FEW / DEEPER)
            __pipeline_memcpy_async(&ta[s][x][row + i], of_a + (long)i * p.k, 4,
                                    whole || (k0 + x < p.k && top + row + i < p.m) ? 0 : 4);
        for (int i = 0; i < DEEPER; i += FEW / 32)
            for (int j = 0; j < (whole || p.n % 4 == 0 ? 1 : 4); j++) {
                bool there = whole || (k0 + z + i < p.k && left + column + j < p.n);
                if (whole || p.n % 4 == 0)
                    __pipeline_memcpy_async(&tb[s][z + i][column], of_b + (long)i * p.n, 16,
                                            there ? 0 : 16);
                else
                    __pipeline_memcpy_async(&tb[s][z + i][column + j], of_b + (long)i * p.n + j, 4,
                                            there ? 0 : 4);
            }
    };
    auto fetch = [&](int s, int k0) {
        if (inside && k0 + DEEPER <= p.k)
            copy(true, s, k0);
        else
            copy(false, s, k0);
        of_a += DEEPER, of_b += (long)DEEPER * p.n;
    };
    auto wait = [] {
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    };
    int down = t / 64 * 48 + t % 32 / 8 * 4, across = across_of(t);
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
    for (int k0 = 0, s = 0; k0 < p.k; k0 += DEEPER) {
        bool more = k0 + DEEPER < p.k;
        if (more)
            fetch(s ^ 1, k0 + DEEPER);
#pragma unroll
        for (int x = 0; x < DEEPER; x++) {
            if (x == DEEPER - 1)
                wait(), s ^= more;
            read((x + 1) % 2, s, (x + 1) % DEEPER);
            for (int i = 0; i < 12; i++)
                for (int l = 0; l < 8; l++) {
                    int j = i % 2 ? 7 - l : l;
                    sum[i][j] += (&u[x % 2][i / 4].x)[i % 4] * (&v[x % 2][j / 4].x)[j % 4];
                }
        }
    }
    const float zero = p.k < 0; // unknown to the compiler: sums are stored from other registers
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 8; j++)
            sum[i][j] += zero;
    for (int i = 0; i < 12; i++)
        for (int h = 0; h < 2; h++)
            store_four(p, top + down + i / 4 * 16 + i % 4, left + across + 32 * h, &sum[i][4 * h]);
}

// Step 9, tensor cores: halves, sums of floats. m and n are multiples of 16 here, and k of 8.
using namespace nvcuda;
enum { DEEP_HALF = 32 };
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_of_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> part_of_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> part_of_c;

__global__ void __launch_bounds__(BLOCK)
    tensor(float *c, const half *a, const half *b, int m, int n, int k)
{
    __shared__ __align__(32) half ta[2][TILE][DEEP_HALF + 8], tb[2][DEEP_HALF][TILE + 8];
    int t = threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    int down = t / 64 * 32, across = t / 32 % 2 * 64; // a warp has 32 x 64 elements
    auto fetch = [&](int s, int k0) {
        for (int i = 0; i < 2; i++) {
            int row = t / 4 + 64 * i, x = k0 + t % 4 * 8, z = t / 16 + 16 * i, column = t % 16 * 8;
            __pipeline_memcpy_async(&ta[s][row][t % 4 * 8], &a[(long)(top + row) * k + x], 16,
                                    top + row < m && x < k ? 0 : 16);
            __pipeline_memcpy_async(&tb[s][z][column], &b[(long)(k0 + z) * n + left + column], 16,
                                    k0 + z < k && left + column < n ? 0 : 16);
        }
        __pipeline_commit();
    };
    part_of_c sum[2][4];
    for (int i = 0; i < 8; i++)
        wmma::fill_fragment(sum[i / 4][i % 4], 0);
    fetch(0, 0);
    for (int k0 = 0, s = 0; k0 < k; k0 += DEEP_HALF, s ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        fetch(s ^ 1, k0 + DEEP_HALF);
#pragma unroll
        for (int x = 0; x < DEEP_HALF; x += 16) {
            part_of_a u[2];
            for (int i = 0; i < 2; i++)
                wmma::load_matrix_sync(u[i], &ta[s][down + 16 * i][x], DEEP_HALF + 8);
            for (int j = 0; j < 4; j++) {
                part_of_b v;
                wmma::load_matrix_sync(v, &tb[s][x][across + 16 * j], TILE + 8);
                for (int i = 0; i < 2; i++)
                    wmma::mma_sync(sum[i][j], u[i], v, sum[i][j]);
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        int row = top + down + i / 4 * 16, column = left + across + i % 4 * 16;
        if (row < m && column < n)
            wmma::store_matrix_sync(&c[(long)row * n + column], sum[i / 4][i % 4], n,
                                    wmma::mem_row_major);
    }
}

__global__ void halves(half *out, const float *in, long n)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __float2half(in[i]);
}

// Its roof: as many multiply-adds by tensor cores, and nothing else. A warp has 8 chains.
__global__ void __launch_bounds__(BLOCK) tensor_roof(float *out, int rounds)
{
    part_of_a u;
    part_of_b v;
    part_of_c sum[8];
    wmma::fill_fragment(u, __float2half(0.5f)), wmma::fill_fragment(v, __float2half(0.25f));
    for (int i = 0; i < 8; i++)
        wmma::fill_fragment(sum[i], 0);
#pragma unroll 4
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 8; i++)
            wmma::mma_sync(sum[i], u, v, sum[i]);
    for (int i = 1; i < 8; i++)
        for (int e = 0; e < sum[0].num_elements; e++)
            sum[0].x[e] += sum[i].x[e];
    int warp = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    wmma::store_matrix_sync(&out[(long)warp * 256], sum[0], 16, wmma::mem_row_major);
}

// The roof: as many multiply-adds as the product, and nothing else: eight chains per thread.
__global__ void __launch_bounds__(BLOCK) roof(float *out, int rounds)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float x[8];
    for (int c = 0; c < 8; c++)
        x[c] = i + c;
#pragma unroll 16
    for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 8; c++)
            x[c] = fmaf(x[c], 0.999f, 0.01f);
    out[i] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}

typedef void (*step)(product);

static void run(step kernel, int rows, int columns, dim3 block, product p)
{
    kernel<<<dim3((p.n + columns - 1) / columns, (p.m + rows - 1) / rows), block>>>(p);
}

static const struct {
    const char *name;
    step kernel;
    int rows, columns; // of a block
    dim3 block;
} steps[] = {
    {"naive", naive, 32, 32, dim3(32, 32)},
    {"coalesced", coalesced, 32, 32, dim3(32, 32)},
    {"tiled", tiled, 32, 32, dim3(32, 32)},
    {"registers", registers, TILE, TILE, BLOCK},
    {"conflict_free", conflict_free, TILE, TILE, BLOCK},
    {"vectors", vectors, TILE, TILE, BLOCK},
    {"asynchronous", asynchronous, TILE, TILE, BLOCK},
    {"scheduled", scheduled, DOWN, TILE, FEW},
};

static const char last[] = "tensor"; // the step whose factors are halves

struct matrices { // and the same factors as halves
    int m, n, k;
    lab_array<float> a, b, c;
    lab_array<half> a16, b16;
    matrices(int m, int n, int k)
        : m(m), n(n), k(k), a((long)m * k), b((long)k * n), c((long)m * n, LAB_POISON),
          a16((long)m * k), b16((long)k * n)
    {
        halves<<<(a.n + 255) / 256, 256>>>(a16.device, a.device, a.n);
        halves<<<(b.n + 255) / 256, 256>>>(b16.device, b.device, b.n);
    }
    void by_tensor_cores(void)
    {
        dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
        tensor<<<grid, BLOCK>>>(c.device, a16.device, b16.device, m, n, k);
    }
    product floats(void)
    {
        return product{c.device, a.device, b.device, m, n, k};
    }
    void expect(bool halved)
    {
        auto seen = [=](float x) { return halved ? __half2float(__float2half(x)) : x; };
        auto want = [&](long i) {
            double sum = 0;
            for (int x = 0; x < k; x++)
                sum += (double)seen(a[i / n * k + x]) * seen(b[(long)x * n + i % n]);
            return sum;
        };
        lab_expect(c, want, 1e-6 + 1e-7 * k, "k roundings of floats");
    }
};

int main(void)
{
    lab_begin("labs/08-matrix-product/ladder");
    for (auto &s : steps)
        LAB_CHECK_UP_TO(s.name, size, 4099)
        {
            matrices p(size % 171 + 1, size % 203 + 1, size % 61 + 1);
            run(s.kernel, s.rows, s.columns, s.block, p.floats());
            p.expect(false);
        }
    LAB_CHECK_UP_TO(last, size, 4099)
    {
        matrices p(size % 11 * 16 + 16, size % 13 * 16 + 16, size % 7 * 8 + 8);
        p.by_tensor_cores();
        p.expect(true);
    }

    int side = 128;
    while ((long)(side + 128) * (side + 128) <= lab_elements(3072 * 3072, 1 << 26))
        side += 128;
    matrices p(side, side, 256);
    long n = p.c.n;
    double bytes = 4.0 * side * (2 * p.k + side); // of the floats, for all
    LAB_ROUNDS
    {
        LAB_MEASURE("roof", n, bytes) roof<<<n / 8 / BLOCK, BLOCK>>>(p.c.device, p.k);
        for (auto &s : steps)
            LAB_MEASURE(s.name, n, bytes) run(s.kernel, s.rows, s.columns, s.block, p.floats());
        LAB_MEASURE("tensor_roof", n, bytes)
        tensor_roof<<<n / TILE / 256, BLOCK>>>(p.c.device, p.k / 8);
        LAB_MEASURE(last, n, bytes) p.by_tensor_cores();
    }
    return lab_end();
}
