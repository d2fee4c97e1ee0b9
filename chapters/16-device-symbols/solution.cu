// Chapter 16: device symbols. Variables of the device, and how the host reaches them.
// Build and run: ./warpbook run 16      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { MOST = 1 << 26 };
__device__ __align__(16) float held[MOST]; // 256 MB, aligned for float4
__device__ const float *source;            // a variable on the device that holds an address
__device__ int positive;                   // keeps its value from launch to launch
__constant__ float line[2];                // like the others, but kernels only read it
__device__ int2 shape;                     // blocks of the last count, and threads of each

// Adds to positive the number of i with in[i] > 0.
__global__ void count_positive(const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // How many threads of the block pass a true condition: a barrier (chapter 6) that counts.
    int found = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0)
        atomicAdd(&positive, found); // blocks add at the same time and none is lost (chapter 14)
    if (i == 0) shape = make_int2(gridDim.x, blockDim.x);
}

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

static int how_many_positive(const float *in, int n) // in: n floats on the device
{
    int found = 0;
    // TODO 1 (about 3 lines): start from 0, count on the device, bring the result to the host.
    // positive still holds the count of the last launch. So copy found, which is still 0, to it
    // first. cudaMemcpyFromSymbol waits for the kernel.
    CUDA_CHECK(cudaMemcpyToSymbol(positive, &found, sizeof found));
    count_positive<<<(n + 255) / 256, 256>>>(in, n);
    CUDA_CHECK(cudaMemcpyFromSymbol(&found, positive, sizeof found));
    // END TODO 1
    return found;
}

static void hold(const float *in, int n) // in: n floats on the device, n <= MOST
{
    // TODO 2 (about 3 lines): copy them into the first n elements of held.
    // On the host, held names its shadow. cudaGetSymbolAddress gives the address on the device,
    // which cudaMemcpy and kernels can use like any other.
    void *address;
    CUDA_CHECK(cudaGetSymbolAddress(&address, held));
    CUDA_CHECK(cudaMemcpy(address, in, n * sizeof(float), cudaMemcpyDeviceToDevice));
    // END TODO 2
}

static void point_to(const float *in) // in: an address on the device
{
    // TODO 3 (about 1 line): store that address, not what lies there, in source.
    // The 8 bytes of the pointer are copied. They stand in the host's variable in, so copy sizeof
    // in bytes from &in.
    CUDA_CHECK(cudaMemcpyToSymbol(source, &in, sizeof in));
    // END TODO 3
}

// out[k] = line[0] * in[k] + line[1] for those of this thread's four k that are below n.
__device__ void four(float *out, const float *in, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    float a = line[0], b = line[1];
    if (i + 3 < n) {
        float4 v = *(const float4 *)(in + i);
        *(float4 *)(out + i) = make_float4(a * v.x + b, a * v.y + b, a * v.z + b, a * v.w + b);
    } else {
        for (int k = i; k < n; k++)
            out[k] = a * in[k] + b;
    }
}

// The same work with the array reached by its name, by a kernel argument, by a device pointer.
__global__ void line_held(float *out, int n) { four(out, held, n); }
__global__ void line_argument(float *out, const float *in, int n) { four(out, in, n); }
__global__ void line_source(float *out, int n)
{
    if (source) four(out, source, n); // a null pointer until it has been set
}

