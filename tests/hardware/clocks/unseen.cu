/* Kernels with a clock in them as programs have it, none of which the model was fitted to: chains
 * of mixed arithmetic, lists, tables, tiles, reductions, sorts, stencils. */
#include "clocks.h"

#define TIMED_BEGIN                      \
    long long took = 0;                  \
    _Pragma("unroll 1")                  \
    for (int pass = 0; pass < 2; pass++) { \
        __syncthreads();                 \
        long long start = clock64();
#define TIMED_END                        \
        took = clock64() - start;        \
    }                                    \
    if (threadIdx.x == 0)                \
        cycles[0] = took;

__global__ void horner(long long *cycles, float *out, float x)
{
    float y = threadIdx.x;
    TIMED_BEGIN
#pragma unroll
    for (int k = 0; k < 24; k++)
        y = y * x + (0.5f * k);
    out[threadIdx.x] = y;
    TIMED_END
}

__global__ void hash_words(long long *cycles, unsigned *out, unsigned seed, int n)
{
    unsigned h = seed ^ threadIdx.x;
    TIMED_BEGIN
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
    }
    out[threadIdx.x] = h;
    TIMED_END
}

__global__ void fibonacci(long long *cycles, unsigned long long *out, int n)
{
    unsigned long long a = threadIdx.x, b = 1;
    TIMED_BEGIN
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        unsigned long long c = a + b;
        a = b;
        b = c;
    }
    out[threadIdx.x] = a;
    TIMED_END
}

__global__ void newton(long long *cycles, double *out, double of)
{
    double x = 1 + threadIdx.x;
    TIMED_BEGIN
#pragma unroll 1
    for (int k = 0; k < 10; k++)
        x = x * (1.5 - 0.5 * of * x * x);
    out[threadIdx.x] = x;
    TIMED_END
}

__global__ void mandelbrot(long long *cycles, int *out, float cx, float cy)
{
    int n = 0;
    TIMED_BEGIN
    float x = 0, y = 0;
    for (n = 0; n < 100 && x * x + y * y < 4; n++) {
        float t = x * x - y * y + cx + threadIdx.x * 1e-9f;
        y = 2 * x * y + cy;
        x = t;
    }
    out[threadIdx.x] = n;
    TIMED_END
}

__global__ void warp_sum(long long *cycles, float *out, const float *in)
{
    float v = in[threadIdx.x];
    TIMED_BEGIN
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    out[threadIdx.x] = v;
    TIMED_END
}

__global__ void block_sum(long long *cycles, float *out, const float *in)
{
    __shared__ float s[1024];
    TIMED_BEGIN
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[0] = s[0];
    TIMED_END
}

__global__ void scan(long long *cycles, int *out, const int *in)
{
    __shared__ int s[2][256];
    int at = 0;
    s[0][threadIdx.x] = in[threadIdx.x];
    TIMED_BEGIN
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = s[at][threadIdx.x];
        if (threadIdx.x >= d)
            v += s[at][threadIdx.x - d];
        at ^= 1;
        s[at][threadIdx.x] = v;
        __syncthreads();
    }
    out[threadIdx.x] = s[at][threadIdx.x];
    TIMED_END
}

