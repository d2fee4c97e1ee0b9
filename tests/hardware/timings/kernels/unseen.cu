/* Kernels of other kinds than the modelled clock was fitted to. Their times are held against it and
 * nothing in it may be changed to suit them: tests/hardware/timings/run-unseen. This part: sorting, sparse
 * and dense algebra, bodies, pictures, chains. Part two: unseen_more.cu. */
#include "record.h"
#include "unseen_inputs.h"

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>

__global__ void fill_float(float *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = (hash(i) & 0xffff) / 65536.0f;
}

/* Sorting: 2048 keys a block in shared memory. */
__global__ void sort_bitonic(unsigned *keys)
{
    __shared__ unsigned s[2048];
    unsigned t = threadIdx.x, base = blockIdx.x * 2048;
    s[t] = keys[base + t];
    s[t + 1024] = keys[base + t + 1024];
    for (unsigned size = 2; size <= 2048; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned a = 2 * t - (t & (stride - 1)), b = a + stride;
            bool down = (a & size) != 0;
            if (s[a] > s[b] != down) {
                unsigned swap = s[a];
                s[a] = s[b];
                s[b] = swap;
            }
        }
    __syncthreads();
    keys[base + t] = s[t];
    keys[base + t + 1024] = s[t + 1024];
}

/* Sorting without shared memory: a step of odd and even merging over all of global memory. */
__global__ void sort_step(unsigned *keys, unsigned stride, unsigned size)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = 2 * t - (t & (stride - 1)), b = a + stride, x = keys[a], y = keys[b];
    if (x > y != ((a & size) != 0)) {
        keys[a] = y;
        keys[b] = x;
    }
}

/* A thread, sixteen keys of its own in local memory. */
__global__ void sort_insertion(unsigned *keys)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, own[16];
    for (int k = 0; k < 16; k++) {
        unsigned x = hash(i * 16 + k);
        int at = k;
        while (at > 0 && own[at - 1] > x) {
            own[at] = own[at - 1];
            at--;
        }
        own[at] = x;
    }
    keys[i] = own[i & 15];
}

__global__ void sparse_by_thread(float *y, const int *start, const unsigned *column,
                                 const float *value, const float *x, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

__global__ void sparse_by_warp(float *y, const int *start, const unsigned *column,
                               const float *value, const float *x, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}

__global__ void bodies(float4 *out, const float4 *at, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = at[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = at[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = tile[k].w * r * r * r;
            ax += dx * f;
            ay += dy * f;
            az += dz * f;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0);
}

__global__ void mandelbrot(int *out, int width, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.2f + 3.2f * px / width, cy = -1.6f + 3.2f * py / width, x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        k++;
    }
    out[py * width + px] = k;
}

/* Sums of rows of 128 by a warp each. */
__global__ void sum_rows(float *out, const float *in)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float4 v = ((const float4 *)in)[row * 32 + lane];
    float sum = v.x + v.y + v.z + v.w;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0)
        out[row] = sum;
}

/* A matrix of doubles times a vector; and a polynomial of doubles. */
__global__ void times_vector_f64(double *y, const double *a, const double *x, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    double sum = 0;
    for (int k = lane; k < n; k += 32)
        sum += a[(size_t)row * n + k] * x[k];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}

__global__ void polynomial_f64(double *out, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = i * 1e-6, sum = 1;
    for (int k = degree; k > 0; k--)
        sum = 1 + x * sum / k;
    out[i] = sum;
}

/* C = A B of halves, a warp 16 rows by 32 columns, straight from global memory. */
__global__ void multiply_wmma(float *c, const __half *a, const __half *b, int n)
{
    using namespace nvcuda::wmma;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int row = warp / (n / 32) * 16, col = warp % (n / 32) * 32;
    fragment<accumulator, 16, 16, 16, float> sum[2];
    fill_fragment(sum[0], 0.0f);
    fill_fragment(sum[1], 0.0f);
    for (int k = 0; k < n; k += 16) {
        fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
        load_matrix_sync(fa, a + (size_t)row * n + k, n);
        for (int j = 0; j < 2; j++) {
            fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
            load_matrix_sync(fb, b + (size_t)k * n + col + 16 * j, n);
            mma_sync(sum[j], fa, fb, sum[j]);
        }
    }
    for (int j = 0; j < 2; j++)
        store_matrix_sync(c + (size_t)row * n + col + 16 * j, sum[j], n, mem_row_major);
}

/* C = A B of floats: 64 by 64 a block, 4 by 4 a thread. */
__global__ void multiply_4x4(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[16][64], tb[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int e = 0; e < 4; e++) {
            int i = t + 256 * e;
            ta[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
            tb[i / 64][i % 64] = b[(k + i / 64) * n + col + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++)
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    sum[y][x] += ta[j][ty * 4 + y] * tb[j][tx * 4 + x];
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            c[(row + ty * 4 + y) * n + col + tx * 4 + x] = sum[y][x];
}

/* A picture turned by an angle, filtered by the texture unit. */
__global__ void turn_picture(float *out, cudaTextureObject_t picture, int width, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - width / 2.0f, v = y - width / 2.0f;
    out[y * width + x] =
        tex2D<float>(picture, c * u - s * v + width / 2.0f, s * u + c * v + width / 2.0f);
}

__constant__ float mask_of[25];
__global__ void blur_5x5(float *out, const float *in, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; dy++)
#pragma unroll
        for (int dx = -2; dx <= 2; dx++)
            sum += mask_of[(dy + 2) * 5 + dx + 2] *
                   in[min(max(y + dy, 0), width - 1) * width + min(max(x + dx, 0), width - 1)];
    out[y * width + x] = sum;
}

/* Lists in a random order, a list a thread: each load waits for the one before it. */
__global__ void follow_lists(unsigned *out, const unsigned *next, int steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < steps; k++)
        at = next[at];
    out[i] = at;
}

