/* Matrix products and transposes of N x N floats; x is N. */
#include "record.h"

__global__ void multiply_naive(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
    c[(size_t)row * n + column] = sum;
}

template <int TILE> __global__ void multiply_tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[threadIdx.y][threadIdx.x] = a[(size_t)row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(size_t)(t + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[(size_t)row * n + column] = sum;
}

__global__ void transpose_read_rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

__global__ void transpose_write_rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)y * n + x] = in[(size_t)x * n + y];
}

/* PAD 0: the column reads all hit one bank. */
template <int PAD> __global__ void transpose_shared(float *out, const float *in, int n)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main()
{
    for (int n : {256, 512, 1024, 2048}) {
        if (!fits((size_t)n * n * 16))
            continue;
        device_array<float> a((size_t)n * n), b((size_t)n * n), c((size_t)n * n);
        size_t n2 = (size_t)n * n;
        double bytes = 12.0 * n2;
        dim3 b16(16, 16), g16(n / 16, n / 16), b32(32, 32), g32(n / 32, n / 32), b8(32, 8),
            g8(n / 32, n / 8);
        measure("multiply_naive_32x8", n, n2, bytes,
                [&] { multiply_naive<<<g8, b8>>>(c.p, a.p, b.p, n); });
        measure("multiply_naive_16x16", n, n2, bytes,
                [&] { multiply_naive<<<g16, b16>>>(c.p, a.p, b.p, n); });
        measure("multiply_naive_32x32", n, n2, bytes,
                [&] { multiply_naive<<<g32, b32>>>(c.p, a.p, b.p, n); });
        measure("multiply_tiled_16", n, n2, bytes,
                [&] { multiply_tiled<16><<<g16, b16>>>(c.p, a.p, b.p, n); });
        measure("multiply_tiled_32", n, n2, bytes,
                [&] { multiply_tiled<32><<<g32, b32>>>(c.p, a.p, b.p, n); });
    }
    for (int n : {1024, 2048, 4096, 8192, 16384}) {
        size_t n2 = (size_t)n * n;
        if (!fits(n2))
            continue;
        device_array<float> in(n2), out(n2);
        dim3 b16(16, 16), g16(n / 16, n / 16), b32(32, 32), g32(n / 32, n / 32), b8(32, 8);
        measure("transpose_read_rows_16x16", n, n2, 8.0 * n2,
                [&] { transpose_read_rows<<<g16, b16>>>(out.p, in.p, n); });
        measure("transpose_write_rows_16x16", n, n2, 8.0 * n2,
                [&] { transpose_write_rows<<<g16, b16>>>(out.p, in.p, n); });
        measure("transpose_read_rows_32x32", n, n2, 8.0 * n2,
                [&] { transpose_read_rows<<<g32, b32>>>(out.p, in.p, n); });
        measure("transpose_write_rows_32x32", n, n2, 8.0 * n2,
                [&] { transpose_write_rows<<<g32, b32>>>(out.p, in.p, n); });
        measure("transpose_shared_conflicts", n, n2, 8.0 * n2,
                [&] { transpose_shared<0><<<g32, b8>>>(out.p, in.p, n); });
        measure("transpose_shared_padded", n, n2, 8.0 * n2,
                [&] { transpose_shared<1><<<g32, b8>>>(out.p, in.p, n); });
    }
    return 0;
}
