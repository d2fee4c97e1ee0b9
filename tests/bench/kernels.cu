// The kernels of `make bench`: what the chapters' labs do, and what other programs ask for most.

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float *p = in + i;
        out[i] = 0.05f * p[0] + 0.1f * p[1] + 0.12f * p[2] + 0.14f * p[3] + 0.18f * p[4] +
                 0.14f * p[5] + 0.12f * p[6] + 0.1f * p[7] + 0.05f * p[8];
    }
}

extern "C" __global__ void fma_loop(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float a = in[i], b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 1
        for (int k = 0; k < 256; k += 4) {
            a = a * 0.999f + 0.5f;
            b = b * 0.999f + 0.5f;
            c = c * 0.999f + 0.5f;
            d = d * 0.999f + 0.5f;
        }
        out[i] = a + b + c + d;
    }
}

extern "C" __global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) {
            part[threadIdx.x] += part[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = part[0];
    }
}

#define TILE 16
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}

#define SIDE 1024
extern "C" __global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * SIDE + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        out[(y + j) * SIDE + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

extern "C" __global__ void histogram(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned bin[256];
    bin[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bin[(in[i] + i * 2654435761u) >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bin[threadIdx.x]);
}

extern "C" __global__ void nbody(const float4 *body, float4 *out, int n)
{
    __shared__ float4 part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < n; from += blockDim.x) {
        part[threadIdx.x] = body[from + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            const float dx = part[j].x - me.x, dy = part[j].y - me.y, dz = part[j].z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float s = part[j].w * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void mandelbrot(const int *unused, int *out, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = x * 3.0f / width - 2.25f, cy = y * 2.5f / width - 1.25f;
    float zx = 0, zy = 0;
    int k = 0;
    for (; k < 256 && zx * zx + zy * zy < 4; k++) {
        const float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
    }
    out[y * width + x] = k;
}

// One word of every 128 bytes.
extern "C" __global__ void strided(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * 32] + in[i * 32 + 8];
    }
}

// Words from anywhere in 4 MB.
extern "C" __global__ void gather(const float *in, float *out, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4 && i < n; k++) {
        sum += in[(i * 4 + k) * 2654435761u >> 12];
    }
    out[i] = sum;
}

extern "C" __global__ void atomics(const unsigned *in, unsigned *out, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&out[i * 2654435761u >> 22], in[i] + 1);
    }
}

// The same on 256 words, and on 4 million.
extern "C" __global__ void few_words(const unsigned *in, unsigned *out, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&out[i * 2654435761u >> 24], in[i] + 1);
    }
}

extern "C" __global__ void many_words(const unsigned *in, unsigned *out, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&out[i * 2654435761u >> 10], in[i] + 1);
    }
}

// A sorting network in shared memory: 512 numbers a block.
extern "C" __global__ void bitonic(const unsigned *in, unsigned *out)
{
    __shared__ unsigned key[512];
    const unsigned t = threadIdx.x, from = blockIdx.x * 512;
    key[t] = (in[from + t] + t) * 2654435761u;
    key[t + 256] = (in[from + t + 256] + t + 256) * 2654435761u;
    for (unsigned size = 2; size <= 512; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const unsigned a = 2 * t - (t & (step - 1)), b = a + step;
            const unsigned x = key[a], y = key[b];
            if ((x > y) == ((a & size) == 0)) {
                key[a] = y;
                key[b] = x;
            }
        }
    }
    __syncthreads();
    out[from + t] = key[t];
    out[from + t + 256] = key[t + 256];
}

// Loops of very different length side by side.
extern "C" __global__ void collatz(const int *unused, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = i + 1;
        int steps = 0;
        while (v != 1) {
            v = v % 2 ? 3 * v + 1 : v / 2;
            steps++;
        }
        out[i] = steps;
    }
}

// What a launch costs, and what a thread costs from few to many.
extern "C" __global__ void empty() {}

extern "C" __global__ void scale(float *p)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) & 0xfffff;
    p[i] = p[i] * 0.5f + 1;
}

