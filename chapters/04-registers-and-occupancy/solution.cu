// Chapter 4: registers and occupancy. What a thread keeps in registers, and how many threads fit.
// Build and run: ./warpbook run 4     or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { TAPS = 5, BLOCK = 256 };

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The middle one of the five values in v.
__device__ float median_of(float *v)
{
    // TODO 1 (about 7 lines): order v until v[2] is right; each index is known to the compiler.
    // Two loops of fixed lengths, unrolled: then each v[j] is a register, and an exchange is a
    // minimum and a maximum. After three rounds the three largest are in place, v[2] among them.
#pragma unroll
    for (int round = 1; round <= 3; round++)
#pragma unroll
        for (int j = 0; j < TAPS - round; j++) {
            float low = fminf(v[j], v[j + 1]);
            v[j + 1] = fmaxf(v[j], v[j + 1]);
            v[j] = low;
        }
    // END TODO 1
    return v[TAPS / 2];
}

// How many blocks an SM holds at once; BLOCK: threads, SHARED: bytes of shared memory a block.
static int resident(const cudaDeviceProp &sm, int registers, int block, int shared)
{
    // TODO 2 (about 6 lines): the least of four limits: blocks, threads, registers, shared memory.
    // Each limit is what the SM has, divided by what a block takes, rounded down. A warp's
    // registers come in units of 256, and the system takes some shared memory for every block.
    int a_warp = (registers * 32 + 255) / 256 * 256;
    int by_threads = sm.maxThreadsPerMultiProcessor / block;
    int by_registers = sm.regsPerMultiprocessor / (a_warp * (block / 32));
    int by_shared = sm.sharedMemPerMultiprocessor / (shared + sm.reservedSharedMemPerBlock);
    return min(min(sm.maxBlocksPerMultiProcessor, by_threads), min(by_registers, by_shared));
    // END TODO 2
}

// The same median by counting: v[k] belongs at sorted[rank], and rank is known only when it runs.
__host__ __device__ float median_by_rank(const float *v)
{
    float sorted[TAPS];
    for (int k = 0; k < TAPS; k++) {
        int rank = 0;
        for (int j = 0; j < TAPS; j++) rank += v[j] < v[k] || (v[j] == v[k] && j < k);
        sorted[rank] = v[k];
    }
    return sorted[TAPS / 2];
}

// out[i] = the median of in[i-2 .. i+2]; beyond an end, the last element there is repeated.
template <bool REGISTERS> __device__ void filter(float *out, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float v[TAPS];
    for (int k = 0; k < TAPS; k++) v[k] = in[min(max(i + k - TAPS / 2, 0), n - 1)];
    if (i < n) out[i] = REGISTERS ? median_of(v) : median_by_rank(v);
}
__global__ void median_registers(float *out, const float *in, int n) { filter<true>(out, in, n); }
__global__ void median_local(float *out, const float *in, int n) { filter<false>(out, in, n); }

// out = in, EACH elements per thread, all loads issued before the first store. LEAST: the number of
// blocks that must fit on an SM, which limits the registers of a thread.
template <class T, int EACH, int LEAST = 1>
__global__ void __launch_bounds__(BLOCK, LEAST) copy_batch(T *out, const T *in, int n)
{
    int first = blockIdx.x * BLOCK * EACH + threadIdx.x;
    T batch[EACH]; // in registers
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < n) batch[k] = in[first + k * BLOCK];
    for (int k = 0; k < EACH; k++)
        if (first + k * BLOCK < n) out[first + k * BLOCK] = batch[k];
}

static int blocks(int n, int each) { return (n + BLOCK * each - 1) / (BLOCK * each); }

