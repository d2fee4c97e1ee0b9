// Chapter 12: dynamic shared memory. A block keeps a row, however long, and takes off its mean.
// Build and run: ./warpbook run 12      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// Bytes of shared memory for KERNEL with BLOCK threads: a double a thread, LENGTH floats.
static size_t ask(const void *kernel, int block, int length)
{
    // TODO 1 (about 4 lines): how many bytes? More than 48 KB need KERNEL's opt-in first.
    // Hint: cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)
    (void)kernel, (void)block, (void)length;
    return 48 * 1024; // what every kernel may have
    // END TODO 1
}

__device__ double total(float v) { return v; }

__device__ double total(float4 v)
{
    return (double)v.x + v.y + v.z + v.w;
}

__device__ float less(float v, float mean)
{
    return v - mean;
}

__device__ float4 less(float4 v, float mean)
{
    return make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
}

// One block per row of LENGTH T: its mean to means, its elements less the mean to out.
// part: a double a thread. row: LENGTH T, of which each thread reads only what it wrote.
template <class T>
__device__ void center(double *part, T *row, T *out, float *means, const T *data, int length)
{
    long first = (long)blockIdx.x * length;
    int t = threadIdx.x;
    double sum = 0;
    for (int i = t; i < length; i += blockDim.x)
        sum += total(row[i] = data[first + i]);
    part[t] = sum / (length * (int)(sizeof(T) / sizeof(float)));
    __syncthreads();
    // TODO 2 (about 7 lines): the mean of the row, to part[0] and means. Find the two faults.
    // Hint: which steps does a block of 64 threads take? And who reads part[0] after the loop?
    for (int whole = 1024; whole > 1; whole /= 2) {
        __syncthreads();
        if (blockDim.x > whole && t < whole / 2)
            part[t] += part[t + whole / 2];
    }
    if (t == 0)
        means[blockIdx.x] = part[0];
    // END TODO 2
    for (int i = t; i < length; i += blockDim.x)
        out[first + i] = less(row[i], (float)part[0]);
}

__global__ void center_rows(float *out, float *means, const float *data, int length)
{
    extern __shared__ double buffer[]; // blockDim.x doubles and length floats, in bytes
    // TODO 3 (about 2 lines): part and row, one after the other, each aligned for its type.
    // Hint: a double must lie at a multiple of 8. Does it, after an odd number of floats?
    double *part = buffer;
    float *row = (float *)buffer;
    // END TODO 3
    center(part, row, out, means, data, length);
}

// The same with sizes that the compiler knows: for the largest block and the longest row.
__global__ void center_static(float *out, float *means, const float *data, int length)
{
    __shared__ double part[1024];
    __shared__ float row[4096];
    center(part, row, out, means, data, length);
}

// The next step: 16 bytes per load. LENGTH in float4.
__global__ void center_vector(float4 *out, float *means, const float4 *data, int length)
{
    extern __shared__ double buffer[];
    center(buffer, (float4 *)(buffer + blockDim.x), out, means, data, length);
}

int main(void)
{
    int most = 0;
    lab_begin("12-dynamic-shared-memory");
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    most = (most - 1024 * (int)sizeof(double)) / (int)sizeof(float); // the longest row

    LAB_CHECK("center_rows", n) {
        int rows = 3, length = n < most ? n : most - n % 1000;
        lab_array<float> data(rows * length), out(rows * length, LAB_POISON);
        lab_array<float> means(rows, LAB_POISON);
        double mean[3] = {0};
        for (int i = 0; i < rows * length; i++)
            mean[i / length] += (double)data[i] / length;
        for (int block : {32, 64, 128, 512, 1024}) {
            lab_case("block", block);
            size_t shared = ask((void *)center_rows, block, length);
            center_rows<<<rows, block, shared>>>(out.device, means.device, data.device, length);
            lab_expect(means, [&](long r) { return mean[r]; }, 1e-6, "one rounding to float");
            auto want = [&](long i) { return data[i] - mean[i / length]; };
            lab_expect(out, want, 1e-6, "two roundings of values up to 2");
            lab_require(shared == 8u * block + 4u * length, "ask for what is used, no more");
        }
    }

    int n = (int)((lab_elements(1 << 23, 1 << 28) + 32767) / 32768 * 32768);
    lab_array<float> data(n), out(n, LAB_POISON), means(n / 4096, LAB_POISON);
    for (int block : {32, 64, 128, 256, 512, 1024}) {
        size_t shared = ask((void *)center_rows, block, 4096);
        LAB_SWEEP("center_rows", block, n, 8.0 * n)
            center_rows<<<n / 4096, block, shared>>>(out.device, means.device, data.device, 4096);
        LAB_SWEEP("center_static", block, n, 8.0 * n)
            center_static<<<n / 4096, block>>>(out.device, means.device, data.device, 4096);
    }
    size_t shared = ask((void *)center_vector, 256, 4096);
    LAB_MEASURE("center_vector", n, 8.0 * n)
        center_vector<<<n / 4096, 256, shared>>>((float4 *)out.device, means.device,
                                                 (const float4 *)data.device, 1024);
    shared = ask((void *)center_rows, 1024, 32768); // 136 KB per block: one block per SM
    LAB_MEASURE("center_rows/32768", n, 8.0 * n)
        center_rows<<<n / 32768, 1024, shared>>>(out.device, means.device, data.device, 32768);

    LAB_GOAL("center_rows", "bytes_per_sector", "at_least", 31, "each sector moves once");
    LAB_GOAL("center_rows", "shared_load_conflicts", "at_most", 0, "lanes read in a row");
    LAB_WORK("center_rows", 12.25, 12.35, 28); // the mean of all block sizes
    return lab_end();
}