__global__ void tile_product(long long *cycles, float *out, const float *a, const float *b)
{
    __shared__ float s[16][16], t[16][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    s[y][x] = a[threadIdx.x];
    t[y][x] = b[threadIdx.x];
    float sum = 0;
    TIMED_BEGIN
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += s[y][k] * t[k][x];
    __syncthreads();
    out[threadIdx.x] = sum;
    TIMED_END
}

__global__ void bitonic(long long *cycles, int *out, const int *in)
{
    int v = in[threadIdx.x];
    const int lane = threadIdx.x % 32;
    TIMED_BEGIN
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
        for (int d = size / 2; d > 0; d /= 2) {
            int other = __shfl_xor_sync(~0u, v, d);
            bool up = ((lane & size) == 0) == ((lane & d) == 0);
            v = up ? min(v, other) : max(v, other);
        }
    out[threadIdx.x] = v;
    TIMED_END
}

__global__ void binary_search(long long *cycles, int *out, const int *table, int n, int key)
{
    int low = 0, high = n;
    key += threadIdx.x;
    TIMED_BEGIN
    low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (table[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    out[threadIdx.x] = low;
    TIMED_END
}

struct node {
    node *next;
    int value, more[13];
};

__global__ void make_list(node *nodes, int n)
{
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        nodes[k].next = nodes + (k * 5 + 3) % n;
        nodes[k].value = k;
    }
}

__global__ void walk(long long *cycles, int *out, const node *nodes, int steps)
{
    int sum = 0;
    TIMED_BEGIN
    const node *p = nodes;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        sum += p->value;
        p = p->next;
    }
    out[threadIdx.x] = sum;
    TIMED_END
}

__global__ void histogram(long long *cycles, int *out, const int *in, int n)
{
    __shared__ int bins[64];
    TIMED_BEGIN
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        atomicAdd(&bins[in[k] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = bins[threadIdx.x];
    TIMED_END
}

__global__ void stencil(long long *cycles, float *out, const float *in, int n)
{
    TIMED_BEGIN
    for (int k = threadIdx.x + 1; k < n - 1; k += blockDim.x)
        out[k] = 0.25f * in[k - 1] + 0.5f * in[k] + 0.25f * in[k + 1];
    TIMED_END
}

__global__ void copy(long long *cycles, float4 *out, const float4 *in, int n)
{
    TIMED_BEGIN
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        out[k] = in[k];
    TIMED_END
}

__global__ void saxpy(long long *cycles, float *y, const float *x, float a)
{
    TIMED_BEGIN
    y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x];
    TIMED_END
}

__global__ void transpose(long long *cycles, float *out, const float *in)
{
    __shared__ float s[32][33];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    TIMED_BEGIN
    for (int r = y; r < 32; r += 8)
        s[r][x] = in[r * 1024 + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8)
        out[r * 1024 + x] = s[x][r];
    TIMED_END
}

__constant__ float weights[64];

__global__ void filter(long long *cycles, float *out, const float *in, int taps)
{
    TIMED_BEGIN
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < taps; k++)
        sum += weights[k] * in[threadIdx.x + k];
    out[threadIdx.x] = sum;
    TIMED_END
}

__global__ void ticket(long long *cycles, int *out, unsigned *counter)
{
    TIMED_BEGIN
    __shared__ unsigned mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(counter, 1);
    __syncthreads();
    out[threadIdx.x] = mine;
    TIMED_END
}

__global__ void collatz(long long *cycles, int *out, unsigned from)
{
    int n = 0;
    TIMED_BEGIN
    unsigned x = from + threadIdx.x;
    for (n = 0; x != 1 && n < 500; n++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    out[threadIdx.x] = n;
    TIMED_END
}

__global__ void gcd(long long *cycles, unsigned *out, unsigned a, unsigned b)
{
    unsigned g = 0;
    TIMED_BEGIN
    unsigned x = a + threadIdx.x, y = b;
    while (y) {
        unsigned r = x % y;
        x = y;
        y = r;
    }
    g = x;
    out[threadIdx.x] = g;
    TIMED_END
}

__global__ void distances(long long *cycles, float *out, const float4 *in, int n)
{
    const float4 me = in[threadIdx.x];
    float sum = 0;
    TIMED_BEGIN
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        float4 o = in[k];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float d = dx * dx + dy * dy + dz * dz + 0.01f;
        sum += o.w * rsqrtf(d * d * d);
    }
    out[threadIdx.x] = sum;
    TIMED_END
}

int main()
{
    void *a, *b, *o;
    const size_t bytes = 4 << 20;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&o, bytes));
    std::vector<int> ints(bytes / 4);
    for (size_t k = 0; k < ints.size(); k++)
        ints[k] = (int)(k * 3);
    CHECK(cudaMemcpy(a, ints.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0, bytes));
    float *f = (float *)o;
    int *i = (int *)o;
    unsigned *u = (unsigned *)o;
    for (int threads : {32, 256, 1024}) {
        const double x = threads;
        sample("horner", x, 24, [&](long long *c) { horner<<<1, threads>>>(c, f, 0.9f); });
        sample("hash", x, 20, [&](long long *c) { hash_words<<<1, threads>>>(c, u, 7, 20); });
        sample("fibonacci", x, 50, [&](long long *c) { fibonacci<<<1, threads>>>(c, (unsigned long long *)o, 50); });
        sample("newton", x, 10, [&](long long *c) { newton<<<1, threads>>>(c, (double *)o, 2.0); });
        sample("mandelbrot", x, 100, [&](long long *c) { mandelbrot<<<1, threads>>>(c, i, -0.1f, 0.2f); });
        sample("warp_sum", x, 5, [&](long long *c) { warp_sum<<<1, threads>>>(c, f, (float *)b); });
        sample("block_sum", x, threads, [&](long long *c) { block_sum<<<1, threads>>>(c, f, (float *)b); });
        sample("bitonic", x, 15, [&](long long *c) { bitonic<<<1, threads>>>(c, i, (int *)a); });
        sample("binary_search", x, 1 << 16, [&](long long *c) { binary_search<<<1, threads>>>(c, i, (int *)a, 1 << 16, 70000); });
        sample("histogram", x, 4096, [&](long long *c) { histogram<<<1, threads>>>(c, i, (int *)a, 4096); });
        sample("stencil", x, 4096, [&](long long *c) { stencil<<<1, threads>>>(c, f, (float *)b, 4096); });
        sample("copy", x, 4096, [&](long long *c) { copy<<<1, threads>>>(c, (float4 *)o, (float4 *)b, 4096); });
        sample("saxpy", x, 1, [&](long long *c) { saxpy<<<1, threads>>>(c, f, (float *)b, 3); });
        sample("filter", x, 64, [&](long long *c) { filter<<<1, threads>>>(c, f, (float *)b, 64); });
        sample("ticket", x, 1, [&](long long *c) { ticket<<<1, threads>>>(c, i, (unsigned *)b + 4096); });
        sample("collatz", x, 1, [&](long long *c) { collatz<<<1, threads>>>(c, i, 871); });
        sample("gcd", x, 1, [&](long long *c) { gcd<<<1, threads>>>(c, u, 832040, 514229); });
        sample("distances", x, 256, [&](long long *c) { distances<<<1, threads>>>(c, f, (float4 *)b, 256); });
        if (threads == 256) {
            sample("scan", x, 256, [&](long long *c) { scan<<<1, threads>>>(c, i, (int *)a); });
            sample("tile_product", x, 16, [&](long long *c) { tile_product<<<1, threads>>>(c, f, (float *)b, (float *)b); });
            sample("transpose", x, 1024, [&](long long *c) { transpose<<<1, threads>>>(c, f, (float *)b); });
        }
    }
    for (int n : {64, 1024, 32768}) {
        make_list<<<1, 256>>>((node *)a, n);
        sample("walk", n, 100, [&](long long *c) { walk<<<1, 32>>>(c, i, (node *)a, 100); });
    }
    return 0;
}