// Bandwidth by resident threads: unused shared memory keeps further blocks off the SM.
template <class T, int EACH>
static void sweep(const char *name, const cudaDeviceProp &sm, float *out, const float *in, int n)
{
    auto kernel = copy_batch<T, EACH>;
    int most = (int)sm.sharedMemPerBlockOptin, fit = 0, each = EACH * sizeof(T) / sizeof(float);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int want : {1, 2, 3, 4, 6, 8}) {
        int shared = min((int)sm.sharedMemPerMultiprocessor / want - 1024, most) / 1024 * 1024;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, BLOCK, shared));
        LAB_SWEEP(name, fit * BLOCK, n, 8.0 * n)
            kernel<<<blocks(n, each), BLOCK, shared>>>((T *)out, (T *)in, n / each * EACH);
    }
}

#include <cuda_occupancy.h> // what CUDA says of kernels that need not be there
int main(void)
{
    cudaDeviceProp sm; cudaFuncAttributes its;
    lab_begin("04-registers-and-occupancy");
    CUDA_CHECK(cudaGetDeviceProperties(&sm, 0));
    CUDA_CHECK(cudaFuncGetAttributes(&its, copy_batch<float4, 8>));

    LAB_CHECK("median_registers", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        median_registers<<<blocks(n, 1), BLOCK>>>(out.device, in.device, n);
        auto want = [&](long i) {
            float v[TAPS];
            for (int k = 0; k < TAPS; k++) v[k] = in[min(max(i + k - TAPS / 2, 0L), n - 1L)];
            return median_by_rank(v);
        };
        lab_expect(out, want, 0, "a median is one of the elements");
    }
    LAB_CHECK("resident", n) { // is it what CUDA says, for copy_batch, and for 50 registers?
        cudaOccDeviceProp device = sm; cudaOccDeviceState state;
        cudaOccFuncAttributes kind = its; cudaOccResult most;
        int shared = n % 48 * 1024;
        for (int k = 0; k < 6; k++) {
            int block = k % 3 == 0 ? 32 : 64 << k % 3;
            lab_case("threads per block", block);
            kind.numRegs = k < 3 ? its.numRegs : 50;
            cudaOccMaxActiveBlocksPerMultiprocessor(&most, &device, &kind, &state, block, shared);
            int want = most.activeBlocksPerMultiprocessor;
            lab_between(resident(sm, kind.numRegs, block, shared), want, want, "blocks on an SM",
                        k < 3 ? "what CUDA says" : "what CUDA says, 50 registers per thread");
        }
    }

    int n = (int)lab_elements(1 << 22, 1 << 28) / 32 * 32, n4 = n / 4;
    lab_array<float> in(n), out(n, LAB_POISON);
    float4 *to = (float4 *)out.device, *from = (float4 *)in.device;
    LAB_MEASURE("median_local", n, 8.0 * n)
        median_local<<<blocks(n, 1), BLOCK>>>(out.device, in.device, n);
    LAB_MEASURE("median_registers", n, 8.0 * n)
        median_registers<<<blocks(n, 1), BLOCK>>>(out.device, in.device, n);
    LAB_MEASURE("copy_batch/free", n, 8.0 * n)
        copy_batch<float4, 8><<<blocks(n4, 8), BLOCK>>>(to, from, n4);
    LAB_MEASURE("copy_batch/capped", n, 8.0 * n)
        copy_batch<float4, 8, 8><<<blocks(n4, 8), BLOCK>>>(to, from, n4);
    sweep<float, 1>("copy_batch/4_bytes", sm, out.device, in.device, n);
    sweep<float4, 1>("copy_batch/16_bytes", sm, out.device, in.device, n);
    sweep<float4, 4>("copy_batch/64_bytes", sm, out.device, in.device, n);

    LAB_GOAL("median_local", "cost", "at_most", 6, "the same steps, in local memory");
    LAB_GOAL("median_registers", "local_requests", "at_most", 0, "fixed indices become registers");
    LAB_GOAL("median_registers", "instructions_per_warp", "at_most", 72, "18 to exchange, of 59");
    LAB_WORK("median_registers", 5, 1, 28);
    return lab_end();
}