// --- what only CUDA has: tests/bench/compare leaves it out ---
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void scan_shuffle(const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int v = i < n ? in[i] : 0;
    for (int by = 1; by < 32; by *= 2) {
        const int left = __shfl_up_sync(0xffffffff, v, by);
        v += lane >= by ? left : 0;
    }
    int sum = v;
    for (int by = 16; by > 0; by /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, by);
    }
    if (i < n) {
        out[i] = v + sum;
    }
}

extern "C" __global__ void doubles(const double *in, double *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = in[i], b = a + 1;
#pragma unroll 1
        for (int k = 0; k < 64; k += 2) {
            a = a * 0.999 + 0.5;
            b = b * 0.999 + a;
        }
        out[i] = a + b;
    }
}

extern "C" __global__ void halves(const __half2 *in, __half2 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const __half2 c = __float2half2_rn(0.999f), d = __float2half2_rn(0.5f);
        __half2 a = in[i], b = __hadd2(a, d);
#pragma unroll 1
        for (int k = 0; k < 64; k += 2) {
            a = __hfma2(a, c, d);
            b = __hfma2(b, c, a);
        }
        out[i] = __hadd2(a, b);
    }
}

// A warp's 16 x 16 tile of a product of halves.
extern "C" __global__ void tensor_matmul(const __half *a, const __half *b, float *c, int n)
{
    using namespace nvcuda::wmma;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int row = warp / (n / 16) * 16, col = warp % (n / 16) * 16;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(fa, a + row * n + k, n);
        load_matrix_sync(fb, b + k * n + col, n);
        mma_sync(sum, fa, fb, sum);
    }
    store_matrix_sync(c + row * n + col, sum, n, mem_row_major);
}

// Waits of a hundred thousand cycles.
extern "C" __global__ void watch_clock(const int *unused, int *out, int n)
{
    const long long start = clock64();
    while (clock64() - start < 100000) {
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

#include <cuda/barrier>
#include <cuda/ptx>
#pragma nv_diag_suppress static_var_with_dynamic_init

// Half of the warps fill two parts of a buffer in turn, the others empty them: N / 256 parts a block.
extern "C" __global__ void producer_consumer(const float *in, float *out, int n)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ float part[2][256];
    __shared__ barrier ready[2], filled[2];
    const int t = threadIdx.x % 128;
    if (threadIdx.x < 2) {
        init(&ready[threadIdx.x], 256);
        init(&filled[threadIdx.x], 256);
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        for (int k = 0; k < n / 256; k++) {
            ready[k % 2].arrive_and_wait();
            part[k % 2][t] = in[blockIdx.x * n + k * 256 + t];
            part[k % 2][t + 128] = in[blockIdx.x * n + k * 256 + t + 128];
            (void)filled[k % 2].arrive();
        }
    } else {
        float sum = 0;
        (void)ready[0].arrive(), (void)ready[1].arrive();
        for (int k = 0; k < n / 256; k++) {
            filled[k % 2].arrive_and_wait();
            sum = sum * 0.5f + part[k % 2][t] + part[k % 2][t + 128];
            (void)ready[k % 2].arrive();
        }
        out[blockIdx.x * 128 + t] = sum;
    }
}

// A thread fetches tiles by bulk copies, four of them ahead, and one stores what all have made of them.
extern "C" __global__ void bulk_copies(const float *in, float *out, int n)
{
    namespace ptx = cuda::ptx;
    enum { TILES = 4, BYTES = 1024 };
    __shared__ alignas(16) float tile[TILES][256], done[256];
    __shared__ uint64_t full[TILES];
    const int first = blockIdx.x * n;
    if (threadIdx.x == 0) {
        for (int k = 0; k < TILES; k++)
            ptx::mbarrier_init(&full[k], 1);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    for (int k = 1 - TILES; k < n / 256; k++) {
        const int s = (k + TILES - 1) % TILES, next = first + (k + TILES - 1) * 256;
        if (threadIdx.x == 0 && k + TILES - 1 < n / 256) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[s], BYTES);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], in + next, BYTES,
                               &full[s]);
        }
        if (k < 0)
            continue;
        while (!ptx::mbarrier_try_wait_parity(&full[k % TILES], k / TILES % 2)) {
        }
        done[threadIdx.x] = tile[k % TILES][threadIdx.x] * 0.5f + 1;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + first + k * 256, done,
                               BYTES);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
    }
}
