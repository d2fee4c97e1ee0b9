/* Kernels that the modelled clock was not fitted to, part two: random places, atomics, waiting,
 * divergence, narrow words, transforms, and a few calls of the host's. See unseen.cu. */
#include "record.h"
#include "unseen_inputs.h"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

__global__ void gather(float *out, const float *in, const unsigned *index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

__global__ void scatter(float *out, const float *in, const unsigned *index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = in[i];
}

/* Most of the values fall into few bins. */
__global__ void histogram_shared(unsigned *out, const unsigned *in, unsigned n, unsigned bins)
{
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&count[in[i] & (bins - 1)], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}

__global__ void insert_keys(unsigned *table, unsigned mask)
{
    unsigned key = hash(blockIdx.x * blockDim.x + threadIdx.x) | 1, at = key & mask;
    for (int k = 0; k < 8; k++) {
        unsigned was = atomicCAS(&table[at], 0, key);
        if (was == 0 || was == key)
            return;
        at = (at + 1) & mask;
    }
}

__global__ void dot_f64(double *out, const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

/* Jacobi's method on a rod, the grid in step. */
__global__ void relax_together(float *a, float *b, int n, int times)
{
    cooperative_groups::grid_group all = cooperative_groups::this_grid();
    for (int k = 0; k < times; k++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x + 1; i < n - 1;
             i += gridDim.x * blockDim.x)
            b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        all.sync();
        float *swap = a;
        a = b;
        b = swap;
    }
}

__global__ void scan_in_block(int *out, const int *in)
{
    __shared__ int s[2][1024];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        s[1 - now][t] = s[now][t] + (t >= step ? s[now][t - step] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = s[now][t];
}

__global__ void collatz(int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = i + 1;
    int k = 0;
    while (x != 1 && k < 400) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        k++;
    }
    out[i] = k;
}

__global__ void spread_work(float *out, int most)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int turns = hash(i) % most;
    float x = i;
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 1;
    out[i] = x;
}

__global__ void black_scholes(float *call, const float *price, const float *strike)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = price[i] + 1, x = strike[i] + 2, t = 0.5f, r = 0.02f, v = 0.3f;
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * sqrtf(t)), d2 = d1 - v * sqrtf(t);
    call[i] = s * normcdff(d1) - x * expf(-r * t) * normcdff(d2);
}

__global__ void random_walk(unsigned *out, int times)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1, sum = 0;
    for (int k = 0; k < times; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        sum += x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Pictures of bytes to grey floats and back; structures of twelve bytes. */
__global__ void grey(unsigned char *out, const uchar3 *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar3 p = in[i];
    out[i] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}

struct particle {
    float x, v, m;
};
__global__ void move_particles(particle *p, float dt)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += p[i].v * dt / p[i].m;
}

/* A checksum over bytes by a table in shared memory. */
__global__ void checksum(unsigned *out, const unsigned char *text, int each)
{
    __shared__ unsigned table[256];
    table[threadIdx.x] = hash(threadIdx.x);
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = ~0u;
    for (int k = 0; k < each; k++)
        sum = table[(sum ^ text[i * each + k]) & 255] ^ sum >> 8;
    out[i] = sum;
}

__global__ void life(unsigned char *out, const unsigned char *in, int width)
{
    __shared__ unsigned char s[18][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int dy = threadIdx.y; dy < 18; dy += 16)
        for (int dx = threadIdx.x; dx < 34; dx += 32)
            s[dy][dx] = in[((blockIdx.y * 16 + dy + width - 1) & (width - 1)) * width +
                           ((blockIdx.x * 32 + dx + width - 1) & (width - 1))];
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++)
            sum += s[threadIdx.y + dy][threadIdx.x + dx];
    out[y * width + x] = sum == 3 || (sum == 4 && s[threadIdx.y + 1][threadIdx.x + 1]);
}

/* Fourier transforms of 1024 points a block. */
__global__ void fourier(float2 *data)
{
    __shared__ float2 s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    for (int i = t; i < 1024; i += 512)
        s[__brev(i) >> 22] = data[base + i];
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
        int at = t % half, a = t / half * 2 * half + at, b = a + half;
        float sine, cosine;
        __sincosf(-3.14159265f * at / half, &sine, &cosine);
        float2 u = s[a], v = s[b];
        float2 w = make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
        s[a] = make_float2(u.x + w.x, u.y + w.y);
        s[b] = make_float2(u.x - w.x, u.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < 1024; i += 512)
        data[base + i] = s[i];
}

