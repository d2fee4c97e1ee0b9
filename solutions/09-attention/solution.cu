// Assignment 9: from softmax to attention. Weights that are used and never written to memory.
// Build and run: ./warpbook run attention   or, with a GPU: nvcc -I ../../common lab.cu
#include "lab.h"
#include <algorithm>
#include <cuda_pipeline.h>
#include <float.h>
#include <vector>

enum { D = 64 }; // floats of a query, of a key and of a value
enum { ROW_THREADS = 128 }; // yours to choose: the block of a row of softmax
enum { QUERIES = 128, THREADS = 128, BYTES = 90112 }; // yours to choose: a block of attention
static_assert(ROW_THREADS >= 64 && ROW_THREADS <= 1024 && ROW_THREADS % 32 == 0, "2 to 32 warps");
static_assert(QUERIES > 0 && THREADS > 0 && THREADS % 32 == 0 && BYTES > 0, "whole warps");
// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// A block for each row of N elements: out = exp(in) / (sum of exp(in) over the row).
__global__ void softmax(float *out, const float *in, int n)
{
    // TODO 1 (about 26 lines): softmax, whatever n is, and for elements that exp cannot take.
    // A pair is a maximum and the sum of exp(element - maximum). Threads, then lanes, then warps
    // merge theirs: the sum that belongs to the lower maximum shrinks. The lowest float is none of
    // the elements and has the sum 0; a difference of two infinities would be NaN.
    enum { LOADS = 4 };
    __shared__ float2 word[ROW_THREADS / 32];
    const float *row = &in[(long)blockIdx.x * n];
    int t = threadIdx.x, lane = t % 32;
    float most = -FLT_MAX, sum = 0, x[LOADS];
    for (int first = t; first < n; first += LOADS * ROW_THREADS) {
        float before = most;
        for (int e = 0; e < LOADS; e++)
            x[e] = first + e * ROW_THREADS < n ? row[first + e * ROW_THREADS] : -FLT_MAX;
        for (int e = 0; e < LOADS; e++)
            most = fmaxf(most, x[e]);
        sum *= __expf(before - most);
        for (int e = 0; e < LOADS; e++)
            sum += __expf(x[e] - most);
    }
    auto merge_lanes = [&]() {
        for (int distance = 16; distance > 0; distance /= 2) {
            float other = __shfl_xor_sync(~0u, most, distance), top = fmaxf(most, other);
            sum = sum * __expf(most - top) +
                  __shfl_xor_sync(~0u, sum, distance) * __expf(other - top);
            most = top;
        }
    };
    merge_lanes();
    if (lane == 0)
        word[t / 32] = make_float2(most, sum);
    __syncthreads();
    most = lane < ROW_THREADS / 32 ? word[lane].x : -FLT_MAX;
    sum = lane < ROW_THREADS / 32 ? word[lane].y : 0;
    merge_lanes();
    for (int i = t; i < n; i += ROW_THREADS) // the second time from L1
        out[(long)blockIdx.x * n + i] = __expf(row[i] - most) / sum;
    // END TODO 1
}

