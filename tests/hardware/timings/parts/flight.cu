/* What waits: loads under way together, by threads resident and by loads a round; a barrier between
 * loading and storing; tiles that are turned round; blocks with rows in shared memory; chains of
 * arithmetic; warps that part. */
#include "record.h"

/* ROUNDS rounds of EACH loads; a round needs what the one before it read. */
template <class T, int EACH> __global__ void rounds(float *out, const T *in, int turns, size_t step)
{
    extern __shared__ float unused[];
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        T v[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            v[e] = in[at + e * step];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            sum += *(const float *)&v[e];
        at += EACH * step + (sum == 12345.0f);
    }
    if (sum == 12345.0f)
        out[0] = sum + unused[0];
}

/* Load EACH words a thread, wait for the block, store them. */
template <int EACH, bool WAIT> __global__ void staged(float *out, const float *in)
{
    size_t at = (size_t)blockIdx.x * blockDim.x * EACH + threadIdx.x;
    __shared__ float tile[EACH][1024];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        tile[e][threadIdx.x] = in[at + e * blockDim.x];
    if (WAIT)
        __syncthreads();
#pragma unroll
    for (int e = 0; e < EACH; e++)
        out[at + e * blockDim.x] = tile[e][WAIT ? threadIdx.x ^ 32 : threadIdx.x];
}

template <int TILE, int ROWS> __global__ void turned(float *out, const float *in, int width)
{
    __shared__ float tile[TILE][TILE + 1];
    size_t x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int r = 0; r < TILE; r += ROWS)
        out[(y + r) * width + x] = tile[threadIdx.x][threadIdx.y + r];
}

/* A grid-stride loop, one load a turn. */
__global__ void strided_loop(float *__restrict__ out, const float *__restrict__ in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i];
}

__global__ void strided_loop_alias(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i];
}

/* WAYS branches of LENGTH steps each, of which GROUPS a warp are taken. */
template <int WAYS> __global__ void parted(int *out, int lanes, int length)
{
    int t = threadIdx.x, x = t;
#pragma unroll
    for (int way = 0; way < WAYS; way++)
        if (t / lanes % WAYS == way)
            for (int k = 0; k < length; k++)
                x = x * 0x2C1B3C6D + way;
    out[blockIdx.x * blockDim.x + t] = x;
}

__global__ void spin(float *out, int times)
{
    float x = threadIdx.x;
    for (int k = 0; k < times; k++)
        x = 0.99f * x + 0.01f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

template <class T, int EACH> static void flight(const char *what, float *out, const float *in)
{
    const int most = 200 * 1024, turns = 8, waves = 4;
    auto kernel = rounds<T, EACH>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int resident : {1, 2, 4, 8}) {
        unsigned blocks = 132 * resident * waves;
        size_t step = (size_t)blocks * 256, n = step * turns * EACH;
        char name[64];
        snprintf(name, sizeof name, "rounds_%s_%d", what, EACH);
        if (fits(n * sizeof(T) / 4))
            measure(name, resident, n, sizeof(T) * 1.0 * n, [&] {
                kernel<<<blocks, 256, most / resident - 1024>>>(out, (const T *)in, turns, step);
            });
    }
}

template <int TILE, int ROWS> static void turn(const char *name, float *out, const float *in)
{
    for (int width : {1024, 4096, 16384}) {
        size_t n = (size_t)width * width;
        if (fits(n))
            measure(name, width, n, 8.0 * n, [&] {
                dim3 grid(width / TILE, width / TILE), block(TILE, ROWS);
                turned<TILE, ROWS><<<grid, block>>>(out, in, width);
            });
    }
}

int main()
{
    size_t most = (size_t)1 << timings().log2_most;
    device_array<float> in(most + 4096), out(most + 4096);
    flight<float, 1>("4", out.p, in.p);
    flight<float, 2>("4", out.p, in.p);
    flight<float, 4>("4", out.p, in.p);
    flight<float, 8>("4", out.p, in.p);
    flight<float2, 1>("8", out.p, in.p);
    flight<float2, 4>("8", out.p, in.p);
    flight<float4, 1>("16", out.p, in.p);
    flight<float4, 2>("16", out.p, in.p);
    flight<float4, 4>("16", out.p, in.p);
    for (int block : {128, 256, 512, 1024})
        for (int log2 : {22, 24, 28}) {
            size_t n = (size_t)1 << log2;
            char name[64];
            auto run = [&](const char *what, auto kernel, int each) {
                snprintf(name, sizeof name, "staged_%s_%d", what, each);
                if (fits(n))
                    measure(name, block, n, 8.0 * n,
                            [&] { kernel<<<blocks_for(n, block * each), block>>>(out.p, in.p); });
            };
            run("plain", staged<1, false>, 1);
            run("plain", staged<4, false>, 4);
            run("barrier", staged<1, true>, 1);
            run("barrier", staged<4, true>, 4);
        }
    turn<32, 32>("turned_32_32", out.p, in.p);
    turn<32, 8>("turned_32_8", out.p, in.p);
    turn<32, 4>("turned_32_4", out.p, in.p);
    turn<64, 16>("turned_64_16", out.p, in.p);
    turn<64, 8>("turned_64_8", out.p, in.p);
    turn<64, 4>("turned_64_4", out.p, in.p);
    for (int log2 : {22, 24, 28})
        for (int grid : {132, 528, 1056, 4224}) {
            size_t n = (size_t)1 << log2;
            if (!fits(n))
                continue;
            measure("strided_loop", grid, n, 8.0 * n,
                    [&] { strided_loop<<<grid, 256>>>(out.p, in.p, (int)n); });
            measure("strided_loop_alias", grid, n, 8.0 * n,
                    [&] { strided_loop_alias<<<grid, 256>>>(out.p, in.p, (int)n); });
        }
    int *ints = (int *)out.p;
    for (int length : {4, 16, 64})
        for (int lanes : {1, 2, 4, 8, 16, 32}) {
            char name[64];
            size_t n = (size_t)132 * 16 * 256;
            snprintf(name, sizeof name, "parted_2_%d", length);
            measure(name, lanes, n, 0, [&] { parted<2><<<132 * 16, 256>>>(ints, lanes, length); });
            snprintf(name, sizeof name, "parted_8_%d", length);
            measure(name, lanes, n, 0, [&] { parted<8><<<132 * 16, 256>>>(ints, lanes, length); });
        }
    for (int times : {256, 1024, 4096})
        for (int grid : {132, 528, 1056})
            measure("spin", times, (size_t)grid * 256, 0,
                    [&] { spin<<<grid, 256>>>(out.p, times); });
    return 0;
}
