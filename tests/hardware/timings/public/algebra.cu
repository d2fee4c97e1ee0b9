/* Algebra and learning: vectors, matrices, sparse rows, small systems, layers of networks. Matrices
 * are 1024 wide. */
#include "public.h"

#include <cuda_fp16.h>

enum { D = 1024 };

static __device__ float warp_sum(float v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

static __device__ float block_sum_of_8(float v)
{
    __shared__ float part[8];
    v = warp_sum(v);
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += part[k];
    return sum;
}

KERNEL(axpy_by_strides)
{
    for (int i = INDEX; i < n; i += gridDim.x * blockDim.x)
        out[i] += 1.5f * in[i];
}

KERNEL(matrix_by_vector)
{
    const int row = INDEX / 32;
    float sum = 0;
    for (int k = threadIdx.x & 31; k < D; k += 32)
        sum += in[row * D + k] * ((const float *)in)[k];
    sum = warp_sum(sum);
    if ((threadIdx.x & 31) == 0)
        out[row] = sum;
}

KERNEL(transposed_by_vector)
{
    float sum = 0;
    const int column = INDEX % D, from = INDEX / D * 64;
    for (int k = 0; k < 64; k++)
        sum += in[(from + k) * D + column] * in[from + k];
    atomicAdd(&out[column], sum);
}

KERNEL(product_without_tiles)
{
    const int row = INDEX / 512, column = INDEX % 512;
    float sum = 0;
    for (int k = 0; k < 512; k++)
        sum += in[row * 512 + k] * in[k * 512 + column];
    out[row * 512 + column] = sum;
}

KERNEL(product_by_16x16_in_double)
{
    __shared__ double a[16][16], b[16][17];
    const int x = threadIdx.x & 15, y = threadIdx.x / 16, bx = blockIdx.x % 16 * 16,
              by = blockIdx.x / 16 * 16;
    double sum = 0;
    for (int k = 0; k < 256; k += 16) {
        a[y][x] = in[(by + y) * 256 + k + x], b[y][x] = in[(k + y) * 256 + bx + x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += a[y][j] * b[j][x];
        __syncthreads();
    }
    out[(by + y) * 256 + bx + x] = (float)sum;
}

KERNEL(product_of_bytes)
{
    const int row = INDEX / 512, column = INDEX % 512;
    int sum = 0;
    for (int k = 0; k < 128; k++)
        sum = __dp4a((int)words[row * 128 + k], (int)words[column * 128 + k], sum);
    out[INDEX] = sum;
}

KERNEL(complex_products)
{
    const float4 a = ((const float4 *)in)[INDEX], b = ((const float4 *)words)[INDEX];
    ((float4 *)out)[INDEX] = make_float4(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x,
                                         a.z * b.z - a.w * b.w, a.z * b.w + a.w * b.z);
}

KERNEL(cross_products)
{
    for (int k = 0; k < 4; k++) {
        const int i = (INDEX + k * gridDim.x * blockDim.x) * 3 % (n - 4);
        const float ax = in[i], ay = in[i + 1], az = in[i + 2], bx = in[i + 1], by = in[i + 2],
                    bz = in[i + 3];
        out[i] = ay * bz - az * by, out[i + 1] = az * bx - ax * bz, out[i + 2] = ax * by - ay * bx;
    }
}

KERNEL(small_systems_by_gauss)
{
    float a[6][7];
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 7; c++)
            a[r][c] = in[(r * 7 + c) * 65536 + INDEX] + (r == c ? 4 : 0);
#pragma unroll
    for (int p = 0; p < 6; p++) {
        const float inverse = 1 / a[p][p];
#pragma unroll
        for (int r = 0; r < 6; r++) {
            const float f = r == p ? 0 : a[r][p] * inverse;
#pragma unroll
            for (int c = 0; c < 7; c++)
                a[r][c] -= f * a[p][c];
        }
    }
    for (int r = 0; r < 6; r++)
        out[r * 65536 + INDEX] = a[r][6] / a[r][r];
}

KERNEL(cholesky_in_local_arrays)
{
    float a[12][12];
    const int size = 8 + (words[blockIdx.x] & 4);
    for (int r = 0; r < size; r++)
        for (int c = 0; c <= r; c++)
            a[r][c] = in[(r * 12 + c) * 16384 + INDEX] + (r == c ? 12 : 0);
    for (int c = 0; c < size; c++) {
        for (int k = 0; k < c; k++)
            for (int r = c; r < size; r++)
                a[r][c] -= a[r][k] * a[c][k];
        const float d = sqrtf(a[c][c]);
        for (int r = c; r < size; r++)
            a[r][c] /= d;
    }
    float trace = 0;
    for (int r = 0; r < size; r++)
        trace += a[r][r];
    out[INDEX] = trace;
}

KERNEL(kalman_of_four)
{
    float x[4] = {0}, p[4][4], f[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            p[r][c] = r == c, f[r][c] = r == c ? 1 : c == r + 2 ? 0.1f : 0;
    for (int t = 0; t < 16; t++) {
        float g[4][4], h[4][4];
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                g[r][c] = 0;
                for (int k = 0; k < 4; k++)
                    g[r][c] += f[r][k] * p[k][c];
            }
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                h[r][c] = r == c ? 0.01f : 0;
                for (int k = 0; k < 4; k++)
                    h[r][c] += g[r][k] * f[c][k];
            }
        const float off = in[t * 65536 + INDEX] - x[0], s = h[0][0] + 0.5f;
        for (int r = 0; r < 4; r++) {
            x[r] += h[r][0] / s * off;
            for (int c = 0; c < 4; c++)
                p[r][c] = h[r][c] - h[r][0] * h[0][c] / s;
        }
    }
    out[INDEX] = x[0] + x[3];
}

