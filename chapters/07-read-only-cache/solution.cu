// Chapter 7: the read-only cache. Reads that are scattered, and reads that are shared.
// Build and run: ./warpbook run 7      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { RADIUS = 4, ROW = 8, CONSTANT = 8192 };
__constant__ float coef[RADIUS];
__constant__ float fixed[CONSTANT]; // 32 KB of the 64 KB that there are

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[i] = table[index[i]]
__global__ void gather_read_only(float *out, const float *table, const int *index, int n)
{
    // TODO 1 (about 3 lines): the gather, with the table read through __ldg.
    // __ldg(address) promises that no thread writes there while the kernel runs. The compiler
    // cannot know that by itself: out might overlap the table.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __ldg(&table[index[i]]);
    // END TODO 1
}

// out[i] = sum over k = 1..4 of coef[k-1] * (in[i+k] - in[i-k]); beyond both ends in counts as 0.
__global__ void stencil_read_only(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    // TODO 2 (about 5 lines): add up the terms straight from in: no tile, no halo, no barrier.
    // Eight threads need each element. The first load brings its sector into L1, and the other
    // seven find it there. __restrict__ lets the compiler use the read-only load by itself.
#pragma unroll
    for (int k = 1; k <= RADIUS; k++)
        sum += coef[k - 1] * ((i + k < n ? in[i + k] : 0) - (i >= k && i - k < n ? in[i - k] : 0));
    // END TODO 2
    if (i < n)
        out[i] = sum;
}

// Rows of ROW floats: out[ROW*r + k] = table[ROW*index[r] + k] for 0 <= k < ROW, 0 <= r < n/ROW.
__global__ void gather_rows(float *out, const float *table, const int *index, int n)
{
    // TODO 3 (about 3 lines): one thread per float, so that eight neighbours share one row.
    // A row is 32 bytes: one sector. Eight lanes that read one row need one sector; eight lanes
    // that read eight rows need eight.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __ldg(&table[ROW * index[i / ROW] + i % ROW]);
    // END TODO 3
}

// The same rows with one thread per row, which reads its floats one after another.
__global__ void gather_rows_apart(float *out, const float *table, const int *index, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < ROW && ROW * r + k < n; k++)
        out[ROW * r + k] = __ldg(&table[ROW * index[r] + k]);
}

__global__ void gather_plain(float *out, const float *table, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i]];
}

__global__ void gather_constant(float *out, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = fixed[index[i]];
}

static int blocks(int threads, int block)
{
    return (threads + block - 1) / block;
}

int main(void)
{
    const int block = 256;
    const float c[RADIUS] = {4.f / 5, -1.f / 5, 4.f / 105, -1.f / 280};
    const char *exact = "a gather changes no bit";
    lab_begin("07-read-only-cache");

    LAB_CHECK("gather_read_only", n) {
        lab_array<float> table(1000), out(n, LAB_POISON);
        lab_array<int> index(n, LAB_RANDOM, 0, 999);
        gather_read_only<<<blocks(n, block), block>>>(out.device, table.device, index.device, n);
        lab_expect(out, [&](long i) { return table[index[i]]; }, 0, exact);
    }
    LAB_CHECK("stencil_read_only", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        float own[RADIUS]; // other coefficients for each n
        for (int k = 0; k < RADIUS; k++)
            own[k] = c[(k + n) % RADIUS];
        CUDA_CHECK(cudaMemcpyToSymbol(coef, own, sizeof own));
        stencil_read_only<<<blocks(n, block), block>>>(out.device, in.device, n);
        auto at = [&](long i) { return i >= 0 && i < n ? (double)in[i] : 0.0; };
        auto pair = [&](long i, int k) { return own[k - 1] * (at(i + k) - at(i - k)); };
        auto sum = [&](long i) { return pair(i, 1) + pair(i, 2) + pair(i, 3) + pair(i, 4); };
        lab_expect(out, sum, 2e-6, "a dozen roundings of values up to 2");
    }
    LAB_CHECK("gather_rows", n) {
        lab_array<float> table(1000 * ROW), out(n, LAB_POISON);
        lab_array<int> index(blocks(n, ROW), LAB_RANDOM, 0, 999);
        gather_rows<<<blocks(n, block), block>>>(out.device, table.device, index.device, n);
        lab_expect(out, [&](long i) { return table[ROW * index[i / ROW] + i % ROW]; }, 0, exact);
    }

    int n = (int)lab_elements(1 << 21, 1 << 28);
    lab_array<float> in(n), out(n, LAB_POISON), table(1 << 22);
    CUDA_CHECK(cudaMemcpyToSymbol(fixed, table.device, sizeof fixed, 0, cudaMemcpyDeviceToDevice));
    LAB_MEASURE("stencil_read_only", n, 8.0 * n) {
        stencil_read_only<<<blocks(n, block), block>>>(out.device, in.device, n);
    }
    // A gather moves 12 bytes per element.
    for (int size : {1 << 10, 1 << 13, 1 << 15, 1 << 17, 1 << 18, 1 << 22}) {
        lab_array<int> index(n, LAB_RANDOM, 0, size - 1);
        const float *from = table.device;
        if (size <= CONSTANT)
            LAB_SWEEP("gather_constant", size / 256, n, 12.0 * n)
                gather_constant<<<blocks(n, block), block>>>(out.device, index.device, n);
        LAB_SWEEP("gather_plain", size / 256, n, 12.0 * n)
            gather_plain<<<blocks(n, block), block>>>(out.device, from, index.device, n);
        LAB_SWEEP("gather_read_only", size / 256, n, 12.0 * n)
            gather_read_only<<<blocks(n, block), block>>>(out.device, from, index.device, n);
    }
    lab_array<int> row(blocks(n, ROW), LAB_RANDOM, 0, (1 << 22) / ROW - 1);
    LAB_MEASURE("gather_rows_apart", n, 8.5 * n)
        gather_rows_apart<<<blocks(n, ROW * block), block>>>(out.device, table.device, row.device,
                                                             n);
    LAB_MEASURE("gather_rows", n, 8.5 * n)
        gather_rows<<<blocks(n, block), block>>>(out.device, table.device, row.device, n);

    LAB_GOAL("stencil_read_only", "bytes_per_sector", "at_least", 5.5, "rows, off by one");
    LAB_GOAL("gather_rows", "bytes_per_sector", "at_least", 20, "a warp needs four rows");
    for (const char *kernel : {"gather_read_only", "gather_rows"})
        LAB_GOAL(kernel, "read_only_loads_per_warp", "at_least", 0.2, "the table by __ldg");
    for (const char *kernel : {"gather_read_only", "gather_rows"})
        LAB_GOAL(kernel, "load_sectors_per_read_only", "at_most", 1.6, "the table, not the index");
    LAB_WORK("gather_read_only", 2, 1, 28);
    LAB_WORK("gather_rows", 2, 1, 24); // a lane may load its row's number for eight
    LAB_WORK("stencil_read_only", 8, 1, 28);
    return lab_end();
}
