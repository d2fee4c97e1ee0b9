/* Kernels that stream through memory: the five of BabelStream and its versions before, copies of
 * one to sixteen floats a thread, element by element functions, a mesh that is relaxed, loads with
 * a number of products each, and multiply-adds alone. */
#include "others.h"

#include <cuda_fp16.h>

#define INDEX (blockIdx.x * (size_t)blockDim.x + threadIdx.x)

/* BabelStream, version 4: one element a thread, blocks of 1024, events of which the fastest counts.
 */
static __global__ void stream_copy(const double *a, double *c)
{
    c[INDEX] = a[INDEX];
}

static __global__ void stream_mul(double *b, const double *c)
{
    b[INDEX] = 0.4 * c[INDEX];
}

static __global__ void stream_add(const double *a, const double *b, double *c)
{
    c[INDEX] = a[INDEX] + b[INDEX];
}

static __global__ void stream_triad(double *a, const double *b, const double *c)
{
    a[INDEX] = b[INDEX] + 0.4 * c[INDEX];
}

static __global__ void stream_dot(const double *a, const double *b, double *sums, int n)
{
    __shared__ double part[1024];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

template <int which> static void babel(const char *name, size_t n)
{
    device_array<double> a(n), b(n), c(n), sums(256);
    alone(name, n, (which == 2 || which == 3 ? 3.0 : 2.0) * n * sizeof(double), [&] {
        const unsigned blocks = blocks_for(n, 1024);
        if (which == 0)
            stream_copy<<<blocks, 1024>>>(a.p, c.p);
        else if (which == 1)
            stream_mul<<<blocks, 1024>>>(b.p, c.p);
        else if (which == 2)
            stream_add<<<blocks, 1024>>>(a.p, b.p, c.p);
        else if (which == 3)
            stream_triad<<<blocks, 1024>>>(a.p, b.p, c.p);
        else
            stream_dot<<<256, 1024>>>(a.p, b.p, sums.p, (int)n);
    });
}

template <int width> struct alignas(4 * width) floats {
    float of[width];
};

template <int width> static __global__ void copy_wide(const float *in, float *out, size_t n)
{
    const size_t i = INDEX * width;
    if (i >= n)
        return;
    if (n - i < width)
        for (size_t k = i; k < n; k++)
            out[k] = in[k];
    else
        *(floats<width> *)(out + i) = *(const floats<width> *)(in + i);
}

template <int width> static void copy(const char *name, size_t n)
{
    device_array<float> in(n), out(n);
    alone(name, n, 2.0 * n * sizeof(float),
          [&] { copy_wide<width><<<blocks_for(n, 256 * width), 256>>>(in.p, out.p, n); });
}

/* Four elements a thread, blocks of 256, many launches in a row. */
static __global__ void add_fours(const float *__restrict__ a, const float *__restrict__ b,
                                 float *__restrict__ c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    const float4 x = ((const float4 *)a)[i], y = ((const float4 *)b)[i];
    ((float4 *)c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

static __device__ float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

template <bool rectified> static __global__ void activate_fours(const float4 *x, float4 *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    const float4 v = x[i];
    y[i] = rectified ? make_float4(fmaxf(0, v.x), fmaxf(0, v.y), fmaxf(0, v.z), fmaxf(0, v.w))
                     : make_float4(sigmoid(v.x), sigmoid(v.y), sigmoid(v.z), sigmoid(v.w));
}

static void add(const char *name, size_t n)
{
    device_array<float> a(n), b(n), c(n);
    in_a_row(n < 1000000 ? 100 : 1, name, n, 3.0 * n * sizeof(float),
             [&] { add_fours<<<blocks_for(n, 1024), 256>>>(a.p, b.p, c.p, (int)n); });
}

template <bool rectified> static void activate(const char *name, size_t n)
{
    device_array<float> x(n), y(n);
    alone(name, n, 2.0 * n * sizeof(float), [&] {
        activate_fours<rectified>
            <<<blocks_for(n, 1024), 256>>>((const float4 *)x.p, (float4 *)y.p, (int)n);
    });
}

/* Rows of 8192 points of a mesh, in blocks of 32 x 8; each sweep is followed by a copy back.
 * T: a point, or as many as a thread handles. */
static __device__ float quarter_sum(float l, float r, float u, float d)
{
    return 0.25f * (r + l + u + d);
}

static __device__ float relaxed(float, float l, float r, float u, float d)
{
    return quarter_sum(l, r, u, d);
}

static __device__ __half relaxed(__half, __half l, __half r, __half u, __half d)
{
    return __float2half(0.25f) * (r + l + u + d);
}

static __device__ float4 relaxed(float4 c, float4 l, float4 r, float4 u, float4 d)
{
    return make_float4(quarter_sum(l.w, c.y, u.x, d.x), quarter_sum(c.x, c.z, u.y, d.y),
                       quarter_sum(c.y, c.w, u.z, d.z), quarter_sum(c.z, r.x, u.w, d.w));
}

static __device__ __half2 relaxed(__half2 c, __half2 l, __half2 r, __half2 u, __half2 d)
{
    const __half2 sides = __hadd2(__halves2half2(l.y, c.x), __halves2half2(c.y, r.x));
    return __hmul2(__float2half2_rn(0.25f), __hadd2(sides, __hadd2(u, d)));
}

template <class T>
static __global__ void mesh_sweep(int wide, int end, int high, T *out, const T *in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < end && y > 0 && y < high - 1) {
        const T *at = in + y * wide + x;
        out[y * wide + x] = relaxed(*at, at[-1], at[1], at[-wide], at[wide]);
    }
}

template <class T>
static __global__ void mesh_copy(int wide, int end, int high, const T *out, T *in)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < end && y > 0 && y < high - 1)
        in[y * wide + x] = out[y * wide + x];
}