/* Few blocks to an SM, for the shared memory that each has. */
__global__ void roomy(float *out, const float *in, int words)
{
    extern __shared__ float s[];
    float sum = 0;
    for (int k = 0; k < words; k += blockDim.x) {
        s[k + threadIdx.x] = in[(size_t)blockIdx.x * words + k + threadIdx.x];
    }
    __syncthreads();
    for (int k = 0; k < words; k += blockDim.x)
        sum += s[words - 1 - k - threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* cp.async, two stages ahead. */
__global__ void piped(float *out, const float *in, int turns)
{
    __shared__ float4 s[3][256];
    const float4 *from = (const float4 *)in + (size_t)blockIdx.x * 256 * turns + threadIdx.x;
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][threadIdx.x], from + 256 * k, 16);
        __pipeline_commit();
    }
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        if (k + 2 < turns)
            __pipeline_memcpy_async(&s[(k + 2) % 3][threadIdx.x], from + 256 * (k + 2), 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        float4 v = s[k % 3][threadIdx.x ^ 1];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void one_step(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] * 0.5f + 1;
}

static void launches(float *a)
{
    const int n = 1 << 16;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 20; k++)
        one_step<<<n / 256, 256, 0, stream>>>(a, n);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    measure("steps_launched", 20, n, 0, [&] {
        for (int k = 0; k < 20; k++)
            one_step<<<n / 256, 256>>>(a, n);
    });
    measure("steps_in_graph", 20, n, 0, [&] { CHECK(cudaGraphLaunch(exec, 0)); });
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    const unsigned n = 1 << 20;
    device_array<float> a(1 << 24), b(1 << 24);
    device_array<unsigned> index(n), counts(1 << 21);
    for (unsigned span : {1u << 12, 1u << 18, 1u << 24}) {
        fill_hash<<<512, 256>>>(index.p, n, span - 1);
        measure("gather", span, n, 0, [&] { gather<<<n / 256, 256>>>(b.p, a.p, index.p); });
        measure("scatter", span, n, 0, [&] { scatter<<<n / 256, 256>>>(b.p, a.p, index.p); });
    }
    for (unsigned bins : {2u, 16u, 256u})
        measure("histogram_shared", bins, n, 0,
                [&] { histogram_shared<<<264, 256>>>(counts.p, index.p, n, bins); });
    measure("insert_keys", -1, n, 0, [&] {
        CHECK(cudaMemsetAsync(counts.p, 0, 4 << 21));
        insert_keys<<<n / 256, 256>>>(counts.p, (1 << 21) - 1);
    });
    measure("dot_f64", -1, n, 16.0 * n,
            [&] { dot_f64<<<264, 256>>>((double *)counts.p, (double *)a.p, (double *)b.p, n); });
    for (int times : {4, 20}) {
        int size = 1 << 18;
        void *arguments[] = {&a.p, &b.p, &size, &times};
        measure("relax_together", times, size, 0, [&] {
            CHECK(cudaLaunchCooperativeKernel((void *)relax_together, 264, 256, arguments, 0, 0));
        });
    }
    measure("scan_in_block", -1, n, 8.0 * n,
            [&] { scan_in_block<<<n / 1024, 1024>>>((int *)b.p, (int *)index.p); });
    measure("collatz", -1, 1 << 17, 0, [&] { collatz<<<(1 << 17) / 256, 256>>>((int *)b.p); });
    measure("spread_work", -1, 1 << 19, 0,
            [&] { spread_work<<<(1 << 19) / 256, 256>>>(b.p, 200); });
    measure("black_scholes", -1, n, 12.0 * n,
            [&] { black_scholes<<<n / 256, 256>>>(b.p, a.p, a.p + n); });
    measure("random_walk", 64, 1 << 19, 0,
            [&] { random_walk<<<(1 << 19) / 256, 256>>>((unsigned *)b.p, 64); });
    measure("grey", -1, n, 4.0 * n,
            [&] { grey<<<n / 256, 256>>>((unsigned char *)b.p, (uchar3 *)a.p); });
    measure("move_particles", -1, n, 16.0 * n,
            [&] { move_particles<<<n / 256, 256>>>((particle *)b.p, 0.01f); });
    measure("checksum", 64, 1 << 16, 0,
            [&] { checksum<<<256, 256>>>(counts.p, (unsigned char *)a.p, 64); });
    measure("life", -1, n, 2.0 * n, [&] {
        life<<<dim3(32, 64), dim3(32, 16)>>>((unsigned char *)b.p, (unsigned char *)a.p, 1024);
    });
    measure("fourier", -1, n, 16.0 * n, [&] { fourier<<<n / 1024, 512>>>((float2 *)b.p); });
    CHECK(cudaFuncSetAttribute(roomy, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int kib : {48, 192})
        measure("roomy", kib, 264 * kib * 256, 4.0 * 264 * kib * 256,
                [&] { roomy<<<264, 256, kib << 10>>>(b.p, a.p, kib * 256); });
    for (int turns : {4, 32})
        measure("piped", turns, 264 * turns * 1024, 4.0 * 264 * turns * 1024,
                [&] { piped<<<264, 256>>>(b.p, a.p, turns); });
    launches(a.p);
    return 0;
}
