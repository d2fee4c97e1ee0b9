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
    // Hint: a maximum and a sum a thread; merge the pairs as in chapter 14; then the results
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
    // Hint: tiles of k and v in shared memory; a running maximum, sum and total for each query
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
