// kernels: what a course runs: copies, stencil, transposes, reductions, histogram, matrix product.
#include "pattern.h"

#define N 20011 /* no multiple of anything */

extern "C" __global__ void copy_float(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}

extern "C" __global__ void copy_float4(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}

extern "C" __global__ void copy_offset(const float *in, float *out, int n, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        out[i] = in[i + offset];
    }
}

extern "C" __global__ void copy_stride(const float *in, float *out, int n, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) {
        out[i] = in[i];
    }
}

extern "C" __global__ void stencil9(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 4;
    if (i + 4 < n) {
        float sum = 0;
        for (int k = -4; k <= 4; k++) {
            sum += in[i + k];
        }
        out[i] = sum;
    }
}

extern "C" __global__ void transpose_naive(const float *in, float *out, int width)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        out[x * width + y + k] = in[(y + k) * width + x];
    }
}

extern "C" __global__ void transpose_tile(const float *in, float *out, int width)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        out[(y + k) * width + x] = tile[threadIdx.x][threadIdx.y + k];
    }
}

extern "C" __global__ void transpose_padded(const float *in, float *out, int width)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        out[(y + k) * width + x] = tile[threadIdx.x][threadIdx.y + k];
    }
}

extern "C" __global__ void reduce_interleaved(const int *in, int *out, int n)
{
    __shared__ int part[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < 256; s *= 2) {
        unsigned at = 2 * s * t;
        if (at < 256) {
            part[at] += part[at + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = part[0];
    }
}

extern "C" __global__ void reduce_sequential(const int *in, int *out, int n)
{
    __shared__ int part[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 128; s > 0; s /= 2) {
        if (t < s) {
            part[t] += part[t + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(out, part[0]);
    }
}

extern "C" __global__ void histogram_global(const int *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&bins[in[i] & 63], 1);
    }
}

extern "C" __global__ void matrix_tiled(const float *a, const float *b, float *c, int width)
{
    __shared__ float ta[16][16], tb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k = 0; k < width; k += 16) {
        ta[ty][tx] = a[row * width + k + tx];
        tb[ty][tx] = b[(k + ty) * width + column];
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            sum += ta[ty][j] * tb[j][tx];
        }
        __syncthreads();
    }
    c[row * width + column] = sum;
}

int main()
{
    static int numbers[N];
    float *in, *out;
    for (int i = 0; i < N; i++) {
        numbers[i] = (int)pattern_random();
    }
    CHECK(cudaMalloc(&in, 128 * 1024));
    CHECK(cudaMalloc(&out, 128 * 1024));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, 128 * 1024));
    const int blocks = (N + 255) / 256;
    copy_float<<<blocks, 256>>>(in, out, N);
    copy_float4<<<(N / 4 + 127) / 128, 128>>>((float4 *)in, (float4 *)out, N / 4);
    copy_offset<<<blocks, 256>>>(in, out, N, 1);
    copy_offset<<<blocks, 256>>>(in, out, N, 8);
    copy_stride<<<blocks, 256>>>(in, out, N, 2);
    copy_stride<<<blocks, 256>>>(in, out, N, 9);
    stencil9<<<(N + 127) / 128, 128>>>(in, out, N);
    transpose_naive<<<dim3(4, 4), dim3(32, 8)>>>(in, out, 128);
    transpose_tile<<<dim3(4, 4), dim3(32, 8)>>>(in, out, 128);
    transpose_padded<<<dim3(4, 4), dim3(32, 8)>>>(in, out, 128);
    reduce_interleaved<<<blocks, 256>>>((int *)in, (int *)out, N);
    reduce_sequential<<<blocks, 256>>>((int *)in, (int *)out, N);
    histogram_global<<<blocks, 256>>>((int *)in, (int *)out, N);
    matrix_tiled<<<dim3(4, 4), dim3(16, 16)>>>(in, in + 4096, out, 64);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