__global__ void search_sorted(unsigned *out, const unsigned *sorted, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = hash(i) % (2 * n), lo = 0, hi = n;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (sorted[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    out[i] = lo;
}

__global__ void fill_sorted(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * i;
}

static void sorting()
{
    const unsigned n = 1 << 20;
    device_array<unsigned> keys(n);
    auto fresh = [&] { fill_hash<<<512, 256>>>(keys.p, n, ~0u); };
    for (unsigned blocks : {64u, 512u}) {
        fresh();
        measure("sort_bitonic", blocks, blocks * 2048, 0,
                [&] { sort_bitonic<<<blocks, 1024>>>(keys.p); });
    }
    for (unsigned stride : {1u, 64u, 65536u}) {
        fresh();
        measure("sort_step", stride, n, 8.0 * n,
                [&] { sort_step<<<n / 512, 256>>>(keys.p, stride, 2 * stride); });
    }
    measure("sort_insertion", -1, 132 * 8 * 128, 0,
            [&] { sort_insertion<<<132 * 8, 128>>>(keys.p); });
}

static void algebra()
{
    const int rows = 1 << 15, most = 64;
    std::vector<int> start(rows + 1);
    for (int r = 0; r < rows; r++)
        start[r + 1] = start[r] + hash(r) % most;
    size_t entries = start[rows];
    device_array<int> starts(rows + 1);
    device_array<unsigned> columns(entries);
    device_array<float> values(entries), x(rows), y(rows);
    CHECK(cudaMemcpy(starts.p, start.data(), (rows + 1) * 4, cudaMemcpyHostToDevice));
    fill_hash<<<512, 256>>>(columns.p, (unsigned)entries, rows - 1);
    fill_float<<<512, 256>>>(values.p, (unsigned)entries);
    measure("sparse_by_thread", -1, entries, 0, [&] {
        sparse_by_thread<<<rows / 256, 256>>>(y.p, starts.p, columns.p, values.p, x.p, rows);
    });
    measure("sparse_by_warp", -1, entries, 0, [&] {
        sparse_by_warp<<<rows / 8, 256>>>(y.p, starts.p, columns.p, values.p, x.p, rows);
    });
    const int n = 512;
    device_array<float> a(1024 * 1024), b(1024 * 1024), c(1024 * 1024);
    for (int size : {n, 1024}) {
        measure("multiply_4x4", size, (size_t)size * size, 0,
                [&] { multiply_4x4<<<dim3(size / 64, size / 64), 256>>>(c.p, a.p, b.p, size); });
        measure("multiply_wmma", size, (size_t)size * size, 0, [&] {
            multiply_wmma<<<size / 16 * (size / 32) / 8, 256>>>(c.p, (__half *)a.p, (__half *)b.p,
                                                                size);
        });
    }
    measure("times_vector_f64", -1, n * n * 2, 8.0 * n * n * 2, [&] {
        times_vector_f64<<<2 * n / 8, 256>>>((double *)c.p, (double *)a.p, (double *)b.p, n);
    });
    measure("sum_rows", -1, 1 << 20, 4.0 * (1 << 20), [&] { sum_rows<<<1024, 256>>>(c.p, a.p); });
    measure("polynomial_f64", 12, 1 << 17, 0,
            [&] { polynomial_f64<<<(1 << 17) / 256, 256>>>((double *)c.p, 12); });
}

static void pictures()
{
    const int width = 1024;
    device_array<float> in(width * width), out(width * width);
    fill_float<<<512, 256>>>(in.p, width * width);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, width));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in.p, width * 4, width * 4, width,
                              cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    dim3 grid(width / 32, width / 8), block(32, 8);
    for (int degrees : {0, 30, 90})
        measure("turn_picture", degrees, width * width, 0, [&] {
            turn_picture<<<grid, block>>>(out.p, texture, width, cosf(degrees * 0.0174533f),
                                          sinf(degrees * 0.0174533f));
        });
    measure("blur_5x5", -1, width * width, 0,
            [&] { blur_5x5<<<grid, block>>>(out.p, in.p, width); });
    measure("mandelbrot", 256, 512 * 512, 0,
            [&] { mandelbrot<<<dim3(16, 64), block>>>((int *)out.p, 512, 256); });
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

int main()
{
    sorting();
    algebra();
    pictures();
    device_array<float4> at(8192), to(8192);
    for (int n : {2048, 8192})
        measure("bodies", n, (size_t)n, 0, [&] { bodies<<<n / 256, 256>>>(to.p, at.p, n); });

    const unsigned words = 1 << 22;
    device_array<unsigned> next(words), out(1 << 20);
    fill_hash<<<512, 256>>>(next.p, words, words - 1);
    for (unsigned threads : {1u << 10, 1u << 18})
        measure("follow_lists", threads, threads, 0,
                [&] { follow_lists<<<threads / 128, 128>>>(out.p, next.p, 32); });
    fill_sorted<<<words / 256, 256>>>(next.p);
    for (unsigned n : {1u << 12, words})
        measure("search_sorted", n, 1 << 18, 0,
                [&] { search_sorted<<<1024, 256>>>(out.p, next.p, n); });
    return 0;
}
