/* Transposes, sums and softmax of others: what goes through shared memory or shuffles. */
#include "others.h"

#include <cfloat>

/* A thread a word, in square blocks. reads: whether the words that neighbours read lie side by
 * side. */
template <bool reads> static __global__ void transpose_by_words(const float *in, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    if (reads)
        out[x * n + y] = in[y * n + x];
    else
        out[y * n + x] = in[x * n + y];
}

static __global__ void copy_by_words(const float *in, float *out, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = in[y * n + x];
}

/* Tiles of 32 x 32, by blocks of 32 x HIGH. */
enum tile_kind { THROUGH_SHARED, BY_COLUMNS, PADDED, SWIZZLED };

template <bool across> static __global__ void without_tiles(float *out, const float *in)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y,
              n = gridDim.x * 32;
    for (int j = 0; j < 32; j += 8)
        out[across ? x * n + y + j : (y + j) * n + x] = in[(y + j) * n + x];
}

template <tile_kind kind, int high> static __global__ void by_tiles(float *out, const float *in)
{
    __shared__ float tile[32][kind == PADDED ? 33 : 32];
    const int tx = threadIdx.x, ty = threadIdx.y, n = gridDim.x * 32;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
    for (int j = 0; j < 32; j += high)
        tile[ty + j][kind == SWIZZLED ? tx ^ (ty + j) : tx] = in[(y + j) * n + x];
    __syncthreads();
    if (kind != THROUGH_SHARED)
        x = blockIdx.y * 32 + tx, y = blockIdx.x * 32 + ty;
    for (int j = 0; j < 32; j += high)
        out[(y + j) * n + x] = kind == THROUGH_SHARED ? tile[ty + j][tx]
                               : kind == SWIZZLED     ? tile[tx][tx ^ (ty + j)]
                                                      : tile[tx][ty + j];
}

template <class Launch> static void matrix(const char *name, size_t n, Launch launch)
{
    device_array<float> in(n * n), out(n * n);
    in_a_row(n <= 1024 ? 40 : 1, name, n, 2.0 * n * n * sizeof(float),
             [&] { launch(out.p, in.p); });
}

template <tile_kind kind, int high> static void tiles(const char *name, size_t n)
{
    matrix(
        name, n,
        [&](float *out, const float *in) {
            by_tiles<kind, high><<<dim3(n / 32, n / 32), dim3(32, high)>>>(out, in);
        });
}

template <bool across> static void no_tiles(const char *name, size_t n)
{
    matrix(
        name, n,
        [&](float *out, const float *in) {
            without_tiles<across><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in);
        });
}

template <bool reads, int side> static void words(const char *name, size_t n)
{
    matrix(
        name, n,
        [&](float *out, const float *in) {
            transpose_by_words<reads>
                <<<dim3(n / side, n / side), dim3(side, side)>>>(in, out, (int)n);
        });
}

static void word_copy(const char *name, size_t n)
{
    matrix(
        name, n,
        [&](float *out, const float *in) {
            copy_by_words<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, (int)n);
        });
}

/* Sums by blocks of 256. SHARED: halves of a block's words add up; ATOMIC: then the block's sum is
 * added to the one result; SHUFFLED: warps first; FOURS: of four words a thread. */
enum sum_kind { SHARED, ATOMIC, SHUFFLED, FOURS };

