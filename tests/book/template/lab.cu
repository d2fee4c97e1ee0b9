// Chapter @N@: @TITLE@. Say in a sentence what the kernels do.
// Build and run: ./warpbook run @N@      or, with a GPU: nvcc -I ../../common lab.cu && ./a.out
#include "lab.h"

// HELPERS: functions of your own, for the TODO regions below
// END HELPERS

// out[i] = factor * in[i] for 0 <= i < n; one thread per element.
__global__ void scale(float *out, const float *in, float factor, int n)
{
    // TODO 1 (about 3 lines): find this thread's i; scale one float, if i is inside the array.
    // Hint: blockIdx.x, blockDim.x, threadIdx.x
    // END TODO 1
}

// Given, to compare with: the same, and every thread reads the element next to its own as well.
__global__ void scale_neighbours(float *out, const float *in, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * (in[i] + in[i + 1 < n ? i + 1 : i]);
}

static int blocks(int threads, int block)
{
    return (threads + block - 1) / block; // round up: the remainder needs a block as well
}

int main(void)
{
    const int block = 256;
    const float factor = 0.5f; // a power of two: products are exact
    lab_begin("@DIR@");

    LAB_CHECK("scale", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        scale<<<blocks(n, block), block>>>(out.device, in.device, factor, n);
        lab_expect(out, [&](long i) { return factor * in[i]; }, 0, "a half is exact");
    }
    LAB_CHECK("scale_neighbours", n) {
        lab_array<float> in(n), out(n, LAB_POISON);
        scale_neighbours<<<blocks(n, block), block>>>(out.device, in.device, factor, n);
        auto beside = [&](long i) { return in[i + 1 < n ? i + 1 : i]; };
        auto sum = [&](long i) { return factor * ((double)in[i] + beside(i)); };
        lab_expect(out, sum, 1e-6, "rounded");
    }

    int n = (int)lab_elements(1 << 24, 1 << 28);
    lab_array<float> in(n), out(n, LAB_POISON);
    LAB_MEASURE("scale", n, 8.0 * n) { // 4 bytes in and 4 bytes out an element
        scale<<<blocks(n, block), block>>>(out.device, in.device, factor, n);
    }
    LAB_MEASURE("scale_neighbours", n, 8.0 * n) {
        scale_neighbours<<<blocks(n, block), block>>>(out.device, in.device, factor, n);
    }

    LAB_GOAL("scale", "load_sectors_per_request", "equal", 4, "32 floats fill 4 sectors");
    LAB_GOAL("scale", "store_sectors_per_request", "equal", 4, "and 4 when they are stored");
    LAB_WORK("scale", 1, 1, 28);
    return lab_end();
}
