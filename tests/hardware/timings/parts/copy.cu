/* Copies: by width, by block size, by resident threads, strided reads; reads and fills alone. */
#include "record.h"

__global__ void copy_float(float *out, const float *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void copy_float4(float4 *out, const float4 *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void copy_strided(float *out, const float *in, size_t n, int stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * stride];
}

__global__ void copy_shifted(float *out, const float *in, size_t n, int shift)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + shift];
}

__global__ void copy_resident(float *out, const float *in, size_t n)
{
    extern __shared__ float unused[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n == 0)
        unused[threadIdx.x] = 0;
    if (i < n)
        out[i] = in[i];
}

__global__ void fill(float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 1;
}

/* Reads only: the store happens never, and the compiler cannot know. */
__global__ void read_float4(float *out, const float4 *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        if (v.x + v.y + v.z + v.w == 12345.0f)
            out[i] = v.x;
    }
}

/* PASSES times over N float4, by blocks that start at other places each time: what L2 delivers. */
__global__ void read_passes(float *out, const float4 *in, size_t n, int passes)
{
    float sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (int pass = 0; pass < passes; pass++) {
        size_t block = (blockIdx.x + (size_t)pass * 37) % gridDim.x;
        for (size_t i = block * blockDim.x + threadIdx.x; i < n; i += step) {
            float4 v = __ldcg(&in[i]);
            sum += v.x + v.y + v.z + v.w;
        }
    }
    if (sum == 12345.0f)
        out[0] = sum;
}

int main()
{
    size_t most = (size_t)1 << timings().log2_most;
    device_array<float> in(most + 64), out(most + 64);
    for (int log2 : {16, 18, 20, 21, 22, 23, 24, 25, 26, 28}) {
        size_t n = (size_t)1 << log2;
        if (!fits(n))
            continue;
        unsigned blocks = blocks_for(n, 256), blocks4 = blocks_for(n / 4, 256);
        measure("copy_float", -1, n, 8.0 * n, [&] { copy_float<<<blocks, 256>>>(out.p, in.p, n); });
        measure("copy_float4", -1, n, 8.0 * n, [&] {
            copy_float4<<<blocks4, 256>>>((float4 *)out.p, (const float4 *)in.p, n / 4);
        });
        measure("read_float4", -1, n, 4.0 * n,
                [&] { read_float4<<<blocks4, 256>>>(out.p, (const float4 *)in.p, n / 4); });
        measure("fill", -1, n, 4.0 * n, [&] { fill<<<blocks, 256>>>(out.p, n); });
    }
    for (int log2 : {24, 28}) {
        size_t n = (size_t)1 << log2;
        if (!fits(n))
            continue;
        for (int block : {32, 64, 128, 512, 1024}) {
            measure("copy_float_block", block, n, 8.0 * n,
                    [&] { copy_float<<<blocks_for(n, block), block>>>(out.p, in.p, n); });
            measure("copy_float4_block", block, n, 8.0 * n, [&] {
                copy_float4<<<blocks_for(n / 4, block), block>>>((float4 *)out.p,
                                                                 (const float4 *)in.p, n / 4);
            });
        }
    }
    for (int log2 : {22, 24, 26}) {
        size_t n = (size_t)1 << log2;
        for (int stride : {1, 2, 4, 8, 16, 32}) {
            if (!fits(n) || !fits(n * stride / 8))
                continue;
            device_array<float> wide(n * stride);
            measure("copy_stride", stride, n, 8.0 * n,
                    [&] { copy_strided<<<blocks_for(n, 256), 256>>>(out.p, wide.p, n, stride); });
        }
        for (int shift : {0, 1, 2, 4, 8, 16, 31})
            if (fits(n))
                measure("copy_shift", shift, n, 8.0 * n,
                        [&] { copy_shifted<<<blocks_for(n, 256), 256>>>(out.p, in.p, n, shift); });
    }
    /* 8 blocks of 256 threads fill an SM; shared memory leaves room for fewer. */
    CHECK(cudaFuncSetAttribute(copy_resident, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               200 * 1024));
    for (int resident : {1, 2, 3, 4, 6, 8}) {
        size_t n = (size_t)1 << 24, shared = 200 * 1024 / resident;
        if (fits(n))
            measure("copy_resident_blocks", resident, n, 8.0 * n,
                    [&] { copy_resident<<<blocks_for(n, 256), 256, shared>>>(out.p, in.p, n); });
    }
    for (int log2 : {18, 20, 22, 23, 24, 25, 26}) { /* 1 MiB to 256 MiB */
        size_t n = (size_t)1 << log2;
        int passes = 32;
        if (fits(n) && (!timings().emulated || log2 <= 20))
            measure("read_passes", 4.0 * n, n, 4.0 * n * passes, [&] {
                read_passes<<<1056, 256>>>(out.p, (const float4 *)in.p, n / 4, passes);
            });
    }
    return 0;
}