static __device__ float warp_total(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

template <sum_kind kind> static __global__ void sum_of_halves(const float *in, float *out, int n)
{
    extern __shared__ float word[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    word[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x >> 1; half > 0; half >>= 1) {
        if (t < half)
            word[t] += word[t + half];
        __syncthreads();
    }
    if (t == 0 && kind == ATOMIC)
        atomicAdd(out, word[0]);
    else if (t == 0)
        out[blockIdx.x] = word[0];
}

template <sum_kind kind> static __global__ void sum_by_warps(const float *in, float *out, int n)
{
    __shared__ float part[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float v = 0;
    if (kind == SHUFFLED)
        v = i < n ? in[i] : 0;
    else if (4 * i < n) {
        const float4 four = ((const float4 *)in)[i];
        v = four.x + four.y + four.z + four.w;
    }
    v = warp_total(v);
    if (lane == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_total(lane < (int)blockDim.x / 32 ? part[lane] : 0);
        if (lane == 0)
            out[blockIdx.x] = v;
    }
}

template <sum_kind kind> static void sum(const char *name, size_t n)
{
    device_array<float> in(n), out(n / 256);
    alone(name, n, n * sizeof(float), [&] {
        const unsigned blocks = blocks_for(n, kind == FOURS ? 1024 : 256);
        if (kind == ATOMIC)
            CHECK(cudaMemsetAsync(out.p, 0, sizeof(float)));
        if (kind == SHARED || kind == ATOMIC)
            sum_of_halves<kind><<<blocks, 256, 256 * sizeof(float)>>>(in.p, out.p, (int)n);
        else
            sum_by_warps<kind><<<blocks, 256>>>(in.p, out.p, (int)n);
    });
}

/* Softmax of rows of 65,536 in one pass for largest and sum, and one for the results. */
static __device__ void take_in(float &largest, float &sum, float value, float weight)
{
    const float larger = fmaxf(largest, value);
    sum = sum * expf(largest - larger) + weight * expf(value - larger);
    largest = larger;
}

static __global__ void softmax_by_threads(const float *in, float *out, size_t columns, size_t rows)
{
    const size_t at = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * columns;
    if (at >= rows * columns)
        return;
    float largest = in[at], sum = 1;
    for (int i = 1; i < columns; i++)
        take_in(largest, sum, in[at + i], 1);
    for (int i = 0; i < columns; i++)
        out[at + i] = expf(in[at + i] - largest) / sum;
}

static __device__ void block_part(const float *in, size_t columns, float &largest, float &sum)
{
    const size_t range = (columns + blockDim.x - 1) / blockDim.x;
    largest = in[blockIdx.x * columns + threadIdx.x], sum = 1;
    for (int i = 1; i < range; i++) {
        const int at = blockIdx.x * columns + i * blockDim.x + threadIdx.x;
        if (at < (blockIdx.x + 1) * columns)
            take_in(largest, sum, in[at], 1);
    }
}

static __device__ void block_results(const float *in, float *out, size_t columns, float largest,
                                     float sum)
{
    const size_t range = (columns + blockDim.x - 1) / blockDim.x;
    for (int i = 0; i < range; i++) {
        const int at = blockIdx.x * columns + i * blockDim.x + threadIdx.x;
        if (at < (blockIdx.x + 1) * columns)
            out[at] = expf(in[at] - largest) / sum;
    }
}

static __global__ void softmax_by_shared(const float *in, float *out, size_t columns)
{
    extern __shared__ float largest_of[];
    float *sum_of = largest_of + blockDim.x;
    const int t = threadIdx.x;
    block_part(in, columns, largest_of[t], sum_of[t]);
    __syncthreads();
    for (int count = blockDim.x; count > 1;) {
        const int other = count - t - 1;
        count = (count + 1) / 2;
        if (t < count && other > t)
            take_in(largest_of[t], sum_of[t], largest_of[other], sum_of[other]);
        __syncthreads();
    }
    block_results(in, out, columns, largest_of[0], sum_of[0]);
}

static __device__ void warp_part(float &largest, float &sum)
{
    for (int offset = 16; offset > 0; offset >>= 1) {
        const float other = __shfl_down_sync(0xffffffff, largest, offset);
        const float its_sum = __shfl_down_sync(0xffffffff, sum, offset);
        take_in(largest, sum, other, its_sum);
    }
}

static __global__ void softmax_by_shuffles(const float *in, float *out, size_t columns)
{
    extern __shared__ float parts[];
    float largest, sum;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    block_part(in, columns, largest, sum);
    warp_part(largest, sum);
    if (lane == 0)
        parts[2 * warp] = largest, parts[2 * warp + 1] = sum;
    __syncthreads();
    largest = -FLT_MAX, sum = 0;
    if (lane < blockDim.x / 32)
        largest = parts[2 * lane], sum = parts[2 * lane + 1];
    warp_part(largest, sum);
    largest = __shfl_sync(0xffffffff, largest, 0);
    sum = __shfl_sync(0xffffffff, sum, 0);
    block_results(in, out, columns, largest, sum);
}

template <int way> static void softmax(const char *name, size_t columns)
{
    const size_t rows = 1024;
    device_array<float> in(rows * columns);
    device_array<float> out(rows * columns);
    alone(name, columns, 2.0 * rows * columns * sizeof(float), [&] {
        if (way == 0)
            softmax_by_threads<<<rows / 256, 256>>>(in.p, out.p, columns, rows);
        else if (way == 1)
            softmax_by_shared<<<rows, 256, 256 * 2 * sizeof(float)>>>(in.p, out.p, columns);
        else
            softmax_by_shuffles<<<rows, 256, 8 * 2 * sizeof(float)>>>(in.p, out.p, columns);
    });
}

int main(int argc, char **argv)
{
    static const other_kernel kernels[] = {
        {"words_16_copy", word_copy},
        {"words_16_reads", words<true, 16>},
        {"words_16_writes", words<false, 16>},
        {"words_32_reads", words<true, 32>},
        {"words_32_writes", words<false, 32>},
        {"tiles_32_columns", tiles<BY_COLUMNS, 32>},
        {"tiles_32_padded", tiles<PADDED, 32>},
        {"tiles_32_swizzled", tiles<SWIZZLED, 32>},
        {"tiles_8_straight", no_tiles<false>},
        {"tiles_8_shared", tiles<THROUGH_SHARED, 8>},
        {"tiles_8_across", no_tiles<true>},
        {"tiles_8_columns", tiles<BY_COLUMNS, 8>},
        {"tiles_8_padded", tiles<PADDED, 8>},
        {"sum_shared", sum<SHARED>},
        {"sum_atomic", sum<ATOMIC>},
        {"sum_shuffled", sum<SHUFFLED>},
        {"sum_fours", sum<FOURS>},
        {"softmax_threads", softmax<0>},
        {"softmax_shared", softmax<1>},
        {"softmax_shuffles", softmax<2>},
    };
    return run_wanted(argc, argv, kernels);
}