// out[i] = the sum over j of softmax(q[i] . k[j] / 8)[j] * v[j]: m queries, n keys, n values. Of a
// block: QUERIES queries, from blockIdx.x * QUERIES on. s: m rows of n floats, yours to use or not.
__launch_bounds__(THREADS)
__global__ void attention(float *out, const float *q, const float *k, const float *v, float *s,
                          int m, int n)
{
    extern __shared__ float4 room[]; // BYTES bytes
    // TODO 2 (about 70 lines): attention, whatever m and n are, 1 included.
    // A warp has 32 queries. For a tile of 32 keys its lanes have 8 x 4 scores each: queries
    // group + 4 i, keys lane % 8 + 8 j. They become weights, and go through shared memory, for the
    // 8 x 8 sums of the same queries, of floats 4 (lane % 8) + 0 .. 3 and + 32 .. 35 of the values.
    // The next tiles are in flight meanwhile. Rows are padded: 8 lanes then read 8 rows of k, and 4
    // groups write 4 rows of w, without a conflict.
    enum { KEYS = 32, STAGES = 2, WARPS = THREADS / 32 };
    struct tiles {
        float q[QUERIES][D + 4], k[STAGES][KEYS][D + 4], v[STAGES][KEYS][D], w[QUERIES][KEYS + 8];
    };
    static_assert(QUERIES == 32 * WARPS && sizeof(tiles) <= BYTES, "a warp for 32 queries");
    tiles &tile = *(tiles *)room;
    int t = threadIdx.x, lane = t % 8, own = t / 32 * 32 + t % 32 / 8, top = blockIdx.x * QUERIES;
    auto fetch = [&](float *to, int width, const float *from, int first, int rows, int all) {
        for (int i = t; i < rows * D / 4; i += THREADS) { // zeros beyond the end
            int row = i / (D / 4), x = i % (D / 4) * 4;
            __pipeline_memcpy_async(&to[row * width + x], &from[(long)(first + row) * D + x], 16,
                                    first + row < all ? 0 : 16);
        }
    };
    auto fetch_tile = [&](int stage, int first) {
        fetch(tile.k[stage][0], D + 4, k, first, KEYS, n);
        fetch(tile.v[stage][0], D, v, first, KEYS, n);
        __pipeline_commit();
    };
    fetch(tile.q[0], D + 4, q, top, QUERIES, m);
    fetch_tile(0, 0);

    float most[8], sum[8] = {}, total[8][8] = {};
    for (int i = 0; i < 8; i++)
        most[i] = -FLT_MAX;
    for (int first = 0, now = 0; first < n; first += KEYS, now ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads();
        fetch_tile(now ^ 1, first + KEYS);
        float w[8][4] = {};
#pragma unroll
        for (int x = 0; x < D; x += 4) {
            float4 b[4];
            for (int j = 0; j < 4; j++)
                b[j] = *(float4 *)&tile.k[now][lane + 8 * j][x];
            for (int i = 0; i < 8; i++) {
                float4 a = *(float4 *)&tile.q[own + 4 * i][x];
                for (int j = 0; j < 4; j++)
                    for (int e = 0; e < 4; e++)
                        w[i][j] += (&a.x)[e] * (&b[j].x)[e];
            }
        }
        for (int i = 0; i < 8; i++) {
            float before = most[i];
            for (int j = 0; j < 4; j++) { // in powers of 2: exp(score / 8) = 2^w
                w[i][j] = first + lane + 8 * j < n ? w[i][j] * (0.125f * 1.44269504f) : -FLT_MAX;
                most[i] = fmaxf(most[i], w[i][j]);
            }
            for (int distance = 4; distance > 0; distance /= 2)
                most[i] = fmaxf(most[i], __shfl_xor_sync(~0u, most[i], distance));
            float shrink = exp2f(before - most[i]);
            sum[i] *= shrink;
            for (int e = 0; e < 8; e++)
                total[i][e] *= shrink;
            for (int j = 0; j < 4; j++) {
                sum[i] += w[i][j] = exp2f(w[i][j] - most[i]);
                tile.w[own + 4 * i][lane + 8 * j] = w[i][j];
            }
        }
        __syncwarp();
#pragma unroll
        for (int x = 0; x < KEYS; x += 4) {
            float4 b[4][2];
            for (int j = 0; j < 4; j++)
                for (int h = 0; h < 2; h++)
                    b[j][h] = *(float4 *)&tile.v[now][x + j][4 * lane + 32 * h];
            for (int i = 0; i < 8; i++) {
                float4 a = *(float4 *)&tile.w[own + 4 * i][x];
                for (int j = 0; j < 4; j++)
                    for (int e = 0; e < 8; e++)
                        total[i][e] += (&a.x)[j] * (&b[j][e / 4].x)[e % 4];
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int distance = 4; distance > 0; distance /= 2)
            sum[i] += __shfl_xor_sync(~0u, sum[i], distance);
        for (int h = 0; h < 2 && top + own + 4 * i < m; h++) {
            const float *of = &total[i][4 * h];
            *(float4 *)&out[(long)(top + own + 4 * i) * D + 4 * lane + 32 * h] =
                make_float4(of[0] / sum[i], of[1] / sum[i], of[2] / sum[i], of[3] / sum[i]);
        }
    }
    // END TODO 2
}

// The definition: a block of D threads for each query.
__global__ void by_rows(float *out, const float *q, const float *k, const float *v, float *s, int n)
{
    float *row = &s[(long)blockIdx.x * n], most = -FLT_MAX, sum = 0, total = 0;
    for (int j = threadIdx.x; j < n; j += D) {
        float score = 0;
        for (int x = 0; x < D; x++)
            score += q[blockIdx.x * D + x] * k[(long)j * D + x];
        row[j] = score / 8;
    }
    __syncthreads();
    for (int j = 0; j < n; j++)
        most = fmaxf(most, row[j]);
    for (int j = 0; j < n; j++) {
        sum += __expf(row[j] - most);
        total += __expf(row[j] - most) * v[(long)j * D + threadIdx.x];
    }
    out[blockIdx.x * D + threadIdx.x] = total / sum;
}

// As many multiply-adds as attention needs and nothing else, eight chains per thread.
__global__ void roof(float *out, int rounds)
{
    float x[8], sum = 0;
    for (int c = 0; c < 8; c++)
        x[c] = threadIdx.x + c;
#pragma unroll 32
    for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 8; c++)
            x[c] = fmaf(x[c], 0.999f, 0.01f);
    for (int c = 0; c < 8; c++)
        sum += x[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void run(float *out, const float *q, const float *k, const float *v, float *s, int m, int n)
{
    CUDA_CHECK(cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    attention<<<(m + QUERIES - 1) / QUERIES, THREADS, BYTES>>>(out, q, k, v, s, m, n);
}

static void host_softmax(double *row, int n)
{
    double most = *std::max_element(row, row + n), sum = 0;
    for (int i = 0; i < n; i++)
        sum += row[i] = exp(row[i] - most);
    for (int i = 0; i < n; i++)
        row[i] /= sum;
}

static void check_rows(int rows, int n, double low, double high)
{
    lab_array<float> in((long)rows * n, LAB_RANDOM, low, high), out((long)rows * n, LAB_POISON);
    softmax<<<rows, ROW_THREADS>>>(out.device, in.device, n);
    std::vector<double> want(in.n);
    for (long i = 0; i < in.n; i++) {
        want[i] = in[i];
        if (i % n == n - 1)
            host_softmax(&want[i - n + 1], n);
    }
    double most = *std::max_element(want.begin(), want.end());
    lab_expect(out, [&](long i) { return want[i]; }, 5e-5 * most, "of the largest; up to n sums");
}

static void check(int m, int n, double low, double high, double tolerance)
{
    lab_array<float> q((long)m * D, LAB_RANDOM, low, high), k((long)n * D, LAB_RANDOM, -high, -low);
    lab_array<float> v((long)n * D), s((long)m * n, LAB_POISON), out((long)m * D, LAB_POISON);
    run(out.device, q.device, k.device, v.device, s.device, m, n);
    std::vector<double> want(m * D);
    for (long i = 0; i < m; i++) {
        std::vector<double> row(n);
        for (long j = 0; j < n * D; j++)
            row[j / D] += (double)q[i * D + j % D] * k[j] / 8;
        host_softmax(row.data(), n);
        for (long j = 0; j < n * D; j++)
            want[i * D + j % D] += row[j / D] * v[j];
    }
    lab_expect(out, [&](long i) { return want[i]; }, tolerance, "roundings of scores and sums");
}

int main(void)
{
    lab_begin("labs/09-attention");

    LAB_CHECK("softmax", n)
        check_rows(3, n, -1, 1);
    LAB_CHECK("softmax_far", n) { // exp of such numbers is infinite, or 0
        check_rows(2, n, 80, 200);
        check_rows(2, n, -300, -200);
    }
    LAB_CHECK("attention", n)
        check((n - 1) % 271 + 1, (n - 1) % 150 + 1, -1, 1, 2e-6);
    LAB_CHECK("attention_far", n) {
        check(n % 7 + 1, (n - 1) % 600 + 1, -12, 12, 1e-4);
        check(n % 7 + 1, (n - 1) % 600 + 1, 3, 6, 1e-4);
    }
    LAB_CHECK_AT("attention_long", 30011)
        check(3, 30011, -1, 1, 2e-6);

    const long n = 256, elements = lab_elements(1 << 23, 1 << 26), m = elements / n;
    lab_array<float> q(m * D), k(n * D), v(n * D), out(m * D, LAB_POISON);
    lab_array<float> in(elements), s(elements, LAB_POISON);
    const double bytes = 8.0 * D * (m + n); // q, k, v and out, each once
    LAB_ROUNDS {
        LAB_MEASURE("softmax", elements, 8.0 * elements)
            softmax<<<elements / 1024, ROW_THREADS>>>(s.device, in.device, 1024);
        LAB_MEASURE("roof", elements, bytes) // 2 * D multiply-adds a score, as attention
            roof<<<elements / 32 / 128, 128>>>(s.device, 8 * D);
        LAB_MEASURE("by_rows", elements / 16, bytes / 16) // few: you would wait for more
            by_rows<<<m / 16, D>>>(out.device, q.device, k.device, v.device, s.device, n);
        LAB_MEASURE("attention", elements, bytes)
            run(out.device, q.device, k.device, v.device, s.device, m, n);
    }

    LAB_GOAL("softmax", "load_sectors_per_store_sector", "at_most", 2, "each row is read twice");
    LAB_GOAL("softmax", "shuffles_per_warp", "at_most", 24, "a warp merges its lanes once");
    LAB_GOAL("softmax", "barriers_per_warp", "at_most", 4, "and waits where warps exchange theirs");
    LAB_GOAL("softmax", "lanes_per_instruction", "at_least", 24, "all lanes of a warp work");
    LAB_GOAL("softmax", "busiest_warp", "at_most", 4, "all warps and blocks do");
    LAB_GOAL("attention", "flops_per_byte", "at_least", 60, "no weight is written to memory");
    LAB_GOAL("attention", "flops_per_byte", "at_most", 190, "each score is computed once");
    LAB_GOAL("attention", "bytes_per_sector", "at_least", 1.5, "a load serves 16 queries or more");
    LAB_GOAL("attention", "lanes_per_instruction", "at_least", 24, "all lanes of a warp work");
    LAB_GOAL("attention", "busiest_warp", "at_most", 4, "all warps and blocks do");
    return lab_end();
}
