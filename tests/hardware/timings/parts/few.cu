/* Few SMs: what one SM reads, writes and copies, by bytes under way, by how many SMs do the same,
 * and by how much memory each goes through. */
#include "record.h"

/* Each block reads BYTES from its own place, APART bytes from its neighbour's; EACH loads a thread
 * are under way together. */
template <class T, int EACH>
__global__ void few_reads(float *out, const T *in, size_t bytes, size_t apart)
{
    const T *from = (const T *)((const char *)in + blockIdx.x * apart);
    const int n = (int)(bytes / sizeof(T));
    float sum = 0;
#pragma unroll 1
    for (int k = threadIdx.x; k < n; k += EACH * blockDim.x) {
        T v[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            v[e] = from[k + e * blockDim.x];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            sum += *(const float *)&v[e];
    }
    if (sum == 12345.0f)
        out[0] = sum;
}

template <class T> __global__ void few_writes(T *out, T value, size_t bytes, size_t apart)
{
    T *to = (T *)((char *)out + blockIdx.x * apart);
    const int n = (int)(bytes / sizeof(T));
#pragma unroll 1
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        to[k] = value;
}

template <class T, int EACH>
__global__ void few_copies(T *out, const T *in, size_t bytes, size_t apart)
{
    const T *from = (const T *)((const char *)in + blockIdx.x * apart);
    T *to = (T *)((char *)out + blockIdx.x * apart);
    const int n = (int)(bytes / sizeof(T));
#pragma unroll 1
    for (int k = threadIdx.x; k < n; k += EACH * blockDim.x) {
        T v[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            v[e] = from[k + e * blockDim.x];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            to[k + e * blockDim.x] = v[e];
    }
}

/* One lane copies, with what it has just written perhaps read again, or not. */
__global__ void lane_copies(float *out, const float *in, int n, int step)
{
    if (threadIdx.x == 0)
        for (int k = 0; k < n; k++)
            out[k * step] = in[k * step] * 2;
}

__global__ void lane_copies_apart(float *__restrict__ out, const float *__restrict__ in, int n,
                                  int step)
{
    if (threadIdx.x == 0)
        for (int k = 0; k < n; k++)
            out[k * step] = in[k * step] * 2;
}

__global__ void lane_reads(float *out, const volatile float *in, int n, int step)
{
    float sum = 0;
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int k = 0; k < n; k++)
            sum += in[k * step];
    out[threadIdx.x] = sum;
}

static const size_t KB = 1 << 10, MB = 1 << 20;

template <class T, int EACH>
static void reads(const char *what, float *out, const float *in, size_t each, size_t apart,
                  int threads)
{
    for (int blocks : {1, 2, 4, 8, 16, 33, 66, 132})
        if (blocks * apart <= 1024 * MB) {
            char name[96];
            snprintf(name, sizeof name, "reads_%s_%d.%d.%zuK.%zuK", what, EACH, threads, each / KB,
                     apart / KB);
            measure(name, blocks, blocks * each / 4, (double)blocks * each, [&] {
                few_reads<T, EACH><<<blocks, threads>>>(out, (const T *)in, each, apart);
            });
        }
}

template <class T> static void writes(const char *what, float *out, size_t each, int threads)
{
    for (int blocks : {1, 8, 33, 132})
        if (blocks * each <= 1024 * MB) {
            char name[96];
            snprintf(name, sizeof name, "writes_%s.%d.%zuK", what, threads, each / KB);
            measure(name, blocks, blocks * each / 4, (double)blocks * each,
                    [&] { few_writes<T><<<blocks, threads>>>((T *)out, T(), each, each); });
        }
}

template <class T, int EACH>
static void copies(const char *what, float *out, const float *in, size_t each, int threads)
{
    for (int blocks : {1, 8, 33, 132})
        if (blocks * each <= 1024 * MB) {
            char name[96];
            snprintf(name, sizeof name, "copies_%s_%d.%d.%zuK", what, EACH, threads, each / KB);
            measure(name, blocks, blocks * each / 4, 2.0 * blocks * each, [&] {
                few_copies<T, EACH><<<blocks, threads>>>((T *)out, (const T *)in, each, each);
            });
        }
}

int main()
{
    device_array<float> in(256 * MB + 4096), out(256 * MB + 4096);
    for (size_t each : {256 * KB, 1 * MB, 2 * MB, 4 * MB, 8 * MB, 16 * MB, 32 * MB, 128 * MB})
        reads<float, 4>("4", out.p, in.p, each, each, 256);
    for (size_t apart : {1 * MB + 8 * KB, 4 * MB, 4 * MB + 64 * KB, 8 * MB})
        reads<float, 4>("4", out.p, in.p, 1 * MB, apart, 256);
    for (int threads : {32, 128, 512, 1024}) {
        reads<float, 4>("4", out.p, in.p, 256 * KB, 256 * KB, threads);
        reads<float4, 1>("16", out.p, in.p, 256 * KB, 256 * KB, threads);
        reads<float4, 4>("16", out.p, in.p, 256 * KB, 256 * KB, threads);
        reads<float4, 4>("16", out.p, in.p, 8 * MB, 8 * MB, threads);
    }
    for (int threads : {32, 256, 1024})
        for (size_t each : {256 * KB, 4 * MB, 64 * MB}) {
            writes<float>("4", out.p, each, threads);
            writes<float4>("16", out.p, each, threads);
        }
    for (int threads : {128, 512, 1024})
        for (size_t each : {256 * KB, 2 * MB, 8 * MB, 16 * MB, 32 * MB, 128 * MB}) {
            copies<float, 1>("4", out.p, in.p, each, threads);
            copies<float4, 1>("16", out.p, in.p, each, threads);
            if (each < 4 * MB)
                copies<float4, 4>("16", out.p, in.p, each, threads);
        }
    for (int step : {1, 2, 8, 32}) {
        measure("lane_copies", step, 4096, 0,
                [&] { lane_copies<<<1, 32>>>(out.p, in.p, 4096, step); });
        measure("lane_copies_apart", step, 4096, 0,
                [&] { lane_copies_apart<<<1, 32>>>(out.p, in.p, 4096, step); });
        measure("lane_reads", step, 4096, 0,
                [&] { lane_reads<<<1, 32>>>(out.p, in.p, 4096, step); });
    }
    return 0;
}