KERNEL(three_diagonals)
{
    float c[64], d[64];
    c[0] = 0.25f, d[0] = in[INDEX] / 4;
    for (int k = 1; k < 64; k++) {
        const float m = 1 / (4 - c[k - 1]);
        c[k] = m, d[k] = (in[k * 32768 + INDEX] + d[k - 1]) * m;
    }
    float x = d[63];
    for (int k = 62; k >= 0; k--)
        out[k * 32768 + INDEX] = x = d[k] - c[k] * x;
}

KERNEL(cyclic_reduction)
{
    __shared__ float d[256], e[256];
    const int t = threadIdx.x;
    float mine = in[INDEX], off = 0.25f;
    for (int step = 1; step < 256; step *= 2) {
        d[t] = mine, e[t] = off;
        __syncthreads();
        const float left = t >= step ? d[t - step] * e[t - step] : 0;
        const float right = t + step < 256 ? d[t + step] * e[t + step] : 0;
        mine += (left + right) * off, off = off * off / (1 - 2 * off * off);
        __syncthreads();
    }
    out[INDEX] = mine;
}

KERNEL(sparse_ell)
{
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += in[k * 131072 + INDEX] * __ldg(&in[words[k * 131072 + INDEX] & 0xfffff]);
    out[INDEX] = sum;
}

KERNEL(sparse_by_atomics)
{
    for (int i = INDEX; i < n / 2; i += gridDim.x * blockDim.x)
        atomicAdd(&out[words[i] & 0xffff], in[i] * in[words[n / 2 + i] & 0xffff]);
}

KERNEL(jacobi_sweep)
{
    const int x = INDEX & 2047, y = INDEX / 2048;
    if (x > 0 && x < 2047 && y > 0 && y < 2047)
        out[INDEX] = 0.25f * (in[INDEX - 1] + in[INDEX + 1] + in[INDEX - 2048] + in[INDEX + 2048]);
}

KERNEL(softmax_of_rows)
{
    const float4 v = ((const float4 *)in)[blockIdx.x * 256 + threadIdx.x];
    const float4 e = make_float4(expf(v.x), expf(v.y), expf(v.z), expf(v.w));
    const float sum = block_sum_of_8(e.x + e.y + e.z + e.w);
    ((float4 *)out)[blockIdx.x * 256 + threadIdx.x] =
        make_float4(e.x / sum, e.y / sum, e.z / sum, e.w / sum);
}

KERNEL(norm_of_rows)
{
    const float *row = in + blockIdx.x * D;
    float sum = 0, squares = 0;
    for (int k = threadIdx.x; k < D; k += 256)
        sum += row[k], squares += row[k] * row[k];
    const float mean = block_sum_of_8(sum) / D,
                scale = rsqrtf(block_sum_of_8(squares) / D - mean * mean + 1e-5f);
    for (int k = threadIdx.x; k < D; k += 256)
        out[blockIdx.x * D + k] = (row[k] - mean) * scale;
}

