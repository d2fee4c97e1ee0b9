/* Kernels whose blocks, warps or lanes do unlike amounts of work, part two: nothing in the modelled
 * clock is fitted to these. Triangles of matrices, lists of work, searches, bins, loops of a grid
 * with few blocks. See uneven.cu and tests/hardware/timings/run-uneven. */
#include "record.h"
#include "unseen_inputs.h"

/* y = L x for a lower triangle: a row a thread, a warp, a block. */
__global__ void lower_by_thread(float *y, const float *a, const float *x, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= row; k++)
        sum += a[(size_t)k * n + row] * x[k];
    y[row] = sum;
}

__global__ void lower_by_warp(float *y, const float *a, const float *x, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k <= row; k += 32)
        sum += a[(size_t)row * n + k] * x[k];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}

/* L x = b, forwards: one block, a barrier a row. */
__global__ void solve_lower(float *x, const float *a, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = t;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (t > k && t < n)
            s[t] -= a[k * 1024 + t] * s[k];
    }
    x[t] = s[t];
}

/* The first warp of a block adds up what the others have left in shared memory. */
__global__ void sum_by_first_thread(float *out, const float *in, int each)
{
    __shared__ float s[512];
    float sum = 0;
    for (int k = 0; k < each; k++)
        sum += in[(blockIdx.x * each + k) * 512 + threadIdx.x];
    s[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 512; k++)
            sum += s[k];
        out[blockIdx.x] = sum;
    }
}

__global__ void copy_by_one_thread(float *out, const float *in, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int k = 0; k < n; k++)
            out[k] = in[k] * 2;
}

/* A loop over all elements that works with any grid. */
__global__ void scale(float4 *out, const float4 *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
}

/* Blocks beyond the first LIVE have nothing to do: a grid made for the worst case. */
__global__ void scale_some(float *out, const float *in, int live, int each)
{
    if (blockIdx.x >= live)
        return;
    for (int k = 0; k < each; k++) {
        int i = (blockIdx.x * each + k) * blockDim.x + threadIdx.x;
        out[i] = in[i] * 3;
    }
}

/* Newton's method until it is near enough; numbers in some blocks take far longer. */
__global__ void iterate(float *out, int hard)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int most = hash(blockIdx.x) % hard == 0 ? 3000 : 100 + hash(i) % 50;
    float x = i + 1, v = x;
    for (int k = 0; k < most; k++)
        v = 0.5f * (v + x * 0.25f);
    out[i] = v;
}

/* Lists of neighbours, most of them short and a few very long, a thread or a warp each: sums of
 * what neighbours have, anywhere. */
__global__ void neighbours(float *out, const int *start, const unsigned *at, const float *value,
                           int nodes, int threads)
{
    int node = (blockIdx.x * blockDim.x + threadIdx.x) / threads, lane = threadIdx.x % threads;
    if (node >= nodes)
        return;
    float sum = 0;
    for (int k = start[node] + lane; k < start[node + 1]; k += threads)
        sum += value[at[k]];
    if (threads == 1 || sum != 0)
        out[node] = sum;
}