int main(void)
{
    const float factors[2] = {3, 0.5f}; // constant memory is filled by the same call
    auto blocks = [](int n) { return (n + 1023) / 1024; };
    const char *why = "two roundings of values up to 3.5";
    lab_begin("16-device-symbols");
    CUDA_CHECK(cudaMemcpyToSymbol(line, factors, sizeof factors));

    LAB_CHECK("how_many_positive", n) {
        lab_array<float> in(n);
        lab_array<int> out(1, LAB_POISON);
        int2 used = {};
        CUDA_CHECK(cudaMemcpyToSymbol(shape, &used, sizeof used)); // no launch yet
        int found = how_many_positive(in.device, n), want = 0;
        for (int i = 0; i < n; i++) want += in[i] > 0;
        CUDA_CHECK(cudaMemcpy(out.device, &found, sizeof found, cudaMemcpyHostToDevice));
        lab_expect(out, [&](long) { return want; }, 0, "counts are exact");
        CUDA_CHECK(cudaMemcpyFromSymbol(&used, shape, sizeof used));
        lab_require(used.x > 0, "count_positive was not launched: the device is to count");
        lab_require(n < 1024 || used.y % 32 == 0, "a block is not of whole warps");
        lab_require(n < 1024 || (used.x - 1L) * used.y < n, "some blocks count nothing at all");
    }
    LAB_CHECK_AT("how_many_positive", 1 << 20) { // its time: the data stay on the device
        static float there[1 << 20];
        lab_array<float> in(1 << 20);
        auto copy = [&] { cudaMemcpy(there, in.device, 4 << 20, cudaMemcpyDeviceToHost); };
        lab_between(lab_time_percent([&] { how_many_positive(in.device, 1 << 20); }, copy), 0, 80,
                    "its time in % of that of a copy of in to the host", "the device counts");
    }
    LAB_CHECK("line_held", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        hold(in.device, n);
        line_held<<<blocks(n), 256>>>(out.device, n);
        lab_expect(out, [&](long i) { return 3.0 * in[i] + 0.5; }, 5e-7, why);
    }
    LAB_CHECK_AT("hold", 1 << 16) { // its time: the data need not go by way of the host
        lab_array<float> in(1 << 16), to(1 << 16, LAB_POISON);
        auto copy = [&] { cudaMemcpy(to.device, in.device, 4 << 16, cudaMemcpyDeviceToDevice); };
        lab_between(lab_time_percent([&] { hold(in.device, 1 << 16); }, copy), 0, 150,
                    "hold's time in % of that of one copy on the device", "by one such copy");
    }
    LAB_CHECK("line_source", n) {
        lab_array<float> in(n), out(n, LAB_POISON), other(n);
        point_to(other.device);
        point_to(in.device); // the last one counts
        line_source<<<blocks(n), 256>>>(out.device, n);
        lab_expect(out, [&](long i) { return 3.0 * in[i] + 0.5; }, 5e-7, why);
    }

    int n = (int)lab_elements(1 << 22, MOST);
    n = n < MOST ? n : MOST;
    lab_array<float> in(n), out(n, LAB_POISON);
    void *address;
    CUDA_CHECK(cudaGetSymbolAddress(&address, held));
    float *other = (float *)address + MOST / 2;
    CUDA_CHECK(cudaMemcpy(address, in.device, 4L * n, cudaMemcpyDeviceToDevice)); // random too
    point_to(in.device);
    LAB_MEASURE("line_held", n, 8.0 * n)
        line_held<<<blocks(n), 256>>>(out.device, n);
    LAB_MEASURE("line_argument", n, 8.0 * n)
        line_argument<<<blocks(n), 256>>>(out.device, in.device, n);
    LAB_MEASURE("line_source", n, 8.0 * n)
        line_source<<<blocks(n), 256>>>(out.device, n);
    static unsigned host[1024 * 1024];
    for (unsigned &word : host) word = lab_bits();
    for (int kb = 1; kb <= 4096; kb *= 4) { // one call of kb KB: from the host, on the device
        LAB_SWEEP("symbol_from_host", kb, 256 * kb, 1024.0 * kb)
            CUDA_CHECK(cudaMemcpyToSymbol(held, host, 1024 * kb));
        LAB_SWEEP("symbol_on_device", kb, 256 * kb, 1024.0 * kb)
            CUDA_CHECK(cudaMemcpy(address, other, 1024 * kb, cudaMemcpyDeviceToDevice));
    }

    LAB_GOAL("line_held", "load_sectors_per_request", "at_least", 15, "32 float4 fill 16");
    LAB_GOAL("line_source", "load_sectors_per_request", "at_most", 8.5, "16, and 1 of source");
    return lab_end();
}