KERNEL(gelu_by_tanh)
{
    const float x = in[INDEX] * 4 - 2;
    out[INDEX] = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

KERNEL(adam_step)
{
    float *m = out + n / 4, *v = out + n / 2;
    const float g = in[INDEX], a = m[INDEX] = 0.9f * m[INDEX] + 0.1f * g,
                b = v[INDEX] = 0.999f * v[INDEX] + 0.001f * g * g;
    out[INDEX] -= 0.001f * a / (sqrtf(b) + 1e-8f);
}

KERNEL(layer_3x3_of_8_channels)
{
    __shared__ float weights[8 * 72];
    for (int k = threadIdx.x; k < 576; k += blockDim.x)
        weights[k] = in[k];
    __syncthreads();
    const int x = INDEX & 255, y = INDEX / 256 & 255;
    float sum[8] = {0};
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 9; k++) {
            const int px = x + k % 3 - 1, py = y + k / 3 - 1;
            const float v =
                px >= 0 && px < 256 && py >= 0 && py < 256 ? in[c * 65536 + py * 256 + px] : 0;
#pragma unroll
            for (int o = 0; o < 8; o++)
                sum[o] += v * weights[o * 72 + c * 9 + k];
        }
    for (int o = 0; o < 8; o++)
        out[o * 65536 + (INDEX & 65535)] = fmaxf(sum[o], 0);
}

KERNEL(pool_2x2_and_place)
{
    const int x = INDEX % 1024, y = INDEX / 1024;
    float best = -1;
    int place = 0;
    for (int k = 0; k < 4; k++) {
        const float v = in[(2 * y + k / 2) * 2048 + 2 * x + k % 2];
        if (v > best)
            best = v, place = k;
    }
    out[INDEX] = best, ((int *)out)[n / 2 + INDEX] = place;
}

KERNEL(rows_of_words)
{
    const int row = words[INDEX / 64] & 0x3fff;
    ((float4 *)out)[INDEX] = ((const float4 *)in)[row * 64 + INDEX % 64];
}

KERNEL(attention_of_64_keys)
{
    __shared__ float keys[64][33], values[64][33];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        keys[k / 32][k % 32] = in[blockIdx.x % 64 * 4096 + k],
                         values[k / 32][k % 32] = in[blockIdx.x % 64 * 4096 + 2048 + k];
    float q[32], sum[32] = {0}, total = 0;
    for (int k = 0; k < 32; k++)
        q[k] = in[(INDEX & 0xffff) * 32 + k];
    __syncthreads();
    for (int j = 0; j < 64; j++) {
        float score = 0;
#pragma unroll
        for (int k = 0; k < 32; k++)
            score += q[k] * keys[j][k];
        const float w = __expf(score * 0.1f);
        total += w;
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum[k] += w * values[j][k];
    }
    for (int k = 0; k < 32; k++)
        out[(INDEX & 0xffff) * 32 + k] = sum[k] / total;
}

KERNEL(halves_fused)
{
    const __half2 *a = (const __half2 *)in;
    __half2 sum = __float2half2_rn(0), x = a[INDEX];
    for (int k = 0; k < 64; k++)
        sum = __hfma2(x, sum, a[k & 15]);
    ((__half2 *)out)[INDEX] = sum;
}

int main()
{
    static const public_kernel kernels[] = {
        {"axpy_by_strides", axpy_by_strides, 1056, 256},
        {"matrix_by_vector", matrix_by_vector, 512, 256},
        {"transposed_by_vector", transposed_by_vector, 256, 256},
        {"product_without_tiles", product_without_tiles, 1024, 256},
        {"product_by_16x16_in_double", product_by_16x16_in_double, 256, 256},
        {"product_of_bytes", product_of_bytes, 1024, 256},
        {"complex_products", complex_products, 4096, 256},
        {"cross_products", cross_products, 1365, 256},
        {"small_systems_by_gauss", small_systems_by_gauss, 256, 256},
        {"cholesky_in_local_arrays", cholesky_in_local_arrays, 128, 128},
        {"kalman_of_four", kalman_of_four, 256, 256},
        {"three_diagonals", three_diagonals, 256, 128},
        {"cyclic_reduction", cyclic_reduction, 4096, 256},
        {"sparse_ell", sparse_ell, 512, 256},
        {"sparse_by_atomics", sparse_by_atomics, 1024, 256},
        {"jacobi_sweep", jacobi_sweep, 16384, 256},
        {"softmax_of_rows", softmax_of_rows, 4096, 256},
        {"norm_of_rows", norm_of_rows, 4096, 256},
        {"gelu_by_tanh", gelu_by_tanh, 16384, 256},
        {"adam_step", adam_step, 4096, 256},
        {"layer_3x3_of_8_channels", layer_3x3_of_8_channels, 1024, 256},
        {"pool_2x2_and_place", pool_2x2_and_place, 4096, 256},
        {"rows_of_words", rows_of_words, 4096, 256},
        {"attention_of_64_keys", attention_of_64_keys, 1024, 64},
        {"halves_fused", halves_fused, 8192, 256},
    };
    return measure_all(kernels);
}