/* Block b merges 2^b words: as in the last rounds of a tree. */
__global__ void tree(float *out, const float *in)
{
    unsigned many = 1u << blockIdx.x;
    float sum = 0;
    for (unsigned k = threadIdx.x; k < many; k += blockDim.x)
        sum += in[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* One block counts all; the others have left. */
__global__ void count_in_one(unsigned *out, const unsigned *in, int n)
{
    __shared__ unsigned bins[256];
    if (blockIdx.x != 7)
        return;
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256)
        atomicAdd(&bins[in[i] & 255], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

/* A warp of each block goes through shared memory, the rest wait. */
__global__ void sort_by_warp(unsigned *out)
{
    __shared__ unsigned s[1024];
    s[threadIdx.x] = hash(blockIdx.x * 1024 + threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 32)
        for (int size = 1; size < 32; size++)
            for (int k = threadIdx.x; k < 1024; k += 32) {
                unsigned a = s[k], b = s[(k + size) & 1023];
                s[k] = a < b ? a : b;
                __syncwarp();
            }
    __syncthreads();
    out[blockIdx.x * 1024 + threadIdx.x] = s[threadIdx.x];
}

/* One lane of each warp goes along a list. */
__global__ void one_lane_walks(unsigned *out, const unsigned *next, int steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < steps; k++)
            at = next[at];
    out[i] = at;
}

/* Warps share a row of double precision unlike: warp w has (w + 1)^2 parts. */
__global__ void squares_f64(double *out, int parts)
{
    int warp = threadIdx.x / 32;
    double x = threadIdx.x, y = 1;
    for (int k = 0; k < parts * (warp + 1) * (warp + 1); k++)
        y = y * 0.999 + x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}

int main()
{
    const int n = 1024, words = 1 << 22;
    device_array<float> a(words), b(words), x(n);
    device_array<unsigned> next(words);
    fill_hash<<<512, 256>>>(next.p, words, words - 1);

    measure("lower_by_thread", 64, n, 0, [&] { lower_by_thread<<<n / 64, 64>>>(b.p, a.p, x.p, n); });
    measure("lower_by_warp", 128, n, 0, [&] { lower_by_warp<<<n / 4, 128>>>(b.p, a.p, x.p, n); });
    measure("solve_lower", 512, 512, 0, [&] { solve_lower<<<1, 512, 512 * 4>>>(x.p, a.p, 512); });
    for (int blocks : {128, 1024})
        measure("sum_by_first_thread", blocks, blocks * 512 * 4, 0,
                [&] { sum_by_first_thread<<<blocks, 512>>>(b.p, a.p, 4); });
    measure("copy_by_one_thread", -1, 4096, 0,
            [&] { copy_by_one_thread<<<256, 256>>>(b.p, a.p, 4096); });
    for (int blocks : {1, 16, 66, 140})
        measure("scale", blocks, words, 8.0 * words,
                [&] { scale<<<blocks, 512>>>((float4 *)b.p, (float4 *)a.p, words / 4); });
    measure("scale_some", 2, 2 * 256 * 256, 0,
            [&] { scale_some<<<512, 256>>>(b.p, a.p, 2, 256); });
    measure("scale_some", 100, 100 * 128 * 256, 0,
            [&] { scale_some<<<8192, 256>>>(b.p, a.p, 100, 128); });
    measure("scale_some", 4096, 4096 * 4 * 256, 0,
            [&] { scale_some<<<8192, 256>>>(b.p, a.p, 4096, 4); });
    for (int hard : {7, 500})
        measure("iterate", hard, 1200 * 128, 0, [&] { iterate<<<1200, 128>>>(b.p, hard); });

    const int nodes = 1 << 15;
    std::vector<int> start(nodes + 1);
    for (int k = 0; k < nodes; k++)
        start[k + 1] = start[k] + 2 + hash(k) % 8 + (hash(k) % 3000 == 1 ? 8192 : 0);
    device_array<int> starts(nodes + 1);
    CHECK(cudaMemcpy(starts.p, start.data(), (nodes + 1) * 4, cudaMemcpyHostToDevice));
    for (int per : {1, 32})
        measure("neighbours", per, start[nodes], 0, [&] {
            neighbours<<<nodes * per / 256, 256>>>(b.p, starts.p, next.p, a.p, nodes, per);
        });
    measure("tree", 21, 1 << 21, 0, [&] { tree<<<21, 128>>>(b.p, a.p); });
    measure("count_in_one", -1, 1 << 18, 0,
            [&] { count_in_one<<<264, 256>>>((unsigned *)b.p, next.p, 1 << 18); });
    measure("sort_by_warp", 264, 264 * 1024, 0,
            [&] { sort_by_warp<<<264, 1024>>>((unsigned *)b.p); });
    measure("one_lane_walks", 32, 1 << 15, 0,
            [&] { one_lane_walks<<<(1 << 15) / 256, 256>>>((unsigned *)b.p, next.p, 32); });
    measure("squares_f64", 8, 528 * 256, 0, [&] { squares_f64<<<528, 256>>>((double *)b.p, 8); });
    return 0;
}