template <class T, class Number, bool back> static void mesh(const char *name, size_t rows)
{
    const int wide = (int)(8192 * sizeof(Number) / sizeof(T)), high = (int)rows;
    const int end = sizeof(T) == sizeof(Number) ? wide - 1 : wide;
    device_array<T> out((size_t)wide * high), in((size_t)wide * high);
    const dim3 blocks(wide / 32, high / 8), threads(32, 8);
    alone(name, rows, 2.0 * rows * 8192 * sizeof(Number), [&] {
        if (back)
            mesh_copy<<<blocks, threads>>>(wide, end, high, out.p, in.p);
        else
            mesh_sweep<<<blocks, threads>>>(wide, end, high, out.p, in.p);
    });
}

/* Each thread loads four times eight numbers a block apart, and squares each PRODUCTS times. */
template <class T, int products> static __global__ void loads_and_products(T seed, T *data)
{
    const size_t first = blockIdx.x * 256 * 8 + threadIdx.x, round = (size_t)gridDim.x * 256 * 8;
    for (int k = 0; k < 4; k++) {
        T v[8], sum = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            v[j] = data[first + j * 256 + k * round];
            for (int i = 0; i < products; i++)
                v[j] = v[j] * v[j] + seed;
        }
#pragma unroll
        for (int j = 0; j < 8; j += 2)
            sum += v[j] * v[j + 1];
        if (sum == (T)-1) /* never */
            data[first + k * round] = sum;
    }
}

template <class T, int products> static void mix(const char *name, size_t n)
{
    device_array<T> data(n);
    alone(name, n, (double)n * sizeof(T), [&] {
        loads_and_products<T, products><<<(unsigned)(n / (256 * 8 * 4)), 256>>>((T)1, data.p);
    });
}

/* 2048 blocks of 256 threads, each with N times 128 dependent multiply-adds. */
static __global__ void multiply_adds(float *x, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    float a = x[i];
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 128; j++)
            a = a * -1.0f - 1.0f;
    x[i] = a;
}

static void arithmetic(const char *name, size_t n)
{
    device_array<float> x(2048 * 256);
    alone(name, n, 2.0 * 128 * n * 2048 * 256, [&] { multiply_adds<<<2048, 256>>>(x.p, (int)n); });
}

int main(int argc, char **argv)
{
    static const other_kernel kernels[] = {
        {"stream_copy", babel<0>},
        {"stream_mul", babel<1>},
        {"stream_add", babel<2>},
        {"stream_triad", babel<3>},
        {"stream_dot", babel<4>},
        {"copy_1", copy<1>},
        {"copy_2", copy<2>},
        {"copy_4", copy<4>},
        {"copy_8", copy<8>},
        {"copy_16", copy<16>},
        {"add_fours", add},
        {"sigmoid_fours", activate<false>},
        {"relu_fours", activate<true>},
        {"mesh_sweep", mesh<float, float, false>},
        {"mesh_copy", mesh<float, float, true>},
        {"mesh_sweep_half", mesh<__half, __half, false>},
        {"mesh_copy_half", mesh<__half, __half, true>},
        {"mesh_sweep_float4", mesh<float4, float, false>},
        {"mesh_copy_float4", mesh<float4, float, true>},
        {"mesh_sweep_half2", mesh<__half2, __half, false>},
        {"mesh_copy_half2", mesh<__half2, __half, true>},
        {"mix_float_0", mix<float, 0>},
        {"mix_float_4", mix<float, 4>},
        {"mix_double_4", mix<double, 4>},
        {"mix_int_4", mix<int, 4>},
        {"multiply_adds", arithmetic},
    };
    return run_wanted(argc, argv, kernels);
}
