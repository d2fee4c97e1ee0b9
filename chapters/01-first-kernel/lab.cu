// Chapter 1: a first kernel. Add ten to each element of an array.
// Build and run: ./warpbook run 1      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

enum { BLOCK = 256 }; // threads in a block

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// The device's part. Every thread runs this function once, and adds ten to one element.
__global__ void add_ten(float *out, const float *in, int n)
{
    // TODO 1 (about 3 lines): which element is this thread's? If there is one, add ten to it.
    // Hint: int i = blockIdx.x * blockDim.x + threadIdx.x;
    // END TODO 1
}

// How many blocks of BLOCK threads give each of n elements a thread?
static int blocks_for(int n)
{
    int blocks = 1;
    // TODO 2 (about 1 line): as many as are needed; the last one may have threads to spare.
    // Hint: 256 elements need one block, 257 need two
    // END TODO 2
    return blocks;
}

// The host's part: result[i] = numbers[i] + 10, computed on the device.
static void add_ten_to(float *result, const float *numbers, int n)
{
    size_t bytes = n * sizeof *numbers;
    float *in = NULL, *out = NULL; // addresses in the device's memory, which the host cannot use
    CUDA_CHECK(cudaMalloc(&in, bytes));
    CUDA_CHECK(cudaMalloc(&out, bytes));
    // TODO 3 (about 3 lines): numbers to the device; launch add_ten; what it made to result.
    // Hint: cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice or cudaMemcpyDeviceToHost)
    // END TODO 3
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

// Given, to compare with: all elements by one block of few threads, in turn.
__global__ void add_ten_in_turn(float *out, const float *in, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i] + 10;
}

int main(void)
{
    lab_begin("01-first-kernel");

    LAB_CHECK("add_ten", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        add_ten<<<n / BLOCK + 1, BLOCK>>>(out.device, in.device, n); // always some threads to spare
        lab_expect(out, [&](long i) { return in[i] + 10.0f; }, 0, "one addition");
    }
    LAB_CHECK("blocks_for", n)
        lab_between(blocks_for(n), ceil(n / 256.0), n / 256 + 1, "blocks of 256 threads",
                    "each element has a thread, and no block is without an element");
    LAB_CHECK("add_ten_to", n) {
        lab_array<float> numbers(n);
        float *from = new float[n], *result = new float[n];
        for (int i = 0; i < n; i++)
            from[i] = numbers[i], result[i] = NAN;
        add_ten_to(result, from, n);
        int i = 0;
        while (i < n - 1 && result[i] == from[i] + 10)
            i++;
        lab_case("element", i);
        lab_between(result[i], from[i] + 10, from[i] + 10, "this element of result",
                    "ten more than numbers has");
        delete[] from, delete[] result;
    }

    int n = (int)lab_elements(1 << 22, 1 << 28), few = min(n, 1 << 16);
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_MEASURE("add_ten", n, 8.0 * n) // 4 bytes in and 4 bytes out an element
        add_ten<<<blocks_for(n), BLOCK>>>(out.device, in.device, n);
    for (int threads : {1, 32, 256, 1024})
        LAB_SWEEP("add_ten_in_turn", threads, few, 8.0 * few)
            add_ten_in_turn<<<1, threads>>>(out.device, in.device, few);

    LAB_GOAL("add_ten", "bytes_per_sector", "at_least", 31, "neighbours take neighbours");
    LAB_WORK("add_ten", 1, 1, 28);
    return lab_end();
}
