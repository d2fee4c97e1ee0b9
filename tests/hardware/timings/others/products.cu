/* Matrix products of others, step by step from a thread an element to tiles in registers. */
#include "others.h"

/* The first M rows and N columns of a product of square matrices, STRIDE numbers a row, of which
 * DEPTH terms are added. In the first steps of two sources blocks run down the rows first. */
struct product {
    int m, n, depth, stride;
    const float *a, *b;
    float *c;
};

static __device__ void store(const product p, int row, int column, float sum)
{
    float *c = p.c + row * p.stride + column;
    *c = 0.5f * sum + 3 * *c;
}

template <bool coalesced> static __global__ void product_by_elements(product p)
{
    const int tx = coalesced ? threadIdx.x / 32 : threadIdx.x,
              ty = coalesced ? threadIdx.x % 32 : threadIdx.y;
    const int row = blockIdx.x * 32 + tx, column = blockIdx.y * 32 + ty;
    if (row >= p.m || column >= p.n)
        return;
    float sum = 0;
    for (int i = 0; i < p.depth; i++)
        sum += p.a[row * p.stride + i] * p.b[i * p.stride + column];
    store(p, row, column, sum);
}

/* checked: as one of the sources does, who looks at the edges and runs along the rows first. */
template <bool checked> static __global__ void product_by_tiles(product p)
{
    __shared__ float a[32][32], b[32][32];
    const int ty = checked ? threadIdx.y : threadIdx.x / 32,
              tx = checked ? threadIdx.x : threadIdx.x % 32;
    const int row = (checked ? blockIdx.y : blockIdx.x) * 32 + ty;
    const int column = (checked ? blockIdx.x : blockIdx.y) * 32 + tx;
    float sum = 0;
    for (int k = 0; k < p.depth; k += 32) {
        a[ty][tx] = !checked || (row < p.m && k + tx < p.depth) ? p.a[row * p.stride + k + tx] : 0;
        b[ty][tx] =
            !checked || (k + ty < p.depth && column < p.n) ? p.b[(k + ty) * p.stride + column] : 0;
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    if (!checked || (row < p.m && column < p.n))
        store(p, row, column, sum);
}

/* Eight elements of a column a thread, tiles of 64 x 64 x 8. */
template <bool checked> static __global__ void product_by_columns(product p)
{
    __shared__ float a[64][8], b[8][64];
    const int t = threadIdx.x, column = t % 64, row = t / 64 * 8;
    const int first_row = blockIdx.y * 64, first_column = blockIdx.x * 64;
    float sum[8] = {0};
    for (int k = 0; k < p.depth; k += 8) {
        a[t / 8][t % 8] = !checked || (first_row + t / 8 < p.m && k + t % 8 < p.depth)
                              ? p.a[(first_row + t / 8) * p.stride + k + t % 8]
                              : 0;
        b[t / 64][column] = !checked || (k + t / 64 < p.depth && first_column + column < p.n)
                                ? p.b[(k + t / 64) * p.stride + first_column + column]
                                : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float of_b = b[i][column];
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum[j] += a[row + j][i] * of_b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
        if (!checked || (first_row + row + j < p.m && first_column + column < p.n))
            store(p, first_row + row + j, first_column + column, sum[j]);
}

/* Eight times eight elements a thread, tiles of SIDE x SIDE x 8. down: blocks run down the rows
 * first. */
template <int side, bool down>
static __global__ void __launch_bounds__(side *side / 64, 1) product_by_blocks(product p)
{
    __shared__ float a[side][8], b[8][side];
    enum { threads = side * side / 64 };
    const int t = threadIdx.x, row = t / (side / 8) * 8, column = t % (side / 8) * 8;
    const int first_row = (down ? blockIdx.x : blockIdx.y) * side;
    const int first_column = (down ? blockIdx.y : blockIdx.x) * side;
    float sum[8][8] = {{0}}, of_a[8], of_b[8];
    for (int k = 0; k < p.depth; k += 8) {
        for (int i = 0; i < side; i += threads / 8)
            a[t / 8 + i][t % 8] = p.a[(first_row + t / 8 + i) * p.stride + k + t % 8];
        for (int i = 0; i < 8; i += threads / side)
            b[t / side + i][t % side] =
                p.b[(k + t / side + i) * p.stride + first_column + t % side];
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++)
                of_a[j] = a[row + j][i];
            for (int j = 0; j < 8; j++)
                of_b[j] = b[i][column + j];
            for (int r = 0; r < 8; r++)
                for (int c = 0; c < 8; c++)
                    sum[r][c] += of_a[r] * of_b[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            store(p, first_row + row + r, first_column + column + c, sum[r][c]);
}

static __device__ float4 &four(float *p)
{
    return *(float4 *)p;
}

static __device__ const float4 &four(const float *p)
{
    return *(const float4 *)p;
}

static __device__ void outer_product(float (&sum)[8][8], const float *of_a, const float *of_b)
{
    float a[8], b[8];
    four(a) = four(of_a), four(a + 4) = four(of_a + 4);
    four(b) = four(of_b), four(b + 4) = four(of_b + 4);
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c < 8; c++)
            sum[r][c] += a[r] * b[c];
}

/* The same with 128 x 128, words by fours, and A's tile turned; STAGES 2: the next tiles are loaded
 * to registers while these are multiplied. */
template <int stages> static __global__ void product_by_fours(product p)
{
    __shared__ float a[stages][8][128], b[stages][8][128];
    const int t = threadIdx.x, row = t / 16 * 8, column = t % 16 * 8;
    const float *from_a = p.a + (blockIdx.y * 128 + t / 2) * p.stride + t % 2 * 4;
    const float *from_b = p.b + t / 32 * p.stride + blockIdx.x * 128 + t % 32 * 4;
    float sum[8][8] = {{0}};
    float4 next_a = four(from_a), next_b = four(from_b);
    for (int k = 0, now = 0; k < p.depth; k += 8, now = (now + 1) % stages) {
        a[now][t % 2 * 4][t / 2] = next_a.x, a[now][t % 2 * 4 + 1][t / 2] = next_a.y;
        a[now][t % 2 * 4 + 2][t / 2] = next_a.z, a[now][t % 2 * 4 + 3][t / 2] = next_a.w;
        four(&b[now][t / 32][t % 32 * 4]) = next_b;
        __syncthreads();
        if (stages == 2 && k + 8 < p.depth)
            next_a = four(from_a + k + 8), next_b = four(from_b + (k + 8) * p.stride);
#pragma unroll
        for (int i = 0; i < 8; i++)
            outer_product(sum, &a[now][i][row], &b[now][i][column]);
        if (stages == 1) {
            __syncthreads();
            if (k + 8 < p.depth)
                next_a = four(from_a + k + 8), next_b = four(from_b + (k + 8) * p.stride);
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int c = 0; c < 8; c += 4) {
            float4 &to =
                four(p.c + (blockIdx.y * 128 + row + r) * p.stride + blockIdx.x * 128 + column + c);
            const float4 was = to;
            to = make_float4(sum[r][c] + was.x, sum[r][c + 1] + was.y, sum[r][c + 2] + was.z,
                             sum[r][c + 3] + was.w);
        }
}

template <class Launch>
static void part(const char *name, int stride, int m, int n, size_t depth, Launch launch)
{
    const size_t words = (size_t)stride * stride;
    device_array<float> a(words), b(words), c(words);
    const product p = {m, n, (int)depth, stride, a.p, b.p, c.p};
    alone(name, depth, 2.0 * m * n * depth, [&] { launch(p); });
}

/* Of products of 4096 a side less is modelled: as many blocks as fill the last places of the device
 * as well as all of them do. */
template <int m, bool coalesced> static void elements(const char *name, size_t depth)
{
    part(
        name, 4096, m, m < 32 ? 4096 : m, depth,
        [](product p) {
            product_by_elements<coalesced>
                <<<dim3((p.m + 31) / 32, p.n / 32), coalesced ? dim3(1024) : dim3(32, 32)>>>(p);
        });
}

template <int stride, int n> static void tiles(const char *name, size_t depth)
{
    part(
        name, stride, n, n, depth,
        [](product p) {
            const dim3 blocks(n / 32, n / 32);
            if (stride == n)
                product_by_tiles<true><<<blocks, dim3(32, 32)>>>(p);
            else
                product_by_tiles<false><<<blocks, 1024>>>(p);
        });
}

template <int stride, int n> static void columns(const char *name, size_t depth)
{
    part(
        name, stride, stride, n, depth,
        [](product p) { product_by_columns<n == stride><<<dim3(n / 64, stride / 64), 512>>>(p); });
}

template <int stride, int n, int side, bool down> static void blocks(const char *name, size_t depth)
{
    part(
        name, stride, stride, n, depth,
        [](product p) {
            const dim3 grid = down ? dim3(stride / side, n / side) : dim3(n / side, stride / side);
            product_by_blocks<side, down><<<grid, side * side / 64>>>(p);
        });
}

template <int n, int stages> static void fours(const char *name, size_t depth)
{
    part(
        name, n, n, n, depth,
        [](product p) { product_by_fours<stages><<<dim3(n / 128, n / 128), 256>>>(p); });
}

int main(int argc, char **argv)
{
    static const other_kernel kernels[] = {
        {"elements_of_1_row", elements<1, false>},
        {"elements_of_8_rows", elements<8, false>},
        {"coalesced_of_1_row", elements<1, true>},
        {"coalesced_of_8_rows", elements<8, true>},
        {"elements_of_4096", elements<2048, false>},
        {"coalesced_of_4096", elements<2048, true>},
        {"tiles_of_4096", tiles<4096, 2048>},
        {"columns_of_4096", columns<4096, 832>},
        {"blocks_128_of_4096", blocks<4096, 1664, 128, false>},
        {"blocks_64_of_4096", blocks<4096, 2048, 64, true>},
        {"tiles_of_1024", tiles<1024, 1024>},
        {"columns_of_1024", columns<1024, 1024>},
        {"blocks_64_of_1024", blocks<1024, 1024, 64, false>},
        {"fours_of_1024", fours<1024, 1>},
        {"fours_ahead_of_1024", fours<1024, 2>},
        {"fours_ahead_of_512", fours<512, 2>},
    };
    return run_wanted(argc, argv, kernels);
}
