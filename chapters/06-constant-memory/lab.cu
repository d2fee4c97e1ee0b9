// Chapter 6: constant memory. A nine-point stencil whose coefficients every thread reads.
// Build and run: ./warpbook run 6      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { RADIUS = 4, MAX_BLOCK = 512, TABLE = 1024, LOADS = 256 };
__constant__ float coef[RADIUS];  // c0 .. c3, read at addresses that the compiler knows
__constant__ float table[TABLE];  // 4 KB, read at addresses that a register holds

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

static void set_coefficients(const float *c) // c: RADIUS floats on the host
{
    // TODO 1 (about 1 line): copy the RADIUS floats at c into coef.
    // Hint: cudaMemcpyToSymbol(symbol, source, bytes)
    (void)c;
    // END TODO 1
}

// out[i] = sum over k = 1..4 of coef[k-1] * (in[i+k] - in[i-k]); beyond both ends in counts as 0.
__global__ void stencil_constant(float *out, const float *in, int n)
{
    __shared__ float tile[MAX_BLOCK + 2 * RADIUS]; // tile[RADIUS + t]: the element of thread t
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + RADIUS;
    tile[t] = i < n ? in[i] : 0;
    // TODO 2 (about 7 lines): fill the halo, RADIUS elements on each side; then wait for the block.
    // Hint: tile[0 .. 3] and tile[blockDim.x + 4 .. blockDim.x + 7] are still empty
    // END TODO 2
    float sum = 0;
    // TODO 3 (about 3 lines): add up the four terms from tile and coef, the loop unrolled.
    // Hint: #pragma unroll; k from 1 to RADIUS; tile[t] is the middle
    sum = tile[t];
    // END TODO 3
    if (i < n)
        out[i] = sum;
}

// in[i] times one of four coefficients, a common example. How many addresses has a warp?
__global__ void scale_indexed(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * coef[i % 4];
}

// Each thread adds up LOADS entries of the table; the lanes of a warp read DISTINCT addresses.
__global__ void lookup_constant(float *out, int distinct)
{
    float sum = 0;
    for (int k = 0; k < LOADS; k++)
        sum += table[(threadIdx.x % distinct + k) % TABLE];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void lookup_global(float *out, const float *list, int distinct)
{
    float sum = 0;
    for (int k = 0; k < LOADS; k++)
        sum += list[(threadIdx.x % distinct + k) % TABLE];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static int blocks(int threads, int block)
{
    return (threads + block - 1) / block;
}

int main(void)
{
    // Eighth-order first derivative, points a distance of 1 apart.
    const float c[RADIUS] = {4.f / 5, -1.f / 5, 4.f / 105, -1.f / 280};
    lab_begin("06-constant-memory");

    LAB_CHECK("stencil_constant", n) {
        for (int block : {32, 128, 256}) {
            lab_case("block", block);
            lab_array<float> in(n), out(n, LAB_POISON);
            float own[RADIUS]; // other coefficients for each block
            for (int k = 0; k < RADIUS; k++)
                own[k] = c[(k + block / 128) % RADIUS];
            set_coefficients(own);
            stencil_constant<<<blocks(n, block), block>>>(out.device, in.device, n);
            auto at = [&](long i) { return i >= 0 && i < n ? (double)in[i] : 0.0; };
            auto pair = [&](long i, int k) { return own[k - 1] * (at(i + k) - at(i - k)); };
            auto sum = [&](long i) { return pair(i, 1) + pair(i, 2) + pair(i, 3) + pair(i, 4); };
            lab_expect(out, sum, 2e-6, "a dozen roundings of values up to 2");
        }
    }

    int n = (int)lab_elements(1 << 22, 1 << 28);
    int threads = (int)lab_elements(1 << 24, 1 << 28) / 256;
    lab_array<float> in(n), out(n, LAB_POISON), list(TABLE);
    CUDA_CHECK(cudaMemcpyToSymbol(table, list.device, sizeof table, 0, cudaMemcpyDeviceToDevice));
    for (int block : {32, 256}) {
        LAB_MEASURE(block == 32 ? "stencil_constant/32" : "stencil_constant/256", n, 8.0 * n) {
            stencil_constant<<<blocks(n, block), block>>>(out.device, in.device, n);
        }
    }
    LAB_MEASURE("scale_indexed", n, 8.0 * n) {
        scale_indexed<<<blocks(n, 256), 256>>>(out.device, in.device, n);
    }
    for (int distinct : {1, 2, 4, 8, 16, 32}) { // bytes: what the caches deliver to the lanes
        LAB_SWEEP("lookup_constant", distinct, threads, 4.0 * LOADS * threads) {
            lookup_constant<<<blocks(threads, 256), 256>>>(out.device, distinct);
        }
        LAB_SWEEP("lookup_global", distinct, threads, 4.0 * LOADS * threads) {
            lookup_global<<<blocks(threads, 256), 256>>>(out.device, list.device, distinct);
        }
    }

    LAB_GOAL("stencil_constant", "bytes_per_sector", "at_least", 26, "loads in a row");
    LAB_GOAL("stencil_constant", "shared_load_conflicts", "at_most", 0, "lanes side by side");
    LAB_GOAL("stencil_constant", "const_addresses_per_request", "at_most", 0, "operands, free");
    LAB_GOAL("stencil_constant", "const_loads_per_warp", "at_least", 4, "from constant memory");
    LAB_WORK("stencil_constant", 2.13, 1, 24); // blocks of 32: 3 loads per warp; of 256: 1.25
    return lab_end();
}
